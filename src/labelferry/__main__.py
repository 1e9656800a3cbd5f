"""The command `labelferry` and `python -m labelferry`."""

from __future__ import annotations

import signal
import sys
from importlib.util import find_spec
from typing import Any, NoReturn

MISSING = "labelferry: the command line needs typer and rich: pip install '.[cli]' in a clone of labelferry\n"


def main() -> None:
    """Run the command line. Without the extra `cli`, print how to install it and exit with code 2."""
    if not all(map(find_spec, ("typer", "rich"))):
        sys.stderr.write(MISSING)
        sys.exit(2)
    from .cli import app, load_commands
    from .cli.streams import prepare_streams

    prepare_streams()
    load_commands()
    for name in ("SIGTERM", "SIGHUP"):  # SIGHUP does not exist on Windows
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    app()


def stop(number: int, _: Any) -> NoReturn:
    """End as after Ctrl-C: temporary files are removed. The exit code is that of a process ended by the signal."""
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
