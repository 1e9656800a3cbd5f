"""What `labelferry label` says: little, one next command, and nothing that the user has just done."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import cli
from labelferry.cli.label_summary import Written, next_command
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
    assert lines[0] == "Read: 360 labelled and 360 new documents (columns: text, label)"
    text = " ".join(shown.stdout.split())
    assert re.search(r"Correct labels: about \d+% \([\d.]+% to [\d.]+%; estimated\)\.", text)
    assert re.search(
        r"Forecast: after \d+ answers \(\d+ minutes\), about [\d,]+ \([\d,]+ to [\d,]+\) of 360 labels "
        r"guaranteed \(at most 5% wrong\)",
        text,
    )
    assert "no class is new or has changed its meaning" in text
    assert not DONE.search(text)
    assert lines[-1] == "Next: labelferry accept out.csv -o sample.csv"
    assert text.count("labelferry ") == 1


def test_one_number_is_shown_everywhere_the_share_of_correct_labels(tmp_path, monkeypatch):
    """Not the mean over the classes, which people took for it: here it is another number."""
    monkeypatch.chdir(tmp_path)
    demo = tickets.demo()
    rows = [i for i, label in enumerate(demo.y_source) if label != "account" or i % 4 == 0]
    old = tickets.old()
    tickets.write_csv(tmp_path / "old.csv", {name: [values[i] for i in rows] for name, values in old.items()})
    tickets.write_csv(tmp_path / "new.csv", tickets.new())
    files = "old.csv", "new.csv"
    shown = run("label", *files, "-o", "out.csv", "--method", "sourcelr", "--report", "page.html")
    values = json.loads(run("label", *files, "-o", "out.csv", "--method", "sourcelr", "--json").stdout)
    share, by_class = values["estimated_accuracy"], values["estimated_balanced_accuracy"]
    about = f"{share['mean']:.0%}"
    assert about != f"{by_class['mean']:.0%}"
    low, high = math.floor(100 * share["low"]), math.ceil(100 * share["high"])
    said = f"Correct labels: about {about} ({low}% to {high}%; estimated)."
    assert said in " ".join(shown.stdout.split())
    assert said in " ".join(run("diagnose", *files, "--method", "sourcelr").stdout.split())
    page = " ".join(Path("page.html").read_text(encoding="utf-8").split())
    assert f'<dd>{about}</dd> <dd class="note">{low}% to {high}%</dd>' in page
    assert (
        f"Probably {low}% to {high}% of the labels are correct (such ranges were right in nine of ten tests)." in page
    )
    result = labelferry.label(*files, method="sourcelr")
    assert f", about {about} correct, " in repr(result)
    assert f"Correct labels: about <strong>{about}</strong> ({low}% to {high}%)" in result._repr_html_()


def test_the_other_commands_print_as_little(files):
    assert run("label", *files, "-o", "out.csv", "--save", "model.npz", "--method", "sourcelr").exit_code == 0
    truth = tickets.demo().y_target.tolist()
    tickets.write_csv(Path("truth.csv"), {"text": tickets.new()["text"], "truth": truth})
    assert run("audit", "out.csv", "-o", "sample.csv").exit_code == 0
    sample = tickets.read_csv(Path("sample.csv"))
    tickets.write_csv(Path("sample.csv"), {**sample, "answer": [truth[int(row) - 1] for row in sample["row"]]})
    firsts = {
        ("certify", "out.csv", "sample.csv"): r"Correct: [\d.]+% to [\d.]+% of the 360 labels, with 95% confidence",
        ("apply", "model.npz", "new.csv", "-o", "later.csv"): r"Read: 360 later documents; 360 got a label",
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
        assert lines[-1].startswith("Next: labelferry "), lines[-1]


def test_messages_about_files_are_one_line(tmp_path, monkeypatch):
    """Rows without a known word on both sides, and a label with blanks: three messages, none to decide about.

    Of invisible characters nobody reads, because they change nothing.
    """
    monkeypatch.chdir(tmp_path)
    old, new = tickets.old(), tickets.new()
    hidden = [text.replace(" ", "\u200b ", 1) for text in old["text"][:3]]
    old = {"text": [*hidden, *old["text"][3:], "zzyzx"], "label": [*old["label"], "billing "]}
    tickets.write_csv(tmp_path / "old.csv", old)
    tickets.write_csv(tmp_path / "new.csv", {"text": [*new["text"], "qwrtzp", "qwrtzq"]})
    shown = run("label", "old.csv", "new.csv", "-o", "out.csv", "--report", "page.html", "--store", "job.ferry")
    lines = shown.stdout.splitlines()
    assert lines[1].endswith(" (1 more note: --verbose)")
    assert len(lines) <= MOST_LINES, shown.stdout
    more = run("label", "old.csv", "new.csv", "-o", "out.csv", "-v").stdout
    for words in ("blanks around", "invisible or decomposed", "ignored", "not labelled"):
        assert words in more
    tickets.write_csv(tmp_path / "old.csv", tickets.old() | {"text": hidden + tickets.old()["text"][3:]})
    shown = run("label", "old.csv", "new.csv", "-o", "out.csv", "--report", "page.html")
    assert "invisible" not in shown.stdout
    assert "not labelled" in shown.stdout.splitlines()[1]
    assert ": --verbose)" not in shown.stdout
    assert len(shown.stdout.splitlines()) <= MOST_LINES, shown.stdout


def test_options_have_the_names_of_the_command_line(files):
    old = tickets.old()
    tickets.write_csv(
        Path("case.csv"), {**old, "label": [s.upper() if i % 9 == 0 else s for i, s in enumerate(old["label"])]}
    )
    shown = run("label", "case.csv", "new.csv", "-o", "out.csv", "--method", "sourcelr")
    assert "--merge-labels" in shown.stdout
    assert "merge_labels" not in shown.stdout
    wrong = run("label", *files, "-o", "out.csv", "--class-prior", "account=0.5,billing=0.1,technical=0.1")
    assert "labelferry: --class-prior must have the sum 1" in wrong.stderr


def test_the_rest_is_behind_verbose_and_json(files):
    shown = run("label", *files, "-o", "out.csv", "-v")
    for words in ("text column: 'text'", "of the labels are correct (90%", "range of the share", "labels to use"):
        assert words in shown.stdout
    values = json.loads(run("label", *files, "-o", "out.csv", "--json").stdout)
    usable = values["usable"]
    assert re.match(r"Forecast: after \d+ answers \(\d+ minutes\), ", usable["sentence"])
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
    assert re.match(r"Forecast: after \d+ further answers \(\d+ minutes\), ", story["use"][0])
    assert any("40 answers" in sentence for sentence in story["known"])
    assert "How many labels are really correct, beyond the estimate from 40 answers." in story["not_known"]


@pytest.mark.parametrize("job", [None, "job.ferry"])
def test_the_page_has_one_forecast(files, job):
    """Labels of a job learn first, so the forecast differs from that of a file."""
    result = labelferry.label(*files)
    values = page_values(result, result.summary(), labelled="out.csv", job=job)
    assert values["story"]["use"][0] == values["usable"]["sentence"]
    plan = values["usable"]["plan"]
    shown = labelferry.report.render_page(values)
    assert f"after {plan['answers']} answers perhaps" in shown
    assert f"{plan['answers']} answers (" in shown


def test_marks_on_every_label_are_no_advice(files):
    result = labelferry.label(*files, method="sourcelr", min_confidence=1.0)
    values = page_values(result, result.summary(), labelled="out.csv")
    said = json.dumps(values["story"])
    assert "target_error" not in said
    assert "accept_rank orders them" in said
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
    assert len(rows) >= 2
    assert f"{15 - len(rows)} other classes" in shown.stdout
    assert len(shown.stdout.splitlines()) <= MOST_LINES, shown.stdout
