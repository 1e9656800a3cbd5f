"""What people are told about labels: the verdict, with what spellings, languages and marks say, and messages.

Messages say what was detected, what was skipped, and what was learned.
"""

from __future__ import annotations

import numpy as np

from ..assessment.assessment import MANY
from ..assessment.rules import LANGUAGES
from ..assessment.verdict import Verdict
from ..certificate.interval import percent
from ..inputs.methods import cluster_messages
from ..inputs.rows import NO_FEATURES, NO_KNOWN_WORD, NOT_LABELLED, count_rows
from ..text.detect import foreign_message
from .held_out import learned_message
from .labelling import Labelling
from .parents import find_parents

N_GROUP_WORDS = 5  # per group


def verdict_of(result: Labelling) -> Verdict:
    """`level` ("safe", "doubtful" or "unsafe"), `sentence` and `reasons`."""
    verdict = result.assessment.verdict()
    words = "; ".join(", ".join(group[:N_GROUP_WORDS]) for group in result.group_words)
    reasons = [f"Typical words of the documents that may fit no class, per group: {words}."] if words else []
    marked = [marks(result.documents)] if are_many_marked(result.documents) else []
    first = [*spellings(result), *other_languages(result.documents)]
    return verdict._replace(reasons=[*first, *verdict.reasons, *reasons, *marked])


def notable(result: Labelling) -> list[str]:
    """What a person has to know beside the level: spellings, and the facts with their way out."""
    return [*spellings(result), *(fact.advice for fact in result.assessment.facts)]


def spellings(result: Labelling) -> list[str]:
    """A sentence about labels that differ only in their spelling, if there are such labels."""
    text = result.inputs.spellings
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def other_languages(result: Labelling) -> list[str]:
    """A sentence about documents in a language that the labelled documents lack; none if a fact says it already."""
    if any(fact.name == LANGUAGES for fact in result.assessment.facts):
        return []
    other = np.array([bool(name) for name in result.other_language], dtype=bool)
    n, n_marked = int(other.sum()), int(result.needs_review[other].sum())
    who = f"{n_marked:,} of them" if n_marked < n else "It" if n == 1 else "They"
    verb = "is" if n_marked == 1 else "are"
    return [f"{message}. {who} {verb} marked for review." for message in foreign_message(result.other_language)]


def are_many_marked(result: Labelling) -> bool:
    """Whether so many labels are marked for review that the mark does not help to choose."""
    predicted = result.predicted
    return int(result.needs_review[predicted].sum()) > MANY * int(predicted.sum())


def marks(result: Labelling) -> str:
    """How many labels are marked for review, and what is expected of the others."""
    predicted = result.predicted
    n, n_marked = int(predicted.sum()), int(result.needs_review[predicted].sum())
    if n_marked == 0:
        return "No label is marked for review."
    share = f"{n_marked:,} of {n:,} labels ({percent(n_marked / n)}) are marked for review."
    if are_many_marked(result):
        return f"{f'All {n:,} labels are marked for review.' if n_marked == n else share} {why_many(result)}"
    wrong = 1 - float(result.confidence[~result.needs_review].mean())
    return f"{share} Of the others about {wrong:.0%} are expected to be wrong."


def why_many(result: Labelling) -> str:
    """Why many labels are marked, also if the verdict on all labels is good, and what orders them."""
    a, least = result.assessment, result.settings["min_confidence"]
    if any(fact.review_all for fact in a.facts):
        return "What is said above about the documents requires it."
    order = "None has a guarantee yet. The output column accept_rank orders them: 1 is the most certain label."
    if least is not None:
        return f"Most of them have a confidence below {least:.0%} (--min-confidence). {order}"
    return order


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
