"""Tables that leave a job: all documents with labels and answers, and the answers alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...certificate.sampling import LABEL, NONE_OF_THESE
from ...labelling.accept_rank import file_confidence
from ...labelling.column_names import ACCEPT_RANK, ACCEPTED, HELD_OUT, PREDICTED_LABEL, PROBABILITIES
from ...labelling.marks import MARK, Kind, mark_rows
from ...labelling.multi import YES
from ...linalg.matrix import Array
from ...tables import Table, take_rows
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.usable import Usable
from ..store.records import AnswerRow, DocumentRow, Several
from .other_rows import add_other_rows, file_rows, kept_languages, without_label
from .population import ranks_of
from .refit import not_learned
from .state import JobLog, JobState

BATCH = 5_000
SETS = ("label", "source_only", PREDICTED_LABEL, HELD_OUT)  # of several labels per document: columns with all of them
PREDICTIONS = ("label", "confidence", "alternative", "evidence", "source_only", PROBABILITIES)  # empty without a label


def labelled_table(
    store: storage.Store, log: JobLog, new_class_rows: Array, usable: Usable | None = None
) -> tuple[Table, dict[str, list[Any]]]:
    """The user's table and the new columns; with `usable`, also the column accepted.

    `label` is the answer of the reviewers if there is one, otherwise the predicted label; it is empty for a document
    that belongs to none of the classes. `answer` is what the reviewers answered, `disagreement` if they do not agree.
    A document without a known word has no label and a `reason` unless the reviewers chose a class, as in `label`.
    """
    rows = all_documents(store)
    state = log.state()  # after the documents, so that no answer that their labels learned from is missing
    values, several = values_of(store, state), store.database.several
    unknown, seen = without_label(store)[0], set(state.seen.rows.tolist())
    labels, answers = [], []
    for row in rows:
        answer = state.decided.get(row.number)
        labels.append(
            None
            if answer is not None and answer.kind == NONE_OF_THESE
            else values[answer.answer if answer is not None and answer.answer is not None else row.label]
        )
        answers.append(answer_text(state.decided, row.number))
    extra: dict[str, list[Any]] = {
        "label": labels,
        "confidence": file_confidence(np.array([row.confidence for row in rows])).tolist(),
        "alternative": [values[row.alternative] for row in rows],
        "evidence": [", ".join(row.evidence) for row in rows],
        "needs_review": [
            row.needs_review and answer in ("", "disagreement") for row, answer in zip(rows, answers, strict=True)
        ],
        "source_only": [values[row.source_only] for row in rows],
        ACCEPT_RANK: [rank or None for rank in ranks_of(store, state.fit.arrays).tolist()],
        "answer": answers,
    }
    if several is not None:
        del extra["alternative"]
        extra[PROBABILITIES] = chances_of(several, state)
    if usable is not None:
        marks, name = usable.column(), usable.limit.name
        if several is not None and name:  # the other labels were not tested
            marks = [mark if label == YES else "" for mark, label in zip(marks, usable.labels, strict=True)]
            labels[:] = [several.form.text([name])] * len(labels)
        extra[ACCEPTED] = [marks[row] for row in file_rows(store).rows]
    new_class = set(new_class_rows.tolist())
    if new_class:
        extra[NONE_OF_THESE] = [
            answer == NONE_OF_THESE if answer else row.number in new_class
            for row, answer in zip(rows, answers, strict=True)
        ]
    if languages := kept_languages(store):
        extra["other_language"] = [languages.get(row.number) for row in rows]
    if any(answers):  # what `certify` needs: labels without the answers, and labels of fits without the answer
        without = not_learned(state.fit.arrays)[0]
        extra[PREDICTED_LABEL] = [None if row.number in unknown else values[row.label] for row in rows]
        held_out = (values[store.classes[code]] if i in seen - unknown else None for i, code in enumerate(without))
        extra[HELD_OUT] = list(held_out)
    extra = clear_unlabelled(extra, reasons_of(store, state.decided))
    others = store.settings.get("other_rows", {})
    extra[MARK] = [
        None if row.number in unknown else Kind.ANSWERED if row.number in seen else Kind.PREDICTED for row in rows
    ]
    table, extra = add_other_rows(user_table(store, rows), extra, others)
    extra = with_marks(extra, extra[MARK])
    return table, extra if several is None else in_form(several, extra)


def values_of(store: storage.Store, state: JobState) -> dict[str, Any]:
    """Classes as the user has them: labels that are numbers stay numbers. Sets of labels are texts, see `in_form`."""
    if store.database.several is not None:
        return dict(zip(state.classes, state.classes, strict=True))
    return dict(zip(store.classes, store.settings["classes"], strict=True))


def in_form(several: Several, extra: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The columns with sets of labels as they came: as texts, lists, or one column per label."""
    form = several.form
    sets = {name: [form.read(text) for text in extra[name]] for name in SETS if name in extra}
    cells = {name: [None if row is None else form.cell(row) for row in rows] for name, rows in sets.items()}
    return {**extra, **cells, **form._replace(names=several.learned).columns(sets["label"])}


