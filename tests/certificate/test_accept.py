"""Which labels may be used: the worst case exactly, a literal twin, and what follows from the construction."""

from dataclasses import FrozenInstanceError, asdict, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labelferry.certificate import audit_order
from labelferry.certificate.accept import climb, given_answers, next_questions, passes
from labelferry.certificate.accepted import accept_labels, chance_to_pass
from labelferry.certificate.bounds import count_bounds, count_design
from labelferry.certificate.final_answers import contradictions, wrong_labels
from labelferry.certificate.ladder import Ladder, make_ladder, outside_margin, require_frozen
from labelferry.certificate.limits import allowed, limits
from labelferry.certificate.rounds import round_tail, union
from tests.certificate.ladders import certified, next_question

LEVEL_TAIL = 0.05


def probability_to_pass(n, r, R, tail):
    """Exactly: probability that a set with R wrong labels is ever accepted, with a look after every answer."""
    b, k = limits(n, r, tail, n), np.arange(n + 1)
    kept = np.zeros(n + 1)
    kept[0] = 1.0
    passed = 0.0
    for t in range(1, n + 1):
        one = kept * np.clip((R - k) / (n - t + 1), 0, 1)
        kept = kept - one
        kept[1:] += one[:-1]
        hit = k <= b[t]
        passed += kept[hit].sum()
        kept[hit] = 0
    return passed


# -- one set ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 5, 20, 61, 150, 400])
@pytest.mark.parametrize("error", [0.02, 0.05, 0.1, 0.4])
@pytest.mark.parametrize("tail", [0.01, 0.05, 0.3])
def test_a_false_claim_is_ever_accepted_with_probability_tail_at_most(n, error, tail):
    r = allowed(n, error)
    worst = probability_to_pass(n, r, r + 1, tail)
    assert worst <= tail + 1e-9
    for R in {min(r + 2, n), min(2 * r + 3, n), n}:
        assert probability_to_pass(n, r, R, tail) <= worst + 1e-9


@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("error", [0.05, 0.1])
def test_little_of_the_tail_is_wasted(n, error):
    r = allowed(n, error)
    assert probability_to_pass(n, r, r + 1, 0.05) > 0.04


