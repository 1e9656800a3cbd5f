"""What can be estimated about labels without the true ones: signals, estimates, confidence, facts and the verdict."""

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score

from labelferry.assessment import facts as facts_module
from labelferry.assessment.agreement import (
    balanced_accuracy,
    chance_corrected_recall,
    kappa,
    margin,
    mean_kappas,
    most_confident,
    set_top_probability,
)
from labelferry.assessment.assessment import PanelPredictions, assess, judge, judge_classes, judge_members, overrule
from labelferry.assessment.calibration import Levels, MemberLimits, from_dict, load_calibration
from labelferry.assessment.confidence import ConfidenceCoefficients, confidence, confidence_features, needs_review
from labelferry.assessment.copies import first_of_copies, nearest_others
from labelferry.assessment.estimate import Estimate, EstimateCoefficients, estimate
from labelferry.assessment.facts import TargetFacts, target_facts
from labelferry.assessment.proportions import estimate_proportions
from labelferry.assessment.rules import (
    MIN_SAFE_ANSWERS,
    Fact,
    Seen,
    few_answers,
    few_short_texts,
    find_facts,
    most_are_marked,
)
from labelferry.assessment.signals import Signals, read_signals, thresholded_confidence
from labelferry.assessment.verdict import LEVELS

from ..planted import as_domains, vocabulary_shift

EXAMPLES = settings(max_examples=40, deadline=None)
UNIT = st.floats(-1, 1)


def probabilities(rng, n=60, c=3):
    return rng.dirichlet(np.full(c, 0.7), size=n)


def one_hot(codes, top=0.9):
    return np.where(np.arange(2) == np.asarray(codes)[:, None], top, 1 - top)


@pytest.fixture(scope="module")
def calibration():
    """The one of this version, with limits of its own."""
    limits = {"members": MemberLimits(-0.4, 0.1), "levels": Levels(0.8, 0.55)}
    return load_calibration()._replace(**limits)


# -- agreement --------------------------------------------------------------------------------------------------------
@EXAMPLES
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_kappa_is_cohens(seed, c):
    a, b = np.random.default_rng(seed).integers(c, size=(2, 40))
    assert kappa(a, b) == pytest.approx(cohen_kappa_score(a, b), abs=1e-12)


def test_kappa_of_constant_labels_is_0():
    zeros, ones = np.zeros(9, dtype=int), np.ones(9, dtype=int)
    assert kappa(zeros, zeros) == kappa(zeros, ones) == kappa(ones, np.arange(9) % 2) == 0


def test_mean_kappas_by_hand():
    a, b, c = (np.random.default_rng(s).integers(3, size=50) for s in range(3))
    ab, ac, bc = (cohen_kappa_score(*pair) for pair in ((a, b), (a, c), (b, c)))
    assert mean_kappas([a, b, c]) == pytest.approx([(ab + ac) / 2, (ab + bc) / 2, (ac + bc) / 2])
    assert mean_kappas([a]) == [1.0]


def test_most_confident_is_a_fifth_of_each_class():
    P = probabilities(np.random.default_rng(1), n=300)
    rows, codes = most_confident(P), P.argmax(axis=1)
    for c in range(3):
        chosen = codes[rows] == c
        assert chosen.sum() == round(0.2 * (codes == c).sum())
        rest = np.setdiff1d(np.flatnonzero(codes == c), rows)
        assert margin(P)[rows[chosen]].min() >= margin(P)[rest].max()


def test_the_label_stays_the_first_in_single_precision():
    P = np.array([[0.2, 0.8], [0.6, 0.4]])
    assert set_top_probability(P, np.array([0.5, 0.5])).astype(np.float32).argmax(axis=1).tolist() == [1, 0]


@EXAMPLES
@given(st.integers(0, 10_000))
def test_balanced_accuracy_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    truth, codes = np.append(np.arange(3), rng.integers(3, size=40)), rng.integers(3, size=43)
    assert balanced_accuracy(codes, truth, 3) == pytest.approx(balanced_accuracy_score(truth, codes))
    expected = balanced_accuracy_score(truth, codes, adjusted=True)
    assert chance_corrected_recall(np.eye(3)[codes], truth) == pytest.approx(expected)


def test_held_out_accuracy_without_documents_is_0():
    assert chance_corrected_recall(np.zeros((0, 3)), np.zeros(0, dtype=int)) == 0


