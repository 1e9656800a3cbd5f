"""Opinions: guesses of another labeller about documents: in a column of the user's files, as values, or by sentences.

One sentence per class, in a table with the columns class and description or in a dict, is an opinion: each document is
guessed to be of the class whose sentence is most similar, by the cosine of vectors. Names alone are weak; a sentence
that says what the documents of a class are about is often strong, and where it is not, the labelled documents tell
(`labelferry.ensemble.votes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from ..linalg.normalize import normalize_rows_l2
from ..tables import from_frame, read_table
from ..tables.cells import as_text
from ..tables.names import find_name, listed, require
from ..tables.table import to_list
from ..text import clean
from ..text.encoders import WORDLLAMA
from .inputs import Inputs
from .options import TextOptions
from .views import embed_documents, is_auto, is_matrix, is_none

SUFFIX = "_confidence"  # the column llm_confidence has the confidences of llm
DESCRIPTIONS = "descriptions"  # name of the opinion of sentences
COLUMNS = (("class", "label", "name"), ("description", "sentence", "text"))  # of a table of sentences


class Opinion(NamedTuple):
    """The guesses of one labeller, one entry per document; an empty cell abstains."""

    name: str
    new: Sequence[Any]  # of the new documents
    home: Sequence[Any] | None  # of the labelled documents, in the order of `Inputs.labels`; None: there are none
    new_confidence: Sequence[Any] | None = None
    home_confidence: Sequence[Any] | None = None
    trained: bool = False  # whether the labeller has learned from the labelled documents


def read_opinions(inputs: Inputs, opinions: Any, trained: Any = None) -> tuple[tuple[Opinion, ...], list[str]]:
    """The opinions that a user names or passes, and messages."""
    # `opinions`, `trained`: a name of a column or several; or a dict of name to guesses, one per row of the target, or
    # to a pair: guesses for the rows of the sources and of the target.
    messages: list[str] = []
    found = [
        opinion
        for given, is_trained in ((opinions, False), (trained, True))
        for opinion in named_or_passed(inputs, given, messages, trained=is_trained)
    ]
    names = [opinion.name for opinion in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"the opinion {twice[0]!r} is named twice. Name each one once.")
    return tuple(found), messages


def named_or_passed(inputs: Inputs, given: Any, messages: list[str], *, trained: bool) -> list[Opinion]:
    """Opinions by the names of their columns, or by their values."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [of_values(inputs, str(name), values, trained=trained) for name, values in given.items()]
    names = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(name, str) for name in names):
        raise ValueError("opinions must name columns, or be a dict of name to guesses; got other values.")
    return [of_column(inputs, name, messages, trained=trained) for name in names]


def of_column(inputs: Inputs, name: str, messages: list[str], *, trained: bool) -> Opinion:
    """An opinion in a column of the target and, if they have it, of the sources."""
    column = require(inputs.all_rows, "opinion", name, messages)
    in_source = [find_name(table.columns, name) for table in inputs.source_tables]
    if column in (*inputs.columns.text_target, inputs.columns.label_target if inputs.is_half_labelled else None):
        raise ValueError(f"opinion: the column {column!r} is the text or the label. Name another column.")
    home = source_cells(inputs, in_source)
    confidence = find_name(inputs.all_rows.columns, column + SUFFIX)
    new_confidence = home_confidence = None
    if confidence is not None and home is not None:
        named = zip(inputs.source_tables, in_source, strict=True)
        home_confidence = source_cells(inputs, [find_name(table.columns, f"{own}{SUFFIX}") for table, own in named])
    if home_confidence is not None:
        new_confidence = new_cells(inputs, inputs.all_rows.columns[str(confidence)])
    return Opinion(
        column, new_cells(inputs, inputs.all_rows.columns[column]), home, new_confidence, home_confidence, trained
    )


def new_cells(inputs: Inputs, cells: Sequence[Any]) -> list[Any]:
    """Of the cells of all rows of the target, those of the new documents."""
    return [cells[row] for row in inputs.documents.rows.tolist()]


def source_cells(inputs: Inputs, columns: Sequence[str | None]) -> list[Any] | None:
    """The cells of the labelled documents in the order of `Inputs.labels`; None if a source lacks the column."""
    if any(column is None for column in columns):
        return None
    tables = zip(inputs.source_tables, columns, strict=True)
    cells = list(chain.from_iterable(table.columns[str(column)] for table, column in tables))
    return [cells[row] for source in inputs.sources for row in source.rows.tolist()]


def of_values(inputs: Inputs, name: str, values: Any, *, trained: bool) -> Opinion:
    """An opinion as values: of the rows of the target, or a pair with those of the sources first."""
    pair = values if isinstance(values, tuple) and len(values) == 2 else (None, values)
    home, new = (None if part is None else to_list(part, f"opinion {name!r}") for part in pair)
    n_rows, n_source = len(inputs.all_rows), sum(len(table) for table in inputs.source_tables)
    if new is None or len(new) != n_rows or (home is not None and len(home) != n_source):
        raise ValueError(
            f"the opinion {name!r} must have one guess per row: {n_rows} of the target, or a pair with {n_source} of "
            f"the sources first; got {0 if new is None else len(new)}{'' if home is None else f' and {len(home)}'}."
        )
    home = new if inputs.is_half_labelled else home
    kept = None if home is None else [home[row] for source in inputs.sources for row in source.rows.tolist()]
    return Opinion(name, new_cells(inputs, new), kept, trained=trained)


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


def described_opinion(inputs: Inputs, sentences: Mapping[str, str], options: TextOptions) -> Opinion:
    """The opinion of these sentences, with the difference of the two largest cosines as confidence."""
    is_model = not (is_none(options.embed) or is_auto(options.embed) or is_matrix(options.embed))
    model = options.embed if is_model else WORDLLAMA
    texts = [text for source in inputs.sources for text in source.texts] + list(inputs.texts)
    vectors = embed_documents(model, [*clean(texts, **options.cleaning), *sentences.values()])
    names, n = list(sentences), len(inputs.labels)
    sides = (vectors[n : len(texts)], vectors[:n])
    (new, sure_new), (home, sure_home) = (guess(side, vectors[len(texts) :]) for side in sides)
    new_names, home_names = ([names[code] for code in codes.tolist()] for codes in (new, home))
    return Opinion(DESCRIPTIONS, new_names, home_names, sure_new.tolist(), sure_home.tolist())


def guess(documents: Array, sentences: Array) -> tuple[Array, Array]:
    """The most similar sentence of each document, and its lead over the second."""
    # To subtract the mean cosine of each sentence made no clear difference (`python -m benchmarks.votes`).
    cosine = normalize_rows_l2(documents.astype(np.float64)) @ normalize_rows_l2(sentences.astype(np.float64)).T
    ordered = np.sort(cosine, axis=1)
    return np.asarray(cosine.argmax(axis=1)), np.asarray(ordered[:, -1] - ordered[:, -2])
