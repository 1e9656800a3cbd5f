"""Labels of any origin: certificates, comparison and accepted labels for a column that labelferry did not write."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry.certificate.limits import allowed
from labelferry.cli import app
from tests.tickets import demo, new, read_csv, write_csv

CLASSES = ["account", "billing", "technical"]
TRUTH = demo().y_target.tolist()
N = len(TRUTH)


def guesses(share_wrong, seed=0):
    """The truth with some wrong labels, and confidences that are higher for correct ones."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(N) < share_wrong
    labels = [CLASSES[(CLASSES.index(c) + 1) % 3] if bad else c for c, bad in zip(TRUTH, wrong, strict=True)]
    return labels, np.round(np.where(wrong, rng.uniform(0.3, 0.7, N), rng.uniform(0.5, 1, N)), 3).tolist()


def llm_file(path, **more):
    labels, confidence = guesses(0.1)
    return write_csv(path, {**new(), "llm": labels, "llm_confidence": confidence, **more})


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def done(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def error_of(*arguments):
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    return line


def fill(path):
    columns = read_csv(path)
    write_csv(path, {**columns, "answer": [TRUTH[int(row) - 1] for row in columns["row"]]})
    return path


def test_a_column_is_certified_without_labels_of_labelferry(tmp_path):
    path = llm_file(tmp_path / "llm.csv")
    sample = tmp_path / "sample.csv"
    printed = done("audit", path, "--column", "llm", "-n", 120, "-o", sample, "--seed", 1)
    assert f"Next: labelferry certify {path} {sample} --column llm" in printed
    shown = read_csv(sample)
    labels, _ = guesses(0.1)
    assert shown["label"] == [labels[int(row) - 1] for row in shown["row"]]
    assert "llm" not in shown  # it would be there twice
    assert "llm_confidence" not in shown
    result = json.loads(done("certify", path, fill(sample), "--column", "llm", "--json"))
    truth = np.mean(np.array(labels) == TRUTH)
    assert result["accuracy"]["low"] <= truth <= result["accuracy"]["high"]
    assert result["n_documents"] == N
    assert result["better_than_source_only"] is None
    assert not any("source-only" in sentence or "review" in sentence for sentence in result["sentences"])
    in_python = labelferry.read_labels(path, "llm").certify(sample)
    assert in_python.accuracy.as_dict() == result["accuracy"]
    assert in_python.sentences() == result["sentences"]


def test_rows_without_a_label_are_left_out_and_counted(tmp_path):
    labels, confidence = guesses(0.1)
    labels[3] = labels[200] = " "
    path = write_csv(tmp_path / "llm.csv", {**new(), "llm": labels, "sure": confidence})
    sample = tmp_path / "sample.csv"
    assert "2 rows without a label in the column 'llm', left out" in done(
        "audit", path, "--column", "llm", "-n", 10, "-o", sample
    ).replace("\n", " ")
    assert read_csv(sample)["population"] == [str(N - 2)] * 10
    assert not {"4", "201"} & set(read_csv(sample)["row"])


def test_a_changed_column_is_no_longer_certified_by_the_sample(tmp_path):
    path = llm_file(tmp_path / "llm.csv")
    sample = tmp_path / "sample.csv"
    done("audit", path, "--column", "llm", "-n", 60, "-o", sample)
    fill(sample)
    labels, confidence = guesses(0.1)
    corrected = list(labels)
    shown = read_csv(sample)
    for row, answer in zip(shown["row"], shown["answer"], strict=True):
        corrected[int(row) - 1] = answer
    later = write_csv(tmp_path / "later.csv", {**new(), "llm": corrected, "llm_confidence": confidence})
    assert "was drawn for other labels" in error_of("certify", later, sample, "--column", "llm")
    other = write_csv(tmp_path / "other.csv", {**new(), "llm": labels, "label": TRUTH, "llm_confidence": confidence})
    assert "was drawn for other labels" in error_of("certify", other, sample)  # --column is missing
    assert "accuracy" in done("certify", other, sample, "--column", "llm", "--json")


def test_two_columns_are_compared(tmp_path):
    rules, _ = guesses(0.4, seed=3)
    rules[0] = ""  # abstains
    path = llm_file(tmp_path / "llm.csv", rules=rules)
    sample = tmp_path / "sample.csv"
    options = ("--column", "llm", "--against", "rules")
    assert "--column llm --against rules" in done("audit", path, *options, "-n", 40, "--duel", 60, "-o", sample)
    result = json.loads(done("certify", path, fill(sample), *options, "--json"))
    duel, labels = result["better_than_source_only"], guesses(0.1)[0]
    assert duel["verdict"] == "yes"
    assert duel["rival"] == "column 'rules'"
    difference = np.mean(np.array(labels) == TRUTH) - np.mean(np.array([labels[0], *rules[1:]]) == TRUTH)
    assert duel["difference"]["low"] <= difference <= duel["difference"]["high"]
    assert any(sentence.startswith("Better than the column 'rules': yes") for sentence in result["sentences"])
    assert any("1 row without a label in the column 'rules'" in message for message in result["messages"])
    without = json.loads(done("certify", path, sample, "--column", "llm", "--json"))
    assert without["better_than_source_only"] is None
    assert "Name their column with --against" in error_of(
        "audit", path, "--column", "llm", "--duel", 5, "-o", tmp_path / "no.csv"
    )


def test_the_ladder_accepts_labels_of_a_column(tmp_path):
    path = llm_file(tmp_path / "llm.csv")
    files, n_accepted = [], 0
    for k in range(4):
        out = tmp_path / f"sample{k}.csv"
        printed = done("accept", path, *files, "--column", "llm", "--error", 0.1, "-o", out, "-n", 60)
        assert "--column llm" in printed
        assert not {"label", "llm", "llm_confidence"} & set(read_csv(out))  # nothing that tells the label
        files.append(fill(out))
        usable = json.loads(done("accept", path, *files, "--column", "llm", "--error", 0.1, "--json"))["accept"]
        n_accepted = usable["n_accepted"]
        if n_accepted:
            break
    assert n_accepted > 100
    written = tmp_path / "usable.csv"
    done("accept", path, *files, "--column", "llm", "--error", 0.1, "--usable", written)
    columns, labels = read_csv(written), guesses(0.1)[0]
    assert list(columns) == [*read_csv(path), "label", "accepted"]
    assert sum(mark == "answer" for mark in columns["accepted"]) == sum(len(read_csv(file)["row"]) for file in files)
    in_python = labelferry.read_labels(
        pd.DataFrame({**new(), "llm": labels, "p": guesses(0.1)[1]}), "llm", confidence="p"
    )
    usable = in_python.accept(0.1, files)
    assert usable.n == n_accepted
    in_python.write(tmp_path / "python.csv", usable)
    marks = read_csv(tmp_path / "python.csv")["accepted"]
    used = [row for row, mark in enumerate(marks) if mark]
    assert columns["accepted"] == [marks[row] for row in used]
    truth = [TRUTH[row] for row in used]
    assert sum(label != true for label, true in zip(columns["label"], truth, strict=True)) <= allowed(n_accepted, 0.1)


def test_answers_by_row_are_taken_in_python(tmp_path):
    labels = labelferry.read_labels(llm_file(tmp_path / "llm.csv"), "llm")
    answers: dict = {}
    while len(answers) < 30:
        row = labels.accept(0.2, answers).next_row()
        answers[row] = TRUTH[row]
    assert labels.accept(0.2, answers).accepted.as_dict()["n_answers"] <= 30


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--column", "lm"), "Did you mean 'llm'?"),
        (
            ("--column", "llm", "--confidence", "note"),
            "the confidence must be a number from 0 to 1 in the column 'note'",
        ),
        (("--column", "llm", "--confidence", "llm"), "must be different columns"),
        (("--column", "id"), "every one of the 360 rows has a label of its own in the column 'id'"),
        (("--column", "empty"), "has no label in its column 'empty'"),
        (("--confidence", "llm"), "belong to --column"),
        (("--column", "plain"), "has no column confidence from 0 to 1"),
    ],
)
def test_mistakes_are_one_clear_line(options, words, tmp_path):
    path = llm_file(tmp_path / "llm.csv", empty=[""] * N, plain=TRUTH)
    assert words in error_of("accept", path, *options)