# -- signals and estimates --------------------------------------------------------------------------------------------
def test_thresholded_confidence_by_hand():
    tops = np.array([0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.58, 0.55])
    held_out = np.stack([tops, 1 - tops], axis=1)
    codes = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 0])  # two of ten are wrong
    threshold = np.quantile(tops, 0.2)
    assert 0.58 < threshold < 0.6
    P = np.array([[0.9, 0.1], [0.3, 0.7], [0.585, 0.415], [0.55, 0.45]])
    assert thresholded_confidence(held_out, codes, P) == pytest.approx((0.5 - 0.5) / 0.5)
    P[2] = 0.61, 0.39
    assert thresholded_confidence(held_out, codes, P) == pytest.approx((0.75 - 0.5) / 0.5)
    assert thresholded_confidence(held_out[:0], codes[:0], P) == 0


def test_signals_by_hand():
    truth = np.array([0, 0, 1, 1])
    signals = read_signals(np.array([0.2, 0.6]), one_hot([0, 0, 1, 0]), truth, one_hot([0, 1]))
    assert signals.agreement == pytest.approx(0.4)
    assert signals.held_out == pytest.approx(0.5)
    assert signals.confident == pytest.approx(1)


def test_estimate_by_hand():
    c = EstimateCoefficients(0.1, product=0.8, confident=0.2, views=0.5, two_sided=0.15, one_sided=0.1, conflict=1.5)
    value = 0.1 + 0.8 * (0.9 * 0.5) + 0.2 * 0.4
    mean = 1 / 3 + 2 / 3 * value
    found = estimate(Signals(0.9, 0.5, 0.4), 3, c)
    assert found == pytest.approx((mean, mean - 0.225, mean + 0.225, mean - 0.15)), "0.9 and 0.5 contradict each other"
    assert found.as_dict() == {"mean": found.mean, "low": found.low, "high": found.high}
    assert estimate(Signals(0.9, 0.5, 0.4, 0.2), 3, c).mean == pytest.approx(mean + 2 / 3 * 0.1)


def test_the_interval_widens_if_the_signals_contradict_each_other():
    c = EstimateCoefficients(0.0, product=1.0, confident=0.0, views=0.0, two_sided=0.1, one_sided=0.08, conflict=1.3)
    near, far = estimate(Signals(0.9, 0.56, 0.4), 2, c), estimate(Signals(0.9, 0.54, 0.4), 2, c)
    assert near == pytest.approx((near.mean, near.mean - 0.1, near.mean + 0.1, near.mean - 0.08))
    assert far == pytest.approx((far.mean, far.mean - 0.13, far.mean + 0.13, far.mean - 0.104))
    assert load_calibration().balanced.conflict >= 1
    assert load_calibration().accuracy.conflict >= 1


@EXAMPLES
@given(UNIT, UNIT, UNIT, st.integers(2, 20))
def test_estimates_are_between_chance_and_one(held_out, agreement, confident, n_classes):
    for c in (load_calibration().balanced, load_calibration().accuracy):
        e = estimate(Signals(held_out, agreement, confident), n_classes, c)
        assert 0 <= e.low <= e.mean <= e.high <= 1
        assert 0 <= e.lower <= e.mean
        assert 1 / n_classes - 1e-12 <= e.mean < 1


@EXAMPLES
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_better_signals_never_lower_the_estimate(held_out, agreement, confident):
    c = load_calibration().balanced
    before = estimate(Signals(held_out, agreement, confident), 2, c).mean
    signals = Signals(held_out, agreement, confident)
    for name in ("held_out", "agreement", "confident", "views"):
        better = signals._replace(**{name: 1.0})
        assert estimate(better, 2, c).mean >= before - 1e-12


# -- confidence -------------------------------------------------------------------------------------------------------
def test_confidence_by_hand():
    P = np.array([[0.9, 0.1], [0.4, 0.6], [0.55, 0.45]])
    F = confidence_features(P, {"a": np.array([0, 1, 1]), "b": np.array([0, 0, 1])}, 0.8)
    np.testing.assert_allclose(F, [[logit(0.8), 1, 2.5 / 3], [logit(0.8), 0.5, 1.5 / 3], [logit(0.8), 0, 0.5 / 3]])
    c = ConfidenceCoefficients(-1.0, 0.5, 2.0, 3.0)
    np.testing.assert_allclose(confidence(F, c), expit(-1 + F @ [0.5, 2, 3]))


