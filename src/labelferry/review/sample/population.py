"""Labels to be certified: of a labelled file, or of a result of `label`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np

from ...certificate import UNCLEAR_CODE, Answers
from ...certificate.duel import SOURCE_ONLY
from ...certificate.interval import count
from ...certificate.sampling import NONE_OF_THESE, no_answers
from ...labelling.accept_rank import file_confidence, rank_by
from ...labelling.answers import Given, read_answer
from ...labelling.column_names import ACCEPT_RANK, NEW_COLUMNS, PREDICTED_LABEL
from ...labelling.labelling import Labelling
from ...labelling.marks import MARK, Kind, Mark, label_key, read_marks
from ...labelling.multi import MultiLabelling, SetColumns, read_set_columns
from ...linalg.matrix import Array
from ...tables import Dialect, Table, choose_text, join_texts, joined_name, take_rows
from ...tables.cells import as_text
from ...tables.row_index import RowIndex
from ...tables.sequences import picked
from ...tables.spreadsheet import read_protected
from ...tables.unreadable import UNREADABLE
from .chosen_columns import CONFIDENCE, Chosen, roles_of

NOT_MARKED = (
    f"has no column {MARK!r} with the marks of `labelferry label`: only its columns label and confidence are read, all "
    "others are taken as your own"
)


class Ranking(NamedTuple):
    """How certain the labels are, as a file says it."""

    ranks: Array  # increasing, the label that is most likely correct first; 0 for one that cannot be accepted
    confidence: Array  # with four digits


class Population(NamedTuple):
    """All documents with their labels."""

    name: str
    texts: Sequence[str]
    rows: RowIndex  # their rows in the user's file
    labels: Array  # class codes
    source_only: Array | None  # class codes; None if unknown
    needs_review: Array
    confidence: Array | None  # None if it has learned from answers
    classes: list[str]
    known: Answers  # answers that the labels learned from
    text: str = "text"  # name of the column of the texts
    own: Mapping[str, Sequence[Any]] = MappingProxyType({})  # the user's other columns
    messages: Sequence[str] = ()  # about the columns that were detected
    dialect: Dialect | None = None  # how the file was written
    warnings: Sequence[str] = ()  # what a reader of the certificate should know about the file
    ranking: Ranking | None = None  # None if the file has no confidences
    rival: str = SOURCE_ONLY  # whose labels `source_only` has; empty: nobody's
    several: SetColumns | None = None  # if documents have several labels: each class is a set of them
    is_applied: bool = False  # whether a saved model gave the labels: it gives no ranks

    def read_answer(self, value: Any, where: str) -> Given | None:
        """The answer in a cell; None if it is empty."""
        return read_answer(value, self.classes, where) if self.several is None else self.several.read(value, where)

    @property
    def encoding(self) -> str | None:
        """Encoding of the file if it is not Unicode: a sample of it is written and read in the same one."""
        return None if self.dialect is None else self.dialect.other_encoding


def population_of_file(
    path: str | PathLike[str],
    *,
    text: str | Sequence[str] | None = None,
    classes: Sequence[str] = (),
    encoding: str | None = None,
    chosen: Chosen | None = None,
) -> Population:
    """The population of a file that `labelferry label` wrote, or of the labels of any origin that are `chosen`."""
    return population_of_table(read_protected(path, encoding=encoding), text=text, classes=classes, chosen=chosen)


def population_of_table(
    everything: Table,
    *,
    text: str | Sequence[str] | None = None,
    classes: Sequence[str] = (),
    chosen: Chosen | None = None,
) -> Population:
    """The population of a table. Rows without a predicted label are not part of it.

    `text` names the text column, or several that are joined; it is detected if not given. `classes` are classes beside
    those that occur in the file. In a file without marks of labelferry, every row with a label is part of it.
    """
    messages: list[str] = []
    rival = SOURCE_ONLY
    sets = None if chosen is not None else read_set_columns(everything.columns)
    if sets is not None:
        everything = replace(everything, columns={**everything.columns, **sets[1]})
    if chosen is not None:
        predicted, roles, found, warnings, rival = roles_of(everything, chosen)
        messages += found
    else:
        check_no_sample(everything)
        if "label" not in everything.columns:
            raise ValueError(
                f"{everything.name} has no column 'label'. Pass a file that `labelferry label` wrote, or name the "
                "column of your labels with --column."
            )
        predicted, ours, warnings = certified_columns(everything)
        roles = {name: name for name in ours}
    table = take_rows(everything, predicted.rows.tolist())
    marked = any(read_marks(everything.columns.get(MARK, ())))
    hidden = {*roles.values(), *(NEW_COLUMNS if marked else ())}  # other guesses would influence whoever answers
    columns = choose_text(table, kept_names(text, table) if marked else text, list(hidden), messages)
    texts = [as_text(value) for value in join_texts(table, columns)]
    new = one_spelling({role: [as_text(value) for value in table.columns[name]] for role, name in roles.items()})
    labels = certified_labels(new)
    if chosen is not None and "source_only" in new:
        new["source_only"] = [name or label for name, label in zip(new["source_only"], labels, strict=True)]
    known = sorted({*labels, *classes, *new.get("alternative", ()), *new.get("source_only", ())} - {""})
    answers = known_answers(table, new, known)
    empty = [row for row, label in enumerate(labels) if not label and row not in answers.rows]
    if empty:
        raise ValueError(
            f"{table.name}, line {table.lines[empty[0]]}: no label. Certify a file in which every row has one."
        )
    code = {name: number for number, name in enumerate(known)}
    source_only = new.get("source_only", [""])
    ranking = ranking_of_columns(new)
    if chosen is not None and CONFIDENCE in roles:
        warnings = [*warnings, *check_confidence(table, roles[CONFIDENCE], new[CONFIDENCE], ranking)]
    return Population(
        table.name,
        texts,
        predicted,
        np.array([code.get(label, 0) for label in labels]),  # without a label: none of these
        np.array([code[name] for name in source_only]) if all(source_only) else None,
        marked_for_review(new, len(table)) if chosen is None else np.ones(len(table), dtype=bool),  # nobody chose some
        None if len(answers.rows) else numbers(new.get("confidence")),
        known,
        answers,
        joined_name(columns),
        {
            name: values
            for name, values in table.columns.items()
            if name not in (*hidden, *columns) and (name != UNREADABLE or any(values))
        },
        messages,
        table.dialect,
        warnings,
        ranking,
        rival,
        None if sets is None else sets[0]._replace(proba=sets[0].proba[predicted.rows]),
        chosen is None and ACCEPT_RANK not in new,
    )


def check_no_sample(table: Table) -> None:
    """Raise an error for a sample: labelled files have other columns, or marks."""
    if {"purpose", "sample_seed"} <= table.columns.keys() and not any(read_marks(table.columns.get(MARK, ()))):
        raise ValueError(
            f"{table.name} is a sample. Name the file or job from which it was drawn first, then the sample."
        )


def marked_for_review(columns: Mapping[str, Sequence[str]], n: int) -> Array:
    """The labels that the file marks for review; none without this column."""
    return np.array([value.lower() in ("true", "1") for value in columns.get("needs_review", [""] * n)])


def check_confidence(table: Table, column: str, cells: Sequence[str], ranking: Ranking | None) -> list[str]:
    """An error if a cell is no number from 0 to 1; a message if some are empty."""
    if ranking is None:
        bad = next(row for row, cell in enumerate(cells) if cell and numbers([cell]) is None)
        raise ValueError(
            f"{table.name}, line {table.lines[bad]}: the confidence must be a number from 0 to 1 in the column "
            f"{column!r}; got {cells[bad][:40]!r}. Divide percentages by 100, or name another column with --confidence."
        )
    n = sum(not cell for cell in cells)
    return [f"{table.name}: {count(n, 'label')} without a confidence in {column!r}, accepted last"] if n else []


def ranking_of_columns(columns: Mapping[str, Sequence[str]]) -> Ranking | None:
    """The ranks in the column accept_rank; without it, by the confidence; None if there is no confidence."""
    given = columns.get("confidence", ())
    confidence = numbers([value or "0" for value in given])  # without a label: accepted last
    if confidence is None:
        return None
    confidence = file_confidence(confidence)
    ranked = columns.get(ACCEPT_RANK, ())
    if not any(ranked):
        return Ranking(rank_by(confidence, np.ones(len(given), dtype=bool)), confidence)
    ranks = [int(value) if value.isdecimal() else -bool(value) for value in ranked]
    return Ranking(np.array(ranks, dtype=np.int64), confidence)


def certified_columns(table: Table) -> tuple[RowIndex, list[str], list[str]]:
    """The rows whose labels are to be certified, the columns that are ours, and warnings.

    A column is ours by the marks of labelferry, not by its name: without them only the label and its confidence are.
    """
    marks = read_marks(table.columns.get(MARK, ()))
    if not any(marks):
        rows = RowIndex.where([bool(as_text(value)) for value in table.columns["label"]])
        if not len(rows):
            raise ValueError(f"{table.name} has no label in its column 'label'. Pass a file that `label` wrote.")
        return rows, [name for name in ("label", "confidence") if name in table.columns], [f"{table.name} {NOT_MARKED}"]
    rows = RowIndex.where([mark is not None and mark.predicted for mark in marks])
    if not len(rows):
        raise ValueError(f"{table.name} has no predicted label. Pass a file that `labelferry label` wrote.")
    ours = [name for name in NEW_COLUMNS if name in table.columns]
    labels = certified_labels({name: table.columns[name] for name in ours})
    changed = [row for row in rows.rows.tolist() if not cast(Mark, marks[row]).fits(labels[row])]
    warnings = []
    if n := sum(mark is None for mark in marks):
        warnings.append(f"{table.name}: {count(n, 'row')} without a mark of labelferry, left out")
    if (n_runs := len({mark.run for mark in marks if mark is not None})) > 1:
        warnings.append(f"{table.name} has labels of {n_runs} runs of labelferry: they are certified together")
    if changed:
        labels_changed = "1 label was" if len(changed) == 1 else f"{len(changed):,} labels were"
        warnings.append(
            f"{table.name}: {labels_changed} changed after labelferry wrote it (first: row {changed[0] + 1}); they "
            "count as they are now"
        )
    return rows, ours, warnings


def certified_labels(columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Per row, the label that is to be certified: the predicted one if the column `label` has the answer."""
    labels = [as_text(value) for value in columns["label"]]
    if PREDICTED_LABEL not in columns:
        return labels
    return [as_text(value) or label for value, label in zip(columns[PREDICTED_LABEL], labels, strict=True)]


