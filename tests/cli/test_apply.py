"""`labelferry apply` to several files, and what later answers do."""

import json
import re
import shutil

import numpy as np
import pytest

import labelferry

from .. import tickets
from .test_cli import run as run_command

N_FITTED = 200  # new tickets of the fit; the others come later


def run(*arguments):
    return run_command(*map(str, arguments))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a model, and three files of later tickets with their true labels."""
    folder = tmp_path_factory.mktemp("made")
    demo = tickets.demo()
    tickets.write_csv(folder / "labelled.csv", tickets.old())
    tickets.write_csv(folder / "new.csv", {"text": demo.texts_target[:N_FITTED]})
    (folder / "later").mkdir()
    for i, name in enumerate(("june", "july", "may")):
        columns = {"text": demo.texts_target[N_FITTED + i :: 3], "truth": demo.y_target[N_FITTED + i :: 3].tolist()}
        tickets.write_csv(folder / "later" / f"{name}.csv", columns)
    labelferry.label(folder / "labelled.csv", folder / "new.csv", method="tcl").save(folder / "model.npz")
    return folder


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_folder_of_files_gets_one_output_per_file_with_its_name(folder):
    shown = run("apply", folder / "model.npz", folder / "later", "-o", folder / "labelled")
    assert shown.exit_code == 0, shown.output
    names = ["july.csv", "june.csv", "may.csv"]
    assert sorted(path.name for path in (folder / "labelled").iterdir()) == names
    assert all(name in shown.output for name in names)
    for name in names:
        alone = folder / "alone.csv"
        assert run("apply", folder / "model.npz", folder / "later" / name, "-o", alone, "-q").exit_code == 0
        assert (folder / "labelled" / name).read_bytes() == alone.read_bytes()


def test_one_file_goes_to_a_folder_as_several_do(folder, monkeypatch):
    """A folder that has one file today has two tomorrow: the command is the same."""
    monkeypatch.chdir(folder)
    (folder / "inbox").mkdir()
    shutil.copy(folder / "later" / "june.csv", folder / "inbox")
    for i, file in enumerate(("inbox", "inbox/june.csv")):
        shown = run("apply", "model.npz", file, "-o", f"labelled{i}", "-q")
        assert shown.exit_code == 0, shown.output
        assert [path.name for path in (folder / f"labelled{i}").iterdir()] == ["june.csv"]
    shown = run("apply", "model.npz", "inbox", "-o", "labelled.csv")
    assert shown.exit_code == 2
    assert "the files of a folder need a folder" in " ".join(shown.output.split())
    assert run("apply", "model.npz", "inbox/june.csv", "-o", "-").stdout.startswith("text,truth,label")


def test_the_json_of_several_files_has_one_entry_per_file(folder):
    files = [folder / "later" / f"{name}.csv" for name in ("june", "may")]
    found = json.loads(run("apply", folder / "model.npz", *files, "-o", folder / "labelled", "--json").stdout)
    titles = [entry["title"].rpartition("/")[2] for entry in found["files"]]
    assert [title.removeprefix("Labels for ") for title in titles] == ["june.csv", "may.csv"]


def test_a_folder_of_texts_is_one_table(folder):
    (folder / "texts").mkdir()
    for i in range(3):
        (folder / "texts" / f"{i}.txt").write_text("The hub lost the wifi again.")
    shown = run("apply", folder / "model.npz", folder / "texts", folder / "later", "-o", folder / "labelled")
    assert shown.exit_code == 0, shown.output
    assert len(tickets.read_csv(folder / "labelled" / "texts.csv")["label"]) == 3


@pytest.mark.parametrize(
    ("files", "out", "message"),
    [
        (["later"], "labelled.csv", "the files of a folder need a folder .* Name a folder"),
        (["later/june.csv", "later/may.csv"], "labelled.csv", "2 files need a folder"),
        (["later/june.csv", "later/may.csv"], "-", "2 files need a folder"),
        (["later", "again"], "labelled", "the output july.csv. Run the command for each .* another folder as --out"),
        (["later"], "later", "would be overwritten"),
        (["later/june.csv", "-"], "labelled", "has no name for its output"),
        (["later"], "missing/labelled", "there is no folder"),
        (["later/june.csv", "later/gone.csv"], "labelled", "Written before: .*june.csv"),
    ],
)
def test_what_cannot_be_done_is_one_line(folder, files, out, message, monkeypatch):
    monkeypatch.chdir(folder)
    shutil.copytree("later", "again")
    shown = run("apply", "model.npz", *files, "-o", out)
    assert shown.exit_code == 2
    assert re.search(message, " ".join(shown.output.split()))


def test_several_files_update_one_model(folder):
    by_hand = labelferry.load(folder / "model.npz")
    for name in ("july", "june", "may"):
        by_hand = by_hand.updated(tickets.read_csv(folder / "later" / f"{name}.csv")["text"])
    shown = run("apply", folder / "model.npz", folder / "later", "-o", folder / "labelled", "--update", "-q")
    assert shown.exit_code == 0, shown.output
    texts = tickets.demo().texts_target
    updated = labelferry.load(folder / "model.npz")
    np.testing.assert_allclose(updated.proba(texts), by_hand.proba(texts))


def answered(sample, truth):
    """The sample with the true labels as answers."""
    columns = tickets.read_csv(sample)
    columns["answer"] = [truth[int(row) - 1] for row in columns["row"]]
    tickets.write_csv(sample, columns)


def test_later_answers_certify_and_accept_and_are_learned(folder, monkeypatch):
    monkeypatch.chdir(folder)
    truth = tickets.read_csv(folder / "later" / "june.csv")["truth"]
    assert run("apply", "model.npz", "later/june.csv", "-o", "out.csv", "-q").exit_code == 0
    assert run("audit", "out.csv", "-o", "sample.csv", "-n", 30, "--seed", 1).exit_code == 0
    answered(folder / "sample.csv", truth)
    certificate = json.loads(run("certify", "out.csv", "sample.csv", "--json").stdout)
    accuracy = np.mean(np.array(tickets.read_csv(folder / "out.csv")["label"]) == truth)
    assert certificate["accuracy"]["low"] <= accuracy <= certificate["accuracy"]["high"]
    assert run("accept", "out.csv", "-o", "more.csv").exit_code == 0
    answered(folder / "more.csv", truth)
    assert run("accept", "out.csv", "more.csv").exit_code == 0
    learned = ("label", "labelled.csv", "later/june.csv", "--method", "tcl", "--answers", "sample.csv")
    shown = run(*learned, "-o", "learned.csv", "--save", "model.npz", "-q")
    assert shown.exit_code == 0, shown.output
    columns = tickets.read_csv(folder / "learned.csv")
    assert sum(answer != "" for answer in columns["answer"]) == 30
    assert run(*learned, "--answers", "more.csv", "-o", "both.csv", "-q").exit_code == 0
    rows = {row for name in ("sample.csv", "more.csv") for row in tickets.read_csv(folder / name)["row"]}
    assert sum(answer != "" for answer in tickets.read_csv(folder / "both.csv")["answer"]) == len(rows) > 30
    other = tickets.read_csv(folder / "sample.csv")
    classes = sorted(set(truth))
    other["answer"][0] = classes[(classes.index(other["answer"][0]) + 1) % len(classes)]
    tickets.write_csv(folder / "other.csv", other)
    refused = run(*learned, "--answers", "other.csv", "-o", "no.csv", "-q")
    assert refused.exit_code == 2
    assert "and an earlier sample" in " ".join(refused.stderr.split())
    assert run("apply", "model.npz", "later/may.csv", "-o", "next.csv", "-q").exit_code == 0