def test_confidence_grows_with_votes_and_rank_and_accuracy():
    c = load_calibration().confidence
    votes, rank, accuracy = (
        np.array([[1.0, v, r], [1.0, v2, r2], [2.0, v, r]])
        for v, v2, r, r2 in (
            (0.2, 0.9, 0.5, 0.5),
            (0.5, 0.5, 0.1, 0.9),
            (0.5, 0.5, 0.5, 0.5),
        )
    )
    assert np.diff(confidence(votes, c)[:2]) > 0
    assert np.diff(confidence(rank, c)[:2]) > 0
    assert confidence(accuracy, c)[2] > confidence(accuracy, c)[0]


@EXAMPLES
@given(st.integers(0, 10_000), st.floats(0, 0.5))
def test_labels_without_review_keep_the_error(seed, target_error):
    p_correct = np.random.default_rng(seed).uniform(0.5, 1, 80)
    review = needs_review(p_correct, target_error)
    kept = p_correct[~review]
    if len(kept):
        assert (1 - kept).mean() <= target_error + 1e-12
        assert p_correct[review].max(initial=0) <= kept.min()
    if review.any():  # one more would be too many
        more = np.append(kept, p_correct[review].max())
        assert (1 - more).mean() > target_error


# -- facts ------------------------------------------------------------------------------------------------------------
HEALTHY = TargetFacts(
    n_labelled=200,
    n_new=200,
    least_class=100,
    known_documents=0.99,
    known_weight=0.8,
    copies=0.02,
    to_source=np.zeros(200),
    to_target=np.zeros(200),
)
BALANCED = np.arange(200) % 2


def facts_of(codes=BALANCED, source=BALANCED, expected=None, n_answers=0, n_none=0, **measured):
    seen = Seen(HEALTHY._replace(**measured), codes, source, ["bill", "bug"], expected=expected)
    return find_facts(seen._replace(n_answers=n_answers, n_none=n_none))


def test_healthy_documents_have_no_facts():
    assert facts_of() == ()
    domains = as_domains(vocabulary_shift(n_docs=120, common=0.3))
    assert find_facts(Seen(target_facts(domains), np.arange(120) % 2, domains.labelled()[1], ["0", "1"])) == ()


@pytest.mark.parametrize(
    ("name", "measured", "numbers", "way_out", "unsafe"),
    [
        ("few known words", {"known_documents": 0.31}, ["31%", "80%"], "language", True),
        ("few known words", {"known_weight": 0.12}, ["99%", "12%"], "split into words", True),
        ("different languages", {"foreign": 0.9}, ["90%"], "Translate", True),
        ("different languages", {"foreign": 0.2}, ["20%"], "Translate", False),
        ("constant answer", {"codes": np.zeros(200, dtype=int)}, ["100%", "'bill'"], "by hand", True),
        ("vanished class", {"codes": np.arange(200) % 40 == 0}, ["'bug'", "2.5%", "50%"], "remove the class", False),
        ("few labelled documents", {"n_labelled": 12, "least_class": 5}, ["12", "5"], "At least 50", False),
        ("tiny classes", {"least_class": 9, "source": np.arange(200) < 9}, ["'bug' (9)"], "Merge", False),
        ("tiny classes", {"least_class": 9, "n_labelled": 400}, ["400", "9"], "drop it", False),  # a sample of them
        ("few new documents", {"n_new": 7}, ["7", "30"], "by hand", False),
        ("copies", {"copies": 0.74}, ["74%"], "Remove the copies", False),
    ],
)
def test_each_fact_has_its_number_and_its_way_out(name, measured, numbers, way_out, unsafe):
    measured = {k: np.asarray(v, dtype=int) if k in ("codes", "source") else v for k, v in measured.items()}
    fact = {fact.name: fact for fact in facts_of(**measured)}[name]
    assert fact.unsafe == unsafe
    for number in numbers:
        assert number in fact.sentence
    assert way_out in fact.way_out
    assert fact.sentence.endswith(".")
    assert fact.way_out.endswith(".")


@pytest.mark.parametrize("measured", [{"known_weight": 0.12}, {"foreign": 0.9}, {"foreign": 0.2}])
def test_answers_measure_what_unknown_words_cost(measured):
    """So many random answers that a safe verdict may rest on them; other facts are not refuted by answers."""
    assert len(facts_of(**measured, n_answers=MIN_SAFE_ANSWERS - 1)) == 1
    assert facts_of(**measured, n_answers=MIN_SAFE_ANSWERS) == ()
    assert len(facts_of(copies=0.9, least_class=3, n_answers=1000)) == 2


