"""AutoTransfer as an estimator, and the selection of documents to label by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry import AutoTransfer, EMNaiveBayes, SmoothedLR, SourceLR, SourceNB, load
from labelferry.assessment.agreement import margin
from labelferry.core.progress import listen
from labelferry.ensemble import queries
from labelferry.ensemble.labelled_pool import fit_pool, pool_labels
from labelferry.ensemble.panel import CO_TRAINING
from labelferry_bench.papers.tasks import TASKS

from ..planted import stacked, two_sources, vocabulary_shift


@pytest.fixture(scope="module")
def shifted():
    """Where EM finds the classes: a vocabulary shift."""
    task = vocabulary_shift(n_classes=3, n_docs=240, common=0.1)
    auto = AutoTransfer(random_state=0)
    auto.transfer(task.Xs, task.ys, task.Xt)
    return task, auto


# -- queries ----------------------------------------------------------------------------------------------------------
def test_queries_are_different(shifted):
    _, auto = shifted
    rows = auto.suggest(15)
    assert len(set(rows.tolist())) == 15
    with pytest.raises(ValueError, match="n must be at least 1"):
        auto.suggest(0)


def test_queries_are_typical_documents_of_groups_the_largest_first():
    rng = np.random.default_rng(0)
    Z = np.repeat(np.eye(3), [50, 30, 20], axis=0) + 0.01 * rng.normal(size=(100, 3))
    rows = queries.typical_documents(Z, 3, np.zeros(0, dtype=int), rng)
    assert [np.searchsorted([50, 80], row, side="right") for row in rows] == [0, 1, 2]
    for row, inside in zip(rows, (slice(0, 50), slice(50, 80), slice(80, 100)), strict=True):
        distance = np.linalg.norm(Z[inside] - Z[inside].mean(axis=0), axis=1)
        assert row - inside.start == distance.argmin()


def test_copies_are_suggested_last():
    Z = np.repeat(np.eye(3), [5, 1, 1], axis=0)
    rows = queries.typical_documents(Z, 4, np.array([0]), np.random.default_rng(0))
    assert rows[:3].tolist() == [1, 5, 6]
    assert len(set(rows.tolist())) == 4
    assert len(queries.typical_documents(Z, 9, np.arange(7), np.random.default_rng(0))) == 0


def test_given_labels_are_used_and_not_suggested_again(shifted):
    task, auto = shifted
    X, y, rows = stacked(task)
    chosen = auto.suggest(10)
    y[len(task.ys) + chosen] = task.yt[chosen]
    again = AutoTransfer(random_state=0).fit(X, y, rows, use_target_labels=True)
    assert (again.transduction_[chosen] == task.yt[chosen]).all()
    assert not set(again.suggest(10)) & set(chosen)


def test_given_labels_correct_the_panel_and_need_no_review(shifted):
    task, auto = shifted
    X, y, rows = stacked(task)
    chosen = auto.suggest(60)
    wrong = (auto.transduction_[chosen] + 1) % 3  # the panel does not use these labels
    y[len(task.ys) + chosen] = wrong
    again = AutoTransfer(target_error=0.0, random_state=0).fit(X, y, rows, use_target_labels=True)
    predicted = again.state_.assessment.members.codes[0][chosen]
    assert (predicted != wrong).mean() > 0.5
    others = np.setdiff1d(np.arange(240), chosen)
    assert (again.transduction_[others] != auto.transduction_[others]).mean() > 0.2
    assert not again.needs_review_[chosen].any()
    assert again.needs_review_[others].any()


def test_a_class_that_only_the_target_has_is_learned():
    task = vocabulary_shift(n_classes=3, n_docs=90)
    X, y, rows = stacked(task)
    of_source = np.append(task.ys < 2, np.ones(90, dtype=bool))
    y[90 + np.flatnonzero(task.yt == 2)[:20]] = 2
    auto = AutoTransfer(random_state=0).fit(X[of_source], y[of_source], rows[of_source], use_target_labels=True)
    assert auto.classes_.tolist() == [0, 1, 2]
    assert (auto.transduction_[task.yt == 2] == 2).mean() > 0.8


# -- the estimator ----------------------------------------------------------------------------------------------------
def test_a_vocabulary_shift_is_crossed(shifted):
    task, auto = shifted
    accuracy = (auto.transduction_ == task.yt).mean()
    source_only = SourceLR().transfer(task.Xs, task.ys, task.Xt)
    assert accuracy > (source_only == task.yt).mean() + 0.03
    assert accuracy > 0.95
    assert auto.verdict_.level == "doubtful"  # SourceLR is not confident: nine of ten words of a class are new
    assert auto.facts_ == ()
    estimated = auto.estimated_balanced_accuracy_
    assert estimated["low"] <= accuracy <= estimated["high"] + 0.01
    assert abs(estimated["mean"] - accuracy) < 0.16
    assert np.abs(auto.target_shares_ - 1 / 3).max() < 0.05
    assert auto.class_levels_ == dict.fromkeys(range(3), "doubtful")
    assert auto.changed_ == (source_only != auto.transduction_).mean()


def test_members_are_listed_with_weight_and_level(shifted):
    _, auto = shifted
    members = {member["method"]: member for member in auto.members_}
    assert auto.members_[0]["method"] == "SourceLR"
    assert len(members) == 8
    assert sum(member["weight"] for member in auto.members_) == pytest.approx(1)
    assert members["SourceLR"]["level"] == "cannot tell"
    assert members["EMNaiveBayes"]["level"] == "better"
    assert members["EMNaiveBayes"]["weight"] > members["SourceLR"]["weight"]
    assert all(member["seconds"] > 0 for member in auto.members_)


def test_confidence_is_calibrated_and_in_the_order_of_the_answer(shifted):
    _, auto = shifted
    assessment = auto.state_.assessment
    assert (auto.transduction_proba_.argmax(axis=1) == auto.transduction_).all()
    np.testing.assert_allclose(auto.transduction_proba_.max(axis=1), assessment.p_correct, atol=1e-6)
    votes = (assessment.members.codes == assessment.proba.argmax(axis=1)).mean(axis=0)
    all_agree = votes == 1
    order = np.argsort(margin(assessment.uncalibrated.astype(np.float64))[all_agree])
    assert (np.diff(assessment.p_correct[all_agree][order]) >= -1e-6).all()
    assert (auto.needs_review_ == assessment.review).all()


def test_target_error_decides_how_many_labels_are_reviewed():
    task = vocabulary_shift(n_classes=3, n_docs=240, common=0.22)
    auto, careful = (AutoTransfer(target_error=e, random_state=0).fit(*stacked(task)) for e in (0.05, 0.01))
    assert auto.verdict_.level == "safe"
    assert careful.needs_review_.sum() > auto.needs_review_.sum()
    p = careful.state_.assessment.p_correct
    assert (1 - p[~careful.needs_review_]).sum() <= 0.01 * (~careful.needs_review_).sum() + 1e-9


def test_a_class_prior_is_matched():
    task = vocabulary_shift(n_docs=120, common=0.3)
    auto = AutoTransfer(class_prior=[0.75, 0.25], random_state=0).fit(*stacked(task))
    assert (auto.transduction_ == 0).mean() == pytest.approx(0.75, abs=0.02)


def test_moved_class_proportions_are_found():
    task = vocabulary_shift(n_docs=400, common=0.3, target_balance=(0.9, 0.1))
    auto = AutoTransfer(random_state=0)
    labels = auto.transfer(task.Xs, task.ys, task.Xt)
    assert (labels == task.yt).mean() > 0.95
    assert np.abs(auto.target_shares_ - [0.9, 0.1]).max() < 0.06


def test_labels_without_a_meaning_are_not_called_safe():
    task = vocabulary_shift(n_docs=200)
    noise = np.random.default_rng(0).integers(2, size=200)
    auto = AutoTransfer(random_state=0)
    auto.transfer(task.Xs, noise, task.Xt)
    assert auto.verdict_.level == "unsafe"
    assert auto.estimated_balanced_accuracy_["mean"] < 0.65


def test_negative_features_keep_the_members_that_accept_them():
    task = vocabulary_shift(n_docs=120, common=0.4)
    rng = np.random.default_rng(0)
    turn = rng.normal(size=(task.Xs.shape[1], 20))
    auto = AutoTransfer(random_state=0)
    labels = auto.transfer(task.Xs @ turn, task.ys, task.Xt @ turn)
    names = {member["method"] for member in auto.members_}
    assert {"SourceLR", "LR(self-training)"} <= names
    assert not {"EMNaiveBayes", "HybridLabelPropagation"} & names
    assert (labels == task.yt).mean() > 0.8


def test_several_sources_and_a_saved_model(tmp_path):
    Xs, ys, Xt, _ = two_sources(n_docs=160)
    auto = AutoTransfer(random_state=0)
    auto.transfer(Xs, ys, Xt)
    auto.save(tmp_path / "auto.npz")
    again = load(tmp_path / "auto.npz")
    assert (again.predict(Xt) == auto.predict(Xt)).all()
    assert again.verdict_ == auto.verdict_
    assert again.members_ == auto.members_
    assert again.facts_ == auto.facts_
    assert again.changed_ == auto.changed_
    assert again.estimated_balanced_accuracy_ == auto.estimated_balanced_accuracy_
    assert np.array_equal(again.needs_review_, auto.needs_review_)
    assert (auto.predict(Xt) == auto.transduction_).mean() > 0.95  # the student


def test_documents_without_words_need_review():
    task = vocabulary_shift(n_docs=120)
    Xt = sp.csr_array(sp.vstack([task.Xt, sp.csr_array((2, task.Xt.shape[1]))]))
    auto = AutoTransfer(random_state=0)
    auto.transfer(task.Xs, task.ys, Xt)
    assert auto.needs_review_[-2:].all()
    assert len(auto.needs_review_) == 122
    assert (auto.suggest(20) < 120).all()


def test_a_target_without_words_is_all_for_review():
    task = vocabulary_shift(n_docs=40)
    auto = AutoTransfer(random_state=0)
    auto.transfer(task.Xs, task.ys, sp.csr_array((5, task.Xs.shape[1])))
    assert auto.needs_review_.all()
    assert len(auto.suggest(3)) == 0


def test_every_stage_is_expected_and_announced(stages):
    with listen(stages):
        AutoTransfer(random_state=0).fit(*stacked(vocabulary_shift(n_docs=60)))
    assert stages.begun[0] == "SourceLR"
    assert stages.begun[-1] == "assessing the answer"
    assert len(stages.begun) == stages.expected.total() == 9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["orgs vs people", "people vs places turned"])
def test_reuters(corpus, name):
    data = TASKS[f"reuters/{name}"].load(path=corpus("reuters_crossdomain"))
    auto = AutoTransfer(random_state=0)
    accuracy = (auto.transfer(data.Xs, data.ys, data.Xt) == data.yt).mean()
    before = (SourceLR().transfer(data.Xs, data.ys, data.Xt) == data.yt).mean()
    assert accuracy > before + 0.02
    assert abs(accuracy - before) <= auto.changed_
    assert auto.verdict_.level != "safe" or accuracy > 0.8
    # The interval does not contain the accuracy: all members give some groups the wrong class and agree on it, so that
    # the mean estimate of the Reuters tasks is .89 and .75 is true (docs/methods/auto.md).


@pytest.mark.slow
def test_forty_answers_on_reuters(corpus):
    data = TASKS["reuters/people vs places turned"].load(path=corpus("reuters_crossdomain"))
    auto = AutoTransfer(random_state=0)
    before = auto.transfer(data.Xs, data.ys, data.Xt) == data.yt
    order = np.random.default_rng(0).permutation(np.flatnonzero(auto.in_fit_))
    rows, others = np.sort(order[:40]), order[40:]
    inputs, codes = auto.pool_inputs_, np.searchsorted(auto.classes_, data.yt)
    position = np.cumsum(auto.in_fit_) - 1
    P = pool_labels(inputs, fit_pool(inputs, position[rows], codes[rows]), position[rows], codes[rows])
    after = P.argmax(axis=1)[position[others]] == codes[others]
    assert after.mean() > before[others].mean() + 0.08


def test_a_harmful_source_is_named_and_dropped():
    first, second = vocabulary_shift(n_docs=160, common=0.4), vocabulary_shift(n_docs=160, common=0.4, seed=1)
    auto = AutoTransfer(random_state=0)
    labels = auto.transfer([first.Xs, second.Xs, second.Xs], [first.ys, second.ys, 1 - second.ys], first.Xt)
    assert (labels == first.yt).mean() > 0.9
    used = {row["source"]: row["used"] for row in auto.sources_}
    assert used == {"source 1": True, "source 2": True, "source 3": False}
    assert auto.sources_[-1]["source"] == "source 3"
    alone = AutoTransfer(random_state=0)
    alone.transfer(first.Xs, first.ys, first.Xt)
    assert [row["used"] for row in alone.sources_] == [True]


def test_one_more_member_uses_a_second_view(stages):
    task = vocabulary_shift(n_docs=160)
    X, y, rows = stacked(task)
    truth = np.concatenate([task.ys, task.yt])
    view = np.eye(2)[truth] + 0.3 * np.random.default_rng(0).normal(size=(320, 2))
    auto = AutoTransfer(random_state=0).fit(X, y, rows, second_view=view)
    members = [member for member in auto.members_ if member["method"] == CO_TRAINING]
    assert len(members) == 1
    assert {member["level"] for member in members} == {"better"}
    assert all(member["weight"] > 0 for member in members)
    listed = AutoTransfer(random_state=0)
    with listen(stages):
        listed.fit(X.toarray().tolist(), y, rows, second_view=view.tolist())
    assert CO_TRAINING in stages.begun
    assert (listed.transduction_ == auto.transduction_).all()
    with pytest.raises(ValueError, match="second_view must have one row per row of X, 320; got 3"):
        AutoTransfer().fit(X, y, rows, second_view=view[:3])


def test_several_targets_are_assessed_together_and_one_may_have_no_words():
    task = vocabulary_shift(n_classes=3, n_docs=120)
    nothing = sp.csr_array((4, task.Xt.shape[1]))
    X = sp.csr_array(sp.vstack([task.Xt[:60], nothing, task.Xs, task.Xt[60:]], format="csr"))
    y = np.concatenate([np.full(64, -1), task.ys, np.full(60, -1)])
    rows = np.repeat([-2, -3, 1, -4], [60, 4, 120, 60])
    auto = AutoTransfer(random_state=0).fit(X, y, rows)
    with_words = np.r_[:60, 64:124]
    assert (auto.transduction_[with_words] == task.yt).mean() > 0.9
    assert auto.needs_review_.shape == (124,)
    assert auto.needs_review_[60:64].all()
    assert np.isin(auto.suggest(200), with_words).all()
    assert len(auto.suggest(200)) == 120


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_target", [1, 2])
def test_tiny_corpora(n_target, dtype):
    Xs = np.array([[3, 1, 0, 0], [2, 0, 0, 1], [0, 0, 2, 1], [0, 1, 3, 0]], dtype=dtype)
    auto = AutoTransfer(random_state=0)
    labels = auto.transfer(Xs, ["a", "a", "b", "b"], Xs[[0, 3]][:n_target])
    assert labels.tolist() == ["a", "b"][:n_target]
    assert auto.transduction_proba_.dtype == dtype
    assert len(auto.suggest(5)) == n_target
    assert auto.verdict_.level == "doubtful"
    assert auto.estimated_accuracy_["mean"] is auto.estimated_balanced_accuracy_["mean"] is None
    assert "LR(common words)" not in {member["method"] for member in auto.members_}
    assert {"few labelled documents", "few new documents"} <= {fact.name for fact in auto.facts_}


def test_the_same_seed_gives_the_same_labels(shifted):
    task, auto = shifted
    again = AutoTransfer(random_state=0)
    again.transfer(task.Xs, task.ys, task.Xt)
    assert np.array_equal(again.transduction_proba_, auto.transduction_proba_)
    assert np.array_equal(again.suggest(10), auto.suggest(10))


# -- two members of its own -------------------------------------------------------------------------------------------
def test_source_nb_is_the_start_of_em():
    task = vocabulary_shift(n_classes=3)
    em = EMNaiveBayes(max_iter=1)
    em.transfer(task.Xs, task.ys, task.Xt)
    nb = SourceNB()
    nb.transfer(task.Xs, task.ys, task.Xt)
    N = task.Xt.T @ nb.transduction_proba_ + task.Xs.T @ np.eye(3)[task.ys] + 0.1
    assert np.allclose(em.state_.log_theta, np.log(N / N.sum(axis=0)))


def test_smoothing_equals_the_loops_and_without_it_is_source_lr(monkeypatch):
    monkeypatch.setattr(SmoothedLR, "sorts", False)  # equal cosines: the lower row first, as in the loops
    task = vocabulary_shift(n_docs=40, common=0.3)
    source = SourceLR(class_weight=None, weighting="given")
    source.transfer(task.Xs, task.ys, task.Xt)
    bare = SmoothedLR(smoothness=0.0)
    bare.transfer(task.Xs, task.ys, task.Xt)
    assert np.allclose(bare.transduction_proba_, source.transduction_proba_)
    smoothed = SmoothedLR(5, smoothness=0.7, n_rounds=3)
    smoothed.transfer(task.Xs, task.ys, task.Xt)
    cosine = (task.Xt @ task.Xt.T).toarray()
    np.fill_diagonal(cosine, 0)
    near = np.zeros_like(cosine)
    for i, row in enumerate(cosine):
        best = np.argsort(-row, kind="stable")[:5]
        near[i, best] = row[best]
    W = np.maximum(near, near.T)
    P = F = source.transduction_proba_
    for _ in range(3):
        F = np.array([0.3 * P[i] + 0.7 * W[i] @ F / W[i].sum() for i in range(len(P))])
    assert np.allclose(smoothed.transduction_proba_, F)
    far = sp.csr_array(([1.0], ([0], [0])), shape=(1, task.Xt.shape[1] + 1))[:, ::-1]  # a word of its own
    wide = [sp.csr_array(sp.hstack([X, sp.csr_array((40, 1))])) for X in (task.Xs, task.Xt)]
    alone = SmoothedLR().fit(sp.vstack([*wide, far]), np.append(task.ys, np.full(41, -1)))
    source.fit(sp.vstack([*wide, far]), np.append(task.ys, np.full(41, -1)))
    assert np.allclose(alone.transduction_proba_[-1], source.transduction_proba_[-1])


def test_a_model_with_empty_documents_is_saved_and_loaded(tmp_path):
    task = vocabulary_shift(n_docs=60, common=0.3)
    Xt = sp.vstack([task.Xt, sp.csr_array((2, task.Xt.shape[1]))], format="csr")
    auto = AutoTransfer(random_state=0)
    auto.transfer(task.Xs, task.ys, Xt)
    auto.save(tmp_path / "auto.npz")
    again = load(tmp_path / "auto.npz")
    np.testing.assert_array_equal(again.transduction_, auto.transduction_)
    np.testing.assert_array_equal(again.needs_review_, auto.needs_review_)
