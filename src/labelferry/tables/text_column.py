"""Detect the text column: by a usual name, or by the length of its texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from .names import find_name, listed, option_name
from .table import Table

# Usual names in order of certainty. Names of one set are equally good: if a file has two of them, that is a doubt.
TEXT_NAMES = (
    {"text", "texts"},
    {"body", "content", "contents", "message", "review", "document", "comment", "tweet", "sentence", "reviewtext"},
    {"description", "article", "post", "abstract", "question", "utterance"},
)
SAMPLE = 1000  # rows used to estimate the length of texts
MIN_LENGTH = 12.0  # mean number of characters of texts; shorter cells are names or numbers
LONGER = 2.0  # the cells of the text column must be this many times longer than those of any other column


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
    lengths = sorted(((mean_length(source, target, pair), pair) for pair in shared.items()), reverse=True)
    others = max((length for length, _ in lengths[1:]), default=0.0)
    longest_own = [longest_column(table, taken) for table in (source, target)]
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


def longest_column(table: Table, taken: Collection[str]) -> str | None:
    """The column with the longest texts on average, of the first rows; None if no column has texts."""
    names = [name for name in table.columns if name not in taken]
    lengths = {name: mean_length(table, table, (name, name)) for name in names}
    return max(names, key=lambda name: lengths[name], default=None)


def mean_length(source: Table, target: Table, pair: tuple[str, str]) -> float:
    """Mean number of characters per cell of the first rows, the smaller of both tables. Other values have length 0."""

    def mean(table: Table, name: str) -> float:
        lengths = [len(value) if isinstance(value, str) else 0 for value in table.head(name, SAMPLE)]
        return sum(lengths) / max(1, len(lengths))

    if source is target:
        return mean(source, pair[0])
    return min(mean(source, pair[0]), mean(target, pair[1]))
