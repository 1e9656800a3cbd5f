import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.baselines import nmtf
from labelferry.families.trifactorization import factorization_problem
from labelferry.linalg.knn import nearest
from labelferry.linalg.multiplicative import normalize_columns_l1
from labelferry.linalg.normalize import scale_columns, scale_rows
from labelferry.methods.gcmf import GCMF, Factors, Graphs, cosine_graphs, fold_in_with_neighbors, objective, start, step

from ..planted import random_problem, stacked, two_sources, vocabulary_shift
from ..reference import gcmf as slow


def problem(sizes=(11, 13), n_topics=4, seed=0, lam=1.0, gamma=1.0):
    X, known, V = random_problem(sizes=sizes, seed=seed)
    V = [normalize_columns_l1(Vd) for Vd in V]
    g = Graphs(tuple(cosine_graphs([Xd.T for Xd in X], 3, lam)), tuple(cosine_graphs(X, 3, gamma)))
    here = [np.ones(Xd.shape[1], dtype=bool) for Xd in X]
    p = factorization_problem(X, known, V)
    return start(p, here, n_topics, np.random.default_rng(seed)), p, g


@pytest.mark.parametrize("normalize", ["update", "cycle", "never"])
@pytest.mark.parametrize(("lam", "gamma"), [(0.0, 0.0), (1.0, 0.5), (100.0, 100.0)])
@pytest.mark.parametrize("sizes", [(11, 13), (7, 9, 12)])
def test_step_equals_the_papers_formulas(sizes, lam, gamma, normalize):
    f, p, g = problem(sizes, lam=lam, gamma=gamma)
    Xt = [X.T for X in p.X]
    Wu, Wv = [slow.affinity(X, 3) for X in Xt], [slow.affinity(X, 3) for X in p.X]
    for d in range(len(p.X)):
        np.testing.assert_allclose(g.words[d].W.toarray(), lam * Wu[d], atol=1e-9)
        np.testing.assert_allclose(g.docs[d].W.toarray(), gamma * Wv[d], atol=1e-9)
    U, H, V, _ = f
    for _ in range(3):
        f = step(f, p, g, normalize)
        U, H, V = slow.iteration(Xt, U, H, V, Wu, Wv, lam, gamma, [not k.all() for k in p.known], normalize)
        np.testing.assert_allclose(f.H, H, rtol=1e-9)
        for d in range(len(p.X)):
            np.testing.assert_allclose(f.U[d], U[d], rtol=1e-9)
            np.testing.assert_allclose(f.V[d], V[d], rtol=1e-9)
    expected = slow.objective(Xt, U, H, V, Wu, Wv, lam, gamma)
    assert objective(f, p, g) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("weight", [0.0, 1.0, 30.0])
def test_theorem_1_objective_never_increases(weight):
    f, p, g = problem(seed=3, lam=weight, gamma=weight)
    values = [objective(f, p, g)]
    for _ in range(300):
        f = step(f, p, g, normalize="never")
        values.append(objective(f, p, g))
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert values[-1] < 0.8 * values[0]


@pytest.mark.parametrize("lam", [0.0, 1.0, 30.0])
def test_theorem_2_auxiliary_function(lam):
    """It is never below (7), equal to it at the old U, and smallest at (8). In print lambda tr(U'WU) is missing."""
    f, p, _ = problem(seed=4)
    X, old, V = p.X[0].T, f.U[0], f.V[0]
    W = slow.affinity(X, 3)
    constant = lam * (old * (W @ old)).sum()

    def A(U):
        return slow.auxiliary(X, U, old, f.H, V, W, lam) + constant

    def L(U):
        return slow.objective([X], [U], f.H, [V], [W], [np.zeros((len(V), len(V)))], lam, 0.0) - (X**2).sum()

    assert A(old) == pytest.approx(L(old), rel=1e-9)
    best = slow.update_U(X, old, f.H, V, W, lam)
    rng = np.random.default_rng(0)
    for scale in (0.01, 0.1, 1.0):
        for _ in range(20):
            U = old * np.exp(scale * rng.standard_normal(old.shape))
            assert A(U) >= L(U)
            assert A(best) < A(best * np.exp(scale * rng.standard_normal(old.shape)))


def kkt_residual(f, p, g):
    """max |gradient * factor| of (7) over all factors, relative to the size of the gradient's parts."""
    R = [U @ f.H @ V.T - X.T for U, X, V in zip(f.U, p.X, f.V, strict=True)]
    terms = [f.H * sum(U.T @ Rd @ V for U, Rd, V in zip(f.U, R, f.V, strict=True))]
    for d, (words, docs) in enumerate(zip(g.words, g.docs, strict=True)):
        U, V = f.U[d], f.V[d]
        terms.append(U * (R[d] @ V @ f.H.T + words.degree * U - words.W @ U))
        if not p.known[d].all():
            terms.append(V * (R[d].T @ U @ f.H + docs.degree * V - docs.W @ V))
    size = abs(f.H * (f.U[-1].T @ p.X[-1].T @ f.V[-1])).max()
    return max(abs(t).max() for t in terms) / size


