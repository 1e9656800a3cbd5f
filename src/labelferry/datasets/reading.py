"""Reading the files of corpora: lines of JSON, members of a folder or an archive, and MATLAB matrices.

Nothing is unpacked to disk. A file that cannot be read raises `CorpusDamaged`, which names it.
"""

from __future__ import annotations

import gzip
import json
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

import numpy as np


class CorpusDamaged(ValueError):
    """The corpus exists and cannot be read. The message names the file."""


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the errors of a damaged or wrong file into `CorpusDamaged`."""
    try:
        yield
    except CorpusDamaged:
        raise
    except (EOFError, KeyError, TypeError, ValueError, zlib.error, tarfile.TarError, gzip.BadGzipFile) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error).partition("\n")[0] or type(error).__name__
        raise CorpusDamaged(f"{path} is damaged or a different file ({reason}). Get it again.") from error


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a gzipped file with one JSON object per line."""
    with reading(path), gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
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
            members = [
                (PurePosixPath(member.name), file.read())
                for member in archive
                if any(PurePosixPath(member.name).match(pattern) for pattern in patterns)
                and (file := archive.extractfile(member)) is not None
            ]
    if not members:
        raise CorpusDamaged(f"{place} has no file like {' or '.join(patterns)}. Is it another corpus?")
    members.sort(key=lambda member: by_number(member[0]))
    return [(name, content.decode("latin-1")) for name, content in members]


def by_number(name: PurePath) -> tuple[PurePath, int, str]:
    """Sort key of files: the folder, then the name, with 9 before 10."""
    return name.parent, len(name.name), name.name


def read_matrices(path: Path, *names: str) -> list[Any]:
    """The arrays of these names in a MATLAB file."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    with reading(path):
        try:
            arrays = loadmat(path)
        except (MatReadError, NotImplementedError) as error:
            raise ValueError(str(error)) from error
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
