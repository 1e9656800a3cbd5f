"""The tests of the tables of results, against scipy and by hand."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, ttest_rel, wilcoxon

from labelferry_bench.papers.significance import compare, friedman, holm


def scores(seed=0, n_tasks=9, n_draws=5):
    rng = np.random.default_rng(seed)
    shift = {"own": 0.05, "near": 0.045, "far": 0.0}
    return [
        {m: {s: base + rng.normal(0, 0.01) for s in range(n_draws)} for m, base in shift.items()}
        for _ in range(n_tasks)
    ]


def test_over_tasks_it_is_wilcoxon_adjusted_by_holm():
    tasks = scores()
    near, far = compare("own", ["near", "far", "absent"], tasks)
    means = {m: np.array([np.mean(list(t[m].values())) for t in tasks]) for m in ("own", "near", "far")}
    p = [wilcoxon(means["own"] - means[m]).pvalue for m in ("near", "far")]
    assert [near["p"], far["p"]] == pytest.approx(p)
    assert [near["p_holm"], far["p_holm"]] == pytest.approx(holm(p))
    assert far["won"] + far["tied"] + far["lost"] == 9
    assert compare("own", ["near"], tasks[:3])[0]["p"] is None


def test_within_a_task_it_is_the_paired_t_test_adjusted_by_holm():
    tasks = scores(n_tasks=30)
    near, far = compare("own", ["near", "far"], tasks)
    better = [0, 0]
    for task in tasks:
        values = {m: list(task[m].values()) for m in task}
        p = holm([ttest_rel(values["own"], values[m]).pvalue for m in ("near", "far")])
        for i, m in enumerate(("near", "far")):
            better[i] += p[i] <= 0.05 and np.mean(values["own"]) > np.mean(values[m])
    assert [near["draws"]["better"], far["draws"]["better"]] == better
    assert better[1] > better[0]


def test_equal_and_constant_differences():
    tasks = [
        {
            "own": dict.fromkeys(range(3), 0.9),
            "same": dict.fromkeys(range(3), 0.9),
            "less": dict.fromkeys(range(3), 0.8),
        }
    ]
    same, less = compare("own", ["same", "less"], tasks)
    assert same["draws"] == {"tasks": 1, "better": 0, "worse": 0}
    assert less["draws"] == {"tasks": 1, "better": 1, "worse": 0}


def test_friedman_is_that_of_scipy():
    tasks = scores()
    result = friedman(["own", "near", "far"], tasks)
    means = np.array([[np.mean(list(t[m].values())) for m in ("own", "near", "far")] for t in tasks])
    assert result["p"] == pytest.approx(friedmanchisquare(*means.T).pvalue)
    assert sum(result["ranks"].values()) == pytest.approx(6)
    assert friedman(["own", "near"], tasks) is None
