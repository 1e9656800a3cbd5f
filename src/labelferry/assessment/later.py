"""Later documents, labelled by a saved model: are they like those that the model was fitted on?

Without labels, only differences can be found: the facts of `facts.py`, with the labels at fitting (`reference.py`)
instead of the source, and two more. The verdict is that of the fit, or worse if a fact applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.sampling import MAX_COMPARED, sample_rows
from ..linalg.matrix import Array, Matrix, empty_rows
from .agreement import margin
from .assessment import overrule
from .confidence import needs_review
from .copies import nearest_others, share_of_copies
from .facts import TargetFacts
from .reference import Reference
from .rules import LATER, MIN_LABELLED, MIN_NEW, MIN_PER_CLASS, Fact, Seen, find_facts
from .verdict import LEVELS, Verdict

CHANGED, DISTANT = "changed proportions", "distant documents"
# Of the mean documents. Measured with 40 documents, five draws each: random parts of one set, at most .03; other
# products, .10 (electronics and kitchen), .14 (dvd and books), .25 (books and kitchen) and .64 (the demo).
MAX_DISTANCE = 0.2
MAX_CHANGE = 0.3  # share of documents that would have to change their label to get the class proportions at fitting


class LaterAssessment(NamedTuple):
    """What can be estimated about the labels of later documents."""

    reference: Reference
    level: str
    facts: tuple[Fact, ...]
    p_correct: Array  # NaN for documents without a known word, which get no label
    review: Array
    proportions: Array  # of the labels
    known_documents: float
    known_words: float
    distance: float | None = None  # of the mean document to that at fitting; None if the model does not know it

    @property
    def labelled(self) -> Array:
        """True for documents that get a label: those with a known word."""
        return ~np.isnan(self.p_correct)

    @property
    def mean_confidence(self) -> float | None:
        """Mean confidence of the labels; None without a label."""
        return float(self.p_correct[self.labelled].mean()) if self.labelled.any() else None

    def verdict(self) -> Verdict:
        """The verdict in words."""
        r, a = self.reference, self.reference.accuracy
        reasons = [fact.advice for fact in self.facts]
        estimated = (
            "share of correct labels unknown"
            if a is None
            else f"about {a.mean:.0%} of the labels correct (90% interval {a.low:.0%} to {a.high:.0%})"
        )
        reasons.append(
            f"Verdict when the model was fitted: {r.level}, {estimated}. It applies to later documents only if they "
            "are like those at fitting."
        )
        reasons.append(
            f"{self.known_documents:.0%} of the later documents contain a word that the model knows (at fitting "
            f"{r.known_documents:.0%}); {self.known_words:.0%} of their words are known (at fitting "
            f"{r.known_words:.0%})."
        )
        if self.distance is not None and DISTANT not in [fact.name for fact in self.facts]:
            reasons.append(
                f"Distance of the mean document to that at fitting: {self.distance:.2f} (0 equal, 1 no common word)."
            )
        n = int(self.labelled.sum())
        if n < MIN_NEW:
            reasons.append(
                f"{n} of {len(self.p_correct)} later documents got a label: too few to compare their class proportions "
                "and their confidence with those at fitting."
            )
        else:
            if CHANGED not in [fact.name for fact in self.facts]:
                change = proportion_change(self.proportions, np.array(r.proportions))
                reasons.append(
                    f"{change:.0%} of the labels would have to change to get the class proportions at fitting."
                )
            reasons.append(f"Mean confidence {self.mean_confidence:.0%} (at fitting {r.mean_confidence:.0%}).")
        reasons.append(
            "Not known without labels: whether accuracy changed for other reasons. To find out, label a random sample "
            "by hand: 40 later documents, or all if there are fewer."
        )
        return Verdict(self.level, LEVELS[self.level].sentence, reasons)


def assess_later(
    reference: Reference,
    P: Array,
    X: Matrix,
    *,
    known_words: float,
    classes: Sequence[str],
    distance: float | None = None,
    empty: Array | None = None,
    copies: float = 0.0,
) -> LaterAssessment:
    """Assess the labels of later documents."""
    if empty is None:
        empty = empty_rows(X)
        X = X if empty.all() else X[~empty]
    codes = P[~empty].argmax(axis=1)  # the labels: documents without a known word have none
    confidence = np.interp(margin(P[~empty]), reference.margins, reference.confidence)
    proportions = np.bincount(codes, minlength=P.shape[1]) / max(1, len(codes))
    measured = measure(X, known_documents=float(1 - empty.mean()), known_words=known_words, n_new=len(codes))
    measured = measured._replace(copies=max(measured.copies, copies))
    expected = np.array(reference.proportions)
    facts = find_facts(Seen(measured, codes, codes[:0], classes, expected=expected, wording=LATER))
    facts += changed_proportions(proportions, expected, len(codes)) + low_confidence(confidence, reference)
    facts += distant_documents(distance, len(codes))
    p_correct, review = np.full(len(P), np.nan), np.ones(len(P), dtype=bool)
    p_correct[~empty] = confidence
    if not reference.review_all and not any(fact.review_all for fact in facts):
        least = reference.min_confidence
        review[~empty] = needs_review(confidence, reference.target_error) if least is None else confidence < least
    return LaterAssessment(
        reference=reference,
        level=overrule(reference.level, facts),
        facts=facts,
        p_correct=p_correct,
        review=review,
        proportions=proportions,
        known_documents=measured.known_documents,
        known_words=known_words,
        distance=distance,
    )


def measure(X: Matrix, *, known_documents: float, known_words: float, n_new: int) -> TargetFacts:
    """The measurements of `target_facts` that need no labelled documents; these were judged at fitting."""
    neighbors = nearest_others(X[sample_rows(X.shape[0], MAX_COMPARED)])
    return TargetFacts(
        n_labelled=MIN_LABELLED,
        n_new=n_new,
        least_class=MIN_PER_CLASS,
        known_documents=known_documents,
        known_weight=known_words,
        copies=share_of_copies(X, neighbors),
        to_source=np.zeros(0),
        to_target=np.zeros(0),
    )


def proportion_change(a: Array, b: Array) -> float:
    """Share of the labels that have to change to turn the class proportions a into b."""
    return float(np.abs(a - b).sum() / 2)


def changed_proportions(proportions: Array, before: Array, n: int) -> tuple[Fact, ...]:
    """A fact if the class proportions differ by more than MAX_CHANGE."""
    change = proportion_change(proportions, before)
    if n < MIN_NEW or change <= MAX_CHANGE:
        return ()
    return (
        Fact(
            CHANGED,
            f"The class proportions of the labels differ from those at fitting: {change:.0%} of the labels would have "
            "to change.",
            "Label a random sample by hand, or run `labelferry label` again with these documents.",
            False,
        ),
    )


def distant_documents(distance: float | None, n: int) -> tuple[Fact, ...]:
    """A fact if the mean document is farther than MAX_DISTANCE from that at fitting."""
    if distance is None or n < MIN_NEW or distance <= MAX_DISTANCE:
        return ()
    return (
        Fact(
            DISTANT,
            f"The later documents use other words than those at fitting: the distance of the mean documents is "
            f"{distance:.2f} (0 equal, 1 no common word).",
            "Label a random sample by hand, or run `labelferry label` again with these documents.",
            False,
        ),
    )


def low_confidence(p_correct: Array, reference: Reference) -> tuple[Fact, ...]:
    """A fact if the mean confidence is below the lower end of the estimate at fitting."""
    b = reference.balanced_accuracy
    if b is None or len(p_correct) < MIN_NEW or (mean := float(p_correct.mean())) >= b.lower:
        return ()
    return (
        Fact(
            "low confidence",
            f"The mean confidence of the labels is {mean:.0%}, below the one-sided 90% lower bound of balanced "
            f"accuracy at fitting, {b.lower:.0%}.",
            "Label a random sample by hand, or run `labelferry label` again with these documents.",
            False,
        ),
    )
