"""Which documents are the source and which the target, and how they are drawn.

A `Part` is one class of one domain: the groups it is made of. A task is a list of parts, drawn in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..datasets.reuters_tasks import orgs_people_places
from .groups import Groups, OneDomain, TwoDomains
from .pools import Pool

Draw = Callable[[np.random.Generator, np.ndarray], np.ndarray]  # some of the rows


class Part(NamedTuple):
    domain: str  # "source" or "target"
    label: str
    groups: Groups


class Split(NamedTuple):
    """Rows of a pool and their labels."""

    source: np.ndarray
    ys: np.ndarray
    target: np.ndarray
    yt: np.ndarray


def same_classes(classes: TwoDomains) -> list[Part]:
    """Class by class, the source's part before the target's."""
    return [
        Part(domain, label, groups)
        for label, both in classes.items()
        for domain, groups in zip(("source", "target"), both, strict=True)
    ]


def other_classes(source: OneDomain, target: OneDomain) -> list[Part]:
    """The source's parts, then the target's."""
    domains = {"source": source, "target": target}
    return [Part(domain, label, groups) for domain, parts in domains.items() for label, groups in parts.items()]


def everything(rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
    return rows


def exactly(rng: np.random.Generator, rows: np.ndarray, n: int) -> np.ndarray:
    """n of the rows."""
    return rows[rng.choice(len(rows), size=n, replace=False)]


def at_most(rng: np.random.Generator, rows: np.ndarray, n: int) -> np.ndarray:
    """n of the rows, or all in a new order where there are fewer."""
    return rows[rng.permutation(len(rows))[:n]]


def by_groups(pool: Pool, seed: int, *, parts: Sequence[Part], draw: Draw = everything, min_length: int = 0) -> Split:
    """Each part drawn from its groups together, from documents of at least `min_length` words."""
    rng = np.random.default_rng(seed)
    length = pool.counts.sum(axis=1)
    rows = [_rows(pool, part.groups) for part in parts]
    drawn = [draw(rng, mine[length[mine] >= min_length]) for mine in rows]
    return _split([(part.domain, part.label, mine) for part, mine in zip(parts, drawn, strict=True)])


def uneven(pool: Pool, seed: int, *, parts: Sequence[Part], cut: str, share: float) -> Split:
    """All documents, less those of the class `cut` of the target: as many are left, drawn by seed, as `share` of the
    target's other documents."""
    whole = by_groups(pool, seed, parts=parts)
    others = np.flatnonzero(whole.yt != cut)
    left = at_most(np.random.default_rng(seed), np.flatnonzero(whole.yt == cut), round(share * len(others)))
    rows = np.sort(np.concatenate([others, left]))
    return whole._replace(target=whole.target[rows], yt=whole.yt[rows])


def fewer_sources(pool: Pool, seed: int, *, parts: Sequence[Part], draw: Draw, n: int) -> Split:
    """A draw as it is, of whose source the first `n` documents a class are kept."""
    whole = by_groups(pool, seed, parts=parts, draw=draw)
    rows = np.concatenate([np.flatnonzero(whole.ys == label)[:n] for label in dict.fromkeys(whole.ys)])
    return whole._replace(source=whole.source[rows], ys=whole.ys[rows])


def reuters_pair(pool: Pool, seed: int, *, pair: str, n: int | None = None) -> Split:
    """A pair of orgs, people and places, split by their subcategories; at most `n` documents a class and domain."""
    whole = Split(*orgs_people_places(pool.corpus, pair, seed))
    if n is None:
        return whole
    rng = np.random.default_rng(seed)
    return _split(
        [
            (domain, label, at_most(rng, rows[y == label], n))
            for domain, rows, y in (("source", *whole[:2]), ("target", *whole[2:]))
            for label in np.unique(y)
        ]
    )


def orgs_people_from_three(pool: Pool, seed: int) -> Split:
    """orgs vs people, with places beside them in the source."""
    two, places = (reuters_pair(pool, seed, pair=pair) for pair in ("orgs vs people", "people vs places"))
    rows = places.source[places.ys == "places"]
    source, ys = np.concatenate([two.source, rows]), np.concatenate([two.ys, np.repeat("places", len(rows))])
    return two._replace(source=source, ys=ys)


def orgs_people_from(pool: Pool, seed: int, *, source: OneDomain, n: int) -> Split:
    """The target of orgs vs people, and a source of other groups, at most `n` documents a class."""
    target = reuters_pair(pool, seed, pair="orgs vs people")
    rng = np.random.default_rng(seed)
    drawn = [("source", label, at_most(rng, _rows(pool, groups), n)) for label, groups in source.items()]
    return _split([*drawn, *(("target", label, target.target[target.yt == label]) for label in ("orgs", "people"))])


def _rows(pool: Pool, groups: Groups) -> np.ndarray:
    """Group by group."""
    return np.concatenate([np.flatnonzero(pool.groups == group) for group in groups])


def _split(parts: Sequence[tuple[str, str, np.ndarray]]) -> Split:
    found: list[np.ndarray] = []
    for domain in ("source", "target"):
        mine = [(label, rows) for of, label, rows in parts if of == domain]
        found.append(np.concatenate([rows for _, rows in mine]))
        found.append(np.repeat([label for label, _ in mine], [len(rows) for _, rows in mine]))
    return Split(*found)
