"""Reading the files of corpora: lines of JSON, members of a folder or an archive alike, and MATLAB matrices.

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
    """The corpus is there and cannot be read. The message names the file."""


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Whatever shows that the file is damaged, or another file than its name says, becomes one kind of error."""
    try:
        yield
    except CorpusDamaged:
        raise
    except (EOFError, KeyError, TypeError, ValueError, zlib.error, tarfile.TarError, gzip.BadGzipFile) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error).partition("\n")[0] or type(error).__name__
        raise CorpusDamaged(
            f"{path} is damaged or not the file that its name says ({reason}). Get it again."
        ) from error


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file with one JSON object a line, gzipped."""
    with reading(path), gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
        if not lines:
            raise ValueError("it is empty")
        return lines


def read_members(place: Path, patterns: tuple[str, ...]) -> list[tuple[PurePosixPath, str]]:
    """Name and text of the files of a folder or tar archive that fit a pattern, in the order of their names.

    Latin-1, which all the corpora are in. In an archive the patterns are matched from the right, so that a folder
    around everything does no harm.
    """
    if place.is_dir():
        paths = [path for pattern in patterns for path in place.glob(pattern) if path.is_file()]
        found = [(PurePosixPath(path.relative_to(place).as_posix()), path.read_bytes()) for path in paths]
    else:
        with reading(place), tarfile.open(place) as archive:
            found = [
                (PurePosixPath(member.name), file.read())
                for member in archive
                if any(PurePosixPath(member.name).match(pattern) for pattern in patterns)
                and (file := archive.extractfile(member)) is not None
            ]
    if not found:
        raise CorpusDamaged(f"{place} has no file like {' or '.join(patterns)}. Is it another corpus?")
    found.sort(key=lambda member: by_number(member[0]))
    return [(name, content.decode("latin-1")) for name, content in found]


def by_number(name: PurePath) -> tuple[PurePath, int, str]:
    """What files are sorted by: the folder, then the name, where 9 comes before 10."""
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
    """A matrix of a MATLAB file, and the class of each of its rows: the labels 1, 2, ... stand for `classes`."""
    X, y = read_matrices(path, data, labels)
    y = np.asarray(y).ravel()
    with reading(path):
        if len(y) != X.shape[0]:
            raise ValueError(f"{len(y)} labels for {X.shape[0]} rows")
        known = np.isin(y, np.arange(1, len(classes) + 1))
        if not known.all():
            raise ValueError(f"labels must be 1 to {len(classes)}; one is {y[~known][0]}")
        return X, np.asarray(classes)[y.astype(int) - 1]