def test_kkt_residual_vanishes():
    f, p, g = problem(seed=1, lam=0.1, gamma=0.1)
    first = kkt_residual(f, p, g)
    for _ in range(5000):
        f = step(f, p, g, normalize="never")
    assert kkt_residual(f, p, g) < 1e-3 * first


def test_without_smoothness_the_fixed_points_are_those_of_nmtf():
    """lambda = gamma = 0 is the collective tri-factorization (2); the root changes the path, not the fixed point."""
    f, p, g = problem(seed=2, lam=0.0, gamma=0.0)
    plain = nmtf.Factors(*f)
    for _ in range(20000):
        plain = nmtf.step(plain, p, normalize="never")
    rest = Factors(*plain)
    moved = step(rest, p, g, normalize="never")
    assert objective(rest, p, g) == pytest.approx(2 * nmtf.objective(plain, p), rel=1e-10)
    np.testing.assert_allclose(moved.H, rest.H, rtol=1e-3, atol=1e-4 * rest.H.max())
    for d in range(2):
        np.testing.assert_allclose(moved.U[d], rest.U[d], rtol=1e-3, atol=1e-4 * rest.U[d].max())
        np.testing.assert_allclose(moved.V[d], rest.V[d], rtol=1e-3, atol=1e-4 * rest.V[d].max())


def test_the_printed_order_of_normalization_is_a_parameter():
    """The same planted labels, but other factors; columns sum to one in both."""
    task = vocabulary_shift(n_docs=60)
    update, cycle = (
        GCMF(n_topics=8, word_smoothness=1, doc_smoothness=1, normalize=order, random_state=0)
        for order in ("update", "cycle")
    )
    for est in (update, cycle):
        assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
        f = est.state_.factors
        np.testing.assert_allclose(f.U[1].sum(axis=0), 1)
        np.testing.assert_allclose(f.V[1].sum(axis=0), 1)
        np.testing.assert_allclose(f.XV[1], est.state_.X[1].T @ f.V[1], atol=1e-12)
    assert abs(update.state_.factors.H - cycle.state_.factors.H).max() > 1e-6


def test_with_target_labels_the_printed_order_keeps_them():
    X, y, domain = stacked(vocabulary_shift(n_docs=60))
    y = y.copy()
    y[60:70] = [0, 1] * 5
    est = GCMF(n_topics=8, normalize="cycle", random_state=0).fit(X, y, domain, use_target_labels=True)
    np.testing.assert_array_equal(est.transduction_[:10], y[60:70])
    rows = est.state_.factors.V[1][:10]
    assert ((rows > 0).sum(axis=1) == 1).all()


def test_the_objective_ends_the_iterations():
    """`tol` needs no labels: the fit is that of as many iterations as it took."""
    task = vocabulary_shift(n_docs=60)
    by_tol = GCMF(n_topics=8, max_iter=100, tol=1e-3, random_state=0)
    by_tol.transfer(task.Xs, task.ys, task.Xt)
    assert by_tol.converged_
    assert by_tol.n_iter_ < 100
    fixed = GCMF(n_topics=8, max_iter=by_tol.n_iter_, random_state=0)
    fixed.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_array_equal(by_tol.transduction_proba_, fixed.transduction_proba_)


def test_words_that_a_domain_does_not_have_are_in_no_topic_of_it():
    X, y, domain = stacked(vocabulary_shift(n_docs=60))
    est = GCMF(n_topics=4, random_state=0).fit(X, y, domain)
    for U, key in zip(est.state_.factors.U, (1, -2), strict=True):
        absent = np.asarray(X[domain == key].sum(axis=0)).ravel() == 0
        assert absent.any()
        assert U.shape == (X.shape[1], 4)
        assert (U[absent] == 0).all()
        assert (U[~absent].sum(axis=1) > 0).all()


def test_the_gradient_vanishes_for_a_new_document():
    """Fold-in against the KKT conditions of (7) in one row: gradient * v = 0, and gradient >= 0 if v = 0."""
    task = vocabulary_shift(n_docs=80, seed=6)
    est = GCMF(n_topics=8, doc_smoothness=1, word_smoothness=1, random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt[:60])
    s, f, X = est.state_, est.state_.factors, task.Xt[60:] / est.state_.lengths[-1]
    V, B = fold_in_with_neighbors(X, s, 1, n_iter=2000), f.U[1] @ f.H
    W = s.gamma * nearest(X, s.X[1], n_neighbors=s.p, rank=s.place[1])
    gradient = V @ (B.T @ B) - X @ B + W.sum(axis=1)[:, None] * V - W @ f.V[1]
    assert abs(gradient * V).max() < 1e-6 * abs(X @ B).max() * V.max()
    assert gradient[V < 1e-12].min(initial=0) > -1e-9