def sampled_paths(n, r, seed, n_paths=8):
    """Random samples of a set with up to twice the allowed number of wrong labels."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(n) < rng.integers(0, min(2 * r + 2, n) + 1)
    m = int(rng.integers(1, min(n, 260) + 1))
    return np.array([rng.permutation(truth)[:m] for _ in range(n_paths)])


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.floats(0.01, 0.5), st.sampled_from([0.005, 0.05, 0.2]), st.integers(0, 2**32 - 1))
def test_limits_are_one_row_of_the_bounds_of_a_count(n, error, tail, seed):
    """The upper end also needs all larger numbers to be rejected, so it is never ahead of the limits."""
    r = allowed(n, error)
    values = sampled_paths(n, r, seed)
    k, t = values.cumsum(axis=1), np.arange(1, values.shape[1] + 1)
    b = limits(n, r, tail, len(t))[1:]
    row = count_design(n, len(t), tail).limits[n - r - 1, : len(t)]
    np.testing.assert_array_equal(k <= b, (t - k > row) | (k + n - t <= r))
    passed = np.logical_or.accumulate(k <= b, axis=1)
    assert (passed >= (count_bounds(values, n, 1 - 2 * tail)[1] <= r)).all()


@pytest.mark.parametrize("error", [0.05, 0.1])
def test_limits_equal_the_upper_end_of_a_count(error):
    for seed in range(25):
        values = sampled_paths(400, allowed(400, error), seed)
        b = limits(400, allowed(400, error), 0.05, values.shape[1])[1:]
        passed = np.logical_or.accumulate(values.cumsum(axis=1) <= b, axis=1)
        np.testing.assert_array_equal(passed, count_bounds(values, 400, 0.9)[1] <= allowed(400, error))


@pytest.mark.parametrize(
    ("n", "error", "needed"),
    [(200, 0.05, [50, 90, 118, 141]), (500, 0.05, [58, 107, 149, 183]), (2000, 0.05, [63, 117, 168, 220]),
     (20_000, 0.05, [64, 124, 175, 231]), (200, 0.1, [29, 50, 67, 82]), (2000, 0.1, [33, 58, 80, 100]),
     (2000, 0.02, [145, 321])],
)  # fmt: skip
def test_answers_that_are_needed(n, error, needed):
    b = limits(n, allowed(n, error), 0.05, 400)
    assert [int((b >= k).argmax()) for k in range(len(needed))] == needed


def test_nothing_can_be_certified_at_five_percent_with_forty_answers_in_a_large_file():
    assert (limits(2000, 100, 0.05, 40) == -1).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 300), st.data())
def test_limits_end_with_the_allowed_number(n, data):
    r = data.draw(st.integers(0, n - 1))
    b, t = limits(n, r, 0.05, n), np.arange(n + 1)
    assert b[n] == r  # everything is known
    assert (b <= np.minimum(r, t)).all()
    assert (b >= r - (n - t)).all()


def test_a_negative_number_of_wrong_labels_is_never_accepted_and_all_wrong_always():
    assert (limits(50, -3, 0.05, 50) == -1).all()
    assert limits(5, 5, 0.05, 5).tolist() == [0, 1, 2, 3, 4, 5]


def test_allowed_numbers_are_not_rounded_down_by_the_last_bit():
    assert [allowed(100, 0.29), allowed(100, 0.07), allowed(1000, 0.57), allowed(19, 0.05)] == [29, 7, 570, 0]
    assert allowed(-80, 0.05) == -1


# -- the ladder -------------------------------------------------------------------------------------------------------
def literal(ladder, score, known, wrong):
    """`certified` and `next_question`, word by word."""
    N = len(score)
    rest = [i for i in range(N) if i not in known]
    rank = sorted(rest, key=lambda i: (-score[i], i))
    order = [i for i in audit_order(N, 3, known).tolist() if i not in known]
    top, question = -1, None
    for j in range(ladder.start, len(ladder.sizes)):
        S = set(rank[: ladder.sizes[j]])
        inside = [i for i in order if i in S]
        k, is_certified = 0, False
        b = limits(ladder.sizes[j], allowed(ladder.sizes[j], ladder.error), ladder.tail, len(inside))
        for t, i in enumerate(inside, start=1):
            if i not in wrong:
                question = i if question is None and not is_certified else question
                break
            k += wrong[i]
            is_certified = is_certified or k <= b[t]
        found = sum(wrong[i] for i in S if i in wrong)
        if not is_certified or found > allowed(ladder.sizes[j], ladder.error):
            if question is None:
                question = next((i for i in inside if i not in wrong), None)
            if question is None:
                continue_from = [i for i in order if i in set(rank) and i not in wrong]
                question = literal_next(ladder, rank, order, wrong, j) if continue_from else None
            return top, question
        top, question = j, None
    return top, None


def literal_next(ladder, rank, order, wrong, j):
    for size in ladder.sizes[j:]:
        S = set(rank[:size])
        free = [i for i in order if i in S and i not in wrong]
        if free:
            return free[0]
    return None


def some_file(seed, n=None, error=None):
    """Scores with ties, labels that are wrong more often where the score is small, and some known rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 120)) if n is None else n
    score = np.round(rng.random(n), 1)
    p_wrong = np.clip((1 - score) * rng.choice([0.02, 0.1, 0.4]), 0, 1)
    wrong = rng.random(n) < p_wrong
    known = set(rng.permutation(n)[: rng.integers(0, n // 3 + 1)].tolist())
    error = float(rng.choice([0.05, 0.1, 0.3])) if error is None else error
    return rng, score, p_wrong, wrong, known, error


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_ladder_equals_its_literal_twin(seed):
    rng, score, p_wrong, wrong, known, error = some_file(seed)
    ladder = make_ladder(score, p_wrong, error=error, tail=0.2, seed=3, known=known)
    answers = {}
    order = [i for i in audit_order(len(score), 3, known).tolist() if i not in known]
    for i in order[: rng.integers(0, len(order) + 1)]:
        answers[i] = bool(wrong[i])
    for i in rng.permutation(len(score))[: rng.integers(0, 10)].tolist():
        answers[i] = bool(wrong[i])
    rest = {i: flag for i, flag in answers.items() if i not in known}
    assert (certified(ladder, answers), next_question(ladder, answers)) == literal(ladder, score, known, rest)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_climbing_equals_asking_one_question_after_the_other(seed):
    rng, score, p_wrong, wrong, known, error = some_file(seed)
    ladder = make_ladder(score, p_wrong, error=error, tail=0.2, known=known)
    answers = {i: bool(wrong[i]) for i in rng.permutation(len(score))[: rng.integers(0, 20)].tolist()}
    steps = climb(ladder, wrong, given_answers(ladder, answers), len(score))
    n_first, seen = len(answers), []
    while True:
        top = certified(ladder, answers)
        n = ladder.sizes[top] if top >= 0 else 0
        if not seen or n > seen[-1][1]:
            seen.append((len(answers) - n_first, n))
        row = next_question(ladder, answers)
        if row is None or len(seen) > len(steps):
            break
        assert row not in answers
        answers[row] = bool(wrong[row])
    at_once = dict(steps)  # several sets may be certified by one answer
    refuted = any((wrong & (ladder.place < n)).sum() > r for n, r in zip(ladder.sizes, ladder.at_most, strict=True))
    if not refuted:  # a claim that later answers refute is withdrawn
        assert seen == list(at_once.items())


def at_the_limit(M, error):
    """Labels whose rungs all have one wrong label more than is allowed."""
    wrong, sizes = np.zeros(M, dtype=bool), make_ladder(np.zeros(M), np.full(M, error), error=error).sizes
    before = 0
    for n in sizes:
        missing = allowed(n, error) + 1 - int(wrong[:n].sum())
        wrong[before : before + missing] = True
        before = n
    assert all(wrong[:n].sum() == allowed(n, error) + 1 for n in sizes)
    return wrong


@pytest.mark.parametrize(("M", "error"), [(160, 0.05), (300, 0.1), pytest.param(1000, 0.05, marks=pytest.mark.system)])
def test_the_whole_ladder_at_the_limit_is_wrong_with_probability_tail_at_most(M, error):
    """Every rung is just above the limit: any certified set is a false claim."""
    wrong, runs = at_the_limit(M, error), 1500
    score, p_wrong = -np.arange(float(M)), np.full(M, error / 3)
    false = 0
    for seed in range(runs):
        ladder = make_ladder(score, p_wrong, error=error, seed=seed)
        false += len(climb(ladder, wrong, given_answers(ladder, {}), M)) > 1
    n = ladder.sizes[ladder.start]
    exact = probability_to_pass(n, allowed(n, error), allowed(n, error) + 1, LEVEL_TAIL)
    assert binom.ppf(1e-4, runs, exact) <= false <= binom.ppf(1 - 1e-4, runs, min(exact, LEVEL_TAIL))


def test_the_real_test_after_every_answer_at_the_limit():
    M, error, runs = 60, 0.1, 300
    wrong, false = at_the_limit(M, error), 0
    for seed in range(runs):
        ladder = make_ladder(-np.arange(float(M)), np.full(M, 0.03), error=error, seed=seed)
        answers = {}
        while (row := next_question(ladder, answers)) is not None and certified(ladder, answers) < 0:
            answers[row] = bool(wrong[row])
        false += certified(ladder, answers) >= 0
    assert false <= binom.ppf(1 - 1e-4, runs, LEVEL_TAIL)


def test_whoever_asks_in_whatever_order_a_false_claim_is_rare():
    """Documents are asked where the labels look best so far, and also for other purposes; looks after every answer."""
    M, error, runs = 80, 0.1, 150
    wrong, false = at_the_limit(M, error), 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        ladder = make_ladder(-np.arange(float(M)), np.full(M, 0.03), error=error, seed=seed)
        answers, claimed = {}, False
        for _ in range(M):
            free = [row for row in ladder.order.tolist() if row not in answers]
            lucky = min(free, key=lambda row: sum(answers.get(row + d, False) for d in (-1, 1)))
            row = lucky if rng.random() < 0.5 else free[0]
            answers[row] = bool(wrong[row])
            claimed = claimed or certified(ladder, answers) >= 0
        false += claimed
    assert false <= binom.ppf(1 - 1e-4, runs, LEVEL_TAIL)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_order_in_which_answers_were_given_does_not_matter(seed):
    rng, score, p_wrong, wrong, known, error = some_file(seed)
    ladder = make_ladder(score, p_wrong, error=error, tail=0.2, known=known)
    rows = ladder.order[: rng.integers(0, len(ladder.order) + 1)].tolist()
    one = accept_labels(ladder, {row: bool(wrong[row]) for row in rows})
    other = accept_labels(ladder, {row: bool(wrong[row]) for row in rng.permutation(rows).astype(int).tolist()})
    assert one.as_dict() == other.as_dict()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_more_answers_never_take_labels_back_unless_they_refute_the_claim(seed):
    rng, score, p_wrong, wrong, known, error = some_file(seed)
    ladder = make_ladder(score, p_wrong, error=error, tail=0.2, known=known)
    rows = rng.permutation(len(score)).tolist()
    before, answers = -1, {}
    for row in rows:
        answers[row] = bool(wrong[row])
        top = certified(ladder, answers)
        if top < before:
            found = [sum(answers[i] for i in answers if ladder.place[i] < n) for n in ladder.sizes]
            assert any(f > r for f, r in zip(found[: before + 1], ladder.at_most, strict=False))
        before = top


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_one_wrong_label_less_never_accepts_less(seed):
    rng, score, p_wrong, wrong, known, error = some_file(seed)
    ladder = make_ladder(score, p_wrong, error=error, tail=0.2, known=known)
    answers = {int(i): bool(wrong[i]) for i in ladder.order[: rng.integers(0, len(ladder.order) + 1)]}
    better = {**answers, **{i: False for i in answers if rng.random() < 0.3}}
    assert certified(ladder, better) >= certified(ladder, answers)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_answers_that_were_learned_from_certify_nothing(seed):
    _, score, p_wrong, wrong, known, error = some_file(seed)
    ladder = make_ladder(score, p_wrong, error=error, tail=0.2, known=known)
    assert not set(ladder.order.tolist()) & known
    nothing, some = accept_labels(ladder, {}), accept_labels(ladder, {i: bool(wrong[i]) for i in known})
    assert nothing.as_dict() == some.as_dict()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_what_follows_for_labels_that_nobody_looked_at(seed):
    rng, score, p_wrong, wrong, known, error = some_file(seed)
    for outside in (False, True):
        ladder = make_ladder(score, p_wrong, error=error, tail=0.3, known=known, outside=outside)
        answers = {int(i): bool(wrong[i]) for i in ladder.order[: rng.integers(0, len(ladder.order) + 1)]}
        result = accept_labels(ladder, answers)
        unseen = result.rows.copy()
        unseen[list(answers)] = False
        assert (result.rows.sum(), unseen.sum()) == (result.n, result.unseen)
        assert result.n_wrong == sum(answers[i] for i in answers if result.rows[i])
        if (wrong & result.rows).sum() <= result.at_most_wrong:
            assert (wrong & unseen).sum() <= result.unseen_wrong
            assert (wrong & unseen).sum() <= result.unseen_at_most * result.unseen + 1e-9
        if outside:
            assert result.rest_at_most <= error + 1e-9


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_an_outside_claim_is_about_the_labels_outside_the_sample(seed):
    """With many documents, so that such sets are certified; the sample is the prefix with which the claim passed."""
    rng = np.random.default_rng(seed)
    n, error = 600, float(rng.choice([0.05, 0.1]))
    score = rng.random(n)
    wrong = rng.random(n) < rng.choice([0.0, 0.02, 0.05]) * (1 - score)
    ladder = make_ladder(score, 0.02 * (1 - score), error=error, tail=0.2, seed=1, outside=True)
    rows = [row for row in ladder.order.tolist() if ladder.place[row] < ladder.sizes[ladder.start]]
    result = accept_labels(ladder, {row: bool(wrong[row]) for row in rows[:250]})
    if result.n:
        assert result.rest_at_most <= error + 1e-9
        sample = [row for row in ladder.order.tolist() if result.rows[row]][: result.n_sample]
        assert sum(wrong[sample]) == result.sample_wrong
        outside = result.rows.copy()
        outside[sample] = False
        if wrong[result.rows].sum() <= result.at_most_wrong:
            assert wrong[outside].sum() <= error * outside.sum() + 1e-9


def test_an_outside_claim_cannot_pass_with_a_sample_that_is_too_large():
    n, error = 400, 0.05
    ladder = make_ladder(np.arange(float(n)), np.full(n, 0.001), error=error, outside=True)
    margin = outside_margin(n, error)
    assert (margin, outside_margin(100_000, error), outside_margin(600, error)) == (80, 160, 120)
    assert ladder.at_most[-1] == allowed(n - margin, error) == 16
    top = len(ladder.sizes) - 1
    wrong = np.zeros(n, dtype=bool)
    assert passes(ladder, top, wrong)[:80].any()
    wrong[60] = True  # one wrong label: r - 1 <= error (n - t) for t <= 100
    possible = np.flatnonzero(passes(ladder, top, wrong))
    assert (possible < 100).all()


def test_ties_are_in_the_order_of_the_rows():
    ladder = make_ladder(np.zeros(50), np.zeros(50), error=0.1)
    assert ladder.place.tolist() == list(range(50))
    known = make_ladder(np.zeros(50), np.zeros(50), error=0.1, known=[0, 2])
    assert known.place[:4].tolist() == [48, 0, 48, 1]


@pytest.mark.parametrize("n", [1, 5, 20])
def test_tiny_files(n):
    ladder = make_ladder(np.arange(float(n)), np.zeros(n), error=0.05)
    assert certified(ladder, {}) == -1
    assert accept_labels(ladder, {}).n == 0
    assert next_question(ladder, {}) in range(n)
    right = dict.fromkeys(range(n), False)
    assert accept_labels(ladder, right).n == n
    assert next_question(ladder, right) is None
    one_wrong = accept_labels(ladder, {**right, 0: True})  # the worst score
    assert one_wrong.n == (n if allowed(n, 0.05) else _largest_right(ladder))


def _largest_right(ladder):
    """Size of the largest tested set without row 0, if all sets below it are right."""
    sizes = [n for n in ladder.sizes[ladder.start :] if n <= ladder.place[0]]
    return sizes[-1] if sizes else 0


def test_a_file_without_other_documents():
    ladder = make_ladder(np.zeros(3), np.zeros(3), error=0.05, known=[0, 1, 2])
    assert (certified(ladder, {}), next_question(ladder, {}), accept_labels(ladder, {}).n) == (-1, None, 0)
    assert make_ladder(np.zeros(0), np.zeros(0), error=0.05).sizes == ()


def test_a_claim_that_answers_refute_is_withdrawn():
    n, error = 400, 0.05
    ladder = make_ladder(np.arange(float(n)), np.full(n, 0.001), error=error)
    size, r = ladder.sizes[ladder.start], ladder.at_most[ladder.start]
    answers = {int(i): False for i in ladder.order[:80]}
    assert certified(ladder, answers) >= 0
    late = [int(i) for i in ladder.order[80:] if ladder.place[i] < size][: r + 1]
    assert certified(ladder, {**answers, **dict.fromkeys(late[:r], True)}) >= 0
    assert certified(ladder, {**answers, **dict.fromkeys(late, True)}) == -1


# -- what is fixed before the first answer ----------------------------------------------------------------------------
def test_moving_the_start_the_order_or_the_limit_after_an_answer_is_refused():
    score = np.arange(200.0)
    ladder = make_ladder(score, np.full(200, 0.02), error=0.05, seed=1)
    require_frozen(ladder.key, ladder.key)
    require_frozen(make_ladder(score, np.full(200, 0.02), error=0.05, seed=1).key, ladder.key)
    with pytest.raises(FrozenInstanceError):
        ladder.start = 0
    with pytest.raises(ValueError, match="read-only"):
        ladder.order[0] = 5
    others = (
        replace(ladder, start=ladder.start - 1),
        replace(ladder, error=0.1),
        make_ladder(score, np.full(200, 0.02), error=0.05, seed=2),
        make_ladder(-score, np.full(200, 0.02), error=0.05, seed=1),
        make_ladder(score, np.full(200, 0.02), error=0.05, seed=1, known=[7]),
    )
    for other in others:
        with pytest.raises(ValueError, match="fixed before the first answer"):
            require_frozen(other.key, ladder.key)


def test_a_ladder_is_restored_from_its_plain_fields():
    ladder = make_ladder(np.arange(90.0), np.full(90, 0.02), error=0.1, seed=1, known=[5], outside=True)
    again = Ladder(**asdict(ladder))
    require_frozen(again.key, ladder.key)
    answers = {int(row): False for row in ladder.order[:50]}
    assert accept_labels(again, answers).as_dict() == accept_labels(ladder, answers).as_dict()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"error": 0.0}, "error must be between 0 and 1, got 0.0"),
        ({"error": 5}, "error must be between 0 and 1, got 5"),
        ({"tail": 0.0}, "tail must be above 0"),
        ({"score": np.array([1.0, np.nan])}, "score must not be NaN"),
        ({"p_wrong": np.array([0.1, 1.2])}, "p_wrong must be from 0 to 1"),
        ({"p_wrong": np.zeros(3)}, "same length"),
    ],
)
def test_bad_arguments(changes, message):
    values = {"score": np.zeros(2), "p_wrong": np.zeros(2), "error": 0.05, **changes}
    with pytest.raises(ValueError, match=message):
        make_ladder(values.pop("score"), values.pop("p_wrong"), **values)


