"""What the rows of a store may contain, whoever wrote them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ...certificate.sampling import LABEL
from .contents import MAX_ID, check_documents, damaged
from .records import KINDS, PURPOSES, UNDO, AnswerRow, Array, CertificateRow, DocumentRow, FitRow

ACCEPT_FIELDS = {"error": float, "outside": bool, "key": int, "n_accepted": int}  # of a statement about usable labels


def answer_problem(
    document: Any, answer: Any, kind: Any, purpose: Any, n_documents: int, classes: Collection[str]
) -> str:
    """What is wrong with an answer; empty if nothing."""
    if kind not in (*KINDS, UNDO):
        return f"kind must be one of {', '.join(KINDS)}; got {kind!r}"
    if purpose not in PURPOSES:
        return f"purpose must be one of {', '.join(PURPOSES)}; got {purpose!r}"
    if not is_whole(document) or not 0 <= document < n_documents:
        return f"document must be from 0 to {n_documents - 1}; got {document!r}"
    is_label = kind == LABEL
    if is_label != (answer is not None) or (is_label and answer not in classes):
        return f"answer must be one of {', '.join(list(classes)[:20])} for kind {LABEL!r}; got {answer!r}"
    return ""


def check_answer(row: AnswerRow, last_id: int, n_documents: int, classes: Collection[str], name: str) -> None:
    """Raise StoreError unless a row of the log is an answer that could have been given."""
    problem = answer_problem(row.document, row.answer, row.kind, row.purpose, n_documents, classes)
    texts = (row.reviewer, row.time, "" if row.shown is None else row.shown)
    numbers = (row.id, 1 if row.fit is None else row.fit, 1 if row.replaces is None else row.replaces)
    if not problem and not all(isinstance(text, str) for text in texts):
        problem = "a name or time is no text"
    if not problem and not (all(map(is_whole, numbers)) and last_id < row.id <= MAX_ID and min(numbers) >= 1):
        problem = "its numbers are wrong"
    if not problem and row.replaces is not None and row.replaces >= row.id:
        problem = "it replaces a later answer"
    if problem:
        raise damaged(name, f"answer {row.id!r:.20}: {problem[:200]}")


def check_document(row: DocumentRow, own: Collection[str], name: str) -> None:
    """Raise StoreError unless a document has a text, the user's columns, and words as evidence."""
    if not isinstance(row.text, str) or not is_whole(row.line):
        raise damaged(name, f"document {row.number}: the text or the line has a wrong type")
    if row.own.keys() != set(own):
        raise damaged(name, f"document {row.number}: its columns are not those of the job")
    if not all(isinstance(word, str) for word in row.evidence):
        raise damaged(name, f"document {row.number}: the evidence is no list of words")


def check_fit_row(row: FitRow, name: str) -> None:
    """Raise StoreError unless a fit has a method, a time and the numbers of its answers."""
    if not is_whole(row.id) or not 1 <= row.id <= MAX_ID or not all(isinstance(v, str) for v in (row.time, row.method)):
        raise damaged(name, f"fit {row.id!r:.20}: the number, time or method is wrong")
    if not all(is_whole(number) for number in row.answers):
        raise damaged(name, f"fit {row.id}: the numbers of its answers are wrong")


def check_certificate(row: CertificateRow, name: str) -> None:
    """Raise StoreError unless a certificate has a level and, if it is about usable labels, its limit."""
    fields = {"level": float, "fit": int, "last_answer": int}
    is_plain = has_fields(row._asdict(), fields) and isinstance(row.time, str) and 0 < row.level < 1
    if not is_plain or not is_whole(row.content.get("n_answers", 0)):
        raise damaged(name, f"certificate {row.id!r:.20} has values that no certificate has")
    if "kind" in row.content and not has_fields(row.content, ACCEPT_FIELDS):
        raise damaged(name, f"certificate {row.id!r:.20} has no limit")


def check_pool(pool: Mapping[str, Array], members: Mapping[str, Array], n_documents: int, k: int, name: str) -> None:
    """Raise StoreError unless the documents of the pool have probabilities by every member, and coordinates."""
    if not pool:
        return  # labelled by one method, which does not learn from answers
    if not members:
        raise damaged(name, "the probabilities of the members are missing")
    rows = pool.get("rows", np.zeros((0, 0)))
    check_documents(rows, n_documents, name, "pool/rows")
    if (np.diff(rows) <= 0).any():
        raise damaged(name, "the documents of the pool are not in order")
    shapes = {"start": (len(rows), k), **{f"member {member}": (len(rows), k) for member in members}}
    arrays = {"start": pool.get("start"), **{f"member {member}": P for member, P in members.items()}}
    for key, array in arrays.items():
        if array is None or array.shape != shapes[key] or not is_finite(array) or array.min(initial=0) < 0:
            raise damaged(name, f"the probabilities {key!r:.60} have a wrong shape or values")
    coordinates = pool.get("coordinates")
    if coordinates is None or coordinates.ndim != 2 or len(coordinates) != len(rows) or not is_finite(coordinates):
        raise damaged(name, "the coordinates of the pool have a wrong shape or values")


def is_finite(array: Array) -> bool:
    """Whether an array contains finite numbers, as floats."""
    return array.dtype.kind == "f" and bool(np.isfinite(array).all())


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, and not true or false."""
    return isinstance(value, int) and not isinstance(value, bool)


def has_fields(values: Mapping[str, Any], fields: Mapping[str, type]) -> bool:
    """Whether these fields are there with their types; a whole number is also a float."""
    return all(
        is_whole(values.get(key)) or (kind is float and isinstance(values.get(key), float))
        if kind in (int, float)
        else isinstance(values.get(key), kind)
        for key, kind in fields.items()
    )
