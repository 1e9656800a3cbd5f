"""Caltech-256: photographs in folders such as `001.ak47`, one a category (Griffin, Holub and Perona 2007).

RSP's image experiments (section 4.1) take categories of this corpus, about 100 images each. The paper does not say how
images become features; `visual_words` makes counts in the manner of its time.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .cache import Source, find

SOURCE = Source(
    name="caltech256",
    title="Caltech-256",
    loader="load_caltech256",
    folder="256_ObjectCategories",
    files=(),
    parts=("[0-9][0-9][0-9].*/*.jpg",),
    origin="https://data.caltech.edu/records/nyy15-4j048 (256_ObjectCategories.tar, to be unpacked).",
    licence="those of its CaltechDATA record; to be cited as Griffin, Holub and Perona, Caltech-256, 2007.",
)


class ImageFiles(NamedTuple):
    """Files of images, and the category of each."""

    paths: list[Path]
    labels: np.ndarray


def load_caltech256(path: str | PathLike[str] | None = None, *, categories: Iterable[str] | None = None) -> ImageFiles:
    """The files of all categories, or of those named: "ak47", as in the folder `001.ak47`."""
    files = sorted(find(SOURCE, path).glob(SOURCE.parts[0]))
    labels = np.array([file.parent.name.partition(".")[2] for file in files])
    if categories is None:
        return ImageFiles(files, labels)
    wanted = list(categories)
    unknown = sorted(set(wanted) - set(labels))
    if unknown:
        raise ValueError(
            f"categories must be among those of the folders; {', '.join(map(repr, unknown))} is not there."
        )
    rows = np.flatnonzero(np.isin(labels, wanted))
    return ImageFiles([files[row] for row in rows], labels[rows])
