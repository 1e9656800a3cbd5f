"""Votes: a Bayes update by a confusion matrix, guarded by agreement, measured again by answers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from labelferry.ensemble.after_answers import after_answers
from labelferry.ensemble.labelled_pool import PoolInputs, held_out, start_of
from labelferry.ensemble.votes import (
    ABSTAINS,
    HOME,
    MAX_RATIO,
    Voter,
    calibrated,
    check_voter,
    confusion,
    home_matrix,
    merge_classes,
    shares_of,
    update,
    voter_arrays,
    voters_of,
    weigh,
)

NOTHING = np.zeros(0, dtype=np.intp)


def guesses(y, K, accuracy, rng):
    """Independent errors."""
    wrong = (y + 1 + rng.integers(max(K - 1, 1), size=len(y))) % K
    return np.where(rng.random(len(y)) < accuracy, y, wrong)


def voter_of(y_home, home, new, K, trust=1.0):
    N = np.zeros((K, K))
    np.add.at(N, (y_home, home), 1)
    return Voter("llm", np.asarray(new), N, trust)


class Problem:
    """Labels of a panel with a known accuracy, and a voter."""

    def __init__(self, K=3, n=600, panel=0.75, at_home=0.8, away=0.8, seed=0):
        rng = np.random.default_rng(seed)
        self.K, self.y = K, rng.integers(K, size=n)
        y_home = rng.integers(K, size=400)
        answer = guesses(self.y, K, panel, rng)
        strength = np.where(answer == self.y, rng.uniform(0.4, 3, n), rng.uniform(0, 1.5, n))
        self.P = softmax(strength[:, None] * np.eye(K)[answer], axis=1)
        self.voter = voter_of(y_home, guesses(y_home, K, at_home, rng), guesses(self.y, K, away, rng), K, 0.0)
        Z = np.eye(K)[self.y] + rng.normal(size=(n, K))
        self.Z = Z / np.linalg.norm(Z, axis=1, keepdims=True)
        self.panel = panel

    def weighed(self):
        return weigh(self.voter, self.P.argmax(axis=1), self.panel)

    def accuracy(self, P):
        return float((P.argmax(axis=1) == self.y).mean())

    def inputs(self):
        start = calibrated(self.P, self.panel)
        members = {"a": self.P, "b": np.roll(self.P, 1, axis=0)}
        return PoolInputs(start, members, self.Z, (self.weighed().voter,))

    def after(self, n_answers):
        """Accuracy on documents without an answer."""
        rows = np.random.default_rng(1).permutation(len(self.y))[:n_answers]
        learned = after_answers(self.inputs(), rows, self.y[rows])
        rest = np.setdiff1d(np.arange(len(self.y)), rows)
        return float((learned.labels[rest] == self.y[rest]).mean()), learned


def test_the_update_is_bayes_theorem():
    problem = Problem()
    voter = problem.voter._replace(trust=0.7)
    Q = update(problem.P, [voter])
    N, K, m = voter.home, 3, shares_of(voter)
    a = (np.trace(N) + 1) / (N.sum() + K)
    for i in range(40):  # slow, with the letters of the docstring
        weight = np.zeros(K)
        for c in range(K):
            u = voter.codes[i]
            G = a if u == c else (1 - a) / (K - 1)
            H = (N[c, u] + 2 * K * G) / (N[c].sum() + 2 * K)
            weight[c] = 0.7 * H + 0.3 * m[u]
        likelihood = np.maximum(weight / weight.max(), 1 / MAX_RATIO)
        expected = problem.P[i] * likelihood
        assert_allclose(Q[i], expected / expected.sum(), rtol=1e-9)


def test_rows_of_the_confusion_matrix_are_probabilities():
    problem = Problem(K=4)
    rows = np.arange(25)
    for voter in (problem.voter, problem.voter._replace(trust=1.0, home=np.zeros((4, 4)))):
        for M in (home_matrix(voter), confusion(voter, NOTHING, NOTHING), confusion(voter, rows, problem.y[rows])):
            assert_allclose(M.sum(axis=1), 1)
            assert (M > 0).all()


def test_levels_of_confidence_have_rows_of_their_own():
    rng = np.random.default_rng(2)
    K, y = 2, rng.integers(2, size=1000)
    level = rng.integers(2, size=1000)
    votes = np.where(rng.random(1000) < np.where(level == 1, 0.95, 0.55), y, 1 - y)
    N = np.zeros((K, 2 * K))
    np.add.at(N, (y, votes + K * level), 1)
    Q = update(np.full((1000, 2), 0.5), [Voter("llm", votes + K * level, N, 1.0)])
    assert abs(Q.max(axis=1)[level == 0].mean() - 0.55) < 0.05
    assert Q.max(axis=1)[level == 1].mean() > 0.88  # at most 10 to 1
    assert_array_equal(Q.argmax(axis=1), votes)


def test_an_abstention_changes_nothing():
    problem = Problem()
    silent = problem.voter._replace(codes=np.full(len(problem.y), ABSTAINS), trust=1.0)
    assert_allclose(update(problem.P, [silent]), problem.P, rtol=1e-9)
    some = problem.voter._replace(codes=np.where(np.arange(600) < 300, problem.voter.codes, ABSTAINS), trust=1.0)
    Q = update(problem.P, [some])
    assert_allclose(Q[300:], problem.P[300:], rtol=1e-9)
    assert not np.allclose(Q[:300], problem.P[:300])
    assert weigh(silent, problem.P.argmax(axis=1), 0.75).voter.trust == 0


def test_one_vote_changes_odds_by_at_most_the_limit():
    problem = Problem(at_home=1.0, away=1.0)
    Q = update(problem.P, [problem.voter._replace(trust=1.0)])
    change = np.log(Q / problem.P)
    spread = change.max(axis=1) - change.min(axis=1)
    assert spread.max() <= np.log(MAX_RATIO) + 1e-9
    assert spread.max() > np.log(MAX_RATIO) - 1e-6


def test_a_good_voter_helps_and_the_estimate_follows():
    problem = Problem(panel=0.65)
    Q = update(calibrated(problem.P, 0.65), [problem.weighed().voter])
    assert problem.weighed().voter.trust > 0.9
    assert problem.accuracy(Q) > 0.82
    assert abs(Q.max(axis=1).mean() - problem.accuracy(Q)) < 0.04


def test_a_random_voter_is_not_used():
    trusted = sum(Problem(at_home=1 / 3, away=1 / 3, seed=seed, n=200).weighed().voter.trust > 0 for seed in range(60))
    assert trusted <= 5  # two standard errors


def test_a_voter_that_turns_bad_is_found_without_answers_if_the_panel_is_good():
    problem = Problem(away=0.3)
    weighed = problem.weighed()
    assert weighed.contradicts
    assert weighed.voter.trust == 0
    assert weighed.accuracy > 0.75
    assert_allclose(update(problem.P, [weighed.voter]), problem.P, rtol=1e-9)


def test_a_voter_that_turns_bad_does_no_harm_after_40_answers():
    """Weak panel: without answers nobody can tell, and the votes do harm. 40 answers turn it."""
    problem = Problem(K=2, panel=0.55, at_home=0.85, away=0.2)
    before = problem.accuracy(calibrated(problem.P, 0.55))
    believed = update(calibrated(problem.P, 0.55), [problem.voter._replace(trust=1.0)])
    assert problem.accuracy(believed) < before - 0.2
    with_votes, _ = problem.after(40)
    assert with_votes > 0.7  # it is known to be wrong, so it is useful


def test_a_voter_without_votes_at_home_waits_for_answers():
    problem = Problem(panel=0.6, away=0.9)
    problem.voter = problem.voter._replace(home=np.zeros((3, 3)))
    weighed = problem.weighed()
    assert (weighed.voter.trust, weighed.n_home, weighed.beyond_chance) == (0, 0, False)
    assert_array_equal(update(problem.P, [weighed.voter]).argmax(axis=1), problem.P.argmax(axis=1))
    assert problem.after(60)[0] > 0.8


def test_answers_move_the_matrix_to_what_they_show():
    problem = Problem(K=2, at_home=0.9, away=0.5, n=2000)
    voter = problem.voter._replace(trust=1.0)
    before = confusion(voter, NOTHING, NOTHING)
    rows = np.arange(1500)
    after = confusion(voter, rows, problem.y[rows])
    assert np.diag(before).min() > 0.85
    assert_allclose(np.diag(after), 0.5, atol=0.06)
    few = confusion(voter, rows[:3], problem.y[:3])
    assert np.abs(few - before).max() < 0.4
    assert HOME >= 10  # so that three answers do not decide


def test_held_out_labels_have_not_seen_their_own_answer():
    problem = Problem(n=120)
    inputs, rows = problem.inputs(), np.arange(30)
    right, other = problem.y[rows].copy(), problem.y[rows].copy()
    other[7] = (other[7] + 1) % 3
    assert_allclose(held_out(inputs, rows, right)[7], held_out(inputs, rows, other)[7], rtol=1e-5)


def test_without_answers_the_start_is_the_update():
    problem = Problem()
    inputs = problem.inputs()
    assert_allclose(start_of(inputs), update(inputs.start, inputs.voters), atol=1e-5)
    assert_array_equal(start_of(inputs._replace(voters=())), inputs.start)


def test_calibration_keeps_labels_and_meets_the_accuracy():
    problem = Problem()
    for accuracy in (0.5, 0.7, 0.9):
        Q = calibrated(problem.P, accuracy)
        assert abs(Q.max(axis=1).mean() - accuracy) < 1e-6
        assert_array_equal(Q.argmax(axis=1), problem.P.argmax(axis=1))
    assert np.isfinite(calibrated(np.full((5, 3), 1 / 3), 0.9)).all()  # no power can do it


def test_voters_come_back_from_arrays():
    voter = Problem().weighed().voter
    (again,) = voters_of(voter_arrays([voter]), ["llm"])
    assert again.trust == voter.trust
    assert_array_equal(again.codes, voter.codes)
    assert_array_equal(again.home, voter.home)
    check_voter(again, 600, 3)
    for wrong in ({"codes": again.codes + 1}, {"codes": again.codes[:5]}, {"home": -again.home}, {"trust": 2.0}):
        with pytest.raises(ValueError, match="no votes"):
            check_voter(again._replace(**wrong), 600, 3)


def test_votes_on_children_are_votes_on_their_parents():
    rng = np.random.default_rng(4)
    K, B, parents = 4, 2, np.array([0, 0, 1, 1])
    y, u, level = rng.integers(K, size=300), rng.integers(K, size=300), rng.integers(B, size=300)
    N = np.zeros((K, K * B))
    np.add.at(N, (y, u + K * level), 1)
    codes = np.where(np.arange(300) % 7 == 0, ABSTAINS, u + K * level)
    merged = merge_classes(Voter("llm", codes, N), parents)
    expected = np.zeros((2, 2 * B))
    np.add.at(expected, (parents[y], parents[u] + 2 * level), 1)
    assert_array_equal(merged.home, expected)
    assert_array_equal(merged.codes, np.where(codes == ABSTAINS, ABSTAINS, parents[u] + 2 * level))
    assert_array_equal(merged.classes[codes != ABSTAINS], parents[u][codes != ABSTAINS])
