"""Later documents, labelled by a saved model. It is not fitted again."""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ..text import Table, choose_text, read_table, with_texts, write_table
from .model import Model, load


class Applied(NamedTuple):
    table: Table
    columns: dict[str, list[Any]]  # label, confidence, alternative, known_words
    said: list[str]

    def write(self, path: str | PathLike[str]) -> list[str]:
        """Write the documents with the new columns. Returns what there is to say about it."""
        return write_table(self.table, self.columns, path)


def apply(
    model: str | PathLike[str],
    target: str | PathLike[str],
    *,
    text: str | None = None,
    skip_bad: bool = False,
    encoding: str | None = None,
) -> Applied:
    """Label the documents of the file `target` by the model that `label(...).save` wrote.

    `known_words` counts the words of a document that the model knows; where there are none, the label is a guess.
    """
    kept = load(model)
    if not isinstance(kept, Model):
        raise ValueError(
            f"{model} holds a {type(kept).__name__} without its words. Save with `labelferry label --save`."
        )
    said: list[str] = []
    table = read_table(target, skip_bad=skip_bad, encoding=encoding)
    column = choose_text(table, table, text, (), said)
    table = with_texts(table, column, skip_bad=skip_bad)
    said += [f"{table.name}, line {row.line}: {row.what}; left out" for row in table.bad]
    texts = table.columns[column]
    proba, classes = kept.proba(texts), kept.estimator.classes_
    order = np.argsort(-proba, axis=1, kind="stable")
    columns = {
        "label": classes[order[:, 0]].tolist(),
        "confidence": np.round(np.take_along_axis(proba, order[:, :1], axis=1).ravel().astype(float), 4).tolist(),
        "alternative": classes[order[:, 1]].tolist(),
        "known_words": kept.known_words(texts).tolist(),
    }
    return Applied(table, columns, said)
