import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from labelferry import RSP, NormalizedCut, load
from labelferry.core.domains import read_domains
from labelferry.core.labels import UNKNOWN
from labelferry.families.divergence import kl, word_kl
from labelferry.families.partition import Points, constrained_laplacian, embed, normalized_cut
from labelferry.families.spectral import nodes
from labelferry.linalg.laplacian import LinkedDegree, MustLink, Similarity
from labelferry.methods.rsp import MUST_LINK_GRID, cluster_alone, cluster_jointly, lowest_cut_beta, spread

from ..corpora import newsgroups
from ..planted import Task, stacked, two_sources, vocabulary_shift
from ..reference import rsp as slow


def other_classes(n_docs=150, seed=0, n_words=30, length=40):
    """Two source classes, three target clusters: 0 and 1 have words in common with them, 2 is new."""
    rng = np.random.default_rng(seed)

    def documents(words_of, y):
        rows = []
        for label in y:
            own = rng.choice(words_of[label], size=int(0.6 * length))
            noise = 5 * n_words + rng.integers(2 * n_words, size=length - len(own))
            rows.append(np.bincount(np.append(own, noise), minlength=7 * n_words))
        return sp.csr_array(np.array(rows, dtype=float))

    block = [np.arange(i * n_words, (i + 1) * n_words) for i in range(5)]
    ys, yt = np.arange(n_docs) % 2, np.arange(n_docs) % 3
    Xs = documents([block[0], block[1]], ys)
    Xt = documents([np.append(block[0][:10], block[2]), np.append(block[1][:10], block[3]), block[4]], yt)
    return Task(Xs, ys, Xt, yt)


def purity(y, cluster):
    return sum(np.bincount(y[cluster == c]).max() for c in np.unique(cluster)) / len(y)


def small_problem(n=100, seed=0):
    task = vocabulary_shift(n_docs=n, seed=seed)
    X = sp.csr_array(sp.vstack([task.Xs, task.Xt]))
    nothing = np.full(n, UNKNOWN)
    own = np.random.default_rng(seed).integers(2, size=n)
    return X, np.append(task.ys, nothing), np.append(nothing, own)


@pytest.mark.parametrize("tau", [0.0, 1.0])
@pytest.mark.parametrize("R", [0.0, 0.3, 1.0])
def test_thin_equals_dense(R, tau):
    X, L, U = small_problem()
    thin = constrained_laplacian(Similarity(X, tau), [(0.6 * (1 - R), L), (0.6 * R, U)])
    dense = slow.operator(X.toarray(), L, U, R, 0.6, tau)
    np.testing.assert_allclose(thin @ np.eye(200), dense, atol=1e-8)
    e = embed(X, 4, tau=tau, rng=np.random.default_rng(0), links=[(0.6 * (1 - R), L), (0.6 * R, U)])
    values, vectors = np.linalg.eigh(dense)
    np.testing.assert_allclose(e.mu, values[:4], atol=1e-8)
    Z = e.Y * np.sqrt(e.W.degree)[:, None]
    np.testing.assert_allclose(Z @ Z.T, vectors[:, :4] @ vectors[:, :4].T, atol=1e-6)


def test_operator_is_symmetric_and_positive():
    X, L, U = small_problem(seed=1)
    T = constrained_laplacian(Similarity(X, 1.0), [(0.5, L), (0.1, U)]) @ np.eye(200)
    np.testing.assert_allclose(T, T.T, atol=1e-12)
    assert np.linalg.eigvalsh(T).min() > -1e-10


def test_partitions_that_satisfy_the_constraints_cost_nothing():
    """M x = 0 for x constant on the blocks, and x'M'M x counts the pairs that x separates."""
    _, L, U = small_problem()
    for blocks in (L, U):
        np.testing.assert_allclose(MustLink(blocks) @ np.where(blocks == 1, 3.0, -2.0), 0, atol=1e-10)
        M = slow.constraints(blocks)
        x = np.random.default_rng(0).integers(2, size=len(blocks)).astype(float)
        separated = sum(
            x[i] != x[j]
            for i, j in zip(*np.nonzero(np.triu(np.equal.outer(blocks, blocks), 1)), strict=True)
            if blocks[i] >= 0
        )
        assert x @ (MustLink(blocks) @ x) == pytest.approx(separated)
        assert np.square(M @ x).sum() == separated


