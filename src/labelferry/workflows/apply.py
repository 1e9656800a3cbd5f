"""Later documents, labelled by a saved model. The model is not fitted again."""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ..text import Table, choose_text, read_table, with_texts, write_table
from .model import load_model


class Applied(NamedTuple):
    """The later documents with their labels."""

    table: Table
    columns: dict[str, list[Any]]  # label, confidence, alternative, known_words
    messages: list[str]

    def write(self, path: str | PathLike[str]) -> list[str]:
        """Write the documents with the new columns. Returns messages, such as renamed columns."""
        return write_table(self.table, self.columns, path)


def apply(
    model: str | PathLike[str],
    target: str | PathLike[str],
    *,
    text: str | None = None,
    skip_bad: bool = False,
    encoding: str | None = None,
) -> Applied:
    """Label the documents of a file with a saved model.

    Parameters
    ----------
    model : path
        File written by `label(...).save`.
    target : path
        File of documents.
    text : str, default=None
        Name of the text column; detected if not given.
    skip_bad : bool, default=False
        Whether to skip rows that cannot be read instead of raising an error.
    encoding : str, default=None
        Encoding of the file if it is not UTF-8.

    Returns
    -------
    applied : Applied
        The documents with label, confidence, alternative and `known_words`, the number of words of each document that
        the model knows. Without known words the label is a guess.
    """
    fitted = load_model(model)
    messages: list[str] = []
    table = read_table(target, skip_bad=skip_bad, encoding=encoding)
    column = choose_text(table, table, text, (), messages)
    table = with_texts(table, column, skip_bad=skip_bad)
    messages += [f"{table.name}, line {row.line}: {row.what}; skipped" for row in table.bad]
    texts = table.columns[column]
    proba, classes = fitted.proba(texts), fitted.estimator.classes_
    order = np.argsort(-proba, axis=1, kind="stable")
    columns = {
        "label": classes[order[:, 0]].tolist(),
        "confidence": np.round(np.take_along_axis(proba, order[:, :1], axis=1).ravel().astype(float), 4).tolist(),
        "alternative": classes[order[:, 1]].tolist(),
        "known_words": fitted.known_words(texts).tolist(),
    }
    return Applied(table, columns, messages)
