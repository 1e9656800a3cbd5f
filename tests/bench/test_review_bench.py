"""The bench of learning from answers: draws, rivals, choice of ridges and the table."""

import numpy as np
import pytest

from labelferry.assessment.facts import target_facts
from labelferry.ensemble.panel import fit_panel
from labelferry_bench.review import learning, rivals
from labelferry_bench.review.learning import COLUMNS, GRID, choose_ridges, report
from labelferry_bench.review.rivals import draw, fit_rivals
from labelferry_bench.trust.records import Record, as_domains, write_record
from labelferry_bench.trust.tasks import TaskData, TrustTask

from ..planted import vocabulary_shift


@pytest.fixture(scope="module")
def fitted():
    task = vocabulary_shift(n_docs=120, common=0.3)
    data = TaskData(task.Xs, task.ys, np.zeros(120, dtype=int), task.Xt, task.yt, np.array([0, 1]))
    domains = as_domains(data)
    return data, Record("demo/a to b", "demo", "plain", "", fit_panel(domains, 0), target_facts(domains), task.yt)


def test_answers_are_never_scored():
    for n in (10, 100, 1000):
        documents = draw("task", n, 0)
        assert len(documents.answered) == min(40, n // 2)
        assert set(documents.answered) <= set(documents.candidates)
        assert sorted([*documents.candidates, *documents.scored]) == list(range(n))
    assert not np.array_equal(draw("task", 100, 0).answered, draw("task", 100, 1).answered)


def test_rivals_are_logistic_regressions(fitted):
    data, record = fitted
    both = fit_rivals(data, record)
    assert both.second_source.shape == both.alone.shape == (2, 120, 2)
    rows = draw(record.name, 120, 0).answered
    assert (both.alone[0][rows].argmax(axis=1) == record.yt[rows]).mean() > 0.9
    assert (both.second_source[0].argmax(axis=1) == record.yt).mean() > 0.7


def test_a_task_is_measured_and_its_rivals_are_kept(fitted, tmp_path, monkeypatch):
    data, record = fitted
    task = TrustTask(record.name, record.corpus)
    monkeypatch.setattr(TrustTask, "load", lambda self: data)
    monkeypatch.setattr(learning, "all_tasks", lambda corpora=None: [task])
    write_record(record, rivals.path_of(task, tmp_path))
    lines = []
    table = learning.run_learning(tmp_path, show=lines.append)
    assert len(lines) == table["tasks"] == 1
    assert set(COLUMNS) <= set(table["mean"])
    assert table["mean"]["random"][0] > -0.1
    monkeypatch.setattr(TrustTask, "load", None)  # the second run reads the file
    again = learning.run_learning(tmp_path, unseen=False)
    assert again["mean"]["second_source"] == table["mean"]["second_source"]
    assert "unseen" not in again["mean"]


def test_ridges_are_chosen_on_the_other_corpora():
    names = [("a", "a/0"), ("b", "b/0")]
    gains = [{r: [np.full(2, float(i == c))] for i, r in enumerate(GRID)} for c in range(2)]
    a, b = choose_ridges(names, gains)
    assert np.array_equal(a["unseen"], gains[0][GRID[1]])
    assert np.array_equal(b["unseen"], gains[1][GRID[0]])


def test_corpora_have_equal_weight_in_the_table():
    names = [("a", "a/0"), ("a", "a/1"), ("b", "b/0")]
    columns = ("random", "second_source", "alone")
    gains = [{c: [np.array([v, v / 2])] for c in columns} for v in (0.0, 0.2, 0.5)]
    table = report(names, gains)
    assert table["mean"]["random"] == [0.3, 0.15]
    assert table["worst"]["random"] == [0.0, 0.0]
    assert [row["tasks"] for row in table["corpora"]] == [2, 1]
    assert table["behind"] == {"second_source": 0.0, "alone": 0.0}
