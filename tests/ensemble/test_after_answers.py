"""One function for all doors: the same answers give the same labels, confidences and marks."""

import numpy as np
import pytest

import labelferry
from labelferry.assessment.confidence import needs_review
from labelferry.assessment.from_answers import MIN_ANSWERS
from labelferry.certificate.sampling import NONE_OF_THESE
from labelferry.ensemble.after_answers import after_answers
from labelferry.ensemble.labelled_pool import PoolInputs, fit_pool, held_out, pool_labels


def planted(seed=0, n=500):
    """The start is too sure of itself, and one member has 85% correct labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    good, start = (np.where(rng.random(n) < share, y, 1 - y) for share in (0.85, 0.7))
    Z = rng.normal(size=(n, 4))
    members = {"good": np.eye(2)[good] * 0.8 + 0.1, "noise": rng.dirichlet([1, 1], size=n)}
    return PoolInputs(np.eye(2)[start] * 0.98 + 0.01, members, Z / np.linalg.norm(Z, axis=1, keepdims=True)), y


def test_labels_and_held_out_labels_are_those_of_the_pool():
    inputs, y = planted()
    rows = np.arange(0, 80, 2)
    result = after_answers(inputs, rows, y[rows])
    expected = pool_labels(inputs, fit_pool(inputs, rows, y[rows]), rows, y[rows])
    np.testing.assert_allclose(result.pooled, expected)
    assert (result.labels == expected.argmax(axis=1)).all()
    assert (result.held_out_labels == held_out(inputs, rows, y[rows]).argmax(axis=1)).all()


def test_the_order_of_answers_does_not_matter():
    inputs, y = planted()
    rows = np.arange(40)
    mixed = np.random.default_rng(0).permutation(40)
    first, second = after_answers(inputs, rows, y[rows]), after_answers(inputs, rows[mixed], y[mixed])
    assert (first.rows == second.rows).all()
    np.testing.assert_array_equal(first.found.confidence, second.found.confidence)
    assert first.found.accuracy == second.found.accuracy


def test_unclear_answers_change_nothing():
    inputs, y = planted()
    rows = np.arange(30)
    plain = after_answers(inputs, rows, y[rows])
    more = after_answers(inputs, np.append(rows, [40, 41]), np.append(y[rows], [-1, -1]))
    np.testing.assert_array_equal(plain.found.confidence, more.found.confidence)


def test_none_of_these_is_not_learned_from_but_counts_as_wrong():
    inputs, y = planted()
    rows, none = np.arange(30), np.arange(30, 60)
    plain = after_answers(inputs, rows, y[rows])
    more = after_answers(inputs, np.append(rows, none), np.append(y[rows], np.full(30, 2)))
    others = np.arange(60, 500)
    assert (plain.labels[others] == more.labels[others]).all()
    assert more.found.accuracy.mean < plain.found.accuracy.mean - 0.1


def test_two_answers_to_a_document_are_an_error():
    inputs, _ = planted()
    with pytest.raises(ValueError, match="more than one answer"):
        after_answers(inputs, np.array([3, 3]), np.array([0, 1]))


def test_confidences_that_are_too_large_are_corrected():
    """The start says 99%; the answers know better."""
    inputs, y = planted()
    rows = np.arange(100)
    result = after_answers(inputs, rows, y[rows])
    others = np.arange(100, 500)
    accuracy = (result.labels == y)[others].mean()
    assert result.pooled[others].max(axis=1).mean() > accuracy + 0.05
    assert result.found.confidence[others].mean() == pytest.approx(accuracy, abs=0.05)


def test_answers_start_from_the_labels_before_the_limit_on_changes():
    inputs, y = planted()
    limited = inputs._replace(start=inputs.start[:, ::-1], unlimited=inputs.start)
    rows = np.arange(40)
    for codes in (y[rows], np.append(y[:39], inputs.n_classes)):
        found, expected = (after_answers(some, rows, codes) for some in (limited, inputs))
        np.testing.assert_array_equal(found.pooled, expected.pooled)
    nobody = after_answers(limited, rows, np.full(40, inputs.n_classes))  # no answer names a class: the labels stay
    assert (nobody.pooled.argmax(axis=1) == limited.start.argmax(axis=1)).all()


def test_few_answers_keep_the_confidences_without_answers():
    inputs, y = planted()
    few = np.arange(MIN_ANSWERS - 1)
    high, low = (after_answers(inputs, few, y[few], balanced).found.confidence for balanced in (0.95, 0.6))
    assert (high[MIN_ANSWERS:] > low[MIN_ANSWERS:]).all()
    assert (high[few] == 1).all()
    enough = np.arange(MIN_ANSWERS)
    high, low = (after_answers(inputs, enough, y[enough], balanced).found.confidence for balanced in (0.95, 0.6))
    np.testing.assert_array_equal(high, low)


# -- the doors ---------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def demo():
    data = labelferry.load_demo()
    options = {"language": "english", "ngrams": 1, "target_error": 0.02}
    return data, labelferry.label(data.texts_source, data.texts_target, label=data.y_source, **options)


@pytest.mark.parametrize("n_answers", [MIN_ANSWERS - 2, 40])
def test_file_and_job_agree(demo, tmp_path, n_answers):
    data, result = demo
    rows = np.random.default_rng(0).permutation(len(data.y_target))[:n_answers]
    answers = {int(row): str(data.y_target[row]) for row in rows}
    answers[int(rows[0])] = NONE_OF_THESE
    updated = result.update(answers)
    with result.store(tmp_path / "job.ferry", seed=0) as job:
        for row, answer in answers.items():
            is_class = answer != NONE_OF_THESE
            job.answer(row, answer if is_class else None, kind="label" if is_class else "none_of_these")
        job.refit()
        arrays = job.log.state().fit.arrays
    assert (result.estimator.classes_[arrays["labels"]] == updated.labels).all()
    np.testing.assert_allclose(arrays["confidence"], updated.confidence, atol=1e-6)
    assert (arrays["needs_review"] == updated.needs_review).all()


def test_the_verdict_names_the_answers(demo):
    data, result = demo
    assert result.assessment.n_answers == 0
    rows = np.random.default_rng(1).permutation(len(data.y_target))[:40]
    updated = result.update({int(row): data.y_target[row] for row in rows})
    text = " ".join(updated.verdict.reasons)
    assert "follow from 40 answers" in text
    assert "Not known without labels" not in text
    truth = (updated.labels == data.y_target).mean()
    assert updated.estimated_accuracy["low"] <= truth <= updated.estimated_accuracy["high"]
    proportions = updated.assessment.proportions
    true = np.unique(data.y_target, return_counts=True)[1] / len(data.y_target)
    assert ((proportions.low <= true) & (true <= proportions.high)).all()
    np.testing.assert_allclose(updated.estimator.target_shares_.sum(), 1)
    assert (updated.needs_review[rows] == False).all()  # noqa: E712
    marked = needs_review(np.sort(updated.confidence), 0.02).sum()
    assert updated.needs_review.sum() >= marked  # cautious: never fewer marks than by the confidences alone


def test_corrections_of_a_job_with_rows_without_a_known_word_can_be_learned_from(tmp_path):
    """The job asks about such rows, and `label` leaves them without a label: the answer becomes their label."""
    data = labelferry.load_demo()
    texts = [*data.texts_target[:80], "zzyzx qwfpgj"]
    options = {"label": data.y_source, "language": "english", "ngrams": 1}
    result = labelferry.label(data.texts_source, texts, **options)
    assert result.labels[80] is None
    with result.store(tmp_path / "job.ferry", seed=0) as job:
        for row in (0, 5, 9, 80):
            job.answer(row, str(data.y_target[row]))
        job.export_corrections(tmp_path / "corrections.csv")
    learned = labelferry.label(data.texts_source, texts, answers=tmp_path / "corrections.csv", **options)
    assert learned.labels[80] == data.y_target[80]
    assert learned.answers.rows.tolist() == [0, 5, 9, 80]
    assert not learned.needs_review[80]


def test_answers_to_the_most_certain_labels_are_no_random_sample(demo):
    """The questions of `accept`: labels learn from the answers, the estimates do not use them."""
    data, result = demo
    certain = np.argsort(-result.confidence, kind="stable")[:40]
    mixed = np.random.default_rng(0).permutation(len(data.y_target))[:40]
    for rows, used in ((certain, 0), (mixed, 40)):
        updated = result.update({int(row): str(data.y_target[row]) for row in rows})
        assert updated.assessment.n_answers == used
        assert any("no random sample" in reason for reason in updated.assessment.verdict().reasons) != bool(used)
        assert (updated.labels[rows] == data.y_target[rows]).all()
