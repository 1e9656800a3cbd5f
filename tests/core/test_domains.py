"""The rules of sample_domain and of labels that the shared checks do not reach."""

import numpy as np
import pytest

from labelferry.core.domains import read_domains

X = np.arange(24.0).reshape(8, 3)


def read(y, sample_domain=None, **rest):
    return read_domains(X, y, sample_domain, estimator="Test", **rest)


def test_sources_come_first_each_in_the_order_of_its_number():
    domains = read([0, 1, 0, 1, 0, 1, -1, -1], [3, 3, 0, 0, -5, -5, -2, -2])
    assert [d.key for d in domains] == [0, 3, -2, -5]
    assert [d.name for d in domains] == ["source 0", "source 3", "target 2", "target 5"]
    assert domains.target_rows.tolist() == [4, 5, 6, 7]
    np.testing.assert_array_equal(domains.domains[1].X, X[:2])


def test_the_same_number_may_stand_for_a_source_and_a_target():
    domains = read([0, 1, 0, 1, 0, 1, 0, 1], [1, 1, 1, 1, -1, -1, -1, -1])
    assert [d.name for d in domains] == ["source 1", "target 1"]


def test_in_row_order_undoes_the_split():
    domains = read([0, 1, -1, -1, -1, -1, 0, 1], [1, 1, -4, -2, -4, -2, 1, 1])
    pieces = [d.rows for d in domains.targets]
    assert [p.tolist() for p in pieces] == [[3, 5], [2, 4]]
    assert domains.in_row_order(pieces).tolist() == [2, 3, 4, 5]


def test_names_with_a_target():
    domains = read([0, 1, 0, 1, 0, 1, 0, 1], list("aabbccdd"), target=["c", "d"])
    assert [(d.name, d.is_target) for d in domains] == [("a", False), ("b", False), ("c", True), ("d", True)]


def test_names_without_labels_are_the_target():
    domains = read(["x", "y", "x", "y", None, None, "", ""], ["old"] * 4 + ["new"] * 4)
    assert [(d.name, d.is_target) for d in domains] == [("old", False), ("new", True)]


def test_use_target_labels_keeps_those_that_are_there():
    y = [0, 1, 0, 1, 1, -1, -1, 0]
    domains = read(y, [1] * 4 + [-1] * 4, use_target_labels=True)
    assert domains.targets[0].known.tolist() == [True, False, False, True]
    assert read(y, [1] * 4 + [-1] * 4).targets[0].known.tolist() == [False] * 4
    labelled, codes = domains.labelled()
    assert labelled.shape == (6, 3)
    assert codes.tolist() == [0, 1, 0, 1, 1, 0]


def test_a_class_of_the_target_alone_counts_when_its_labels_are_used():
    domains = read([0, 1, 0, 1, 2, -1, -1, 2], [1] * 4 + [-1] * 4, use_target_labels=True)
    assert domains.classes.tolist() == [0, 1, 2]


def test_minus_one_is_a_class_where_sample_domain_says_so():
    domains = read([-1, 1, -1, 1, 0, 0, 0, 0], [1] * 4 + [-1] * 4)
    assert domains.classes.tolist() == [-1, 1]


def test_minus_one_among_three_classes_warns():
    with pytest.warns(UserWarning, match="-1 on source rows is treated as a class"):
        read([-1, 1, 0, 1, 0, 0, 0, 0], [1] * 4 + [-1] * 4)


def test_minus_one_as_class_and_as_marker_is_refused():
    with pytest.raises(ValueError, match="Mark unlabelled target rows by NaN"):
        read([-1, 1, -1, 1, 1, -1, 1, 1], [1] * 4 + [-1] * 4, use_target_labels=True)
    y = np.array([-1, 1, -1, 1, 1, np.nan, 1, -1])
    with pytest.raises(ValueError, match="Mark unlabelled target rows by NaN"):
        read(y, [1] * 4 + [-1] * 4, use_target_labels=True)


@pytest.mark.parametrize(
    ("y", "sample_domain", "rest", "message"),
    [
        ([0, 1, 0, 1, 0, 1, 0, 1], list("aabbccdd"), {}, "all of them have labels.*target='a'"),
        ([0, 1, 0, 1, 0, 1, 0, 1], list("aabbccdd"), {"target": "new"}, "target='new' is not in sample_domain"),
        ([0, 1, 0, 1, 0, 1, 0, 1], ["a"] * 8, {"target": "a"}, "contains no source"),
        ([0, 1, 0, 1, 0, -1, -1, -1], None, {"target": "new"}, "sample_domain is None"),
        ([0, 1, 0, 1, "a", None, None, None], None, {}, "mixes labels of different types"),
        ([0.5, 1.5, 0.2, 0.1, 1, 1, -1, -1], None, {}, "Unknown label type"),
        ([0, 1, 0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1], {}, r"np.where\(domain == 1, -1, 1\)"),
        ([[0, 1]] * 8, None, {}, "1d array"),
    ],
)
def test_refusals_name_the_rule_and_the_way_out(y, sample_domain, rest, message):
    with pytest.raises(ValueError, match=message):
        read(np.array(y, dtype=object) if "a" in str(y) else y, sample_domain, **rest)


def test_pandas_missing_values_are_unlabelled():
    pd = pytest.importorskip("pandas")
    for series in (
        pd.Series([0, 1, 0, 1, None, None, None, None], dtype="Int64"),
        pd.Series(["a", "b", "a", "b", None, None, None, None], dtype="string"),
        pd.Series(["a", "b", "a", "b", None, None, None, None], dtype="category"),
    ):
        assert read(series).targets[0].rows.tolist() == [4, 5, 6, 7]


def test_nan_in_a_list_of_strings_is_no_label():
    """numpy alone would make the word 'nan' of it, and a class of that."""
    domains = read(["a", "b", "a", "b", float("nan"), None, "", "a"])
    assert domains.classes.tolist() == ["a", "b"]
    assert domains.targets[0].rows.tolist() == [4, 5, 6]
    with pytest.raises(ValueError, match="1 source rows have no label, the first is row 2"):
        read(["a", "b", float("nan"), "b", "a", "a", "a", "a"], [1] * 4 + [-1] * 4)


def test_lists_keep_their_type():
    assert read([True, False, True, False, None, None, None, None]).classes.tolist() == [False, True]
    assert read([0, 1, 0, 1, None, None, None, None]).classes.dtype.kind == "i"
