"""Opinions as votes: cells become classes, confidences become levels, labelled documents a table of right and wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..certificate.interval import count
from ..core.domains import Domains
from ..ensemble.votes import ABSTAINS, Voter, level_free
from ..inputs.inputs import Inputs
from ..inputs.opinions import Opinion
from ..linalg.matrix import Array
from ..tables.cells import as_number, as_text
from ..tables.names import listed
from .answers import class_named

N_LEVELS = 3  # of confidence: equally many labelled documents in each
MIN_PER_LEVEL = 30  # labelled documents
MIN_KNOWN = 0.5  # share of the guesses that are classes; with fewer, the column is no opinion
MAX_NAMED = 3


class Votes(NamedTuple):
    """Opinions that were read."""

    voters: tuple[Voter, ...]  # with one vote per row of the domains
    messages: list[str]


NO_VOTES = Votes((), [])


def count_opinions(opinions: Sequence[Opinion], inputs: Inputs, domains: Domains) -> Votes:
    """The voters, with one entry per row of the domains; an error if a column has hardly any class."""
    voters, messages = [], list[str]()
    names, labels = [str(c) for c in domains.classes.tolist()], [str(label) for label in inputs.labels.tolist()]
    truth = np.array([names.index(label) for label in labels], dtype=np.intp)
    for opinion in opinions:
        new = read_votes(opinion.new, names, opinion.name, messages)
        home = np.full(len(truth), ABSTAINS)
        if opinion.home is not None and not opinion.trained:
            home = read_votes(opinion.home, names, opinion.name, [])
        levels_new, levels_home, n_levels = confidence_levels(opinion, home)
        K = len(names)
        counts = np.zeros((K, K * n_levels))
        voted = home != ABSTAINS
        np.add.at(counts, (truth[voted], home[voted] + K * levels_home[voted]), 1)
        codes = np.full(int(domains.target_rows.max()) + 1, ABSTAINS, dtype=np.int32)
        codes[domains.target_rows] = np.where(new == ABSTAINS, ABSTAINS, new + K * levels_new)
        voters.append(Voter(opinion.name, codes, counts))
        messages.append(message_of(opinion, new, int(voted.sum())))
    return Votes(tuple(voters), messages)


def read_votes(cells: Sequence[Any], classes: Sequence[str], name: str, messages: list[str]) -> Array:
    """Class codes; ABSTAINS for empty cells and for words that are no class, which are counted in a message."""
    texts = [as_text(cell) for cell in cells]
    found = {text: class_named(text, classes) for text in set(texts) if text}
    codes = np.array([classes.index(c) if (c := found.get(text)) is not None else ABSTAINS for text in texts])
    unknown = Counter(text for text in texts if text and found[text] is None)
    if not unknown:
        return codes
    n, shown = sum(unknown.values()), listed(text for text, _ in unknown.most_common(MAX_NAMED))
    if n > (1 - MIN_KNOWN) * sum(bool(text) for text in texts):
        raise ValueError(
            f"opinion {name!r}: most guesses are no class ({n} cells, such as {shown}); the classes are "
            f"{listed(classes)}. Name another column, or translate its words."
        )
    messages.append(f"opinion {name!r}: {count(n, 'cell')} with no class ({shown}), counted as no guess")
    return codes


def confidence_levels(opinion: Opinion, home: Array) -> tuple[Array, Array, int]:
    """Levels of confidence of the new and of the labelled documents, and their number: 1 without confidences."""
    # The limits are quantiles of the labelled documents with a vote, so that each level can be measured there.
    none = np.zeros(len(opinion.new), dtype=np.intp), np.zeros(len(home), dtype=np.intp), 1
    new_values, home_values = numbers(opinion.new_confidence), numbers(opinion.home_confidence)
    voted = home != ABSTAINS
    n_levels = min(N_LEVELS, int(voted.sum()) // MIN_PER_LEVEL)
    if new_values is None or home_values is None or n_levels < 2:
        return none
    limits = np.unique(np.quantile(home_values[voted], np.arange(1, n_levels) / n_levels))
    limits = limits[(limits > home_values[voted].min())]
    if not len(limits):
        return none
    return np.searchsorted(limits, new_values, "right"), np.searchsorted(limits, home_values, "right"), len(limits) + 1


def numbers(cells: Sequence[Any] | None) -> Array | None:
    """Confidences; 0 for an empty cell, None if there are none or one is no number."""
    if cells is None:
        return None
    values = [as_number(text) if (text := as_text(cell)) else 0.0 for cell in cells]
    return None if any(value is None or value != value for value in values) else np.array(values, dtype=np.float64)


def message_of(opinion: Opinion, new: Array, n_home: int) -> str:
    """What is known about the votes."""
    n = int((new != ABSTAINS).sum())
    counted = f"opinion {opinion.name!r}: {n:,} of {len(new):,} new documents have a guess"
    if opinion.trained:
        return f"{counted}; it was trained on the labelled documents, so only answers can tell what it is worth"
    if not n_home:
        return f"{counted}, no labelled one has; so only answers can tell what it is worth"
    return f"{counted}, and {n_home:,} of {len(opinion.home or ()):,} labelled ones, where it is measured"


def opinion_rows(voters: Sequence[Voter]) -> list[dict[str, Any]]:
    """What is known about the voters of a fitted panel, as plain values."""
    rows = []
    for voter in voters:
        n_home, n = int(voter.home.sum()), int((voter.codes != ABSTAINS).sum())
        right = float(np.trace(level_free(voter.home))) / n_home if n_home else None
        rows.append({"name": voter.name, "guesses": n, "measured": n_home, "accuracy": right, "trust": voter.trust})
    return rows
