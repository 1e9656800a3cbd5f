"""Random tables, written and read again in every format: nothing is lost, nothing changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from labelferry.tables import read_table, write_table
from labelferry.tables.formats.delimited import cell
from labelferry.tables.table import Table

from .choices import JSON_VALUES, Choices
from .rules import REFUSED, attempt, require

FORMATS = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".csv.gz", ".jsonl.gz")
JSON = (".jsonl", ".json", ".jsonl.gz")
VALUES = tuple(value for value in JSON_VALUES if value == value and value not in (float("inf"), [1] * 1000))


class RoundTrip(NamedTuple):
    """Columns with one value per row, and a format."""

    suffix: str
    columns: tuple[tuple[str, tuple[Any, ...]], ...]


def decode(choices: Choices) -> RoundTrip:
    """Up to six columns and eight rows; half of the columns are texts only."""
    suffix, n_rows = choices.pick(FORMATS), 1 + choices.below(8)
    columns: dict[str, tuple[Any, ...]] = {"text": tuple(choices.text() for _ in range(n_rows))}
    for _ in range(choices.below(6)):
        only_texts = choices.flag()
        columns[choices.text() or "name"] = tuple(
            choices.text() if only_texts else choices.pick(VALUES) for _ in range(n_rows)
        )
    return RoundTrip(suffix, tuple(columns.items()))


def check(case: RoundTrip, folder: Path) -> str:
    """Write and read. JSON keeps values and types; other formats keep what a cell shows."""
    path, columns = folder / f"table{case.suffix}", {name: list(values) for name, values in case.columns}
    path.unlink(missing_ok=True)
    n_rows = len(columns["text"])
    table = Table("table", columns, range(1, n_rows + 1))
    outcome, _ = attempt(lambda: write_table(table, {"number": list(range(n_rows))}, path))
    if outcome == REFUSED:
        require(not path.exists(), "refused, and the file is there")
        return REFUSED
    outcome, again = attempt(lambda: read_table(path))
    if outcome == REFUSED:  # a name without letters, or cells with NUL
        return REFUSED
    require([int(number) for number in again.columns["number"]] == list(range(n_rows)), "another order of rows")
    for name, values in columns.items():
        kept = again.columns.get("number_before" if name == "number" else name)
        require(kept is not None, f"column {name!r} is lost")
        same = map(exact if case.suffix in JSON else shown, values)
        require(
            list(same) == list(map(exact if case.suffix in JSON else shown, kept or [])), f"column {name!r} changed"
        )
    return outcome


def exact(value: Any) -> str:
    """A value with its type."""
    return json.dumps(value, sort_keys=True)


def shown(value: Any) -> str:
    """What a cell shows; a whole number is the same with and without a decimal point."""
    text = cell(value)
    try:
        return str(int(float(text))) if abs(float(text)) < 2**53 and float(text).is_integer() else text
    except (ValueError, OverflowError):
        return text


def seeds() -> list[bytes]:
    """Every format."""
    return [bytes([i, 3, 5, 7, 11, 2, 0, 30, 40, 41, 42, 43, 1, 8, 9, 10, 11, 12]) for i in range(len(FORMATS))]


PAST = {
    "an object without fields to Parquet": RoundTrip(".parquet", (("text", ("a",)), ("x", ({},)))),
    "numbers and truth values to Parquet": RoundTrip(".parquet", (("text", ("a", "b")), ("x", (0.5, True)))),
    "objects with different fields to Parquet": RoundTrip(".parquet", (("text", ("a", "b")), ("x", ({}, {"y": 1})))),
    "half a character as a name to Parquet": RoundTrip(".parquet", (("text", ("a",)), ("\ud800", ("x",)))),
    "half a character as a name to CSV": RoundTrip(".csv", (("text", ("a",)), ("\ud800", ("x",)))),
    "half a character as a name to a workbook": RoundTrip(".xlsx", (("text", ("a",)), ("\ud800", ("x",)))),
    "a name without letters to a workbook": RoundTrip(".xlsx", (("text", ("a",)), (" ", ("x",)))),
}
