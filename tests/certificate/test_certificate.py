"""The certificate: populations that are counted exactly, answers of all kinds, errors and sentences."""

import json
from itertools import pairwise

import numpy as np
import pytest

from labelferry.certificate import Answers, audit_order, certify, duel_order
from labelferry.certificate.duel import LABELS, NO, SOURCE_ONLY, UNKNOWN, YES, Duel
from labelferry.certificate.interval import Interval, clopper_pearson
from labelferry.certificate.planning import answers_until, expected_interval, plan
from labelferry.certificate.sampling import check_answers, no_answers

CLASSES = ("bug", "question", "wish")


def a_task(n=300, wrong=30, seed=0, n_classes=3):
    """Labels, source-only labels and truth: `wrong` labels are wrong, the source-only classifier 40 more."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n)
    labels, source_only = truth.copy(), truth.copy()
    order = rng.permutation(n)
    labels[order[:wrong]] = (truth[order[:wrong]] + 1) % n_classes
    source_only[order[: wrong + 40]] = (truth[order[: wrong + 40]] + 1) % n_classes
    return labels, source_only, truth


def audit(truth, m, seed=0):
    rows = audit_order(len(truth), seed)[:m]
    return Answers(rows, truth[rows])


def certificate(labels, source_only, answers, duel=None, **options):
    duel = no_answers() if duel is None else duel
    marked = np.zeros(len(labels), dtype=bool)
    return certify(labels, source_only, marked, answers, duel, **{"classes": CLASSES, **options})


def test_all_documents_answered_gives_points():
    labels, source_only, truth = a_task(40, 6)
    source_only[truth == 0] = 0
    c = certificate(labels, source_only, audit(truth, 40))
    assert c.accuracy == pytest.approx((34 / 40, 34 / 40, 34 / 40))
    assert c.error_not_reviewed == pytest.approx((6 / 40, 6 / 40, 6 / 40))
    for code, one in enumerate(c.classes[:-1]):
        proportion = (truth == code).mean()
        assert one.proportion == pytest.approx((proportion,) * 3)
        assert one.precision == pytest.approx((np.mean(truth[labels == code] == code),) * 3)
        assert one.recall == pytest.approx((np.mean(labels[truth == code] == code),) * 3)
    assert c.classes[-1].proportion == (0, 0, 0)
    assert c.classes[-1].precision is c.classes[-1].recall is None


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("with_confidence", [False, True])
def test_every_interval_contains_the_truth_in_most_samples(n_classes, with_confidence):
    labels, source_only, truth = a_task(200, 24, n_classes=n_classes)
    confidence = np.where(labels == truth, 0.9, 0.7) if with_confidence else None
    marked = np.arange(200) % 3 == 0
    missed = []
    for seed in range(40):
        duel_rows = duel_order(labels, source_only, seed)[:15]
        duel = Answers(duel_rows, truth[duel_rows])
        c = certify(
            labels, source_only, marked, audit(truth, 30, seed), duel,
            classes=CLASSES[:n_classes], level=0.8, confidence=confidence,
        )  # fmt: skip
        true = [((labels == truth).mean(), c.accuracy), ((labels != truth)[~marked].mean(), c.error_not_reviewed)]
        true += [((truth == k).mean(), c.classes[k].proportion) for k in range(n_classes)]
        true += [((truth == k)[labels == k].mean(), c.classes[k].precision) for k in range(n_classes)]
        true += [((labels == k)[truth == k].mean(), c.classes[k].recall) for k in range(n_classes)]
        true.append(((labels == truth).mean() - (source_only == truth).mean(), c.better_than_source_only.difference))
        missed.append([not low - 1e-9 <= value <= high + 1e-9 for value, (_, low, high) in true])
    assert np.mean(missed, axis=0).max() <= 0.25


def test_more_answers_never_widen_the_interval():
    labels, source_only, truth = a_task()
    intervals = [certificate(labels, source_only, audit(truth, m)) for m in (10, 11, 12, 30, 60)]
    for before, after in pairwise(intervals):
        assert after.accuracy.low >= before.accuracy.low
        assert after.accuracy.high <= before.accuracy.high
        for a, b in zip(before.classes, after.classes, strict=True):
            assert b.proportion.low >= a.proportion.low
            assert b.proportion.high <= a.proportion.high


def test_predictions_make_proportions_narrow_if_they_are_good():
    labels, source_only, truth = a_task(1000, 10)
    c = certificate(labels, source_only, audit(truth, 80), confidence=np.full(1000, 0.98))
    low, high = clopper_pearson((truth[audit(truth, 80).rows] == 0).sum(), 80)
    assert c.classes[0].proportion.high - c.classes[0].proportion.low < 0.8 * (high - low)
    assert c.classes[0].proportion.estimate == pytest.approx((truth == 0).mean(), abs=0.05)


def test_low_confidence_uses_the_sample_alone():
    """The choice does not depend on the answers: the predictions may be exchanged then."""
    labels, source_only, truth = a_task(300, 150)
    answers = audit(truth, 50)
    one = certificate(labels, source_only, answers, confidence=np.full(300, 0.5))
    other = certificate((labels + 1) % 3, source_only, answers, confidence=np.full(300, 0.5))
    for a, b in zip(one.classes, other.classes, strict=True):
        assert a.proportion[1:] == b.proportion[1:]


def test_unclear_answers_are_between_both_meanings():
    labels, source_only, truth = a_task(200, 20)
    rows = audit_order(200, 0)[:40]
    unclear, as_right, as_wrong = truth[rows].copy(), truth[rows].copy(), truth[rows].copy()
    some = [2, 9, 30]
    unclear[some], as_right[some], as_wrong[some] = -1, labels[rows[some]], (labels[rows[some]] + 1) % 3
    c, right, wrong = (
        certificate(labels, source_only, Answers(rows, codes)) for codes in (unclear, as_right, as_wrong)
    )
    assert c.n_unclear == 3
    assert c.accuracy.low == wrong.accuracy.low < right.accuracy.low
    assert c.accuracy.high == right.accuracy.high > wrong.accuracy.high
    for k in range(3):
        for other in (right, wrong):
            assert c.classes[k].proportion.low <= other.classes[k].proportion.low
            assert c.classes[k].proportion.high >= other.classes[k].proportion.high
            assert c.classes[k].recall.low <= other.classes[k].recall.low
            assert c.classes[k].recall.high >= other.classes[k].recall.high
    assert "3 answers unclear" in c.text()


def test_none_of_these_is_wrong_and_has_its_own_proportion():
    labels, source_only, truth = a_task(60, 0)
    truth[:12] = 3
    c = certificate(labels, source_only, audit(truth, 60))
    assert c.accuracy.estimate == pytest.approx(48 / 60)
    assert c.classes[-1].label == "none of these"
    assert c.classes[-1].proportion == pytest.approx((0.2, 0.2, 0.2))


def test_a_class_without_labels_has_no_precision():
    labels, source_only, truth = a_task(80, 8)
    labels[labels == 2] = 0
    c = certificate(labels, source_only, audit(truth, 80))
    assert c.classes[2].precision is None
    assert c.classes[2].recall == (0, 0, 0)
    assert c.classes[2].proportion.estimate == pytest.approx((truth == 2).mean())


def test_known_documents_count_exactly_and_leave_the_population():
    labels, source_only, truth = a_task(100, 20)
    known = np.flatnonzero(labels != truth)[:10]
    labels[known] = truth[known]
    answers = audit(truth, 100, seed=2)  # an order in which no interval misses the truth on the way, as 5% do
    given = Answers(known, truth[known])
    c = certificate(labels, source_only, answers, known=given)
    assert c.n_answers == 90
    assert c.n_known == 10
    assert c.accuracy == pytest.approx((0.9, 0.9, 0.9))
    for k in range(3):
        assert c.classes[k].proportion == pytest.approx(((truth == k).mean(),) * 3)
        assert c.classes[k].recall == pytest.approx(((labels == k)[truth == k].mean(),) * 3)
        assert c.classes[k].precision == pytest.approx(((truth == k)[labels == k].mean(),) * 3)
    assert c.better_than_source_only.difference.low > -1
    few = certificate(labels, source_only, audit(truth, 15), known=given)
    assert few.accuracy.low >= 0.1
    everything = certificate(truth, source_only, no_answers(), known=Answers(np.arange(100), truth))
    assert everything.accuracy == (1, 1, 1)


def test_known_answers_that_name_no_class_or_another_one():
    """None of these is wrong, unclear counts against both ends, and an answer that changed after learning is wrong."""
    labels, source_only, truth = a_task(100, 20)
    codes = truth.copy()
    codes[:5], codes[5:8] = 3, -1
    c = certificate(labels, source_only, no_answers(), known=Answers(np.arange(100), codes))
    right = (labels == codes).sum() / 100
    assert c.accuracy[1:] == pytest.approx((right, right + 0.03))
    assert c.classes[3].proportion[1:] == pytest.approx((0.05, 0.08))
    for k in range(3):
        n, found = (codes == k).sum(), ((codes == k) & (labels == k)).sum()
        assert c.classes[k].proportion[1:] == pytest.approx((n / 100, (n + 3) / 100))
        assert c.classes[k].recall.low <= found / (n + 3) + 1e-9
        assert c.classes[k].recall.high >= (found + 3) / (n + 3) - 1e-9
    d = c.better_than_source_only.difference
    won = ((labels == codes).sum() - (source_only == codes).sum()) / 100
    unsure = (labels != source_only)[5:8].sum() / 100
    assert (d.low, d.high) == pytest.approx((won - unsure, won + unsure))


def test_learned_answers_are_named():
    labels, source_only, truth = a_task(100, 20)
    given = Answers(np.arange(7), truth[:7])
    text = certificate(labels, source_only, audit(truth, 30), known=given).text()
    assert "learned from 7 earlier answers" in text
    assert "learned from" not in certificate(labels, source_only, audit(truth, 30)).text()


# -- the duel ----------------------------------------------------------------------------------------------------------


def duel_of(labels, source_only, truth, m, **options):
    rows = duel_order(labels, source_only, 3)[:m]
    return certificate(labels, source_only, no_answers(), Answers(rows, truth[rows]), **options)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_verdicts(n_classes):
    labels, source_only, truth = a_task(400, 5, n_classes=n_classes)
    classes = CLASSES[:n_classes]
    assert duel_of(labels, source_only, truth, 0, classes=classes).better_than_source_only.verdict == UNKNOWN
    better = duel_of(labels, source_only, truth, 30, classes=classes).better_than_source_only
    worse = duel_of(source_only, labels, truth, 30, classes=classes).better_than_source_only
    assert (better.verdict, better.leader) == (YES, LABELS)
    assert (worse.verdict, worse.leader) == (NO, SOURCE_ONLY)
    assert better.n_different == 40
    assert better.difference.low > 0 > worse.difference.high
    everything = duel_of(labels, source_only, truth, 40, classes=classes).better_than_source_only
    assert everything.difference == pytest.approx((0.1, 0.1, 0.1))
    one = duel_of(labels, source_only, truth, 1, classes=classes).better_than_source_only
    assert one.verdict == UNKNOWN
    assert one.leader == LABELS


def test_equal_labels_are_not_better():
    labels, _, truth = a_task()
    c = certificate(labels, labels, audit(truth, 20))
    assert c.better_than_source_only.verdict == NO
    assert c.better_than_source_only.difference == (0, 0, 0)
    assert "the same" in c.text()


def test_unclear_answers_do_not_decide_a_duel():
    labels, source_only, _ = a_task(400, 5)
    rows = duel_order(labels, source_only, 0)
    c = certificate(labels, source_only, no_answers(), Answers(rows, np.full(len(rows), -1)))
    assert c.better_than_source_only.verdict == UNKNOWN
    assert c.better_than_source_only.difference[1:] == pytest.approx((-0.1, 0.1))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_equally_good_labels_are_known_to_be_not_better_if_all_are_answered(n_classes):
    truth = np.zeros(20, dtype=int)
    labels, source_only = truth.copy(), truth.copy()
    labels[:3], source_only[3:6] = 1, 1
    duel = duel_of(labels, source_only, truth, 6, classes=CLASSES[:n_classes])
    assert duel.better_than_source_only[:4] == (NO, "tie", 6, 6)
    assert duel.better_than_source_only.difference == (0, 0, 0)
    assert "equally often correct" in duel.text()
    assert (
        duel_of(labels, source_only, truth, 5, classes=CLASSES[:n_classes]).better_than_source_only.verdict == UNKNOWN
    )


def test_the_duel_has_the_order_of_the_audit():
    """Every answer of the audit sample on which the two differ counts in the duel."""
    labels, source_only, _ = a_task()
    order, known = audit_order(300, 7), [3, 10, 200]
    assert duel_order(labels, source_only, 7).tolist() == [row for row in order if labels[row] != source_only[row]]
    again = audit_order(300, 7, known)
    assert (again != order).any()
    assert duel_order(labels, source_only, 7, known).tolist() == [r for r in again if labels[r] != source_only[r]]
    assert (audit_order(300, 7, known[::-1]) == again).all()
    assert (audit_order(300, 7, [0]) != order).any()


def learned_accuracies(learned_order):
    """Intervals of the accuracy, and the truth: duel answers first, then learning, then an audit of the rest.

    The labels are wrong on most documents on which the two differ. `learned_order` is the order of the later audit.
    """
    n, truth = 120, np.zeros(120, dtype=int)
    for seed in range(300):
        labels, source_only = truth.copy(), truth.copy()
        labels[:36], source_only[36:48] = 1, 1
        known = np.union1d(duel_order(labels, source_only, seed)[:24], audit_order(n, seed)[:4])
        learned = labels.copy()
        learned[known] = truth[known]
        order = learned_order(n, seed, known)
        rows = order[~np.isin(order, known)][:30]
        given = Answers(known, truth[known])
        yield certificate(learned, source_only, Answers(rows, truth[rows]), known=given).accuracy, (learned == 0).mean()


def test_an_audit_after_learning_from_the_duel_covers_the_truth():
    assert np.mean([i.low <= truth <= i.high for i, truth in learned_accuracies(audit_order)]) >= 0.95


def test_the_old_order_without_the_learned_documents_is_no_random_sample():
    """Why the order is drawn again: the documents that the duel did not reach are the last ones."""
    old_order = learned_accuracies(lambda n, seed, known: audit_order(n, seed))
    assert np.mean([i.low <= truth <= i.high for i, truth in old_order]) < 0.5


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_duel_covers_the_truth_whichever_sample_is_answered_first(n_classes):
    """The number of audit and duel answers depends on the answers: both stop when they look best."""
    rng = np.random.default_rng(3)
    truth = rng.integers(n_classes, size=80)
    labels = np.where(rng.random(80) < 0.3, (truth + 1) % n_classes, truth)
    source_only = np.where(rng.random(80) < 0.4, (truth + 1) % n_classes, truth)
    true = (labels == truth).mean() - (source_only == truth).mean()
    misses = 0
    for seed in range(200):
        rows = duel_order(labels, source_only, seed)
        lead = ((labels == truth).astype(int) - (source_only == truth))[rows].cumsum()
        m = int(lead[4:].argmax()) + 5  # stop when the labels are most ahead
        n_audit = int(np.flatnonzero(audit_order(80, seed) == rows[m // 2])[0]) + 1
        audited = [row for row in audit_order(80, seed)[:n_audit] if labels[row] != source_only[row]]
        assert audited == rows[: len(audited)].tolist()  # both samples together are one prefix
        c = certificate(
            labels, source_only, no_answers(), Answers(rows[:m], truth[rows[:m]]), classes=CLASSES[:n_classes]
        )
        interval = c.better_than_source_only.difference
        misses += not interval.low - 1e-9 <= true <= interval.high + 1e-9
    assert misses <= 10


def test_orders_are_random_permutations():
    labels, source_only, _ = a_task()
    assert sorted(audit_order(50, 1)) == list(range(50))
    assert (audit_order(50, 1) == audit_order(50, 1)).all()
    assert (audit_order(50, 1) != audit_order(50, 2)).any()
    different = duel_order(labels, source_only, 1)
    assert sorted(different) == np.flatnonzero(labels != source_only).tolist()
    assert (different != np.sort(different)).any()


# -- planning ----------------------------------------------------------------------------------------------------------

NO_DUEL = Duel(UNKNOWN, "tie", 0, 0, Interval(0.0, 0.0, 0.0))


def test_planning_is_plausible():
    """About 4 z^2 p (1 - p) / width^2 answers, more for a higher level and a larger population."""
    accuracy = Interval(0.9, 0.75, 0.97)
    needs = {level: plan(accuracy, 40, 5000, NO_DUEL, 0, level)[0] for level in (0.8, 0.95, 0.99)}
    assert needs[0.8].more_answers < needs[0.95].more_answers < needs[0.99].more_answers
    assert 80 < needs[0.95].more_answers < 300
    assert plan(accuracy, 40, 100, NO_DUEL, 0, 0.95)[0].more_answers <= 60
    goals = [need.goal for need in plan(accuracy, 40, 5000, NO_DUEL, 0, 0.95)]
    assert goals == ["accuracy known within 5 points"]  # an estimate of .9 does not promise more than .9
    above = plan(Interval(0.97, 0.85, 0.99), 40, 5000, NO_DUEL, 0, 0.95)[1]
    assert above.goal == "accuracy above 90%"
    assert 0 < above.more_answers < 200


def test_goals_that_are_reached_need_no_answers():
    needs = plan(Interval(0.97, 0.93, 0.99), 200, 5000, Duel(YES, LABELS, 20, 90, Interval(0.1, 0.05, 0.12)), 90, 0.95)
    assert [need.more_answers for need in needs] == [0, 0, 0]


def test_an_even_duel_needs_more_answers_than_a_clear_one():
    def more(difference):
        duel = Duel(UNKNOWN, LABELS, 10, 400, Interval(difference, -0.1, 0.3))
        return plan(Interval(0.7, 0.5, 0.9), 40, 2000, duel, 400, 0.95)[-1].more_answers

    assert more(0.18) < more(0.1) < more(0.04)


def test_expected_interval_ends_as_a_point():
    assert expected_interval(0.8, 50, 50, 0.95) == (0.8, 0.8)
    low, high = expected_interval(0.8, 40, 10**6, 0.95)
    assert low < 0.8 < high
    assert answers_until(lambda t: t >= 17, 3, 40) == 17
    assert answers_until(lambda t: False, 3, 40) is None


# -- values and errors -------------------------------------------------------------------------------------------------


def test_plain_values():
    labels, source_only, truth = a_task()
    values = certificate(labels, source_only, audit(truth, 40)).as_dict()
    assert json.loads(json.dumps(values)) == values
    assert set(values["accuracy"]) == {"estimate", "low", "high"}
    assert set(values["classes"][0]) == {"label", "precision", "recall", "proportion"}
    assert {"verdict", "n_answers", "n_different", "difference"} <= set(values["better_than_source_only"])
    assert all(set(need) == {"goal", "more_answers"} for need in values["needed"])


def test_sentences():
    labels, source_only, truth = a_task()
    c = certificate(labels, source_only, audit(truth, 40))
    first, *_, last = c.sentences()
    assert first.startswith("With 95% confidence, between ")
    assert first.endswith(" of the 300 labels are correct (40 answers).")
    assert "single labels" in last
    assert "With 99.9% confidence" in certificate(labels, source_only, audit(truth, 40), level=0.999).text()
    (only,) = certificate(labels, source_only, no_answers()).sentences()
    assert only == "No answers of the random sample yet: no accuracy is certified. Answer its questions first."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"level": 0.4}, "level must be from 0.5 to 0.999, got 0.4"),
        ({"level": 1.0}, "level must be"),
        ({"confidence": np.ones(3)}, "confidence must have one value per document"),
        ({"confidence": np.full(300, 1.5)}, "confidence must be from 0 to 1"),
        ({"known": Answers([300], [0])}, "known: rows must be from 0 to 299, got 300"),
        ({"classes": ("a", "b")}, "labels must be integers from 0 to 1"),
    ],
)
def test_wrong_arguments_name_rule_value_and_way_out(change, message):
    labels, source_only, truth = a_task()
    with pytest.raises(ValueError, match=message):
        certificate(labels, source_only, audit(truth, 10), **change)


def test_wrong_shapes():
    labels, source_only, truth = a_task()
    with pytest.raises(ValueError, match="source_only must have one value per document"):
        certificate(labels, source_only[:5], audit(truth, 10))
    with pytest.raises(ValueError, match="labels must be one-dimensional and not empty"):
        certificate(labels[:0], source_only[:0], no_answers())


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (Answers([1, 2], [0]), "same length"),
        (Answers([1, 50], [0, 0]), "rows must be from 0 to 49"),
        (Answers([1, 1], [0, 0]), "row 1 has more"),
        (Answers([1, 2], [0, 4]), "codes must be from -1"),
    ],
)
def test_wrong_answers_are_refused(answers, message):
    with pytest.raises(ValueError, match=message):
        check_answers(answers, 50, 3, "audit")


def test_all_statements_are_points_if_all_documents_have_answers():
    """An end may be wrong on the way, with a small probability, but not when all is known."""
    rng, n = np.random.default_rng(0), 90
    labels = rng.integers(0, 3, n)
    truth, source_only = (np.where(rng.random(n) < 0.3, rng.integers(0, 3, n), labels) for _ in range(2))
    review, confidence = rng.random(n) < 0.4, rng.random(n)
    for seed in range(60):
        order = audit_order(n, seed)
        duel = order[(labels != source_only)[order]]
        found = certify(
            labels, source_only, review, Answers(order, truth[order]), Answers(duel, truth[duel]),
            classes=["a", "b", "c"], confidence=confidence,
        )  # fmt: skip
        shares = [found.accuracy, found.error_not_reviewed]
        shares += [share for one in found.classes for share in (one.precision, one.recall, one.proportion)]
        assert sum(share is not None for share in shares) > 5
        for share in filter(None, shares):
            assert share.low == pytest.approx(share.high) == share.estimate
        assert found.accuracy.low == pytest.approx((labels == truth).mean())
