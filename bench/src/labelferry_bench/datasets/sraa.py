"""SRAA: 73,218 Usenet articles on simulated and real autos and aviation (four groups)."""

from __future__ import annotations

from os import PathLike

import numpy as np

from .cache import Source, find
from .corpus import Corpus, Counts, count_texts
from .reading import read_members

GROUPS = ("realauto", "realaviation", "simauto", "simaviation")
SOURCE = Source(
    name="sraa",
    title="SRAA (Simulated/Real/Aviation/Auto Usenet data)",
    loader="load_sraa",
    folder="sraa",
    files=("sraa.tar.gz",),
    parts=tuple(f"{group}/*" for group in GROUPS),
    origin="http://people.cs.umass.edu/~mccallum/data/sraa.tar.gz",
    license="none stated; public Usenet articles, published by Andrew McCallum for research.",
)


def load_sraa(path: str | PathLike[str] | None = None, *, download: bool = False) -> Corpus:
    """Load the articles with their headers, from the archive or a folder with the four groups.

    Parameters
    ----------
    path : path, default=None
        File or folder of the corpus. None: $LABELFERRY_DATA, then the user's cache.
    download : bool, default=False
        Has no effect: no checksum is known to verify the file.

    Returns
    -------
    corpus : Corpus
        Fields: group ("realauto", "realaviation", "simauto", "simaviation"), id.
    """
    place = find(SOURCE, path, download=download)
    names, texts = zip(*read_members(place, SOURCE.parts), strict=True)
    groups, ids = np.array([name.parts[-2:] for name in names]).T
    return Corpus(SOURCE.name, list(texts), {"group": groups, "id": ids})


def count() -> Counts:
    """Count the articles and groups."""
    return count_texts(load_sraa(), groups="group")
