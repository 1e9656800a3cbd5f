"""`partial_fit`: batches of later documents update the model without a second pass over the earlier ones."""

import itertools
import re

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import partial_fit as benchmark
from benchmarks.partial_fit import in_batches

from labelferry import TCL, load
from labelferry.baselines import EMNaiveBayes, SourceLR
from labelferry.baselines.em_naive_bayes import absorb, pose, start, step
from labelferry.core.domains import Domains
from labelferry.families.trifactorization import fold_in
from labelferry.linalg.multiplicative import gram
from labelferry.methods.tcl import with_new_words

from .. import tickets
from ..cli.test_cli_label import files, run  # noqa: F401
from ..corpora import newsgroups
from ..pages import read
from ..planted import vocabulary_shift
from ..reference import tcl as slow

ONLINE = [
    EMNaiveBayes(),
    EMNaiveBayes(class_prior="estimate"),
    TCL(random_state=0),
    TCL(normalize="cycle", random_state=0),
]


def fitted(estimator, n=50, seed=0):
    """The estimator fitted on the source and the first documents of the target; and the others with their labels."""
    task = vocabulary_shift(seed=seed)
    model = type(estimator)(**estimator.get_params())
    model.transfer(task.Xs, task.ys, task.Xt[:n])
    return model, task.Xt[n:], task.yt[n:]


def factors(model):
    state = model.state_
    return np.exp(state.log_theta) if isinstance(model, EMNaiveBayes) else state.factors.W[-1] @ state.factors.H


@pytest.mark.parametrize("estimate_pi", [False, True])
def test_em_all_documents_as_one_batch_are_one_iteration(estimate_pi):
    task = vocabulary_shift(seed=3)
    p = pose(Domains.from_blocks([("s", task.Xs, task.ys)], ("t", task.Xt)), 0.1, estimate_pi)
    f = start(p, np.array([0.5, 0.5]), 1.0)
    whole, online = step(f, p), absorb(f, task.Xt, estimate_pi)
    np.testing.assert_allclose(online.log_theta, whole.log_theta, rtol=1e-10)
    np.testing.assert_allclose(online.log_pi, whole.log_pi, rtol=1e-10)
    np.testing.assert_allclose(online.words, whole.words, rtol=1e-12)
    assert online.documents == pytest.approx(whole.documents)


