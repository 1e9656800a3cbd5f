"""Data frames in and out: pandas, polars and whatever else narwhals knows. The user's kind of frame comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .tables import Table
from .write import joined, new_names


def from_frame(frame: Any, *, name: str = "the frame") -> Table:
    """The table of a data frame; its rows are numbered from 1, and what is null or NaN is None."""
    ours = eager(frame, name)
    columns = {str(column): values_of(ours.get_column(column)) for column in ours.columns}
    if not columns or not len(ours):
        raise ValueError(f"{name} is empty. Pass one with a document a row.")
    return Table(name, columns, range(1, len(ours) + 1))


def to_frame(table: Table, extra: Mapping[str, Sequence[Any]], *, like: Any) -> Any:
    """The frame `like`, from which `table` was made, with the columns of `extra`; rows that were skipped are left out.

    Its own columns, their types and its index are as they were. A column whose name is needed is kept as
    `<name>_before`.
    """
    import narwhals as nw

    ours = eager(like, "like")
    names = new_names(list(table.columns), list(extra))
    columns = joined(table, extra, names)
    if len(table) < len(ours):
        ours = ours[[line - 1 for line in table.lines]]
    ours = ours.rename({column: names[str(column)] for column in ours.columns if str(column) in names})
    series = [nw.new_series(name, columns[name], backend=ours.implementation) for name in extra]
    return ours.with_columns(*series).to_native()


def eager(frame: Any, name: str) -> Any:
    """The frame as narwhals sees it."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        ours = nw.from_native(frame, eager_only=True)
        names = [str(column) for column in ours.columns]
    except TypeError:
        kind = type(frame).__name__
        raise ValueError(
            f"{name} must be a data frame of pandas or polars; got {kind}. Collect or convert it."
        ) from None
    except DuplicateError as error:
        raise ValueError(f"{name}: {' '.join(str(error).split())}. Give each column a name of its own.") from None
    if len(set(names)) < len(names):
        raise ValueError(f"{name}: two columns have one name when written: {', '.join(names)}. Rename one.")
    return ours


def values_of(column: Any) -> list[Any]:
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    return [None if null or (isinstance(value, float) and value != value) else value for value, null in pairs]