def test_without_smoothness_the_graphs_do_not_matter():
    X, y, domain = stacked(vocabulary_shift(n_docs=60))
    rng = np.random.default_rng(0)
    graphs = {"doc_graph": rng.random((120, 120)), "word_graph": rng.random((X.shape[1],) * 2)}
    est = GCMF(n_topics=8, word_smoothness=0, doc_smoothness=0, random_state=0)
    plain = est.fit(X, y, domain).transduction_proba_
    np.testing.assert_array_equal(plain, est.fit(X, y, domain, **graphs).transduction_proba_)


def test_much_smoothness_gives_linked_documents_one_label():
    """As gamma grows, V is constant on each connected piece of the document graph: only the graph matters."""
    task = vocabulary_shift(n_docs=60, seed=4)
    X, y, domain = stacked(task)
    pieces = np.arange(60) % 2
    links = sp.csr_array((pieces[:, None] == pieces[None, :]).astype(float))
    graphs = {1: sp.csr_array((60, 60)), -2: links}
    est = GCMF(n_topics=8, doc_smoothness=1e6, max_iter=300, random_state=0)
    est.fit(X, y, domain, doc_graph=graphs)
    V = est.state_.factors.V[-1]
    for piece in (0, 1):
        rows = V[pieces == piece]
        assert (rows.max(axis=0) - rows.min(axis=0)).max() < 0.05 * rows.max()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_solved(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    est = GCMF(n_topics=16, random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    assert (est.predict(task.Xt) == est.transduction_).mean() > 0.97


def test_planted_with_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = GCMF(n_topics=16, random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.95


def test_new_documents_of_the_target_are_labelled():
    task = vocabulary_shift(n_docs=300, seed=5)
    est = GCMF(n_topics=16, random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt[:200])
    assert (est.predict(task.Xt[200:]) == task.yt[200:]).mean() > 0.95


def test_the_same_graphs_by_hand_give_the_same_predictions():
    task = vocabulary_shift(n_docs=60)
    X, y, domain = stacked(task)
    X = scale_columns(X, 0.5 + np.random.default_rng(0).random(X.shape[1]))  # no two cosines of documents are equal
    X = scale_rows(X, 0.5 + np.random.default_rng(1).random(X.shape[0]))  # nor of words
    est = GCMF(n_topics=8, n_neighbors=4, random_state=0).fit(X, y, domain)
    docs = {k: cosine_graphs([X[domain == k]], 4, 1.0)[0].W for k in (1, -2)}
    words = {k: cosine_graphs([X[domain == k].T], 4, 1.0)[0].W for k in (1, -2)}
    by_domain = GCMF(n_topics=8, n_neighbors=4, random_state=0).fit(X, y, domain, doc_graph=docs, word_graph=words)
    whole = sp.block_diag([docs[1], docs[-2]], format="csr")
    by_rows = GCMF(n_topics=8, n_neighbors=4, random_state=0).fit(X, y, domain, doc_graph=whole, word_graph=words)
    np.testing.assert_allclose(est.transduction_proba_, by_domain.transduction_proba_, rtol=1e-9)
    np.testing.assert_allclose(est.transduction_proba_, by_rows.transduction_proba_, rtol=1e-9)


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ({"doc_graph": sp.eye_array(3)}, r"doc_graph must have shape \(120, 120\)"),
        ({"word_graph": sp.eye_array(3)}, "word_graph must have shape"),
        ({"doc_graph": {1: sp.eye_array(60)}}, "no graph for the domain -2"),
        ({"doc_graph": -sp.eye_array(120)}, "finite and >= 0"),
    ],
)
def test_bad_graphs(graphs, message):
    X, y, domain = stacked(vocabulary_shift(n_docs=60))
    with pytest.raises(ValueError, match=message):
        GCMF(n_topics=8).fit(X, y, domain, **graphs)


def test_both_normalizations_run_and_differ():
    X, y, domain = stacked(vocabulary_shift(n_docs=60))
    by = {n: GCMF(n_topics=8, normalization=n, random_state=0).fit(X, y, domain) for n in ("matrix", "documents")}
    assert not np.allclose(by["matrix"].transduction_proba_, by["documents"].transduction_proba_)
    assert (by["documents"].predict(X[60:]) == by["documents"].transduction_).mean() > 0.95


def test_topics_name_words_of_both_domains():
    X, y, domain = stacked(vocabulary_shift(n_docs=100))
    est = GCMF(n_topics=4, random_state=0).fit(X, y, domain)
    names = [f"{kind}-{c}" for c in (0, 1) for kind in ("common", "old", "new") for _ in range(30)] + ["noise"] * 90
    for row in est.topics_table(names, n_words=5):
        assert not any(word.startswith("old") for word in row["domains"]["target 2"])
        assert not any(word.startswith("new") for word in row["domains"]["source 1"])
        assert not any(word.startswith(("old", "new")) for word in row["common"])
