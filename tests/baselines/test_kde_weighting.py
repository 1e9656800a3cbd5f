import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import norm
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from labelferry.baselines import KDEWeighting, SourceLR
from labelferry.baselines.kde_weighting import (
    GRID,
    coordinates,
    importance,
    log_density,
    log_density_of_others,
    log_ratios,
)
from labelferry.core.domains import read_domains
from labelferry.families.linear import fit_with_C

from ..planted import two_sources, vocabulary_shift
from ..reference import kde_weighting as slow


def covariate_shift(n=600, seed=0):
    """Documents of two words, described by their angle. The class changes at 15, 45 and 75 degrees; a line can fit at
    most two of these changes. Small angles are common in the source; the target has angles of about 75 degrees."""
    rng = np.random.default_rng(seed)

    def documents(degrees):
        angle = np.deg2rad(degrees)
        return np.column_stack([np.cos(angle), np.sin(angle)]), np.digitize(degrees, [15, 45, 75]) % 2

    return *documents(90 * (1 - np.sqrt(rng.random(n)))), *documents(np.clip(rng.normal(75, 4, n), 0, 90))


@pytest.mark.parametrize("k", [1, 3])
def test_densities_equal_the_loops(k):
    rng = np.random.default_rng(0)
    centers, at = rng.normal(size=(40, k)), rng.normal(size=(9, k))
    np.testing.assert_allclose(np.exp(log_density(centers, at)), [slow.density(centers, z) for z in at], rtol=1e-3)
    others = [slow.density_of_others(centers, i) for i in range(40)]
    np.testing.assert_allclose(np.exp(log_density_of_others(centers)), others, rtol=0.02, atol=1e-4)


def test_weights_equal_the_loops_with_one_density_per_source():
    rng = np.random.default_rng(0)
    Z = [rng.normal(size=(30, 2)), rng.normal(2, 0.5, size=(20, 2)), rng.normal(1, 1, size=(25, 2))]
    y, domain = np.arange(75) % 2, np.repeat([1, 2, -3], [30, 20, 25])
    domains = read_domains(np.vstack(Z), y, domain, estimator="")
    for flattening, max_ratio in ((1.0, 100.0), (0.5, 3.0)):
        expected = slow.weights(Z[:2], Z[2], flattening, max_ratio)
        weight = importance(log_ratios(domains, Z, 2), flattening, max_ratio)
        np.testing.assert_allclose(weight, expected, rtol=0.02)


def test_labelled_documents_of_the_target_have_density_ratio_one():
    rng = np.random.default_rng(0)
    Z = [rng.normal(size=(30, 2)), rng.normal(1, 1, size=(20, 2))]
    y, domain = np.append(np.arange(40) % 2, np.full(10, -1)), np.repeat([1, -2], [30, 20])
    domains = read_domains(np.vstack(Z), y, domain, use_target_labels=True, estimator="")
    log_ratio = log_ratios(domains, Z, 1)
    assert log_ratio.shape == (40,)
    np.testing.assert_array_equal(log_ratio[30:], 0)
    assert (log_ratio[:30] != 0).all()


def test_weighted_means_over_the_source_are_means_over_the_target():
    """The theorem behind (1): with lambda = 1 an expectation under p_s of w f is that of f under p_t."""
    rng = np.random.default_rng(0)
    zs, zt = rng.normal(0, 1, 3000), rng.normal(0.7, 0.7, 3000)
    log_ratio = log_density(zt[:, None], zs[:, None]) - log_density_of_others(zs[:, None])
    truth = norm.logpdf(zs, 0.7, 0.7) - norm.logpdf(zs)
    inside = abs(zs) < 2  # farther out there are too few documents
    assert np.corrcoef(log_ratio[inside], truth[inside])[0, 1] > 0.95
    w = importance(log_ratio, 1.0, 100.0)
    for f in (lambda z: z, np.exp, lambda z: z > 0):
        assert abs((w * f(zs)).mean() - f(zt).mean()) < 0.3 * abs(f(zs).mean() - f(zt).mean())


