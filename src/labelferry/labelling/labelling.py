"""The result of the main workflow: labels, confidences, the words behind them, the verdict, and a report."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..assessment.assessment import Assessment
from ..assessment.reference import make_reference
from ..assessment.verdict import Verdict
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.sampling import MAX_COMPARED, sample_rows
from ..ensemble.auto_transfer import AutoTransfer
from ..families.divergence import center
from ..files import write_text
from ..inputs.features import Features
from ..inputs.inputs import Inputs
from ..inputs.methods import cluster_messages
from ..inputs.rows import NO_FEATURES, NO_KNOWN_WORD, NOT_LABELLED, count_rows
from ..linalg.matrix import Array
from ..report.page_values import page_values
from ..report.story import are_many_marked, marks, other_languages, spellings
from ..report.summary import summarize
from ..tables import check_place, to_frame, with_columns
from ..tables.sequences import picked
from .all_rows import other_answers_message
from .answers import AnsweredRows
from .columns import new_columns
from .evidence import word_evidence
from .held_out import learned_message
from .model import Model
from .spreadsheet import write_labelled
from .view_student import fit_view_student

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..certificate import Certificate
    from ..review.job.job import Job
    from ..review.sample.audit import Sample

N_GROUP_WORDS = 5  # per group, in the verdict


@dataclass(frozen=True, repr=False)
class Labelling:
    """Predictions for the rows of the target, in their order.

    There is one entry per row. A row that cannot be read (`skip_bad`), without a text or without a known word has the
    label None, the confidence NaN and a reason. A row of a half-labelled file that has a label keeps it, with the
    confidence NaN.

    Attributes
    ----------
    labels : array of shape (n_target,)
        The predicted labels.
    confidence : array of shape (n_target,)
        Probability of each label to be correct, estimated without labels of the target.
    alternative : array of shape (n_target,)
        The second most probable label.
    evidence : sequence of list of str
        The words that support each label.
    typical : dict of str to list of str
        Per class, the words that distinguish it from the others.
    needs_review : array of bool, shape (n_target,)
        True for the least confident labels, so that the expected error of the others is at most `target_error`; with
        `min_confidence`, for those below it. True also for documents without known words, for `none_of_these` and for
        documents with an `other_language`.
    groups : array of int, shape (n_target,)
        Groups of documents that no class explains: 0, 1, ...; -1 for all other documents.
    group_words : list of list of str
        Per group, the words that distinguish it from all other documents.
    estimator : TransductiveClassifier
        The fitted estimator.
    assessment : Assessment
        Everything that was estimated about the labels.
    settings : dict
        The settings of the run.
    seconds : dict
        Seconds per stage.
    other_language : list of str
        The language of each document if the labelled documents lack it, such as "german"; "" for all others.
    answers : AnsweredRows or None
        The answers that the labels learned from: `rows` of the target and `codes` of the classes.
    reasons : list of str
        Why a row has no predicted label, such as "no text" or "line 12: 3 fields where the header has 2"; "" for all
        others.
    given : array of bool, shape (n_target,)
        True for the rows of a half-labelled file that had a label, and for rows without a text that were answered.
    """

    labels: Array
    confidence: Array
    alternative: Array
    evidence: Sequence[list[str]]
    typical: dict[str, list[str]]
    needs_review: Array
    groups: Array
    group_words: list[list[str]]
    estimator: TransductiveClassifier
    assessment: Assessment
    settings: dict[str, Any]
    seconds: dict[str, float]
    other_language: list[str]
    _source_only: Array  # class codes of the documents
    _inputs: Inputs
    _features: Features
    _domains: Domains
    answers: AnsweredRows | None = None
    reasons: list[str] = field(default_factory=list)
    given: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))
    _documents: Labelling | None = None
    _opened: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        if not self.reasons:
            object.__setattr__(self, "reasons", [""] * len(self.labels))
            object.__setattr__(self, "given", np.zeros(len(self.labels), dtype=bool))

    def __repr__(self) -> str:
        mean, predicted = self.estimated_balanced_accuracy["mean"], self.predicted
        n, n_review = int(predicted.sum()), int((predicted & self.needs_review).sum())
        all_rows = "1 document" if n == 1 else f"{n} documents"
        count = all_rows if n == len(predicted) else f"{n} of {len(predicted)} rows"
        return (
            f"<labelferry labels: {count} by {self.method}, {self.verdict.level}, balanced accuracy "
            f"{'unknown' if mean is None else f'about {mean:.0%}'}, {n_review} to review>"
        )

    def _repr_html_(self) -> str:
        try:
            from ..report import render_card

            return render_card(self.summary())
        except (ImportError, OSError):  # without the extra `report`; after `close`
            return f"<pre>{escape(repr(self))}</pre>"

    @property
    def documents(self) -> Labelling:
        """The same result for the documents only: the rows of the target that have a text and no given label.

        A document without a known word has a class in `labels` here; `predicted` is False for it.
        """
        return self if self._documents is None else self._documents

    @property
    def predicted(self) -> Array:
        """True for the rows whose label was predicted: not for given labels, and not for rows with a reason."""
        return np.asarray(~self.given & np.array([not reason for reason in self.reasons], dtype=bool))

    @property
    def method(self) -> str:
        """Name of the estimator."""
        return type(self.estimator).__name__

    @property
    def verdict(self) -> Verdict:
        """Can these labels be trusted? `level` ("safe", "doubtful" or "unsafe"), `sentence` and `reasons`."""
        verdict = self.assessment.verdict()
        words = "; ".join(", ".join(group[:N_GROUP_WORDS]) for group in self.group_words)
        reasons = [f"Typical words of the documents that resemble no class, per group: {words}."] if words else []
        marked = [marks(self.documents)] if are_many_marked(self.documents) else []
        first = [*spellings(self), *other_languages(self.documents)]
        return verdict._replace(reasons=[*first, *verdict.reasons, *reasons, *marked])

    @property
    def none_of_these(self) -> Array:
        """True for documents that no class explains: they may belong to a class that the labelled documents lack."""
        return self.groups >= 0

    @property
    def estimated_accuracy(self) -> dict[str, float | None]:
        """Estimated accuracy of all labels: `mean`, and the 90 % interval from `low` to `high`; None if unknown."""
        return self.assessment.estimated("accuracy")

    @property
    def estimated_balanced_accuracy(self) -> dict[str, float | None]:
        """Estimated mean accuracy of the classes: `mean`, `low` and `high`. The verdict is based on it."""
        return self.assessment.estimated("balanced_accuracy")

    @property
    def members(self) -> list[dict[str, Any]]:
        """One dict per fitted method: `method`, `weight`, `agreement`, `level`, `seconds`."""
        return self.assessment.members.rows()

    @property
    def messages(self) -> list[str]:
        """What was detected, what was skipped, and what was learned."""
        unknown = np.flatnonzero([reason in (NO_KNOWN_WORD, NO_FEATURES) for reason in self.reasons])
        unknown = self._inputs.new_rows[unknown] if self._documents is None else unknown
        what = "without a known word" if NO_KNOWN_WORD in self.reasons else "whose features are all 0"
        return [
            *self._inputs.messages,
            *self._features.messages,
            *count_rows(self._inputs.all_rows, unknown, what, NOT_LABELLED),
            *learned_message(self.documents),
            *other_answers_message(self),
            *cluster_messages(self.estimator),
        ]

    def columns(self) -> dict[str, Sequence[Any]]:
        """The new columns: label, confidence, alternative, evidence (words with commas), needs_review and source_only.

        `source_only` is the label of the classifier that was trained on the labelled documents only. If a document is
        marked, also none_of_these. If documents are in a language that the labelled documents lack, `other_language`
        names it. If the labels learned from answers, `answer` has these, and `held_out` the labels of
        fits without the answer of the row. If rows have no predicted label, `reason` says why. For a half-labelled file
        `origin` is "given" for the labels that it had and "predicted" for the others; an answer to a row without a text
        is also "given".
        """
        return new_columns(self)

    def frame(self) -> Any:
        """The target with the new columns: a frame of the user's type; for files and lists a dict of columns."""
        if hasattr(self._inputs.given, "columns"):
            return to_frame(self._inputs.all_rows, self.columns(), like=self._inputs.given)
        return with_columns(self._inputs.all_rows, self.columns())

    def write(self, path: str | PathLike[str], *, spreadsheet: bool = False) -> list[str]:
        """Write the target with the new columns; the suffix selects the format. Returns messages.

        With `spreadsheet`, cells of a CSV or TSV file that a spreadsheet would run as a formula get an apostrophe.
        """
        return write_labelled(self._inputs.all_rows, self.columns(), path, spreadsheet=spreadsheet)

    def close(self) -> None:
        """End the connection to a Dask cluster that `label` made.

        After this, only `labels` and other arrays can be used; call `write`, `save` and `report` before.
        """
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def store(self, place: str | PathLike[str], *, seed: int | None = None) -> Job:
        """Start a review job in a new SQLite file or an empty database; `seed` draws its random samples."""
        from ..review.job.job import Job

        return Job.create(self.documents, place, seed=seed)

    def audit(self, n: int = 40, *, n_duel: int = 0, seed: int | None = None, blind: bool = False) -> Sample:
        """Draw a random sample to be answered by people; see `labelferry.review.sample.audit.draw`."""
        from ..review.sample.audit import draw
        from ..review.sample.population import population_of_result

        return draw(population_of_result(self), n, n_duel=n_duel, seed=seed, blind=blind)

    def certify(self, answers: Any, level: float = 0.95) -> Certificate:
        """Certify the labels by a sample of `audit` that was filled in: a path, a frame or a dict of columns."""
        from ..review.sample.filled import certify_sample, read_sample
        from ..review.sample.population import population_of_result

        population = population_of_result(self)
        return certify_sample(population, read_sample(answers, population), level)

    def summary(self) -> dict[str, Any]:
        """Everything that the report shows, as plain values."""
        return dict(self._summary)

    @cached_property
    def _summary(self) -> Mapping[str, Any]:
        summary = summarize(self.documents, self._inputs, self._features, self._domains)
        return {**summary, "messages": self.messages}  # also those about rows that are no documents

    def update(self, answers: Any) -> Labelling:
        """Learn from answers: what people said about some target rows.

        Parameters
        ----------
        answers : mapping of int to label, sequence or sample
            Target row (from 0) to answer, one entry per row with None for unanswered ones, or a sample of `audit` that
            was filled in (a path, a frame or a dict of columns). All answers have to be passed, also earlier ones.
            "none of these" and "unclear" are answers too; they are not learned from.

        Returns
        -------
        result : Labelling
            New labels. Answered rows keep their answers, with confidence 1 and without review.
        """
        from .label import learn_from_answers

        return learn_from_answers(self, answers)

    def report(
        self, path: str | PathLike[str], *, texts: bool = True, labelled: str | PathLike[str] | None = None
    ) -> None:
        """Write one self-contained HTML page.

        Parameters
        ----------
        path : path
            The page, .html.
        texts : bool, default=True
            Whether the page contains the texts. If not, it has no text, no word and none of your columns, only labels,
            numbers and record numbers.
        labelled : path, default=None
            The file of `write`, which the commands on the page then name.
        """
        try:
            from ..report import render_page  # imports the charts, which takes half a second
        except ImportError as error:
            raise ValueError(
                f"the report needs {error.name}: pip install '.[report]' in a clone of labelferry."
            ) from None
        write_text(check_place(Path(path)), render_page(page_values(self, texts=texts, labelled=labelled)))

    def save(self, path: str | PathLike[str]) -> None:
        """Save the model with its vocabulary, to label later documents: `labelferry.load(path).label(texts)`."""
        if self._features.vectorizer is None:
            raise ValueError("a model of your own features has no vocabulary; save the estimator: result.estimator.")
        documents, texts = self.documents, self._inputs.texts
        codes = np.searchsorted(self.estimator.classes_, documents.labels)
        student = None
        if isinstance(self.estimator, AutoTransfer) and self._features.view is not None:
            student = fit_view_student(self._features.view_name, self._features.view, self._domains, codes)
        cleaning = {name: self.settings[name] for name in ("html", "headers", "signatures")}
        proba, shown = self.estimator.transduction_proba_, self._features.shown
        scores = word_evidence(self._domains, proba, shown).score.astype(np.float32)
        model = Model(
            self.estimator,
            self._features.vectorizer,
            cleaning,
            self.typical,
            text=self._inputs.columns.text_target,
            word_scores=scores,
            center=center(self._features.Xt),
            view=student,
        )
        reference = make_reference(
            self.assessment,
            labels=codes,
            confidence=documents.confidence,
            P=model.proba(texts) if student else self.estimator.predict_proba(self._features.Xt),
            known_words=model.known_share(picked(texts, sample_rows(len(texts), MAX_COMPARED))),
            empty=self.estimator.transduction_empty_,
            target_error=self.settings["target_error"],
            min_confidence=self.settings["min_confidence"],
        )
        replace(model, reference=reference).save(path)
