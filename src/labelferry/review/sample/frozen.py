"""Labels that are fixed before people answer, with all that their ladder is made from: the same in every door.

A ladder (`labelferry.certificate.ladder`) needs a score, an estimated chance to be wrong, the documents that the labels
learned from and a seed. The score is the rank of the label, the chance is 1 - confidence with the four digits of a
file. A file, a result and a job that have the same labels therefore have the same ladder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from ...certificate import Answers
from ...certificate.ladder import Ladder, make_ladder
from ...certificate.rounds import round_tail
from ...labelling.accept_rank import rank_by
from ...labelling.column_names import ACCEPT_RANK
from ...linalg.matrix import Array
from ...tables.row_index import RowIndex
from .population import Population
from .same_labels import labels_only

ERROR = 0.05  # allowed share of wrong labels, unless another one is chosen
OTHER_ERROR = 0.1  # whose needs are shown if nothing can be used yet
EARLY = 0.1  # share of the tail for sets that are smaller than the first one of a ladder above ERROR


class Limit(NamedTuple):
    """What is claimed about labels that may be used."""

    error: float = ERROR  # allowed share of wrong labels
    outside: bool = False  # whether the claim is about the labels outside the sample that certifies them
    per_class: bool = False  # whether there is one claim per class
    name: str = ""  # of several labels per document: the label that is claimed; empty: all labels of a document


USUAL = Limit()


class Frozen(NamedTuple):
    """The labels that can be accepted, by their places: 0, 1, ... in the order of the file."""

    name: str  # of the file or job
    rows: RowIndex  # of the places in the user's file
    labels: Array  # class codes
    ranks: Array  # 1 for the label that is most likely correct
    p_wrong: Array
    known: Answers  # places and codes of the answers that the labels learned from
    classes: list[str]
    values: list[Any]  # the classes as the user has them
    seed: int
    texts: Sequence[str]  # of the whole population, read when they are needed
    positions: Array  # of the places in the texts
    fingerprints: tuple[str, ...]  # of the labels of all rounds, this one last
    order: int  # seed of the random order: that of the sample, or one of its own for one of several labels

    def ladder(self, error: float, *, tail: float, outside: bool = False, among: Array | None = None) -> Ladder:
        """The ladder of these labels, or of those in the mask `among`."""
        return make_ladder(
            -self.ranks, self.p_wrong, error=error, tail=tail, seed=self.order, known=self.known.rows, among=among,
            outside=outside,
        )  # fmt: skip

    def places(self, rows: Iterable[int]) -> dict[int, int]:
        """The places of those rows of the file whose labels can be certified: not of those that were learned from."""
        given = np.fromiter(rows, dtype=np.int64)
        given = given[self.rows.contains(given)]
        places = self.rows.positions(given)
        new = ~np.isin(places, self.known.rows)
        return dict(zip(given[new].tolist(), places[new].tolist(), strict=True))

    def words(self, place: int) -> list[str]:
        """The text at a place, whatever its white space."""
        return self.texts[int(self.positions[place])].split()

    def rows_of(self, places: Iterable[int]) -> list[int]:
        """The rows of places in the user's file."""
        return [int(self.rows.rows[place]) for place in places]


def freeze(population: Population, seed: int, values: list[Any] | None = None, order: int | None = None) -> Frozen:
    """The labels of a population that can be accepted; `seed` is that of its sample, `order` that of its order."""
    ranking = population.ranking
    if ranking is None:
        raise ValueError(
            f"{population.name} has no column confidence from 0 to 1, so it is unknown which labels are most certain. "
            "Pass a file that `labelferry label` wrote, add the column, or name yours (--confidence)."
        )
    kept = np.flatnonzero(ranking.ranks)
    ranks = ranking.ranks[kept]
    if len(np.unique(ranks)) < len(ranks) or (ranks < 0).any():
        raise ValueError(
            f"{population.name}: the column {ACCEPT_RANK} must have different numbers from 1. Restore the column, or "
            "remove it to rank by confidence."
        )
    inside = np.isin(population.known.rows, kept)
    return Frozen(
        population.name,
        population.rows.then(kept),
        population.labels[kept],
        rank_by(-ranks, np.ones(len(kept), dtype=bool)),
        np.round(1 - ranking.confidence[kept], 4),
        Answers(np.searchsorted(kept, population.known.rows[inside]), population.known.codes[inside]),
        population.classes,
        values or list(population.classes),
        seed,
        population.texts,
        kept,
        (labels_only(population),),
        seed if order is None else order,
    )


class Ladders(NamedTuple):
    """Everything that is fixed before the first answer."""

    current: tuple[Ladder, ...]  # one, or one per class
    early: Ladder | None  # for limits above ERROR: begins where that of ERROR begins, with a part of the tail
    whole: Ladder  # of all labels, for the whole file
    among: Array | None  # places that were not accepted in earlier rounds; None: all

    def have(self, place: int) -> bool:
        """Whether the label at this place is in a ladder."""
        return any(ladder.place[place] < ladder.n_labels for ladder in self.current)

    @property
    def key(self) -> int:
        """Checksum of the ladders."""
        keys = [ladder.key for ladder in (*self.current, *([] if self.early is None else [self.early]))]
        return keys[0] if len(keys) == 1 else crc32(repr(keys).encode())


def make_ladders(frozen: Frozen, limit: Limit, *, round_number: int = 1, among: Array | None = None) -> Ladders:
    """The ladders of the labels, or of those in the mask `among`; `round_number`: of the round of learning.

    A ladder for 10% begins with a larger set than that for 5%. A second ladder for 10% begins where that for 5%
    does, so that labels that are certified at 5% can be used at 10% as well. Both share the tail: their claims
    together hold as often as one.
    """
    tail, (error, outside, per_class, _) = round_tail(round_number), limit
    whole = frozen.ladder(error, tail=tail, outside=outside)
    if per_class:
        codes, free = np.unique(frozen.labels), np.ones(len(frozen.labels), dtype=bool) if among is None else among
        own = [(frozen.labels == code) & free for code in codes.tolist()]  # all claims hold together: tail / K each
        ladders = [frozen.ladder(error, tail=tail / len(codes), outside=outside, among=mask) for mask in own]
        if current := tuple(ladder for ladder in ladders if ladder.n_labels):
            return Ladders(current, None, whole, among)
    if error <= ERROR:
        one = whole if among is None else frozen.ladder(error, tail=tail, outside=outside, among=among)
        return Ladders((one,), None, whole, among)
    usual = frozen.ladder(ERROR, tail=tail, outside=outside, among=among)
    early = replace(frozen.ladder(error, tail=EARLY * tail, outside=outside, among=among), start=usual.start)
    one = frozen.ladder(error, tail=(1 - EARLY) * tail, outside=outside, among=among)
    return Ladders((one,), early, whole, among)
