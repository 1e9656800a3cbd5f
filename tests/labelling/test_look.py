"""Looking before labelling, methods side by side, and what a saved model has learnt."""

import json
import re
from io import StringIO

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from rich.console import Console
from typer.testing import CliRunner

import labelferry
from labelferry import SourceLR, cli
from labelferry.assessment import carriers, changed_words, vocabulary_overlap
from labelferry.assessment.agreement import most_confident
from labelferry.cli.compare import show
from labelferry.labelling.compare import compare
from labelferry.labelling.diagnose import diagnose
from labelferry.labelling.explain import explain

from .. import tickets

LEVELS = ("safe", "doubtful", "unsafe")


def run(*arguments):
    arguments = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "110", "NO_COLOR": "1"})


def stages_of(result):
    """The stages on stderr, without the share that is done and the remaining time."""
    pattern = r"^labelferry: (.*?) \(\d+%.*\)$"
    return [re.sub(pattern, r"\1", line) for line in result.stderr.splitlines()]


def plain(value):
    return json.loads(json.dumps(value, allow_nan=False)) == value


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tickets")
    old = {**tickets.old(), "domain": ["north"] * 200 + ["south"] * 160}
    truth = tickets.demo().y_target.tolist()
    new = {**tickets.new(), "truth": [*truth[:300], *[""] * 60]}
    return tickets.write_csv(folder / "old.csv", old), tickets.write_csv(folder / "new.csv", new)


@pytest.fixture(scope="module")
def diagnosis(files):
    return diagnose(*files)


@pytest.fixture(scope="module")
def comparison(files):
    words = {"language": "english", "ngrams": 1}  # those of the demo's matrices
    return compare(*files, methods=["emnaivebayes", "sourcelr", "SourceSVM"], truth="truth", **words)


def test_diagnosis(diagnosis):
    assert plain(diagnosis)
    assert diagnosis["verdict"]["level"] in LEVELS
    assert (diagnosis["n_source"], diagnosis["n_target"]) == (360, 360)
    for name in ("vocabulary_overlap", "gap", "risk"):
        assert 0 <= diagnosis[name] <= 1
    assert 0 < diagnosis["carriers"]["words"] < diagnosis["n_words"]
    assert 0.5 < diagnosis["carriers"]["documents"] <= 1
    assert {row["name"] for row in diagnosis["sources"]} == {"north", "south"}
    assert [row["gap"] for row in diagnosis["sources"]] == sorted(row["gap"] for row in diagnosis["sources"])
    assert [row["class"] for row in diagnosis["classes"]] == ["account", "billing", "technical"]
    assert sum(row["source"] for row in diagnosis["classes"]) == pytest.approx(1)
    assert len(diagnosis["agreement"]) == 8
    assert {"SourceLR", "EMNaiveBayes", "SourceNB"} <= set(diagnosis["agreement"])
    for name in ("estimated_balanced_accuracy", "estimated_accuracy"):
        assert 0 <= diagnosis[name]["low"] <= diagnosis[name]["mean"] <= diagnosis[name]["high"] <= 1
    assert sum(row["target"] for row in diagnosis["classes"]) == pytest.approx(1)
    for row in diagnosis["classes"]:
        assert row["target"] == pytest.approx((tickets.demo().y_target == row["class"]).mean(), abs=0.05)
        assert row["low"] <= row["target"] <= row["high"]
    words = {row["word"]: row for row in diagnosis["changed_words"]}
    assert words["licence"]["source"] > words["licence"]["target"]


def test_diagnosis_and_auto_agree_with_label(files, diagnosis):
    """One judge and one fit: before labelling, after it, and in the row `auto` of a comparison."""
    result = labelferry.label(*files)
    assert diagnosis["verdict"]["level"] == result.verdict.level
    assert diagnosis["verdict"]["reasons"] == result.verdict.reasons
    for name in ("estimated_balanced_accuracy", "estimated_accuracy"):
        assert diagnosis[name] == getattr(result, name)
    truth = tickets.demo().y_target
    auto = next(row for row in compare(*files, truth="truth")["rows"] if row["method"] == "auto")
    assert auto["accuracy"] == (result.labels == truth)[:300].mean()


