from itertools import pairwise
from math import exp

import numpy as np
import pytest
import scipy.sparse as sp

import labelferry
from labelferry import Blocks
from labelferry.assessment import divergence, gap, risk
from labelferry.families.divergence import cluster_counts, kl
from labelferry.linalg.bisect import bisect, means, split
from labelferry.linalg.normalize import normalize_rows_l2

from ..planted import vocabulary_shift
from ..reference import rsp as slow

FORMS = ("corrected", "paper")


def topics(shares, n_docs, seed=0, length=60, n_words=40, drawn=False):
    """Documents of topics without common words; topics have the given proportions, or are drawn with them."""
    rng = np.random.default_rng(seed)
    exact = np.searchsorted(np.cumsum(shares), (np.arange(n_docs) + 0.5) / n_docs)
    topic = rng.choice(len(shares), size=n_docs, p=shares) if drawn else exact
    counts = np.zeros((n_docs, len(shares) * n_words))
    for row, c in enumerate(topic):
        np.add.at(counts[row], c * n_words + rng.integers(n_words, size=length), 1)
    return sp.csr_array(counts)


@pytest.mark.parametrize("seed", range(5))
def test_both_forms_equal_the_loops(seed):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, 40, size=9), rng.integers(0, 40, size=9)
    assert kl(source, target, "paper") == pytest.approx(slow.lemma_1(source, target), rel=1e-12)
    assert kl(source, target) == pytest.approx(slow.kullback_leibler(source, target), rel=1e-12)


def test_corrected_form_is_zero_for_equal_proportions_and_the_printed_one_is_not():
    target = np.array([40, 80, 120])
    assert kl(target, target) == 0
    for times in (2, 5):
        source = times * (target + 0.5) - 0.5  # the same proportions, pseudo-counts included, in a larger sample
        assert kl(source, target) == pytest.approx(0, abs=1e-12)
        assert abs(kl(source, target, "paper")) > 0.1


def test_corrected_form_is_never_negative_and_not_symmetric():
    rng = np.random.default_rng(0)
    for _ in range(50):
        source, target = rng.integers(0, 30, size=(2, 6))
        assert kl(source, target) >= 0
    assert kl(np.array([90, 0]), np.array([50, 50]), pseudo_count=0) == np.inf
    for form in ("corrected", "paper"):
        assert kl(np.array([90, 10]), np.array([50, 0]), form, pseudo_count=0) < np.inf
    assert kl(np.array([90, 10]), np.array([50, 50])) != pytest.approx(kl(np.array([50, 50]), np.array([90, 10])))


def test_same_domain_is_near_and_others_are_far():
    even = topics([0.25] * 4, 400, seed=1)
    assert divergence(topics([0.25] * 4, 400), even) < 0.05
    shifted = divergence(topics([0.7, 0.1, 0.1, 0.1], 400), even)
    apart = divergence(topics([0.5, 0.5, 0, 0], 400), topics([0, 0, 0.5, 0.5], 400))
    assert 0.2 < shifted < 2 < apart


def test_bisection_finds_the_topics_whose_proportions_differ():
    source, target = cluster_counts(
        topics([0.5, 0.25, 0.25], 300), topics([0.1, 0.4, 0.5], 300, seed=1), rng=np.random.default_rng(0)
    )
    assert source.sum() == target.sum() == 300
    assert sorted(source) == [75, 75, 150]
    assert sorted(target) == [30, 120, 150]


def test_gap_has_no_noise_and_hardly_depends_on_the_sample_size():
    for n in (50, 200, 800):
        same = gap(topics([0.25] * 4, n, length=8), topics([0.25] * 4, n, seed=1, length=8))
        assert same < 0.03
    gaps = [gap(topics([0.4, 0.4, 0.2], n), topics([0.2, 0.2, 0.6], n, seed=1)) for n in (100, 400, 1600)]
    assert np.ptp(gaps) < 0.06
    assert gap(topics([1, 0], 50), topics([0, 1], 50)) == 1


def test_gap_is_unbiased():
    """The mean over many small samples is that of large ones; with plain means it is not."""
    small = [gap(topics([0.6, 0.4], 12, s, drawn=True), topics([0.4, 0.6], 12, 100 + s, drawn=True)) for s in range(60)]
    large = gap(topics([0.6, 0.4], 4000), topics([0.4, 0.6], 4000, seed=1))
    assert abs(np.mean(small) - large) < 0.05


