"""The command `labelferry` and `python -m labelferry`."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from typing import Any, NoReturn

MISSING = "labelferry: the command line needs typer and rich: pip install 'labelferry[cli]'\n"


def main() -> None:
    """Run the command line. Without the extra `cli`, print how to install it and exit with code 2."""
    if not all(map(find_spec, ("typer", "rich"))):
        sys.stderr.write(MISSING)
        sys.exit(2)
    from .cli import app

    prepare_streams()
    for name in ("SIGTERM", "SIGHUP"):  # SIGHUP does not exist on Windows
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    app()


def prepare_streams() -> None:
    """Make printing work everywhere: closed streams discard it, and characters that a stream lacks are escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open until the process ends)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def stop(number: int, _: Any) -> NoReturn:
    """End as after Ctrl-C: temporary files are removed. The exit code is that of a process ended by the signal."""
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
