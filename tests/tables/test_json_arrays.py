"""JSON arrays of objects."""

import gzip
import json

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from labelferry.tables import Table, from_texts, read_table, write_table
from labelferry.tables.formats import json_array

ROWS = {"text": ["a red door", "a green house"], "label": ["yes", "no"]}
OBJECTS = [dict(zip(ROWS, values, strict=True)) for values in zip(*ROWS.values(), strict=True)]


def put(folder, content, name="x.json"):
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", json.dumps(OBJECTS).encode()),
        ("x.json", json.dumps(OBJECTS, indent=2).encode()),
        ("x.json", b"\xef\xbb\xbf\n  " + json.dumps(OBJECTS).encode() + b"\n"),
        ("x.json", json.dumps(OBJECTS).encode("utf-16")),
        ("x.json.gz", gzip.compress(json.dumps(OBJECTS).encode(), mtime=0)),
        ("x.data", json.dumps(OBJECTS).encode()),
        ("x.json", "\n".join(map(json.dumps, OBJECTS)).encode()),
    ],
)
def test_arrays_and_lines(tmp_path, name, content):
    assert read_table(put(tmp_path, content, name)).columns == ROWS


def test_lines_and_missing_keys(tmp_path):
    table = read_table(put(tmp_path, b'[\n{"a": 1},\n\n{"b": null,\n "c": [2]}, {"a": true}\n]'))
    assert table.columns == {"a": [1, None, True], "b": [None] * 3, "c": [None, [2], None]}
    assert list(table.lines) == [2, 4, 5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "is empty"),
        (b"", "is empty"),
        (b'[{"text": "a"},\n {"text": "b"} {"text": "c"}]', "line 2, character 16: no JSON (Expecting ',' or ']')"),
        (b'[{"text": "a"},\n {"text": "b"', "line 2, character 14: no JSON (Expecting ',' delimiter)"),
        (b'[{"text": "a"},\n]', "line 2, character 1: no JSON (Expecting value)"),
        (b'[{"text": "a"}', "line 1, character 15: no JSON (Expecting ',' or ']')"),
        (b'[{"text": "a"}] x', "line 1, character 17: no JSON (text after the end of the array)"),
        (b'[{"text": "a", "text": "b"}]', "no JSON (a key occurs twice)"),
        (b'[{"text": "a\0"}]', "no JSON (Invalid control character at)"),
        (b'[{"text": ' + b"[" * 200_000, "nested too deeply"),
        (b'[{"text": "a"},\n5]', "line 2: JSON that is a int, not an object"),
        (b'{"total": 1, "data": [{"text": "a"}]}', "one JSON object with the keys 'total', 'data'"),
        (b'{\n"text": "a"\n}', "one JSON object with the keys 'text'"),
        (b'"text"', "line 1: JSON that is a str"),
    ],
)
def test_errors_name_the_position(tmp_path, content, message):
    with pytest.raises(ValueError, match=r"x\.json") as error:
        read_table(put(tmp_path, content))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_bad_elements_are_skipped(tmp_path):
    table = read_table(put(tmp_path, b'[{"text": "a"},\n5,\n{"text": "b"}]'), skip_bad=True)
    assert table.columns == {"text": ["a", "b"]}
    assert [row.line for row in table.bad] == [2]


def test_limits(tmp_path, monkeypatch):
    path = put(tmp_path, b'[{"text": "aaaaaaaaaaaaaaaaaaaaa"}]')
    with pytest.raises(ValueError, match="a line or cell may have 20 characters"):
        read_table(path, limit=20)
    monkeypatch.setattr(json_array, "MAX_CHARACTERS", 30)
    with pytest.raises(ValueError, match=r"may have 30 characters and this one has more. Write one object per line"):
        read_table(path)


numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.none() | st.booleans() | numbers | st.text(max_size=8)


@given(rows=st.lists(st.tuples(values, values), min_size=1, max_size=5))
@settings(max_examples=50, deadline=None)
def test_what_is_written_is_read_back(tmp_path_factory, rows):
    columns = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    path = tmp_path_factory.getbasetemp() / "round.json"
    write_table(Table("x", columns, range(len(rows))), {}, path)
    assert read_table(path).columns == columns


def test_what_json_has_no_form_for_is_empty_or_a_text(tmp_path):
    columns = {"a": [float("nan"), float("inf")], "b": [[float("-inf")], {"c": float("nan")}]}
    write_table(Table("x", columns, range(2)), {}, tmp_path / "x.json")
    assert read_table(tmp_path / "x.json").columns == {"a": [None, "Infinity"], "b": [["-Infinity"], {"c": None}]}


def test_the_output_is_one_array(tmp_path):
    write_table(from_texts(["é", "b"]), {"label": [1, 2]}, tmp_path / "x.json")
    expected = '[\n{"text": "é", "label": 1},\n{"text": "b", "label": 2}\n]\n'
    assert (tmp_path / "x.json").read_text() == expected
    write_table(from_texts([]), {}, tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text()) == []
