"""What the main job returns: labels, how sure they are, the words that spoke for them, and a page to show."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..auto.assess import member_rows, verdict
from ..auto.judgement import Verdict
from ..linalg.matrix import Array
from ..text import check_place, to_frame, with_columns, write_table
from .features import Features
from .inputs import Inputs
from .model import Model
from .panel import Outcome
from .summary import summarize


@dataclass(frozen=True, repr=False)
class Labelling:
    """Answers for the rows of the target, in their order.

    labels : the answers.
    confidence : the chance of the answer to be right, estimated without labels of the target.
    alternative : the next best answer.
    evidence : the words that spoke for the answer, a list a row.
    typical : of every class the words that tell it from the others.
    needs_review : True for the least sure, so that of the others no more than `target_error` are likely to be wrong;
        with `min_confidence`, for those below it. True also where there was no word to go by.
    estimated_accuracy : of all answers.
    members : the methods that were fitted.
    verdict : may these labels be believed? `level` ("safe", "doubtful" or "unsafe"), `sentence` and `reasons`.
    """

    inputs: Inputs
    features: Features
    outcome: Outcome
    labels: Array
    confidence: Array
    alternative: Array
    evidence: list[list[str]]
    typical: dict[str, list[str]]
    needs_review: Array
    settings: dict[str, Any]
    seconds: dict[str, float]

    def __repr__(self) -> str:
        return (
            f"<labelferry labels: {len(self.labels)} documents by {self.method}, {self.verdict.level}, about "
            f"{self.estimated_accuracy['mean']:.0%} right, {int(self.needs_review.sum())} to review>"
        )

    @property
    def method(self) -> str:
        return self.outcome.name

    @property
    def estimator(self) -> Any:
        return self.outcome.estimator

    @property
    def verdict(self) -> Verdict:
        return verdict(self.outcome.found)

    @property
    def estimated_accuracy(self) -> dict[str, float]:
        """`mean`, and `low` and `high`, the ends of its interval."""
        return dict(zip(("mean", "low", "high"), self.outcome.found.accuracy.tolist(), strict=True))

    @property
    def members(self) -> list[dict[str, Any]]:
        """One dict a method that was fitted: `method`, `weight`, `agreement`, `level`, `seconds`."""
        return member_rows(self.outcome.found)

    def columns(self) -> dict[str, list[Any]]:
        """The new columns: label, confidence, alternative, evidence (words with commas) and needs_review."""
        return {
            "label": self.labels.tolist(),
            "confidence": np.round(self.confidence.astype(float), 4).tolist(),
            "alternative": self.alternative.tolist(),
            "evidence": [", ".join(words) for words in self.evidence],
            "needs_review": self.needs_review.tolist(),
        }

    def frame(self) -> Any:
        """The target with the new columns: a frame of the user's kind; for files and lists a dict of columns."""
        if hasattr(self.inputs.given, "columns"):
            return to_frame(self.inputs.target, self.columns(), like=self.inputs.given)
        return with_columns(self.inputs.target, self.columns())

    def write(self, path: str | PathLike[str]) -> list[str]:
        """Write the target with the new columns; the suffix is the format. Returns what there is to say about it."""
        return write_table(self.inputs.target, self.columns(), path)

    def summary(self, *, comparison: Any = ()) -> dict[str, Any]:
        """All that the page shows, as plain values."""
        return summarize(self, comparison=comparison)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one self-contained HTML page."""
        from ..report.page import write_page  # takes the charts along, which take half a second

        write_page(self.summary(), check_place(Path(path)))

    def save(self, path: str | PathLike[str]) -> None:
        """Keep the model with its words, to label later documents: `labelferry.load(path).label(texts)`."""
        if self.features.vectorizer is None:
            raise ValueError("a model of your own features has no words to keep; save the estimator: result.estimator.")
        cleaning = {name: self.settings[name] for name in ("html", "headers", "signatures")}
        Model(self.estimator, self.features.vectorizer, cleaning, self.typical).save(path)