def test_diagnosis_is_printed(files, diagnosis, monkeypatch):
    monkeypatch.setattr("labelferry.cli.progress.EVERY", 0.0)
    brief = run("diagnose", *files)
    assert stages_of(brief)[:2] == ["reading", "SourceLR"]
    for words in (
        "Correct labels: about",
        "technical",
        "Words that changed most",
        "subscription",
        "nearest first",
        "Next: labelferry label",
    ):
        assert words in brief.stdout
    shown = run("diagnose", *files, "-v")
    assert shown.exit_code == 0, shown.output
    for words in (
        "Verdict",
        "Words",
        "Classes",
        "nearest first",
        "north",
        "licence",
        "domain column: 'domain'",
    ):
        assert words in shown.stdout
    found = run("diagnose", *files, "--json")
    assert json.loads(found.stdout) == diagnosis
    assert found.stderr == ""


def test_comparison(comparison):
    assert plain(comparison)
    rows = {row["method"]: row for row in comparison["rows"]}
    assert set(rows) == {"EMNaiveBayes", "SourceLR", "SourceSVM"}
    agreements = [row["agreement"] for row in comparison["rows"]]
    assert agreements == sorted(agreements, reverse=True)
    assert rows["SourceLR"]["confident"] == 1
    assert rows["EMNaiveBayes"]["accuracy"] > 0.9 > rows["SourceLR"]["accuracy"]
    demo = tickets.demo()
    halves = slice(0, 200), slice(200, None)
    labels = SourceLR().transfer([demo.X_source[h] for h in halves], [demo.y_source[h] for h in halves], demo.X_target)
    right = (labels == demo.y_target)[:300]
    assert rows["SourceLR"]["accuracy"] == right.mean()
    by_class = [right[demo.y_target[:300] == c].mean() for c in np.unique(demo.y_target)]
    assert rows["SourceLR"]["balanced"] == pytest.approx(np.mean(by_class))


def test_without_methods_the_panel_and_its_blend(files):
    found = compare(*files, truth="truth")
    rows = {row["method"]: row for row in found["rows"]}
    assert plain(found)
    assert len(rows) == 9
    assert rows["auto"]["accuracy"] > 0.95
    assert rows["auto"]["seconds"] == pytest.approx(sum(row["seconds"] for row in rows.values()) / 2)


def test_the_source_classifier_is_asked_once_in_any_spelling(files):
    alone = compare(*files, methods=["emnaivebayes"])["rows"]
    beside = compare(*files, methods=["EMNaiveBayes", "sourcelr", "SOURCELR"])["rows"]
    assert [row["method"] for row in alone] == ["EMNaiveBayes"]
    assert len(beside) == 2
    assert {row["agreement"] for row in alone + beside} == {alone[0]["agreement"]}
    assert alone[0]["accuracy"] is None


def test_comparison_is_printed(files, comparison, monkeypatch):
    monkeypatch.setattr("labelferry.cli.progress.EVERY", 0.0)
    arguments = ("compare", *files, "--methods", "emnaivebayes, sourcelr,SourceSVM", "--truth", "truth")
    arguments += ("--language", "english", "--ngrams", "1")
    brief = run(*arguments)
    assert stages_of(brief) == ["SourceLR", "SourceSVM"]
    rows = brief.stdout.splitlines()
    best = max(comparison["rows"], key=lambda row: row["accuracy"])
    assert rows[[row.startswith("method") for row in rows].index(True) + 1].startswith(best["method"])
    shown = run(*arguments, "-v")
    assert shown.exit_code == 0, shown.output
    for words in ("EMNaiveBayes", "accuracy", "balanced", "if confident", "95% interval"):
        assert words in shown.stdout
    assert "kappa" not in shown.stdout
    found = json.loads(run(*arguments, "--json").stdout)
    for now, then in zip(found["rows"], comparison["rows"], strict=True):
        assert {**now, "seconds": 0} == {**then, "seconds": 0}
    assert run(*arguments, "--quiet").output == ""


