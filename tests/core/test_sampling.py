import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from labelferry import AutoTransfer
from labelferry.assessment import assessment, coordinates, facts, new_classes
from labelferry.baselines import SourceLR
from labelferry.core import ordering
from labelferry.core.documents import in_safe_range
from labelferry.core.domains import Domains
from labelferry.core.sampling import in_blocks, sample_domains, sample_per_class, sample_rows
from labelferry.ensemble import assessed_fit, auto_transfer, fitted_panel, panel
from labelferry.ensemble.members import common_words
from labelferry.ensemble.student import extend, predict_all
from labelferry.linalg.blocks import Blocks
from labelferry.linalg.matrix import empty_rows, word_counts

from ..planted import vocabulary_shift


def domains_of(task):
    return Domains.from_blocks([("source", task.Xs, task.ys)], ("target", task.Xt))


def test_all_rows_of_few():
    assert sample_rows(5, 5).tolist() == [0, 1, 2, 3, 4]
    assert sample_per_class(np.array([1, 0, 1]), 3).tolist() == [0, 1, 2]
    domains = domains_of(vocabulary_shift(n_docs=40))
    assert sample_domains(domains, 40) is domains


def test_a_sample_is_in_order_and_the_same_every_time():
    rows = sample_rows(1000, 100)
    assert len(np.unique(rows)) == 100
    assert (np.diff(rows) > 0).all()
    assert rows.tolist() == sample_rows(1000, 100).tolist()
    assert 300 < np.median(rows) < 700, "not the first ones"


def test_every_class_keeps_its_share_and_at_least_one_row():
    codes = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [8000, 1990, 10]))
    rows = sample_per_class(codes, 100)
    assert np.bincount(codes[rows]).tolist() == [80, 20, 1]
    assert (np.diff(rows) > 0).all()


def test_sampled_domains_have_the_documents_of_their_rows():
    task = vocabulary_shift(n_docs=90)
    domains = domains_of(task)
    X = sp.vstack([task.Xs, task.Xt]).toarray()
    sample = sample_domains(domains, 30)
    for d in sample:
        np.testing.assert_array_equal(d.X.toarray(), X[d.rows])
        assert 29 <= len(d.rows) <= 31
    source = sample.sources[0]
    assert source.codes.tolist() == task.ys[source.rows].tolist()


def by_student(estimator, sample, domains):
    return extend(estimator.fit_domains(sample).transduction_proba_, sample, domains)


@pytest.mark.parametrize("predict", [predict_all, by_student])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_documents_outside_of_the_sample_are_predicted(n_classes, predict):
    task = vocabulary_shift(n_docs=300, n_classes=n_classes)
    domains = domains_of(task)
    sample = sample_domains(domains, 100)
    P = predict(SourceLR(C=10), sample, domains)
    rows = np.searchsorted(domains.target_rows, sample.target_rows)
    inside = SourceLR(C=10).fit_domains(sample).transduction_proba_
    np.testing.assert_allclose(P[rows], inside)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    outside = np.setdiff1d(np.arange(300), rows)
    accuracy = [(P[r].argmax(axis=1) == task.yt[r]).mean() for r in (rows, outside)]
    assert accuracy[1] > accuracy[0] - 0.1


def test_labels_given_in_the_target_are_kept():
    task = vocabulary_shift(n_docs=300)
    domains = domains_of(task)
    target = domains.targets[0]
    codes = np.full(300, -1)
    codes[::10] = task.yt[::10]
    some = sample_domains(replace(domains, domains=(*domains.sources, replace(target, codes=codes))), 50)
    assert some.targets[0].known.sum() == 30


@pytest.mark.parametrize("as_matrix", [lambda X: X, lambda X: Blocks.of(X, block_rows=64)], ids=["memory", "blocks"])
def test_a_large_task_is_fitted_on_a_sample_and_labelled_completely(monkeypatch, as_matrix):
    task = vocabulary_shift(n_docs=400, common=0.3)
    complete = AutoTransfer(random_state=0)
    complete.transfer(task.Xs, task.ys, task.Xt)
    assert not any("new documents were" in reason for reason in complete.verdict_.reasons)
    for module in (panel, fitted_panel, auto_transfer, assessment):
        monkeypatch.setattr(module, "MAX_FITTED", 150)
    for module in (panel, facts, coordinates, new_classes, assessment):
        monkeypatch.setattr(module, "MAX_COMPARED", 80)
    auto = AutoTransfer(random_state=0)
    labels = auto.transfer(as_matrix(task.Xs), task.ys, as_matrix(task.Xt))
    assert auto.in_fit_.all(), "every document has predictions of all members"
    assert len(auto.needs_review_) == 400
    assert (labels == task.yt).mean() > (complete.transduction_ == task.yt).mean() - 0.05
    said = " ".join(auto.verdict_.reasons)
    assert "fitted on a random sample of 150 of the 400 new documents" in said
    assert "compared with each other in a random sample of 80" in said
    assert auto.predict(as_matrix(task.Xt)).tolist() == auto.predict(task.Xt).tolist()


def test_only_many_documents_become_blocks_and_no_entry_is_copied():
    domains = domains_of(vocabulary_shift(n_docs=40))
    assert in_blocks(domains, 40) is domains
    blocked = in_blocks(domains, 39)
    for given, d in zip(domains, blocked, strict=True):
        assert isinstance(d.X, Blocks)
        assert np.shares_memory(given.X.data, d.X.parts[0].block.data)
        assert np.shares_memory(given.X.indices, d.X.parts[0].block.indices)
    dense = domains_of(vocabulary_shift(n_docs=40)._replace(Xs=np.ones((2, 3)), ys=[0, 1], Xt=np.ones((50, 3))))
    assert in_blocks(dense, 39) is dense, "blocks would be sparse copies"


@pytest.mark.parametrize("method", [AutoTransfer(random_state=0), SourceLR(C=10)], ids=["AutoTransfer", "SourceLR"])
def test_many_documents_are_predicted_in_blocks_with_the_same_result(monkeypatch, method):
    task, seen = vocabulary_shift(n_docs=400, common=0.3), []
    for module in (panel, fitted_panel, auto_transfer, assessed_fit):
        monkeypatch.setattr(module, "MAX_FITTED", 150)

    def recorded(domains, X):
        seen.append(type(X))
        return common_words(domains, X)

    def assessed():
        answer = assessed_fit.fit_and_assess(clone(method), domains_of(task), seed=0, target_error=0.05)
        return answer.proba, answer.assessment.level, answer.review.tolist()

    monkeypatch.setattr(ordering, "MAX_SORTED", 0)  # as for many documents
    monkeypatch.setattr(panel, "common_words", recorded)
    blocked = assessed()
    for module in (auto_transfer, assessed_fit):
        monkeypatch.setattr(module, "in_blocks", lambda domains, size: domains)
    in_memory = assessed()
    assert seen == [Blocks, sp.csr_array]
    np.testing.assert_allclose(blocked[0], in_memory[0], atol=1e-9)
    assert blocked[1:] == in_memory[1:]


def test_counting_words_makes_no_copy_of_a_matrix():
    n = 12_000_000
    X = sp.csr_array((np.ones(n), np.tile(np.arange(100), n // 100), np.arange(0, n + 1, 100)))
    tracemalloc.start()
    words, empty, checked = word_counts(X), empty_rows(X), in_safe_range(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert checked is X
    assert words.tolist() == [n // 100] * 100
    assert not empty.any()
    assert peak < X.data.nbytes / 2