def chances_of(several: Several, state: JobState) -> list[str]:
    """Per document, the chance of each label as JSON; null for labels that were not learned."""
    rest = dict.fromkeys(name for name in several.form.names if name not in several.learned)
    rows = file_confidence(state.fit.arrays["proba"]).tolist()
    return [json.dumps({**dict(zip(several.learned, row, strict=True)), **rest}, ensure_ascii=False) for row in rows]


def only_accepted(table: Table, extra: Mapping[str, list[Any]]) -> tuple[Table, dict[str, list[Any]]]:
    """The rows whose labels may be used: accepted or answered."""
    rows = [row for row, mark in enumerate(extra[ACCEPTED]) if mark]
    if not rows:
        raise ValueError(
            f"{table.name}: no label can be used yet. labelferry accept says how many answers are missing; an export "
            "without --accepted has all labels and answers."
        )
    return take_rows(table, rows), {name: [values[row] for row in rows] for name, values in extra.items()}


def reasons_of(store: storage.Store, decided: Mapping[int, AnswerRow | None]) -> dict[int, str]:
    """The documents without a known word for which the reviewers chose no class, and why they have no label."""
    documents, reason = without_label(store)
    named = {document for document, answer in decided.items() if answer is not None and answer.kind == LABEL}
    return dict.fromkeys(sorted(documents - named), reason)


def with_marks(extra: Mapping[str, list[Any]], kinds: Sequence[str]) -> dict[str, list[Any]]:
    """The new columns with the marks of all rows; rows that are no documents have no kind yet."""
    pairs = zip(kinds, extra["label"], strict=True)
    all_kinds = [kind or (Kind.NO_LABEL if label is None else Kind.GIVEN) for kind, label in pairs]
    predicted = extra.get(PREDICTED_LABEL, [None] * len(all_kinds))
    labels = [label if p is None else p for p, label in zip(predicted, extra["label"], strict=True)]
    return {**extra, MARK: mark_rows(all_kinds, labels)}


def clear_unlabelled(extra: Mapping[str, list[Any]], reasons: Mapping[int, str]) -> dict[str, list[Any]]:
    """The new columns without the predictions for the documents that have a reason, and with the column `reason`."""
    if not reasons:
        return dict(extra)
    cleared = {name: list(values) for name, values in extra.items()}
    for document in reasons:
        for name in (*PREDICTIONS, PREDICTED_LABEL, HELD_OUT):
            if name in cleared:
                cleared[name][document] = None
    return {**cleared, "reason": [reasons.get(document) for document in range(len(cleared["label"]))]}


def answer_text(decided: dict[int, AnswerRow | None], document: int) -> str:
    """The answer for a file: empty if there is none."""
    if document not in decided:
        return ""
    row = decided[document]
    return "disagreement" if row is None else row.value


def user_table(store: storage.Store, rows: list[DocumentRow]) -> Table:
    """The user's own columns in their order."""
    settings = store.settings
    columns = {
        name: [row.text if name == settings["text"] else row.own[name] for row in rows] for name in settings["columns"]
    }
    return Table(settings["file"], columns, [row.line for row in rows])


def corrections_table(store: storage.Store, log: JobLog) -> tuple[Table, dict[str, list[Any]]]:
    """The user's table and the new columns, one row per answer that counts.

    `row` is the row of the user's file, from 1. `label` is the class on which the reviewers agree, once per document,
    so that the file can be used as labelled documents; it is empty in all other rows. A text that is joined from
    several columns is a further column of the table.
    """
    settings = store.settings
    own_rows = file_rows(store)
    state = log.state()
    answers = state.deciding
    rows = store.documents.some([row.document for row in answers]) if answers else []
    first = {document: row.id for document, row in state.decided.items() if row is not None and row.kind == LABEL}
    values = values_of(store, state)
    columns: dict[str, list[Any]] = {
        "row": [own_rows.number(row.number) for row in rows],
        "label": [values[answer.value] if first.get(answer.document) == answer.id else None for answer in answers],
        PREDICTED_LABEL: [row.label for row in rows],
        "shown_label": [answer.shown or "" for answer in answers],
        "answer": [answer.value for answer in answers],
        "kind": [answer.kind for answer in answers],
        "purpose": [answer.purpose for answer in answers],
        "reviewer": [answer.reviewer for answer in answers],
        "time": [answer.time for answer in answers],
    }
    columns[MARK] = mark_rows(
        [Kind.NO_LABEL if label is None else Kind.GIVEN for label in columns["label"]], columns["label"]
    )
    if store.database.several is not None:
        columns = in_form(store.database.several, columns)
    table, text = user_table(store, rows), settings["text"]
    if text not in table.columns:
        table = replace(table, columns={**table.columns, text: [row.text for row in rows]})
    return table, columns


def all_documents(store: storage.Store) -> list[DocumentRow]:
    """Every document, in the order of the file."""
    rows: list[DocumentRow] = []
    for start in range(0, store.n_documents, BATCH):
        rows += store.documents.page(offset=start, limit=BATCH)
    return rows
