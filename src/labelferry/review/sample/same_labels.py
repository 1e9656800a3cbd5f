"""A sample certifies only the labels for which it was drawn: its fingerprint of them, and how it is compared.

An answer says something about the other documents only if nobody changed a label because of it. Somebody who corrects
the wrong labels of the sample in the file, and certifies the file with the same sample, would get a certificate that
is far too good. The fingerprint has five parts: of the labels, which must be the same, and of needs_review,
source_only, confidence and accept_rank: what changed among these is not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...labelling.column_names import ACCEPT_RANK
from ...labelling.marks import digits_of, label_key
from ...tables.cells import as_text
from .population import Population

FINGERPRINT = "labels_fingerprint"  # column of a sample, with the same value in each row
N_LABELS = 12  # hexadecimal digits of the labels; the other parts have four
OTHERS = ("needs_review", "source_only", "confidence", ACCEPT_RANK)
KNOWN = "\1"  # label of a document that counts with its answer, whatever its label
NO_FINGERPRINT = (
    f"has no column {FINGERPRINT!r}, so nobody can tell whether the labels are still those for which it was drawn. "
    "Restore the column, or draw a new sample (labelferry accept, labelferry audit)."
)
OTHER_LABELS = (
    "Answers that changed labels cannot certify them: draw a new sample (labelferry accept, labelferry audit), or pass "
    "the file from which this one was drawn."
)


def labels_fingerprint(population: Population) -> str:
    """The five parts, as a text that no spreadsheet takes for a number."""
    keys = [label_key(name) for name in population.classes]
    labels = [keys[code] for code in population.labels.tolist()]
    for row in population.known.rows.tolist():
        labels[row] = KNOWN
    source_only = [] if population.source_only is None else [keys[code] for code in population.source_only.tolist()]
    review = population.needs_review.astype(int).tolist()
    ranks, sure = (np.zeros(0), population.confidence) if population.ranking is None else population.ranking
    digits = [] if sure is None else np.rint(sure * 1e4).astype(int).tolist()  # of the file: the same in all doors
    learned = len(population.known.rows) > 0  # such confidences are used for ladders only
    confidence, ranking = ([], [*ranks.tolist(), *digits]) if learned else (digits, ranks.tolist())
    others = [digits_of(*map(str, values)) for values in (review, source_only, confidence, ranking)]
    return "-".join([f"t{digits_of(*labels, n=N_LABELS)}", *others])


def labels_only(population: Population) -> str:
    """The first part: that of the labels."""
    return labels_fingerprint(population).split("-")[0]


def seed_of_labels(population: Population, seed: int) -> int:
    """The seed of a sample for these labels, from that of a user: other labels get another sample.

    Otherwise the same seed would draw the documents again whose labels were corrected after the first sample.
    """
    return int(digits_of(str(seed), labels_only(population), n=8), 16) >> 1


def check_fingerprint(name: str, fingerprint: str, population: Population, shown: Mapping[int, str]) -> list[str]:
    """Raise an error if a sample was drawn for other labels; return what else changed, of `OTHERS`.

    `name` is that of the sample, and `shown` has the labels that it shows, by position in the population.
    """
    if not fingerprint:
        raise ValueError(f"{name} {NO_FINGERPRINT}")
    (labels, *others), now = fingerprint.split("-"), labels_fingerprint(population).split("-")
    if labels != now[0]:
        raise ValueError(
            f"{name} was drawn for other labels than those of {population.name}{first_change(population, shown)}. "
            f"{OTHER_LABELS}"
        )
    if len(others) != len(OTHERS):
        raise ValueError(f"{name}: column {FINGERPRINT!r} has {fingerprint[:40]!r}, which is damaged. Restore it.")
    return [part for part, before, after in zip(OTHERS, others, now[1:], strict=True) if before != after]


def first_change(population: Population, shown: Mapping[int, str]) -> str:
    """The first row whose label is not the one that the sample shows; empty if there is none."""
    for row in sorted(shown):
        now = population.classes[population.labels[row]]
        if shown[row] and label_key(shown[row]) != label_key(now):
            return f" (first change: row {population.rows.number(row)}, {shown[row]!r} then, {now!r} now)"
    return ""


def unchanged(population: Population, name: str, fingerprint: str, shown: Mapping[int, str]) -> Population:
    """The population without what changed since a sample was drawn; an error if that is a label."""
    found = check_fingerprint(name, fingerprint, population, shown)
    changed = [part for part in found if part != ACCEPT_RANK]  # which certificates do not use
    if not changed:
        return population
    without: dict[str, Any] = {
        "needs_review": np.ones(len(population.labels), dtype=bool),
        "source_only": None,
        "confidence": None,
    }
    line = f"{', '.join(changed)} of {population.name} changed since the sample was drawn: not used"
    return population._replace(**{part: without[part] for part in changed}, warnings=[*population.warnings, line])


def one_fingerprint(columns: Mapping[str, Sequence[Any]], name: str) -> str:
    """The fingerprint of a sample; empty if it has none."""
    values = {as_text(value) for value in columns.get(FINGERPRINT, ())}
    if len(values) > 1:
        raise ValueError(f"{name}: column {FINGERPRINT!r} must have the same value in every row. Restore it.")
    return values.pop() if values else ""