def test_tcl_a_batch_is_the_papers_updates_of_all_documents_so_far():
    """(5), (6) and (8) of the slow version, with the earlier and the later documents in one matrix."""
    model, later, _ = fitted(TCL(weighting="none", random_state=0))
    task = vocabulary_shift()
    U, W, H, V, _ = model.state_.factors
    alpha = model.state_.alpha
    new = fold_in(later, alpha * U @ H + (1 - alpha) * W[1] @ H)
    X = [task.Xs.toarray().T, task.Xt.toarray().T]
    X[1] = np.hstack([X[1][:, :50], later.toarray().T])
    V = [V[0], np.vstack([V[1], new])]
    XV = [Xd @ Vd for Xd, Vd in zip(X, V, strict=True)]
    U, W = with_new_words(U, sum(XV)), [with_new_words(Wd, XVd) for Wd, XVd in zip(W, XV, strict=True)]
    U = slow.update_U(X, U, W, H, V, alpha)
    U = U / U.sum(axis=0)
    for d in range(2):
        W[d] = slow.update_W(X, U, W, H, V, alpha, d)
        W[d] = W[d] / W[d].sum(axis=0)
    H = slow.update_H(X, U, W, H, V, alpha)
    model.partial_fit(later)
    f = model.state_.factors
    np.testing.assert_allclose(f.U, U, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(f.W[1], W[1], rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(f.H, H, rtol=1e-9)
    np.testing.assert_allclose(gram(f.V[1]) + model.state_.later[1], gram(V[1]), rtol=1e-10)


@pytest.mark.parametrize("estimator", ONLINE, ids=str)
def test_the_order_of_the_batches_has_a_small_effect(estimator):
    results = []
    for order in itertools.permutations(range(3)):
        model, later, truth = fitted(estimator)
        batches = np.array_split(np.arange(later.shape[0]), 3)
        for number in order:
            model.partial_fit(later[batches[number]])
        assert (model.predict(later) == truth).mean() > 0.95
        results.append(factors(model))
    mean = np.mean(results, axis=0)
    assert max(abs(r - mean).sum() for r in results) < 0.03 * mean.sum()


@pytest.mark.parametrize("estimator", ONLINE, ids=str)
def test_the_model_learns_words_that_it_has_never_seen(estimator):
    """A word of the later documents alone gets the class of the documents that it occurs in."""
    task = vocabulary_shift()
    m = task.Xs.shape[1]

    def with_new_word(X, there):
        return sp.csr_array(sp.hstack([X, sp.csr_array(there[:, None].astype(float))]))

    model = type(estimator)(**estimator.get_params())
    none, some = np.zeros(task.Xs.shape[0]), task.yt[50:] == task.yt[50]
    model.transfer(with_new_word(task.Xs, none), task.ys, with_new_word(task.Xt[:50], none[:50]))
    later = with_new_word(task.Xt[50:], some)
    word = sp.csr_array(([1.0], ([0], [m])), shape=(1, m + 1))
    for batch in np.array_split(np.arange(len(some)), 4):
        model.partial_fit(later[batch])
    assert model.predict(word)[0] == task.yt[50]
    assert model.predict_proba(word).max() > 0.7


@pytest.mark.parametrize("estimator", ONLINE, ids=str)
def test_a_saved_model_is_updated_as_if_it_had_stayed(estimator, tmp_path):
    model, later, _ = fitted(estimator)
    model.partial_fit(later[:40])
    model.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz").partial_fit(later[40:])
    model.partial_fit(later[40:])
    np.testing.assert_array_equal(again.predict_proba(later), model.predict_proba(later))


@pytest.mark.parametrize("estimator", ONLINE, ids=str)
def test_documents_without_words_and_errors_change_nothing(estimator):
    model, later, _ = fitted(estimator)
    before = model.state_
    model.partial_fit(sp.csr_array((3, later.shape[1])))
    assert model.state_ is before
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(later[:, :-1])
    with pytest.raises(ValueError, match="not a domain to predict for"):
        model.partial_fit(later, sample_domain="source")
    assert model.state_ is before
    model.partial_fit(sp.vstack([later, sp.csr_array((3, later.shape[1]))], format="csr"))
    other = fitted(estimator)[0].partial_fit(later)
    np.testing.assert_array_equal(factors(model), factors(other))


def test_the_first_call_is_fit():
    task = vocabulary_shift()
    X, y = sp.vstack([task.Xs, task.Xt[:50]], format="csr"), np.append(task.ys, np.full(50, -1))
    model = EMNaiveBayes().partial_fit(X, y)
    np.testing.assert_array_equal(model.transduction_, EMNaiveBayes().fit(X, y).transduction_)
    assert model.partial_fit(task.Xt[50:]) is model


def test_float32_stays_float32():
    task = vocabulary_shift()
    for model in (EMNaiveBayes(), TCL(random_state=0)):
        model.transfer(task.Xs.astype(np.float32), task.ys, task.Xt[:50].astype(np.float32))
        model.partial_fit(task.Xt[50:].astype(np.float64))
        assert factors(model).dtype == np.float32


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [EMNaiveBayes(), TCL(random_state=0)], ids=str)
def test_half_of_a_real_target_then_five_batches(estimator, corpus):
    """Not far below a fit on all documents, and not below the model that never saw the second half."""
    task = newsgroups(corpus("20news/20news-bydate.jsonl.gz"), ("rec", "sci"))
    found = in_batches(estimator, task.Xs, task.ys, task.Xt, task.yt)
    assert found.batches >= found.all_documents - 0.01, found
    assert found.batches >= found.first_half - 0.002, found


def test_the_table_of_the_documentation_has_the_columns_of_the_script(capsys):
    benchmark.main(())
    assert capsys.readouterr().out in read("docs/python.md")


def test_accuracies_of_batches_are_those_of_the_second_half():
    task = vocabulary_shift(n_docs=101)
    found = in_batches(EMNaiveBayes(), task.Xs, task.ys, task.Xt, task.yt)
    assert min(found) > 0.8
    assert all((50 * accuracy).is_integer() for accuracy in found), "50 of the 101 documents"


def test_the_command_updates_the_model(files, tmp_path):  # noqa: F811
    source, target, out = files
    model, later = tmp_path / "model.npz", tmp_path / "later.csv"
    assert (
        run("label", source, target, "-o", out, "--method", "EMNaiveBayes", "--quiet", "--save", model).exit_code == 0
    )
    before, text = model.read_bytes(), load(model)
    result = run("apply", model, target, "-o", later, "--update")
    assert result.exit_code == 0, result.stderr
    assert re.search(r"Written: .*later\.csv, .*\.npz", " ".join(result.stdout.split()))
    assert model.read_bytes() != before
    updated = load(model)
    assert (updated.estimator.state_.words > text.estimator.state_.words).all()
    assert tickets.read_csv(later)["label"] == updated.label(tickets.read_csv(target)["text"]).tolist()
    assert run("apply", model, target, "-o", later, "--update", "--quiet").exit_code == 0


def test_a_model_that_cannot_be_updated_is_one_line(files, tmp_path):  # noqa: F811
    source, target, out = files
    model, later = tmp_path / "model.npz", tmp_path / "later.csv"
    assert run("label", source, target, "-o", out, "--method", "SourceLR", "--quiet", "--save", model).exit_code == 0
    before = model.read_bytes()
    result = run("apply", model, target, "-o", later, "--update")
    assert result.exit_code == 2
    assert "a model of SourceLR cannot be updated; models of EMNaiveBayes and TCL can" in " ".join(
        result.stderr.split()
    )
    assert model.read_bytes() == before
    assert not later.exists()
    assert not hasattr(SourceLR(), "partial_fit")


def test_a_model_without_counts_says_what_to_do():
    model, later, _ = fitted(EMNaiveBayes())
    model.state_ = model.state_._replace(words=None, documents=None)
    with pytest.raises(ValueError, match="Fit it again"):
        model.partial_fit(later)
