"""Folders: one document per file, and one sub-folder per class.

Columns: file, text and, if there are sub-folders, label.
Loops of links end, and only regular files are opened.
"""

from __future__ import annotations

import os
import stat
from array import array
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from ..html import strip_html
from ..lines import BadRows
from ..table import Dialect, Table
from .base import detected_message
from .encodings import MARKS, WITH_MARK, check_codec, choose_by_sample

SAMPLE = 1 << 16  # bytes of files that are not UTF-8, for detection
PER_FILE = 1 << 12  # bytes of one of them
SUFFIXES = {"", ".txt", ".text", ".md", ".html", ".htm"}
HTML = {".html", ".htm"}
SYSTEM = {"__MACOSX"}  # folders that an operating system adds


class Document(NamedTuple):
    """A file of a folder."""

    path: Path
    parts: tuple[str, ...]  # names of its sub-folders, and its own name


def read_folder(folder: Path, name: str, *, encoding: str | None, limit: int, bad: BadRows) -> Table:
    """Read the documents of a folder in the order of their names."""
    # `encoding`: encoding of files that are not UTF-8; None: detected from all of them together.
    if encoding is not None:
        check_codec(encoding)
    documents, skipped = find_documents(folder, name)
    if not documents:
        raise without_documents(folder, name)
    contents = [content_of(document.path, 4 * limit) for document in documents]
    other, messages = choose_for_all(contents, encoding, name)
    columns: dict[str, list[Any]] = {"file": [], "text": []}
    columns |= {"label": []} if any(len(document.parts) > 1 for document in documents) else {}
    numbers = array("q")
    for number, (document, content) in enumerate(zip(documents, contents, strict=True), 1):
        file = "/".join(document.parts)
        try:
            text = read_text(content, document.path.suffix, other)
            if len(text) > limit:
                raise ValueError(f"a text may have {limit:,} characters and this one has more")
        except ValueError as error:
            bad.add(number, f"{file!r}: {error}", len(numbers))
            continue
        cells = {"file": file, "text": text, "label": document.parts[0] if len(document.parts) > 1 else None}
        for column, values in columns.items():
            values.append(cells[column])
        numbers.append(number)
    if n_skipped := sum(skipped.values()):
        kinds = ", ".join(sorted(skipped)[:6])
        files = (
            "1 file is not a document and was" if n_skipped == 1 else f"{n_skipped} files are not documents and were"
        )
        messages.append(f"{name}: {files} not read ({kinds})")
    return Table(name, columns, numbers, dialect=Dialect("folder"), messages=tuple(messages))


def content_of(path: Path, most: int) -> bytes | str:
    """The bytes of a file or, as a string, why it cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"
    return f"more than {most:,} bytes" if len(content) > most else content


def beginning(content: bytes) -> bytes:
    """The beginning of a file, up to a blank or a line end, so that the bytes of each character stay together."""
    piece = content[:PER_FILE]
    end = max(piece.rfind(b" "), piece.rfind(b"\n"))
    return piece[:end] if end > 0 and len(piece) < len(content) else content


def choose_for_all(contents: list[bytes | str], named: str | None, name: str) -> tuple[str | None, list[str]]:
    """One encoding for all files that are not UTF-8, and a message if it is detected."""
    pieces = [
        beginning(content) for content in contents if isinstance(content, bytes) and unicode_text(content) is None
    ]
    if named is not None or not pieces:
        return named, []
    encoding = choose_by_sample(b"\n".join(pieces)[:SAMPLE], None)
    if not encoding.detected:
        return None, []
    files = "1 file" if len(pieces) == 1 else f"{len(pieces)} files"
    return encoding.name, [f"{name}: {detected_message(encoding, files)}"]


def unicode_text(content: bytes) -> str | None:
    """The text of UTF-8, or of UTF-16 with a byte order mark; None if it is neither."""
    codec = next((WITH_MARK[encoding] for mark, encoding in MARKS if content.startswith(mark)), "utf-8")
    try:
        return content.decode(codec)
    except UnicodeDecodeError:
        return None


def read_text(content: bytes | str, suffix: str, other: str | None) -> str:
    """The text of a file with these bytes; a ValueError that says what is wrong."""
    if isinstance(content, str):
        raise ValueError(content)
    plain = unicode_text(content)
    if plain is None and other is not None:
        try:
            plain = content.decode(other)
        except UnicodeError:
            raise ValueError(f"neither UTF-8 nor {other}") from None
    if plain is None:
        raise ValueError("not UTF-8, and its encoding is not known; pass encoding= (--encoding)")
    if "\0" in plain:
        raise ValueError("NUL bytes")
    plain = plain.replace("\r\n", "\n").replace("\r", "\n")
    return strip_html(plain) if suffix.lower() in HTML else plain


def find_documents(folder: Path, name: str) -> tuple[list[Document], Counter[str]]:
    """Find the documents below a folder, sorted by their paths, and count other files per suffix."""
    # Links to folders are followed, each folder once. Hidden files are skipped. `name` names the folder in messages.
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
        for entry in entries:
            if entry.startswith(".") or entry in SYSTEM:
                continue
            path, inside = place / entry, (*parts, os.fsencode(entry).decode("utf-8", "replace"))
            suffix, mode = path.suffix.lower(), mode_of(path)
            if stat.S_ISDIR(mode):
                waiting.append((path, inside))
            elif not stat.S_ISREG(mode):
                others["no regular file"] += 1
            elif suffix in SUFFIXES or suffix[1:].isdigit():
                documents.append(Document(path, inside))
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
        kinds = ".txt, .md, .html"
        return ValueError(f"{name!r} is a folder without texts ({kinds}). Name a file in it, such as {files[0]!r}.")
    return ValueError(f"{name!r} is a folder without documents. Put one text file per document into it.")