def test_with_equal_weights_it_is_the_source_only_classifier():
    task = vocabulary_shift(n_classes=3)
    plain = KDEWeighting(flattening=0, C=10, random_state=0)
    floor = SourceLR(class_weight=None, weighting="given")
    plain.transfer(task.Xs, task.ys, task.Xt)
    floor.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_allclose(plain.transduction_proba_, floor.transduction_proba_, rtol=1e-9)
    np.testing.assert_array_equal(plain.state_.weight[0], 1)


def test_planted_covariate_shift_is_corrected():
    """No line is correct for all angles, so the best one for the target depends on the documents that are like it."""
    Xs, ys, Xt, yt = covariate_shift()
    floor = (SourceLR(C=1000).transfer(Xs, ys, Xt) == yt).mean()
    est = KDEWeighting(flattening=1.0, C=1000, random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > max(0.9, floor + 0.2)
    near = abs(np.rad2deg(np.arctan2(Xs[:, 1], Xs[:, 0])) - 75) < 8
    assert est.state_.weight[0][near].min() > est.state_.weight[0][~near].mean()


def test_accuracy_hardly_falls_if_the_domains_overlap():
    """The words of a class are mostly common to both domains. If they are not, no source document is similar to the
    target, which is not a covariate shift, and the weights reduce the accuracy."""
    Xs, ys, Xt, yt = two_sources(seed=1, common=0.5)
    floor = (SourceLR(C=10).transfer(Xs, ys, Xt) == yt).mean()
    est = KDEWeighting(C=10, random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > floor - 0.05
    assert est.state_.weight[0].mean() == pytest.approx(1)


def test_each_target_has_its_own_weights():
    a, b = vocabulary_shift(seed=0), vocabulary_shift(seed=1, common=0.5)
    X = sp.csr_array(sp.vstack([a.Xs, a.Xt, b.Xt]))
    y, domain = np.append(a.ys, np.full(300, -1)), np.repeat([1, -2, -3], 150)
    est = KDEWeighting(C=10, random_state=0).fit(X, y, domain)
    assert len(est.state_.model) == len(est.state_.weight) == 2
    assert not np.allclose(*est.state_.weight)
    assert not np.allclose(est.predict_proba(X[:5], -2), est.predict_proba(X[:5], -3))


def test_coordinates_have_standard_deviation_one_and_constant_ones_become_zero():
    task = vocabulary_shift(n_docs=60)
    Z = coordinates(task.Xs, 5, np.random.default_rng(0))
    np.testing.assert_allclose(Z.std(axis=0), 1)
    np.testing.assert_array_equal(coordinates(np.ones((6, 3)), 2, np.random.default_rng(0)), 0)


@pytest.mark.parametrize("C", [3.0, "cv"])
@pytest.mark.parametrize("routing", [False, True])
def test_weights_are_passed_to_scikit_learn(C, routing):
    task = vocabulary_shift(n_docs=80)
    w = np.random.default_rng(0).random(80)
    model = LogisticRegression(max_iter=1000)
    search = GridSearchCV(model, {"C": list(GRID) if C == "cv" else [C]}).fit(task.Xs, task.ys, sample_weight=w)
    with config_context(enable_metadata_routing=routing):
        fit = fit_with_C(LogisticRegression(max_iter=1000), task.Xs, task.ys, C, GRID, 1.0, sample_weight=w)
    np.testing.assert_allclose(fit.model.coef, search.best_estimator_.coef_, rtol=1e-9)


@pytest.mark.parametrize("setting", [{"flattening": 1.5}, {"max_ratio": 0.5}, {"n_components": 0}])
def test_invalid_settings_are_rejected(setting):
    with pytest.raises(ValueError, match=f"'{next(iter(setting))}' parameter of KDEWeighting"):
        KDEWeighting(**setting).transfer(np.eye(4), [0, 0, 1, 1], np.eye(4))
