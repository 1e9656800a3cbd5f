"""Files that are written completely or not at all: under a temporary name in the same folder, then renamed.

A temporary file stays locked while it is written. One that a killed process left behind has no lock; the next process
that writes to the folder removes it. One that a signal left, because it arrived between two statements here, is removed
when the process ends.
"""

from __future__ import annotations

import atexit
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX, SUFFIX = ".labelferry-", ".part"  # of temporary names, which are short whatever the name of the file
PRIVATE, PUBLIC = 0o600, 0o666  # modes of a new file, before the umask
_DRAFTS: set[tuple[int, Path]] = set()  # process and temporary file, from before it is created until it is removed


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the path of an empty temporary file; it replaces `path` if the block ends without an error.

    After an error or Ctrl-C the temporary file is removed and `path` is unchanged. A symbolic link stays a link: the
    file that it names is replaced. A file that is replaced keeps its permissions; a new one has those of the umask.
    """
    path = Path(os.path.realpath(path))
    _remove_abandoned(path.parent, os.getpid())
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    draft, handle = _locked_draft(path.parent, PUBLIC if mode is None else PRIVATE)
    try:
        yield draft
        if mode is not None:
            os.chmod(draft, mode)
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:  # such as a full disk: it names the file, not the temporary one
        if error.errno is not None:  # otherwise a name would hide the message, such as that of numpy
            error.filename = str(path)
            del error.filename2  # None would be a part of the message
        raise
    finally:
        draft.unlink(missing_ok=True)
        _DRAFTS.discard((os.getpid(), draft))
        if handle is not None:
            os.close(handle)


@contextmanager
def open_atomic(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing bytes; see `atomic_write`."""
    with atomic_write(path) as draft, draft.open("wb") as file:
        yield file


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8, with its line ends unchanged."""
    with open_atomic(path) as file:
        file.write(text.encode("utf-8"))


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Lock a file for this process, and create it if it is missing; the lock ends with the block or the process.

    Yields false if another process has the lock. True also on a system without locks.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR, PUBLIC)
    try:
        try:
            is_locked = _lock(handle)
        except OSError:  # a file system without locks
            is_locked = True
        yield is_locked
    finally:
        os.close(handle)


def _locked_draft(folder: Path, mode: int) -> tuple[Path, int | None]:
    """A new empty file and the descriptor that locks it; no descriptor on a system without locks."""
    while True:
        draft = folder / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"
        _DRAFTS.add((os.getpid(), draft))
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode)
        try:
            locked = _lock(handle)
        except OSError:  # a file system without locks
            os.close(handle)
            return draft, None
        if locked and draft.exists():  # otherwise another process removed it before it was locked
            return draft, handle
        os.close(handle)


@atexit.register
def _remove_drafts() -> None:
    """Remove the temporary files of this process, not those of the process that it was forked from."""
    for process, draft in _DRAFTS:
        if process == os.getpid():
            draft.unlink(missing_ok=True)


@cache
def _remove_abandoned(folder: Path, process: int) -> None:
    """Remove temporary files without a lock, once per folder and process."""
    for draft in folder.glob(f"{PREFIX}*{SUFFIX}"):
        try:
            handle = os.open(draft, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        except OSError:  # removed in the meantime, or of another user
            continue
        try:
            if _lock(handle):
                draft.unlink(missing_ok=True)
        except OSError:  # a file system without locks
            return
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    """Lock an open file; False if another process has the lock. OSError if there are no locks."""
    if fcntl is None:
        raise OSError("this system has no fcntl")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def user_cache() -> Path:
    """The folder of downloads: $LABELFERRY_CACHE, or `labelferry` in the user's cache folder."""
    import platformdirs

    folder = os.environ.get("LABELFERRY_CACHE")
    return Path(folder) if folder else platformdirs.user_cache_path("labelferry", appauthor=False)
