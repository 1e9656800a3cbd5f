"""A certificate: what hand-made answers prove about labels, with exact bounds that hold after every answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .duel import NO, SOURCE_ONLY, YES, Duel, compare
from .interval import LEVEL, Interval, between, count, share_interval
from .planning import Need, plan
from .proportions import ClassSample, proportion_interval, recall_interval, with_unsure
from .sampling import NO_CLASS, UNCLEAR_CODE, Answers, check_answers, keep, no_answers

LEVELS = (0.5, 0.999)


class ClassCertificate(NamedTuple):
    """What is known about one class.

    Attributes
    ----------
    label : str
        Name of the class; the last one is "none of these".
    precision : Interval or None
        Share of correct labels among the documents with this label; None without such documents.
    recall : Interval or None
        Share of the documents of the class that have its label; None if no such document was seen.
    proportion : Interval
        Share of all documents that are of the class.
    """

    label: str
    precision: Interval | None
    recall: Interval | None
    proportion: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {k: v.as_dict() if isinstance(v, Interval) else v for k, v in self._asdict().items()}


class Certificate(NamedTuple):
    """What the answers prove. Each interval holds with the given level, at every number of answers.

    Attributes
    ----------
    level : float
        Confidence level of each interval.
    n_documents : int
        Number of labelled target documents.
    n_answers : int
        Answers in the random sample.
    n_unclear : int
        Those of them that are unclear.
    n_known : int
        Documents whose answers the labels learned from. They count with their answers and are not sampled.
    accuracy : Interval
        Share of correct labels.
    error_not_reviewed : Interval or None
        Share of wrong labels among those without needs_review; None if there are none.
    classes : tuple of ClassCertificate
        One per class, and one for none of these.
    better_than_source_only : Duel
        Comparison with the source-only classifier.
    needed : tuple of Need
        Expected numbers of further answers.
    """

    level: float
    n_documents: int
    n_answers: int
    n_unclear: int
    n_known: int
    accuracy: Interval
    error_not_reviewed: Interval | None
    classes: tuple[ClassCertificate, ...]
    better_than_source_only: Duel
    needed: tuple[Need, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the page and for JSON."""
        error = self.error_not_reviewed
        return {
            **self._asdict(),
            "accuracy": self.accuracy.as_dict(),
            "error_not_reviewed": None if error is None else error.as_dict(),
            "classes": [one.as_dict() for one in self.classes],
            "better_than_source_only": self.better_than_source_only.as_dict(),
            "needed": [need._asdict() for need in self.needed],
            "sentences": self.sentences(),
        }

    def sentences(self) -> list[str]:
        """The certificate in plain sentences."""
        return certificate_sentences(self)

    def text(self) -> str:
        """The sentences, one per line."""
        return "\n".join(self.sentences())


def certificate_sentences(c: Certificate, what: str = "labels are correct") -> list[str]:
    """What was certified, and what it does not mean; first how many of the documents are `what`."""
    if not c.n_answers and not c.n_known:
        nothing = "No answers of the random sample yet: no accuracy is certified. Answer its questions first."
        return [nothing, _duel(c)] if c.better_than_source_only.n_answers else [nothing]
    level = f"{100 * c.level:g}%"
    result = [
        f"With {level} confidence, {between(c.accuracy)} of the {c.n_documents:,} {what} "
        f"({count(c.n_answers, 'answer')})."
    ]
    if c.n_known:
        result.append(
            f"The labels learned from {count(c.n_known, 'earlier answer')}: these documents count with their answers, "
            "and only answers that were given after learning certify the others."
        )
    if c.n_unclear:
        result.append(
            f"{count(c.n_unclear, 'answer')} unclear: counted as wrong for the lower end, correct for the upper."
        )
    if c.error_not_reviewed is not None:
        result.append(f"Of the labels that are not marked for review, {between(c.error_not_reviewed)} are wrong.")
    result += [class_sentence(one) for one in c.classes[:-1]]
    result += [f"None of these classes: {between(one.proportion)} of the documents." for one in c.classes[-1:]]
    result += filter(None, [_duel(c)])
    result += [
        f"After about {count(need.more_answers, 'more answer')}: {need.goal}." for need in c.needed if need.more_answers
    ]
    result.append(
        f"Each sentence alone holds with {level} confidence, however many answers there are; all of them together hold "
        "less often. They are about these labels as a whole, not about single labels or later documents. The answers "
        "must be right, and the documents answered in the order of the sample."
    )
    return result


