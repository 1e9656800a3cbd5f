"""Data frames: the user's kind comes back, with nothing of it changed."""

import numpy as np
import pytest

from labelferry.text import from_frame, to_frame, with_texts


def test_pandas_keeps_its_index_and_types():
    pd = pytest.importorskip("pandas")
    columns = {"text": ["a", None, "c"], "n": pd.array([1, None, 3], dtype="Int64"), "label": ["x", "y", "z"]}
    frame = pd.DataFrame(columns, index=[5, 3, 9])
    before = frame.copy()
    table = from_frame(frame)
    assert table.columns == {"text": ["a", None, "c"], "n": [1, None, 3], "label": ["x", "y", "z"]}
    result = to_frame(table, {"label": np.array([1, 2, 3])}, like=frame)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(result.drop(columns="label"), before.rename(columns={"label": "label_before"}))
    assert list(result.columns) == ["text", "n", "label_before", "label"]
    assert result["label"].to_dict() == {5: 1, 3: 2, 9: 3}
    kept = to_frame(with_texts(table, "text", skip_bad=True), {"sure": [0.5, 0.25]}, like=frame)
    assert kept["sure"].to_dict() == {5: 0.5, 9: 0.25}


def test_polars():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"text": ["a", "b"], "n": [1.5, float("nan")]})
    table = from_frame(frame)
    assert table.columns == {"text": ["a", "b"], "n": [1.5, None]}
    result = to_frame(table, {"label": ["x", "y"]}, like=frame)
    assert isinstance(result, pl.DataFrame)
    assert result.drop("label").equals(frame, null_equal=True)
    assert result["label"].to_list() == ["x", "y"]
    with pytest.raises(ValueError, match=r"got LazyFrame\. Collect"):
        from_frame(frame.lazy())


def test_names_that_are_numbers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([["a", "x"], ["b", "y"]])
    table = from_frame(frame)
    assert table.columns == {"0": ["a", "b"], "1": ["x", "y"]}
    assert list(to_frame(table, {"1": [1, 2]}, like=frame).columns) == [0, "1_before", "1"]


def test_frames_that_are_none():
    pd = pytest.importorskip("pandas")
    for frame, message in [
        ([1], "got list"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' 2 times"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "two columns have one name"),
        (pd.DataFrame({"text": []}), "is empty"),
    ]:
        with pytest.raises(ValueError, match=message) as error:
            from_frame(frame)
        assert "\n" not in str(error.value)
