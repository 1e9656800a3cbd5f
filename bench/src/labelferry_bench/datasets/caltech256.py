"""Caltech-256: photographs in folders such as `001.ak47`, one per category (Griffin, Holub and Perona 2007).

RSP's image experiments (section 4.1) use categories of this corpus, about 100 images each. The paper does not say how
images become features; `visual_words` makes counts with methods of that time.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .cache import Source, find
from .corpus import Counts

SOURCE = Source(
    name="caltech256",
    title="Caltech-256",
    loader="load_caltech256",
    folder="256_ObjectCategories",
    files=(),
    parts=("[0-9][0-9][0-9].*/*.jpg",),
    origin="https://data.caltech.edu/records/nyy15-4j048 (256_ObjectCategories.tar; unpack it).",
    license="those of its CaltechDATA record; cite Griffin, Holub and Perona, Caltech-256, 2007.",
)


class ImageFiles(NamedTuple):
    """Image files and their categories.

    Attributes
    ----------
    paths : list of Path
        The files.
    labels : array of str
        Category per file.
    """

    paths: list[Path]
    labels: np.ndarray


def load_caltech256(path: str | PathLike[str] | None = None, *, categories: Iterable[str] | None = None) -> ImageFiles:
    """Load the image files of all categories or of some.

    Parameters
    ----------
    path : path, default=None
        Folder of the corpus. None: $LABELFERRY_DATA, then the user's cache.
    categories : iterable of str, default=None
        Names of categories, such as "ak47" for the folder `001.ak47`. None: all.

    Returns
    -------
    files : ImageFiles
        Paths and labels.
    """
    files = sorted(find(SOURCE, path).glob(SOURCE.parts[0]))
    labels = np.array([file.parent.name.partition(".")[2] for file in files])
    if categories is None:
        return ImageFiles(files, labels)
    selected = list(categories)
    unknown = sorted(set(selected) - set(labels))
    if unknown:
        raise ValueError(f"categories must be names of the folders; there is no {', '.join(map(repr, unknown))}.")
    rows = np.flatnonzero(np.isin(labels, selected))
    return ImageFiles([files[row] for row in rows], labels[rows])


def count() -> Counts:
    """Count the images and categories."""
    files = load_caltech256()
    return Counts(len(files.paths), {"categories": len(set(files.labels))})