def test_first_eigenvector_is_the_constant_one():
    X, L, _ = small_problem()
    e = embed(X, 2, tau=1.0, rng=np.random.default_rng(0), links=[(0.6, L)])
    assert e.mu[0] == pytest.approx(0, abs=1e-9)
    assert np.ptp(e.Y[:, 0]) < 1e-6 * abs(e.Y[0, 0])


def test_a_large_must_link_weight_moves_a_source_class_to_one_point():
    X, L, _ = small_problem()
    e = embed(X, 2, tau=1.0, rng=np.random.default_rng(0), links=[(1e4, L)])
    spread = [np.ptp(e.Y[c == L, 1]) for c in (0, 1)]
    assert max(spread) < 1e-3 * abs(e.Y[L == 0, 1].mean() - e.Y[L == 1, 1].mean())


def jointly(p, R, beta=0.6, cut="normalized", tau=1.0):
    return cluster_jointly(p, 2, R, beta=beta, cut=cut, tau=tau, rng=np.random.default_rng(0))


def small_points():
    X, L, U = small_problem()
    return Points(X, L, L == UNKNOWN, np.ones(200), np.arange(200)), U


def test_normalized_cut_equals_the_loops():
    X, L, U = small_problem()
    target = L == UNKNOWN
    W = slow.similarity(X[target].toarray(), 1.0)
    cost = normalized_cut(Similarity(X[target], 1.0), U[target])
    assert cost == pytest.approx(slow.normalized_cut(W, U[target]), rel=1e-10)


def test_must_link_cut_is_the_value_with_the_lowest_normalized_cut():
    p, _ = small_points()
    W = Similarity(p.X[p.is_target], 1.0)
    beta = lowest_cut_beta(p, 2, 0.0, cut="normalized", tau=1.0, rng=np.random.default_rng(0))
    costs = {b: normalized_cut(W, jointly(p, 0.0, b).cluster) for b in MUST_LINK_GRID}
    assert costs[beta] == pytest.approx(min(costs.values()), abs=1e-12)
    task = vocabulary_shift()
    assert (RSP(must_link="cut", risk=0.0, random_state=0).transfer(*task[:3]) == task.yt).mean() > 0.9


@pytest.mark.parametrize("R", [0.05, 0.5, 0.95, 1.0])
def test_a_given_risk_solves_the_printed_equation(R):
    """(11) for every R, with M_U from the clusters of the target alone."""
    X, L, _ = small_problem()
    p, _ = small_points()
    own = np.full(200, UNKNOWN)
    own[p.is_target] = cluster_alone(p, 2, cut="normalized", tau=1.0, rng=np.random.default_rng(0)).cluster
    dense = slow.operator(X.toarray(), L, own, R, 0.6, 1.0)
    np.testing.assert_allclose(jointly(p, R).embedding.mu, np.linalg.eigvalsh(dense)[:2], atol=1e-7)


def test_partial_transfer_recovers_the_planted_classes():
    task = vocabulary_shift()
    est = RSP(risk=0.5, random_state=0)
    assert (est.transfer(*task[:3]) == task.yt).mean() > 0.9
    assert est.transfer_ == "partial"


def test_auto_keeps_the_better_separated_clusters():
    p, _ = small_points()
    full, alone = jointly(p, 0.0), cluster_alone(p, 2, cut="normalized", tau=1.0, rng=np.random.default_rng(0))
    ones = np.ones(100)
    for c in (full, alone):
        within = sum(np.square(c.T[c.cluster == k] - c.T[c.cluster == k].mean(axis=0)).sum() for k in range(2))
        total = np.square(c.T - c.T.mean(axis=0)).sum()
        assert spread(c, ones) == pytest.approx(within / total, rel=1e-6)
    points_only = full._replace(T=full.centers[full.cluster])
    assert spread(points_only, ones) == 0
    assert spread(full._replace(T=np.ones_like(full.T)), ones) == 1
    task = other_classes()
    est = RSP(3, random_state=0)
    est.transfer(*task[:3])
    assert est.transfer_ in ("full", "none")
    same = RSP(3, risk={"full": 0.0, "none": None}[est.transfer_], random_state=0)
    same.transfer(*task[:3])
    assert adjusted_rand_score(est.cluster_, same.cluster_) == 1