def test_answers_of_another_file_are_refused():
    with pytest.raises(ValueError, match="rows must be from 0 to 9"):
        certified(make_ladder(np.zeros(10), np.zeros(10), error=0.05), {12: True})


# -- what comes next --------------------------------------------------------------------------------------------------
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
@example(1206140)  # answers outside the sample refute a claim that the sample passed
def test_needs_are_what_right_answers_certify(seed):
    rng, score, p_wrong, wrong, known, error = some_file(seed)
    ladder = make_ladder(score, p_wrong, error=error, tail=0.2, known=known)
    answers = {int(i): bool(wrong[i]) for i in rng.permutation(len(score))[: rng.integers(0, 30)]}
    for more, n in accept_labels(ladder, answers).needs:
        asked = next_questions(ladder, answers, more)
        assert len(asked) == more
        assert not set(asked) & set(answers)
        assert accept_labels(ladder, {**answers, **dict.fromkeys(asked, False)}).n >= n
        if more:
            assert accept_labels(ladder, {**answers, **dict.fromkeys(asked[:-1], False)}).n < n


def test_next_questions_begin_with_the_next_question():
    ladder = make_ladder(np.arange(300.0), np.full(300, 0.01), error=0.1)
    answers = {}
    for row in next_questions(ladder, answers, 60):
        assert next_question(ladder, answers) == row
        answers[row] = False