def test_answers_refute_a_label_that_may_be_a_new_class():
    """Labels of one half of the documents, which resemble the labelled ones least."""
    measured = {"to_source": np.where(BALANCED == 0, 1.0, 0.1), "to_target": np.ones(200)}
    assert [fact.name for fact in facts_of(**measured)] == ["unexplained class"]
    assert facts_of(**measured, n_answers=11) == ()  # 1 - .05^(1 / 11) = .238 < .5 / 2
    assert len(facts_of(**measured, n_answers=10)) == len(facts_of(**measured, n_answers=11, n_none=1)) == 1


def test_a_constant_answer_is_a_fact_also_if_the_source_is_nearly_constant():
    source = (np.arange(200) == 0).astype(int)
    assert [fact.name for fact in facts_of(codes=np.zeros(200, dtype=int), source=source)] == ["constant answer"]


def test_unsafe_facts_come_first():
    facts = facts_of(codes=np.zeros(200, dtype=int), n_new=5, known_documents=0.0)
    assert [fact.unsafe for fact in facts] == [True, True, False, False]


@pytest.mark.parametrize("share", [0.2, 0.9])
def test_the_language_comes_before_what_follows_from_it(share):
    facts = facts_of(codes=np.zeros(200, dtype=int), known_documents=0.0, foreign=share)
    assert [fact.name for fact in facts[:3]] == ["different languages", "few known words", "constant answer"]


def test_measurements_by_hand():
    Xs = np.array([[1.0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]])
    Xt = np.array([[3.0, 0, 4, 0], [0, 0, 0, 2], [0, 0, 0, 4], [1, 1, 0, 0]])
    for convert in (np.asarray, sp.csr_array):
        task = vocabulary_shift()._replace(Xs=convert(Xs), ys=np.array([0, 0, 0, 1]), Xt=convert(Xt))
        facts = target_facts(as_domains(task))
        assert (facts.n_labelled, facts.n_new, facts.least_class) == (4, 4, 1)
        assert facts.known_documents == 0.5
        assert facts.known_weight == pytest.approx(11 / 47)
        assert facts.copies == 0.25
        assert facts.to_source == pytest.approx([0.3, 0, 0, 2**-0.5])


def test_facts_as_numbers_and_arrays():
    numbers = json.loads(json.dumps(HEALTHY.as_dict()))
    again = TargetFacts.from_arrays(numbers, HEALTHY.arrays())
    assert again.as_dict() == HEALTHY.as_dict()
    assert all(np.array_equal(again.arrays()[name], values) for name, values in HEALTHY.arrays().items())
    assert set(numbers) | set(HEALTHY.arrays()) == set(TargetFacts._fields)


def test_of_many_documents_a_random_sample_is_compared(monkeypatch):
    monkeypatch.setattr(facts_module, "MAX_COMPARED", 40)
    task = vocabulary_shift(n_docs=120, common=0.3)
    facts = target_facts(as_domains(task))
    assert len(facts.to_source) == len(facts.to_target) == 40
    last_half_copied = task._replace(Xt=sp.vstack([task.Xt[:60], *[task.Xt[:1]] * 60]).tocsr())
    assert target_facts(as_domains(last_half_copied)).copies == pytest.approx(0.5), "all exact copies are counted"


# -- copies -----------------------------------------------------------------------------------------------------------
def test_copies_and_near_copies_have_the_number_of_the_first():
    X = vocabulary_shift(n_docs=40).Xs.toarray()
    assert first_of_copies(nearest_others(sp.csr_array(X))).tolist() == list(range(40))
    near = X[3].copy()
    near[np.flatnonzero(near)[0]] = 0
    cosine = near @ X[3] / np.linalg.norm(near) / np.linalg.norm(X[3])
    assert 0.95 < cosine < 1
    many = np.vstack([X, X[7], X[7] * 2, near])
    expected = [*range(40), 7, 7, 3]
    assert first_of_copies(nearest_others(sp.csr_array(many))).tolist() == expected
    assert first_of_copies(nearest_others(many)).tolist() == expected


def test_a_single_document_has_no_copies():
    assert first_of_copies(nearest_others(sp.csr_array(np.array([[1.0, 2.0]])))).tolist() == [0]


