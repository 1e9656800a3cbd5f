"""Standard output and error that are closed, full, or no longer read: messages are discarded, results are not."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO


class Messages:
    """A stream for messages. If it cannot be written, the rest is discarded, and the work goes on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text, or discard it."""
        try:
            self._stream.write(text)
        except OSError as error:
            self._fail(error)
        return len(text)

    def flush(self) -> None:
        """Write what is buffered, or discard it."""
        try:
            self._stream.flush()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        discard(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Results(Messages):
    """Standard output for results: an error if it cannot be written, but not if nobody reads it any more."""

    def _fail(self, error: OSError) -> None:
        super()._fail(error)
        if not isinstance(error, BrokenPipeError):
            raise ValueError(
                f"cannot write standard output: {error.strerror or error}. Files that were asked for are written."
            ) from None


def prepare_streams() -> None:
    """Make printing work everywhere: closed streams discard it, and characters that a stream lacks are escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open until the process ends)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.stderr = Messages(sys.stderr)


def print_result(text: str) -> None:
    """Print a result to standard output, see `Results`."""
    print(text, file=Results(sys.stdout), flush=True)


def discard(stream: TextIO) -> None:
    """Send what is buffered, and all that follows, nowhere: Python flushes the stream again when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
