"""Certificates without a browser, first step: a random sample in a file with an empty column `answer`.

The file has one row per document in the order of the sample, the seed and the number of all documents, so that
`certify` can verify that it is the sample that was drawn (`filled.py`).
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np

from ...certificate import audit_order, duel_order
from ...certificate.sampling import N_AUDIT
from ...labelling.column_names import NEW_COLUMNS, PREDICTED_LABEL
from ...linalg.matrix import Array
from ...tables import Dialect, Table, write_table
from ...tables.cells import as_text
from ...tables.read import EMPTY, ONLY_HEADER
from ...tables.spreadsheet import protected, read_protected
from ...tables.write import new_names
from .exchange import TEXT, is_json, write_json
from .population import Population
from .same_labels import FINGERPRINT, check_fingerprint, labels_fingerprint, one_fingerprint, seed_of_labels

T = TypeVar("T")
ADDED = ("row", "label", "answer", "purpose", "sample_seed", "population", FINGERPRINT)  # columns of a sample


@dataclass(frozen=True)
class Sample:
    """Documents to be answered, as the columns of a file."""

    columns: dict[str, list[Any]]
    text: str = "text"  # name of the column of the texts
    dialect: Dialect | None = None  # of the file from which it was drawn

    def __len__(self) -> int:
        return len(self.columns["row"])

    def write(self, path: str | PathLike[str], form: str = "") -> list[str]:
        """Write the sample in the dialect of its file, and return messages.

        The suffix selects the format, and `form` the program for .json.
        """
        if is_json(path):
            texts = {TEXT: self.columns[self.text]}
            write_json({**texts, **{n: self.columns[n] for n in ADDED if n in self.columns}}, path, form)
            return []
        columns, lines = protected(self.columns, path), range(1, len(self) + 1)
        return write_table(Table("sample", columns, lines, dialect=self.dialect), {}, path)


def draw(
    population: Population,
    n: int = N_AUDIT,
    *,
    n_duel: int = 0,
    seed: int | None = None,
    sample_seed: int | None = None,
    blind: bool = False,
) -> Sample:
    """Draw n of the documents at random, and `n_duel` of those on which label and source-only classifier differ.

    A larger sample of the same labels with the same seed contains the smaller one; other labels get another sample.
    `sample_seed` is the column of an earlier sample. A column of the user with the name of a new one is kept as
    `<name>_before`.
    """
    if n < 0 or n_duel < 0 or n + n_duel == 0:
        raise ValueError(f"the sample must have at least one document; got n={n} and {n_duel} for the comparison.")
    if not len(population.texts):
        raise ValueError(f"{population.name} has no row with a predicted label, so there is nothing to check.")
    if sample_seed is None:
        sample_seed = secrets.randbelow(2**31) if seed is None else seed_of_labels(population, seed)
    orders = sample_orders(population, sample_seed)
    if n_duel and not len(orders["duel"]):
        if not population.rival:
            raise ValueError("which labels are compared? Name their column with --against, or omit --duel.")
        why = "has no column source_only" if population.source_only is None else "has no document on which they differ"
        raise ValueError(f"{population.name} {why}: nothing to compare with the {population.rival}. Omit --duel.")
    audit = orders["audit"][:n].tolist()
    drawn = set(audit)
    duel = [row for row in orders["duel"][: n_duel + n].tolist() if row not in drawn][:n_duel]
    rows = [*(("audit", row) for row in audit), *(("duel", row) for row in duel)]
    return as_sample(population, rows, sample_seed, blind)


Values = Counter[tuple[str, ...]]  # of one column, each with the user's own columns of its row


def check_no_answers(path: str | PathLike[str]) -> None:
    """Raise an error if a file has answers that would be overwritten."""
    if n := _values(_columns_of(path), "answer").total():
        raise ValueError(f"{path} has {n} answers, which would be lost. Write to another name.")


def keeping_answers(path: Path, write: Callable[[Path], T], *, labels: bool = False) -> T:
    """Write a file; an error if that would lose answers, or with `labels` also labels, that people typed into it."""
    before = _columns_of(path)
    typed = {"answer": _values(before, "answer")}
    if labels:  # the others are the answer or the predicted label of their row
        typed["label"] = _values(before, "label") - _values(before, PREDICTED_LABEL) - typed["answer"]
    if any(typed.values()):
        with TemporaryDirectory() as folder:
            write(draft := Path(folder) / path.name)
            after = _columns_of(draft)
            for name, values in typed.items():
                if n := (values - _values(after, name)).total():
                    raise ValueError(f"{path} has {n} {name}s, which would be lost. Write to another name.")
    return write(path)


def _values(columns: Mapping[str, Sequence[Any]], name: str) -> Values:
    """The values of a column that are not empty; none if there is no such column."""
    own = [columns[other] for other in columns if other not in NEW_COLUMNS]
    rows = zip(columns.get(name, ()), *own, strict=False)
    return Counter(tuple(map(as_text, row)) for row in rows if as_text(row[0]))


def _columns_of(path: str | PathLike[str]) -> Mapping[str, Sequence[Any]]:
    """The columns of a table; none if there is no file, or it has no rows."""
    if not Path(path).is_file() or is_json(path):
        return {}
    try:
        return read_protected(path).columns
    except ValueError as error:
        if any(f" {what}. " in str(error) for what in (ONLY_HEADER, EMPTY)):
            return {}
        raise ValueError(f"{path} cannot be read, so answers in it might be lost. Write to another name.") from error


def seed_of(path: str | PathLike[str]) -> int:
    """The seed of a sample."""
    seeds = {as_text(value) for value in read_protected(path).columns.get("sample_seed", ())}
    if len(seeds) != 1 or not (seed := seeds.pop()).isdecimal():
        raise ValueError(f"{path} is no sample that `labelferry audit` wrote: it has no single sample_seed.")
    return int(seed)


def keep_answers(sample: Sample, path: str | PathLike[str], population: Population) -> Sample:
    """A larger sample with the answers of a smaller one; an error if the labels changed since that one was drawn."""
    earlier = read_protected(path, encoding=population.encoding).columns
    check_fingerprint(str(path), one_fingerprint(earlier, str(path)), population, {})
    answers = {int(as_text(row)): as_text(a) for row, a in zip(earlier["row"], earlier["answer"], strict=True)}
    missing = sorted(row for row, answer in answers.items() if answer and row not in sample.columns["row"])
    if missing:
        raise ValueError(
            f"{path} has an answer to row {missing[0]}, which is not in the new sample. Draw a larger one with -n and "
            "--duel."
        )
    return replace(sample, columns={**sample.columns, "answer": [answers.get(r, "") for r in sample.columns["row"]]})


def as_sample(population: Population, rows: Sequence[tuple[str, int]], seed: int, blind: bool) -> Sample:
    """The columns of a sample file; `rows` are purposes and positions."""
    names, text = sample_names(population)
    own = {names[name]: [values[row] for _, row in rows] for name, values in population.own.items()}
    columns: dict[str, list[Any]] = {
        "row": [population.rows.number(row) for _, row in rows],
        **own,
        text: [population.texts[row] for _, row in rows],
        "label": [population.classes[population.labels[row]] for _, row in rows],
        "answer": [""] * len(rows),
        "purpose": [purpose for purpose, _ in rows],
        "sample_seed": [seed] * len(rows),
        "population": [len(population.texts)] * len(rows),
        FINGERPRINT: [labels_fingerprint(population)] * len(rows),
    }
    if blind:
        del columns["label"]
    return Sample(columns, text, population.dialect)


def sample_names(population: Population) -> tuple[dict[str, str], str]:
    """Names of the user's columns in a sample, and that of the texts."""
    columns = dict.fromkeys((*population.own, population.text), ())
    names = {name: name for name in columns} | new_names(columns, ADDED)
    return names, names[population.text]


def sample_orders(population: Population, seed: int) -> dict[str, Array]:
    """The orders in which documents are drawn, per purpose, without those whose answers the labels learned from."""
    source_only = population.labels if population.source_only is None else population.source_only
    known = population.known.rows
    orders = {
        "audit": audit_order(len(population.texts), seed, known),
        "duel": duel_order(population.labels, source_only, seed, known),
    }
    return {purpose: order[~np.isin(order, known)] for purpose, order in orders.items()}
