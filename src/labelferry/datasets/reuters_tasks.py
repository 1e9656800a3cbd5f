"""CDSC's tasks of Reuters-21578 (section 4.1.2, Table 1), made from the texts: orgs, people and places by pairs.

Each of the three is a hierarchy of sub-categories: the orgs are ec, imf, opec and so on. The task is to tell the
hierarchies apart; source and target have different sub-categories of each. The paper does not list which, so:

- A story is of orgs if it has orgs and no people, of people if it has people and no orgs, and of places if it has
  places and neither of the two. So each story has one class at most, the same in all pairs. That a story has places as
  well does not take it out of orgs or people: 87% of all stories have a place, and if one outside the USA counted, 286
  stories would be left in orgs. The paper draws 500 + 500 stories a task.
- Stories of the USA are no stories of places (the paper's rule). 5,282 are left, far more than of the others, so as
  many are drawn as the other class has, in source and target each.
- Sub-categories go to the two halves one after another, the largest first, each to the half with fewer stories. Chance
  says which half is the source, and the order of sub-categories of the same size.
- A story with sub-categories of both halves is dropped: the halves would not be disjoint otherwise.

With seed 0 the tasks have 783 + 836, 672 + 722 and 910 + 938 stories. The ready-made matrices of `reuters_crossdomain`
have 1,237 + 1,208, 1,016 + 1,043 and 1,077 + 1,077 rows, but repeat stories: 1,175 of their rows are orgs, and the
corpus has 881 stories with orgs.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from .corpus import Corpus

PAIRS = ("orgs vs people", "orgs vs places", "people vs places")  # places, where it is in, comes second


def orgs_people_places(
    corpus: Corpus, pair: str, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows of `load_reuters()` and names of their classes: source rows, source labels, target rows, target labels."""
    if pair not in PAIRS:
        raise ValueError(f"pair must be one of {', '.join(map(repr, PAIRS))}; got {pair!r}.")
    rng = np.random.default_rng(seed)
    classes = pair.split(" vs ")
    halves = [split(stories(corpus, name), rng) for name in classes]
    sides = []
    for parts in zip(*halves, strict=True):  # the source's stories of both classes, then the target's
        if "places" in classes:
            other, places = parts
            parts = (other, rng.permutation(places)[: len(other)])
        rows, labels = np.concatenate(parts), np.repeat(classes, [len(part) for part in parts])
        order = np.argsort(rows)
        sides += [rows[order], labels[order]]
    source_rows, source_labels, target_rows, target_labels = sides
    return source_rows, source_labels, target_rows, target_labels


def stories(corpus: Corpus, name: str) -> dict[int, tuple[str, ...]]:
    """The rows of a class, and the sub-categories of each."""
    orgs, people, places = (corpus.fields[field] for field in ("orgs", "people", "places"))
    is_class = {
        "orgs": lambda row: orgs[row] and not people[row],
        "people": lambda row: people[row] and not orgs[row],
        "places": lambda row: places[row] and not (orgs[row] or people[row] or "usa" in places[row]),
    }[name]
    return {row: corpus.fields[name][row] for row in range(len(corpus.texts)) if is_class(row)}


def split(subcategories: dict[int, tuple[str, ...]], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The rows of two halves whose sub-categories differ, about the same number in each."""
    sizes = Counter(name for names in subcategories.values() for name in names)
    names = rng.permutation(sorted(sizes))
    totals, half = [0, 0], {}
    for name in sorted(names, key=lambda name: -sizes[name]):
        half[name] = int(totals[1] < totals[0])
        totals[half[name]] += sizes[name]
    first = int(rng.integers(2))
    rows = [[row for row, of in subcategories.items() if {half[name] for name in of} == {side}] for side in (0, 1)]
    return np.array(rows[first]), np.array(rows[1 - first])
