"""Class proportions of the target: an estimate with a range, or "unknown".

No estimator tells the class proportions of a target reliably if the words differ from the source. The range is that of
the members of the panel and of the source; if it is wide, the proportions are unknown until there are labels. A user
who knows the proportions gives them, and the labels are matched to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, Self

import numpy as np

from ..core.domains import Domains
from ..core.proportions import class_proportions
from ..linalg.matrix import Array

MAX_RANGE = 0.3  # a wider range means "unknown"
MAX_NAMED = 6  # classes that are named in a sentence
ESTIMATE = "estimate"


class Prior(NamedTuple):
    """Class proportions that the labels were matched to."""

    values: Annotated[Array, "classes"]
    origin: str  # "given", or one of the names "source", "uniform" and "estimate"

    @property
    def known(self) -> bool:
        """Whether the user knows them: "estimate" is only an estimate."""
        return self.origin != ESTIMATE

    @classmethod
    def read(cls, class_prior: Any, domains: Domains) -> Self | None:
        """What the parameter `class_prior` of an estimator stands for; None for None."""
        if class_prior is None:
            return None
        return cls(class_proportions(class_prior, domains), class_prior if isinstance(class_prior, str) else "given")


class Proportions(NamedTuple):
    """One entry per class."""

    mean: Annotated[Array, "classes or NaN"]
    low: Annotated[Array, "classes or NaN"]
    high: Annotated[Array, "classes or NaN"]
    prior: Prior | None = None

    @property
    def known(self) -> bool:
        """Whether the user gave the proportions, or the estimators agree."""
        return self.given or bool((self.high - self.low).max() <= MAX_RANGE)

    @property
    def given(self) -> bool:
        """Whether the user gave the proportions."""
        return self.prior is not None and self.prior.known

    def rows(self, classes: Array) -> list[dict[str, Any]]:
        """One plain dict per class."""
        columns = (classes.tolist(), self.mean.tolist(), self.low.tolist(), self.high.tolist())
        return [{"class": c, "mean": m, "low": a, "high": b} for c, m, a, b in zip(*columns, strict=True)]


def estimate_proportions(
    codes: Array, members: Mapping[str, Array], source: Array, prior: Prior | None = None
) -> Proportions:
    """The proportions of the answer, with the range of the members and of the source; or those that the user gave."""
    shares = [np.bincount(c, minlength=len(source)) / len(c) for c in (codes, *members.values())]
    if prior is not None and prior.known:
        return Proportions(shares[0], prior.values, prior.values, prior)
    return Proportions(shares[0], np.min([*shares, source], axis=0), np.max([*shares, source], axis=0), prior)


def matched_sentence(proportions: Proportions, classes: Sequence[str]) -> str:
    """What the labels were matched to; empty if they were not."""
    if proportions.prior is None:
        return ""
    origins = {
        "given": "that you gave",
        "source": "of the labelled documents, as you chose",
        "uniform": "that are equal, as you chose",
        ESTIMATE: "that were estimated (they may be wrong)",
    }
    wanted, reached = (list_shares(p, classes) for p in (proportions.prior.values, proportions.mean))
    return (
        f"The labels were matched to class proportions {origins[proportions.prior.origin]}: {wanted}. "
        f"The labels have {reached}."
    )


def list_shares(values: Array, classes: Sequence[str]) -> str:
    """The largest proportions by name."""
    order = np.argsort(-values, kind="stable").tolist()
    names = [f"{classes[c]} {values[c]:.0%}" for c in order[:MAX_NAMED]]
    return ", ".join([*names, f"{len(order) - MAX_NAMED} others"] if len(order) > MAX_NAMED else names)
