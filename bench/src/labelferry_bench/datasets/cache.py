"""Finding a corpus on this machine, and downloading it if that is allowed.

The order: the path given by the caller, and no other place; the folder in $LABELFERRY_DATA; the user's cache; a
download, if the caller allows it and address and checksum are known. Otherwise the error names the files, where to
download them and where to put them. A file gets its name only when it is complete.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

from labelferry.files import open_atomic, user_cache

TIMEOUT = 60  # seconds without a response


class CorpusNotFound(FileNotFoundError):
    """The corpus is in none of the places. The message names the files, the download and the place."""


class Source(NamedTuple):
    """Files of a corpus. Either one of `files` is the whole corpus, or every pattern of `parts` has a match."""

    name: str  # name in `labelferry data`
    title: str  # name for people
    loader: str  # name of the function that loads it
    folder: str  # its folder in a folder of data
    files: tuple[str, ...]  # names of files that contain the whole corpus; the first is the one that is downloaded
    parts: tuple[str, ...]  # patterns of the files of a folder that contains the corpus
    origin: str  # where to download it
    license: str  # terms of use, one sentence
    url: str = ""  # address of the first of `files`; empty if address or checksum is not certain
    sha256: str = ""  # checksum of the first of `files`

    def layouts(self) -> list[str]:
        """The files or patterns of files, one of which must exist."""
        files = [f"{self.folder}/{name}" for name in self.files]
        return files + [" and ".join(f"{self.folder}/{part}" for part in self.parts)] * bool(self.parts)


def places(source: Source, path: str | os.PathLike[str] | None = None) -> list[Path]:
    """The places to search, in order. A given path, or the folder of the corpus in it, is the only one."""
    if path is not None:
        return [Path(path), Path(path) / source.folder]
    data = os.environ.get("LABELFERRY_DATA")
    return [Path(folder) / source.folder for folder in ([data] if data else []) + [user_cache()]]


def find(
    source: Source,
    path: str | os.PathLike[str] | None = None,
    *,
    download: bool = False,
    fetch: Callable[[Source], Path] | None = None,
) -> Path:
    """Find a corpus.

    `fetch`: function that downloads it and returns its path. None if it cannot be downloaded.
    """
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
    refused = "It is not downloaded: no checksum is known to verify the file.\n" if download and not fetch else ""
    searched = " or ".join(map(str, places(source, path)))
    raise CorpusNotFound(f"{source.title} was not found in {searched}.\n{refused}{directions(source)}")


def directions(source: Source) -> str:
    """Instructions: which files to download, from where, and where to put them."""
    data = "$LABELFERRY_DATA" + ("" if os.environ.get("LABELFERRY_DATA") else " (not set)")
    layouts = source.layouts()
    return "\n".join(
        [
            f"Put {'one of these' if len(layouts) > 1 else 'this'} into {data} or into {user_cache()}, or pass its "
            f"path to {source.loader}:",
            *(f"  {layout}" for layout in layouts),
            f"Download: {source.origin}",
            f"Terms: {source.license}",
        ]
    )


def fetch_url(source: Source) -> Path:
    """Download the first file of a corpus to the cache: complete and with the expected checksum, or not at all."""
    import pooch

    path = cache_path(source)
    download = pooch.HTTPDownloader(timeout=TIMEOUT, headers={"Accept-Encoding": "identity"})
    with downloading(source), open_atomic(path) as file:
        download(source.url, file, None)
        file.flush()
        sha256 = pooch.file_hash(file.name)
        if sha256 != source.sha256:
            raise ValueError(
                f"The download of {source.url} has the sha256 {sha256}, not {source.sha256}. Nothing was saved. "
                f"Try again later, or download {source.title} yourself: {source.origin}"
            )
    return path


def cache_path(source: Source) -> Path:
    """The first file of a corpus in the user's cache. Its folder is created."""
    path = user_cache() / source.folder / source.files[0]
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def downloading(source: Source) -> Iterator[None]:
    """Turn the errors of a failed download, such as no network or a full disk, into `CorpusNotFound`."""
    try:
        yield
    except (OSError, HTTPException) as error:
        raise CorpusNotFound(f"The download of {source.title} failed: {error}.\n{directions(source)}") from error
