"""Data frames of pandas, polars and other libraries that narwhals supports. The result has the type of the input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .table import LazyColumns, Table
from .write import new_column, new_names


def from_frame(frame: Any, *, name: str = "the frame") -> Table:
    """A data frame, for example of pandas or polars, as a table; null and NaN are None.

    A column is converted to a list on first access. A lazy frame is collected. `name` is for messages.
    """
    wrapped = wrap(frame, name)
    if not wrapped.columns or not len(wrapped):
        raise ValueError(f"{name} is empty. Pass one with one document per row.")
    own_names = {str(column): column for column in wrapped.columns}

    def convert(column: str, n_rows: int | None) -> list[Any]:
        series = wrapped.get_column(own_names[column])
        return values_of(series if n_rows is None else series.head(n_rows))

    return Table(name, LazyColumns(own_names, convert), range(1, len(wrapped) + 1))


def to_frame(table: Table, extra: Mapping[str, Sequence[Any]], *, like: Any, reserved: Iterable[str] = ()) -> Any:
    """The data frame `like`, from which the table was made, with new columns.

    Its own columns, their types and its index stay as they are and are not converted. An own column with the
    name of a new column, or with another reserved name, is renamed to `<name>_before`.
    """
    import narwhals as nw

    wrapped = wrap(like, "like")
    names = new_names(table.columns, (*extra, *reserved))
    values = {name: list(new_column(table, name, column)) for name, column in extra.items()}
    wrapped = wrapped.rename({column: names[str(column)] for column in wrapped.columns if str(column) in names})
    series = [nw.new_series(name, column, backend=wrapped.implementation) for name, column in values.items()]
    return wrapped.with_columns(*series).to_native()


def collected(frame: Any) -> Any:
    """The data frame of a lazy one, such as LazyFrame of polars; anything else as it is."""
    if not callable(getattr(frame, "collect", None)):
        return frame
    import narwhals as nw

    wrapped = nw.from_native(frame, pass_through=True)
    return wrapped.collect().to_native() if isinstance(wrapped, nw.LazyFrame) else frame


def wrap(frame: Any, name: str) -> Any:
    """The frame as a narwhals frame."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        wrapped = nw.from_native(collected(frame), eager_only=True)
        names = [str(column) for column in wrapped.columns]
    except TypeError:
        kind = type(frame).__name__
        raise ValueError(f"{name} must be a data frame of pandas or polars; got {kind}. Convert it.") from None
    except DuplicateError as error:
        raise ValueError(f"{name}: {' '.join(str(error).split())}. Give each column a name of its own.") from None
    if len(set(names)) < len(names):
        raise ValueError(f"{name}: two columns have one name when written: {', '.join(names)}. Rename one.")
    return wrapped


def values_of(series: Any) -> list[Any]:
    """The values of a narwhals series as a list; None if missing or NaN."""
    pairs = zip(series.to_list(), series.is_null().to_list(), strict=True)
    return [None if null or (isinstance(value, float) and value != value) else value for value, null in pairs]