def test_the_chance_to_pass_equals_an_enumeration():
    b, p, total = np.array([-1, -1, 0, 0, 0, 1, 1]), 0.3, 0.0
    for path in product([0, 1], repeat=5):
        k = 1 + np.cumsum(path)
        total += np.prod([p if x else 1 - p for x in path]) * (k <= b[2:]).any()
    assert chance_to_pass(b, 1, 1, np.array([p]))[0] == pytest.approx(total)
    assert chance_to_pass(b, 1, 2, np.array([p]))[0] == 0


def test_a_limit_is_out_of_reach_after_many_wrong_labels_only():
    ladder = make_ladder(np.arange(2000.0), np.full(2000, 0.02), error=0.05)
    nothing = accept_labels(ladder, {})
    assert 50 < nothing.needs[0].more_answers < 64
    assert not nothing.out_of_reach
    rows = next_questions(ladder, {}, 31)
    assert not accept_labels(ladder, dict.fromkeys(rows, False)).out_of_reach
    assert accept_labels(ladder, {row: k < 4 for k, row in enumerate(rows)}).out_of_reach
    assert accept_labels(ladder, dict.fromkeys(range(2000), False)).chance == 1


# -- several claims ---------------------------------------------------------------------------------------------------
def test_tails_of_all_rounds_sum_to_little_more_than_that_of_the_first():
    assert sum(round_tail(r) for r in range(1, 60)) == pytest.approx(0.06)
    assert round_tail(1, 0.1) == 0.1
    with pytest.raises(ValueError, match="numbered from 1"):
        round_tail(0)


