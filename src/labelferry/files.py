"""Files that appear whole or not at all: written beside their place under another name, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of an empty draft to be written; it takes the place of `path` when the block ends well.

    After an error or Ctrl-C the draft is gone and `path` is as it was.
    """
    path = Path(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        os.chmod(draft, 0o666 & ~_umask())  # a temporary file is for its owner alone, this one for those who may
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """UTF-8, line ends as they are in `text`."""
    with whole(path) as draft:
        draft.write_text(text, encoding="utf-8", newline="")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
