"""Reading the files of corpora: lines of JSON, members of a folder or an archive, and MATLAB matrices.

Nothing is unpacked to disk, and no more than `MAX_BYTES` are unpacked. A file that cannot be read raises
`CorpusDamaged`, which names it.
"""

from __future__ import annotations

import gzip
import json
import struct
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

import numpy as np

from .matlab import read_arrays

MAX_BYTES = 2**30  # of an unpacked corpus
DAMAGED = (  # what readers raise if a file is not what they expect
    *(EOFError, LookupError, MemoryError, OverflowError, RecursionError, TypeError, ValueError),
    *(struct.error, zlib.error, tarfile.TarError, gzip.BadGzipFile),
)


class CorpusDamaged(ValueError):
    """The corpus exists and cannot be read. The message names the file."""


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the errors of a damaged or wrong file into `CorpusDamaged`."""
    try:
        yield
    except CorpusDamaged:
        raise
    except DAMAGED as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error).partition("\n")[0] or type(error).__name__
        raise CorpusDamaged(f"{path} is damaged or a different file ({reason}). Get it again.") from error


def check_size(n_bytes: int) -> None:
    """Raise an error if so many bytes are too many."""
    if n_bytes > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES:,} bytes if unpacked")


def read_lines(path: Path, *names: str) -> list[dict[str, Any]]:
    """The objects of a gzipped file with one JSON object per line; each has texts with these names."""
    lines: list[dict[str, Any]] = []
    with reading(path), gzip.open(path, "rb") as file:
        while content := file.readline(MAX_BYTES + 1 - file.tell()):
            check_size(file.tell())
            lines.append(json.loads(content.decode("utf-8")))
            for name in names:
                if not isinstance(value := lines[-1][name], str):
                    raise ValueError(f"line {len(lines)}: {name} must be a text; it is a {type(value).__name__}")
        if not lines:
            raise ValueError("it is empty")
    return lines


def read_members(place: Path, patterns: tuple[str, ...]) -> list[tuple[PurePosixPath, str]]:
    """Name and text of the files of a folder or tar archive that match a pattern, sorted by name.

    The encoding is Latin-1, as in all corpora. In an archive the patterns are matched from the right, so that there may
    be a folder around all files.
    """
    if place.is_dir():
        paths = [path for pattern in patterns for path in place.glob(pattern) if path.is_file()]
        members = [(PurePosixPath(path.relative_to(place).as_posix()), path.read_bytes()) for path in paths]
    else:
        with reading(place), tarfile.open(place) as archive:
            wanted = [
                member
                for member in archive
                if member.isreg() and any(PurePosixPath(member.name).match(pattern) for pattern in patterns)
            ]
            check_size(sum(member.size for member in wanted))
            members = [(PurePosixPath(member.name), read_member(archive, member)) for member in wanted]
    if not members:
        raise CorpusDamaged(f"{place} has no file like {' or '.join(patterns)}. Is it another corpus?")
    members.sort(key=lambda member: by_number(member[0]))
    return [(name, content.decode("latin-1")) for name, content in members]


def read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """The content of a file of an archive."""
    file = archive.extractfile(member)
    if file is None:
        raise ValueError(f"{member.name} is not a file")
    return file.read()


def by_number(name: PurePath) -> tuple[PurePath, int, str]:
    """Sort key of files: the folder, then the name, with 9 before 10."""
    return name.parent, len(name.name), name.name


def read_matrices(path: Path, *names: str) -> list[Any]:
    """The arrays of these names in a MATLAB file."""
    with reading(path):
        check_size(path.stat().st_size)
        arrays = read_arrays(path.read_bytes(), names, MAX_BYTES)
        return [arrays[name] for name in names]


def read_labelled(path: Path, data: str, labels: str, classes: Sequence[str]) -> tuple[Any, np.ndarray]:
    """A matrix of a MATLAB file, and the class of each of its rows: the labels 1, 2, ... are numbers of `classes`."""
    X, y = read_matrices(path, data, labels)
    y = np.asarray(y).ravel()
    with reading(path):
        if len(y) != X.shape[0]:
            raise ValueError(f"{len(y)} labels for {X.shape[0]} rows")
        known = np.isin(y, np.arange(1, len(classes) + 1))
        if not known.all():
            raise ValueError(f"labels must be 1 to {len(classes)}; one is {y[~known][0]}")
        return X, np.asarray(classes)[y.astype(int) - 1]
