"""The certificate in plain sentences."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor
from typing import TYPE_CHECKING

from .duel import NO, YES
from .interval import Interval

if TYPE_CHECKING:
    from .certificate import Certificate


def sentences(certificate: Certificate) -> list[str]:
    """What was certified, and what it does not mean.

    Parameters
    ----------
    certificate : Certificate
        The certificate.

    Returns
    -------
    sentences : list of str
        Accuracy first.
    """
    c = certificate
    if not c.n_answers and not c.n_known:
        nothing = "No answers of the random sample yet: no accuracy is certified. Answer its questions first."
        return [nothing, _duel(c)] if c.better_than_source_only.n_answers else [nothing]
    level = f"{100 * c.level:g} %"
    result = [
        f"With {level} confidence, {between(c.accuracy)} of the {c.n_documents:,} labels are correct "
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
    for one in c.classes[:-1]:
        result.append(
            f"Class {one.label}: {between(one.proportion)} of the documents{_quality(one.precision, one.recall)}."
        )
    result.append(f"None of these classes: {between(c.classes[-1].proportion)} of the documents.")
    result.append(_duel(c))
    result += [
        f"Expected: {count(need.more_answers, 'more answer')} until: {need.goal}."
        for need in c.needed
        if need.more_answers
    ]
    result.append(
        f"Each statement alone holds with {level} confidence, after any number of answers; all of them together hold "
        "less often. It says nothing about single labels or about documents that come later, and it relies on the "
        "answers being correct and on the documents being asked in the given random order."
    )
    return result


def _quality(precision: Interval | None, recall: Interval | None) -> str:
    parts = [
        text
        for text in (
            "" if precision is None else f"precision {between(precision)}",
            "" if recall is None else f"recall {between(recall)}",
        )
        if text
    ]
    return "; " + ", ".join(parts) if parts else ""


def _duel(c: Certificate) -> str:
    duel = c.better_than_source_only
    if not duel.n_different:
        return "The labels are the same as those of the source-only classifier."
    d = duel.difference
    if d.low == d.high == 0:
        return (
            "The labels and the source-only classifier are equally often correct: all documents on which they differ "
            "are answered."
        )
    evidence = (
        f"the difference in accuracy is between {100 * d.low:+.1f} and {100 * d.high:+.1f} points "
        f"({count(duel.n_answers, 'answer')} on the {duel.n_different:,} documents on which they differ)"
    )
    if duel.verdict == YES:
        return f"Better than the source-only classifier: yes; {evidence}."
    if duel.verdict == NO:
        return f"Better than the source-only classifier: no; {evidence}."
    ahead = f" Ahead so far, without a guarantee: {duel.leader}." if duel.n_answers else ""
    return f"Better than the source-only classifier: not yet known; {evidence}.{ahead}"


def between(interval: Interval) -> str:
    """The ends in words, rounded outward; one number if they are equal."""
    low, high = interval.low, interval.high
    return percent(low) if low == high else f"between {percent(low, floor)} and {percent(high, ceil)}"


def percent(share: float, rounding: Callable[[float], int] = round) -> str:
    """A share in percent; one digit after the point near 0 and 1, where whole numbers would hide the rest."""
    digits = 1 if min(share, 1 - share) < 0.02 else 0
    value = rounding(round(share * 10 ** (2 + digits), 6)) / 10**digits
    return f"{value:g} %"


def count(n: int, noun: str) -> str:
    """A number with its noun."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
