"""One sentence per class as an opinion: each document is guessed to be of the class whose sentence is most similar.

The sentences are in a table with the columns class and description, or a dict. The similarity is the cosine of vectors.
Names alone are weak; a sentence that says what the documents of a class are about is often strong, and where it is not,
the labelled documents tell (`labelferry.ensemble.votes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from ..linalg.matrix import Array
from ..linalg.normalize import normalize_rows_l2
from ..tables import from_frame, read_table
from ..tables.cells import as_text
from ..tables.names import find_name, listed
from ..text import clean
from ..text.encoders import WORDLLAMA
from .inputs import Inputs
from .opinions import Opinion
from .options import TextOptions
from .views import embed_documents, is_auto, is_matrix, is_none

NAME = "descriptions"
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
    return Opinion(NAME, new_names, home_names, sure_new.tolist(), sure_home.tolist())


def guess(documents: Array, sentences: Array) -> tuple[Array, Array]:
    """The most similar sentence of each document, and its lead over the second."""
    # To subtract the mean cosine of each sentence made no clear difference (`python -m benchmarks.votes`).
    cosine = normalize_rows_l2(documents.astype(np.float64)) @ normalize_rows_l2(sentences.astype(np.float64)).T
    ordered = np.sort(cosine, axis=1)
    return np.asarray(cosine.argmax(axis=1)), np.asarray(ordered[:, -1] - ordered[:, -2])
