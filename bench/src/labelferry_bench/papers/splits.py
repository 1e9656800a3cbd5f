"""Which documents are the source and which the target, and how they are drawn.

A `Part` is one class of one domain: the groups of documents it consists of. A task is a list of parts, drawn in that
order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..datasets.reuters_tasks import orgs_people_places
from .pools import Array, Pool

Groups = tuple[str, ...]
OneDomain = dict[str, Groups]  # per class
TwoDomains = dict[str, tuple[Groups, Groups]]  # source and target per class
Draw = Callable[[np.random.Generator, Array], Array]  # some of the rows


class Part(NamedTuple):
    """One class of one domain."""

    domain: str  # "source" or "target"
    label: str
    groups: Groups


class Split(NamedTuple):
    """Rows of a pool and their labels."""

    source: Array
    ys: Array
    target: Array
    yt: Array


def same_classes(classes: TwoDomains) -> list[Part]:
    """List the parts class by class, source before target."""
    return [
        Part(domain, label, groups)
        for label, both in classes.items()
        for domain, groups in zip(("source", "target"), both, strict=True)
    ]


def other_classes(source: OneDomain, target: OneDomain) -> list[Part]:
    """List the parts of the target, then those of the source: a target is drawn alike for every source."""
    domains = {"target": target, "source": source}
    return [Part(domain, label, groups) for domain, parts in domains.items() for label, groups in parts.items()]


def pairs(classes: TwoDomains) -> dict[str, TwoDomains]:
    """Make one task per pair of classes."""
    return {f"{a} vs {b}": {a: classes[a], b: classes[b]} for a, b in itertools.combinations(classes, 2)}


def everything(rng: np.random.Generator, rows: Array) -> Array:
    """Return all rows."""
    return rows


def exactly(rng: np.random.Generator, rows: Array, n: int) -> Array:
    """Draw n of the rows."""
    return rows[rng.choice(len(rows), size=n, replace=False)]


def at_most(rng: np.random.Generator, rows: Array, n: int) -> Array:
    """Draw n of the rows, or all of them in a new order if there are fewer."""
    return rows[rng.permutation(len(rows))[:n]]


def by_groups(pool: Pool, seed: int, *, parts: Sequence[Part], draw: Draw = everything, min_length: int = 0) -> Split:
    """Draw each part from all its groups together, from documents of at least `min_length` words."""
    rng = np.random.default_rng(seed)
    length = pool.counts.sum(axis=1)
    candidates = [_rows(pool, part.groups) for part in parts]
    drawn = [draw(rng, rows[length[rows] >= min_length]) for rows in candidates]
    return _split([(part.domain, part.label, rows) for part, rows in zip(parts, drawn, strict=True)])


def uneven(pool: Pool, seed: int, *, parts: Sequence[Part], cut: str, share: float) -> Split:
    """Take all documents, but reduce the class `cut` of the target.

    Its documents are drawn by seed; their number is `share` times the number of other documents of the target.
    """
    full = by_groups(pool, seed, parts=parts)
    others = np.flatnonzero(full.yt != cut)
    kept = at_most(np.random.default_rng(seed), np.flatnonzero(full.yt == cut), round(share * len(others)))
    rows = np.sort(np.concatenate([others, kept]))
    return full._replace(target=full.target[rows], yt=full.yt[rows])


def fewer_sources(pool: Pool, seed: int, *, parts: Sequence[Part], draw: Draw, n: int) -> Split:
    """Keep the first `n` source documents per class of a draw, and its whole target."""
    full = by_groups(pool, seed, parts=parts, draw=draw)
    rows = np.concatenate([np.flatnonzero(full.ys == label)[:n] for label in dict.fromkeys(full.ys)])
    return full._replace(source=full.source[rows], ys=full.ys[rows])


def reuters_pair(pool: Pool, seed: int, *, pair: str, n: int | None = None) -> Split:
    """Split a pair of orgs, people and places by subcategories; at most `n` documents per class and domain."""
    full = Split(*orgs_people_places(pool.corpus, pair, seed))
    if n is None:
        return full
    rng = np.random.default_rng(seed)
    return _split(
        [
            (domain, label, at_most(rng, rows[y == label], n))
            for domain, rows, y in (("source", full.source, full.ys), ("target", full.target, full.yt))
            for label in np.unique(y)
        ]
    )


def orgs_people_from_three(pool: Pool, seed: int) -> Split:
    """Split orgs vs people, with places as a third class of the source."""
    two, places = (reuters_pair(pool, seed, pair=pair) for pair in ("orgs vs people", "people vs places"))
    rows = places.source[places.ys == "places"]
    source, ys = np.concatenate([two.source, rows]), np.concatenate([two.ys, np.repeat("places", len(rows))])
    return two._replace(source=source, ys=ys)


def orgs_people_from(pool: Pool, seed: int, *, source: OneDomain, n: int) -> Split:
    """Take the target of orgs vs people, and a source of other groups with at most `n` documents per class."""
    target = reuters_pair(pool, seed, pair="orgs vs people")
    rng = np.random.default_rng(seed)
    drawn = [("source", label, at_most(rng, _rows(pool, groups), n)) for label, groups in source.items()]
    return _split([*drawn, *(("target", label, target.target[target.yt == label]) for label in ("orgs", "people"))])


def _rows(pool: Pool, groups: Groups) -> Array:
    """Rows of the groups, group by group."""
    return np.concatenate([np.flatnonzero(pool.groups == group) for group in groups])


def _split(parts: Sequence[tuple[str, str, Array]]) -> Split:
    rows_and_labels: list[Array] = []
    for domain in ("source", "target"):
        labels = [label for name, label, _ in parts if name == domain]
        rows = [part_rows for name, _, part_rows in parts if name == domain]
        rows_and_labels.append(np.concatenate(rows))
        rows_and_labels.append(np.repeat(labels, [len(part_rows) for part_rows in rows]))
    return Split(*rows_and_labels)
