"""Answers in any form that a user may pass, as checked answers to rows of the target."""

from __future__ import annotations

from typing import Any

from ...inputs.inputs import Inputs
from ...labelling.answers import AnsweredRows, join_answers, read_answers
from ...linalg.matrix import Array
from .filled import answers_of_sample, is_sample


def read_given(answers: Any, inputs: Inputs, classes: Array, known: dict[int, str]) -> AnsweredRows:
    """Answers of a sample that was filled in, or rows with labels; and `known` labels of other rows."""
    if is_sample(answers):
        dialect = inputs.target.dialect
        answers = answers_of_sample(
            answers,
            inputs.target.name,
            inputs.texts,
            [str(c) for c in classes],
            inputs.documents,
            text=inputs.columns.text_name,
            encoding=None if dialect is None else dialect.other_encoding,
        )
    n_rows = len(inputs.all_rows)
    read = read_answers({} if answers is None else answers, classes, n_rows)
    if not known:
        return read
    others = {row: label for row, label in known.items() if row not in set(read.rows.tolist())}
    return join_answers(read, read_answers(others, classes, n_rows))
