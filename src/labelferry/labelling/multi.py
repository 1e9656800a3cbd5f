"""Several labels per document: one yes/no transfer per label, on the same words and with shared work.

Each label has a Labelling of its own, with the classes no and yes, its verdict and its estimates. What depends on the
documents alone is computed once for all of them: words, order, neighbors, coordinates, clusters (`linalg/shared.py`).
The labels of a document are those that got a yes. The confidence of a document is the product over the labels: the
chance that all are right if their errors are independent. It orders the documents; no guarantee relies on it.

A rare label, which less than RARE of the labelled documents have, is given by the source-only classifier to as many
documents as its share among the labelled ones, or its given share: the panel of AutoTransfer was made for classes that
are not rare. Mean of the labels below RARE, AutoTransfer / this (`python -m benchmarks.several_labels quality`):

    Reuters topics, places    balanced accuracy .543 / .661    F1 .136 / .348    known when this was chosen
    Reuters topics, weeks     balanced accuracy .614 / .813    F1 .303 / .621    known when this was chosen
    newsgroups                balanced accuracy .712 / .867    F1 .566 / .776    tested after it was chosen
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..assessment.verdict import LEVELS, Verdict
from ..certificate.sampling import LABEL, UNCLEAR
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.method_spec import make_method
from ..core.proportions import fit_label_proportions
from ..ensemble.auto_transfer import AutoTransfer
from ..inputs.features import Features
from ..inputs.inputs import Inputs
from ..inputs.label_form import UNCLEAR as UNCLEAR_WORDS
from ..inputs.label_form import Form, Labels, in_order, is_list, written_form
from ..linalg.matrix import Array
from ..linalg.shared import sharing
from ..tables.cells import as_text
from ..tables.names import listed
from .accept_rank import file_confidence, rank_by
from .answers import AnsweredRows, Given
from .column_names import ACCEPT_RANK, GIVEN, PREDICTED, PREDICTED_LABEL, PROBABILITIES
from .labelling import Labelling
from .marks import MARK, Kind, mark_rows, read_marks
from .transfer import finish
from .verdict import messages_of, verdict_of

NO, YES = "no", "yes"  # the classes of a label
STAGE = "transferring labels"
RARE, RARE_C = 0.1, 10.0  # share of the labelled documents; C of the classifier of a rare label
MIN_POSITIVE = 5  # documents with and without a label, so that each of five folds has one
NO_ANSWERS = AnsweredRows(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))


@dataclass(frozen=True, repr=False)
class MultiLabelling:
    """The labels of each row of the target: one Labelling per label, with the classes no and yes."""

    form: Form  # how several labels are written
    parts: Mapping[str, Labelling]  # per label
    skipped: Mapping[str, str]  # labels that cannot be learned, which no document gets, and why
    inputs: Inputs  # with the sets of labels as texts
    settings: dict[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The labels that were learned: the columns of `indicator`."""
        return tuple(self.parts)

    @property
    def any_part(self) -> Labelling:
        """One of the parts, for what all have in common."""
        return next(iter(self.parts.values()))

    @cached_property
    def indicator(self) -> Array:
        """Rows of the target x labels: True if the row has the label."""
        return np.stack([np.asarray(part.labels == YES) for part in self.parts.values()], axis=1)

    @cached_property
    def proba(self) -> Array:
        """Rows of the target x labels: the estimated chance of the label; NaN for rows without a prediction."""
        proba = np.stack([chance_of_label(part) for part in self.parts.values()], axis=1)
        wide = self.inputs.documents.widen_array(proba, np.nan)
        wide[~self.predicted] = np.nan
        return wide

    @cached_property
    def confidence(self) -> Array:
        """Per row, the chance that all its labels are right; NaN for rows without a prediction."""
        chance: Array = np.prod(np.where(self.indicator, self.proba, 1 - self.proba), axis=1)
        return chance

    @property
    def predicted(self) -> Array:
        """True for the rows whose labels were predicted."""
        return self.any_part.predicted

    @cached_property
    def sets(self) -> list[Labels | None]:
        """Per row, its labels; None for rows without. Given labels stay, also those that were not learned."""
        part, own = self.any_part, self.inputs.own_labels
        return [
            self.form.read(own[row]) if given else None if reason else frozenset(np.array(self.names)[yes].tolist())
            for row, (given, reason, yes) in enumerate(
                zip(part.given.tolist(), part.reasons, self.indicator, strict=True)
            )
        ]

    @cached_property
    def needs_review(self) -> Array:
        """True for the least confident rows: of the others, few are expected to have a wrong label (target_error)."""
        predicted = self.predicted
        review = ~predicted & ~self.any_part.given
        review[predicted] = least_confident(self.confidence[predicted], self.settings)
        foreign = np.array([bool(name) for name in self.any_part.other_language], dtype=bool)
        return np.asarray(review | foreign)

    @property
    def accept_rank(self) -> Array:
        """Per row, 1 for the document whose labels are most likely all right; 0 for rows without a prediction."""
        return rank_by(np.nan_to_num(file_confidence(self.confidence)), self.predicted)

    def table(self) -> list[dict[str, Any]]:
        """One dict per label: `label`, `level`, `documents` that got it, their `share`, `labelled` documents with it,
        and the estimated `balanced_accuracy` with `low` and `high`."""
        rows = []
        for name, part in self.parts.items():
            estimate = part.estimated_balanced_accuracy
            n = int((part.predicted & (part.labels == YES)).sum())
            rows.append(
                {
                    "label": name,
                    "level": part.assessment.level,
                    "documents": n,
                    "share": n / max(1, int(part.predicted.sum())),
                    "labelled": int((part.inputs.labels == YES).sum()),
                    "balanced_accuracy": estimate["mean"],
                    "low": estimate["low"],
                    "high": estimate["high"],
                }
            )
        return rows

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict on all labels: safe if each is, unsafe if each is; the sentence counts them."""
        levels = Counter(part.assessment.level for part in self.parts.values())
        level = next(iter(levels)) if len(levels) == 1 else "doubtful"
        counts = ", ".join(f"{levels[name]} {name}" for name in LEVELS if levels[name])
        sentence = f"Verdicts of the {len(self.parts)} labels: {counts}."
        sentence = f"{sentence} {LEVELS[level].sentence if len(levels) == 1 else MIXED}"
        reasons = [f"{name}: {verdict_of(part).sentence}" for name, part in self.parts.items()]
        return Verdict(level, sentence, [*self.skipped_messages, *reasons])

    @property
    def skipped_messages(self) -> list[str]:
        """One sentence about the labels that were not learned; none if all were."""
        if not self.skipped:
            return []
        shown = listed(f"{name} ({why})" for name, why in self.skipped.items())
        return [
            f"{len(self.skipped)} of {len(self.form.names)} labels are not learned, and no document gets them: fewer "
            f"than {MIN_POSITIVE} labelled documents with or without them: {shown}"
        ]

    @property
    def messages(self) -> list[str]:
        """What was detected, what was skipped, and which labels were not learned."""
        return [*messages_of(self.any_part), *self.skipped_messages]

    def columns(self) -> dict[str, Sequence[Any]]:
        """The new columns by name, one value per row of the target."""
        part, sets = self.any_part, self.sets
        cells = [None if labels is None else self.form.cell(labels) for labels in sets]
        texts = [None if labels is None else self.form.text(labels) for labels in sets]
        predicted, confidence = self.predicted, file_confidence(self.confidence)
        columns: dict[str, Sequence[Any]] = {
            "label": cells,
            **self.form._replace(names=self.names).columns(sets),
            "confidence": [None if np.isnan(value) else value for value in confidence.tolist()],
            "evidence": self.evidence(),
            "needs_review": self.needs_review.tolist(),
            "source_only": [None if labels is None else self.form.cell(labels) for labels in self.source_only()],
            ACCEPT_RANK: [rank or None for rank in self.accept_rank.tolist()],
            PROBABILITIES: self.probabilities(),
        }
        if any(part.other_language):
            columns["other_language"] = [name or None for name in part.other_language]
        if any(part.reasons):
            columns["reason"] = [reason or None for reason in part.reasons]
        pairs = list(zip(part.given.tolist(), predicted.tolist(), strict=True))
        if part.given.any():
            columns["origin"] = [GIVEN if given else PREDICTED if new else None for given, new in pairs]
        kinds = [str(Kind.GIVEN if given else Kind.PREDICTED if new else Kind.NO_LABEL) for given, new in pairs]
        columns[MARK] = mark_rows(kinds, texts)
        return columns

    def probabilities(self) -> list[str | None]:
        """Per row, the chance of each label as JSON; null for labels that were not learned."""
        rest = dict.fromkeys(self.skipped)
        rows = zip(file_confidence(self.proba).tolist(), self.predicted.tolist(), strict=True)
        return [
            json.dumps({**dict(zip(self.names, row, strict=True)), **rest}, ensure_ascii=False) if predicted else None
            for row, predicted in rows
        ]

    def words(self, rows: Array) -> list[list[str]]:
        """The words that support any of the labels of some rows."""
        found = [dict[str, None]() for _ in rows]
        for part, has in zip(self.parts.values(), self.indicator[rows].T, strict=True):
            for i in np.flatnonzero(has).tolist():
                found[i].update(dict.fromkeys(part.evidence[rows[i]]))
        return [list(words) for words in found]

    def evidence(self) -> list[str]:
        """Per row, the words that support each of its labels."""
        found = [""] * len(self.indicator)
        for j, (name, part) in enumerate(self.parts.items()):
            for row in np.flatnonzero(self.indicator[:, j] & self.predicted).tolist():
                words = ", ".join(part.evidence[row])
                found[row] += f"{'; ' * bool(found[row])}{name}: {words}" if words else ""
        return found

    def source_only(self) -> list[Labels | None]:
        """Per row, the labels by classifiers of the labelled documents only; None for rows without."""
        codes = np.stack([part.documents.source_only for part in self.parts.values()], axis=1)
        names = np.array(self.names)
        wide = self.inputs.documents.widen([frozenset(names[row == 1].tolist()) for row in codes])
        return [labels if new else None for labels, new in zip(wide, self.predicted.tolist(), strict=True)]

    def coded(self, rows: Array) -> CodedSets:
        """The sets of labels of some rows as codes."""
        rival, chosen = self.source_only(), rows.tolist()
        own, others = ([self.form.text(sets[row] or ()) for row in chosen] for sets in (self.sets, rival))
        classes = sorted({*own, *others})
        code = {text: number for number, text in enumerate(classes)}
        return CodedSets(classes, *(np.array([code[text] for text in texts], dtype=int) for texts in (own, others)))


class CodedSets(NamedTuple):
    """Sets of labels as codes of their texts."""

    classes: list[str]
    labels: Array
    source_only: Array


def least_confident(confidence: Array, settings: Mapping[str, Any]) -> Array:
    """True for the documents to review: those below min_confidence or, without it, all after the most confident ones.

    Of the most confident ones, a share of target_error is expected to have a wrong label.
    """
    least, review = settings["min_confidence"], np.zeros(len(confidence), dtype=bool)
    if least is not None:
        return np.asarray(confidence < least)
    order = np.argsort(-confidence, kind="stable")
    expected = np.cumsum(1 - confidence[order]) / np.arange(1, len(order) + 1)
    review[order[int(np.searchsorted(expected, settings["target_error"], side="right")) :]] = True
    return review


def chance_of_label(part: Labelling) -> Array:
    """Per document, the chance of yes: its probability, scaled to the share of the documents that have the label.

    The share is the given one, or the mean of those of the labelled documents and of the predicted labels. The
    confidence of a part is no such chance if the label is rare: it follows the estimated balanced accuracy.
    """
    documents, prior = part.documents, part.settings["class_prior"]
    labelled, predicted = (float((labels == YES).mean()) for labels in (part.inputs.labels, documents.labels))
    share = (labelled + predicted) / 2 if prior is None or isinstance(prior, str) else float(prior[1])
    P = np.asarray(documents.estimator.transduction_proba_, dtype=np.float64)
    return np.asarray(fit_label_proportions(P, np.array([1 - share, share])).apply(P)[:, 1])


class SetColumns(NamedTuple):
    """What the columns of a file say about several labels per document."""

    form: Form
    learned: tuple[str, ...]
    proba: Array  # rows x learned labels; NaN for rows without a prediction

    def read(self, value: Any, where: str) -> Given | None:
        """The answer in a cell: the set of labels as its text, or unclear; None if it is empty."""
        if as_text(value).casefold() in UNCLEAR_WORDS and not is_list(value):
            return Given(UNCLEAR, None)
        labels = self.form.read_answer(value, where)
        return None if labels is None else Given(LABEL, self.form.text(labels))

    def indicator(self, texts: Sequence[str]) -> Array:
        """Texts of sets x learned labels: True if the set has the label."""
        sets = [self.form.read(text) or frozenset() for text in texts]
        return np.array([[name in labels for name in self.learned] for labels in sets], dtype=bool).reshape(
            len(sets), len(self.learned)
        )


def read_set_columns(columns: Mapping[str, Sequence[Any]]) -> tuple[SetColumns, dict[str, list[str | None]]] | None:
    """Several labels per document in the columns of a file that `MultiLabelling.columns` wrote; None if there are none.

    Also its columns of labels, with one text per set.
    """
    if PROBABILITIES not in columns or not any(read_marks(columns.get(MARK, ()))):
        return None
    rows = [json.loads(text) if (text := as_text(cell)) else {} for cell in columns[PROBABILITIES]]
    first: dict[str, float | None] = next((row for row in rows if row), {})
    learned = tuple(name for name, value in first.items() if value is not None)
    if not learned or any(row.keys() != first.keys() for row in rows if row):
        raise ValueError(f"the column {PROBABILITIES!r} must have the same labels in every row. Restore it.")
    proba = np.array([[row.get(name, np.nan) for name in learned] for row in rows], dtype=np.float64)
    form = written_form(columns["label"], in_order(first))
    texts = {
        name: [None if (labels := form.read(cell)) is None else form.text(labels) for cell in columns[name]]
        for name in ("label", "source_only", PREDICTED_LABEL)
        if name in columns
    }
    return SetColumns(form, learned, proba), texts


MIXED = "Use each label by its own verdict: answers of people show which can be used."


def fit_labels(
    inputs: Inputs,
    features_of: Callable[[Inputs], Features],
    estimator: TransductiveClassifier,
    settings: Callable[[Features, str], dict[str, Any]],
    seconds: dict[str, float],
) -> MultiLabelling:
    """One yes/no transfer per label that enough documents have; `settings` are those of each label."""
    if inputs.form is None:
        raise ValueError("the documents have one label each. Omit multi (--multi).")
    texts = np.concatenate([source.labels for source in inputs.sources])
    n, counts = len(texts), dict.fromkeys(inputs.form.names, 0)
    for text, k in Counter(texts.tolist()).items():
        for name in inputs.form.read(text) or ():
            counts[name] += k
    learned = [name for name in inputs.form.names if MIN_POSITIVE <= counts[name] <= n - MIN_POSITIVE]
    if not learned:
        raise ValueError(
            f"no label can be learned: each of {len(counts)} labels has fewer than {MIN_POSITIVE} labelled documents "
            "with it or without it. Add labelled documents."
        )
    balanced = min(learned, key=lambda name: abs(2 * counts[name] - n))  # tells most about the words
    features = features_of(inputs_of_label(inputs, balanced))
    parts = {}
    progress.begin(STAGE)
    with sharing():
        for i, name in enumerate(learned):
            own, own_settings = inputs_of_label(inputs, name), settings(features, name)
            fitted, used = clone(estimator), features
            if isinstance(estimator, AutoTransfer) and counts[name] < RARE * n:
                fitted, used = make_method(f"sourcelr(C={RARE_C})", 0), features._replace(view=None)  # by words alone
                own_settings["class_prior"] = own_settings["class_prior"] or "source"
            domains = used.domains(own, fitted)
            progress.step(i / len(learned))
            with progress.muted():
                parts[name] = finish(own, used, domains, fitted, NO_ANSWERS, own_settings, dict(seconds))
    skipped = {name: str(counts[name]) for name in inputs.form.names if name not in parts}
    return MultiLabelling(inputs.form, parts, skipped, inputs, next(iter(parts.values())).settings)


def inputs_of_label(inputs: Inputs, name: str) -> Inputs:
    """The inputs with yes and no as labels of the documents."""
    form, known = inputs.form, dict[Any, str]()

    def answer(text: Any) -> str:
        if text not in known:
            known[text] = YES if form is not None and name in (form.read(text) or ()) else NO
        return known[text]

    return inputs._replace(
        sources=tuple(
            source._replace(labels=np.array([answer(text) for text in source.labels.tolist()], dtype=object))
            for source in inputs.sources
        ),
        own_labels={row: answer(text) for row, text in inputs.own_labels.items()} if inputs.is_half_labelled else {},
    )
