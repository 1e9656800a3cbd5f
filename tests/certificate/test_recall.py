"""The bound of recall: closed forms, a slow twin, and the exact probability of a false claim by enumeration."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelferry.certificate import recall
from labelferry.certificate.recall import BETS, SHARED, SHARES, Draw, bet, largest_total, no_draws
from labelferry.certificate.search import Read, Search, draws_next, search_order, search_state
from labelferry.certificate.search_plan import plan_search

from .worst_search import POLICIES, READERS, claims_too_much, false_claims


def wealth_by_hand(draws, n, m):
    """The capital of one total, draw by draw, in fractions."""
    bets, shares = ([Fraction(float(x)).limit_denominator(100) for x in row[:, 0]] for row in (BETS, SHARES))
    part = Fraction(SHARED).limit_denominator(1000)
    wealth, path = list(shares), []
    for draw in draws:
        q = min(max(Fraction(m - draw.found, draw.unread), Fraction(0)), Fraction(1))
        if q == 1 and not draw.positive:
            return [*path, None]
        wealth = [w * (k if draw.positive else (1 - k * q) / (1 - q)) for w, k in zip(wealth, bets, strict=True)]
        total = sum(wealth)
        path.append(total)
        wealth = [(1 - part) * w + part * share * total for w, share in zip(wealth, shares, strict=True)]
    return path


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 5), st.sampled_from([0.5, 0.8, 0.95]))
def test_slow_twin(labels, before, level):
    """All totals at once are each total alone, in fractions."""
    n = 20
    draws, found = [], before
    for i, label in enumerate(labels):
        draws.append(Draw(found, n - before - i, label))
        found += label
    excluded = set()
    for m in range(n + 1):
        path = wealth_by_hand(draws, n, m)
        if any(total is None or total > (1 + Fraction(1, 10**8)) / Fraction(1 - level) for total in path):
            excluded.add(m)
    assert largest_total(draws, n, level) == max(set(range(n + 1)) - excluded, default=-1)


@pytest.mark.parametrize(("n", "total"), [(12, 0), (12, 1), (12, 5), (12, 12), (7, 3)])
def test_the_capital_of_the_true_total_has_mean_one(n, total):
    """Over all orders of the file, after every number of draws; at most one when only documents of it can be left."""
    means = np.zeros(n + 1)
    for places in combinations(range(n), total):
        capital, found = no_draws(n), 0
        for i in range(n):
            positive = i in places
            capital = bet(capital, Draw(found, n - i, positive), level=1 - 1e-15)  # nothing is excluded
            means[i + 1] += capital.wealth[:, total].sum() if capital.largest >= total else 0
            found += positive
    means /= comb(n, total)
    sure = n - total  # after so many draws q can be 1
    assert means[1 : sure + 1] == pytest.approx(np.ones(sure), rel=1e-9)
    assert (means[sure + 1 :] <= 1 + 1e-9).all()


def test_draws_without_one_of_the_class_multiply_as_a_hypergeometric_probability(monkeypatch):
    """With the bettor k = 0 alone, m is excluded when the probability to miss its documents is below alpha."""
    monkeypatch.setattr(recall, "BETS", np.zeros((1, 1)))
    monkeypatch.setattr(recall, "SHARES", np.ones((1, 1)))
    u, f, n, alpha = 80, 20, 100, 0.05
    for t in range(1, 81):
        most = largest_total([Draw(f, u - i, positive=False) for i in range(t)], n, 1 - alpha)
        missed = [r for r in range(u + 1) if comb(u - r, t) / comb(u, t) >= alpha * (1 - 1e-9)]
        assert most == f + max(missed)


def test_all_read_is_all_found():
    for total in (0, 1, 7, 40):
        order = search_order(40, 3, 1)
        search = search_state([Read(row, row < total, row < total) for row in range(40)], order)
        assert (search.at_most, search.found().recall_at_least) == (total, 1.0)


def test_a_refuted_bound_is_withdrawn():
    """Draws that missed all documents of the class, which are then found: the counts alone count."""
    search = Search(np.arange(100), policy=lambda hits, n: 98 if len(hits) == 1 else 0)
    for row in range(98):
        search.add(Read(row, False, False))
    assert search.at_most == 0  # a false claim, as unlikely as it is said to be
    search.add(Read(98, True, True))
    assert search.at_most == 2


# -- the probability of a false claim ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("policy", "reader"), list(product(POLICIES, READERS)))
def test_no_reader_makes_false_claims_more_often_than_allowed(policy, reader):
    """The exact probability: all orders of 5 documents, for every total."""
    for level, total in product((0.5, 0.75), range(6)):
        truth = [row < total for row in range(5)]
        false = [
            claims_too_much(POLICIES[policy], READERS[reader], truth, np.array(order), level)
            for order in permutations(range(5))
        ]
        assert np.mean(false) <= 1 - level + 1e-12


def test_the_enumeration_can_fail():
    """A reader who knows the order makes false claims: the draws are not random for him."""

    def cheat(search, truth):
        ahead = [int(row) for row in search.order if truth[row] and not search.is_read(int(row))]
        now = next(iter(search.waiting), None)
        if now is not None:
            return now
        return ahead[0] if len(ahead) > 1 else next(r for r in range(7) if not search.is_read(r))

    def policy(hits, n):  # draws as soon as one of the class is left
        return 1 if hits[-1] >= 2 else 0

    truth = [True, True, True, False, False, False, False]
    false = [claims_too_much(policy, cheat, truth, np.array(order), 0.5) for order in permutations(range(7))]
    assert np.mean(false) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "total", "policy", "reader"),
    [
        (20, 4, "after a miss", "the worst order"),
        pytest.param(60, 3, "one draw after another", "draws of the class wait", marks=pytest.mark.system),
        (60, 3, "as the product", "the worst order"),
    ],
)
def test_at_the_limit(n, total, policy, reader):
    """More than half of alpha is spent, and not more than alpha: three standard errors of 4,000 paths are .0103."""
    assert 0.02 < false_claims(POLICIES[policy], READERS[reader], n, total, 4_000) < 0.0604


# -- unclear answers --------------------------------------------------------------------------------------------------
@given(st.data())
def test_unclear_answers_are_on_the_safe_side(data):
    """Whatever an unclear document is in truth, less is claimed than by a person who knew it."""
    n = 40
    truth = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    hidden = data.draw(st.sets(st.integers(0, n - 1), max_size=5))
    n_read = data.draw(st.integers(0, n))
    order, rows = search_order(n, data.draw(st.integers(0, 50)), 1), range(n)

    def state(finals):
        return search_state((Read(row, truth[row], finals[row]) for row in list(rows)[:n_read]), order).found()

    clear, unclear = state(truth), state([None if row in hidden else truth[row] for row in rows])
    assert unclear.recall_at_least <= clear.recall_at_least
    assert unclear.waiting == clear.waiting  # draws depend on first answers only


# -- the search -------------------------------------------------------------------------------------------------------
def simulate(truth, order, ranking, n_read, level=0.95):
    """What a person does; returns the reads."""
    search, reads = Search(order, level), []
    while len(reads) < n_read:
        row = next(iter(search.waiting), None)
        row = next(row for row in ranking if not search.is_read(row)) if row is None else row
        reads.append(Read(row, bool(truth[row]), bool(truth[row])))
        search.add(reads[-1])
    return reads


def planted(n=600, share=0.2, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    score = 3 * truth + rng.normal(size=n)
    return truth, search_order(n, seed, 5), np.argsort(-score).tolist(), score


def test_a_search_depends_on_the_first_answers_only():
    truth, order, ranking, _ = planted()
    reads = simulate(truth, order, ranking, 500)
    whole = search_state(reads, order)
    for i in (3, 120, 333):  # a correction of an early answer changes counts, not the draws
        changed = [*reads]
        changed[i] = reads[i]._replace(final=not reads[i].final)
        assert search_state(changed, order).found().waiting == whole.found().waiting
        assert search_state(changed, order).n_draws == whole.n_draws
    assert whole.n_draws > 50


def test_the_order_within_a_round_does_not_matter():
    """Two people answer the draws of a round in any order, with other documents in between: the bets are the same."""
    truth, order, ranking, _ = planted()
    reads = simulate(truth, order, ranking, 500)
    search = Search(order)
    for read in reads:
        search.add(read)
        if len(search.waiting) > 5:
            break
    before = reads[: search.n_read]
    waiting = list(search.waiting)
    draws = [Read(row, bool(truth[row]), bool(truth[row])) for row in waiting]
    forward, backward = (search_state([*before, *some], order) for some in (draws, draws[::-1]))
    assert forward.n_draws == backward.n_draws == search.n_draws + len(waiting)
    assert forward.capital.wealth == pytest.approx(backward.capital.wealth)
    others = [row for row in range(len(truth)) if not forward.is_read(row)][:3]
    between = [Read(row, bool(truth[row]), bool(truth[row])) for row in others]
    mixed = search_state([*before, draws[0], *between, *draws[1:]], order)
    assert mixed.capital.wealth == pytest.approx(forward.capital.wealth)


def test_a_draw_that_waits_stops_the_bets_and_nothing_else():
    truth, order, ranking, _ = planted()
    reads = simulate(truth, order, ranking, 500)
    search = Search(order)
    for read in reads:
        search.add(read)
        if search.waiting:
            break
    first, *others = search.waiting
    before = search.n_draws
    for row in others:
        search.add(Read(row, bool(truth[row]), bool(truth[row])))
    for row in [row for row in ranking if not search.is_read(row) and row != first][:20]:
        search.add(Read(row, bool(truth[row]), bool(truth[row])))
    assert (search.n_draws, list(search.waiting)) == (before, [first])
    search.add(Read(first, bool(truth[first]), bool(truth[first])))
    assert search.n_draws == before + 1 + len(others)


def test_every_state_is_that_of_a_new_process():
    """Replayed from the beginning, the search is the same after each read; the bound covers the truth here."""
    truth, order, ranking, _ = planted(300)
    reads, search = simulate(truth, order, ranking, 300), Search(order)
    for i, read in enumerate(reads):
        search.add(read)
        assert search.found() == search_state(reads[: i + 1], order).found()
        assert search.at_most >= truth.sum()


def test_people_read_by_rank_first_and_at_random_later():
    hits = list(range(51))
    assert draws_next([0], 1000) == 0
    assert draws_next(hits, 1000) == 0  # every read is of the class
    assert draws_next([*hits, *[50] * 300], 1000) >= 10
    assert draws_next([0] * 1001, 1000) == 0  # nothing is left


@pytest.mark.parametrize("share", [0.02, 0.1, 0.4])
def test_plans_are_what_happens_if_the_probabilities_are_right(share):
    rng = np.random.default_rng(1)
    p = np.clip(rng.beta(0.3, 0.3 * (1 - share) / share, 1500), 0.001, 0.999)
    plans = plan_search(Search(search_order(1500, 1, 1)), p, [0.8, 0.95])
    needs = []
    for seed in range(5):
        truth = rng.random(1500) < p
        reads = simulate(truth, search_order(1500, seed, 1), np.argsort(-p).tolist(), 1500)
        search = Search(search_order(1500, seed, 1))
        for read in reads:
            search.add(read)
            if search.found().recall_at_least >= 0.95:
                break
        needs.append(search.n_read)
    assert plans[0].n_read <= plans[1].n_read <= 1500
    assert plans[1].low <= np.median(needs) * 1.15
    assert plans[1].high >= np.median(needs) * 0.85


def test_few_documents_need_most_of_the_file():
    p = np.full(500, 0.01)
    assert plan_search(Search(search_order(500, 1, 1)), p, [0.95])[0].n_read > 400
