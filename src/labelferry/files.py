"""Files that are written completely or not at all: under a temporary name in the same folder, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the path of an empty temporary file; it replaces `path` if the block ends without an error.

    After an error or Ctrl-C the temporary file is removed and `path` is unchanged.

    Parameters
    ----------
    path : path
        File to be written.

    Yields
    ------
    draft : Path
        File to write to instead.
    """
    path = Path(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        os.chmod(draft, 0o666 & ~_umask())  # only the owner can read a temporary file; this one follows the umask
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def open_atomic(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing bytes; see `atomic_write`.

    Parameters
    ----------
    path : path
        File to be written.

    Yields
    ------
    file : BinaryIO
        The open file.
    """
    with atomic_write(path) as draft, draft.open("wb") as file:
        yield file


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8, with its line ends unchanged.

    Parameters
    ----------
    path : path
        File to be written.
    text : str
        Content of the file.
    """
    with open_atomic(path) as file:
        file.write(text.encode("utf-8"))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
