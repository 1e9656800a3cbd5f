"""AutoTransfer and its parts: the blend, the judging, the questions."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from labelferry import AutoTransfer, EMNaiveBayes, SmoothedLR, SourceLR, SourceNB, load
from labelferry.assessment.agreement import kappa, margin, most_confident, set_top_probability
from labelferry.assessment.cluster_evidence import MIXTURES, SOURCE_ONLY, ClusterEvidence
from labelferry.assessment.confidence import estimate_confidence, needs_review, neighbor_similarities
from labelferry.assessment.verdict import judge, judge_classes, judge_members, level_of
from labelferry.bench.tasks import TASKS
from labelferry.core.domains import read_domains
from labelferry.core.progress import listen
from labelferry.ensemble import queries as suggest
from labelferry.ensemble.blend import blend, keep_label_proportions, label_proportions, rank_calibrate
from labelferry.families.linear import held_out_source_accuracy

from .planted import stacked, two_sources, vocabulary_shift

PARTS = settings(max_examples=30, deadline=None)


def probabilities(rng, n=60, c=3):
    return rng.dirichlet(np.full(c, 0.7), size=n)


@pytest.fixture(scope="module")
def shifted():
    """Where EM finds the classes: a vocabulary shift."""
    task = vocabulary_shift(n_classes=3, n_docs=240, common=0.12)
    auto = AutoTransfer(random_state=0)
    auto.transfer(task.Xs, task.ys, task.Xt)
    return task, auto


# -- the blend --------------------------------------------------------------------------------------------------------
@PARTS
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_kappa_is_cohens(seed, c):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(c, size=(2, 40))
    assert kappa(a, b) == pytest.approx(cohen_kappa_score(a, b), abs=1e-12)


@PARTS
@given(st.integers(0, 10_000), st.integers(2, 5), st.floats(0, 0.9))
def test_spread_keeps_the_labels_and_the_order_of_certainty(seed, c, floor):
    P = probabilities(np.random.default_rng(seed), c=c)
    S = rank_calibrate(P, floor)
    assert np.allclose(S.sum(axis=1), 1)
    assert (S.argmax(axis=1) == P.argmax(axis=1)).all()
    if c == 2:
        assert (np.diff(S.max(axis=1)[np.argsort(margin(P))]) >= -1e-12).all()


def test_spread_makes_certain_and_timid_members_equal():
    P = probabilities(np.random.default_rng(0), c=2)
    sharp = P**4 / (P**4).sum(axis=1, keepdims=True)
    assert np.allclose(rank_calibrate(P), rank_calibrate(sharp))


@PARTS
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_hold_shares_reaches_the_shares(seed, c):
    rng = np.random.default_rng(seed)
    P = probabilities(rng, n=400, c=c)
    wanted = rng.dirichlet(np.full(c, 5.0))
    assert np.abs(label_proportions(keep_label_proportions(P, wanted)) - wanted).max() < 0.03


def test_surest_is_a_fifth_of_every_class():
    P = probabilities(np.random.default_rng(1), n=300)
    rows = most_confident(P)
    codes = P.argmax(axis=1)
    for c in range(3):
        mine = codes[rows] == c
        assert mine.sum() == round(0.2 * (codes == c).sum())
        left = np.setdiff1d(np.flatnonzero(codes == c), rows)
        assert margin(P)[rows[mine]].min() >= margin(P)[left].max()


def panel_of(source, few, many, **others):
    return {SOURCE_ONLY: source, MIXTURES[0]: few, MIXTURES[1]: many, **others}


def test_a_mixture_that_drifts_is_not_followed():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    source = np.eye(2)[np.where(rng.random(400) < 0.8, y, 1 - y)] * 0.8 + 0.1
    topics = np.eye(2)[rng.integers(2, size=400)]  # clusters that have nothing to do with the classes
    stable_drift = panel_of(source, topics, topics)
    assert (blend(stable_drift).proba.argmax(axis=1) == source.argmax(axis=1)).all()
    unstable = panel_of(source, topics, np.eye(2)[rng.integers(2, size=400)])
    assert (blend(unstable).proba.argmax(axis=1) == source.argmax(axis=1)).all()


def test_a_mixture_that_is_stable_and_keeps_what_is_sure_leads():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    wrong = rng.random(400) < 0.3
    sure = np.where(wrong, 0.55, rng.uniform(0.6, 0.95, 400))
    says = np.where(wrong, 1 - y, y)
    source = np.where(np.arange(2) == says[:, None], sure[:, None], 1 - sure[:, None])
    clusters = np.eye(2)[y]
    found = blend(panel_of(source, clusters, clusters, other=clusters, strange=np.eye(2)[1 - y]))
    assert (found.proba.argmax(axis=1) == y).all()
    assert sum(found.weights.values()) == pytest.approx(1)
    assert found.weights["other"] > 0
    assert "strange" not in found.weights


# -- the judging ------------------------------------------------------------------------------------------------------
def test_the_chance_to_be_right_grows_with_the_margin_and_is_right_on_average():
    task = vocabulary_shift(n_docs=300, common=0.3)
    P = SourceLR().fit(*stacked(task)).transduction_proba_
    found = estimate_confidence(P, neighbor_similarities(task.Xt), P.argmax(axis=1))
    assert (np.diff(found.p_correct[np.argsort(margin(P))]) >= -1e-9).all()
    assert found.p_correct.mean() == pytest.approx(found.accuracy, abs=0.02)
    assert found.interval[0] <= found.accuracy <= found.interval[1]
    sure = set_top_probability(P, found.p_correct)
    assert (sure.argmax(axis=1) == P.argmax(axis=1)).all()
    assert np.allclose(sure.max(axis=1), np.maximum(found.p_correct, 0.5), atol=1e-6)
    assert estimate_confidence(
        P, neighbor_similarities(task.Xt), P.argmax(axis=1), ceiling=0.6
    ).accuracy == pytest.approx(0.65)


@PARTS
@given(st.integers(0, 10_000), st.floats(0, 0.5))
def test_what_is_not_reviewed_is_expected_to_be_right(seed, target_error):
    right = np.random.default_rng(seed).uniform(0.5, 1, 80)
    review = needs_review(right, target_error)
    kept = right[~review]
    if len(kept):
        assert (1 - kept).mean() <= target_error + 1e-12
    assert review[right < 0.6].all()
    if (review & (right >= 0.6)).any():  # one more would be too many
        more = np.append(kept, right[review].max())
        assert (1 - more).mean() > target_error


def test_members_are_judged_by_the_answer():
    answer = np.arange(100) % 2
    few, many = answer.copy(), answer.copy()
    few[:20] = 1 - few[:20]
    many[:30] = 1 - many[:30]
    eye = np.eye(2)
    levels = judge_members({SOURCE_ONLY: eye[few], "good": eye[answer], "bad": eye[many]}, answer)
    assert levels == {SOURCE_ONLY: "safe", "good": "safe", "bad": "unsafe"}


def test_levels_and_words():
    assert [level_of(a) for a in (0.95, 0.7, 0.4)] == ["safe", "doubtful", "unsafe"]
    verdict = judge(0.7, (0.5, 0.8), ClusterEvidence(0.2, 0.9))
    assert verdict.level == "doubtful"
    assert "70%" in verdict.reasons[0]
    assert "not clear groups" in verdict.reasons[1]


def test_a_wide_interval_is_named_as_the_reason_for_doubt():
    verdict = judge(0.98, (0.46, 1.0), ClusterEvidence(0.9, 0.9))
    assert verdict.level == "doubtful"
    assert "not safe because the lower end of this range, 46%, is below 60%" in verdict.reasons[1]


@pytest.mark.parametrize(("stable", "kept", "drifts", "leaves"), [(0.2, 0.9, 1, 0), (0.9, 0.1, 0, 1), (0.2, 0.1, 1, 1)])
def test_the_reason_says_which_test_failed(stable, kept, drifts, leaves):
    reason = judge(0.7, (0.5, 0.8), ClusterEvidence(stable, kept)).reasons[1]
    assert ("changes with its settings" in reason) == drifts
    assert ("contradicts confident predictions" in reason) == leaves


def test_a_class_without_a_document_is_not_called_safe():
    assert judge_classes(np.array([0.9, 0.9]), np.array([0, 0]), 2) == ["safe", "unsafe"]


# -- the questions ----------------------------------------------------------------------------------------------------
def test_left_out_errors_equal_the_literal_ones():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(12, 4))
    K, R = suggest.covariance(Z, Z), rng.normal(size=(12, 2))
    literal = []
    for i in range(12):
        rest = np.delete(np.arange(12), i)
        G = K[np.ix_(rest, rest)] + suggest.NOISE * np.eye(11)
        literal.append(R[i] - K[i, rest] @ np.linalg.solve(G, R[rest]))
    assert suggest._leave_one_out_error(K, R) == pytest.approx(np.mean(np.square(literal)))


def test_answers_spread_to_like_documents_only():
    Z = np.repeat(np.eye(2), 50, axis=0)  # two groups of documents
    P = np.tile([0.6, 0.4], (100, 1))
    Q = suggest.update_with_labels(P, Z, np.array([0, 1, 2]), np.array([1, 1, 1]))
    assert (Q[:50].argmax(axis=1) == 1).all()
    assert np.allclose(Q[50:], P[50:])


def test_questions_are_new_and_telling(shifted):
    _, auto = shifted
    rows = auto.suggest(15)
    assert len(set(rows.tolist())) == 15
    assert margin(auto.state_.assessment.uncalibrated)[rows].mean() < margin(auto.state_.assessment.uncalibrated).mean()
    with pytest.raises(ValueError, match="n must be at least 1"):
        auto.suggest(0)


def test_answers_are_learnt_and_not_asked_for_again(shifted):
    task, auto = shifted
    X, y, rows = stacked(task)
    asked = auto.suggest(10)
    y[len(task.ys) + asked] = task.yt[asked]
    again = AutoTransfer(random_state=0).fit(X, y, rows, use_target_labels=True)
    assert (again.transduction_[asked] == task.yt[asked]).all()
    assert not set(again.suggest(10)) & set(asked)


def test_given_labels_show_where_the_panel_errs_and_need_no_review(shifted):
    task, auto = shifted
    X, y, rows = stacked(task)
    asked = auto.suggest(60)
    wrong = (auto.transduction_[asked] + 1) % 3  # the panel knows better, but not that it has been told otherwise
    y[len(task.ys) + asked] = wrong
    again = AutoTransfer(target_error=0.0, random_state=0).fit(X, y, rows, use_target_labels=True)
    said = again.state_.assessment.members.codes[0][asked]
    assert (said != wrong).mean() > 0.5
    others = np.setdiff1d(np.arange(240), asked)
    assert (again.transduction_[others] != auto.transduction_[others]).mean() > 0.2
    assert not again.needs_review_[asked].any()
    assert again.needs_review_[others].any()


def test_a_class_that_only_the_target_has_is_learnt():
    task = vocabulary_shift(n_classes=3, n_docs=90)
    X, y, rows = stacked(task)
    of_source = np.append(task.ys < 2, np.ones(90, dtype=bool))
    y[90 + np.flatnonzero(task.yt == 2)[:20]] = 2
    auto = AutoTransfer(random_state=0).fit(X[of_source], y[of_source], rows[of_source], use_target_labels=True)
    assert auto.classes_.tolist() == [0, 1, 2]
    assert (auto.transduction_[task.yt == 2] == 2).mean() > 0.8


def test_many_answers_are_all_kept(monkeypatch):
    monkeypatch.setattr(suggest, "MAX_LABELS", 5)
    rng = np.random.default_rng(0)
    P, Z = probabilities(rng), rng.normal(size=(60, 4))
    rows, codes = np.arange(30), rng.integers(3, size=30)
    assert np.array_equal(suggest.update_with_labels(P, Z, rows, codes)[:30], np.eye(3)[codes])


# -- the estimator ----------------------------------------------------------------------------------------------------
def test_a_shift_of_vocabulary_is_crossed(shifted):
    task, auto = shifted
    right = (auto.transduction_ == task.yt).mean()
    assert right > (SourceLR().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    assert right > 0.95
    assert auto.verdict_.level == "safe"
    assert abs(auto.estimated_accuracy_["mean"] - right) < 0.06
    assert np.abs(auto.target_shares_ - 1 / 3).max() < 0.05
    assert auto.members_[0]["method"] == "SourceLR"
    assert sum(member["weight"] for member in auto.members_) == pytest.approx(1)
    assert set(auto.class_levels_) == {0, 1, 2}


def test_moved_shares_are_found():
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
    assert auto.estimated_accuracy_["mean"] < 0.65


def test_negative_features_leave_the_members_that_take_them():
    task = vocabulary_shift(n_docs=120, common=0.4)
    rng = np.random.default_rng(0)
    turn = rng.normal(size=(task.Xs.shape[1], 20))
    auto = AutoTransfer(random_state=0)
    labels = auto.transfer(task.Xs @ turn, task.ys, task.Xt @ turn)
    assert {"SourceLR", "SmoothedLR"} <= {member["method"] for member in auto.members_}
    assert "TCL" not in {member["method"] for member in auto.members_}
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
    assert (auto.predict(Xt) == auto.transduction_).mean() > 0.95  # the student


def test_documents_without_words_need_review():
    task = vocabulary_shift(n_docs=120)
    Xt = sp.csr_array(sp.vstack([task.Xt, sp.csr_array((2, task.Xt.shape[1]))]))
    auto = AutoTransfer(random_state=0)
    auto.transfer(task.Xs, task.ys, Xt)
    assert auto.needs_review_[-2:].all()
    assert len(auto.needs_review_) == 122
    assert (auto.suggest(20) < 120).all()


def test_a_target_without_a_single_word_is_all_for_review():
    task = vocabulary_shift(n_docs=40)
    auto = AutoTransfer(random_state=0)
    auto.transfer(task.Xs, task.ys, sp.csr_array((5, task.Xs.shape[1])))
    assert auto.needs_review_.all()
    assert len(auto.suggest(3)) == 0


def test_the_label_stays_the_first_in_single_precision():
    P = np.array([[0.2, 0.8], [0.6, 0.4]])
    assert set_top_probability(P, np.array([0.5, 0.5])).astype(np.float32).argmax(axis=1).tolist() == [1, 0]


def test_every_stage_is_expected_and_announced(stages):
    with listen(stages):
        AutoTransfer(random_state=0).fit(*stacked(vocabulary_shift(n_docs=60)))
    assert stages.begun[0] == "SourceLR"
    assert stages.begun[-1] == "assessing the answer"
    assert len(stages.begun) == stages.expected == 10


@pytest.mark.parametrize("name", ["orgs vs people", "people vs places turned"])
def test_reuters(corpus, name):
    data = TASKS[f"reuters/{name}"].load(path=corpus("reuters_crossdomain"))
    auto = AutoTransfer(random_state=0)
    right = (auto.transfer(data.Xs, data.ys, data.Xt) == data.yt).mean()
    assert right > (SourceLR().transfer(data.Xs, data.ys, data.Xt) == data.yt).mean() + 0.03
    assert auto.estimated_accuracy_["low"] <= right <= auto.estimated_accuracy_["high"]


def test_a_source_that_hurts_is_named_and_left_out():
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


def test_a_second_view_joins_the_panel(stages):
    task = vocabulary_shift(n_docs=160)
    X, y, rows = stacked(task)
    truth = np.concatenate([task.ys, task.yt])
    view = np.eye(2)[truth] + 0.3 * np.random.default_rng(0).normal(size=(320, 2))
    auto = AutoTransfer(random_state=0).fit(X, y, rows, second_view=view)
    member = next(member for member in auto.members_ if member["method"] == "second view")
    assert member["level"] == "safe"
    listed = AutoTransfer(random_state=0)
    with listen(stages):
        listed.fit(X.toarray().tolist(), y, rows, second_view=view.tolist())
    assert "second view" in stages.begun
    assert (listed.transduction_ == auto.transduction_).all()
    with pytest.raises(ValueError, match="second_view must have one row per row of X, 320; got 3"):
        AutoTransfer().fit(X, y, rows, second_view=view[:3])


def test_several_targets_are_judged_as_one_and_one_may_be_without_words():
    task = vocabulary_shift(n_classes=3, n_docs=120)
    nothing = sp.csr_array((4, task.Xt.shape[1]))
    X = sp.csr_array(sp.vstack([task.Xt[:60], nothing, task.Xs, task.Xt[60:]], format="csr"))
    y = np.concatenate([np.full(64, -1), task.ys, np.full(60, -1)])
    rows = np.repeat([-2, -3, 1, -4], [60, 4, 120, 60])
    auto = AutoTransfer(random_state=0).fit(X, y, rows)
    speaking = np.r_[:60, 64:124]
    assert (auto.transduction_[speaking] == task.yt).mean() > 0.9
    assert auto.needs_review_.shape == (124,)
    assert auto.needs_review_[60:64].all()
    assert np.isin(auto.suggest(200), speaking).all()
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
    assert auto.verdict_.level != "safe"


def test_the_ceiling_is_what_was_held_out():
    X = sp.csr_array(np.eye(4)[[0, 1, 1, 0, 2]])
    turned = read_domains(X, np.array([0, 0, 1, 1, -1]), np.array([1, 1, 1, 1, -2]), estimator="test")
    assert held_out_source_accuracy(turned) == 0.0  # one half turns the other round, which is not the same as unknown
    single = read_domains(X, np.array([0, 0, 0, 1, -1]), np.array([1, 1, 1, 1, -2]), estimator="test")
    assert held_out_source_accuracy(single) == 0.75  # unknown, and not to be trusted


def test_the_same_seed_gives_the_same_answer(shifted):
    task, auto = shifted
    again = AutoTransfer(random_state=0)
    again.transfer(task.Xs, task.ys, task.Xt)
    assert np.array_equal(again.transduction_proba_, auto.transduction_proba_)
    assert np.array_equal(again.suggest(10), auto.suggest(10))


# -- two members of its own -------------------------------------------------------------------------------------------
def test_source_nb_is_where_em_begins():
    task = vocabulary_shift(n_classes=3)
    em = EMNaiveBayes(max_iter=1)
    em.transfer(task.Xs, task.ys, task.Xt)
    nb = SourceNB()
    nb.transfer(task.Xs, task.ys, task.Xt)
    N = task.Xt.T @ nb.transduction_proba_ + task.Xs.T @ np.eye(3)[task.ys] + 0.1
    assert np.allclose(em.state_.log_theta, np.log(N / N.sum(axis=0)))


def test_smoothing_equals_the_loops_and_nothing_is_the_source():
    task = vocabulary_shift(n_docs=40, common=0.3)
    source = SourceLR(C=10.0)
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