def one_spelling(columns: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The columns with one name per class: a spreadsheet writes 1.0 as 1 where a whole column has numbers.

    >>> one_spelling({"label": ["1", "2"], "alternative": ["2.0", ""]})
    {'label': ['1', '2'], 'alternative': ['2', '']}
    """
    spelled = {label_key(label): label for label in certified_labels(columns)}
    others = {name: columns[name] for name in ("alternative", "source_only", "answer") if name in columns}
    return {
        **columns,
        **{name: [spelled.get(label_key(value), value) for value in values] for name, values in others.items()},
    }


def kept_names(text: str | Sequence[str] | None, table: Table) -> str | Sequence[str] | None:
    """Names of text columns as in the user's file, as those under which `label` kept them.

    >>> kept_names("answer,body", Table("t", {"answer": [""], "answer_before": ["a"], "body": ["b"]}, [2]))
    ['answer_before', 'body']
    """
    given = [text] if isinstance(text, str) else text or ()
    names = [name.strip() for part in given for name in part.split(",")]
    kept = {name: f"{name}_before" for name in names if name in NEW_COLUMNS and f"{name}_before" in table.columns}
    return [kept.get(name, name) for name in names] if kept else text


def known_answers(table: Table, columns: Mapping[str, Sequence[str]], classes: Sequence[str]) -> Answers:
    """The answers that the labels of a file learned from, by the marks of their rows."""
    marks = read_marks(table.columns.get(MARK, ())) if MARK in columns else []
    rows = [row for row, mark in enumerate(marks) if mark is not None and mark.kind == Kind.ANSWERED]
    if rows and "answer" not in columns:
        raise ValueError(f"{table.name} has labels that learned from answers but no column 'answer'. Restore it.")
    codes = {name: code for code, name in enumerate([*classes, NONE_OF_THESE])}
    given = [codes.get(columns["answer"][row], UNCLEAR_CODE) for row in rows]
    return Answers(np.array(rows, dtype=np.int64), np.array(given, dtype=np.int64))


def numbers(values: Sequence[Any] | None) -> Array | None:
    """Confidences as an array; None if a value is no number from 0 to 1."""
    try:
        array = np.array([float(value) for value in values or ()])
    except (TypeError, ValueError):
        return None
    return array if len(array) and ((array >= 0) & (array <= 1)).all() else None


def population_of_result(result: Labelling) -> Population:
    """The population of a result of `label`: the documents with a predicted label.

    A document without a known word has none, also if an answer names its class.
    """
    documents, classes, inputs = result.documents, result.estimator.classes_, result.inputs
    labelled = RowIndex.where(documents.predicted & ~documents.estimator.transduction_empty_)
    kept, answers = labelled.rows, no_answers()
    if documents.answers is not None:
        inside = labelled.contains(documents.answers.rows)
        answers = Answers(labelled.positions(documents.answers.rows[inside]), documents.answers.codes[inside])
    return Population(
        inputs.target.name,
        picked(inputs.texts, kept),
        inputs.documents.then(kept),
        np.searchsorted(classes, documents.labels[kept]),
        documents.source_only[kept],
        documents.needs_review[kept],
        None if len(answers.rows) else np.clip(documents.confidence[kept], 0, 1),
        [str(c) for c in classes],
        answers,
        inputs.columns.text_name,
        {
            name: picked(values, kept)
            for name, values in inputs.target.columns.items()
            if name not in inputs.columns.text_target
        },
        dialect=inputs.target.dialect,
        ranking=Ranking(documents.accept_rank[kept], file_confidence(documents.confidence[kept])),
    )


def population_of_several(result: MultiLabelling) -> Population:
    """The population of several labels per document: its classes are the sets of labels that were predicted."""
    one = population_of_result(result.any_part)
    rows = one.rows.rows
    classes, labels, source_only = result.coded(rows)
    confidence = file_confidence(result.confidence[rows])
    return one._replace(
        labels=labels,
        source_only=source_only,
        needs_review=result.needs_review[rows],
        confidence=confidence,
        classes=classes,
        ranking=Ranking(result.accept_rank[rows], confidence),
        several=SetColumns(result.form, result.names, file_confidence(result.proba[rows])),
    )


def answers_without_label(result: Labelling) -> dict[int, int]:
    """The answers that a result learned from about documents without a predicted label, by row of the file."""
    documents = result.documents
    if documents.answers is None:
        return {}
    labelled = documents.predicted & ~documents.estimator.transduction_empty_
    rows, codes = documents.answers
    pairs = zip(result.inputs.documents.rows[rows].tolist(), codes.tolist(), labelled[rows].tolist(), strict=True)
    return {row: code for row, code, has_label in pairs if not has_label}
