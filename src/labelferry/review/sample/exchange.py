"""Samples as JSON of other annotation programs: Label Studio and Argilla.

Label Studio: a list of tasks; the text and the columns of the sample are in `data`, the label is in `predictions`, and
answers come back in `annotations`, as results of type "choices". Argilla: a list of records with `fields`, `metadata`,
`suggestions`, and `responses` to the question "label". See https://labelstud.io/guide/task_format and
https://docs.argilla.io/latest/reference/argilla/records/records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any
from xml.sax.saxutils import quoteattr

from ...certificate.sampling import NONE_OF_THESE, UNCLEAR
from ...files import write_text

LABEL_STUDIO, ARGILLA = "label-studio", "argilla"
FORMS = (LABEL_STUDIO, ARGILLA)
QUESTION, TEXT = "label", "text"  # names of the question and of the text
AGENT = "labelferry"
KEPT = ("row", "purpose", "sample_seed", "population", "labels_fingerprint")


def is_json(path: Any) -> bool:
    """Whether a path names a JSON file."""
    return isinstance(path, str | PathLike) and fspath(path).lower().endswith(".json")


def write_json(columns: Mapping[str, Sequence[Any]], path: str | PathLike[str], form: str) -> None:
    """Write the columns of a sample for another program; `form` is one of FORMS."""
    if form not in FORMS:
        raise ValueError(f"a .json file needs --format {' or '.join(FORMS)}; got {form!r}. Or write .csv or .jsonl.")
    make = label_studio_task if form == LABEL_STUDIO else argilla_record
    rows = [make(dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]
    write_text(path, json.dumps(rows, indent=1) + "\n")


def label_studio_task(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a sample as a task."""
    task: dict[str, Any] = {"data": {TEXT: row["text"], **{name: row[name] for name in KEPT}}}
    if "label" in row:
        result = {"from_name": QUESTION, "to_name": TEXT, "type": "choices", "value": {"choices": [row["label"]]}}
        task["predictions"] = [{"model_version": AGENT, "result": [result]}]
    return task


def argilla_record(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a sample as a record."""
    suggestions = {QUESTION: {"value": row["label"], "score": None, "agent": AGENT}} if "label" in row else {}
    return {
        "id": str(row["row"]),
        "fields": {TEXT: row["text"]},
        "metadata": {name: row[name] for name in KEPT},
        "suggestions": suggestions,
        "responses": {},
        "vectors": {},
    }


def label_studio_config(classes: Sequence[str]) -> str:
    """The labeling configuration of a Label Studio project: the text, a choice per class, none_of_these and unclear."""
    choices = "\n".join(f"    <Choice value={quoteattr(name)}/>" for name in (*classes, NONE_OF_THESE, UNCLEAR))
    return (
        f'<View>\n  <Text name="{TEXT}" value="${TEXT}"/>\n'
        f'  <Choices name="{QUESTION}" toName="{TEXT}" choice="single">\n{choices}\n  </Choices>\n</View>\n'
    )


def read_json(path: str | PathLike[str]) -> tuple[dict[str, list[Any]], range]:
    """Columns of a sample and `reviewer`, and the number of each row, from a JSON export of either program.

    There is one row per answer, or one without an answer.
    """
    with open(path, encoding="utf-8-sig") as file:
        try:
            rows = json.load(file)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path} is no JSON file ({error}). Export it again.") from None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{path} is no list of tasks or records. Export it again as JSON.")
    columns: dict[str, list[Any]] = {name: [] for name in (*KEPT, "text", "label", "answer", "reviewer")}
    for number, row in enumerate(rows, 1):
        try:
            kept, text, answers = read_record(row) if "fields" in row else read_task(row)
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(
                f"{path}, entry {number}: not a task of Label Studio or a record of Argilla that began as a sample "
                f"({type(error).__name__}: {error}). Export it again with all its data."
            ) from None
        if missing := [name for name in KEPT if name not in kept]:
            raise ValueError(
                f"{path}, entry {number} has no {missing[0]!r}: it was not drawn by `labelferry audit`, or a column "
                "was removed. Remove the entry, or import the sample again with all its columns."
            )
        for answer, reviewer in answers or [("", "")]:
            for name in KEPT:
                columns[name].append(kept[name])
            columns["text"].append(text)
            columns["answer"].append(answer)
            columns["reviewer"].append(reviewer)
        columns["label"] += [shown_label(row)] * len(answers or [("", "")])
    return columns, range(1, len(columns["row"]) + 1)


def shown_label(row: Mapping[str, Any]) -> str:
    """The label that an entry suggested to its readers; empty if it was hidden."""
    try:
        if "fields" in row:
            return str(row["suggestions"][QUESTION]["value"])
        own = next(prediction for prediction in row["predictions"] if prediction.get("model_version") == AGENT)
        return str(own["result"][0]["value"]["choices"][0])
    except (KeyError, TypeError, AttributeError, IndexError, StopIteration):
        return ""


def read_task(task: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, list[tuple[str, str]]]:
    """Columns, text and answers of a task of Label Studio."""
    return task["data"], task["data"][TEXT], list(task_answers(task))


def task_answers(task: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Answers and persons of a task; skipped tasks have none."""
    for annotation in task.get("annotations", []):
        person = annotation.get("completed_by", "")
        person = person.get("email", person.get("id", "")) if isinstance(person, dict) else person
        for result in [] if annotation.get("was_cancelled") else annotation.get("result", []):
            if result.get("type") == "choices":
                yield str(result["value"]["choices"][0]), str(person)


def read_record(record: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, list[tuple[str, str]]]:
    """Columns, text and answers of a record of Argilla."""
    responses = (record.get("responses") or {}).get(QUESTION, [])
    answers = [
        (str(response["value"]), str(response.get("user_id", "")))
        for response in responses
        if response.get("status", "submitted") == "submitted"
    ]
    return record["metadata"], record["fields"][TEXT], answers