def test_minmax_cut():
    """y'Ay / y'Wy is minimal; without links the vectors are those of the normalized cut."""
    X, L, _ = small_problem()
    W = slow.similarity(X.toarray(), 1.0)
    D, M = np.diag(W.sum(axis=1)), slow.constraints(L)
    e = embed(X, 3, tau=1.0, rng=np.random.default_rng(0), links=[(0.6, L)], cut="minmax")
    theta = np.sort(np.linalg.eigvals(np.linalg.solve(D + 0.6 * M.T @ M, W)).real)[::-1][:3]
    np.testing.assert_allclose(1 - e.mu, theta, atol=1e-8)
    A = D - W + 0.6 * M.T @ M
    for y, t in zip(e.Y.T, theta, strict=True):
        assert y @ A @ y / (y @ W @ y) == pytest.approx(1 / t - 1, abs=1e-8)
    plain, minmax = (embed(X, 2, tau=1.0, rng=np.random.default_rng(0), cut=cut) for cut in ("normalized", "minmax"))
    np.testing.assert_allclose(plain.mu, minmax.mu, atol=1e-8)
    task = vocabulary_shift(n_docs=300)
    assert (RSP(cut="minmax", risk=0.0, random_state=0).transfer(*task[:3]) == task.yt).mean() > 0.9


def test_linked_degree_equals_dense_and_its_inverse():
    X, L, U = small_problem()
    d = Similarity(X, 1.0).degree
    B = LinkedDegree(d, [(0.4, L), (0.2, U)])
    M_L, M_U = slow.constraints(L), slow.constraints(U)
    dense = np.diag(d) + 0.4 * M_L.T @ M_L + 0.2 * M_U.T @ M_U
    Y = np.random.default_rng(0).standard_normal((200, 3))
    np.testing.assert_allclose(B @ Y, dense @ Y, atol=1e-9)
    np.testing.assert_allclose(B.solve(Y), np.linalg.solve(dense, Y), atol=1e-9)


@pytest.mark.parametrize("micro", [None, 60])
def test_nearest_source_documents_give_the_classes(micro):
    task = vocabulary_shift()
    est = RSP(partition="knn", risk=0.0, micro_clusters=micro, random_state=0)
    names = np.array(["ant", "bee"])
    labels = est.transfer(task.Xs, names[task.ys], task.Xt)
    assert (labels == names[task.yt]).mean() > 0.9
    with pytest.raises(ValueError, match="needs clusters that are classes"):
        RSP(3, partition="knn").transfer(*task[:3])


def test_word_divergence():
    Xs, Xt = np.array([[2.0, 0, 1], [1, 1, 0]]), np.array([[0.0, 3, 1], [0, 1, 1]])
    scale = (5 + 6) / 5
    s, t = Xs.sum(axis=0) / scale + 0.5, Xt.sum(axis=0) / scale + 0.5
    p, q = t / t.sum(), s / s.sum()
    assert word_kl(Xs, Xt) == pytest.approx(np.sum(p * np.log(p / q)))
    assert word_kl(Xs, Xs) == pytest.approx(0, abs=1e-12)


def test_every_source_has_its_own_risk():
    near, far = vocabulary_shift(common=0.55, n_docs=300), vocabulary_shift(common=0.05, n_docs=300)
    est = RSP(random_state=0)
    est.transfer([near.Xs, far.Xs], [near.ys, far.ys], near.Xt)
    rows = est.source_risks_
    assert [row["source"] for row in rows] == ["source 1", "source 2"]
    assert all(0 <= row["risk"] <= 1 for row in rows)
    one = RSP(random_state=0)
    one.transfer(near.Xs, near.ys, near.Xt)
    assert one.source_risks_ == [{"source": "source", "divergence": one.divergence_, "risk": one.risk_}]