# -- proportions ------------------------------------------------------------------------------------------------------
def test_proportions_are_unknown_if_the_members_disagree():
    answer, other = np.arange(100) % 2, (np.arange(100) < 70).astype(int)
    found = estimate_proportions(answer, {"a": answer, "b": other}, np.array([0.6, 0.4]))
    np.testing.assert_allclose([found.mean, found.low, found.high], [[0.5, 0.5], [0.3, 0.4], [0.6, 0.7]])
    assert found.known
    wide = estimate_proportions(answer, {"a": answer, "b": (np.arange(100) < 81).astype(int)}, np.array([0.5, 0.5]))
    assert not wide.known
    far = estimate_proportions(answer, {"a": answer}, np.array([0.9, 0.1]))
    assert not far.known, "the source counts too"
    assert found.rows(np.array(["x", "y"]))[1] == {"class": "y", "mean": 0.5, "low": 0.4, "high": 0.7}


# -- the verdict ------------------------------------------------------------------------------------------------------
def estimate_of(mean, lower):
    return Estimate(mean, lower, 1.0, lower)


def test_the_level_follows_the_lower_end_unless_a_fact_overrules(calibration):
    good, poor = estimate_of(0.95, 0.85), estimate_of(0.5, 0.4)
    mild, serious = Fact("mild", "M.", "m.", unsafe=False), Fact("serious", "S.", "s.", unsafe=True)
    assert judge(good, [], calibration) == "safe"
    assert judge(estimate_of(0.95, 0.79), [], calibration) == "doubtful"
    assert judge(poor, [], calibration) == "unsafe"
    assert judge(good, [mild], calibration) == "doubtful"
    assert judge(good, [serious], calibration) == "unsafe"
    assert judge(poor, [mild], calibration) == "unsafe"


def test_few_short_texts_are_a_fact():
    short = HEALTHY._replace(n_labelled=343, n_new=318, known_documents=0.978, words=8)
    (fact,) = few_short_texts(short)
    assert not fact.unsafe
    assert fact.sentence.startswith("Few and short texts (343 labelled, 318 new): the estimate can be far ")
    assert "at most 8 words, and 2.2%" in fact.sentence
    assert few_short_texts(short._replace(known_documents=0.995)) == ()
    assert few_short_texts(short._replace(words=40)) == ()
    assert few_short_texts(short._replace(n_labelled=500, n_new=500)) == ()
    assert few_short_texts(short._replace(n_labelled=500))


def test_words_of_a_document_are_counted():
    task = vocabulary_shift()
    for matrix in (sp.csr_array, lambda X: sp.csr_array(X).toarray()):
        domains = as_domains(task._replace(Xs=matrix(task.Xs), Xt=matrix(task.Xt)))
        assert target_facts(domains).words == np.median((sp.csr_array(task.Xt) != 0).sum(axis=1))


def test_labels_that_are_mostly_marked_are_not_safe():
    assert most_are_marked(np.arange(10) < 5) == ()
    (fact,) = most_are_marked(np.arange(10) < 6)
    assert fact.sentence.startswith("60% of the labels are marked for review")
    assert overrule("safe", (fact,)) == "doubtful"
    assert most_are_marked(np.zeros(0, dtype=bool)) == ()


def test_few_answers_alone_do_not_make_labels_safe():
    (fact,) = few_answers(20, safe_without=False)
    assert overrule("safe", (fact,)) == "doubtful"
    assert few_answers(20, safe_without=True) == few_answers(40, safe_without=False) == ()
    assert few_answers(0, safe_without=False) == ()


def test_the_sentence_of_safe_names_its_conditions():
    assert "if no class is new or has changed its meaning" in LEVELS["safe"].sentence
    assert "Answer questions for a guarantee" in LEVELS["safe"].sentence


def test_members_are_compared_with_the_first(calibration):
    levels = judge_members(np.array([0.5, 0.7, 0.55, 0.0]), calibration)
    assert levels == ("cannot tell", "better", "cannot tell", "worse")


def test_classes_have_levels_of_their_own(calibration):
    p_correct, codes = np.array([0.9, 0.8, 0.6, 0.6, 0.3]), np.array([0, 0, 1, 1, 2])
    assert judge_classes(p_correct, codes, 4, "safe", calibration) == ("safe", "doubtful", "unsafe", "vanished")
    assert judge_classes(p_correct, codes, 4, "doubtful", calibration)[0] == "doubtful"


