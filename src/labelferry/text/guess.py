"""Which column is the text, the label, the domain: by name, or detected with a message. A doubt is an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from .tables import Table

# Usual names in order of certainty. Names of one set are equally good: if a file has two of them, that is a doubt.
TEXT_NAMES = (
    {"text", "texts"},
    {"body", "content", "contents", "message", "review", "document", "comment", "tweet", "sentence", "reviewtext"},
    {"description", "article", "post", "abstract", "question", "utterance"},
)
LABEL_NAMES = (
    {"label", "labels"},
    {"class", "category", "target", "y", "topic", "sentiment", "intent", "tag", "polarity"},
)
DOMAIN_NAMES = ({"domain"},)
SAMPLE = 1000  # rows used to estimate the length of texts
LONGER = 2.0  # the cells of the text column must be this many times longer than those of any other column
MAX_LISTED = 12  # names in a message
MAX_NAME = 40  # characters of a name in a message


class Columns(NamedTuple):
    """The columns of the documents.

    Attributes
    ----------
    text : str
        Name of the text column.
    label : str
        Name of the label column of the source.
    domain : str or None
        Name of the domain column, if there is one.
    messages : list of str
        One message per detected column.
    """

    text: str
    label: str
    domain: str | None
    messages: list[str]


def choose_columns(
    source: Table, target: Table, *, text: str | None = None, label: str | None = None, domain: str | None = None
) -> Columns:
    """Choose the columns of the text (in both tables), the label (in the source) and the domain (in either).

    A given name must exist. The others are detected: by a usual name; then the text by its length, and the label as the
    only column that the target does not have.

    Parameters
    ----------
    source : Table
        The labelled documents.
    target : Table
        The new documents.
    text, label, domain : str, default=None
        Names of the columns; detected if not given.

    Returns
    -------
    columns : Columns
        The names, and one message per detected column.
    """
    if len(source.columns) < 2:
        raise ValueError(
            f"{source.name} has one column, {next(iter(source.columns))!r}; a source needs a text and a label. "
            "Add the other, or separate the fields by comma, semicolon, tab or bar."
        )
    messages: list[str] = []
    taken = {name for name in (text, label, domain) if name is not None}
    text = choose_text(source, target, text, taken, messages)
    label = choose_label(source, target, label, taken | {text}, messages)
    domain = choose_domain(source, target, domain, taken | {text, label}, messages)
    chosen = [name for name in (text, label, domain) if name is not None]
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise ValueError(f"text, label and domain must be different columns; {twice!r} is named twice. Name others.")
    return Columns(text, label, domain, messages)


def choose_text(source: Table, target: Table, text: str | None, taken: Collection[str], messages: list[str]) -> str:
    """Choose the text column, which must be in both tables.

    Parameters
    ----------
    source, target : Table
        The documents.
    text : str or None
        Name of the column; detected if None.
    taken : collection of str
        Columns with another role.
    messages : list of str
        A message is added if the column is detected.

    Returns
    -------
    name : str
        Name of the text column.
    """
    if text is not None:
        require(source, "text", text)
        require(target, "text", text)
        return text
    shared = [name for name in source.columns if name in target.columns and name not in taken]
    if usual := by_name(shared, TEXT_NAMES):
        messages.append(f"text column: {usual!r} (its name)")
        return usual
    lengths = sorted(((mean_length(source, target, name), name) for name in shared), reverse=True)
    if lengths and lengths[0][0] > LONGER * max([1.0, *(length for length, _ in lengths[1:2])]):
        length, longest = lengths[0]
        messages.append(f"text column: {longest!r} (the longest texts, {length:.0f} characters on average)")
        return longest
    if not shared:
        raise ValueError(
            f"{source.name} and {target.name} have no column in common. Rename the text column so that it has the same "
            "name in both."
        )
    both = f"columns of both {source.name} and {target.name}: {listed(shared)}"
    raise ValueError(f"which column is the text? {both}. Name it with text= (--text).")


def choose_label(source: Table, target: Table, label: str | None, taken: Collection[str], messages: list[str]) -> str:
    """Choose the label column of the source; parameters as in `choose_text`."""
    if label is not None:
        require(source, "label", label)
        return label
    free = [name for name in source.columns if name not in taken]
    if usual := by_name(free, LABEL_NAMES):
        messages.append(f"label column: {usual!r} (its name)")
        return usual
    only_here = [name for name in free if name not in target.columns and not by_name([name], DOMAIN_NAMES)]
    if len(only_here) == 1:
        messages.append(f"label column: {only_here[0]!r} (the only one that {target.name} does not have)")
        return only_here[0]
    raise ValueError(
        f"which column is the label? Other columns of {source.name}: {listed(free)}. Name it with label= (--label)."
    )


def choose_domain(
    source: Table, target: Table, domain: str | None, taken: Collection[str], messages: list[str]
) -> str | None:
    """Choose the domain column of either table, None if there is none; parameters as in `choose_text`."""
    if domain is not None:
        if domain not in target.columns:
            require(source, "domain", domain)
        return domain
    free = [name for name in dict.fromkeys([*source.columns, *target.columns]) if name not in taken]
    if usual := by_name(free, DOMAIN_NAMES):
        messages.append(f"domain column: {usual!r} (its name)")
    return usual


def by_name(names: Sequence[str], usual: Iterable[set[str]]) -> str | None:
    """The one name that is usual; None if there is none, or if two are equally good."""
    for tier in usual:
        matches = [name for name in names if name.strip().lower().replace("_", "") in tier]
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def mean_length(source: Table, target: Table, name: str) -> float:
    """Mean number of characters per cell of the first rows, the smaller of both tables. Other values have length 0."""

    def mean(table: Table) -> float:
        lengths = [len(value) if isinstance(value, str) else 0 for value in table.head(name, SAMPLE)]
        return sum(lengths) / max(1, len(lengths))

    return min(mean(source), mean(target))


def require(table: Table, option: str, name: str) -> None:
    """Raise an error if the table does not have this column."""
    if name not in table.columns:
        near = get_close_matches(name, table.columns, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Name one of them with {option}= (--{option})."
        raise ValueError(
            f"{table.name} has no column {name!r}; it has {listed(table.columns)}. {hint} The name must be the same in "
            "all files."
        )


def listed(names: Iterable[str]) -> str:
    """Names for a message: the first ones, long ones shortened."""
    shown = [repr(name if len(name) <= MAX_NAME else name[: MAX_NAME - 3] + "...") for name in names]
    more = f" and {len(shown) - MAX_LISTED} more" if len(shown) > MAX_LISTED else ""
    return ", ".join(shown[:MAX_LISTED]) + more if shown else "none"


def check_labels(labels: Sequence[Any], name: str = "labels") -> None:
    """Reject labels from which no classifier can learn: missing ones, only one class, or one class per row.

    Parameters
    ----------
    labels : sequence
        One label per document.
    name : str, default="labels"
        Name for messages.

    Examples
    --------
    >>> check_labels(["spam", "spam"])
    Traceback (most recent call last):
    ValueError: labels: two classes or more are needed; all 2 are 'spam'. Add another class, or name another column.
    """
    missing = [row for row, label in enumerate(labels, 1) if label is None or label == "" or label != label]
    if missing:
        count = f"{len(missing)} of {len(labels)} rows have no label, the first is row {missing[0]}"
        raise ValueError(f"{name}: every source row needs a label; {count}. Fill them in or remove the rows.")
    counts = Counter(map(str, labels))
    if len(counts) < 2:
        what = f"all {len(labels)} are {next(iter(counts))!r}" if counts else "there are none"
        way_out = "Add another class, or name another column."
        raise ValueError(f"{name}: two classes or more are needed; {what}. {way_out}")
    if len(counts) == len(labels) > 2:
        raise ValueError(
            f"{name}: every one of the {len(labels)} rows has a class of its own, such as {labels[0]!r}. "
            "Is it a number or an identifier? Name another column."
        )
