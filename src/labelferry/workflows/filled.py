"""Certificates without a browser, second step: a sample that people filled in is checked and certified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..certificate.sampling import no_answers
from ..linalg.matrix import Array
from ..text import Table, from_frame, read_table
from . import questions
from .audit import Sample, sample_orders
from .cells import Given, as_text, read_answer, row_number
from .corrections import NOT_RANDOM, is_corrections, read_corrections
from .exchange import is_json, read_json
from .population import Population

if TYPE_CHECKING:
    from ..certificate import Answers, Certificate

LEVEL = 0.95
NEEDED = ("row", "text", "answer", "purpose", "sample_seed", "population")


class Filled(NamedTuple):
    """A sample that was filled in."""

    name: str
    seed: int
    by_reviewer: dict[tuple[int, str], Given]  # per position from 0 and name of the person
    purposes: dict[int, str]  # of all rows of the sample, also those without an answer

    @property
    def answers(self) -> dict[int, Given]:
        """Per position, what more than half of the persons answered; unclear if they do not agree."""
        given: dict[int, list[Given]] = {}
        for (row, _), answer in self.by_reviewer.items():
            given.setdefault(row, []).append(answer)
        return {row: majority(answers) for row, answers in given.items()}

    @property
    def n_empty(self) -> int:
        """Rows without an answer."""
        return len(self.purposes) - len(self.answers)


def read_sample(given: str | PathLike[str] | Mapping[str, Any] | Any, population: Population) -> Filled:
    """Read a sample and check that it belongs to the population.

    Parameters
    ----------
    given : path, data frame or mapping of str to list
        The sample with answers.
    population : Population
        All documents with their labels.

    Returns
    -------
    filled : Filled
        The answers.
    """
    table = as_table(given)
    if is_corrections(table.columns):
        raise ValueError(f"{table.name} {NOT_RANDOM}")
    missing = [name for name in NEEDED if name not in table.columns]
    if missing:
        raise ValueError(
            f"{table.name} has no column {missing[0]!r}; it has {', '.join(table.columns)}. Pass a file that "
            "`labelferry audit` wrote, with all its columns."
        )
    seed = one_number(table, "sample_seed")
    n_documents = len(population.texts)
    if (drawn_from := one_number(table, "population")) != n_documents:
        raise ValueError(
            f"{table.name} was drawn from {drawn_from} documents, and {population.name} has {n_documents}. Pass the "
            "file from which it was drawn."
        )
    answers: dict[tuple[int, str], Given] = {}
    purposes: dict[int, str] = {}
    reviewers = table.columns.get("reviewer", [""] * len(table))
    for position, line in enumerate(table.lines):
        where = f"{table.name}, line {line}"
        row = row_number(table.columns["row"][position], n_documents, where)
        key = (row, as_text(reviewers[position]))
        if row in purposes and (key in answers or "reviewer" not in table.columns):
            raise ValueError(f"{where}: row {row + 1} occurs twice. Keep one of the two.")
        if as_text(table.columns["text"][position]).split() != population.texts[row].split():
            raise ValueError(
                f"{where}: the text is not the text of row {row + 1} of {population.name}. Is it the sample of another "
                "file, or was the column row changed?"
            )
        purposes[row] = as_text(table.columns["purpose"][position])
        answer = read_answer(table.columns["answer"][position], population.classes, where)
        if answer is not None:
            answers[key] = answer
    if not answers:
        raise ValueError(f"{table.name} has no answers. Write a class into the column answer of each row.")
    return Filled(table.name, seed, answers, purposes)


def majority(answers: Sequence[Given]) -> Given:
    """What more than half of the persons answered; unclear if there is no such answer."""
    answer, n = Counter(answers).most_common(1)[0]
    return answer if 2 * n > len(answers) else Given("unclear", None)


def as_table(given: Any) -> Table:
    """A file, a frame or a dict of columns as a table."""
    if isinstance(given, str | PathLike):
        return Table(str(given), *read_json(given)) if is_json(given) else read_table(given)
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
    """Certify the labels of a population.

    Parameters
    ----------
    population : Population
        All documents with their labels.
    filled : Filled
        The answers.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    certificate : Certificate
        What the answers prove.
    """
    from ..certificate import certify

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
    )


def certificate_dict(certificate: Certificate, population: Population) -> dict[str, Any]:
    """A certificate as plain values; without a comparison if the labels of the source-only classifier are unknown."""
    values = certificate.as_dict()
    if population.source_only is None:
        no_comparison = f"{population.name} has no column source_only: no comparison with the source-only classifier."
        values["sentences"] = [s for s in values["sentences"] if "source-only classifier" not in s] + [no_comparison]
        values["better_than_source_only"] = None
    return values


def checked_answers(population: Population, filled: Filled, purpose: str, order: Array) -> Answers:
    """The answered prefix of an order; an error if the answers are no random sample."""
    from ..certificate import Answers

    prefix = questions.answered_prefix(order.tolist(), filled.answers)
    if purpose == "audit":
        check_prefix(filled, order.tolist(), len(prefix), set(population.known.rows.tolist()))
    codes = [filled.answers[row].code(population.classes) for row in prefix]
    return Answers(np.array(prefix, dtype=np.int64), np.array(codes, dtype=np.int64))


def check_prefix(filled: Filled, order: Sequence[int], n_prefix: int, known: Collection[int] = ()) -> None:
    """Raise an error if an answer of the random sample lies behind a row without one; `known` rows do not count."""
    rows = [row for row in filled.answers if filled.purposes[row] == "audit" and row not in known]
    beyond = set(rows) - set(order[:n_prefix])
    if not beyond:
        return
    first = order[n_prefix]
    if first in filled.purposes:
        raise ValueError(
            f"{filled.name}: row {first + 1} has no answer, and {len(beyond)} of {len(rows)} answers come after it in "
            "the sample. A row that is left out makes the sample less random: answer it, or write unclear."
        )
    raise ValueError(
        f"{filled.name}: row {first + 1} belongs to the sample with the seed {filled.seed} and is missing. Pass the "
        "whole sample; its rows may be in any order."
    )


def is_sample(answers: Any) -> bool:
    """Whether answers are a sample (a path, a frame, columns), and not rows with labels."""
    is_columns = isinstance(answers, Mapping) and "row" in answers
    return isinstance(answers, str | PathLike | Sample) or hasattr(answers, "columns") or is_columns


def answers_of_sample(given: Any, name: str, texts: Sequence[str], classes: Sequence[str]) -> dict[int, str]:
    """Target rows and answers of a filled sample or of corrections, to learn from; unclear answers are omitted.

    Parameters
    ----------
    given : path, data frame or mapping of str to list
        The sample with answers, or corrections of a report page.
    name : str
        Name of the target, for messages.
    texts : sequence of str
        Texts of the target.
    classes : sequence of str
        The class labels.

    Returns
    -------
    answers : dict of int to str
        Row (from 0) to class label or "none_of_these".
    """
    table = as_table(given)
    if is_corrections(table.columns):
        return read_corrections(table, name, texts, classes)
    nothing = np.zeros(len(texts), dtype=np.int64)
    population = Population(name, texts, nothing, None, nothing.astype(bool), None, list(classes), no_answers())
    answers = read_sample(given, population).answers
    return {row: answer.answer or answer.kind for row, answer in answers.items() if answer.kind != "unclear"}
