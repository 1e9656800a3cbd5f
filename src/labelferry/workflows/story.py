"""The result in plain words for people who decide: what is known, what is not known, and what to do next."""

from __future__ import annotations

import shlex
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assessment.facts import LANGUAGES
from ..linalg.matrix import Array
from ..text.foreign import foreign_message
from .audit import N_AUDIT

if TYPE_CHECKING:
    from ..assessment.assessment import Assessment
    from .labelling import Labelling

NOTABLE = 0.02  # difference of two accuracies that is worth a sentence
SMALL_RANGE = 0.1  # of class proportions: the methods agree
MANY = 0.6  # share of the labels to review from which the mark does not help to choose


def tell(result: Labelling, labelled: str | PathLike[str] | None = None) -> dict[str, Any]:
    """The story of a result.

    Parameters
    ----------
    result : Labelling
        The labels.
    labelled : path, default=None
        The file to which they were written. The commands name it; without it they are Python.

    Returns
    -------
    story : dict
        `known` and `not_known` (sentences) and `next` (steps, each with `sentence` and `commands`).
    """
    a = result.assessment
    return {
        "known": [
            *spellings(result),
            *other_languages(result),
            *(fact.sentence for fact in a.facts),
            *estimates(a),
            agreement(a),
            marks(result),
            *answered(result),
        ],
        "not_known": not_known(result),
        "next": next_steps(result, labelled),
    }


def estimates(a: Assessment) -> list[str]:
    """The estimated accuracy, if there is one."""
    if not a.can_estimate:
        return []
    b, plain = a.balanced_accuracy, a.accuracy
    overall = f"; about {plain.mean:.0%} over all documents ({plain.low:.0%} to {plain.high:.0%})"
    return [
        f"Averaged over the classes, about {b.mean:.0%} of the labels are correct ({b.low:.0%} to {b.high:.0%} is "
        f"plausible){overall if abs(b.mean - plain.mean) >= NOTABLE else ''}. These are estimates; their ranges follow "
        f"from {f'{a.n_answers} answers' if a.n_answers else f'{a.n_corpora} other collections of texts'}."
    ]


def agreement(a: Assessment) -> str:
    """How far the methods agree, and how much the result differs from a classifier without transfer."""
    codes, final = a.members.codes, a.proba.argmax(axis=1)
    return (
        f"{len(codes)} methods give {(codes == final).mean():.0%} of the documents the same label as this result, on "
        f"average. {a.changed:.0%} of the labels differ from those of an ordinary classifier, which learns from the "
        "labelled documents only."
    )


def spellings(result: Labelling) -> list[str]:
    """A sentence about labels that differ only in their spelling, if there are such labels."""
    text = result._inputs.spellings
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
    share = f"{n_marked:,} of {n:,} labels ({n_marked / n:.0%}) are marked for review."
    if are_many_marked(result):
        return f"{share} {why_many(result)}"
    wrong = 1 - float(result.confidence[~result.needs_review].mean())
    return f"{share} Of the others about {wrong:.0%} are expected to be wrong."


def why_many(result: Labelling) -> str:
    """Why many labels are marked, also if the verdict on all labels is good, and what to do."""
    a, least = result.assessment, result.settings["min_confidence"]
    if any(fact.review_all for fact in a.facts):
        return "What is said above about the documents requires it."
    start = "Start with the labels of the lowest confidence"
    if least is not None:
        return f"Most of them have a confidence below {least:.0%} (--min-confidence). {start}, or lower this limit."
    limit = result.settings["target_error"]
    verdict = f"The verdict is about all labels, of which about {1 - a.accuracy.mean:.0%} are expected to be wrong. "
    return (
        f"{verdict if a.can_estimate else ''}The marks have another aim: of the labels without a mark at most "
        f"{limit:.0%} are expected to be wrong (target_error). {start}, or allow more errors: "
        f"target_error={min(1, max(2 * limit, 0.1)):g} (--target-error)."
    )


def answered(result: Labelling) -> list[str]:
    """How many labels people gave."""
    if result.answers is None or not len(result.answers.rows):
        return []
    return [f"People have answered {len(result.answers.rows):,} of the documents; these answers are kept."]


def not_known(result: Labelling) -> list[str]:
    """What cannot be found out without labels of new documents."""
    a = result.assessment
    sentences = ["How many labels are really correct. Only people who check a random sample can find out."]
    if not a.can_estimate:
        sentences = ["How many labels are correct: these documents do not allow an estimate."]
    elif a.signals.contradict and not a.n_answers:
        sentences.append(
            "Which sign to believe: tests on the labelled documents and the agreement of the methods contradict each "
            "other, so the range is wide."
        )
    proportions = a.proportions
    if not proportions.given and not a.n_answers:  # with answers they are estimated
        sentences.append(proportions_sentence(proportions.low, proportions.high, result.estimator.classes_))
    n_marked = int((result.groups >= 0).sum())
    sentences.append(
        f"Whether the {n_marked:,} documents that resemble no class are a class of their own. Their labels are wrong "
        "then."
        if n_marked
        else "Whether the new documents contain a class that the labelled documents lack. No such group was found, but "
        "a small group, or one that resembles a class, can be missed."
    )
    return sentences


def proportions_sentence(low: Array, high: Array, classes: Array) -> str:
    """How uncertain the class proportions are."""
    c = int(np.argmax(high - low))
    beginning = "How often each class really occurs among the new documents"
    if high[c] - low[c] <= SMALL_RANGE:
        return f"{beginning}. The methods agree on it, but they can share an error."
    return f"{beginning}. The methods disagree, most about {classes[c]!s}: {low[c]:.0%} to {high[c]:.0%}."


def next_steps(result: Labelling, labelled: str | PathLike[str] | None) -> list[dict[str, Any]]:
    """What to do, the most useful first."""
    n = min(N_AUDIT, int(result.predicted.sum()))
    ways_out = list(dict.fromkeys(fact.way_out for fact in result.assessment.facts))
    if result.verdict.level == "unsafe" and not ways_out:
        ways_out = ["Label some new documents by hand, or use labelled documents that resemble them more."]
    if labelled is None:
        commands = ['result.audit().write("sample.csv")', 'result.certify("sample.csv").text()']
    else:
        file = shlex.quote(fspath(labelled))
        commands = [f"labelferry audit {file} -o sample.csv", f"labelferry certify {file} sample.csv"]
    sample = (
        f"Check {n} documents that are drawn at random: run the first command, fill in the column answer of "
        "sample.csv, and run the second command. It prints how many labels are correct, with a guarantee."
    )
    if result._inputs.spellings:
        ways_out.insert(0, "Merge the labels that differ only in their spelling: merge_labels=True (--merge-labels).")
    return [
        *({"sentence": way_out, "commands": []} for way_out in ways_out),
        {"sentence": sample, "commands": commands},
    ]
