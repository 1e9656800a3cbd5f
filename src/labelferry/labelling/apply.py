"""Later documents, labelled by a saved model and compared with the documents that it was fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ..assessment.assessment import MANY
from ..assessment.later import LaterAssessment
from ..assessment.verdict import Verdict
from ..core import progress
from ..inputs.rows import NO_KNOWN_WORD, NO_TEXT, NOT_LABELLED, hidden_messages, read_rows, table_messages
from ..linalg.matrix import Array
from ..tables import Table, choose_text, read_table, with_unreadable_rows
from ..tables.names import find_name, listed
from ..tables.row_index import RowIndex
from ..tables.sequences import Mapped
from ..tables.spreadsheet import write_labelled
from .column_names import NEW_COLUMNS
from .evidence import MAX_LISTS, WordLists, join_words
from .marks import MARK, Kind, mark_rows
from .model import NO_REFERENCE, SAVE_AGAIN, Model, load_model

STAGES = ("reading", "labelling", "assessing the labels")


class Applied(NamedTuple):
    """The later documents with their labels."""

    table: Table
    columns: dict[str, Sequence[Any]]  # the new ones: label, confidence, ..., reason, mark
    messages: list[str]
    classes: Array
    assessment: LaterAssessment | None  # None for a model of an earlier version
    model: Model  # that made the labels; with `update` it has learned from these documents

    @property
    def verdict(self) -> Verdict | None:
        """Can these labels be trusted? None for a model of an earlier version."""
        if self.assessment is None:
            return None
        verdict = self.assessment.verdict()
        return verdict._replace(reasons=[*verdict.reasons, *many_marked(self.assessment)])

    @property
    def warnings(self) -> list[str]:
        """What is special about these documents: the reasons of the verdict without the measurements."""
        if self.assessment is None:
            return []
        return [*(fact.advice for fact in self.assessment.facts), *many_marked(self.assessment)]

    @property
    def is_safe(self) -> bool:
        """Whether the verdict is "safe"."""
        return self.assessment is not None and self.assessment.level == "safe"

    def summary(self) -> dict[str, Any]:
        """Everything that is known, as plain values."""
        a, verdict, labels = self.assessment, self.verdict, self.columns["label"]
        n_labelled = len(labels) - labels.count(None)
        pairs = zip(labels, self.columns["needs_review"], strict=True)
        rows = [
            {"class": str(c), "documents": labels.count(c), "share": labels.count(c) / max(1, n_labelled)}
            for c in self.classes.tolist()
        ]
        summary = {
            "title": f"Labels for {self.table.name}",
            "n_documents": len(labels),
            "n_labelled": n_labelled,
            "to_review": sum(needed for label, needed in pairs if label is not None),
            "classes": rows,
            "verdict": None if verdict is None else verdict.as_dict(),
            "messages": self.messages,
        }
        if a is None:
            return summary
        for row, before in zip(rows, a.reference.proportions, strict=True):
            row["at_fitting"] = before
        return summary | {
            "facts": [fact.name for fact in a.facts],
            "confidence": a.mean_confidence,
            "known_documents": a.known_documents,
            "known_words": a.known_words,
            "distance": a.distance,
            "at_fitting": {
                "verdict": a.reference.verdict.as_dict(),
                "estimated_balanced_accuracy": a.reference.estimated("balanced_accuracy"),
                "estimated_accuracy": a.reference.estimated("accuracy"),
                "confidence": a.reference.mean_confidence,
                "known_documents": a.reference.known_documents,
                "known_words": a.reference.known_words,
            },
        }

    def write(self, path: str | PathLike[str], *, spreadsheet: bool = False) -> list[str]:
        """Write the documents with the new columns; `spreadsheet` as in `Labelling.write`. Returns messages."""
        return write_labelled(self.table, self.columns, path, reserved=NEW_COLUMNS, spreadsheet=spreadsheet)


def apply(
    model: str | PathLike[str] | Model,
    target: str | PathLike[str],
    *,
    text: str | Sequence[str] | None = None,
    skip_bad: bool = False,
    encoding: str | None = None,
    update: bool = False,
) -> Applied:
    """Label the documents of a file with a saved model.

    Parameters
    ----------
    model : path or Model
        File written by `label(...).save`, or what `load` reads from it.
    target : path
        File of documents.
    text : str or sequence of str, default=None
        Name of the text column, or of several that are joined. If not given, those of the model, or detected.
    skip_bad : bool, default=False
        Whether to go on after rows that cannot be read instead of raising an error. They are in the result, without a
        label.
    encoding : str, default=None
        Encoding of the file if it is not UTF-8.
    update : bool, default=False
        Whether to update the model with these documents (`partial_fit`) before they are labelled. The file of the model
        does not change: call `applied.model.save`. Documents that are given twice count twice.

    Returns
    -------
    applied : Applied
        The documents with label, confidence, alternative, `evidence` (words that support the label; empty if the model
        is of an earlier version), `known_words` (the number of words of each document that the model knows) and
        `needs_review`; and a verdict: that of the model when it was fitted, or worse if these documents differ from
        those at fitting. Rows that cannot be read, without a text or without a known word have no label, and a value in
        the column `reason`.
    """
    progress.expect(*STAGES)
    progress.begin(STAGES[0])
    fitted = model if isinstance(model, Model) else load_model(model)
    messages: list[str] = []
    table = read_table(target, skip_bad=skip_bad, encoding=encoding)
    names = text_columns(table, fitted, text, messages)
    table = with_unreadable_rows(table)
    rows = read_rows(table, names, None)
    index = RowIndex.where(rows.with_text)
    if not len(index):
        raise ValueError(f"{table.name} has no text at all in the text column. Name another with text= (--text).")
    messages += [*table_messages(table), *rows.count_message(rows.without_text, "without a text", NOT_LABELLED)]
    texts = rows.texts_of(index.rows)
    messages += hidden_messages(texts, table.name)
    if update:
        fitted = fitted.updated(texts)
    progress.begin(STAGES[1])
    scan, classes = fitted.scan(texts, progress.step), fitted.estimator.classes_
    order = np.argsort(-scan.P, axis=1, kind="stable")
    progress.begin(STAGES[2])
    assessment = None if fitted.reference is None else fitted.assess_scan(scan, texts)
    confidence = scan.P.max(axis=1) if assessment is None else assessment.p_correct
    review = np.ones(len(texts), dtype=bool) if assessment is None else assessment.review
    if assessment is None:
        messages.append(f"{NO_REFERENCE}: all of them need review. {SAVE_AGAIN}")
    used = np.flatnonzero(scan.n_known)
    predicted = {
        "label": classes[order[used, 0]],
        "confidence": np.round(confidence[used].astype(float), 4),
        "alternative": classes[order[used, 1]],
    }
    labelled = index.then(used)
    columns: dict[str, Sequence[Any]] = {name: labelled.widen(values.tolist()) for name, values in predicted.items()}
    words = WordLists(scan.evidence, fitted.words()).widen(used, labelled)
    columns["evidence"] = Mapped(words, join_words) if len(table) > MAX_LISTS else join_words(words[:])
    columns["known_words"] = index.widen(scan.n_known.tolist())
    columns["needs_review"] = labelled.widen(review[used].tolist(), True)
    if len(used) < len(table):
        reasons = {None: NO_TEXT, 0: NO_KNOWN_WORD}
        columns["reason"] = [table.unreadable.get(row, reasons.get(n)) for row, n in enumerate(columns["known_words"])]
    labels = columns["label"]
    columns[MARK] = mark_rows([Kind.NO_LABEL if label is None else Kind.PREDICTED for label in labels], labels)
    return Applied(table, columns, messages, classes, assessment, fitted)


def many_marked(a: LaterAssessment) -> list[str]:
    """A sentence that says why many labels are marked for review; none if few are."""
    marked = a.review[a.labelled]
    if marked.sum() <= MANY * len(marked):
        return []
    start = f"{marked.sum():,} of {len(marked):,} labels ({marked.mean():.0%}) are marked for review"
    if any(fact.review_all for fact in a.facts):
        return [f"{start}: what is said above about the documents requires it."]
    if a.reference.review_all:
        return [f"{start}, as all were when the model was fitted."]
    return [f"{start}: a saved model is one method, and no others confirm its labels."]


def text_columns(table: Table, fitted: Model, text: str | Sequence[str] | None, messages: list[str]) -> tuple[str, ...]:
    """The given text columns, or those of the model, or the detected one."""
    if text is not None or not fitted.text:
        return choose_text(table, text, (), messages)
    if all(find_name(table.columns, name) is not None for name in fitted.text):
        return choose_text(table, fitted.text, (), messages)
    if len(fitted.text) > 1:
        raise ValueError(
            f"the model was fitted on the text columns {listed(fitted.text)}; {table.name} has "
            f"{listed(table.columns)}. Name its text columns with text= (--text)."
        )
    return choose_text(table, None, (), messages)
