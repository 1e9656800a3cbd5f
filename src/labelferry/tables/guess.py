"""Which columns are the text, the label, the domain: by name, or detected with a message. A doubt is an error."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from .formats.header import about_header
from .names import find_name, listed, option_name, require, require_texts
from .table import Table, joined_name
from .text_column import by_name, detect_text

# Usual names in order of certainty, as in `text_column`.
LABEL_NAMES = (
    {"label", "labels"},
    {"class", "category", "target", "y", "topic", "sentiment", "intent", "tag", "polarity"},
)
DOMAIN_NAMES = ({"domain"},)

Names = str | Sequence[str] | None  # of text columns, as users give them


class Columns(NamedTuple):
    """The columns of the documents.

    Attributes
    ----------
    text : tuple of str
        Text columns of the source.
    label : str
        Label column of the source.
    domain : str or None
        Domain column, if there is one.
    text_target : tuple of str
        Text columns of the target.
    label_target : str or None
        Label column of the target, if there is one.
    messages : list of str
        One message per column that was detected or whose name is not exactly the given one.
    """

    text: tuple[str, ...]
    label: str
    domain: str | None
    text_target: tuple[str, ...]
    label_target: str | None
    messages: list[str]

    @property
    def text_name(self) -> str:
        """Name of the text of the target: the column, or the joined columns."""
        return joined_name(self.text_target)


def choose_columns(
    source: Table,
    target: Table,
    *,
    text: Names = None,
    text_target: Names = None,
    label: str | None = None,
    domain: str | None = None,
    label_target: str | None = None,
) -> Columns:
    """Choose the columns of the text (in both tables), the label and the domain (in either).

    A given name must exist; case and surrounding blanks may differ. The others are detected: by a usual name; then the
    text by its length, and the label as the only column that the target does not have.

    Parameters
    ----------
    source : Table
        The labelled documents.
    target : Table
        The new documents.
    text, text_target : str or sequence of str, default=None
        Text columns of the source and of the target. By default they are detected; `text_target` is the same as `text`
        if only that is given. Several names, also in one string with commas, are several columns.
    label, domain, label_target : str, default=None
        Names of the other columns; detected if not given.

    Returns
    -------
    columns : Columns
        The names as they are in the tables, and the messages.
    """
    with naming_missing_headers(source, target):
        if len(source.columns) < 2:
            raise ValueError(
                f"{source.name} has one column, {next(iter(source.columns))!r}; a source needs a text and a label. "
                f"Add the other, or separate the fields by comma, semicolon, tab or bar.{order_hint(target)}"
            )
        messages: list[str] = []
        given = [name for name in (label, domain, label_target) if name is not None]
        taken = {column for name in given for table in (source, target) if (column := find_name(table.columns, name))}
        texts, texts_target = choose_texts(source, target, text, text_target, taken, messages)
        label = choose_label(source, target, label, {*taken, *texts}, messages)
        domain = choose_domain(source, target, domain, {*taken, *texts, *texts_target, label}, messages)
        check_different((*texts, label, domain))
        if label_target is not None:
            label_target = require(target, "label_target", label_target, messages)
            check_different((*texts_target, label_target))
        else:
            others = [name for name in target.columns if name not in (*texts_target, domain)]
            label_target = find_name(others, label) or by_name(others, LABEL_NAMES)
        return Columns(texts, label, domain, texts_target, label_target, messages)


@contextmanager
def naming_missing_headers(*tables: Table) -> Iterator[None]:
    """Add to an error about columns that a table has probably no header: this is then its cause."""
    try:
        yield
    except ValueError as error:
        hints = dict.fromkeys(hint for table in tables for hint in about_header(table.messages))
        if not hints:
            raise
        raise ValueError(" ".join([str(error), *hints])) from None


def check_different(names: Sequence[str | None]) -> None:
    """Raise an error if a column has two roles."""
    if twice := [name for name in names if name is not None and names.count(name) > 1]:
        raise ValueError(f"text, label and domain must be different columns; {twice[0]!r} is named twice. Name others.")


def choose_texts(
    source: Table, target: Table, text: Names, text_target: Names, taken: Collection[str], messages: list[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Choose the text columns of both tables.

    Parameters
    ----------
    source, target : Table
        The documents.
    text, text_target : str, sequence of str or None
        Names of the columns; see `choose_columns`.
    taken : collection of str
        Columns with another role.
    messages : list of str
        Messages are added here.

    Returns
    -------
    source_columns, target_columns : tuple of str
        Names of the text columns.
    """
    if text is not None:
        source_columns = require_texts(source, "text", text, messages)
        if text_target is None:
            own = f"If its text has another name, pass {option_name('text_target')}."
            return source_columns, require_texts(target, "text_target", text, messages, own)
        return source_columns, require_texts(target, "text_target", text_target, messages)
    if text_target is not None:
        found, _ = detect_text(source, source, taken, messages)
        return (found,), require_texts(target, "text_target", text_target, messages)
    found, found_target = detect_text(source, target, taken, messages)
    return (found,), (found_target,)


def choose_text(table: Table, text: Names, taken: Collection[str], messages: list[str]) -> tuple[str, ...]:
    """Choose the text columns of one table.

    Parameters
    ----------
    table : Table
        The documents.
    text : str, sequence of str or None
        Names of the columns; detected if None.
    taken : collection of str
        Columns with another role.
    messages : list of str
        Messages are added here.

    Returns
    -------
    columns : tuple of str
        Names of the text columns.
    """
    with naming_missing_headers(table):
        return choose_texts(table, table, text, text, taken, messages)[0]


def choose_label(source: Table, target: Table, label: str | None, taken: Collection[str], messages: list[str]) -> str:
    """Choose the label column of the source; parameters as in `choose_texts`."""
    if label is not None:
        return require(source, "label", label, messages)
    free = [name for name in source.columns if name not in taken]
    if usual := by_name(free, LABEL_NAMES):
        messages.append(f"label column: {usual!r} (its name)")
        return usual
    only_here = [name for name in free if find_name(target.columns, name) is None and not by_name([name], DOMAIN_NAMES)]
    if len(only_here) == 1:
        messages.append(f"label column: {only_here[0]!r} (the only one that {target.name} does not have)")
        return only_here[0]
    hint = order_hint(target)
    raise ValueError(
        f"which column is the label? Other columns of {source.name}: {listed(free)}.{hint} "
        f"{'Otherwise name' if hint else 'Name'} it with label= (--label)."
    )


def order_hint(target: Table) -> str:
    """A sentence for an error about the source if the labels seem to be in the target."""
    usual = by_name(list(target.columns), LABEL_NAMES)
    if usual is None:
        return ""
    return f" {target.name} has a column {usual!r}: if its documents are the labelled ones, pass it first."


def choose_domain(
    source: Table, target: Table, domain: str | None, taken: Collection[str], messages: list[str]
) -> str | None:
    """Choose the domain column of either table, None if there is none; parameters as in `choose_texts`."""
    if domain is not None:
        in_target = find_name(target.columns, domain)
        if in_target is None or find_name(source.columns, domain) is not None:
            return require(source, "domain", domain, messages)
        return in_target
    free = [name for name in dict.fromkeys([*source.columns, *target.columns]) if name not in taken]
    if usual := by_name(free, DOMAIN_NAMES):
        messages.append(f"domain column: {usual!r} (its name)")
    return usual
