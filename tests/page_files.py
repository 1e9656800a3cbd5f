"""What a person does between the commands of README.md and docs/review.md: files, and answers to the questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from labelferry.review.job.job import open_job

from . import tickets

LABELLED, SAMPLE = Path("new-labelled.csv"), Path("sample.csv")


def truth(rows: list[str]) -> list[str]:
    """The true labels of rows of the file, from 1."""
    return [str(tickets.demo().y_target[int(row) - 1]) for row in rows]


def write_parquet() -> None:
    """Write the files of docs/scale.md: the tickets of the demo, of which the new ones have no label."""
    import pandas as pd

    demo = tickets.demo()
    pd.DataFrame({"body": demo.texts_source, "topic": demo.y_source}).to_parquet("old.parquet")
    pd.DataFrame({"body": demo.texts_target}).to_parquet("new.parquet")


def fill(path: Path) -> None:
    """Give the right answers."""
    columns = tickets.read_csv(path)
    tickets.write_csv(path, {**columns, "answer": truth(columns["row"])})


def misspell() -> None:
    """Spell one answer wrong."""
    fill(SAMPLE)
    columns = tickets.read_csv(SAMPLE)
    columns["answer"][3] = "biling"
    tickets.write_csv(SAMPLE, columns)


def correct() -> None:
    """Correct the labels of the file by the answers, which the sample must not certify."""
    fill(SAMPLE)
    columns = tickets.read_csv(LABELLED)
    LABELLED.with_suffix(".before").write_bytes(LABELLED.read_bytes())
    tickets.write_csv(LABELLED, {**columns, "label": truth([str(i + 1) for i in range(len(columns["label"]))])})


def answer_tasks() -> None:
    """Export the tasks of Label Studio with their answers."""
    tasks = json.loads(Path("tasks.json").read_text())
    for task in tasks:
        choice = {"choices": truth([task["data"]["row"]])}
        result = [{"from_name": "label", "to_name": "text", "type": "choices", "value": choice}]
        task["annotations"] = [{"id": 1, "completed_by": 1, "result": result, "was_cancelled": False}]
    Path("exported.json").write_text(json.dumps(tasks))


def answer_in_the_browser() -> None:
    """Answer the questions of a job until labels can be used; the labels learn from the first answers."""
    with open_job("job.ferry") as job:
        while not job.accept().n:
            question = job.question("accept")
            if question is None:
                job.refit()
            else:
                (answer,) = truth([str(question.document + 1)])
                job.answer(question.document, answer, purpose=question.purpose)


def write_files() -> None:
    """The two files."""
    demo = tickets.demo()
    tickets.write_csv(Path("old.csv"), tickets.old())
    tickets.write_csv(Path("new.csv"), {"id": list(range(360)), "text": demo.texts_target})
    tickets.write_csv(Path("next-month.csv"), {"text": demo.texts_target[:90]})


ACTIONS: dict[tuple[str, int], Callable[[], None]] = {
    ("label old.csv new.csv -o new-labelled.csv", 0): write_files,
    ("certify new-labelled.csv sample.csv", 0): lambda: fill(SAMPLE),
    ("certify new-labelled.csv sample.csv", 1): misspell,
    ("certify new-labelled.csv sample.csv", 2): correct,
    ("label old.csv new.csv --answers sample.csv -o learned.csv", 0): lambda: fill(SAMPLE),
    ("certify learned.csv second.csv", 0): lambda: fill(Path("second.csv")),
    ("label old.csv new.csv -o new-labelled.csv --store job.ferry", 0): SAMPLE.unlink,
    ("audit job.ferry -n 40 -o sample.csv", 0): SAMPLE.unlink,
    ("certify job.ferry sample.csv --reviewer ann", 0): lambda: fill(SAMPLE),
    ("certify new-labelled.csv exported.json", 0): answer_tasks,
    ("export job.ferry -o usable.csv --accepted", 0): answer_in_the_browser,
}


def before(command: str, times: int) -> None:
    """Do what comes before a command."""
    ACTIONS.get((command, times), lambda: None)()
