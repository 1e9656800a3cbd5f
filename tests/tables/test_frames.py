"""Data frames: the result has the user's type, and nothing else is changed."""

import numpy as np
import pytest

import labelferry
from labelferry.tables import choose_columns, frames, from_frame, join_texts, take_rows, to_frame

from .. import tickets


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
    gaps = to_frame(table, {"confidence": [0.5, None, 0.25]}, like=frame)
    assert gaps["confidence"].dropna().to_dict() == {5: 0.5, 9: 0.25}


def test_polars():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"text": ["a", "b"], "n": [1.5, float("nan")]})
    table = from_frame(frame)
    assert table.columns == {"text": ["a", "b"], "n": [1.5, None]}
    result = to_frame(table, {"label": ["x", "y"]}, like=frame)
    assert isinstance(result, pl.DataFrame)
    assert result.drop("label").equals(frame, null_equal=True)
    assert result["label"].to_list() == ["x", "y"]
    assert from_frame(frame.lazy()).columns == table.columns


def test_names_that_are_numbers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([["a", "x"], ["b", "y"]])
    table = from_frame(frame)
    assert table.columns == {"0": ["a", "b"], "1": ["x", "y"]}
    assert list(to_frame(table, {"1": [1, 2]}, like=frame).columns) == [0, "1_before", "1"]


def test_values_that_are_not_frames():
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


def unreadable(pd, n_rows):
    """A column that cannot be converted: an error if any of its values is read."""

    class Unreadable(pd.api.extensions.ExtensionArray):
        dtype = pd.CategoricalDtype()

        def __init__(self, n_rows):
            self.n_rows = n_rows

        def __len__(self):
            return self.n_rows

        def __getitem__(self, item):
            if isinstance(item, int):
                raise AssertionError("a value was read")
            return Unreadable(len(np.empty(self.n_rows)[item]))

        def __iter__(self):
            raise AssertionError("the column was converted")

        def take(self, indices, **_):
            return Unreadable(len(indices))

        def copy(self):
            return Unreadable(self.n_rows)

        def isna(self):
            raise AssertionError("the column was read")

    return Unreadable(n_rows)


def frame_with_unused_columns(pd, texts, labels=None, n_unused=200):
    columns = {"text": texts} | ({} if labels is None else {"label": labels})
    unused = {f"unused {i}": pd.Series(unreadable(pd, len(texts))) for i in range(n_unused)}
    return pd.DataFrame({**columns, **unused})


def test_unused_columns_are_not_converted():
    pd = pytest.importorskip("pandas")
    source = frame_with_unused_columns(pd, ["a", "b", None], ["x", "y", "x"])
    with pytest.raises(AssertionError, match=r"converted|read"):
        from_frame(source).columns["unused 0"]
    target = frame_with_unused_columns(pd, ["c", "", "d"])
    tables = [from_frame(frame) for frame in (source, target)]
    assert choose_columns(*tables)[:3] == (("text",), "label", None)
    labelled = take_rows(tables[0], [0, 1])
    assert (labelled.columns["text"], labelled.columns["label"]) == (["a", "b"], ["x", "y"])
    assert join_texts(tables[1], ["text"]) == ["c", None, "d"]
    result = to_frame(tables[1], {"label": ["x", None, "y"], "unused 3": [1, 2, 3]}, like=target)
    assert result["text"].tolist() == ["c", "", "d"]
    unused = [f"unused {i}" if i != 3 else "unused 3_before" for i in range(200)]
    assert list(result.columns) == ["text", *unused, "label", "unused 3"]


def test_label_converts_only_the_columns_that_it_uses():
    pd = pytest.importorskip("pandas")
    demo = labelferry.load_demo()
    source = frame_with_unused_columns(pd, demo.texts_source, demo.y_source, n_unused=5)
    target = frame_with_unused_columns(pd, demo.texts_target, n_unused=5)
    result = labelferry.label(source, target, method="sourcelr")
    assert result.frame()["label"].tolist() == result.labels.tolist()


def test_only_the_first_rows_decide_which_column_has_the_longest_texts(monkeypatch):
    pd = pytest.importorskip("pandas")
    sizes = []
    values_of = frames.values_of
    monkeypatch.setattr(frames, "values_of", lambda series: sizes.append(len(series)) or values_of(series))
    words = pd.DataFrame({"id": range(5000), "words": ["the door of the house is red"] * 5000})
    source, target = from_frame(words.assign(kind="a")), from_frame(words)
    assert choose_columns(source, target)[:2] == (("words",), "kind")
    assert set(sizes) == {1000}


def test_a_lazy_frame_is_collected_once_and_given_back():
    pl = pytest.importorskip("polars")
    runs = []

    def counted(frame):
        runs.append(1)
        return frame

    old = pl.DataFrame(tickets.old(3))
    new = pl.DataFrame(tickets.new(3)).lazy().map_batches(counted)
    result = labelferry.label([old.lazy()], new, method="sourcelr")
    eager = labelferry.label(old, pl.DataFrame(tickets.new(3)), method="sourcelr")
    assert result.labels.tolist() == eager.labels.tolist()
    assert isinstance(result.frame(), pl.DataFrame)
    assert result.frame()["label"].to_list() == eager.frame()["label"].to_list()
    assert len(runs) == 1
