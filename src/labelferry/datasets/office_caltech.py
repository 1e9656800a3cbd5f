"""Office-Caltech10: photographs of ten kinds of things from four places, as counts of 800 visual words (SURF).

Gong, Shi, Sha and Grauman 2012, "Geodesic flow kernel for unsupervised domain adaptation".
"""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .cache import Source, find
from .reading import read_labelled

FILES = {
    "amazon": "amazon_SURF_L10.mat",
    "caltech": "Caltech10_SURF_L10.mat",
    "dslr": "dslr_SURF_L10.mat",
    "webcam": "webcam_SURF_L10.mat",
}
# The ten folders of Office, in the order of the alphabet: labels 1 to 10.
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
    origin="the pages of the GFK paper's authors (Gong, Shi, Sha and Grauman, CVPR 2012), as *_SURF_L10.mat.",
    licence="none stated; published by its authors for research.",
)


class Images(NamedTuple):
    """Counts, images x 800 visual words (CSR), and what each image shows."""

    X: Any
    labels: np.ndarray
    domain: str


def load_office_caltech(domain: str, path: str | PathLike[str] | None = None) -> Images:
    """The images of one domain: "amazon", "caltech", "dslr" or "webcam"."""
    if domain not in FILES:
        raise ValueError(f"domain must be one of {', '.join(map(repr, FILES))}; got {domain!r}.")
    folder = find(SOURCE._replace(parts=(FILES[domain],)), path)
    counts, labels = read_labelled(folder / FILES[domain], "fts", "labels", CLASSES)
    return Images(sp.csr_array(counts.astype(np.float64)), labels, domain)
