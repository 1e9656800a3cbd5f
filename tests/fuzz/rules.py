"""What an input may do: succeed, or be refused in one line. Anything else is a finding."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from labelferry.cli import app
from labelferry.cli.app import message_of
from labelferry.files import PREFIX

FINE, REFUSED = "fine", "refused"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MAX_LINE = 1200  # characters of an error with the name of the program; more are left out
EXIT_CODES = {0: FINE, 2: REFUSED, 3: FINE}  # 3: not safe, with --strict


class Finding(AssertionError):
    """Something that is not allowed.

    Parameters
    ----------
    kind : str
        "traceback" or "wrong".
    what : str
        What happened.
    """

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(f"{kind}: {what}")
        self.kind = kind


def attempt(action: Callable[[], Any]) -> tuple[str, Any]:
    """Run an action of the library: ("fine", its result) or ("refused", None). A RuntimeWarning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            return FINE, action()
        except Exception as error:
            check_message(error)
            return REFUSED, None


def check_message(error: Exception) -> None:
    """An error must be one that the command prints in one line, and the line must say something."""
    message = message_of(error)
    if message is None or isinstance(error, UnicodeError):
        raise Finding("traceback", f"{type(error).__name__}: {str(error)[:300]}") from error
    require(bool(message.strip()), f"an empty message of {type(error).__name__}")
    require(len(message) <= MAX_LINE, f"a message of {len(message)} characters")


def require(is_true: bool, what: str) -> None:
    """Raise a finding unless the rule holds."""
    if not is_true:
        raise Finding("wrong", what)


def run_command(arguments: Sequence[str | Path], folder: Path, outputs: Sequence[Path] = ()) -> str:
    """Run the command line in this process and check how it ends; "fine" or "refused".

    Parameters
    ----------
    arguments : sequence of str or Path
        The command with its options.
    folder : Path
        Folder of all files of the run.
    outputs : sequence of Path
        Files that the command may write. They are complete after success, and not there if it is refused.
    """
    for path in outputs:
        path.unlink(missing_ok=True)
    before = {path.name for path in folder.iterdir()}
    with warnings.catch_warnings():
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        error = result.exception
        raise Finding("traceback", f"{type(error).__name__}: {str(error)[:300]}") from error
    require(result.exit_code in EXIT_CODES, f"exit code {result.exit_code}: {result.output[-300:]}")
    outcome = EXIT_CODES[result.exit_code]
    lines = result.stderr.splitlines()
    if outcome == REFUSED:
        require(bool(lines), "exit code 2 without a line on stderr")
        require(all(line.startswith("labelferry: ") for line in lines), f"not one line: {result.stderr[-300:]!r}")
        require(len(lines[-1]) <= MAX_LINE, f"a line of {len(lines[-1])} characters")
        written = {path.name for path in folder.iterdir()} - before
        require(not written, f"refused, and {sorted(written)} is there")
    for stream, text in (("stdout", result.stdout), ("stderr", result.stderr)):
        if found := CONTROL.search(text):
            raise Finding("wrong", f"{stream} has {found[0]!r} in {text[max(0, found.start() - 60) : found.end()]!r}")
    left = [path.name for path in folder.iterdir() if path.name.startswith(PREFIX)]
    require(not left, f"left behind: {left}")
    return outcome
