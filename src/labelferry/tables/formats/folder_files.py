"""The documents below a folder. Loops of links end, and only regular files are opened."""

from __future__ import annotations

import os
import stat
from collections import Counter
from pathlib import Path
from typing import NamedTuple

SUFFIXES = {"", ".txt", ".text", ".md", ".html", ".htm", ".eml"}
HTML = {".html", ".htm"}
MAILDIR = ("cur", "new")  # sub-folders of a maildir with messages; there is also tmp
SYSTEM = {"__MACOSX"}  # folders that an operating system adds


class Document(NamedTuple):
    """A file of a folder.

    Attributes
    ----------
    path : Path
        Path of the file.
    parts : tuple of str
        Names of its sub-folders, and its own name.
    is_mail : bool
        Whether it is an e-mail.
    """

    path: Path
    parts: tuple[str, ...]
    is_mail: bool


def is_maildir(folder: Path) -> bool:
    """Whether a folder is a maildir."""
    return all((folder / name).is_dir() for name in (*MAILDIR, "tmp"))


def find_documents(folder: Path, name: str) -> tuple[list[Document], Counter[str]]:
    """Find the documents below a folder.

    Parameters
    ----------
    folder : Path
        The folder. Links to folders are followed, each folder once.
    name : str
        Its name, for messages.

    Returns
    -------
    documents : list of Document
        Sorted by their paths. Hidden files are skipped.
    others : Counter
        Number of other files per suffix.
    """
    documents: list[Document] = []
    others: Counter[str] = Counter()
    visited: set[tuple[int, int]] = set()
    waiting: list[tuple[Path, tuple[str, ...]]] = [(folder, ())]
    while waiting:
        place, parts = waiting.pop()
        try:
            here = place.stat()
            entries = sorted(os.listdir(place))
        except OSError as error:
            raise ValueError(f"cannot read {'/'.join((name, *parts))}: {error.strerror or error}. Check it.") from None
        if (here.st_dev, here.st_ino) in visited:
            continue
        visited.add((here.st_dev, here.st_ino))
        maildir, messages = is_maildir(place), place.name in MAILDIR and is_maildir(place.parent)
        for entry in entries:
            if entry.startswith(".") or entry in SYSTEM or (maildir and entry == "tmp"):
                continue
            path, inside = place / entry, (*parts, os.fsencode(entry).decode("utf-8", "replace"))
            suffix, mode = path.suffix.lower(), mode_of(path)
            if stat.S_ISDIR(mode):
                waiting.append((path, inside))
            elif not stat.S_ISREG(mode):
                others["no regular file"] += 1
            elif messages or suffix in SUFFIXES or suffix[1:].isdigit():
                documents.append(Document(path, inside, messages or suffix == ".eml"))
            else:
                others[suffix] += 1
    return sorted(documents, key=lambda document: document.parts), others


def mode_of(path: Path) -> int:
    """Type and permissions of the file that a path leads to; 0 for a broken link."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def without_documents(folder: Path, name: str) -> ValueError:
    """The error for a folder without documents."""
    files = sorted(path.name for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if files:
        kinds = ".txt, .md, .html, .eml"
        return ValueError(f"{name!r} is a folder without texts ({kinds}). Name a file in it, such as {files[0]!r}.")
    return ValueError(f"{name!r} is a folder without documents. Put one text file per document into it.")
