"""What the main job returns: labels, how sure they are, the words that spoke for them, and a page to show."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..auto import Choice, Verdict
from ..linalg.matrix import Array
from ..report.page import write_page
from ..text import to_frame, write_table
from .features import Features
from .inputs import Inputs
from .model import Model
from .summary import summarize


@dataclass(frozen=True)
class Labelling:
    """Answers for the rows of the target, in their order.

    labels : the answers.
    confidence : the probability that the method gives to its answer.
    alternative : the next best answer.
    evidence : the words that spoke for the answer, a list a row.
    typical : of every class the words that tell it from the others.
    needs_review : True where the confidence is below `min_confidence`, or there was no word to go by.
    verdict : may these labels be believed? `level` ("safe", "doubtful" or "unsafe"), `sentence` and `reasons`.
    """

    inputs: Inputs
    features: Features
    choice: Choice
    labels: Array
    confidence: Array
    alternative: Array
    evidence: list[list[str]]
    typical: dict[str, list[str]]
    needs_review: Array
    verdict: Verdict
    settings: dict[str, Any]
    seconds: dict[str, float]

    @property
    def method(self) -> str:
        return self.choice.best.name

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
        return {**self.inputs.target.columns, **self.columns()}

    def write(self, path: str | PathLike[str]) -> list[str]:
        """Write the target with the new columns; the suffix is the format. Returns what there is to say about it."""
        return write_table(self.inputs.target, self.columns(), path)

    def summary(self, *, comparison: Any = ()) -> dict[str, Any]:
        """All that the page shows, as plain values."""
        return summarize(self, comparison=comparison)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one self-contained HTML page."""
        write_page(self.summary(), Path(path))

    def save(self, path: str | PathLike[str]) -> None:
        """Keep the model with its words, to label later documents: `labelferry.load(path).label(texts)`."""
        if self.features.vectorizer is None:
            raise ValueError("a model of your own features has no words to keep; save the estimator: result.estimator.")
        cleaning = {name: self.settings[name] for name in ("html", "headers", "signatures")}
        Model(self.choice.best.estimator, self.features.vectorizer, cleaning, self.typical).save(path)

    @property
    def estimator(self) -> Any:
        return self.choice.best.estimator
