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
    ]


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
