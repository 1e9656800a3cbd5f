"""Labels that are fixed before people answer, with all that their ladder is made from: the same in every door.

A ladder (`labelferry.certificate.ladder`) needs a score, an estimated chance to be wrong, the documents that the labels
learned from and a seed. The score is the rank of the label, the chance is 1 - confidence with the four digits of a
file. A file, a result and a job that have the same labels therefore have the same ladder.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from ...certificate import Answers, Ladder, make_ladder
from ...labelling.accept_rank import rank_by
from ...labelling.columns import ACCEPT_RANK
from ...linalg.matrix import Array
from ...tables.row_index import RowIndex
from .population import Population


class Frozen(NamedTuple):
    """The labels that can be accepted, by their places: 0, 1, ... in the order of the file."""

    name: str  # of the file or job
    rows: RowIndex  # of the places in the user's file
    positions: Array  # of the places in the population
    n_population: int
    labels: Array  # class codes
    ranks: Array  # 1 for the label that is most likely correct
    p_wrong: Array
    known: Answers  # places and codes of the answers that the labels learned from
    classes: list[str]
    values: list[Any]  # the classes as the user has them
    seed: int

    @property
    def fingerprint(self) -> int:
        """Checksum of the labels, their ranks and what they learned from: another one means other labels."""
        parts = (self.rows.rows, self.labels, self.ranks, np.round(self.p_wrong * 1e4), np.sort(self.known.rows))
        value = crc32("\0".join(self.classes).encode("utf-8", "surrogatepass"))
        for part in parts:
            value = crc32(np.ascontiguousarray(part, dtype=np.int64).tobytes(), value)
        return value

    def ladder(self, error: float, *, tail: float, strict: bool = False, among: Array | None = None) -> Ladder:
        """The ladder of these labels, or of those in the mask `among`."""
        return make_ladder(
            -self.ranks, self.p_wrong, error=error, tail=tail, seed=self.seed, known=self.known.rows, among=among,
            strict=strict,
        )  # fmt: skip

    def places(self, positions: Any) -> dict[int, int]:
        """The places of those positions of the population that have one."""
        positions = np.asarray(list(positions), dtype=np.int64)
        place = np.searchsorted(self.positions, positions)
        inside = np.isin(positions, self.positions)
        return dict(zip(positions[inside].tolist(), place[inside].tolist(), strict=True))


def freeze(population: Population, seed: int | None = None, values: list[Any] | None = None) -> Frozen:
    """The labels of a population that can be accepted.

    Without a seed, it is made from the labels: everybody who has them draws the same documents, and nobody can try
    several samples.
    """
    ranking = population.ranking
    if ranking is None:
        raise ValueError(
            f"{population.name} has no column confidence from 0 to 1, so it is unknown which labels are most certain. "
            "Pass a file that `labelferry label` wrote, or add the column."
        )
    kept = np.flatnonzero(ranking.ranks)
    if len(np.unique(ranking.ranks[kept])) < len(kept) or (ranking.ranks < 0).any():
        raise ValueError(
            f"{population.name}: the column {ACCEPT_RANK} must have different numbers from 1. Restore the column, or "
            "remove it to rank by confidence."
        )
    if not len(kept):
        raise ValueError(f"{population.name} has no predicted label, so none can be accepted.")
    inside = np.isin(population.known.rows, kept)
    known = Answers(np.searchsorted(kept, population.known.rows[inside]), population.known.codes[inside])
    frozen = Frozen(
        population.name, population.rows.then(kept), kept, len(population.texts), population.labels[kept],
        rank_by(-ranking.ranks[kept], np.ones(len(kept), dtype=bool)), np.round(1 - ranking.confidence[kept], 4), known, population.classes,
        values or list(population.classes), 0,
    )  # fmt: skip
    return frozen._replace(seed=frozen.fingerprint if seed is None else seed)
