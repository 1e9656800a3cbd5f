"""Several labels per document: every form is used with `multi` or refused in one line, and none is silent."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelferry.inputs.inputs import read_inputs
from labelferry.inputs.label_form import LISTS, TEXTS, Form, in_order
from labelferry.inputs.multi_labels import evidence, find_form
from labelferry.inputs.options import TextOptions

SETS = [{"bug"}, {"bug", "ui"}, {"ui"}, set(), {"api", "bug"}, {"api"}, {"ui", "api"}, {"bug"}]
TEXTS_OF = [f"the labelled text number {i}" for i in range(len(SETS))]
NEW = pd.DataFrame({"text": [f"a new text number {i}" for i in range(4)]})
NAMES = ("api", "bug", "ui")


def joined(separator, none="none"):
    return [separator.join(sorted(labels)) or none for labels in SETS]


def frame(labels, name="tags"):
    return pd.DataFrame({"text": TEXTS_OF, name: labels})


def per_label(no, yes):
    return (
        frame([0] * len(SETS), "x")
        .drop(columns="x")
        .assign(**{n: [yes if n in s else no for s in SETS] for n in NAMES})
    )


def written(source, path):
    source.to_csv(path, index=False)
    return path


def as_file(source, suffix):
    def make(folder):
        path = folder / f"labelled{suffix}"
        if suffix == ".csv":
            return written(source, path)
        if suffix == ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in source.to_dict("records")))
            return path
        pq.write_table(pa.Table.from_pandas(source), path)
        return path

    return make


LIST_CELLS = [sorted(labels) for labels in SETS]
FORMS = {
    "semicolon": as_file(frame(joined(";")), ".csv"),
    "semicolon and blank": as_file(frame(joined("; ")), ".csv"),
    "bar": as_file(frame(joined("|")), ".csv"),
    "comma": as_file(frame(joined(",")), ".csv"),
    "JSON in a cell": as_file(frame([json.dumps(cell) for cell in LIST_CELLS]), ".csv"),
    "Python list in a cell": as_file(frame([str(cell) for cell in LIST_CELLS]), ".csv"),
    "lists in JSON lines": as_file(frame(LIST_CELLS), ".jsonl"),
    "lists in Parquet": as_file(frame(LIST_CELLS), ".parquet"),
    "lists in pandas": lambda _: frame(LIST_CELLS),
    "sets in pandas": lambda _: frame(SETS),
    "arrays in pandas": lambda _: frame([np.array(cell, dtype=object) for cell in LIST_CELLS]),
    "lists in polars": lambda _: pl.DataFrame({"text": TEXTS_OF, "tags": LIST_CELLS}),
    "lists in Arrow": lambda _: pa.table({"text": TEXTS_OF, "tags": LIST_CELLS}),
    "columns of 0 and 1": as_file(per_label(0, 1), ".csv"),
    "columns of true and false": lambda _: per_label(False, True),
    "columns of yes and no": as_file(per_label("no", "YES"), ".csv"),
}


@pytest.fixture(params=FORMS, ids=str)
def source(request, tmp_path):
    return FORMS[request.param](tmp_path)


def read(source, target=NEW, **options):
    return read_inputs(source, target, TextOptions(**options))


def test_every_form_is_refused_in_one_line_and_used_with_multi(source):
    with pytest.raises(ValueError, match="multi=True") as error:
        read(source)
    assert "\n" not in str(error.value)
    inputs = read(source, multi=True)
    assert inputs.form.names == NAMES
    assert [set(inputs.form.read(text)) for text in inputs.labels.tolist()] == SETS
    assert any("3 labels" in message for message in inputs.messages)


def test_labels_are_written_as_they_came(source):
    form = read(source, multi=True).form
    cells = [form.cell(labels) for labels in SETS]
    assert [set(form.read(cell)) for cell in cells] == SETS
    table = source if not isinstance(source, Path) else None
    if isinstance(table, pd.DataFrame) and "tags" in table and isinstance(table["tags"][0], list):
        assert cells == table["tags"].tolist()
    if isinstance(source, Path) and source.suffix == ".csv" and "tags" in (header := pd.read_csv(source)):
        assert cells == header["tags"].tolist()
    if form.columns(SETS):
        assert set(form.columns(SETS)) == set(NAMES)
        given = pd.read_csv(source) if isinstance(source, Path) else source
        own = [str(cell).lower() for cell in given["bug"]]
        assert [str(cell).lower() for cell in form.columns(SETS)["bug"]] == own


@pytest.mark.parametrize(
    "label",
    [LIST_CELLS, SETS, [tuple(cell) for cell in LIST_CELLS], joined(";")],
    ids=["lists", "sets", "tuples", "texts"],
)
def test_labels_of_lists_of_texts(label):
    with pytest.raises(ValueError, match="multi=True"):
        read(TEXTS_OF, NEW["text"].tolist(), label=label)
    assert read(TEXTS_OF, NEW["text"].tolist(), label=label, multi=True).form.names == NAMES


def test_indicator_matrices():
    Y = np.array([[name in labels for name in NAMES] for labels in SETS])
    for label, names in ((Y.astype(int), ("0", "1", "2")), (sp.csr_array(Y * 1), ("0", "1", "2"))):
        inputs = read(TEXTS_OF, NEW["text"].tolist(), label=label, multi=True)
        assert inputs.form.names == names
        assert [{NAMES[int(j)] for j in inputs.form.read(text)} for text in inputs.labels.tolist()] == SETS
    named = read(TEXTS_OF, NEW["text"].tolist(), label=pd.DataFrame(Y, columns=NAMES), multi=True)
    assert named.form.names == NAMES
    with pytest.raises(ValueError, match="indicator matrix of 0 and 1"):
        read(TEXTS_OF, NEW["text"].tolist(), label=Y * 3, multi=True)


def test_named_columns_and_named_label():
    table = per_label(0, 1).assign(weekend=[0, 1] * 4)
    assert read(table, multi=True).form.names == (*NAMES, "weekend")
    assert read(table, multi=True, label="bug, ui").form.names == ("bug", "ui")
    with pytest.raises(ValueError, match="several columns"):
        read(table, label="bug, ui")
    with pytest.raises(ValueError, match="other cells than 0 and 1"):
        read(table.assign(ui="maybe"), multi=True, label="bug,ui")
    with pytest.raises(ValueError, match="no column 'urgent'"):
        read(table, multi=True, label="bug,urgent")
    empty = table.astype(object)
    empty.loc[2, "ui"] = None
    with pytest.raises(ValueError, match="line 3: column 'ui' is empty"):
        read(empty, multi=True)


PERSONS = ["Smith, John", "Smith, Jane", "Doe, John", "Smith, John", "Doe, Ann", "Doe, John", "Roe, Ann", "Roe, Jim"]


def test_a_comma_in_a_label_is_no_separator():
    inputs = read(frame(PERSONS))
    assert inputs.form is None
    assert set(inputs.labels.tolist()) == set(PERSONS)
    assert any("'Smith, John' are one class each" in message for message in inputs.messages)
    with pytest.raises(ValueError, match="may be parts of a label"):
        read(frame(PERSONS), multi=True)
    assert not any("one class each" in message for message in read(frame(PERSONS), multi=False).messages)


def test_texts_can_stay_classes_but_lists_cannot():
    inputs = read(frame(joined(";")), multi=False)
    assert inputs.form is None
    assert "bug;ui" in inputs.labels.tolist()
    with pytest.raises(ValueError, match="a list is no class"):
        read(frame(LIST_CELLS), multi=False)


def test_lists_may_have_one_label_each():
    cells = [["bug"], ["ui"], [], None, ["bug"], ["ui"], ["ui"], ["bug"]]
    with pytest.raises(ValueError, match="multi=True"):
        read(frame(cells))
    assert read(frame(cells), multi=True).form.names == ("bug", "ui")


def test_one_label_per_document_is_refused_with_multi():
    with pytest.raises(ValueError, match="one label per document"):
        read(frame(["bug", "ui"] * 4), multi=True)


def test_empty_cells_are_no_labels_and_none_is_no_label():
    cells = joined(";", none="")
    inputs = read(frame(cells), multi=True)
    assert len(inputs.labels) == len(SETS) - 1
    assert any("without a label, left out" in message for message in inputs.messages)
    half = read(frame(cells), None, multi=True, label="tags")
    assert half.is_half_labelled
    assert half.documents.rows.tolist() == [3]


def test_spellings_are_said_or_merged():
    cells = ["Bug;ui", "bug", "ui;bug", "ui", "Bug", "bug;ui", "bug", "ui"]
    assert "'Bug'" in read(frame(cells), multi=True).spellings
    assert read(frame(cells), multi=True, merge_labels=True).form.names == ("bug", "ui")


def test_numbers_are_labels_in_their_order():
    inputs = read(frame([[2, 10], [2], [10], [1], [1, 2], [1], [2], [10]]), multi=True)
    assert inputs.form.names == ("1", "2", "10")
    assert inputs.form.cell({"10", "2"}) == [2, 10]
    assert in_order({"b", "a"}) == ("a", "b")


def test_evidence_of_separators():
    assert evidence({"bug;ui": 1, "question": 9}, ";") == 0  # nothing is seen elsewhere
    assert evidence({"bug;ui": 1, "bug": 9}, ";") == 0.5
    assert evidence({"a,b": 1, "b,c": 1}, ",") == 0.5  # only b is first and later
    assert evidence({"Paris, France": 5, "Lyon, France": 3, "France": 1}, ",") == 0.5
    assert find_form(["Paris, France"] * 5 + ["Lyon, France", "France"])[1] is False
    assert find_form(["one", "two"]) == (None, False)
    assert find_form(["1,5", "2,5"])[1] is False


names = st.text("abcdeü -", min_size=1, max_size=6).map(str.strip).filter(bool).filter(lambda n: n != "none")


@given(st.sets(names, min_size=2, max_size=5), st.data())
def test_what_is_written_is_read_again(labels, data):
    own = data.draw(st.sets(st.sampled_from(sorted(labels))))
    ordered = in_order(labels)
    for form in (
        *(Form(TEXTS, ordered, s) for s in (";", "; ", "|", ",")),
        Form(LISTS, ordered),
        Form(LISTS, ordered, as_python=True),
        Form(LISTS, ordered, values={name: name for name in ordered}),
    ):
        assert form.read(form.cell(own)) == own
        assert form.read(form.text(own)) == own
        assert form.read_answer(form.text(own), "row 1") == own


def test_answers_are_read_kindly_and_wrong_ones_named():
    form = Form(TEXTS, NAMES, ";")
    assert form.read_answer(" UI ; bug", "row 1") == {"bug", "ui"}
    assert form.read_answer("bug, ui", "row 1") == {"bug", "ui"}
    assert form.read_answer("none", "row 1") == frozenset()
    assert form.read_answer("", "row 1") is None
    with pytest.raises(ValueError, match=r"row 1: 'bugg' is no label.*Did you mean 'bug'"):
        form.read_answer("bugg;ui", "row 1")
