"""Labels that were accepted before the labels of a job learned again: they stay as they were, with their claim.

They are stored with the new fit: a mask per limit, and the counts of the claim. The new ladder is made from the other
labels. A fit that withdraws them has none, but the rounds are still counted: whoever learns again and again until
something is accepted makes several statements. So does whoever follows several limits: their tails are added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...certificate.accepted import Accepted
from ...certificate.final_answers import wrong_labels
from ...certificate.ladder import TAIL
from ...certificate.rounds import round_tail, still_accepted
from ...linalg.matrix import Array
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.frozen import Limit
from ..sample.usable import Usable
from ..store.records import FitLabels
from .population import JobLabels
from .state import JobState

PREFIX = "accepted/"  # of the masks in the arrays of a fit
COUNTS = ("n", "at_most_wrong", "n_sample", "sample_wrong", "n_answers", "n_wrong")


class Part(NamedTuple):
    """Labels that were accepted, and the claim about them."""

    limit: Limit
    documents: Array  # mask
    counts: dict[str, int]  # COUNTS when the labels learned again

    def accepted(self, labels: JobLabels, state: JobState) -> Accepted | None:
        """The claim with the answers since the labels learned; None if they refute it."""
        error, outside = self.limit[:2]
        n, most, n_sample, sample_wrong, n_answers, n_wrong = (self.counts[name] for name in COUNTS)
        rows = self.documents[labels.documents]
        before = Accepted(error, TAIL, outside, rows, n, most, n_sample, sample_wrong, n_answers, n_wrong)
        given = labels.given(state)
        return still_accepted(before, wrong_labels(labels.frozen.labels, given.first, given.again))


class Carried(NamedTuple):
    """What was accepted when the labels of a fit were made."""

    rounds: int  # in which labels were tested before
    tail: float  # probability that any statement of them is false
    parts: tuple[Part, ...]

    def part(self, limit: Limit) -> Part | None:
        """The largest set that was accepted at this limit or a lower one."""
        error, outside, per_class, _ = limit
        parts = [
            part
            for part in self.parts
            if part.limit.error <= error and part.limit.outside >= outside and part.limit.per_class >= per_class
        ]
        return max(parts, key=lambda part: part.counts["n"], default=None)

    @property
    def documents(self) -> Array | None:
        """Mask of all documents whose labels stay as they are; None if there are none."""
        return np.logical_or.reduce([part.documents for part in self.parts]) if self.parts else None

    def summary(self) -> dict[str, Any]:
        """Plain values for the next fit."""
        return {
            "rounds": self.rounds,
            "tail": self.tail,
            "accepted": [{**part.limit._asdict(), **part.counts} for part in self.parts],
        }

    def arrays(self) -> dict[str, Array]:
        """Arrays for the next fit."""
        return {f"{PREFIX}{i}": part.documents for i, part in enumerate(self.parts)}


def carry_on(before: Carried, now: Mapping[Limit, Usable], labels: JobLabels, state: JobState) -> Carried:
    """What stays accepted after learning again: what is usable `now` by limit, and what other limits had before."""
    parts = [
        Part(limit, labels.mask(usable.accepted.rows), counts_of(usable.accepted))
        for limit, usable in now.items()
        if usable.n
    ]
    for part in before.parts:
        claim = None if part.limit in now else part.accepted(labels, state)
        if claim is not None:
            parts.append(part._replace(counts=counts_of(claim)))
    round_number = before.rounds + 1
    tail = before.tail + len(now) * round_tail(round_number)
    return Carried(round_number if now else before.rounds, tail, tuple(parts))


def counts_of(accepted: Accepted) -> dict[str, int]:
    """The counts of a claim."""
    return {name: int(getattr(accepted, name)) for name in COUNTS}


def carried_into(store: storage.Store, fit: FitLabels) -> Carried:
    """What was accepted when the labels of a fit were made."""
    summary = next((row.summary for row in store.fits.all() if row.id == fit.fit), {})
    try:
        parts = [
            Part(
                Limit(float(part["error"]), bool(part["outside"]), bool(part.get("per_class", False))),
                checked_mask(fit.arrays[f"{PREFIX}{i}"], store.n_documents),
                {name: int(part[name]) for name in COUNTS},
            )
            for i, part in enumerate(summary.get("accepted", ()))
        ]
        rounds = int(summary.get("rounds", 0))
        return Carried(rounds, float(summary.get("tail", rounds * TAIL)), tuple(parts))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{store.name}: the job is damaged, its accepted labels cannot be read ({error}).") from None


def checked_mask(mask: Array, n_documents: int) -> Array:
    """The mask; an error if it is none."""
    if mask.shape != (n_documents,) or mask.dtype != bool:
        raise ValueError("a mask has a wrong shape or type")
    return mask
