"""The cross-domain tasks of Reuters-21578 as ready-made matrices: raw counts; the words are not known.

Rows repeat: source and target have 110, 100 and 186 different rows in common (orgs vs people, orgs vs places, people
vs places), and 113, 140 and 264 different rows are in both classes of their task. `reuters_tasks` makes similar tasks
from the texts, without repeated rows.
"""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .cache import Source, find
from .corpus import Counts
from .reading import read_labelled

# The name of the files, and the classes of the labels 1 and 2. The files do not name the classes; the sizes show them:
# in all tasks 649 and 621 documents are people, 588 and 587 orgs, 428 and 456 places.
TASKS = {
    "orgs vs people": ("OrgsPeople", ("people", "orgs")),
    "orgs vs places": ("OrgsPlaces", ("orgs", "places")),
    "people vs places": ("PeoplePlaces", ("people", "places")),
}
SOURCE = Source(
    name="reuters_crossdomain",
    title="Cross-domain Reuters-21578",
    loader="load_reuters_crossdomain",
    folder="reuters_crossdomain",
    files=(),
    parts=tuple(f"{name}_{side}.mat" for name, _ in TASKS.values() for side in ("src", "tar")),
    origin="there is no official address; authors of papers on transfer learning share the matrices. "
    "labelferry_bench.datasets.orgs_people_places makes similar tasks from the texts.",
    license="made from Reuters-21578: research use only.",
)


class CrossDomain(NamedTuple):
    """Source and target of a task.

    Attributes
    ----------
    Xs, Xt : CSR array
        Counts, documents x words.
    ys, yt : array of str
        Class per document.
    """

    Xs: Any
    ys: np.ndarray
    Xt: Any
    yt: np.ndarray


def load_reuters_crossdomain(task: str, path: str | PathLike[str] | None = None) -> CrossDomain:
    """Load one task.

    Parameters
    ----------
    task : {"orgs vs people", "orgs vs places", "people vs places"}
        The task.
    path : path, default=None
        Folder of the corpus. None: $LABELFERRY_DATA, then the user's cache.

    Returns
    -------
    domains : CrossDomain
        Counts and classes of source and target.
    """
    if task not in TASKS:
        raise ValueError(f"task must be one of {', '.join(map(repr, TASKS))}; got {task!r}.")
    name, classes = TASKS[task]
    sides = [f"{name}_{side}" for side in ("src", "tar")]
    folder = find(SOURCE._replace(parts=tuple(f"{side}.mat" for side in sides)), path)
    (Xs, ys), (Xt, yt) = (
        read_labelled(folder / f"{side}.mat", f"{side}_data", f"{side}_label", classes) for side in sides
    )
    return CrossDomain(sp.csr_array(Xs), ys, sp.csr_array(Xt), yt)


def count() -> Counts:
    """Count the documents of all tasks, and the tasks."""
    tasks = [load_reuters_crossdomain(task) for task in TASKS]
    return Counts(sum(len(task.ys) + len(task.yt) for task in tasks), {"tasks": len(tasks)})