def test_the_union_of_two_rounds():
    n, rng = 1000, np.random.default_rng(0)
    score = rng.random(n)
    first = make_ladder(score, 1 - score, error=0.1, tail=round_tail(1))
    one = accept_labels(first, dict.fromkeys(next_questions(first, {}, 60), False))
    answered = next_questions(first, {}, 60)
    second = make_ladder(
        rng.random(n), np.full(n, 0.02), error=0.1, tail=round_tail(2), known=answered, among=~one.rows
    )
    assert not one.rows[second.order].any()
    two = accept_labels(second, dict.fromkeys(next_questions(second, {}, 80), False))
    both = union([one, two])
    assert 0 < one.n < both.n == one.n + two.n == both.rows.sum()
    assert both.at_most_wrong == one.at_most_wrong + two.at_most_wrong <= 0.1 * both.n
    assert both.tail == pytest.approx(0.055)
    assert both.unseen_at_most * both.unseen == pytest.approx(one.unseen_wrong + two.unseen_wrong)
    with pytest.raises(ValueError, match="in common"):
        union([one, one])


def test_a_label_is_right_if_the_first_or_two_further_answers_agree_with_it():
    """All answers: label 1 of two classes; -1 unclear, 2 none of these."""
    labels, codes = np.array([1]), [-1, 0, 1, 2]
    for first, n_more, agreeing in product(codes, range(4), (1, 2)):
        for again in product(codes, repeat=n_more):
            wrong = wrong_labels(labels, {0: first}, {0: again}, agreeing)[0]
            right = first == 1 or (n_more >= agreeing and set(again[:agreeing]) == {1})
            assert wrong == (not right)
            ask = contradictions(labels, {0: first}, {0: again}, agreeing)
            assert ask == ([0] if first != 1 and n_more < agreeing and set(again) <= {1} else [])


def test_further_answers_never_make_a_label_wrong():
    labels = np.arange(6) % 3
    first = dict(enumerate([0, 2, 2, -1, 3, 2]))
    before = wrong_labels(labels, first)
    after = wrong_labels(labels, first, {1: [1, 1], 3: [0], 4: [2, 1], 0: [2, 2]})
    assert before == {0: False, 1: True, 2: False, 3: True, 4: True, 5: False}
    assert after == {**before, 1: False}
