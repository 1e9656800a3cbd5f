"""Cells that a spreadsheet does not run.

A spreadsheet runs a cell of a CSV file that begins with = + - or @ as a formula, and texts come from anywhere. In CSV
and TSV files that people open (samples of `audit`, downloads of the review page, and with `--spreadsheet` those of
`label`, `apply` and `export`) such a cell gets an apostrophe in front. `certify`, `audit` and `label --answers` remove
it when they read the file. Numbers stay as they are. Files for programs are not changed: those of `label`, `apply` and
`export` without `--spreadsheet`, and all JSON lines and Parquet files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

from . import Table, read_table, write_table
from .cells import as_number

FORMULA = re.compile(r"'*[=+\-@\t\r]")
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


def is_spreadsheet(path: str | PathLike[str]) -> bool:
    """Whether a spreadsheet would read the cells of this file as formulas."""
    return fspath(path).lower().endswith(SUFFIXES)


def protect(value: Any) -> Any:
    """A cell that no spreadsheet runs; numbers and other cells stay as they are.

    >>> [protect(value) for value in ("=1+1", "-5", "'=1", "a = b", -5)]
    ["'=1+1", '-5', "''=1", 'a = b', -5]
    """
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def restore(value: Any) -> Any:
    """The cell that `protect` was given.

    >>> [restore(value) for value in ("'=1+1", "-5", "''=1", "'tis", -5)]
    ['=1+1', '-5', "'=1", "'tis", -5]
    """
    return value[1:] if isinstance(value, str) and value.startswith("'") and _is_formula(value) else value


def _is_formula(text: str) -> bool:
    return FORMULA.match(text) is not None and as_number(text.lstrip("'")) is None


def protected(columns: Mapping[str, Sequence[Any]], path: str | PathLike[str]) -> dict[str, list[Any]]:
    """The columns as they are written to this file."""
    change = protect if is_spreadsheet(path) else lambda value: value
    return {name: [change(value) for value in values] for name, values in columns.items()}


def write_labelled(
    table: Table,
    extra: Mapping[str, Sequence[Any]],
    path: str | PathLike[str],
    *,
    reserved: Iterable[str] = (),
    spreadsheet: bool = False,
) -> list[str]:
    """Write a table with new columns, `reserved` as in `write_table`; with `spreadsheet`, no cell of a CSV or TSV file
    is a formula.
    """
    if spreadsheet:
        table, extra = replace(table, columns=protected(table.columns, path)), protected(extra, path)
    return write_table(table, extra, path, reserved=reserved)


def read_protected(path: str | PathLike[str], *, encoding: str | None = None) -> Table:
    """Read a table that people may have had open in a spreadsheet."""
    table = read_table(path, encoding=encoding)
    if not is_spreadsheet(path):
        return table
    return replace(table, columns={name: [restore(v) for v in values] for name, values in table.columns.items()})
