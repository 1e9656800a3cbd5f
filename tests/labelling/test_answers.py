"""Answers of people in the main workflow: `label(answers=...)` and `Result.update`."""

import numpy as np
import pytest

import labelferry
from labelferry.ensemble.labelled_pool import fit_pool, pool_labels
from labelferry.labelling.answers import NO_CLASS, UNCLEAR, read_answers

CLASSES = np.array(["billing", "technical"])
WORDS = {"language": "english", "ngrams": 1}


@pytest.fixture(scope="module")
def demo():
    data = labelferry.load_demo()
    result = labelferry.label(data.texts_source, data.texts_target, label=data.y_source, **WORDS)
    return data, result


def wrong_rows(data, result, n=3):
    return np.flatnonzero(result.labels != data.y_target)[:n]


def answered(data, rows):
    return {int(row): data.y_target[row] for row in rows}


def test_answered_rows_keep_their_answers_without_review(demo):
    data, result = demo
    rows = np.union1d(wrong_rows(data, result), np.arange(20))
    updated = result.update(answered(data, rows))
    assert (updated.labels[rows] == data.y_target[rows]).all()
    assert (updated.confidence[rows] == 1).all()
    assert not updated.needs_review[rows].any()
    assert (updated.labels == data.y_target).mean() >= (result.labels == data.y_target).mean()
    assert updated.answers.rows.tolist() == rows.tolist()
    assert result.answers.rows.tolist() == []


def test_update_equals_label_with_answers_and_keeps_the_first_result(demo):
    data, result = demo
    before = result.labels.copy()
    answers = answered(data, range(0, 60, 2))
    updated = result.update(answers)
    again = labelferry.label(data.texts_source, data.texts_target, label=data.y_source, answers=answers, **WORDS)
    assert (again.labels == updated.labels).all()
    np.testing.assert_allclose(again.confidence, updated.confidence, atol=1e-6)
    assert (result.labels == before).all()
    assert (updated.update({}).labels == before).all()  # all answers are passed again each time


def test_a_list_with_none_equals_a_mapping(demo):
    data, result = demo
    listed = [label if i < 10 else None for i, label in enumerate(data.y_target)]
    assert (result.update(listed).labels == result.update(answered(data, range(10))).labels).all()


def test_none_of_these_is_wrong_and_unclear_changes_nothing(demo):
    _, result = demo
    updated = result.update({0: NO_CLASS, 1: UNCLEAR})
    assert (updated.labels == result.labels).all()
    assert updated.confidence[0] == 0
    assert updated.needs_review[0]
    assert updated.confidence[1] == result.confidence[1]


def test_the_kept_panel_gives_the_updated_labels(demo):
    data, result = demo
    rows = np.arange(0, 80, 2)
    updated = result.update(answered(data, rows))
    inputs, auto = result.estimator.pool_inputs_, result.estimator
    codes = np.searchsorted(auto.classes_, data.y_target[rows])
    assert auto.in_fit_.all()
    P = pool_labels(inputs, fit_pool(inputs, rows, codes), rows, codes)
    assert (auto.classes_[P.argmax(axis=1)] == updated.labels).all()
    assert all(P.dtype == np.float32 for P in inputs.members.values())


def test_a_saved_model_has_no_panel(demo, tmp_path):
    _, result = demo
    result.estimator.save(tmp_path / "auto.npz")
    with pytest.raises(ValueError, match="cannot learn from answers"):
        _ = labelferry.load(tmp_path / "auto.npz").panel_


def test_other_methods_are_fitted_again_with_the_answers():
    data = labelferry.load_demo()
    result = labelferry.label(data.texts_source, data.texts_target, label=data.y_source, method="sourcelr")
    rows = np.union1d(wrong_rows(data, result), [0, 1])
    updated = result.update(answered(data, rows))
    assert (updated.labels[rows] == data.y_target[rows]).all()
    assert (updated.confidence[rows] == 1).all()


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({0: "sports"}, "the answer to row 0: 'sports' is no class; the classes are 'billing', 'technical'"),
        ({9: "billing"}, "integers from 0 to 3; got 9"),
        ({True: "billing"}, "got True"),
        (["billing"], "one entry per target row, 4; got 1"),
    ],
)
def test_bad_answers_are_errors(answers, message):
    with pytest.raises(ValueError, match=message):
        read_answers(answers, CLASSES, 4)


def test_answers_are_read_in_the_order_of_rows():
    read = read_answers({3: "billing", 0: "none_of_these", 1: "unclear", 2: ""}, CLASSES, 4)
    assert read.rows.tolist() == [0, 1, 3]
    assert read.codes.tolist() == [2, -1, 0]
    assert read_answers([None, float("nan"), "technical", " "], CLASSES, 4).rows.tolist() == [2]
    assert read_answers({0: 1, 1: "0"}, np.array([0, 1]), 2).codes.tolist() == [1, 0]
