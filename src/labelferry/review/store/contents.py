"""What a store may contain, whoever wrote it: settings, arrays, rows, the file, and the protection of the answers.

A job is a file that people send to each other. A wrong one is an error of one line, never a crash or a full memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import sqlalchemy as sa

from ...certificate.sampling import LABEL
from ...inputs.label_form import Form, SetTexts
from .engine import StoreError
from .records import KINDS, PURPOSES, UNDO, AnswerRow, Array, CertificateRow, DocumentRow, FitRow, Several
from .schema import SQLITE_TRIGGERS

TYPES: dict[str, type] = {
    "classes": list,
    "own": list,
    "columns": list,
    "file": str,
    "text": str,
    "question_seed": int,
    "settings": dict,
    "indexed_search": bool,
}
OPTIONAL: dict[str, tuple[type, ...]] = {  # jobs of earlier versions do not have them
    "other_rows": (dict,),
    "other_languages": (dict,),
    "without_label": (dict,),
    "estimated_balanced_accuracy": (float, int, type(None)),
    "review_all": (bool,),
    "voters": (list,),
    "several": (dict,),
}
ACCEPT_FIELDS = {"error": float, "outside": bool, "key": int, "n_accepted": int}  # of a statement about usable labels
MAX_CLASSES = 1000  # or the number of documents, if that is more
OTHER_COLUMNS = 1024  # numbers per document in an array that has no column per class
BASE_BYTES = 1 << 20
MAX_ID = 2**53  # of rows; the largest number of the database leaves no place for another


def damaged(name: str, what: str) -> StoreError:
    """The error for a store with wrong content."""
    return StoreError(f"{name} is damaged or was changed by another program: {what}. Restore it from a copy.")


def check_settings(settings: Mapping[str, Any], name: str) -> None:
    """Raise StoreError unless all settings of a job are there and have their types."""
    for key, kind in TYPES.items():
        if key not in settings:
            raise damaged(name, f"the setting {key!r} is missing")
        if not isinstance(settings[key], kind) or (kind is int and isinstance(settings[key], bool)):
            raise damaged(name, f"the setting {key!r} has a wrong type")
    for key, kinds in OPTIONAL.items():
        if key in settings and not isinstance(settings[key], kinds):
            raise damaged(name, f"the setting {key!r} has a wrong type")
    classes = settings["classes"]
    is_plain = all(isinstance(label, str | int | float) for label in classes)
    if not classes or not is_plain or len({str(label) for label in classes}) < len(classes):
        raise damaged(name, "the classes are no list of different labels")
    own, columns = settings["own"], settings["columns"]
    if settings["question_seed"] < 0 or not all(isinstance(column, str) for column in (*own, *columns)):
        raise damaged(name, "the seed or the names of the columns are wrong")
    if len(set(own)) < len(own) or not set(columns) <= {*own, settings["text"]}:
        raise damaged(name, "the columns are not those of the documents")
    error, confidence = settings["settings"].get("target_error"), settings["settings"].get("min_confidence", 0)
    for value in (error, 0 if confidence is None else confidence):
        if not isinstance(value, int | float) or not 0 <= value <= 1:
            raise damaged(name, "the settings of the labels are wrong")


def read_several(settings: Mapping[str, Any], name: str) -> Several | None:
    """What a job says about several labels per document; None if it has one per document."""
    if "several" not in settings:
        return None
    values = settings["several"]
    try:
        form, learned, panel = Form.of_plain(values["form"]), tuple(values["learned"]), tuple(values["panel"])
        known = set(range(len(learned)))
        if not learned or not set(learned) <= set(form.names) or not set(panel) <= known:
            raise ValueError("unknown labels")
        if not all(text in SetTexts(form) for text in settings["classes"]):
            raise ValueError("its classes are no sets of labels")
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(name, f"its several labels per document cannot be read ({error})") from None
    return Several(form, learned, panel)


def check_classes(settings: Mapping[str, Any], n_documents: int, name: str) -> None:
    """Raise StoreError if there are so many classes that a certificate, with a line per class, would take minutes."""
    classes, most = settings["classes"], max(MAX_CLASSES, n_documents * (2 if "several" in settings else 1))
    if len(classes) > most:
        raise StoreError(
            f"{name} has {len(classes):,} classes and {n_documents:,} documents; at most {most:,} classes are possible "
            "for so few documents. Is the label a number or an identifier?"
        )


def check_tables(connection: sa.Connection, tables: Iterable[sa.Table], name: str) -> None:
    """Raise StoreError unless the pages of a SQLite file hold together, and no table has lost its last rows."""
    numbers = {row[0]: row[1] for row in connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence")}
    if not all(isinstance(number, int) and 0 <= number < MAX_ID for number in numbers.values()):
        raise damaged(name, "there is no number left for another row")
    for table in tables:  # not the index of the words, which nothing but the search depends on
        if (found := connection.exec_driver_sql(f"PRAGMA integrity_check({table.name})").scalar()) != "ok":
            raise damaged(name, " ".join(str(found).split())[:200])
        if "id" in table.c:  # rows are only added, and SQLite keeps the last number in another place
            last = connection.scalar(sa.select(sa.func.max(table.c.id)))
            if (last or 0) != numbers.get(table.name, 0):
                raise damaged(name, f"the last rows of the table {table.name!r} are missing")


def check_numbers(connection: sa.Connection, numbers: Any, n_documents: int, name: str) -> None:
    """Raise StoreError unless the documents are numbered from 0 to n - 1."""
    first, last = connection.execute(sa.select(sa.func.min(numbers), sa.func.max(numbers))).one()
    if (first, last) != (0, n_documents - 1):
        raise damaged(name, "the numbers of the documents have gaps")


def check_protection(connection: sa.Connection, name: str) -> None:
    """Raise StoreError unless the database refuses to change answers, and runs no other statements on its own."""
    if connection.dialect.name == "sqlite":
        rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')")
        if {row[0]: row[1] for row in rows} != SQLITE_TRIGGERS:
            raise damaged(name, "the triggers that protect the answers are missing, or there are others")
        return
    rows = connection.exec_driver_sql(
        "SELECT tgname FROM pg_trigger WHERE tgrelid = 'answers'::regclass AND NOT tgisinternal AND tgenabled <> 'D'"
    )
    if [row[0] for row in rows] != ["answers_no_change"]:
        raise damaged(name, "the trigger that protects the answers is missing, or there are others")


def max_bytes(n_documents: int, n_classes: int) -> int:
    """The largest array that a job of this size can contain."""
    return BASE_BYTES + 8 * n_documents * max(n_classes, OTHER_COLUMNS)


def check_fit(arrays: Mapping[str, Array], n_documents: int, n_classes: int, name: str, n_labels: int = 0) -> None:
    """Raise StoreError unless a fit has one label, confidence and mark per document; `n_labels`: if it has several."""
    for key in ("labels", "alternative"):
        check_codes(arrays.get(key), n_documents, n_classes, name, key)
    for key, kinds in (("confidence", "f"), ("needs_review", "b")):
        check_array(arrays.get(key), (n_documents,), kinds, name, key)
    if not np.isfinite(arrays["confidence"]).all():
        raise damaged(name, "the array 'confidence' contains numbers that are not finite")
    proba = arrays.get("proba", np.zeros((0, 0)))
    is_chance = is_finite(proba) and proba.min(initial=0) >= 0 and proba.max(initial=0) <= 1
    if n_labels and (proba.shape != (n_documents, n_labels) or not is_chance):
        raise damaged(name, "the chances of the labels have a wrong shape or values")
    if "accept_rank" in arrays:  # 1, 2, ... for some documents, and 0 for the others
        check_array(arrays["accept_rank"], (n_documents,), "iu", name, "accept_rank")
        given = np.sort(arrays["accept_rank"][arrays["accept_rank"] != 0])
        if not np.array_equal(given, np.arange(1, len(given) + 1)):
            raise damaged(name, "the array 'accept_rank' contains numbers that are no ranks")
    if "held_out/seen" in arrays:
        check_documents(arrays["held_out/seen"], n_documents, name, "held_out/seen")
    if "held_out/rows" in arrays:
        check_documents(arrays["held_out/rows"], n_documents, name, "held_out/rows")
        n_held = len(arrays["held_out/rows"])
        check_codes(arrays.get("held_out/labels"), n_held, n_classes, name, "held_out/labels")
        check_array(arrays.get("held_out/needs_review"), (n_held,), "b", name, "held_out/needs_review")


def check_array(array: Array | None, shape: tuple[int, ...], kinds: str, name: str, key: str) -> None:
    """Raise StoreError unless there is an array of this shape, and of one of these kinds of types."""
    if array is None or array.shape != shape or array.dtype.kind not in kinds:
        raise damaged(name, f"the array {key!r} has a wrong shape or type")


def check_documents(numbers: Array, n_documents: int, name: str, key: str) -> None:
    """Raise StoreError unless this is a list of different documents."""
    check_array(numbers, (numbers.size,), "iu", name, key)
    if len(numbers) and (int(numbers.min()) < 0 or int(numbers.max()) >= n_documents):
        raise damaged(name, f"the array {key!r} contains numbers that are no documents")
    if len(np.unique(numbers)) < len(numbers):
        raise damaged(name, f"the array {key!r} names a document twice")


def check_codes(codes: Array | None, n_documents: int, n_classes: int, name: str, key: str) -> None:
    """Raise StoreError unless this is one class code per document."""
    check_array(codes, (n_documents,), "iu", name, key)
    if codes is not None and n_documents and (int(np.min(codes)) < 0 or int(np.max(codes)) >= n_classes):
        raise damaged(name, f"the array {key!r} contains numbers that are no classes")


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


def check_pool(
    pool: Mapping[str, Array], members: Mapping[str, Array], n_documents: int, widths: tuple[int, int], name: str
) -> None:
    """Raise StoreError unless the documents of the pool have probabilities by every member, and coordinates.

    `widths`: columns of the probabilities without answers, and of those of each member.
    """
    if not pool:
        return  # labelled by one method, which does not learn from answers
    if not members and widths[1]:
        raise damaged(name, "the probabilities of the members are missing")
    rows = pool.get("rows", np.zeros((0, 0)))
    check_documents(rows, n_documents, name, "pool/rows")
    if (np.diff(rows) <= 0).any():
        raise damaged(name, "the documents of the pool are not in order")
    shapes = {"start": (len(rows), widths[0]), **{f"member {member}": (len(rows), widths[1]) for member in members}}
    arrays = {"start": pool.get("start"), **{f"member {member}": P for member, P in members.items()}}
    if "unlimited" in pool:
        shapes["unlimited"], arrays["unlimited"] = shapes["start"], pool["unlimited"]
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
