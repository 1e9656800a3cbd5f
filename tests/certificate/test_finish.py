"""Finish a file: the worst case, a literal twin, and what follows when everything is known."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labelferry.certificate.accept import given_answers
from labelferry.certificate.finish import file_ladder, finish_file, finish_questions, looks
from labelferry.certificate.ladder import make_ladder
from labelferry.certificate.limits import allowed, limits


def literal(ladder, wrong, error, tail):
    """The largest k such that every smaller k passes in its own rung, with loops over all k and t."""
    r, best, low = allowed(len(ladder.place), error), 0, 0
    for n in ladder.sizes:
        prefix = []
        for row in ladder.order[ladder.place[ladder.order] < n].tolist():
            if row not in wrong:
                break
            prefix.append(row)
        b = limits(n, r, tail, len(prefix))
        for k in range(low + 1, n + 1):
            x, passed = 0, b[0] >= 0
            for t, row in enumerate(prefix, start=1):
                x += wrong[row] and ladder.place[row] < k
                passed = passed or x <= b[t]
            found = sum(flag for row, flag in wrong.items() if ladder.place[row] < k)
            if not passed or found > r:
                return best
            best = k
        low = n
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
    answers = {int(row): bool(wrong[row]) for row in rows} if rng.random() < 0.5 else {}
    for _ in range(int(rng.integers(0, n))):
        answers |= {row: bool(wrong[row]) for row in finish_questions(ladder, answers, 1)}
    return ladder, wrong, answers


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_number_of_labels_equals_its_literal_twin(seed):
    ladder, _, answers = some_file(seed)
    result = finish_file(ladder, answers)
    assert result.n == literal(ladder, answers, ladder.error, ladder.tail)
    assert result.rows.sum() == result.n
    rest = [row for row in ladder.order.tolist() if not result.rows[row] and row not in answers]
    assert result.n_to_label == len(rest)
    known = set(range(len(ladder.place))) - set(ladder.order.tolist())
    unclear = [*list(known)[::2], *[row for row, is_wrong in answers.items() if is_wrong][::2]]
    rest = {*rest, *(row for row in unclear if not result.rows[row])}
    assert finish_file(ladder, answers, unclear=unclear).n_to_label == len(rest)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
@example(39916800)  # an answer with which later ones count
def test_needs_are_what_right_answers_allow(seed):
    ladder, _, answers = some_file(seed)
    free = finish_questions(ladder, answers, 100)
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


@pytest.mark.parametrize(
    ("M", "error", "share"),
    [
        (300, 0.02, 0.2),
        (300, 0.05, 0.12),
        *(pytest.param(*case, marks=pytest.mark.system) for case in [(200, 0.05, 0.5), (400, 0.1, 0.9)]),
    ],
)
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
        claims = [
            size for look in looks(file_ladder(ladder), wrong, given_answers(ladder, {}), M) for size in look.sizes
        ]
        false += max(claims) >= first_bad
        if seed < 6:
            answers, sizes = {}, [0]
            while rows := finish_questions(ladder, answers, 1):
                answers[rows[0]] = bool(wrong[rows[0]])
                sizes.append(finish_file(ladder, answers).n)
            assert (max(sizes) >= first_bad) == (max(claims) >= first_bad)
    assert false <= binom.ppf(1 - 1e-4, runs, 0.05)


def test_questions_are_asked_inside_the_lowest_rung_that_has_not_passed():
    ladder = make_ladder(np.arange(2000.0), np.full(2000, 0.1), error=0.05)
    answers, used = {}, []
    while rows := finish_questions(ladder, answers, 1):
        used.append(finish_file(ladder, answers).n)
        assert ladder.place[rows[0]] < next(n for n in ladder.sizes if n > used[-1])
        answers[rows[0]] = False
    assert len(answers) < 70
    assert used == sorted(used)
    assert used[20] >= 400  # long before a random sample of the file says anything
    assert finish_file(ladder, answers).n == 2000


def test_more_wrong_labels_or_a_larger_tail_allow_more():
    def used(error, tail=0.05):
        ladder = make_ladder(np.arange(500.0), np.full(500, 0.1), error=error, tail=tail)
        return finish_file(ladder, {int(row): bool(row < 100) for row in ladder.order[:100]}).n

    sizes = [used(error) for error in (0.02, 0.05, 0.1, 0.3)]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[3]) == (0, 500)
    assert used(0.05, tail=0.2) >= sizes[1]


def test_nothing_is_claimed_without_answers():
    result = finish_file(make_ladder(np.arange(100.0), np.zeros(100), error=0.05), {})
    assert (result.n, result.n_to_label, result.n_answers, result.rows.sum()) == (0, 100, 0, 0)
    assert result.needs[-1].n == 100
