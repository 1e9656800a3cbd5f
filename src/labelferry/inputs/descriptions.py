"""One sentence per class, from a table with the columns class and description, or a dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from ..tables import from_frame, read_table
from ..tables.cells import as_text
from ..tables.names import find_name, listed

COLUMNS = (("class", "label", "name"), ("description", "sentence", "text"))


def read_descriptions(given: Any, classes: Sequence[str] | None = None) -> dict[str, str]:
    """The sentences by class; an error if a class has none or two, or is not one of `classes`."""
    if isinstance(given, Mapping):
        pairs = [(as_text(name), as_text(sentence)) for name, sentence in given.items()]
        where = "descriptions"
    else:
        is_file = isinstance(given, str | PathLike)
        table = read_table(given) if is_file else from_frame(given, name="descriptions")
        where = table.name
        names = [next((n for n in usual if find_name(table.columns, n) is not None), None) for usual in COLUMNS]
        if None in names:
            raise ValueError(
                f"{where} must have the columns class and description; it has {listed(table.columns)}. Rename them."
            )
        columns = [table.columns[str(find_name(table.columns, str(name)))] for name in names]
        pairs = [(as_text(name), as_text(sentence)) for name, sentence in zip(*columns, strict=True)]
    sentences = {name: sentence for name, sentence in pairs if name and sentence}
    named = [name for name, _ in pairs if name]
    if twice := [name for name in named if named.count(name) > 1]:
        raise ValueError(f"{where}: the class {twice[0]!r} is described twice. Keep one sentence.")
    if len(sentences) < 2:
        raise ValueError(f"{where}: at least two classes need a description; got {len(sentences)}.")
    for name in classes or ():
        if name not in sentences:
            raise ValueError(f"{where}: no description of the class {name!r}. The classes are {listed(classes or ())}.")
    if unknown := [name for name in sentences if classes is not None and name not in classes]:
        raise ValueError(f"{where}: {unknown[0]!r} is no class; the classes are {listed(classes or ())}. Remove it.")
    return sentences
