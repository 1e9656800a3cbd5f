"""Documents of a class that the source lacks: planted topics, and the ways in which nothing must be marked."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import binom

from labelferry import AutoTransfer
from labelferry.assessment.calibration import load_calibration
from labelferry.assessment.facts import target_facts
from labelferry.assessment.new_classes import (
    MIN_DOCUMENTS,
    MIN_SHARE,
    NOT_MARKED,
    Clusters,
    NewClassCoefficients,
    mark_documents,
    measure_clusters,
    scores,
    show_no_new_class,
    statistic,
)
from labelferry.assessment.words import group_words
from labelferry.core.domains import Domains
from labelferry_bench.trust.calibrate import MAX_ALARMS, fit_new_classes

from ..planted import vocabulary_shift

LIMITS = load_calibration().new_classes
TASK = vocabulary_shift(n_classes=4, n_docs=240, common=0.3)
HIDDEN = 3
KNOWN = TASK.ys != HIDDEN


def groups(Xs, ys, Xt, n_classes=None):
    clusters = measure_clusters(Xs, ys, Xt, n_classes or int(ys.max()) + 1)
    return mark_documents(clusters, LIMITS, Xt.shape[0])


@pytest.fixture(scope="module")
def hidden():
    """A quarter of the target has a class that the source lacks."""
    return groups(TASK.Xs[KNOWN], TASK.ys[KNOWN], TASK.Xt)


def test_a_hidden_class_is_found(hidden):
    marked = hidden != NOT_MARKED
    assert marked[TASK.yt == HIDDEN].mean() > 0.9
    assert (TASK.yt[marked] == HIDDEN).mean() > 0.9
    assert sorted(set(hidden[marked])) == list(range(hidden.max() + 1))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_complete_task_is_not_flagged(n_classes, seed):
    task = vocabulary_shift(n_classes=n_classes, n_docs=240, common=0.3, seed=seed)
    assert (groups(task.Xs, task.ys, task.Xt) == NOT_MARKED).all()


def test_other_class_proportions_are_not_a_new_class():
    task = vocabulary_shift(n_classes=3, n_docs=240, common=0.3, target_balance=(0.8, 0.1, 0.1))
    assert (groups(task.Xs, task.ys, task.Xt) == NOT_MARKED).all()


def test_the_order_of_rows_and_classes_does_not_matter(hidden):
    rng = np.random.default_rng(0)
    rows, new = rng.permutation(np.flatnonzero(KNOWN)), rng.permutation(TASK.Xt.shape[0])
    again = groups(TASK.Xs[rows], np.array([2, 0, 1, -1])[TASK.ys[rows]], TASK.Xt[new])
    assert ((again != NOT_MARKED) == (hidden[new] != NOT_MARKED)).mean() > 0.98


def test_dense_documents_are_the_same(hidden):
    dense = groups(TASK.Xs[KNOWN].toarray(), TASK.ys[KNOWN], TASK.Xt.toarray())
    np.testing.assert_array_equal(dense, hidden)


@pytest.mark.parametrize("n", [0, 1, 5, MIN_DOCUMENTS - 1])
def test_few_documents_are_not_measured(n):
    clusters = measure_clusters(TASK.Xs, TASK.ys, TASK.Xt[:n], 4)
    assert len(clusters.cluster) == 0
    assert statistic(clusters, LIMITS) == -np.inf
    assert (mark_documents(clusters, LIMITS, n) == NOT_MARKED).all()


@pytest.mark.parametrize(
    "Xt", [sp.csr_array((40, 50)), sp.csr_array(-np.ones((40, 50))), sp.csr_array(np.ones((40, 2)))]
)
def test_nothing_to_measure(Xt):
    """No words, values below 0, two words."""
    Xs = sp.csr_array(np.ones((10, Xt.shape[1])))
    assert (groups(Xs, np.arange(10) % 2, Xt) == NOT_MARKED).all()


def test_equal_documents_are_one_cluster():
    Xt = sp.csr_array(np.tile([1.0, 2, 0, 1], (40, 1)))
    clusters = measure_clusters(sp.csr_array(np.eye(4)), np.array([0, 0, 1, 1]), Xt, 2)
    assert clusters.contrasts.shape == (1, 2)
    np.testing.assert_allclose(clusters.contrasts, 0, atol=1e-9)


def test_a_class_without_labelled_documents():
    assert np.isfinite(measure_clusters(TASK.Xs[KNOWN], TASK.ys[KNOWN], TASK.Xt, 4).contrasts).all()


def planted_clusters(values, sizes=(60, 25, 15)):
    return Clusters(np.repeat(np.arange(len(sizes)), sizes), np.array([[v, 0.0] for v in values]))


def test_scores_are_sums_of_scaled_contrasts():
    c = NewClassCoefficients(2.0, 4.0, 1.0)
    np.testing.assert_allclose(scores(np.array([[1.0, 2.0], [-2.0, 4.0]]), c), [1.0, 0.0])


def test_groups_are_numbered_by_falling_score():
    group = mark_documents(planted_clusters([0.0, 2.0, 3.0]), NewClassCoefficients(1, 1, 1.0), 100)
    assert group.tolist() == [NOT_MARKED] * 60 + [1] * 25 + [0] * 15


def test_a_small_group_is_not_marked():
    """15% of the documents are above the limit, less than MIN_SHARE."""
    clusters, c = planted_clusters([0.0, 0.5, 3.0]), NewClassCoefficients(1, 1, 1.0)
    assert 0.15 < MIN_SHARE <= 0.4
    assert statistic(clusters, c) == 0.5
    assert (mark_documents(clusters, c, 100) == NOT_MARKED).all()


def test_the_limit_is_exceeded_on_few_complete_tasks():
    rng = np.random.default_rng(0)
    tasks = [planted_clusters(rng.normal(size=3)) for _ in range(300)]
    c = fit_new_classes(tasks, np.repeat(["a", "b", "c"], 100))
    flagged = np.mean([statistic(task, c) > c.limit for task in tasks])
    assert MAX_ALARMS - 0.01 < flagged <= MAX_ALARMS
    assert c.likelihood_scale == pytest.approx(1, abs=0.15)


def test_without_measurements_nothing_is_marked():
    nothing = measure_clusters(TASK.Xs, TASK.ys, TASK.Xt[:5], 4)
    c = fit_new_classes([nothing], np.array(["a"]))
    assert (mark_documents(planted_clusters([0.0, 9.0, 9.0]), c, 100) == NOT_MARKED).all()


def test_the_bound_of_answers_is_exact():
    """Of documents of which more than half of a marked share is of a new class, at most 5% of samples show none."""
    for share in (0.05, 0.2, 0.5, 1.0):
        n = next(n for n in range(1, 1000) if show_no_new_class(n, 0, share))
        assert binom.pmf(0, n, share / 2) < 0.05 <= binom.pmf(0, n - 1, share / 2)
        assert not show_no_new_class(n, 1, share)
    assert not show_no_new_class(0, 0, 1.0)


# -- in the answer -----------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def auto():
    fitted = AutoTransfer(random_state=0)
    fitted.transfer(TASK.Xs[KNOWN], TASK.ys[KNOWN], TASK.Xt)
    return fitted


def test_the_verdict_knows(auto, hidden):
    np.testing.assert_array_equal(auto.groups_, hidden)
    np.testing.assert_array_equal(auto.none_of_these_, hidden != NOT_MARKED)
    assert auto.needs_review_[auto.none_of_these_].all()
    assert auto.verdict_.level != "safe"
    fact = next(fact for fact in auto.facts_ if fact.name == "documents of no class")
    share = f"{auto.none_of_these_.sum()} new documents ({auto.none_of_these_.mean():.0%})"
    assert fact.sentence.startswith(f"{share} may fit no class: read 10 with none_of_these true.")


def test_a_given_label_is_not_marked(hidden):
    """The user knows the class of these documents."""
    y = np.concatenate([TASK.ys[KNOWN], np.full(len(TASK.yt), -1)])
    given = np.flatnonzero(hidden != NOT_MARKED)[:5]
    y[KNOWN.sum() + given] = 0
    X = sp.csr_array(sp.vstack([TASK.Xs[KNOWN], TASK.Xt]))
    domain = np.repeat([1, -2], [KNOWN.sum(), len(TASK.yt)])
    fitted = AutoTransfer(random_state=0).fit(X, y, domain, use_target_labels=True)
    assert not fitted.none_of_these_[given].any()
    assert fitted.none_of_these_.any()


def test_documents_without_words_are_not_marked():
    Xt = sp.csr_array(sp.vstack([TASK.Xt, sp.csr_array((3, TASK.Xt.shape[1]))]))
    fitted = AutoTransfer(random_state=0)
    fitted.transfer(TASK.Xs[KNOWN], TASK.ys[KNOWN], Xt)
    assert len(fitted.none_of_these_) == Xt.shape[0]
    assert not fitted.none_of_these_[-3:].any()


def test_words_of_a_group_are_those_of_the_hidden_class(hidden):
    domains = Domains.from_blocks([("source", TASK.Xs[KNOWN], TASK.ys[KNOWN])], ("target", TASK.Xt), estimator="test")
    assert len(target_facts(domains).cluster) == TASK.Xt.shape[0]
    words = np.arange(TASK.Xt.shape[1]).astype(str)
    typical = group_words(domains, hidden, words)
    assert len(typical) == hidden.max() + 1
    first = HIDDEN * 3 * 30
    assert all(first <= int(word) < first + 90 for group in typical for word in group)
    assert group_words(domains, np.full(len(hidden), NOT_MARKED), words) == []