def test_no_risk_is_the_cut_of_the_target_alone():
    """No-T: the source's documents and labels change nothing."""
    task = other_classes()
    a, b = RSP(3, risk=None, random_state=0), RSP(3, risk=None, random_state=0)
    a.transfer(task.Xs, task.ys, task.Xt)
    b.transfer(task.Xs[::-1][:40], np.arange(40) % 2, task.Xt)
    assert adjusted_rand_score(a.cluster_, b.cluster_) == 1  # the same clusters; their numbers may differ
    assert a.transfer_ == "none"


@pytest.mark.parametrize("tau", [0.3, 1.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_risk_one_is_the_normalized_cut(seed, tau):
    """The special case that is another method: the same clusters and, if these are classes, the same labels."""
    settings = {"degree_regularization": tau, "random_state": 0}
    task = other_classes(seed=seed)
    est, ncut = RSP(3, risk=None, **settings), NormalizedCut(3, **settings)
    est.transfer(task.Xs, task.ys, task.Xt)
    own = ncut.transfer(task.Xs, np.arange(150) % 3, task.Xt)  # three names, so that each cluster has its own
    assert len(set(own)) == 3
    assert adjusted_rand_score(own, est.cluster_) == 1
    task = vocabulary_shift(n_classes=3, seed=seed)
    est, ncut = RSP(risk=None, **settings), NormalizedCut(**settings)
    np.testing.assert_array_equal(est.transfer(*task[:3]), ncut.transfer(*task[:3]))


def test_risk_zero_does_not_use_the_cut_of_the_target_alone():
    X, L, _ = small_problem()
    p = Points(X, L, L == UNKNOWN, np.ones(200), np.arange(200))
    full = jointly(p, 0.0)
    dense = slow.operator(X.toarray(), L, np.full(200, UNKNOWN), 0.0, 0.6, 1.0)
    np.testing.assert_allclose(full.embedding.mu, np.linalg.eigvalsh(dense)[:2], atol=1e-8)


def test_the_paper_risk_is_the_printed_one():
    task = vocabulary_shift(common=0.05)
    est = RSP(risk="paper", divergence="paper", kappa=np.exp(2), random_state=0)
    labels = est.transfer(*task[:3])
    assert est.risk_ == pytest.approx(slow.risk(est.divergence_))
    same = RSP(risk=est.risk_, divergence="paper", random_state=0)
    np.testing.assert_array_equal(labels, same.transfer(*task[:3]))
    assert same.transfer_ == est.transfer_ == "partial"


def test_nearer_sources_have_a_lower_risk():
    risks, gaps = [], []
    for common in (0.55, 0.3, 0.05):
        est = RSP(random_state=0)
        est.transfer(*vocabulary_shift(common=common, n_docs=300)[:3])
        risks.append(est.risk_)
        gaps.append(est.gap_)
        assert est.divergence_ >= 0
    assert risks == sorted(risks)
    assert gaps == sorted(gaps)
    assert risks[0] < 0.1 < 0.9 < risks[-1]


@pytest.mark.parametrize("risk", ["auto", "paper", 0.0, 0.5, 1.0, None])
@pytest.mark.parametrize("seed", [0, 1])
def test_planted_clusters_of_other_classes_are_recovered(risk, seed):
    task = other_classes(seed=seed)
    est = RSP(n_clusters=3, risk=risk, random_state=0)
    labels = est.transfer(task.Xs, np.array(["ant", "bee"])[task.ys], task.Xt)
    assert purity(task.yt, est.cluster_) > 0.9
    np.testing.assert_array_equal(labels, est.cluster_)
    assert est.classes_.tolist() == [0, 1, 2]
    assert est.source_classes_.tolist() == ["ant", "bee"]
    assert est.transduction_proba_.shape == (150, 3)
    np.testing.assert_allclose(est.transduction_proba_.sum(axis=1), 1)
    assert set(est.predict(task.Xt)) == {0, 1, 2}


def test_correspondence_names_the_counterparts_or_none():
    task = other_classes()
    est = RSP(n_clusters=3, random_state=0)
    est.transfer(task.Xs, np.array(["ant", "bee"])[task.ys], task.Xt)
    for row in est.correspondence_:
        majority = np.bincount(task.yt[est.cluster_ == row["cluster"]]).argmax()
        assert row["counterpart"] == ("ant", "bee", None)[majority]
        assert row["size"] == (est.cluster_ == row["cluster"]).sum()
        assert -1 <= row["strength"] <= 1
    assert sum(row["size"] for row in est.correspondence_) == 150


def test_planted_vocabulary_shift_is_named():
    task = vocabulary_shift(n_classes=3)
    est = RSP(random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.9
    assert adjusted_rand_score(task.yt, est.cluster_) > 0.8


def test_every_source_has_its_own_blocks():
    Xs, ys, Xt, yt = two_sources(n_docs=80, seed=1)
    X, nothing = sp.csr_array(sp.vstack([*Xs, Xt])), np.full(80, UNKNOWN)
    y = np.concatenate([*ys, nothing])
    domains = read_domains(X, y, np.repeat([1, 2, -3], [40, 40, 80]), estimator="test")
    blocks = nodes(domains).blocks
    np.testing.assert_array_equal(blocks, np.concatenate([ys[0], 2 + ys[1], nothing]))
    est = RSP(risk=0.0, random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.9
    assert est.domain_names_ == ["source 1", "source 2", "target"]
    apart, across = (
        np.linalg.eigvalsh(slow.operator(X.toarray(), L, np.full(160, UNKNOWN), 0.0, 0.6, 1.0))[:2] for L in (blocks, y)
    )
    np.testing.assert_allclose(est.state_.extension.values, apart, atol=1e-8)
    assert abs(across[1] - apart[1]) > 1e-4


@pytest.mark.parametrize("risk", [0.0, 0.5, 1.0, None])
def test_new_documents_get_the_labels_of_a_new_fit(risk):
    task = vocabulary_shift(n_docs=300, seed=3)
    old, new = np.arange(240), np.arange(240, 300)
    est = RSP(risk=risk, random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt[old])
    refit = RSP(risk=risk, random_state=0)
    refit.transfer(task.Xs, task.ys, task.Xt)
    assert (est.predict(task.Xt[new]) == refit.transduction_[new]).mean() >= 0.95


def test_extension_is_exact_for_a_document_that_a_new_fit_does_not_change():
    """Without constraints on the target, a row of Y follows from the others; the document itself is in w here."""
    task = vocabulary_shift(n_docs=100)
    X, y, domain = stacked(task)
    e = embed(X, 2, tau=1.0, rng=np.random.default_rng(0), links=[(0.6, y)])
    target = domain < 0
    WY = (e.W @ e.Y)[target]
    np.testing.assert_allclose(WY / ((1 - e.mu) * e.W.degree[target, None]), e.Y[target], atol=1e-9)


def test_micro_clusters_agree_with_documents():
    task = vocabulary_shift(n_docs=400, seed=2)
    plain, micro = RSP(random_state=0, risk=0.0), RSP(random_state=0, risk=0.0, micro_clusters=100)
    agreement = (plain.transfer(*task[:3]) == micro.transfer(*task[:3])).mean()
    assert agreement > 0.9
    assert (micro.transduction_ == task.yt).mean() > 0.9
    other = other_classes(n_docs=300)
    est = RSP(3, random_state=0, micro_clusters=60)
    est.transfer(*other[:3])
    assert purity(other.yt, est.cluster_) > 0.9


def finite(est, n):
    assert est.transduction_.shape == est.cluster_.shape == (n,)
    assert np.isfinite(est.transduction_proba_).all()
    assert np.isfinite([est.risk_, est.gap_]).all()
    assert all(np.isfinite(row["strength"]) for row in est.correspondence_)
    return est


@pytest.mark.parametrize("risk", ["auto", "paper", 0.0, 0.5, 1.0, None])
@pytest.mark.parametrize("micro", [None, 10])
def test_unusual_data_gives_a_prediction(risk, micro):
    task = vocabulary_shift(n_docs=40)
    est = RSP(risk=risk, random_state=0, micro_clusters=micro, degree_regularization=0.5)
    nothing = sp.csr_array((3, task.Xt.shape[1]))
    est.transfer(task.Xs, task.ys, sp.csr_array(sp.vstack([task.Xt, nothing])))
    finite(est, 43)
    np.testing.assert_allclose(est.transduction_proba_[-3:], np.tile(est.class_prior_, (3, 1)))
    assert np.isfinite(est.predict_proba(nothing)).all()
    est.transfer(task.Xs, task.ys, task.Xt[:1])
    finite(est, 1)
    est.transfer(task.Xs, task.ys, task.Xt[np.zeros(20, dtype=int)])
    finite(est, 20)
    assert len(set(est.transduction_.tolist())) == 1
    same = np.ones((30, 4))
    est.transfer(same, np.arange(30) % 2, same)
    finite(est, 30)
    est.transfer(np.hstack([same, np.eye(30)]), np.arange(30) == 0, np.hstack([same, np.eye(30)]))
    finite(est, 30)


def test_without_words_the_prediction_is_the_proportion_of_each_cluster():
    task = other_classes()
    Xt = sp.csr_array(sp.vstack([task.Xt, sp.csr_array((2, task.Xt.shape[1]))]))
    est = finite(RSP(3, random_state=0).fit(*stacked(Task(task.Xs, task.ys, Xt, np.zeros(152)))), 152)
    np.testing.assert_allclose(est.transduction_proba_[-2:], np.tile(est.class_prior_, (2, 1)))
    np.testing.assert_allclose(est.class_prior_, np.bincount(est.cluster_) / 152)


def test_errors():
    task = vocabulary_shift(n_docs=20)
    with pytest.raises(ValueError, match="n_clusters must be at most the number of target documents with words, 20"):
        RSP(n_clusters=21).transfer(*task[:3])
    with pytest.raises(ValueError, match="no document of the target has words"):
        RSP().transfer(task.Xs, task.ys, sp.csr_array(task.Xt.shape))
    X, y, domain = stacked(task)
    with pytest.raises(ValueError, match="needs clusters that are classes"):
        RSP(n_clusters=3).fit(X, np.append(task.ys, task.yt), domain, use_target_labels=True)
    for bad in ({"risk": 1.5}, {"risk": "some"}, {"kappa": 0}, {"divergence": "KL"}, {"n_clusters": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            RSP(**bad).fit(X, y, domain)


def test_saved_and_loaded_with_other_classes(tmp_path):
    task = other_classes()
    est = RSP(3, random_state=0)
    est.transfer(*task[:3])
    est.save(tmp_path / "model.npz")
    back = load(tmp_path / "model.npz")
    assert back.correspondence_ == est.correspondence_
    np.testing.assert_array_equal(back.predict(task.Xt), est.predict(task.Xt))


def test_single_precision_at_size():
    task = vocabulary_shift(n_docs=400)
    double, single = RSP(random_state=0), RSP(random_state=0)
    double.transfer(*task[:3])
    single.transfer(task.Xs.astype(np.float32), task.ys, task.Xt.astype(np.float32))
    assert single.state_.extension.sums.dtype == np.float32
    assert (single.transduction_ == double.transduction_).mean() > 0.99


def test_full_size_newsgroups(corpus):
    task = newsgroups(corpus("20news/20news-bydate.jsonl.gz"), ("comp", "rec"))
    est = RSP(random_state=0)
    est.transfer(*task[:3])
    assert purity(task.yt, est.cluster_) > 0.9


def test_the_constants_of_the_divergence_are_parameters():
    """Without a pseudo-count, a cluster of the target alone makes the divergence infinite, as printed."""
    task = vocabulary_shift(n_docs=60, n_words=12)
    settings = {"risk": "paper", "divergence": "paper", "kappa": np.exp(2), "random_state": 0}
    values = {}
    for pseudo_count in (0.0, 1e-6, 0.5):
        est = RSP(**settings, pseudo_count=pseudo_count, min_cluster_size=4, same_means=0.0)
        est.transfer(task.Xs, task.ys, task.Xt)
        values[pseudo_count] = est.divergence_
    assert values[0.0] == np.inf or values[0.0] == pytest.approx(values[1e-6], rel=1e-3)
    assert values[0.0] >= values[1e-6] > values[0.5]
    coarse = RSP(**settings, min_cluster_size=10**6)
    coarse.transfer(task.Xs, task.ys, task.Xt)
    assert coarse.divergence_ == pytest.approx(kl(np.array([60]), np.array([60]), "paper"))
