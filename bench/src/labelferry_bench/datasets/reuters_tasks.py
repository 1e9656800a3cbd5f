"""CDSC's tasks of Reuters-21578 (section 4.1.2, Table 1), made from the texts: orgs, people and places by pairs.

Each of the three is a hierarchy of sub-categories: the orgs are ec, imf, opec and so on. The task is to distinguish the
hierarchies; source and target have different sub-categories of each. The paper does not list which, so:

- The class of a story is orgs if it has orgs and no people, people if it has people and no orgs, and places if it has
  places and neither of the two. So each story has at most one class, the same in all pairs. A story of orgs or people
  may also have places: 87% of all stories have a place, and if stories with a place outside the USA were removed, 286
  stories of orgs would remain. The paper draws 500 + 500 stories per task.
- Stories of the USA do not belong to places (the paper's rule). 5,282 remain, far more than of the others, so in source
  and in target as many are drawn as the other class has.
- Sub-categories are assigned to the two halves one after another, the largest first, each to the half with fewer
  stories. It is random which half is the source, and in which order sub-categories of the same size come.
- A story with sub-categories of both halves is dropped; otherwise the halves would not be disjoint.

With seed 0 the tasks have 783 + 836, 672 + 722 and 910 + 938 stories. The ready-made matrices of `reuters_crossdomain`
have 1,237 + 1,208, 1,016 + 1,043 and 1,077 + 1,077 rows, but repeat stories: 1,175 of their rows are orgs, and the
corpus has 881 stories with orgs.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from .corpus import Corpus

PAIRS = ("orgs vs people", "orgs vs places", "people vs places")  # places, if present, is the second


def orgs_people_places(
    corpus: Corpus, pair: str, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draw source and target of a task from the stories.

    Parameters
    ----------
    corpus : Corpus
        The result of `load_reuters()`.
    pair : {"orgs vs people", "orgs vs places", "people vs places"}
        The two classes.
    seed : int, default=0
        Random seed.

    Returns
    -------
    source_rows, source_labels, target_rows, target_labels : array
        Rows of the corpus and the names of their classes.
    """
    if pair not in PAIRS:
        raise ValueError(f"pair must be one of {', '.join(map(repr, PAIRS))}; got {pair!r}.")
    rng = np.random.default_rng(seed)
    classes = pair.split(" vs ")
    halves = [split(subcategories_of(corpus, name), rng) for name in classes]
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


def subcategories_of(corpus: Corpus, name: str) -> dict[int, tuple[str, ...]]:
    """Row and sub-categories of each story of a class."""
    orgs, people, places = (corpus.fields[field] for field in ("orgs", "people", "places"))

    def class_of(row: int) -> str | None:
        if orgs[row]:
            return None if people[row] else "orgs"
        if people[row]:
            return "people"
        return "places" if places[row] and "usa" not in places[row] else None

    return {row: corpus.fields[name][row] for row in range(len(corpus.texts)) if class_of(row) == name}


def split(subcategories: dict[int, tuple[str, ...]], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The rows of two halves of about the same size that have no sub-category in common."""
    sizes = Counter(name for names in subcategories.values() for name in names)
    names = rng.permutation(sorted(sizes))
    totals, half = [0, 0], {}
    for name in sorted(names, key=lambda name: -sizes[name]):
        half[name] = int(totals[1] < totals[0])
        totals[half[name]] += sizes[name]
    first = int(rng.integers(2))
    rows = [[row for row, of in subcategories.items() if {half[name] for name in of} == {side}] for side in (0, 1)]
    return np.array(rows[first]), np.array(rows[1 - first])
