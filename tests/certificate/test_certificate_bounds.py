"""Exact bounds: coverage by enumeration of all paths, and the properties that follow from their construction."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, hypergeom

from labelferry.certificate.betting import sum_bounds
from labelferry.certificate.bounds import (
    _design_so_far,
    count_bounds,
    count_design,
    is_look,
    spending,
)
from labelferry.certificate.interval import clopper_pearson
from labelferry.certificate.pairs import Part, accepted_pairs, cells, log_martingale, pair_ranges


def probability_of_a_miss(n, R, level):
    """Exactly: probability that the running interval misses R after any of 1, ..., n answers. Dynamic programming."""
    tail = (1 - level) / 2
    low, high = count_design(n, n, tail), count_design(n, n, tail)
    kept = np.zeros(n + 1)
    kept[0] = 1.0
    for t in range(1, n + 1):
        k = np.arange(n + 1)
        one = kept * np.clip((R - k) / (n - t + 1), 0, 1)
        kept = kept - one
        kept[1:] += one[:-1]
        kept[(k > low.limits[R, t - 1]) | (t - k > high.limits[n - R, t - 1])] = 0
    return 1 - kept.sum()


@pytest.mark.parametrize("n", [1, 2, 7, 25, 60])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_running_interval_misses_with_probability_alpha_at_most(n, level):
    misses = [probability_of_a_miss(n, R, level) for R in range(n + 1)]
    assert max(misses) <= 1 - level + 1e-9


@pytest.mark.parametrize("R", [0, 1, 3, 40, 130, 171, 250, 299, 300])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_running_interval_with_fewer_looks_misses_with_probability_alpha_at_most(R, level):
    assert probability_of_a_miss(300, R, level) <= 1 - level + 1e-9


def test_looks_are_after_every_answer_up_to_200_and_then_after_five_percent_more():
    assert [t for t in range(1, 260) if is_look(t)] == [*range(1, 201), 210, 220, 231, 242, 254]


def test_the_interval_changes_at_looks_only():
    """As long as the counts alone give no end."""
    values = np.random.default_rng(0).random((5, 600)) < 0.8
    low, high = count_bounds(values, 4000, 0.95)
    changed = (np.diff(low) != 0) | (np.diff(high) != 0)
    looks = np.array([is_look(t) for t in range(2, 601)])
    assert not changed[:, ~looks].any()
    assert changed[:, looks][:, -20:].any(axis=1).all()


@pytest.mark.parametrize("n", [45, 700])
def test_an_extended_design_equals_one_that_is_computed_at_once(n):
    sizes, tail = (3, 20, 44, 45, 310, 600), 0.03125
    parts = [count_design(n, min(m, n), tail).limits for m in sizes]
    _design_so_far.cache_clear()
    whole = count_design(n, min(sizes[-1], n), tail).limits
    for part in parts:
        np.testing.assert_array_equal(part, whole[:, : part.shape[1]])


def test_the_probability_is_spent():
    """The limits are as narrow as possible: most of alpha is used in the middle."""
    assert probability_of_a_miss(60, 30, 0.95) > 0.04


def test_interval_and_enumeration_agree():
    """The set of paths on which `count_bounds` misses has the probability that the limits give."""
    n, R, level = 9, 4, 0.8
    values = np.array([[i in chosen for i in range(n)] for chosen in _subsets(n, R)])
    low, high = count_bounds(values, n, level)
    missed = ((low > R) | (high < R)).any(axis=1).mean()
    assert missed == pytest.approx(probability_of_a_miss(n, R, level))
    assert 0 < missed <= 0.2


def _subsets(n, R):
    return list(combinations(range(n), R))


@pytest.mark.parametrize("R", [1, 14, 702, 1449, 1499])
def test_coverage_between_the_nodes_of_a_large_population(R):
    """With fewer nodes than documents, an R that is no node is covered too."""
    n, rng = 1500, np.random.default_rng(R)
    values = np.arange(n) < R
    paths = np.array([rng.permutation(values)[:60] for _ in range(400)])
    low, high = count_bounds(paths, n, 0.8)
    assert ((low <= R) & (high >= R)).all(axis=1).mean() >= 0.8
    assert R not in count_design(n, 60, 0.1).nodes
    assert n - R not in count_design(n, 60, 0.1).nodes
    assert set(low.ravel()) <= {0, *(count_design(n, 60, 0.1).nodes + 1), *range(61)}  # all R up to a rejected node


@given(
    st.integers(1, 80).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.booleans(), min_size=1, max_size=n), st.floats(0.5, 0.999))
    )
)
@settings(max_examples=60, deadline=None)
def test_bounds_are_monotone_and_possible(case):
    n, values, level = case
    level = round(level, 2)
    low, high = count_bounds(np.array([values]), n, level)
    k, t = np.cumsum(values), np.arange(1, len(values) + 1)
    assert ((np.diff(low[0]) >= 0) | (low[0] == n - t + k)[1:]).all()  # what answers refute is taken back
    assert ((np.diff(high[0]) <= 0) | (high[0] == k)[1:]).all()
    assert ((low[0] >= k) & (low[0] <= n - t + k)).all()
    assert ((high[0] <= n - t + k) & (high[0] >= k)).all()


def test_all_answered_is_a_point():
    values = np.array([[True, False, True, True, False]])
    low, high = count_bounds(values, 5, 0.95)
    assert (low[0, -1], high[0, -1]) == (3, 3)
    rng = np.random.default_rng(0)
    orders = np.stack([rng.permutation(np.arange(60) < 45) for _ in range(400)])
    ends = [count_bounds(orders[:, :m], 60, 0.9) for m in (59, 60)]
    assert (ends[1][0][:, -1] == 45).all()  # whatever was rejected on the way
    assert (ends[1][1][:, -1] == 45).all()
    assert any((low[:, -1] > 45).any() or (high[:, -1] < 45).any() for low, high in ends[:1])


def test_swapping_the_property_swaps_the_ends():
    values = np.random.default_rng(0).random((20, 30)) < 0.8
    low, high = count_bounds(values, 200, 0.95)
    other_low, other_high = count_bounds(~values, 200, 0.95)
    np.testing.assert_array_equal(low, 200 - other_high)
    np.testing.assert_array_equal(high, 200 - other_low)


def test_a_higher_level_is_wider_and_more_answers_are_narrower():
    values = np.tile([True, True, True, True, False], 16)[None]
    narrow, wide = (np.subtract(*count_bounds(values, 1000, level)[::-1])[0] for level in (0.8, 0.99))
    assert (narrow[10:] < wide[10:]).all()
    assert wide[79] < wide[39] < wide[19]


def test_unclear_answers_count_against_both_ends():
    values = np.tile([True, True, True, False], 10)[None]
    unclear = np.zeros(values.shape, dtype=bool)
    unclear[0, [5, 17]] = True
    low, high = count_bounds(values, 300, 0.95, unclear)
    for truth in ([False, False], [True, False], [False, True], [True, True]):
        resolved = values.copy()
        resolved[0, [5, 17]] = truth
        clear_low, clear_high = count_bounds(resolved, 300, 0.95)
        assert (low <= clear_low).all()
        assert (high >= clear_high).all()
    assert (low < clear_low).any()


def test_spending_is_one_at_the_end():
    assert spending(50, 50) == pytest.approx(1)
    assert spending(20, 10**9) == pytest.approx(0.5)


@pytest.mark.parametrize(("k", "t"), [(0, 10), (3, 10), (10, 10), (38, 40)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_clopper_pearson_equals_scipy(k, t, level):
    low, high = clopper_pearson(k, t, level)
    expected = binomtest(k, t).proportion_ci(level, "exact")
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high))


def test_clopper_pearson_does_not_hold_after_every_answer():
    """The reason for this package: 95% intervals, read after each of 80 answers."""
    rng = np.random.default_rng(0)
    paths = np.array([rng.permutation(np.arange(1000) < 850)[:80] for _ in range(2000)])
    low, high = clopper_pearson(paths.cumsum(axis=1), np.arange(1, 81))
    assert ((low <= 0.85) & (high >= 0.85)).all(axis=1).mean() < 0.88
    low, high = count_bounds(paths, 1000, 0.95)
    assert ((low <= 850) & (high >= 850)).all(axis=1).mean() >= 0.94


# -- two numbers of mistakes -------------------------------------------------------------------------------------------


def expected_martingale(n, mistakes, t, error):
    """Mean of the martingale over all samples of size t."""
    k = np.arange(max(0, t - n + mistakes), min(t, mistakes) + 1)
    values = [np.exp(log_martingale(Part(n, t, int(i), error), np.array(mistakes))) for i in k]
    return float(np.sum(hypergeom.pmf(k, n, mistakes, t) * values))


@pytest.mark.parametrize("error", [0.02, 0.12, 0.5])
@pytest.mark.parametrize("mistakes", [0, 1, 5, 12])
def test_the_martingale_has_mean_one_at_most(mistakes, error):
    """Equal to one where every sample is possible; the prior also expects samples that are not."""
    for t in (1, 4, 12):
        assert expected_martingale(12, mistakes, t, error) <= 1 + 1e-9
    assert expected_martingale(12, 5, 3, error) == pytest.approx(1)


@given(st.integers(1, 12), st.integers(1, 12), st.data())
@settings(max_examples=60, deadline=None)
def test_ranges_equal_those_of_all_pairs(n1, n2, data):
    t1, t2 = data.draw(st.integers(0, n1)), data.draw(st.integers(0, n2))
    first = Part(n1, t1, data.draw(st.integers(0, t1)))
    second = Part(n2, t2, data.draw(st.integers(0, t2)))
    one, two = log_martingale(first, np.arange(n1 + 1)), log_martingale(second, np.arange(n2 + 1))
    left = [(F, G) for F in range(n1 + 1) for G in range(n2 + 1) if one[F] + two[G] < np.log(1 / 0.2) - 1e-12]
    ranges = pair_ranges(first, second, 0.8)
    if left:
        differences = [G - F for F, G in left]
        assert ranges.difference == (min(differences), max(differences))
        recalls = [(n1 - F) / (n1 - F + G) for F, G in left if n1 - F + G]
        if len(recalls) == len(left):
            assert ranges.recall == pytest.approx((min(recalls), max(recalls)))
    else:
        assert len(accepted_pairs(first, second, 0.8)[0]) == 0
        assert ranges.difference[0] > ranges.difference[1]


def all_meanings(first, second, level, known=0):
    """Ends over all meanings of the unclear answers, one by one."""
    ranges = [
        pair_ranges(
            first._replace(mistakes=first.mistakes + a, unclear=0),
            second._replace(mistakes=second.mistakes + b, unclear=0), level, known,
        )
        for a in range(first.unclear + 1)
        for b in range(second.unclear + 1)
    ]  # fmt: skip
    differences, recalls = np.array([r.difference for r in ranges]), np.array([r.recall for r in ranges])
    return [(table[:, 0].min(), table[:, 1].max()) for table in (differences, recalls)]


def draw_part(data, n):
    t = data.draw(st.integers(0, n))
    unclear = data.draw(st.integers(0, t))
    return Part(n, t, data.draw(st.integers(0, t - unclear)), data.draw(st.sampled_from([0.02, 0.12, 0.5])), unclear)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2), st.data())
@settings(max_examples=150, deadline=None)
def test_unclear_answers_give_the_ends_over_all_their_meanings(n1, n2, known, data):
    first, second = draw_part(data, n1), draw_part(data, n2)
    ranges = pair_ranges(first, second, 0.8, known)
    difference, recall = all_meanings(first, second, 0.8, known)
    assert ranges.difference == difference
    assert ranges.recall == pytest.approx(recall)


@pytest.mark.parametrize("unclear", [(0, 9), (7, 0), (6, 8), (20, 25)])
def test_cells_with_unclear_answers_contain_the_exact_ends(unclear, monkeypatch):
    """Never narrower than with one number of mistakes per cell, never wider than with all meanings one by one."""
    first, second = Part(900, 20, 0, unclear=unclear[0]), Part(1300, 25, 0, unclear=unclear[1])
    exact = pair_ranges(first, second, 0.9)
    pair_ranges.cache_clear()
    cells.cache_clear()
    monkeypatch.setattr("labelferry.certificate.pairs.MAX_CELLS", 300)
    coarse, (difference, recall) = pair_ranges(first, second, 0.9), all_meanings(first, second, 0.9)
    pair_ranges.cache_clear()
    cells.cache_clear()
    assert difference[0] <= coarse.difference[0] <= exact.difference[0]
    assert difference[1] >= coarse.difference[1] >= exact.difference[1]
    assert recall[0] <= coarse.recall[0] <= exact.recall[0]
    assert recall[1] >= coarse.recall[1] >= exact.recall[1]


def test_all_documents_answered_leave_one_pair():
    ranges = pair_ranges(Part(6, 6, 2), Part(4, 4, 1), 0.95)
    assert ranges.difference == (-1, -1)
    assert ranges.recall == pytest.approx((4 / 5, 4 / 5))


@pytest.mark.parametrize(("F", "G"), [(0, 0), (2, 7), (10, 1), (15, 15)])
def test_the_true_pair_is_rejected_with_probability_alpha_at_most(F, G):
    """All paths of two parts of 15 documents: exact, by dynamic programming over both samples together."""
    n, alpha = 15, 0.2
    tables = {
        (t, k, true): float(log_martingale(Part(n, t, k), np.array(true)))
        for true in (F, G)
        for t in range(n + 1)
        for k in range(t + 1)
    }
    kept = {(0, 0, 0, 0): 1.0}  # t_1, u, t_2, v
    for step in range(2 * n):
        following = {}
        for (t1, u, t2, v), p in kept.items():
            left1, left2 = n - t1, n - t2
            moves = [
                ((t1 + 1, u + 1, t2, v), (F - u)),
                ((t1 + 1, u, t2, v), left1 - (F - u)),
                ((t1, u, t2 + 1, v + 1), (G - v)),
                ((t1, u, t2 + 1, v), left2 - (G - v)),
            ]
            for state, weight in moves:
                if weight > 0:
                    following[state] = following.get(state, 0) + p * weight / (2 * n - step)
        kept = {s: p for s, p in following.items() if tables[*s[:2], F] + tables[*s[2:], G] < np.log(1 / alpha)}
    assert 1 - sum(kept.values()) <= alpha


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Part(900, 20, 0), Part(1300, 25, 0)),
        (Part(900, 20, 3), Part(1300, 25, 9)),
        (Part(900, 20, 20), Part(1300, 1, 1)),
        (Part(900, 0, 0), Part(1300, 700, 2)),
        (Part(901, 850, 400), Part(1300, 1290, 1200)),
    ],
)
def test_cells_give_a_slightly_wider_range(first, second, monkeypatch):
    """A part with more numbers of mistakes than cells: never narrower, wider by a few cells."""
    exact = pair_ranges(first, second, 0.9)
    pair_ranges.cache_clear()
    cells.cache_clear()
    monkeypatch.setattr("labelferry.certificate.pairs.MAX_CELLS", 300)
    coarse = pair_ranges(first, second, 0.9)
    pair_ranges.cache_clear()
    cells.cache_clear()
    assert exact.difference[0] - 30 <= coarse.difference[0] <= exact.difference[0]
    assert exact.difference[1] + 30 >= coarse.difference[1] >= exact.difference[1]
    assert exact.recall[0] - 0.05 <= coarse.recall[0] <= exact.recall[0]
    assert exact.recall[1] + 0.05 >= coarse.recall[1] >= exact.recall[1]


# -- bets --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [(0, 0), (3, 9), (6, 6), (12, 0), (2, 3)])
def test_bets_miss_with_probability_alpha_at_most(counts):
    minus, plus = counts
    n, rng = 14, np.random.default_rng(minus)
    values = np.r_[-np.ones(minus, int), np.ones(plus, int), np.zeros(n - minus - plus, int)]
    x = np.array([rng.permutation(values) for _ in range(1500)])
    low, high = sum_bounds(x, n, 0.8)
    total = plus - minus
    assert ((low <= total) & (total <= high)).all(axis=1).mean() >= 0.8
    assert (low[:, -1] == total).all()
    assert (high[:, -1] == total).all()


def test_bets_are_monotone_and_symmetric():
    x = np.random.default_rng(1).integers(-1, 2, (30, 40))
    low, high = sum_bounds(x, 400, 0.95)
    assert (np.diff(low, axis=1) >= 0).all()
    assert (np.diff(high, axis=1) <= 0).all()
    other_low, other_high = sum_bounds(-x, 400, 0.95)
    np.testing.assert_array_equal(low, -other_high)
    np.testing.assert_array_equal(high, -other_low)


def orders(minus, plus, zero):
    """All different orders of the values, equally likely."""
    n, rows = minus + plus + zero, []
    for first in combinations(range(n), minus):
        for second in combinations([i for i in range(n) if i not in first], plus):
            rows.append([-1 if i in first else int(i in second) for i in range(n)])
    return np.array(rows)


@pytest.mark.parametrize("level", [0.5, 0.8])
@pytest.mark.parametrize("counts", [(m, p, 7 - m - p) for m in (0, 2, 3, 6) for p in range(0, 8 - m, 2)])
def test_bets_with_unclear_answers_miss_with_probability_alpha_at_most(counts, level):
    """Exact: all orders, and for each order the choice of the unclear answers that misses, if there is one.

    This includes every rule by which answers can be unclear, also one that uses the true values and the order.
    """
    x, n, total = orders(*counts), 7, counts[1] - counts[0]
    missed = np.zeros((2, len(x)), dtype=bool)
    for bits in range(2**n):
        unclear = np.broadcast_to([bits >> i & 1 == 1 for i in range(n)], x.shape)
        low, high = sum_bounds(x, n, level, unclear)
        missed |= [(low > total).any(axis=1), (high < total).any(axis=1)]
    assert (missed.mean(axis=1) <= (1 - level) / 2 + 1e-12).all()


@pytest.mark.parametrize(("minus", "plus"), [(3, 9), (6, 6), (10, 2), (1, 3)])
def test_a_late_unclear_answer_does_not_add_to_the_misses(minus, plus):
    """12 documents, all orders: one unclear answer at any place, chosen after all values are known."""
    x, total = orders(minus, plus, 12 - minus - plus), plus - minus
    missed = np.zeros((2, len(x)), dtype=bool)
    for place in range(12):
        low, high = sum_bounds(x, 12, 0.7, np.broadcast_to(np.arange(12) == place, x.shape))
        missed |= [(low > total).any(axis=1), (high < total).any(axis=1)]
    assert (missed.mean(axis=1) <= 0.15).all()


@given(st.lists(st.sampled_from([-1, 0, 1, 9]), min_size=1, max_size=30), st.integers(30, 500))
@settings(max_examples=60, deadline=None)
def test_an_unclear_answer_never_widens_the_interval(answers, n):
    """Computed after each answer from the answers so far, as it is reported."""
    unclear = np.array([[answer == 9 for answer in answers]])
    x = np.where(unclear, 0, answers)
    low, high = sum_bounds(x, n, 0.9, unclear)
    for t in range(1, len(answers) + 1):
        low_t, high_t = sum_bounds(x[:, :t], n, 0.9, unclear[:, :t])
        assert (low_t[0, -1], high_t[0, -1]) == (low[0, t - 1], high[0, t - 1])
    assert (np.diff(low)[unclear[:, 1:]] >= 0).all()
    assert (np.diff(high)[unclear[:, 1:]] <= 0).all()


def test_an_unclear_answer_after_many_wins_keeps_the_lower_end():
    x, unclear = np.array([[1] * 14 + [0]]), np.array([[False] * 14 + [True]])
    low, _ = sum_bounds(x, 300, 0.95, unclear)
    assert low[0, 14] == low[0, 13] == sum_bounds(x[:, :14], 300, 0.95)[0][0, 13] > 0


def test_unclear_scores_widen_both_ends():
    x = np.tile([1, 1, 0, 1, -1], 8)[None]
    unclear = np.zeros(x.shape, dtype=bool)
    unclear[0, [3, 21]] = True
    low, high = sum_bounds(x, 120, 0.9, unclear)
    for truth in ([-1, -1], [0, 1], [1, 1]):
        resolved = x.copy()
        resolved[0, [3, 21]] = truth
        clear_low, clear_high = sum_bounds(resolved, 120, 0.9)
        assert (high >= clear_high).all()
        assert (low <= clear_low).all()