def test_numbers_of_a_comparison_have_one_form(tmp_path):
    columns = {name: 4 * values for name, values in tickets.new().items()}
    truth = ["none of them", *tickets.demo().y_target.tolist()[1:]] * 4
    target = tickets.write_csv(tmp_path / "new.csv", {**columns, "truth": truth})
    old = tickets.write_csv(tmp_path / "old.csv", tickets.old())
    shown = run("compare", old, target, "--methods", "sourcelr", "--truth", "truth", "-v").stdout
    assert "1,440 of 1,440 documents" in shown
    assert re.search(r"SourceLR +1,\d{3} of 1,440 ", shown)
    assert not re.search(r"\b\d{4}\b", shown)


def test_names_of_methods_do_not_break_at_100_columns(files):
    found = compare(*files, truth="truth")
    printed = StringIO()
    show(Console(file=printed, width=100), found)
    lines = printed.getvalue().splitlines()
    for row in found["rows"]:
        assert sum(line.split("  ")[0].strip() == row["method"] for line in lines) == 2
    best = max(found["rows"], key=lambda row: row["accuracy"])["accuracy"]
    after = lines[lines.index("Compared with the true labels") + 4]
    assert f"{best:.1%}" in after  # the best first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "tlc"], "Did you mean tcl?"),
        (["--truth", "label"], "has no column 'label' with the true labels"),
        (["--truth", "empty"], "no labels in column 'empty'"),
        (["--text", "txt"], "Did you mean 'text'?"),
    ],
)
def test_mistakes_in_a_comparison(files, tmp_path, arguments, message):
    target = tickets.write_csv(tmp_path / "new.csv", {**tickets.new(), "empty": [""] * 360})
    result = run("compare", files[0], target, "--methods", "sourcelr", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


def test_frames_and_lists():
    old, new = tickets.old(3), tickets.new(3)
    found = diagnose(pd.DataFrame(old), pd.DataFrame(new))
    again = diagnose(old["text"], new["text"], label=old["label"])
    assert found["gap"] == again["gap"]
    assert labelferry.diagnose is diagnose
    assert labelferry.compare is compare


def test_the_surest_fifth_of_every_class():
    P = np.array([[0.9, 0.1]] * 3 + [[0.6, 0.4]] * 7 + [[0.2, 0.8], [0.3, 0.7]])
    assert most_confident(P).tolist() == [0, 1, 10]


def test_words_by_hand():
    Xs = sp.csr_array(np.array([[1.0, 0, 2, 0]] * 6 + [[0, 3, 1, 0]] * 6))
    Xt = sp.csr_array(np.array([[1.0, 0, 0, 1], [0, 0, 5, 1]]))
    assert vocabulary_overlap(Xs, Xt) == 0.5
    assert vocabulary_overlap(Xs, 0 * Xt) == 0
    assert carriers(Xs, np.repeat([0, 1], 6), Xt).tolist() == [True, False, False, False]
    assert carriers(Xs[3:9], np.repeat([0, 1], 3), Xt).tolist() == [False] * 4, "three documents are chance"
    changed = changed_words(Xs, Xt, ["a", "b", "c", "d"])
    assert changed == [
        {"word": "d", "source": 0.0, "target": 1.0},
        {"word": "b", "source": 0.5, "target": 0.0},
        {"word": "c", "source": 1.0, "target": 0.5},
    ]
    assert [row["word"] for row in changed_words(Xs, Xt, ["a", "b", "c", "d"], 1)] == ["d"]


def test_a_model_without_topics(tmp_path):
    demo = tickets.demo()
    path = tmp_path / "model.npz"
    labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source, method="sourcelr").save(path)
    found = explain(path, n_words=4)
    assert plain(found)
    assert found["method"] == "SourceLR"
    assert found["topics"] == []
    assert {len(words) for words in found["words"].values()} == {4}
    shown = run("explain", path)
    assert shown.exit_code == 0
    assert "SourceLR has no topics" in shown.stdout


def test_nothing_to_explain(tmp_path):
    demo = tickets.demo()
    alone = tmp_path / "alone.npz"
    est = SourceLR()
    est.transfer(demo.X_source, demo.y_source, demo.X_target)
    est.save(alone)
    (tmp_path / "text.npz").write_text("no model")
    for path, message in (
        (alone, "without its vocabulary"),
        (tmp_path / "text.npz", "is not a model"),
        (tmp_path / "none.npz", "there is no file"),
        (tmp_path, "is a folder"),
    ):
        result = run("explain", path)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert message in result.stderr
