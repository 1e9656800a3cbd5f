"""Columns by their names: the exact name first, then one that differs only in case or surrounding blanks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from .table import Table

MAX_LISTED = 12  # names in a message
MAX_NAME = 40  # characters of a name in a message


def find_name(columns: Iterable[str], name: str) -> str | None:
    """The column of this name, or the only one that differs in case or surrounding blanks; None if there is none.

    >>> find_name(["ID", "Body"], "body ")
    'Body'
    """
    similar = similar_names(columns := list(columns), name)
    return name if name in columns else similar[0] if len(similar) == 1 else None


def similar_names(columns: Iterable[str], name: str) -> list[str]:
    """The columns whose names differ at most in case or surrounding blanks."""
    return [column for column in columns if column.strip().casefold() == name.strip().casefold()]


def require(table: Table, option: str, name: str, messages: list[str], way_out: str = "") -> str:
    """The column of this name; an error if the table does not have it."""
    column = find_name(table.columns, name)
    if column is None:
        similar = similar_names(table.columns, name)
        near = get_close_matches(name, table.columns, n=1)
        hint = way_out or f"Name one of them with {option_name(option)}."
        if similar:
            hint = f"It could be {listed(similar)}: write the name exactly."
        elif near:
            hint = f"Did you mean {near[0]!r}? {way_out}".rstrip()
        raise ValueError(f"{table.name} has no column {name!r}; it has {listed(table.columns)}. {hint}")
    if column != name:
        messages.append(f"column {column!r} of {table.name} is used as {name!r}")
    return column


def require_texts(
    table: Table, option: str, names: str | Sequence[str], messages: list[str], way_out: str = ""
) -> tuple[str, ...]:
    """The columns of these names, each once; parameters as in `require`."""
    # A name with commas is one column if the table has it, otherwise several.
    columns: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        is_one = "," not in name or find_name(table.columns, name) is not None
        parts = [name] if is_one else [part.strip() for part in name.split(",") if part.strip()]
        columns += [require(table, option, part, messages, way_out) for part in parts]
    if not columns:
        raise ValueError(f"{option} must name a column; got {names!r}. {table.name} has {listed(table.columns)}.")
    return tuple(dict.fromkeys(columns))


def option_name(option: str) -> str:
    """A parameter as in Python and on the command line.

    >>> option_name("text_target")
    'text_target= (--text-target)'
    """
    return f"{option}= (--{option.replace('_', '-')})"


def listed(names: Iterable[str]) -> str:
    """Names for a message: the first ones, long ones shortened."""
    shown = [repr(name if len(name) <= MAX_NAME else name[: MAX_NAME - 3] + "...") for name in names]
    more = f" and {len(shown) - MAX_LISTED} more" if len(shown) > MAX_LISTED else ""
    return ", ".join(shown[:MAX_LISTED]) + more if shown else "none"
