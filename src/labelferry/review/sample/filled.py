"""Certificates without a browser, second step: a sample that people filled in is checked and certified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...certificate import LEVEL, Answers, Certificate, certify
from ...certificate.duel import SOURCE_ONLY
from ...certificate.sampling import UNCLEAR, answered_prefix, no_answers
from ...inputs.inputs import Inputs
from ...labelling.answers import AnsweredRows, Given, join_answers, read_answers
from ...linalg.matrix import Array
from ...tables import Table, from_frame, take_rows
from ...tables.cells import as_text
from ...tables.spreadsheet import read_protected
from ..store.decisions import majority
from ..store.records import ACCEPT
from .audit import Sample, sample_names, sample_orders
from .corrections import NOT_RANDOM, is_corrections, read_corrections
from .exchange import TEXT, is_json, read_json
from .population import Population
from .same_labels import one_fingerprint, unchanged

NEEDED = ("row", "answer", "purpose")
SAMPLE_NEEDED = (*NEEDED, "sample_seed", "population")


class Filled(NamedTuple):
    """A sample that was filled in."""

    name: str
    seed: int
    by_reviewer: dict[tuple[int, str], Given]  # per position from 0 and name of the person
    purposes: dict[int, str]  # of all rows of the sample, also those without an answer
    fingerprint: str = ""  # of the labels for which it was drawn
    labels: Mapping[int, str] = MappingProxyType({})  # that it shows, per position

    @property
    def answers(self) -> dict[int, Given]:
        """Per position, what more than half of the persons answered; unclear if they do not agree."""
        given: dict[int, list[Given]] = {}
        for (row, _), answer in self.by_reviewer.items():
            given.setdefault(row, []).append(answer)
        return {row: majority(answers) or Given(UNCLEAR, None) for row, answers in given.items()}

    @property
    def n_empty(self) -> int:
        """Rows without an answer."""
        return len(self.purposes) - len(self.answers)


def read_sample(given: str | PathLike[str] | Mapping[str, Any] | Any, population: Population) -> Filled:
    """Read a sample (a path, a data frame or columns) and check that it belongs to the population."""
    table = as_table(given, population.encoding)
    if is_corrections(table.columns):
        raise ValueError(f"{table.name} {NOT_RANDOM}")
    text = text_column(table, population, SAMPLE_NEEDED)
    seed = one_number(table, "sample_seed")
    n_documents = len(population.texts)
    if (drawn_from := one_number(table, "population")) != n_documents:
        raise ValueError(
            f"{table.name} was drawn from {drawn_from} documents, and {population.name} has {n_documents}. Pass the "
            "file from which it was drawn."
        )
    answers, purposes = read_rows(table, population, text)
    fingerprint = one_fingerprint(table.columns, table.name)
    return Filled(table.name, seed, answers, purposes, fingerprint, shown_labels(table, population))


def shown_labels(table: Table, population: Population) -> dict[int, str]:
    """Per position, the label that a sample shows; none if the labels are hidden."""
    rows = (population.rows.position_of(row, table.name) for row in table.columns["row"])
    return {
        row: text for row, label in zip(rows, table.columns.get("label", ()), strict=False) if (text := as_text(label))
    }


def text_column(table: Table, population: Population, needed: Sequence[str]) -> str:
    """Name of the column of the texts; an error if it or a column that is needed is missing."""
    own = sample_names(population)[1]
    kept = (own, population.text, f"{population.text}_before", population.text.removesuffix("_before"), TEXT)
    text = next((name for name in kept if name in table.columns), own)
    missing = [name for name in (*needed, text) if name not in table.columns]
    if missing:
        raise ValueError(
            f"{table.name} has no column {missing[0]!r}; it has {', '.join(table.columns)}. Pass a file that "
            "`labelferry accept`, `audit` or `export --corrections` wrote, with all its columns."
        )
    return text


def read_rows(table: Table, population: Population, text: str) -> tuple[dict[tuple[int, str], Given], dict[int, str]]:
    """Answers by position and person, and purposes by position; an error if a row is not of the population."""
    answers: dict[tuple[int, str], Given] = {}
    purposes: dict[int, str] = {}
    reviewers = table.columns.get("reviewer", [""] * len(table))
    for position, line in enumerate(table.lines):
        where = f"{table.name}, line {line}"
        row = population.rows.position_of(table.columns["row"][position], where)
        key = (row, as_text(reviewers[position]))
        if row in purposes and (key in answers or "reviewer" not in table.columns):
            raise ValueError(f"{where}: row {population.rows.number(row)} occurs twice. Keep one of the two.")
        if as_text(table.columns[text][position]).split() != population.texts[row].split():
            raise ValueError(
                f"{where}: the text is not the text of row {population.rows.number(row)} of {population.name}. Is it "
                "the sample of another file, was the file sorted, or was the column row changed?"
            )
        purposes[row] = as_text(table.columns["purpose"][position])
        answer = population.read_answer(table.columns["answer"][position], where)
        if answer is not None:
            answers[key] = answer
    if not answers:
        raise ValueError(f"{table.name} has no answers. Write a class into the column answer of each row.")
    return answers, purposes


def as_table(given: Any, encoding: str | None = None) -> Table:
    """A file, a frame or a dict of columns as a table; `encoding` is that of a file that is not UTF-8."""
    if isinstance(given, str | PathLike):
        if is_json(given):
            return Table(str(given), *read_json(given))
        table = read_protected(given, encoding=encoding)
        kept = [i for i, cells in enumerate(zip(*table.columns.values(), strict=True)) if any(map(as_text, cells))]
        return take_rows(table, kept)  # spreadsheets add empty rows at the end
    if isinstance(given, Sample):
        given = given.columns
    if isinstance(given, Mapping):
        columns = {str(name): list(values) for name, values in given.items()}
        return Table("the answers", columns, range(1, len(next(iter(columns.values()), [])) + 1))
    return from_frame(given, name="the answers")


def one_number(table: Table, column: str) -> int:
    """The number that all rows have in a column."""
    values = {as_text(value) for value in table.columns[column]}
    if len(values) != 1 or not (value := values.pop()).isdecimal():
        raise ValueError(f"{table.name}: column {column!r} must have the same number in every row. Restore it.")
    return int(value)


def certify_sample(population: Population, filled: Filled, level: float = LEVEL) -> Certificate:
    """What the answers of a sample prove about the labels of its population; an error if these changed."""
    if ACCEPT in filled.purposes.values():
        raise ValueError(
            f"{filled.name} is a sample of `labelferry accept`: it is about the most certain labels, and says which of "
            f"them can be used: labelferry accept {population.name} {filled.name}. For a certificate of all labels, "
            "draw a sample with labelferry audit."
        )
    population = same_labels(population, filled)
    orders = sample_orders(population, filled.seed)
    source_only = population.labels if population.source_only is None else population.source_only
    return certify(
        population.labels,
        source_only,
        population.needs_review,
        checked_answers(population, filled, "audit", orders["audit"]),
        checked_answers(population, filled, "duel", orders["duel"]),
        classes=population.classes,
        level=level,
        confidence=population.confidence,
        known=population.known,
        rival=population.rival,
    )


def same_labels(population: Population, filled: Filled) -> Population:
    """The population without what changed since the sample was drawn; an error if that is a label."""
    return unchanged(population, filled.name, filled.fingerprint, filled.labels)


def certificate_dict(certificate: Certificate, population: Population) -> dict[str, Any]:
    """A certificate as plain values; without a comparison if the labels of the source-only classifier are unknown."""
    values = certificate.as_dict()
    if population.source_only is None:
        values["better_than_source_only"] = None
        values["sentences"] = [s for s in values["sentences"] if SOURCE_ONLY not in s]
        if population.rival:
            values["sentences"].append(
                f"{population.name} has no usable column source_only: no comparison with the {SOURCE_ONLY}."
            )
    return values


def checked_answers(population: Population, filled: Filled, purpose: str, order: Array) -> Answers:
    """The answered prefix of an order; an error if the answers are no random sample."""
    prefix = answered_prefix(order.tolist(), filled.answers)
    if purpose == "audit":
        check_prefix(filled, order.tolist(), len(prefix), population)
    codes = [filled.answers[row].code(population.classes) for row in prefix]
    return Answers(np.array(prefix, dtype=np.int64), np.array(codes, dtype=np.int64))


def check_prefix(filled: Filled, order: Sequence[int], n_prefix: int, population: Population) -> None:
    """Raise an error if an answer of the random sample comes after a row without one; known rows do not count."""
    known = set(population.known.rows.tolist())
    rows = [row for row in filled.answers if filled.purposes[row] == "audit" and row not in known]
    beyond = set(rows) - set(order[:n_prefix])
    if not beyond:
        return
    first = order[n_prefix]
    row = population.rows.number(first)
    if first in filled.purposes:
        raise ValueError(
            f"{filled.name}: row {row} has no answer, and {len(beyond)} of {len(rows)} answers come after it in "
            "the sample. A row that is omitted makes the sample less random: answer it, or write unclear."
        )
    raise ValueError(
        f"{filled.name}: row {row} belongs to the sample with the seed {filled.seed} and is missing. Pass the "
        "whole sample; its rows may be in any order."
    )


def is_sample(answers: Any) -> bool:
    """Whether answers are a sample (a path, a frame, columns), and not rows with labels."""
    is_columns = isinstance(answers, Mapping) and "row" in answers
    return isinstance(answers, str | PathLike | Sample) or hasattr(answers, "columns") or is_columns


def are_paths(answers: Any) -> bool:
    """Whether answers are several files with samples."""
    return isinstance(answers, list | tuple) and bool(answers) and all(isinstance(one, PathLike) for one in answers)


def read_given(answers: Any, inputs: Inputs, classes: Array, known: Mapping[int, str]) -> AnsweredRows:
    """Answers to rows of the target in any form that a user may pass, and `known` labels of other rows."""
    n_rows = len(inputs.all_rows)
    samples = [answers] if is_sample(answers) else list(answers) if are_paths(answers) else []
    if samples:
        answers = dict[int, str]()
        for sample in samples:
            further = answers_of_sample(sample, inputs, [str(c) for c in classes])
            if differ := [row for row, answer in further.items() if answers.get(row, answer) != answer]:
                raise ValueError(
                    f"{sample}: row {differ[0] + 1} has the answer {further[differ[0]]!r:.60}, and an earlier sample "
                    f"{answers[differ[0]]!r:.60}. Remove one of them."
                )
            answers |= further
    read = read_answers({} if answers is None else answers, classes, n_rows)
    if not known:
        return read
    others = {row: label for row, label in known.items() if row not in set(read.rows.tolist())}
    return join_answers(read, read_answers(others, classes, n_rows))


def answers_of_sample(given: Any, inputs: Inputs, classes: list[str]) -> dict[int, str]:
    """Rows of the file (from 0) and answers of a filled sample, or of the corrections of a job or of a report page.

    The majority decides; answers that are unclear are omitted.
    """
    target, texts, index = inputs.target, inputs.texts, inputs.documents
    table = as_table(given, None if target.dialect is None else target.dialect.other_encoding)
    if is_corrections(table.columns):
        return read_corrections(table, target.name, texts, classes, index)
    nothing, text = np.zeros(len(texts), dtype=np.int64), inputs.columns.text_name
    review = nothing.astype(bool)
    population = Population(target.name, texts, index, nothing, None, review, None, classes, no_answers(), text=text)
    column = text_column(table, population, NEEDED)
    answers = Filled(table.name, 0, *read_rows(table, population, column)).answers
    return {int(index.rows[row]): answer.value for row, answer in answers.items() if answer.kind != UNCLEAR}
