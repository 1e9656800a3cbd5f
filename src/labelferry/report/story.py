"""The result in plain words for people who decide: what is known, what is not known, and what to do next."""

from __future__ import annotations

import shlex
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from ..assessment.assessment import Assessment
from ..certificate.interval import span
from ..labelling.held_out import has_learned
from ..labelling.labelling import Labelling
from ..labelling.outlook import usable_outlook
from ..labelling.verdict import marks, other_languages, spellings, verdict_of
from ..linalg.matrix import Array

SMALL_RANGE = 0.1  # of class proportions: the methods agree


def tell(result: Labelling, labelled: str | PathLike[str] | None = None, job: str | None = None) -> dict[str, Any]:
    """The story of a result.

    `labelled`: the file to which they were written; `job`: their review job. The commands name it; without both they
    are Python. Returns `use`, `known` and `not_known` (sentences) and `next` (steps, each with `sentence` and
    `commands`).
    """
    a = result.assessment
    return {
        "use": [usable_outlook(result, in_job=job is not None)["sentence"], marks(result), *answered(result)],
        "known": [
            *spellings(result),
            *other_languages(result),
            *(fact.sentence for fact in a.facts),
            *estimates(a),
        ],
        "not_known": not_known(result),
        "next": next_steps(result, labelled, job),
    }


def estimates(a: Assessment) -> list[str]:
    """What the range of correct labels is worth, if there is one."""
    if not a.can_estimate:
        return []
    origin = f"estimated from {a.n_answers} answers" if a.n_answers else "such ranges were right in nine of ten tests"
    return [f"Probably {span(a.accuracy.low, a.accuracy.high)} of the labels are correct ({origin})."]


def answered(result: Labelling) -> list[str]:
    """How many labels people gave."""
    if result.answers is None or not len(result.answers.rows):
        return []
    return [f"People have answered {len(result.answers.rows):,} of the documents; these answers are kept."]


def not_known(result: Labelling) -> list[str]:
    """What cannot be found out without labels of new documents."""
    a = result.assessment
    sentences = ["How many labels are really correct: only answers show it."]
    if a.n_answers:
        sentences = [f"How many labels are really correct, beyond the estimate from {a.n_answers} answers."]
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
    if not (result.groups >= 0).any():  # otherwise a fact says it
        sentences.append("Whether there is a new class: none was found, but a small one can be missed.")
    return sentences


def proportions_sentence(low: Array, high: Array, classes: Array) -> str:
    """How uncertain the class proportions are."""
    c = int(np.argmax(high - low))
    beginning = "The real share of each class among the new documents"
    if high[c] - low[c] <= SMALL_RANGE:
        return f"{beginning}: all methods agree, but all can be wrong."
    return f"{beginning}: for {classes[c]!s}, the methods say {span(low[c], high[c])}."


def next_steps(result: Labelling, labelled: str | PathLike[str] | None, job: str | None) -> list[dict[str, Any]]:
    """What to do, the most useful first; the last step is the way to labels that can be used."""
    ways_out = list(dict.fromkeys(fact.way_out for fact in result.assessment.facts if fact.way_out))
    if verdict_of(result).level == "unsafe" and not ways_out:
        ways_out = ["Run again with labelled documents that are more similar to the new ones. Or:"]
    if result.inputs.spellings:
        ways_out.insert(0, "Merge the labels that differ only in their spelling: merge_labels=True (--merge-labels).")
    return [*({"sentence": way_out, "commands": []} for way_out in ways_out), way_to_use(result, labelled, job)]


def way_to_use(result: Labelling, labelled: str | PathLike[str] | None, job: str | None) -> dict[str, Any]:
    """How to find labels that can be used, by the way in which the labels were stored."""
    if job is not None:
        sentence = "Run this and answer questions about documents. It shows after every answer which labels are usable."
        return {"sentence": sentence, "commands": [f"labelferry review {shlex.quote(job)}"]}
    if labelled is None:
        sentence = "Answer the row that the first line names, again and again; the second says which labels to use."
        return {
            "sentence": sentence,
            "commands": ["result.accept(answers=answers).next_row()", "result.accept(answers=answers).text()"],
        }
    # labels that learned probably did so from sample.csv, which must not be overwritten
    sample = f"{Path(labelled).stem}_sample.csv" if has_learned(result) else "sample.csv"
    sentence = (
        f"Run this, fill in the column “answer” of {sample}, and run the command that is printed: it says which labels "
        "you can use, with a guarantee."
    )
    command = f"labelferry accept {shlex.quote(fspath(labelled))} -o {shlex.quote(sample)}"
    return {"sentence": sentence, "commands": [command]}
