"""A table of documents, by column: from a file, a data frame or a list of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .lines import BadRow
from .sequences import mapped, picked, zipped

SEPARATOR = "\n\n"  # between the texts of two columns
UNITS = {"Excel": "row", "Parquet": "row", "folder": "file"}  # what is counted; others: lines


class LazyColumns(Mapping[str, Sequence[Any]]):
    """Columns that are converted to lists on first access.

    `convert`: takes a name and a number of rows, or None for all rows, and returns the values.
    """

    def __init__(self, names: Iterable[str], convert: Callable[[str, int | None], Sequence[Any]]) -> None:
        self._names = dict.fromkeys(names)  # an ordered set
        self._convert = convert
        self._values: dict[str, Sequence[Any]] = {}

    def __getitem__(self, name: str) -> Sequence[Any]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._values:
            self._values[name] = self._convert(name, None)
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"LazyColumns({list(self._names)})"

    def head(self, name: str, n_rows: int) -> Sequence[Any]:
        """The first values of a column, without converting the others."""
        return self._values[name][:n_rows] if name in self._values else self._convert(name, n_rows)


class Dialect(NamedTuple):
    """How a file was written, so that the output can be written in the same way."""

    format: str  # name of the format, such as "CSV"
    delimiter: str | None = None  # between the fields of CSV and TSV
    encoding: str = "utf-8"  # Python codec of a text format, without its byte order mark
    byte_order_mark: bool = False  # whether the file begins with one
    newline: str = "\n"  # end of the lines

    @property
    def unit(self) -> str:
        """What `Table.lines` counts: "line", "row" or "file"."""
        return UNITS.get(self.format, "line")

    @property
    def other_encoding(self) -> str | None:
        """The encoding if it is not Unicode, such as cp1252; otherwise None."""
        return None if self.encoding.startswith("utf") else self.encoding


@dataclass(frozen=True)
class Table:
    """Rows of documents, by column."""

    name: str  # the path as the user wrote it, or another name for messages
    columns: Mapping[str, Sequence[Any]]  # texts from CSV, else the values of the file; None if missing
    lines: Sequence[int]  # on which each row begins; the number of the row, from 1, if there are no lines
    bad: tuple[BadRow, ...] = ()  # rows that were skipped, with the reason
    types: dict[str, Any] = field(default_factory=dict)  # Arrow type per column of a Parquet file, to write it back
    messages: tuple[str, ...] = ()  # what was detected while reading, such as the encoding
    dialect: Dialect | None = None  # how the file was written; None if the table is not from a file
    unreadable: dict[int, str] = field(default_factory=dict)  # rows that could not be read, and why

    def __len__(self) -> int:
        return len(self.lines)

    def head(self, column: str, n_rows: int) -> Sequence[Any]:
        """The first values of a column."""
        if isinstance(self.columns, LazyColumns):
            return self.columns.head(column, n_rows)
        return self.columns[column][:n_rows]


def take_rows(table: Table, rows: Sequence[int]) -> Table:
    """Keep these rows (increasing positions, all readable) of a table. Columns are converted on first access.

    >>> dict(take_rows(from_texts(["a red door", "a green house"]), [1]).columns)
    {'text': ['a green house']}
    """
    if len(rows) == len(table):
        return table
    columns = LazyColumns(table.columns, lambda name, stop: picked(table.columns[name], rows[:stop]))
    return replace(table, columns=columns, lines=[table.lines[row] for row in rows], unreadable={})


def join_texts(table: Table, columns: Sequence[str]) -> Sequence[str | None]:
    """Texts of the rows, joined with a blank line between the columns; None if all parts of a row are empty.

    Numbers are texts too; other values, such as lists, are not. For a large file they are joined when they are read.

    >>> table = Table("x", {"subject": ["Invoice", ""], "body": ["It is wrong.", None]}, [2, 3])
    >>> join_texts(table, ["subject", "body"])
    ['Invoice\\n\\nIt is wrong.', None]
    """
    return mapped(zipped([table.columns[name] for name in columns]), join_rows)


def join_rows(rows: Iterable[Sequence[Any]]) -> list[str | None]:
    """The text of each row of cells."""
    return [SEPARATOR.join(part for value in row if (part := text_of(value))) or None for row in rows]


def joined_name(columns: Sequence[str]) -> str:
    """Name of the text that `join_texts` makes of these columns."""
    return " + ".join(columns)


def text_of(value: Any) -> str:
    """A cell as a text, empty if it has none."""
    if isinstance(value, str):
        return value if value.strip() else ""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number and value == value else ""


def from_texts(texts: Iterable[str], labels: Iterable[Any] | None = None, *, name: str = "texts") -> Table:
    """A table with the columns `text` and, if there are labels, `label`; `name` is for messages.

    >>> from_texts(["a red door", "a green house"], [0, 1]).columns
    {'text': ['a red door', 'a green house'], 'label': [0, 1]}
    """
    if isinstance(texts, str):
        raise ValueError(f"{name} must be a list of texts; got one text, {texts[:20]!r}. Put it in a list.")
    if isinstance(texts, Mapping):
        raise ValueError(
            f"{name} must be a list of texts, a file or a data frame; got a dict. Make a data frame of it."
        )
    columns = {"text": to_list(texts, name)}
    if labels is not None:
        columns["label"] = to_list(labels, "labels")
        if len(columns["label"]) != len(columns["text"]):
            sizes = f"{len(columns['label'])} labels and {len(columns['text'])} texts"
            raise ValueError(f"{name}: labels must be as many as texts; got {sizes}. Pass one per text.")
    return Table(name, columns, range(1, len(columns["text"]) + 1))


def to_list(values: Iterable[Any], name: str = "values") -> list[Any]:
    """A list of Python values; numpy scalars would not be written as numbers."""
    try:
        as_list = values.tolist() if hasattr(values, "tolist") else list(values)
    except TypeError:  # no iterable, or a sparse matrix
        as_list = None
    if not isinstance(as_list, list):
        raise ValueError(f"{name} must be a list or an array; got {type(values).__name__}.")
    return as_list
