"""Finish a file: the worst case, a literal twin, and what follows when everything is known."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labelferry.certificate import finish_file, make_ladder
from labelferry.certificate.limits import allowed, limits


def literal(ladder, wrong, error, tail):
    """The largest k such that every smaller k passes too, with loops over all k and t."""
    M, r = len(ladder.order), allowed(len(ladder.place), error)
    prefix = []
    for row in ladder.order.tolist():
        if row not in wrong:
            break
        prefix.append(row)
    b, best = limits(M, r, tail, len(prefix)), 0
    for k in range(1, M + 1):
        x, passed = 0, False
        for t, row in enumerate(prefix, start=1):
            x += wrong[row] and ladder.place[row] < k
            passed = passed or x <= b[t]
        found = sum(flag for row, flag in wrong.items() if ladder.place[row] < k)
        if not passed or found > r:
            break
        best = k
    return best


def some_file(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 90))
    score = np.round(rng.random(n), 1)
    wrong = rng.random(n) < (1 - score) * rng.choice([0.05, 0.2, 0.6])
    known = rng.permutation(n)[: rng.integers(0, n // 3 + 1)].tolist()
    error = float(rng.choice([0.05, 0.1, 0.3]))
    ladder = make_ladder(score, np.full(n, 0.1), error=error, tail=0.2, seed=int(rng.integers(100)), known=known)
    rows = ladder.order[: rng.integers(0, len(ladder.order) + 1)].tolist() + rng.permutation(n)[:5].tolist()
    return ladder, wrong, {int(row): bool(wrong[row]) for row in rows}


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_number_of_labels_equals_its_literal_twin(seed):
    ladder, _, answers = some_file(seed)
    result = finish_file(ladder, answers)
    assert result.n == literal(ladder, answers, ladder.error, ladder.tail)
    assert result.rows.sum() == result.n
    rest = [row for row in ladder.order.tolist() if not result.rows[row] and row not in answers]
    assert result.n_to_label == len(rest)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
@example(39916800)  # an answer with which later ones count
def test_needs_are_what_right_answers_allow(seed):
    ladder, _, answers = some_file(seed)
    free = [row for row in ladder.order.tolist() if row not in answers]
    before = finish_file(ladder, answers).n
    for more, n in finish_file(ladder, answers).needs:
        assert finish_file(ladder, {**answers, **dict.fromkeys(free[:more], False)}).n == n > before
        assert finish_file(ladder, {**answers, **dict.fromkeys(free[: more - 1], False)}).n == before
        before = n


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_with_all_answers_as_many_labels_are_used_as_are_allowed(seed):
    ladder, wrong, _ = some_file(seed)
    result = finish_file(ladder, {int(row): bool(wrong[row]) for row in ladder.order})
    M, r = ladder.n_labels, allowed(len(wrong), ladder.error)
    by_score = np.empty(M, dtype=bool)
    by_score[ladder.place[ladder.order]] = wrong[ladder.order]
    assert result.n == (M if by_score.sum() <= r else np.flatnonzero(by_score)[r])
    assert result.n_to_label == 0
    assert result.needs == ()


@pytest.mark.parametrize(("M", "error", "share"), [(200, 0.05, 0.5), (400, 0.1, 0.9), (300, 0.02, 0.2)])
def test_at_the_limit_a_false_claim_is_made_with_probability_tail_at_most(M, error, share):
    """One wrong label more than allowed among the best `share`, and many below it; looks after every answer."""
    rng, r, runs = np.random.default_rng(0), allowed(M, error), 800
    wrong = np.zeros(M, dtype=bool)
    top = int(share * M)
    wrong[rng.permutation(top)[: r + 1]] = True
    wrong[top:] = rng.random(M - top) < 0.3
    first_bad = int(np.flatnonzero(wrong)[r]) + 1  # k*
    false = 0
    for seed in range(runs):
        ladder = make_ladder(-np.arange(float(M)), np.full(M, 0.1), error=error, seed=seed)
        order = ladder.order
        x = np.cumsum(wrong[order] & (ladder.place[order] < first_bad))
        claims = x <= limits(M, r, 0.05, M)[1:]
        false += claims.any()
        if seed < 40:
            t = int(claims.argmax()) + 1 if claims.any() else int(rng.integers(1, M))
            n = finish_file(ladder, {int(row): bool(wrong[row]) for row in order[:t]}).n
            assert (n >= first_bad) == claims[:t].any()
    assert false <= binom.ppf(1 - 1e-4, runs, 0.05)


def test_other_limits_than_those_of_the_ladder():
    ladder = make_ladder(np.arange(500.0), np.full(500, 0.1), error=0.05)
    answers = {int(row): bool(row < 100) for row in ladder.order[:100]}
    sizes = [finish_file(ladder, answers, error=error).n for error in (0.02, 0.05, 0.1, 0.3)]
    assert sizes == sorted(sizes)
    assert sizes[0] == 0
    assert finish_file(ladder, answers, error=0.3).n == 500
    assert finish_file(ladder, answers, tail=0.2).n >= sizes[1]


def test_nothing_is_claimed_without_answers():
    result = finish_file(make_ladder(np.arange(100.0), np.zeros(100), error=0.05), {})
    assert (result.n, result.n_to_label, result.n_answers, result.rows.sum()) == (0, 100, 0, 0)
    assert result.needs[0].n == 100
