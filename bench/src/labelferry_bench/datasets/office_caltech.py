"""Office-Caltech10: photographs of ten kinds of objects from four domains, as counts of 800 visual words (SURF).

Gong, Shi, Sha and Grauman 2012, "Geodesic flow kernel for unsupervised domain adaptation".
"""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .cache import Source, find
from .corpus import Counts
from .reading import read_labelled

FILES = {
    "amazon": "amazon_SURF_L10.mat",
    "caltech": "Caltech10_SURF_L10.mat",
    "dslr": "dslr_SURF_L10.mat",
    "webcam": "webcam_SURF_L10.mat",
}
# The ten folders of Office in alphabetical order: labels 1 to 10.
CLASSES = (
    "back_pack",
    "bike",
    "calculator",
    "headphones",
    "keyboard",
    "laptop",
    "monitor",
    "mouse",
    "mug",
    "projector",
)
SOURCE = Source(
    name="office_caltech",
    title="Office-Caltech10, SURF",
    loader="load_office_caltech",
    folder="office_caltech",
    files=(),
    parts=tuple(FILES.values()),
    origin="*_SURF_L10.mat on the pages of the authors of the GFK paper (Gong, Shi, Sha and Grauman, CVPR 2012).",
    license="none stated; published by its authors for research.",
)


class Images(NamedTuple):
    """Images of one domain as counts of visual words.

    Attributes
    ----------
    X : CSR array
        Images x 800 visual words.
    labels : array of str
        Class per image.
    domain : str
        Name of the domain.
    """

    X: Any
    labels: np.ndarray
    domain: str


def load_office_caltech(domain: str, path: str | PathLike[str] | None = None) -> Images:
    """Load the images of one domain.

    Parameters
    ----------
    domain : {"amazon", "caltech", "dslr", "webcam"}
        The domain.
    path : path, default=None
        Folder of the corpus. None: $LABELFERRY_DATA, then the user's cache.

    Returns
    -------
    images : Images
        Counts and labels.
    """
    if domain not in FILES:
        raise ValueError(f"domain must be one of {', '.join(map(repr, FILES))}; got {domain!r}.")
    folder = find(SOURCE._replace(parts=(FILES[domain],)), path)
    counts, labels = read_labelled(folder / FILES[domain], "fts", "labels", CLASSES)
    return Images(sp.csr_array(counts.astype(np.float64)), labels, domain)


def count() -> Counts:
    """Count the images, domains and classes."""
    domains = [load_office_caltech(domain) for domain in FILES]
    classes = {label for images in domains for label in images.labels}
    return Counts(sum(len(images.labels) for images in domains), {"domains": len(domains), "classes": len(classes)})