def class_sentence(one: ClassCertificate, noun: str = "Class") -> str:
    """What is known about a class."""
    quality = {"precision": one.precision, "recall": one.recall}
    known = ", ".join(f"{name} {between(value)}" for name, value in quality.items() if value is not None)
    return f"{noun} {one.label}: {between(one.proportion)} of the documents{known and f'; {known}'}."


def _duel(c: Certificate) -> str:
    duel = c.better_than_source_only
    if not duel.rival:
        return ""
    rival = f"the {duel.rival}"
    if not duel.n_different:
        return f"The labels are the same as those of {rival}."
    d = duel.difference
    if d.low == d.high == 0:
        return f"The labels and {rival} are equally often correct: all documents on which they differ are answered."
    evidence = (
        f"the difference in accuracy is between {100 * d.low:+.1f} and {100 * d.high:+.1f} points "
        f"({count(duel.n_answers, 'answer')} on the {duel.n_different:,} documents on which they differ)"
    )
    if duel.verdict == YES:
        return f"Better than {rival}: yes; {evidence}."
    if duel.verdict == NO:
        return f"Better than {rival}: no; {evidence}."
    ahead = f" Ahead so far, without a guarantee: {duel.leader}." if duel.n_answers else ""
    return f"Better than {rival}: not yet known; {evidence}.{ahead}"


