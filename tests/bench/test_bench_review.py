"""The review bench: coverage and duels on made-up tasks, and reading tasks from records."""

import json

import numpy as np
import pytest

from labelferry.assessment.assessment import PanelPredictions
from labelferry.assessment.facts import TargetFacts
from labelferry.certificate.pairs import Part, log_martingale
from labelferry_bench.review.coverage import Measured, log_ratio, measure, summarize
from labelferry_bench.review.duels import DuelResult, fight, summarize_duels
from labelferry_bench.review.run import run_coverage
from labelferry_bench.review.tasks import ReviewTask, read_tasks
from labelferry_bench.trust.records import Record, write_record


def a_task(n=400, wrong=0.1, source_wrong=0.3, n_classes=2, confidence=0.9, name="corpus/one"):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, n_classes, n)
    labels = np.where(rng.random(n) < wrong, (truth + 1) % n_classes, truth)
    source_only = np.where(rng.random(n) < source_wrong, (truth + 1) % n_classes, truth)
    marked = np.arange(n) < n // 2
    return ReviewTask(name, name.split("/")[0], n_classes, labels, source_only, truth, np.full(n, confidence), marked)


@pytest.mark.parametrize(("n_classes", "confidence"), [(2, 0.95), (3, 0.6)])
def test_every_interval_is_measured_and_covers(n_classes, confidence):
    rows = summarize(list(measure(a_task(n_classes=n_classes, confidence=confidence), 400)))
    assert {row["quantity"] for row in rows} == {
        *{"accuracy", "error without review", "precision", "proportion", "proportion, accurate", "recall"}
    }
    assert {row["answers"] for row in rows} == {20, 40, 80}
    assert min(row["coverage"] for row in rows) >= 0.93
    for row in rows:
        assert row["plain_running"] <= row["plain_coverage"]
        assert 0 < row["width"] <= 1
        assert row["relative_width"] == pytest.approx(row["width"] / row["plain_width"])


def test_a_task_with_few_documents_has_fewer_sizes():
    assert {one.m for one in measure(a_task(n=50), 5)} == {20, 40}


def test_corpora_have_the_same_weight():
    one = Measured("accuracy", "a", "a/1", 0.9, 20, 1.0, 0.2, 1.0, 1.0, 0.2)
    rows = summarize([one, one._replace(task="a/2"), one._replace(corpus="b", task="b/1", coverage=0.7)])
    assert rows[0]["coverage"] == pytest.approx(0.85)
    assert (rows[0]["worst_corpus"], rows[0]["worst_coverage"]) == ("b", 0.7)
    assert (rows[0]["tasks"], rows[0]["corpora"]) == (3, 2)


def test_log_ratio_is_the_martingale_of_the_truth():
    t, k = np.array([[1, 2, 2]]), np.array([[0, 1, 1]])
    expected = [float(log_martingale(Part(9, a, b), np.array(4))) for a, b in ((1, 0), (2, 1), (2, 1))]
    assert log_ratio(Part(9, 0, 0), 4, t, k)[0] == pytest.approx(expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_duels_name_the_better_one(n_classes):
    row = summarize_duels(fight(a_task(n_classes=n_classes), 60))[1]
    assert row["named_correctly"] > 0.9
    assert row["verdict_wrong"] == 0
    assert row["named_correctly"] + row["named_wrongly"] + row["tie"] == pytest.approx(1)
    assert row["verdict_correct"] + row["verdict_wrong"] + row["not_yet_known"] == pytest.approx(1)
    assert row["coverage"] >= 0.9
    assert row["labels_better"] == 1


def test_duels_of_equal_labels_are_left_out():
    task = a_task()
    assert fight(task._replace(source_only=task.labels), 5) == []
    small = DuelResult("a", "a/1", 0.01, 20, 0.5, 0.0, 0.6, 0.4, 1.0, 0.1)
    rows = summarize_duels([small, small._replace(gain=-0.04, leader_right=1.0, leader_wrong=0.0)])
    assert (rows[0]["tasks"], rows[0]["labels_better"], rows[0]["named_correctly"]) == (1, 0, 1.0)


def a_record(name, corpus, kind, n=90):
    rng = np.random.default_rng(len(name))
    truth = np.arange(n) % 2
    proba = {}
    for member in ("SourceLR", "NBLR", "LSA"):
        P = np.where(truth[:, None] == [0, 1], 0.7, 0.3) + rng.normal(0, 0.25, (n, 2))
        proba[member] = np.exp(P) / np.exp(P).sum(axis=1, keepdims=True)
    zeros = np.zeros(n)
    facts = TargetFacts(60, n, 30, 1.0, 1.0, 0.0, zeros + 0.5, zeros + 0.5)
    held_out, codes = proba["SourceLR"][:60], truth[:60]
    return Record(
        name, corpus, kind, corpus, PanelPredictions(proba, dict.fromkeys(proba, 0.1), held_out, codes), facts, truth
    )


def test_tasks_are_read_from_records(tmp_path):
    for name, kind in (("a/one", "plain"), ("a/two more", "plain"), ("a/trap", "copies"), ("b/one", "plain")):
        write_record(a_record(name, name[0], kind), tmp_path / f"{name.replace('/', '_')}.npz")
    tasks = read_tasks(tmp_path)
    assert [task.name for task in tasks] == ["a/one", "a/two more", "b/one"]
    assert len(read_tasks(tmp_path, per_corpus=1)) == 2
    assert 0.6 < tasks[0].accuracy < 1
    assert tasks[0].marked.sum() == 45
    assert tasks[0].confidence[tasks[0].marked].max() <= tasks[0].confidence[~tasks[0].marked].min()
    result = run_coverage(tmp_path, per_corpus=1, n_draws=5)
    assert json.loads(json.dumps(result)) == result
    assert {row["tasks"] for row in result["intervals"]} == {2}
    assert result["draws"] == 5


def test_the_command_needs_records(tmp_path):
    from typer.testing import CliRunner

    from labelferry.cli import app

    done = CliRunner().invoke(app, ["bench", "review", "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert "has no records. Run `labelferry bench trust" in done.stderr


def test_the_command_prints_every_row(capsys):
    from labelferry.cli.show import new_console
    from labelferry_bench.cli.review import COLUMNS, show_certificates, show_learning

    interval = {"quantity": "accuracy", "answers": 20, "tasks": 3, "coverage": 0.98, "worst_coverage": 0.96}
    duel = dict.fromkeys(
        ("named_correctly", "named_wrongly", "verdict_correct", "verdict_wrong", "not_yet_known"), 0.25
    )
    show_certificates(
        new_console(),
        {
            "level": 0.95,
            "intervals": [{**interval, "width": 0.434, "relative_width": 1.13}],
            "duels": [{"answers": 40, "tasks": 95, **duel}],
        },
    )
    row = {name: [0.123, -0.045] for name in (*COLUMNS, "unseen")}
    corpus = {"corpus": "tickets [old]", "tasks": 2, **row}
    show_learning(new_console(), {"answers": 40, "tasks": 2, "corpora": [corpus], "mean": row, "worst": row})
    printed = capsys.readouterr().out
    for text in ("0.434", "1.130", "0.250", "tickets", "+0.123", "on the other corpora:"):
        assert text in printed
