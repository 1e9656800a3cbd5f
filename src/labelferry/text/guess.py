"""Which column is the text, the label, the domain: asked for by name, or guessed and said. A doubt is an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, NamedTuple

from .tables import Table

# Names in order of certainty: those of a line are as good as each other, and two of them in a file are a doubt.
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
SAMPLE = 1000  # rows looked at for the length of texts
LONGER = 2.0  # the text column's cells are this many times longer than any other's, or it is not guessed


class Columns(NamedTuple):
    text: str
    label: str
    domain: str | None
    said: list[str]


def choose_columns(
    source: Table, target: Table, *, text: str | None = None, label: str | None = None, domain: str | None = None
) -> Columns:
    """The columns of the text (in both tables), of the label (in the source) and of the domain (in either, or None).

    A name that is passed must be there. The others are guessed: by a usual name, then the text by its length and the
    label as the one column that the target lacks. `said` has a sentence for every guess.
    """
    if len(source.columns) < 2:
        raise ValueError(
            f"{source.name} has one column, {next(iter(source.columns))!r}; a source needs a text and a label. "
            "Add the other, or separate the fields by comma, semicolon, tab or bar."
        )
    said: list[str] = []
    taken = {name for name in (text, label, domain) if name is not None}
    text = choose_text(source, target, text, taken, said)
    label = choose_label(source, target, label, taken | {text}, said)
    domain = choose_domain(source, target, domain, taken | {text, label}, said)
    chosen = [name for name in (text, label, domain) if name is not None]
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise ValueError(f"text, label and domain must be different columns; {twice!r} is named twice. Name others.")
    return Columns(text, label, domain, said)


def choose_text(source: Table, target: Table, text: str | None, taken: Collection[str], said: list[str]) -> str:
    if text is not None:
        require(source, "text", text)
        require(target, "text", text)
        return text
    shared = [name for name in source.columns if name in target.columns and name not in taken]
    if found := by_name(shared, TEXT_NAMES):
        said.append(f"text column: {found!r} (its name)")
        return found
    lengths = sorted(((mean_length(source, target, name), name) for name in shared), reverse=True)
    if lengths and lengths[0][0] > LONGER * max([1.0, *(length for length, _ in lengths[1:2])]):
        length, found = lengths[0]
        said.append(f"text column: {found!r} (the longest texts, {length:.0f} characters on average)")
        return found
    both = f"columns of both {source.name} and {target.name}: {listed(shared)}"
    raise ValueError(f"which column is the text? {both}. Name it with text= (--text).")


def choose_label(source: Table, target: Table, label: str | None, taken: Collection[str], said: list[str]) -> str:
    if label is not None:
        require(source, "label", label)
        return label
    free = [name for name in source.columns if name not in taken]
    if found := by_name(free, LABEL_NAMES):
        said.append(f"label column: {found!r} (its name)")
        return found
    only_here = [name for name in free if name not in target.columns and not by_name([name], DOMAIN_NAMES)]
    if len(only_here) == 1:
        said.append(f"label column: {only_here[0]!r} (the one that {target.name} does not have)")
        return only_here[0]
    raise ValueError(
        f"which column is the label? Other columns of {source.name}: {listed(free)}. Name it with label= (--label)."
    )


def choose_domain(
    source: Table, target: Table, domain: str | None, taken: Collection[str], said: list[str]
) -> str | None:
    if domain is not None:
        if domain not in target.columns:
            require(source, "domain", domain)
        return domain
    free = [name for name in dict.fromkeys([*source.columns, *target.columns]) if name not in taken]
    if found := by_name(free, DOMAIN_NAMES):
        said.append(f"domain column: {found!r} (its name)")
    return found


def by_name(names: Sequence[str], usual: Iterable[set[str]]) -> str | None:
    """The one name that is usual; None if there is none, or two that are equally good."""
    for tier in usual:
        found = [name for name in names if name.strip().lower().replace("_", "") in tier]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def mean_length(source: Table, target: Table, name: str) -> float:
    """Characters a cell, of the first rows; the smaller of both tables. What is not text has length 0."""

    def mean(values: list[Any]) -> float:
        cells = [len(value) if isinstance(value, str) else 0 for value in islice(values, SAMPLE)]
        return sum(cells) / max(1, len(cells))

    return min(mean(source.columns[name]), mean(target.columns[name]))


def require(table: Table, option: str, name: str) -> None:
    if name not in table.columns:
        near = get_close_matches(name, table.columns, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Name one of them with {option}= (--{option})."
        raise ValueError(
            f"{table.name} has no column {name!r}; it has {listed(table.columns)}. {hint} A name is the "
            "same in all files."
        )


def listed(names: Iterable[str]) -> str:
    """Names for a message: the first ones, each cut where it is long."""
    shown = [repr(name if len(name) <= 40 else name[:37] + "...") for name in names]
    more = f" and {len(shown) - 12} more" if len(shown) > 12 else ""
    return ", ".join(shown[:12]) + more if shown else "none"


def check_labels(labels: Sequence[Any], name: str = "labels") -> None:
    """Refuse labels from which no classifier can learn: missing ones, one class only, or every row its own class.

    >>> check_labels(["spam", "spam"])
    Traceback (most recent call last):
    ValueError: labels: two classes or more are needed; all 2 are 'spam'. Add another class, or name another column.
    """
    missing = [row for row, label in enumerate(labels, 1) if label is None or label == "" or label != label]
    if missing:
        many = f"{len(missing)} of {len(labels)} rows have no label, the first is row {missing[0]}"
        raise ValueError(f"{name}: every source row needs a label; {many}. Fill them in or take the rows out.")
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
