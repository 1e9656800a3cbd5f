"""Several labels per document that learn from answers: one pool of (1) in `ensemble/labelled_pool.py` per label.

An answer is a set of labels: yes or no for each of them. A label of a panel learns with the probabilities of its
members; a rare label, which one classifier gave, with those of this classifier. All have the same coordinates. Answers
at random, means of three draws, of the 20 topics of Reuters-21578 (`python -m benchmarks.several_labels learning`):
balanced accuracy per label / documents with all labels right, among those without an answer

    answers            0              20             60            120
    places       .686 / .696    .688 / .716    .729 / .740    .748 / .760
    weeks        .826 / .757    .828 / .766    .833 / .771    .839 / .776
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from ..assessment.coordinates import coordinates
from ..ensemble.auto_transfer import AutoTransfer
from ..ensemble.labelled_pool import PoolInputs, fit_pool, held_out, pool_labels
from ..ensemble.queries import query_coordinates
from ..linalg.matrix import Array
from .held_out import rows_in_panel
from .labelling import Labelling
from .multi import YES, MultiLabelling

ALONE = "the classifier"  # the only member of a label without a panel
LEAST = 1e-6  # of a probability


class LabelPools(NamedTuple):
    """What is kept of all labels, so that they can learn from answers."""

    rows: Array  # documents with a known word
    start: Array  # documents x labels: the chance of each label without answers, above .5 if the document got it
    members: dict[str, Array]  # documents x labels of a panel, per member
    panel: tuple[int, ...]  # these labels
    coordinates: Array

    def inputs(self, j: int) -> PoolInputs:
        """The inputs of one label, with the classes no and yes."""
        k = self.panel.index(j) if j in self.panel else None
        start = no_and_yes(self.start[:, j])
        members = {ALONE: start} if k is None else {name: no_and_yes(P[:, k]) for name, P in self.members.items()}
        return PoolInputs(start, members, self.coordinates)


class Learned(NamedTuple):
    """Chances after answers."""

    proba: Array  # documents x labels; answered documents have 0 and 1
    held_out: Array  # answered documents x labels, by fits without their answer


def learn_labels(pools: LabelPools, positions: Array, answers: Array) -> Learned:
    """Learn from answers (documents x labels, 0 and 1) at these positions of the pools."""
    P, H = np.zeros(pools.start.shape), np.zeros(answers.shape)
    for j in range(pools.start.shape[1]):
        inputs, codes = pools.inputs(j), answers[:, j].astype(np.intp)
        P[:, j] = pool_labels(inputs, fit_pool(inputs, positions, codes), positions, codes)[:, 1]
        H[:, j] = held_out(inputs, positions, codes)[:, 1]
    return Learned(P, H)


def pools_of(result: MultiLabelling) -> LabelPools:
    """The pools of a result."""
    parts = [part.documents for part in result.parts.values()]
    rows = np.flatnonzero(parts[0].predicted & ~parts[0].estimator.transduction_empty_)
    panel = tuple(j for j, part in enumerate(parts) if isinstance(part.estimator, AutoTransfer))
    start, places = np.zeros((len(rows), len(parts)), dtype=np.float32), list[Array]()
    members: dict[str, Array] = {}
    for j, part in enumerate(parts):
        if j not in panel:
            start[:, j] = chance_by_label(part)[rows]
            continue
        inputs, at = part.estimator.pool_inputs_, rows_in_panel(part).positions(rows)
        start[:, j] = inputs.start[at, 1]
        places.append(inputs.coordinates[at])
        for name, P in inputs.members.items():
            members.setdefault(name, np.full((len(rows), len(panel)), np.nan, dtype=np.float32))
            members[name][:, panel.index(j)] = P[at, 1]
    kept = {name: P for name, P in members.items() if not np.isnan(P).any()}  # a view may be left out of some panels
    z = max(places, key=lambda Z: Z.shape[1]) if places else own_coordinates(parts[0], rows)
    return LabelPools(rows, start, kept, panel, z)


def own_coordinates(part: Labelling, rows: Array) -> Array:
    """Coordinates of the documents if no label has a panel."""
    return query_coordinates(coordinates(part.domains.target_documents()))[rows].astype(np.float32)


def chance_by_label(part: Labelling) -> Array:
    """Probabilities of yes, moved so that they are above .5 exactly for the documents with the label."""
    P = np.clip(np.asarray(part.estimator.transduction_proba_, dtype=np.float64)[:, 1], LEAST, 1 - LEAST)
    yes = np.asarray(part.labels == YES)
    if not yes.any() or yes.all():
        return P
    return np.asarray(expit(logit(P) - logit((P[yes].min() + P[~yes].max()) / 2)))


def no_and_yes(p: Array) -> Array:
    """Chances of yes as probabilities of both classes."""
    return np.stack([1 - p, p], axis=1)
