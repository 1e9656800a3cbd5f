"""What was detected, what was skipped, and what was learned, for people."""

from __future__ import annotations

import numpy as np

from ..inputs.methods import cluster_messages
from ..inputs.rows import NO_FEATURES, NO_KNOWN_WORD, NOT_LABELLED, count_rows
from .held_out import learned_message
from .labelling import Labelling
from .parents import find_parents


def messages_of(result: Labelling) -> list[str]:
    """The messages of the inputs and features, and about rows without a label, answers and clusters."""
    unknown = np.flatnonzero([reason in (NO_KNOWN_WORD, NO_FEATURES) for reason in result.reasons])
    unknown = result.inputs.documents.rows[unknown] if result.of_documents is None else unknown
    what = "without a known word" if NO_KNOWN_WORD in result.reasons else "whose features are all 0"
    return [
        *result.inputs.messages,
        *result.features.messages,
        *result.votes.messages,
        *count_rows(result.inputs.all_rows, unknown, what, NOT_LABELLED),
        *learned_message(result.documents),
        *other_answers_message(result),
        *cluster_messages(result.estimator),
        *parents_message(result),
        *several_labels_message([str(name) for name in result.estimator.classes_]),
    ]


def several_labels_message(classes: list[str]) -> list[str]:
    """A warning if a class is joined from others, such as bug;ui: each document gets one label.

    >>> several_labels_message(["bug", "bug;ui", "ui"])
    ["the label 'bug;ui' looks like several labels in one cell and is a class of its own: keep one label per row"]
    """
    known = set(classes)
    joined = [
        name for name in classes if any({part.strip() for part in name.split(s)} & (known - {name}) for s in ";|,")
    ]
    if not joined:
        return []
    what = f"the label {joined[0]!r} looks like several labels in one cell and is a class of its own"
    if len(joined) > 1:
        what = f"{len(joined)} labels, such as {joined[0]!r}, look like several labels in one cell and are classes"
    return [f"{what}: keep one label per row"]


def parents_message(result: Labelling) -> list[str]:
    """The offer to label the parents of a hierarchy, if the labels of the children are not safe."""
    parents = find_parents(result.estimator.classes_.tolist())
    if not parents or result.assessment.level == "safe" or result.documents.children is not None:
        return []
    n, example = len(set(parents.values())), next(iter(parents))
    return [
        f"the labels are a hierarchy ({example!r}): its {n} parents are easier, label them with parents (--parents)"
    ]


def other_answers_message(result: Labelling) -> list[str]:
    """How many answers are to rows without a text or with a given label; none if there are no such answers."""
    if result.answers is None or result.of_documents is None:  # a result of documents only has no other rows
        return []
    n = int((~result.inputs.documents.contains(result.answers.rows)).sum())
    what = (
        "1 answer to a row that is not a new document" if n == 1 else f"{n} answers to rows that are not new documents"
    )
    return [f"{what}: kept, not learned from"] if n else []
