"""The acceptance bench: its short cuts equal the real tests after every answer; corpora have equal weight."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from labelferry.certificate.expected import ANSWERS, Profiles, places
from labelferry.certificate.finish import finish_file, finish_questions
from labelferry.certificate.ladder import make_ladder
from labelferry.ensemble.labelled_pool import PoolInputs
from labelferry.linalg.normalize import normalize_rows_l2
from labelferry_bench.review.accept import (
    LOOKS,
    LOWEST,
    Run,
    file_sets,
    ladder_sets,
    measure_task,
    reviewers,
    sample_sets,
    summarize,
    table,
)
from labelferry_bench.review.panels import PanelTask
from labelferry_bench.review.profiles import compare, file_line, fit_profiles, true_line
from tests.certificate.ladders import certified, next_question


def planted(seed, n=150):
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    wrong = rng.random(n) < 0.25 * (1 - score)
    return make_ladder(score, 0.25 * (1 - score), error=0.1, tail=0.2, seed=seed, known=[3, 8]), wrong


def sizes_over_time(sets, budget):
    return [max((n for spent, n in sets if spent <= t), default=0) for t in range(budget + 1)]


@pytest.mark.parametrize("seed", range(6))
def test_the_ladder_equals_the_real_test_after_every_answer(seed):
    ladder, wrong = planted(seed)
    answers, sizes = {}, []
    for _ in range(61):
        top = certified(ladder, answers)
        sizes.append(ladder.sizes[top] if top >= 0 else 0)
        row = next_question(ladder, answers)
        answers |= {} if row is None else {row: bool(wrong[row])}
    assert sizes == sizes_over_time(ladder_sets(ladder, wrong, 60), 60)


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_of_the_file_equals_the_real_test_after_every_answer(seed):
    ladder, wrong = planted(seed)
    upwards, answers, sizes = replace(ladder, start=LOWEST), {}, [0]
    for row in ladder.order[:100].tolist():
        answers[row] = bool(wrong[row])
        top = certified(upwards, answers)
        sizes.append(ladder.sizes[top] if top >= 0 else 0)
    assert sizes == sizes_over_time(sample_sets(ladder, wrong, 100), 100)


@pytest.mark.parametrize("seed", range(6))
def test_the_whole_file_equals_the_real_test_after_every_answer(seed):
    ladder, wrong = planted(seed)
    answers, sizes = {}, [0]
    while len(answers) < 100:
        (row,) = finish_questions(ladder, answers, 1)
        answers[row] = bool(wrong[row])
        sizes.append(finish_file(ladder, answers).n)
    assert sizes == sizes_over_time(file_sets(ladder, wrong, 100), 100)


def test_reviewers_make_the_stated_mistakes():
    wrong = np.arange(40_000) < 20_000
    said = {kind: (flags, cost) for kind, flags, cost in reviewers(wrong, np.random.default_rng(0))}
    first, _ = said["2% false alarms"]
    again, cost = said["2% false alarms, asked again"]
    assert first[wrong].all()
    assert first[~wrong].mean() == pytest.approx(0.02, abs=0.004)
    assert again[~wrong].mean() < 0.002
    np.testing.assert_array_equal(cost, 1 + first)
    assert said["20% overlooked"][0][wrong].mean() == pytest.approx(0.8, abs=0.012)
    assert said["20% overlooked, asked again"][0][wrong].mean() == pytest.approx(0.64, abs=0.015)
    assert said["20% overlooked, asked twice"][0][wrong].mean() == pytest.approx(0.768, abs=0.013)
    assert set(said["both mistakes, asked twice"][1]) == {1, 2, 3}
    assert not said["20% overlooked"][0][~wrong].any()


def test_corpora_have_equal_weight_and_the_worst_one_is_named():
    def run(corpus, task, share, false):
        return Run("U20", 0.05, corpus, task, (share,) * len(LOOKS), false)

    runs = [
        run("a", "a/1", 0.0, False),
        run("a", "a/1", 0.0, True),
        run("a", "a/2", 0.5, False),
        run("b", "b/1", 1, False),
    ]
    (row,) = summarize(runs, {"a/1": 0.5, "a/2": 0.9, "b/1": 0.8})
    assert row["accepted"] == [0.625] * len(LOOKS)
    assert row["accurate"] == [0.5] * len(LOOKS)
    assert (row["false"], row["worst"]) == (pytest.approx(1 / 6), pytest.approx(1 / 3))
    assert "U20" in table([row])


def test_a_planted_task():
    rng, n = np.random.default_rng(0), 300
    truth = rng.integers(0, 2, n)
    P = np.full((n, 2), 0.1)
    P[np.arange(n), np.where(rng.random(n) < 0.97, truth, 1 - truth)] = 0.9
    inputs = PoolInputs(P, {"one": P, "two": P}, normalize_rows_l2(np.eye(2)[truth] + 0.1 * rng.random((n, 2))))
    task = PanelTask("planted/1", "planted", inputs, np.full(n, 0.9), (0.9, 0.8, 1.0), truth)
    runs, accuracy, lines = measure_task(task, n_draws=2, n_orders=2)
    assert accuracy > 0.95
    assert [one.n_learned for one in lines] == [0, 20, 40] * 2
    assert all(one.n == n for one in lines)
    shares = {(run.design, run.error): run.accepted for run in runs}
    assert shares["U20", 0.1][LOOKS.index(120)] > 0.8
    assert shares["U20", 0.05][0] == 0
    assert {run.design for run in runs} >= {"U0", "U20", "U40", "A0", "file 0", "file 20", "U20, outside"}


def test_the_line_of_planted_labels_is_found():
    rng, n = np.random.default_rng(0), 20_000
    for a, b in [(-1.0, 0.5), (0.3, 0.0), (-2.5, 1.2)]:
        wrong = rng.random(n) < expit(a + b * places(n))
        assert true_line(wrong) == pytest.approx([a, b], abs=0.1)


@pytest.mark.system
def test_coefficients_of_planted_files_are_found_and_predict():
    """Lines are drawn by the model of the planner; the realised shares are those of ladders on their labels."""
    truth = Profiles(((-1.0, 0.5), (1.0, 0.0)), ((0.09, 0.0), (0.0, 0.01)))
    rng, files = np.random.default_rng(0), []
    for i in range(60):
        n, level = 400, rng.uniform(-3, 0)
        line = np.array([1, level]) @ np.array(truth.B) + rng.normal(size=2) * [0.3, 0.1]
        p = expit(line[0] + line[1] * places(n))
        wrong, runs = rng.random(n) < p, []
        for seed in range(3):
            ladder = make_ladder(-np.arange(float(n)), p, error=0.1, seed=seed)
            runs.append([sizes_over_time(ladder_sets(ladder, wrong, 160), 160)[m] / n for m in ANSWERS])
        files.append(file_line(f"corpus {i % 4}", float(expit(-level)), wrong, p, 0, {0.1: np.array(runs)}))
    found = fit_profiles(files, lambda one: one.before)
    np.testing.assert_allclose(found.B, truth.B, atol=0.25)
    (before,), (after,) = (compare(files, frozen=frozen) for frozen in (False, True))
    for rows in (before, after):  # one file may have a quarter more or less, on average they agree
        np.testing.assert_allclose(rows["expected"], rows["realised"], atol=0.07)
        assert min(rows["in_range"]) > 0.7