@pytest.fixture(scope="module")
def assessment():
    """A good answer: three members with 5% errors each."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    members = {n: one_hot(np.where(rng.random(200) < 0.05, 1 - y, y)) for n in ("SourceLR", "b", "c")}
    predictions = PanelPredictions(members, dict.fromkeys(members, 0.5), one_hot(y, 0.8), y)
    P = one_hot(y) + rng.uniform(0, 0.09, (200, 1)) * [1, -1] * np.where(y == 0, 1, -1)[:, None]
    return assess(
        P,
        predictions,
        HEALTHY,
        classes=["bill", "bug"],
        weights={"SourceLR": 0.3, "b": 0.7},
        target_error=0.1,
        calibration=load_calibration(),
        known=[3, 5],
    )


def test_an_assessment_of_good_labels(assessment):
    assert assessment.level == "safe"
    assert assessment.facts == ()
    assert (assessment.proba.argmax(axis=1) == BALANCED).all()
    np.testing.assert_allclose(assessment.proba.sum(axis=1), 1)
    unknown = np.setdiff1d(np.arange(200), [3, 5])
    top = np.maximum(assessment.p_correct, 0.5)
    np.testing.assert_allclose(assessment.proba.max(axis=1)[unknown], top[unknown], atol=1e-6)
    assert assessment.p_correct[[3, 5]].tolist() == [1, 1]
    assert not assessment.review[[3, 5]].any()
    first = assessment.members.codes[0]
    assert assessment.changed == (first != BALANCED).mean() > 0
    rows = assessment.members.rows()
    assert [row["method"] for row in rows] == ["SourceLR", "b", "c"]
    assert [row["weight"] for row in rows] == [0.3, 0.7, 0.0]
    expected = mean_kappas(list(assessment.members.codes))
    assert [row["agreement"] for row in rows] == pytest.approx(expected)
    means = [assessment.p_correct[c == BALANCED].mean() for c in range(2)]
    np.testing.assert_allclose(assessment.class_precision, means)


def test_the_verdict_has_the_numbers(assessment):
    verdict = assessment.verdict()
    text = " ".join(verdict.reasons)
    b, a = assessment.balanced_accuracy, assessment.accuracy
    assert f"About {a.mean:.0%} of the labels are correct (90% interval {a.low:.0%} to {a.high:.0%})." in text
    assert f"the mean over the classes, which is better known: {b.mean:.0%} ({b.low:.0%} to {b.high:.0%})." in text
    assert f"on {len(load_calibration().corpora)} corpora" in text
    assert f"{assessment.changed:.0%} of the labels differ from those of SourceLR" in text
    assert f"Agreement of 3 methods with these labels {assessment.signals.agreement:.2f}" in text
    assert "kappa" not in text
    assert "contradict" not in text
    assert "Answers of people show it." in text
    assert json.loads(json.dumps(verdict.as_dict())) == verdict.as_dict()


def test_facts_are_the_first_reasons(assessment):
    facts = facts_of(n_new=7, known_documents=0.2)
    reasons = assessment._replace(facts=facts, level="unsafe").verdict().reasons
    assert reasons[:2] == [f"{fact.sentence} {fact.way_out}" for fact in facts]


def test_signals_that_contradict_each_other_are_named(assessment):
    for signals in (Signals(0.95, 0.4, 0.9), Signals(0.1, 0.9, 0.9)):
        text = " ".join(assessment._replace(signals=signals).verdict().reasons)
        assert "contradict each other, so the intervals are wider" in text


def test_too_few_documents_for_an_estimate(assessment):
    assert assessment.estimated("accuracy") == assessment.accuracy.as_dict()
    few = assessment._replace(facts=facts_of(n_new=7), level="doubtful")
    text = " ".join(few.verdict().reasons)
    assert "How many labels are correct cannot be estimated." in text
    assert "90% interval" not in text
    for name in ("accuracy", "balanced_accuracy"):
        assert few.estimated(name) == {"mean": None, "low": None, "high": None}
    assert assessment._replace(facts=facts_of(n_labelled=12)).can_estimate


# -- the calibration file ---------------------------------------------------------------------------------------------
def test_the_calibration_names_its_corpora_its_date_and_its_report():
    calibration = load_calibration()
    assert len(calibration.corpora) >= 15
    assert list(calibration.corpora) == sorted(set(calibration.corpora))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", calibration.date)
    assert calibration.report["tasks"] >= 150
    assert calibration.report["estimates"]["balanced_accuracy"]["coverage"] > 0.85
    assert calibration.report["verdicts"]["safe"]["lowest"] >= 0.65
    assert calibration.levels.unsafe_below < calibration.levels.safe_from
    assert calibration.members.worse_below <= 0 <= calibration.members.better_above
    assert min(calibration.balanced.product, calibration.balanced.confident, *calibration.confidence[1:]) >= 0


def test_the_calibration_as_a_dict_and_back():
    calibration = load_calibration()
    assert from_dict(json.loads(json.dumps(calibration.as_dict()))) == calibration