def test_columns_that_labelferry_wrote_are_refused(tmp_path):
    demo_ = demo()
    result = labelferry.label(demo_.texts_source, demo_.texts_target, label=demo_.y_source, method="sourcelr")
    path = write_csv(tmp_path / "out.csv", {**{k: list(v) for k, v in result.frame().items()}, "llm": guesses(0.1)[0]})
    assert "was written by labelferry" in error_of("accept", path, "--column", "label")
    sample = tmp_path / "sample.csv"
    done("audit", path, "--column", "llm", "--against", "label", "--duel", 20, "-o", sample)
    shown = set(read_csv(sample))
    assert not {"confidence", "alternative", "evidence", "source_only", "accept_rank"} & shown  # no hints
    assert "with --column" not in done("certify", path, fill(sample), "--column", "llm", "--against", "label")


def test_a_job_has_no_other_column(tmp_path):
    demo_ = demo()
    result = labelferry.label(demo_.texts_source, demo_.texts_target, label=demo_.y_source, method="sourcelr")
    result.store(tmp_path / "job.ferry").close()
    for command in (("certify",), ("accept",), ("audit", "-o", tmp_path / "s.csv")):
        assert "--column is for files" in error_of(command[0], tmp_path / "job.ferry", *command[1:], "--column", "llm")
