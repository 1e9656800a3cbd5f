"""Finding a corpus on this machine, and fetching it where that is allowed.

The order: the path that the caller names, and then nowhere else; the folder in LABELFERRY_DATA; the user's cache;
a download, where the caller allows it and we know the address and the checksum. Otherwise `CorpusNotFound` says what to
put where. A file appears under its name only when all of it is there.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import IO, NamedTuple
from urllib.request import urlopen

from ..files import whole

BLOCK = 1 << 20  # bytes read at a time
TIMEOUT = 60  # seconds without an answer


class CorpusNotFound(FileNotFoundError):
    """The corpus is in none of the places looked at. The message says what to put where."""


class Source(NamedTuple):
    """Where a corpus is to be found. One of `files` is all of it; or else `parts`, patterns that all have a match."""

    name: str  # as in `labelferry data`
    title: str
    loader: str
    folder: str  # in a folder of data
    files: tuple[str, ...]
    parts: tuple[str, ...]
    origin: str  # where it is to be had
    licence: str  # terms of use, one sentence
    url: str = ""  # of the first of `files`; empty where we are not certain of address and checksum
    sha256: str = ""

    def layouts(self) -> list[str]:
        """The choices, in words."""
        under = [f"{self.folder}/{name}" for name in self.files]
        return under + [" and ".join(f"{self.folder}/{part}" for part in self.parts)] * bool(self.parts)


def user_cache() -> Path:
    """The folder of downloads: LABELFERRY_CACHE, or else `labelferry` in the user's own cache folder."""
    named = os.environ.get("LABELFERRY_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(named) if named else Path(home) / "labelferry"


def places(source: Source, path: str | os.PathLike[str] | None = None) -> list[Path]:
    """The places to look at, in order. A path that the caller names is the only one: it, or the folder in it."""
    if path is not None:
        return [Path(path), Path(path) / source.folder]
    named = os.environ.get("LABELFERRY_DATA")
    return [Path(folder) / source.folder for folder in ([named] if named else []) + [user_cache()]]


def find(
    source: Source,
    path: str | os.PathLike[str] | None = None,
    *,
    download: bool = False,
    fetch: Callable[[Source], Path] | None = None,
) -> Path:
    """The file that is the whole corpus, or the folder that has its parts. `fetch` downloads it, if that may be."""
    for place in places(source, path):
        if source.files and place.is_file():
            return place
        for name in source.files:
            if (place / name).is_file():
                return place / name
        if source.parts and all(any(place.glob(part)) for part in source.parts):
            return place
    if download and path is None and fetch is not None:
        return fetch(source)
    refused = "It is not downloaded: we know no checksum to hold the file against.\n" if download and not fetch else ""
    looked = " or ".join(map(str, places(source, path)))
    raise CorpusNotFound(f"{source.title} was not found in {looked}.\n{refused}{directions(source)}")


def directions(source: Source) -> str:
    """What to put where."""
    known = "the folder that LABELFERRY_DATA names" + ("" if os.environ.get("LABELFERRY_DATA") else " (it is not set)")
    choices = "\n".join(f"  {layout}" for layout in source.layouts())
    return (
        f"Put this into {known} or into {user_cache()}, or pass its path to {source.loader}"
        f"{', one of' if len(source.layouts()) > 1 else ''}:\n{choices}\n"
        f"To be had from {source.origin}\n"
        f"Terms: {source.licence}"
    )


def fetch_url(source: Source) -> Path:
    """Download the source's file to the user's cache: all of it, with the right checksum, or nothing."""
    to = user_cache() / source.folder / source.files[0]
    digest = hashlib.sha256()
    with downloading(source), urlopen(source.url, timeout=TIMEOUT) as answer, whole_file(to) as file:
        while block := answer.read(BLOCK):
            digest.update(block)
            file.write(block)
        if digest.hexdigest() != source.sha256:
            raise ValueError(
                f"The download of {source.url} has the sha256 {digest.hexdigest()}, not {source.sha256}. Nothing was "
                f"kept. Try again later, or get {source.title} from {source.origin}"
            )
    return to


@contextmanager
def downloading(source: Source) -> Iterator[None]:
    """A download that fails, for want of a network or of room, leaves the corpus missing: it is told as that."""
    try:
        yield
    except (OSError, HTTPException) as error:
        raise CorpusNotFound(f"The download of {source.title} failed: {error}.\n{directions(source)}") from error


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, in a folder that is made for it. It gets its name when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as draft, draft.open("wb") as file:
        yield file