def test_risk_is_the_papers_for_kappa_e_squared_and_increases_with_the_divergence():
    values = [risk(d, exp(2)) for d in (0, 1, 5, 7.389, 10, 50)]
    assert values == pytest.approx([slow.risk(d) for d in (0, 1, 5, 7.389, 10, 50)], rel=1e-9)
    for kappa in (0.5, 2.0, exp(2)):
        assert risk(kappa, kappa) == pytest.approx(0.5)
        curve = [risk(d, kappa) for d in np.linspace(0, 20, 50)]
        assert all(a <= b for a, b in pairwise(curve))
        assert 0 <= curve[0] < 0.001
        assert curve[-1] <= 1
    assert risk(1e6) == 1
    assert risk(-1e6) == pytest.approx(0)


def test_same_seed_same_value_and_sparse_equals_dense():
    task = vocabulary_shift(n_docs=100)
    value = divergence(task.Xs, task.Xt, random_state=3)
    assert value == divergence(task.Xs, task.Xt, random_state=3)
    assert value == pytest.approx(divergence(task.Xs.toarray(), task.Xt.toarray(), random_state=3), rel=1e-9)
    assert gap(task.Xs, task.Xt) == pytest.approx(gap(task.Xs.toarray(), task.Xt.toarray()))


@pytest.mark.parametrize("form", FORMS)
def test_unusual_input_gives_a_number(form):
    one = sp.csr_array([[1.0, 0, 0]])
    none = sp.csr_array((3, 3))
    same = sp.csr_array(np.ones((40, 3)))
    for Xs, Xt in [(one, one), (one, none), (none, none), (same, same), (same, one), (none, same)]:
        assert np.isfinite(divergence(Xs, Xt, form=form))
        assert 0 <= gap(Xs, Xt) <= 2
    assert divergence(same, same) == 0


def test_errors():
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match="same columns"):
        divergence(X, np.ones((3, 4)))
    with pytest.raises(ValueError, match="same columns"):
        gap(X, np.ones((3, 4)))
    with pytest.raises(ValueError, match="form must be"):
        divergence(X, X, form="other")
    with pytest.raises(ValueError, match="NaN"):
        gap(X, np.full((3, 2), np.nan))
    with pytest.raises(ValueError, match="kappa > 0"):
        risk(1.0, 0.0)
    with pytest.raises(ValueError, match="divergence that is a number"):
        risk(float("nan"))


def test_the_package_is_reachable_from_the_top():
    assert labelferry.assessment.gap is gap
    assert "assessment" in dir(labelferry)


def test_split_separates_two_topics_and_never_equal_rows():
    X = topics([0.5, 0.5], 80)
    first = np.asarray(X[:, :40].sum(axis=1)).ravel() > 0
    side = split(normalize_rows_l2(X), np.random.default_rng(0))
    assert (side == first).all() or (side != first).all()
    assert split(normalize_rows_l2(sp.csr_array(np.ones((20, 4)))), np.random.default_rng(0)) is None
    assert split(normalize_rows_l2(X[:1]), np.random.default_rng(0)) is None


def test_bisection_keeps_to_its_limit_and_its_means_are_means():
    Z = normalize_rows_l2(topics([0.25] * 4, 100))
    cluster = bisect(Z, lambda *_: False, rng=np.random.default_rng(0), max_clusters=7)
    assert sorted(set(cluster.tolist())) == list(range(7))
    dense = Z.toarray()
    expected = np.array([dense[cluster == c].mean(axis=0) for c in range(7)])
    np.testing.assert_allclose(means(Z, cluster).toarray(), expected, atol=1e-12)
    np.testing.assert_allclose(means(dense, cluster), expected, atol=1e-12)
    alone = bisect(Z, lambda *_: False, rng=np.random.default_rng(0))
    assert len(set(alone.tolist())) == 100


def test_errors_of_a_first_use_explain_the_call():
    X = np.eye(4)
    with pytest.raises(ValueError, match=r"risk\(divergence\(Xs, Xt\)\)"):
        risk(X, X)
    with pytest.raises(ValueError, match="X contains raw texts"):
        gap(["a text"], ["another"])


@pytest.mark.parametrize("measure", [divergence, gap])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_blocks_with_entries_that_are_no_numbers_are_an_error(measure, value):
    X = sp.csr_array(np.eye(4))
    wrong = X.copy()
    wrong.data[2] = value
    for form in (sp.csr_array, Blocks.of):
        with pytest.raises(ValueError, match=r"Input Xt contains (NaN|infinity)"):
            measure(form(X), form(wrong))
