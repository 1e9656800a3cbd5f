"""The command `labelferry` and `python -m labelferry`."""

from __future__ import annotations

import sys
from importlib.util import find_spec

MISSING = "labelferry: the command line needs typer and rich: pip install 'labelferry[cli]'\n"


def main() -> None:
    """Run the command line. Without the extra `cli`, print how to install it and exit with code 2."""
    if not all(map(find_spec, ("typer", "rich"))):
        sys.stderr.write(MISSING)
        sys.exit(2)
    from .cli import app

    app()


if __name__ == "__main__":
    main()