def certify(
    labels: Array | Sequence[int],
    source_only: Array | Sequence[int],
    needs_review: Array | Sequence[bool],
    audit: Answers,
    duel: Answers,
    *,
    classes: Sequence[str],
    level: float = LEVEL,
    confidence: Array | None = None,
    known: Answers | None = None,
    rival: str = SOURCE_ONLY,
) -> Certificate:
    """Certify labels by hand-made answers.

    The labels may have learned from the `known` answers, and from no other.

    Parameters
    ----------
    labels : array of int of shape (n_documents,)
        Predicted codes, from 0 to K - 1.
    source_only : array of int of shape (n_documents,)
        Codes of the source-only classifier.
    needs_review : array of bool of shape (n_documents,)
        Labels that are marked for review.
    audit : Answers
        A prefix of `audit_order`, in this order.
    duel : Answers
        A prefix of `duel_order`, in this order.
    classes : sequence of str
        Names of the K classes.
    level : float, default=0.95
        Confidence level of each interval, from .5 to .999.
    confidence : array of shape (n_documents,), default=None
        Probability of each label to be correct, estimated without the answers. It makes the intervals of class
        proportions and recall narrower; they are valid whatever it is.
    known : Answers, default=None
        All answers that were there when the labels were fitted, in any order. Their documents count exactly and leave
        the population that the samples are drawn from; the orders of the samples were drawn for them (`audit_order`).
    rival : str, default="source-only classifier"
        Name of the labeller whose codes are in `source_only`, for sentences; empty: no comparison.

    Returns
    -------
    certificate : Certificate
        Intervals, verdict and plan.
    """
    labels, source_only, needs_review, confidence = _check(
        labels, source_only, needs_review, confidence, len(classes), level
    )
    n, K = len(labels), len(classes)
    given = check_answers(no_answers() if known is None else known, n, K, "known")
    sampled = np.ones(n, dtype=bool)
    sampled[given.rows] = False
    given_labels, unsure = labels[given.rows], given.codes == UNCLEAR_CODE
    audit = keep(check_answers(audit, n, K, "audit"), sampled)
    duel = check_answers(duel, n, K, "duel")
    unclear, correct = audit.codes == UNCLEAR_CODE, audit.codes == labels[audit.rows]
    n_sampled, n_known = int(sampled.sum()), len(given.rows)

    def share(values: Array, given_values: Array, mask: Array) -> Interval:
        inside, outside = mask[audit.rows], mask[given.rows]
        return share_interval(
            values[inside], unclear[inside], int((mask & sampled).sum()), level,
            known=int((given_values & outside & ~unsure).sum()), n_known=int(outside.sum()),
            unsure=int((unsure & outside).sum()),
        )  # fmt: skip

    given_correct = given.codes == given_labels
    accuracy = share(correct, given_correct, np.ones(n, dtype=bool))
    free = ~needs_review
    error = share(~correct, ~given_correct, free) if free.any() else None
    position = np.cumsum(sampled) - 1
    rows, kept = position[audit.rows], labels[sampled]
    kept_confidence = None if confidence is None else confidence[sampled]

    def one_class(code: int, name: str) -> ClassCertificate:
        has_label, n_of_class = labels == code, int((given.codes == code).sum())
        precision = share(correct, given_correct, has_label) if has_label.any() else None
        n_unsure = int(unsure.sum())
        sample = ClassSample(kept, audit.codes, rows, code, K, kept_confidence)
        proportion = proportion_interval(sample, level, known=n_of_class, n_known=n_known, unsure=n_unsure)
        recall = None
        if code < K:
            n_missed = int(((given.codes == code) & (given_labels != code)).sum())  # an answer changed after learning
            n_found = n_of_class - n_missed
            recall = recall_interval(sample, level, known=n_found)
            recall = with_unsure(recall, proportion.low * n - n_missed, n_missed, n_unsure)
        return ClassCertificate(name, precision, recall, proportion)

    comparison = compare(labels, source_only, duel, K, level, known=given, rival=rival)
    n_duel = int(((labels != source_only) & sampled).sum())
    needed = plan(accuracy, len(audit.rows), n_sampled, comparison, n_duel, level)
    return Certificate(
        level=level,
        n_documents=n,
        n_answers=len(audit.rows),
        n_unclear=int(unclear.sum()),
        n_known=n_known,
        accuracy=accuracy,
        error_not_reviewed=error,
        classes=tuple(one_class(code, name) for code, name in enumerate([*map(str, classes), NO_CLASS])),
        better_than_source_only=comparison,
        needed=tuple(needed),
    )


def _check(
    labels: Any, source_only: Any, needs_review: Any, confidence: Any, n_classes: int, level: float
) -> tuple[Array, Array, Array, Array | None]:
    """The arguments as arrays; ValueError with rule, value and way out."""
    labels = np.asarray(labels)
    if labels.ndim != 1 or not len(labels):
        raise ValueError(
            f"labels must be one-dimensional and not empty, got shape {labels.shape}. Pass one code per document."
        )
    if not (np.issubdtype(labels.dtype, np.integer) and labels.min() >= 0 and labels.max() < n_classes):
        raise ValueError(
            f"labels must be integers from 0 to {n_classes - 1}, positions in `classes`, got {labels.dtype} values "
            f"such as {labels[0]!r}. Pass codes, for example numpy.searchsorted(classes, names) with sorted classes."
        )
    arrays = {"source_only": np.asarray(source_only), "needs_review": np.asarray(needs_review)}
    if confidence is not None:
        arrays["confidence"] = np.asarray(confidence, dtype=float)
    for name, array in arrays.items():
        if array.shape != labels.shape:
            raise ValueError(f"{name} must have one value per document, shape {labels.shape}, got {array.shape}.")
    if confidence is not None and not ((arrays["confidence"] >= 0) & (arrays["confidence"] <= 1)).all():
        raise ValueError("confidence must be from 0 to 1. Pass probabilities of the labels to be correct, or None.")
    if not LEVELS[0] <= level <= LEVELS[1]:
        raise ValueError(f"level must be from {LEVELS[0]} to {LEVELS[1]}, got {level}. The usual choice is {LEVEL}.")
    return labels, arrays["source_only"], arrays["needs_review"].astype(bool), arrays.get("confidence")
