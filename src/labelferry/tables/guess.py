"""Which columns are the text, the label, the domain: by name, or detected with a message. A doubt is an error."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from .formats.header import NO_HEADER
from .names import find_name, listed, option_name, require, require_texts
from .table import Table, joined_name

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
MIN_LENGTH = 12.0  # mean number of characters of texts; shorter cells are names or numbers
LONGER = 2.0  # the cells of the text column must be this many times longer than those of any other column

Names = str | Sequence[str] | None  # of text columns, as users give them


class Columns(NamedTuple):
    """The columns of the documents."""

    text: tuple[str, ...]  # of the source
    label: str  # of the source
    domain: str | None  # None if there is none
    text_target: tuple[str, ...]
    label_target: str | None  # None if the target has no labels
    messages: list[str]  # one per column that was detected, or whose name is not exactly the given one

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
    text by its length, and the label as the only column that the target does not have. `text_target` is `text` if only
    that is given. Several texts, also in one string with commas, are several columns.
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
        hints = dict.fromkeys(line for table in tables for line in table.messages if line.endswith(NO_HEADER))
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
    """Choose the text columns of both tables."""
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
    """Choose the text columns of one table, none of them `taken` by another role; adds to the messages."""
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


def detect_text(source: Table, target: Table, taken: Collection[str], messages: list[str]) -> tuple[str, str]:
    """Detect the text column of both tables: a usual name in both, a usual name in each, or the longest texts."""
    shared = {
        name: other
        for name in source.columns
        if name not in taken and (other := find_name(target.columns, name)) is not None and other not in taken
    }
    if usual := by_name(list(shared), TEXT_NAMES):
        messages.append(f"text column: {in_both(usual, shared[usual], target)} (its name)")
        return usual, shared[usual]
    own = [by_name([name for name in table.columns if name not in taken], TEXT_NAMES) for table in (source, target)]
    if own[0] is not None and own[1] is not None:
        messages.append(f"text column: {own[0]!r} of {source.name}, {own[1]!r} of {target.name} (their names)")
        return own[0], own[1]
    own_lengths = [
        {name: mean_length(table, name) for name in table.columns if name not in taken} for table in (source, target)
    ]
    lengths = sorted(((min(own_lengths[0][a], own_lengths[1][b]), (a, b)) for a, b in shared.items()), reverse=True)
    others = max((length for length, _ in lengths[1:]), default=0.0)
    longest_own = [max(sizes, key=sizes.__getitem__, default=None) for sizes in own_lengths]
    is_longest = lengths and lengths[0][1] == (longest_own[0], longest_own[1])
    if is_longest and lengths[0][0] >= MIN_LENGTH and lengths[0][0] > LONGER * others:
        length, longest = lengths[0]
        shown = in_both(*longest, target)
        messages.append(f"text column: {shown} (the longest texts, {length:.0f} characters on average)")
        return longest
    if source is target:
        raise ValueError(
            f"which column is the text? Columns of {source.name}: {listed(shared)}. Name it with text= (--text)."
        )
    if not shared:
        raise ValueError(
            f"{source.name} and {target.name} have no column in common: {listed(source.columns)}, and "
            f"{listed(target.columns)}. Name the text column of each: text= (--text) and text_target= (--text-target)."
        )
    if longest_own[0] not in shared or longest_own[1] not in shared.values():
        raise ValueError(
            f"which column is the text? The longest texts are in {longest_own[0]!r} of {source.name} and in "
            f"{longest_own[1]!r} of {target.name}. Name the text column with text= (--text), and that of "
            f"{target.name} with {option_name('text_target')}."
        )
    both = f"columns of both {source.name} and {target.name}: {listed(shared)}"
    other = f"and, if {target.name} has another name for it, with {option_name('text_target')}"
    raise ValueError(f"which column is the text? {both}. Name it with text= (--text), {other}.")


def in_both(name: str, name_in_target: str, target: Table) -> str:
    """A column for a message, with its name in the target if that differs."""
    return repr(name) if name == name_in_target else f"{name!r}, {name_in_target!r} in {target.name}"


def by_name(names: Sequence[str], usual: Iterable[set[str]]) -> str | None:
    """The one name that is usual; None if there is none, or if two are equally good."""
    for tier in usual:
        matches = [name for name in names if name.strip().lower().replace("_", "") in tier]
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def mean_length(table: Table, name: str) -> float:
    """Mean number of characters per cell of the first rows. Values other than texts have length 0."""
    lengths = [len(value) if isinstance(value, str) else 0 for value in table.head(name, SAMPLE)]
    return sum(lengths) / max(1, len(lengths))
