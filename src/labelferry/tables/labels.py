"""Labels as people write them: missing ones, blanks, invisible characters, spellings that differ only in case."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .invisible import normal_form

MAX_SPELLINGS = 5  # groups in a message


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, blanks or invisible characters.

    >>> [is_missing(value) for value in (None, float("nan"), " ", 0, "no")]
    [True, True, True, False, False]
    """
    return value is None or bool(value != value) or (isinstance(value, str) and not strip_label(value))


def is_label(value: Any) -> bool:
    """Whether a cell is a label: a text, a number, true or false."""
    is_collection = hasattr(value, "__len__") and not isinstance(value, str)
    return not is_collection and not is_missing(value)


def strip_label(label: Any) -> Any:
    """A label as people see it: without the blanks around it and invisible characters, in composed form.

    >>> strip_label(" bil\\u200bling")
    'billing'
    """
    return normal_form(label).strip() if isinstance(label, str) else label


def fold_label(label: str) -> str:
    """A label without what people write in different ways: case, blanks and Unicode form.

    >>> fold_label(" Re-open  TICKET") == fold_label("re-open ticket")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", normal_form(label)).casefold().split())


def find_spellings(labels: Iterable[Any]) -> list[Counter[str]]:
    """Groups of labels that differ only in case, blanks or Unicode form, with their numbers of rows.

    >>> find_spellings(["rec", "REC", "rec", "sci"])
    [Counter({'rec': 2, 'REC': 1})]
    """
    groups: dict[str, Counter[str]] = {}
    for label, n in Counter(label for label in labels if isinstance(label, str)).items():
        groups.setdefault(fold_label(label), Counter())[label] = n
    return [group for group in groups.values() if len(group) > 1]


def merged_names(groups: Iterable[Counter[str]]) -> dict[str, str]:
    """Other spellings and the most frequent one of their group; the first in alphabetical order if two are.

    >>> merged_names(find_spellings(["rec", "REC", "rec", "sci"]))
    {'REC': 'rec'}
    """
    names: dict[str, str] = {}
    for group in groups:
        best = min(group, key=lambda label: (-group[label], label))
        names |= {label: best for label in group if label != best}
    return names


def spellings_message(groups: Sequence[Mapping[str, int]], merged: bool) -> str:
    """What was found, and whether it was merged.

    >>> spellings_message([{"rec": 2, "REC": 1}], merged=True)
    "labels that differ only in case, blanks or Unicode form: 'rec' (2 rows), 'REC' (1 row). They are merged"
    """

    def shown(group: Mapping[str, int]) -> str:
        ordered = sorted(group.items(), key=lambda item: (-item[1], item[0]))
        return ", ".join(f"{label!r} ({n} row{'s' * (n != 1)})" for label, n in ordered)

    more = f"; and {len(groups) - MAX_SPELLINGS} more" if len(groups) > MAX_SPELLINGS else ""
    what = f"{'; '.join(map(shown, groups[:MAX_SPELLINGS]))}{more}"
    way_out = "They are merged" if merged else "They are different classes; merge them with merge_labels=True"
    option = "" if merged else " (--merge-labels)"
    return f"labels that differ only in case, blanks or Unicode form: {what}. {way_out}{option}"


def check_labels(labels: Sequence[Any], name: str = "labels") -> None:
    """Reject labels from which no classifier can learn: missing ones, only one class, or one class per row.

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
            f"{name}: every one of the {len(labels)} rows has a class of its own, such as {labels[0]!r}. If they are "
            "classes, add more documents of each; if they are numbers or identifiers, name another column."
        )
