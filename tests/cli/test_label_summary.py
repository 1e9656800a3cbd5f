"""What `labelferry label` says: little, one next command, and nothing that the user has just done."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import cli
from labelferry.cli.label_summary import Written, next_command
from labelferry.cli.show import MOST_CLASSES
from labelferry.report.summary import page_values

from .. import tickets

pytestmark = pytest.mark.usefixtures("shared_panels")
MOST_LINES = 12
DONE = re.compile("random sample|by hand|audit|certify", re.IGNORECASE)  # what nobody is told who just answered


def run(*arguments, width=80):
    arguments = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli.app, arguments, env={"COLUMNS": str(width), "NO_COLOR": "1"})


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tickets.write_csv(tmp_path / "old.csv", tickets.old())
    tickets.write_csv(tmp_path / "new.csv", tickets.new())
    return "old.csv", "new.csv"


def test_about_ten_lines_and_one_next_command(files):
    shown = run("label", *files, "-o", "out.csv")
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert len(lines) <= MOST_LINES
    assert lines[0] == "Read: 360 labelled and 360 new documents (text: text; label: label)"
    text = " ".join(shown.stdout.split())
    assert "Nothing can be promised without answers: about " in text
    assert "the labels mean the same in both files" in text
    assert not DONE.search(text)
    assert lines[-1] == "Next: labelferry accept out.csv -o sample.csv"
    assert text.count("labelferry ") == 1


def test_the_other_commands_print_as_little(files):
    assert run("label", *files, "-o", "out.csv", "--save", "model.npz", "--method", "sourcelr").exit_code == 0
    truth = tickets.demo().y_target.tolist()
    tickets.write_csv(Path("truth.csv"), {"text": tickets.new()["text"], "truth": truth})
    assert run("audit", "out.csv", "-o", "sample.csv").exit_code == 0
    sample = tickets.read_csv(Path("sample.csv"))
    tickets.write_csv(Path("sample.csv"), {**sample, "answer": [truth[int(row) - 1] for row in sample["row"]]})
    firsts = {
        ("certify", "out.csv", "sample.csv"): r"Correct: \d+% to \d+% of the 360 labels, with 95% confidence",
        ("apply", "model.npz", "new.csv", "-o", "later.csv"): r"Read: 360 later documents; 360 have a label",
        ("diagnose", *files): r"Read: 360 labelled and 360 new documents, \d+ words",
        ("compare", *files[:1], "truth.csv", "--truth", "truth"): r"true labels: column 'truth', 360 of 360",
    }
    for command, first in firsts.items():
        shown = run(*command)
        assert shown.exit_code == 0, shown.output
        lines = shown.stdout.splitlines()
        assert len(lines) <= MOST_LINES, shown.stdout
        assert re.match(first, lines[0]), lines[0]
        more = run(*command, "--verbose").stdout
        assert len(more.split()) > len(shown.stdout.split())
        if command[0] != "compare":
            assert lines[-1].startswith("Next: labelferry "), lines[-1]


def test_the_rest_is_behind_verbose_and_json(files):
    shown = run("label", *files, "-o", "out.csv", "-v")
    for words in ("text column: 'text'", "Estimated balanced accuracy", "range of the share", "labels to use"):
        assert words in shown.stdout
    values = json.loads(run("label", *files, "-o", "out.csv", "--json").stdout)
    usable = values["usable"]
    assert usable["sentence"].startswith("Nothing can be promised without answers: about ")
    assert [row["answers"] for row in usable["expected"]] == sorted(row["answers"] for row in usable["expected"])
    assert all(row["low"] <= row["n"] <= row["high"] for row in usable["expected"])
    assert usable["plan"]["answers"] in [row["answers"] for row in usable["expected"]]


def test_the_next_command_fits_the_call(files):
    shown = run("label", *files, "-o", "out.csv", "--store", "my job.ferry", "--report", "page.html")
    assert shown.stdout.splitlines()[-1] == "Next: labelferry review 'my job.ferry'"
    with open("page.html", encoding="utf-8") as file:
        commands = re.findall(r'<code class="command">(.*?)</code>', file.read())
    assert commands == ["labelferry review &#39;my job.ferry&#39;"]
    assert next_command(Written([], None, None, None)) == ""
    assert (
        next_command(Written(["o.csv"], "o.csv", None, ["a", "b"]))
        == "labelferry accept o.csv -o sample.csv --text a,b"
    )


def test_nobody_is_asked_for_what_was_just_done(files):
    truth = tickets.demo().y_target
    result = labelferry.label(*files)
    rows = np.random.default_rng(0).permutation(len(truth))[:40].tolist()
    updated = result.update({row: truth[row] for row in rows})
    story = page_values(updated, updated.summary(), labelled="out.csv")["story"]
    said = [updated.verdict.sentence, *updated.verdict.reasons, *story["use"], *story["known"], *story["not_known"]]
    said += [step["sentence"] for step in story["next"]]
    for sentence in said:
        assert not DONE.search(sentence), sentence
    assert story["use"][0].startswith("Expected: about ")
    assert any("40 answers" in sentence for sentence in story["known"])
    assert "How many labels are really correct, beyond the estimate from 40 answers." in story["not_known"]


def test_marks_on_every_label_are_no_advice(files):
    result = labelferry.label(*files, method="sourcelr", min_confidence=1.0)
    values = page_values(result, result.summary(), labelled="out.csv")
    said = json.dumps(values["story"])
    assert "target_error" not in said
    assert "accept_rank has their order" in said
    html = labelferry.report.render_page(values)
    assert ">To review</th>" not in html  # a column of which every number is that of the documents


def test_many_classes_do_not_fill_the_screen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    old = tickets.old()
    labels = [f"{label} {i % 5}" for i, label in enumerate(old["label"])]
    tickets.write_csv(tmp_path / "old.csv", {"text": old["text"], "label": labels})
    tickets.write_csv(tmp_path / "new.csv", tickets.new())
    shown = run("label", "old.csv", "new.csv", "-o", "out.csv", "--method", "sourcelr")
    assert shown.exit_code == 0, shown.output
    rows = [line for line in shown.stdout.splitlines() if re.match(r"(account|billing|technical) \d", line)]
    assert len(rows) == MOST_CLASSES
    assert f"{15 - MOST_CLASSES} other classes" in shown.stdout
