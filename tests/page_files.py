"""What a person does between the commands of the pages: files, and answers to the questions."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

from labelferry.review.job.job import open_job

from . import tickets
from .labelling import test_multi as several
from .pages import write_demo_files

PAGE_SEVERAL = "docs/several-labels.md"
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


def write_gzipped() -> None:
    """The file of docs/files.md."""
    write_demo_files()
    Path("new.csv.gz").write_bytes(gzip.compress(Path("new.csv").read_bytes()))


def write_half_labelled() -> None:
    """The file of docs/tables.md: the new tickets have no label."""
    old, new = tickets.old(), tickets.new()
    columns = {"text": old["text"] + new["text"], "label": old["label"] + [""] * len(new["text"])}
    tickets.write_csv(Path("export.csv"), columns)


def write_several() -> None:
    """The files of docs/several-labels.md."""
    labels = [";".join(sorted(names)) or "none" for names in several.OLD[1]]
    tickets.write_csv(Path("labelled.csv"), {"text": several.OLD[0], "label": labels})
    tickets.write_csv(Path("new.csv"), {"text": several.NEW[0]})


def answer_several() -> None:
    """Answer the questions about documents and about the label bug in the browser."""
    with open_job("job.ferry") as job:
        for name in ("", "bug"):
            while not job.accept(name=name).n:
                question = job.question("accept", name=name)
                if question is None:
                    job.refit()
                else:
                    answer = sorted(several.TRUTH[question.document])
                    job.answer(question.document, answer, purpose=question.purpose)


# Files that a page supposes, and what happens before a command, with how often it ran before.
FILES: dict[str, Callable[[], None]] = {
    "docs/index.md": write_demo_files,
    "docs/embeddings.md": write_demo_files,
    "docs/find.md": write_demo_files,
    "docs/scale.md": write_parquet,
    "docs/files.md": write_gzipped,
    "docs/tables.md": write_half_labelled,
    PAGE_SEVERAL: write_several,
}
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
    ("find job.ferry read.csv --class billing -o next.csv", 0): lambda: fill(Path("read.csv")),
    ("find job.ferry next.csv --class billing --found found.csv", 0): lambda: fill(Path("next.csv")),
}
SEVERAL: dict[tuple[str, int], Callable[[], None]] = {
    ("export job.ferry -o usable.csv --accepted", 0): answer_several,
    ("accept out.csv sample.csv --class bug --usable more-bugs.csv", 0): lambda: several.fill(SAMPLE),
    ("certify out.csv random.csv", 0): lambda: several.fill("random.csv"),
}


def before(page: str) -> Callable[[str, int], None]:
    """What does what comes before a command of this page."""
    actions = {"README.md": ACTIONS, "docs/review.md": ACTIONS, "docs/find.md": ACTIONS, PAGE_SEVERAL: SEVERAL}

    def act(command: str, times: int) -> None:
        actions.get(page, {}).get((command, times), lambda: None)()

    return act
