"""Users' files: every kind of damage is an error in one line, and what is written is read back."""

import csv
import gzip
import json
import os
import re
import stat
import threading
from unittest import mock

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

from labelferry.tables import (
    BadRow,
    Table,
    check_labels,
    choose_columns,
    formats,
    from_texts,
    is_table_file,
    join_texts,
    read_table,
    summarize,
    take_rows,
    write_table,
)
from labelferry.tables.cells import as_number

GOOD = b"text,label\na red door,yes\na green house,no\n"
ROWS = {"text": ["a red door", "a green house"], "label": ["yes", "no"]}


def put(folder, content, name="x.csv"):
    path = folder / name
    path.write_bytes(content)
    return path


def one_line(error):
    message = str(error.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", GOOD),
        ("x.CSV", GOOD),
        ("x.csv", b"\xef\xbb\xbf" + GOOD),
        ("x.csv", GOOD.replace(b",", b";")),
        ("x.csv", GOOD.replace(b",", b"\t")),
        ("x.csv", GOOD.replace(b",", b"|")),
        ("x.csv", GOOD.replace(b"\n", b"\r\n")),
        ("x.csv", GOOD.replace(b"\n", b"\r")),
        ("x.csv", b"text,label\r\na red door,yes\ra green house,no\n"),
        ("x.csv", GOOD.rstrip(b"\n")),
        ("x.csv", b"\n\ntext,label\n\na red door,yes\n\na green house,no\n\n"),
        ("x.csv", b'"text","label"\n"a red door",yes\na green house,"no"\n'),
        ("x.csv", GOOD.decode().encode("utf-16")),
        ("x.csv.gz", gzip.compress(GOOD, mtime=0)),
        ("zipped-without-suffix.csv", gzip.compress(GOOD, mtime=0)),
        ("not-zipped.csv.gz", GOOD),
        ("x.tsv", GOOD.replace(b",", b"\t")),
        ("x.tab.gz", gzip.compress(GOOD.replace(b",", b"\t"), mtime=0)),
        ("x.txt", GOOD),
        ("no-suffix", GOOD),
        ("x.jsonl", b'{"text": "a red door", "label": "yes"}\n\n{"label": "no", "text": "a green house"}'),
        (
            "x.ndjson",
            b'\xef\xbb\xbf{"text": "a red door", "label": "yes"}\r\n{"label":"no","text":"a green house"}\r\n',
        ),
        ("x.json", b'{"text": "a red door", "label": "yes"}\n{"label": "no", "text": "a green house"}\n'),
    ],
)
def test_good_files(tmp_path, name, content):
    table = read_table(put(tmp_path, content, name))
    assert table.columns == ROWS
    assert list(table.columns) == ["text", "label"]
    assert len(table) == 2
    assert table.bad == ()


TEXT = b"text,label\n"
BAD_FILES = [
    ("x.csv", b"", "is empty"),
    ("x.csv", b"\n\n", "is empty"),
    ("x.jsonl", b"", "is empty"),
    ("x.jsonl", b"{}\n{}\n", "is empty"),
    ("x.csv.gz", gzip.compress(b"", mtime=0), "is empty"),
    ("x.csv", b"text,label\n", "a header and no rows"),
    ("x.csv", b"text,label,text\na,b,c\n", "two columns are called 'text'"),
    ("x.csv", b"1,0.5\n2,0.7\n", "line 1 has numbers where the names"),
    ("x.csv", b'{"text": "a", "label": "b"}\n', "suffix .jsonl"),
    ("x.csv", b'"text" x,label\na,b\n', "the header: text follows a closing quote"),
    ("x.csv", TEXT + "café,b\n".encode() + b"caf\xe9,b\n", "line 3: byte 0xe9 at character 4 is not UTF-8, as most"),
    (
        "x.jsonl",
        '{"text": "é"}\n'.encode() + b'{"text": "caf\xe9"}\n',
        "line 2: byte 0xe9 at character 14 is not UTF-8",
    ),
    ("x.json", '[{"text": "é"},\n'.encode() + b'{"text": "caf\xe9"}]\n', "line 2: bytes that are not UTF-8"),
    ("x.csv", "text,label\na,b\n".encode("utf-16")[:-1], "line 2 is not UTF-16"),
    ("x.csv", TEXT + b"a,b\na,b,c\n", "line 3: 3 fields where the header has 2"),
    ("x.csv", TEXT + b"a\n", "line 2: 1 field where the header has 2"),
    ("x.csv", TEXT + b"a,b\na\0,b\n", "line 3: NUL bytes"),
    ("x.csv", TEXT + b'a,b\n"a\n\0",b\n', "line 3: NUL bytes"),
    ("x.csv", TEXT + b'a,b\na,"b\nc,d\n', "line 3: a quote is opened and never closed. Fix"),
    ("x.csv", TEXT + b'"a" c,b\n', "line 2: text follows a closing quote"),
    ("x.jsonl", b'{"text": "a"}\n{"text": \n', "line 2: no JSON object (Expecting value at character 9)"),
    ("x.jsonl", b'{"text": "a"}\n["a"]\n', "line 2: JSON that is a list"),
    ("x.jsonl", b'{"text": "a", "text": "b"}\n', "line 1: no JSON object (a key occurs twice)"),
    ("x.jsonl", b'{"text": "a\0"}\n', "line 1: NUL bytes"),
    ("x.jsonl", b'{"text": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n", "line 1: JSON that is nested too deeply"),
    ("x.jsonl", GOOD, "line 1: no JSON object"),
    ("x.csv.gz", gzip.compress(GOOD * 1000, mtime=0)[:-30], "cut short or damaged"),
    ("x.csv.gz", gzip.compress(GOOD, mtime=0)[:12], "cut short or damaged"),
    ("x.csv.gz", gzip.compress(GOOD, mtime=0)[:10] + b"\xff" * 50, "damaged gzip file"),
    ("x.parquet", GOOD, "is not a Parquet file"),
    ("x.xlsx", b"PK\x03\x04rest", "a damaged Excel workbook"),
    ("x.zip", b"PK\x03\x04rest", "a damaged Excel workbook"),
    ("x.bin", b"\x01\0\0\x02", "a binary file"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD_FILES, ids=[f"{n}-{m}" for n, _, m in BAD_FILES])
def test_bad_files(tmp_path, name, content, message):
    path = put(tmp_path, content, name)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_table(path)
    one_line(error)
    assert name in str(error.value)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet", "txt", "xlsx"])
@given(content=st.binary(max_size=80) | st.text('{}[]":,;\t\r\n\0 a1é|', max_size=40).map(str.encode))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_a_table_or_one_line(tmp_path_factory, suffix, content):
    path = put(tmp_path_factory.getbasetemp(), content, f"any.{suffix}")
    for skip_bad in (False, True):
        try:
            table = read_table(path, skip_bad=skip_bad)
        except ValueError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert {len(values) for values in table.columns.values()} <= {len(table)}


def test_no_file_and_folder(tmp_path):
    with pytest.raises(ValueError, match="there is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="is a folder"):
        read_table(tmp_path)


def test_the_encoding_can_be_named(tmp_path):
    path = put(tmp_path, TEXT + "café,naïve\n".encode("cp1252"))
    assert read_table(path, encoding="cp1252").columns == {"text": ["café"], "label": ["naïve"]}
    with pytest.raises(ValueError, match="'klingon' is unknown"):
        read_table(path, encoding="klingon")


def test_bad_rows_are_skipped_and_all_of_them_are_listed(tmp_path):
    path = put(tmp_path, TEXT + b'a,b\nc\n"d" e,f\ng,\0\n\n"h\ni",j\nk,l,m\nn,"o\np,q\n')
    table = read_table(path, skip_bad=True)
    assert table.columns == {"text": ["a", "h\ni", "p"], "label": ["b", "j", "q"]}
    assert list(table.lines) == [2, 7, 11]
    assert [row.line for row in table.bad] == [3, 4, 5, 9, 10]
    with pytest.raises(ValueError, match="no readable row: 1 bad, the first on line 2"):
        read_table(put(tmp_path, TEXT + b"a\n"), skip_bad=True)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_an_empty_line_in_a_file_of_one_column_is_a_row(tmp_path, newline, suffix):
    content = newline.join(["", "text", "", "first", "", "", '"two', "", 'lines"', "last", "", "", ""])
    path = put(tmp_path, content.encode(), "x" + suffix)
    table = read_table(path)
    assert table.columns == {"text": ["", "first", "", "", f"two{newline}{newline}lines", "last"]}
    assert list(table.lines) == [3, 4, 5, 6, 7, 10]
    out = tmp_path / f"out{suffix}"
    write_table(table, {}, out)
    assert read_table(out).columns == table.columns


def test_an_empty_line_before_a_bad_row_is_a_row(tmp_path):
    table = read_table(put(tmp_path, b"text\na\n\nb\0\n\n"), skip_bad=True)
    assert table.columns == {"text": ["a", ""]}
    assert [row.line for row in table.bad] == [4]


def test_bad_rows_are_summarized_by_kind():
    rows = [BadRow(i, "1 field where the header has 2") for i in range(12, 372)]
    rows += [BadRow(9, "4 fields where the header has 2"), BadRow(5, "3 fields where the header has 2")]
    rows += [BadRow(7, "NUL bytes")]
    assert summarize(rows, "old.csv") == [
        "old.csv: 360 rows skipped (1 field where the header has 2); first: line 12",
        "old.csv: 2 rows skipped (3 fields where the header has 2, or similar); first: line 5",
        "old.csv: 1 row skipped (NUL bytes); line 7",
    ]
    assert summarize(rows[-1:], "a", unit="row", outcome="kept") == ["a: 1 row kept (NUL bytes); row 7"]
    assert summarize([], "old.csv") == []


def test_objects_with_other_keys(tmp_path):
    table = read_table(put(tmp_path, b'{"a": 1}\n{"z": [2], "b": null}\n{"b": true, "a": 2.5}\n', "x.jsonl"))
    assert table.columns == {"a": [1, None, 2.5], "z": [None, [2], None], "b": [None, None, True]}


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("filler", ["x", "x\n"])
def test_a_huge_cell_is_rejected_before_it_is_read(tmp_path, quote, filler):
    path = tmp_path / "x.csv"
    with path.open("w") as file:
        file.write(f"text,label\na,b\n{quote}")
        for _ in range(20):
            file.write(filler * (1_000_000 // len(filler)))
    before = csv.field_size_limit()
    lines_are_rows = filler == "x\n" and not quote
    message = "line 3: 1 field" if lines_are_rows else "line 3: a line or cell may have 100,000 characters"
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_table(path, limit=100_000)
    one_line(error)
    assert csv.field_size_limit() == before


def test_long_cells_are_read_and_the_limit_of_the_csv_module_is_unchanged(tmp_path):
    path = put(tmp_path, TEXT + b"a" * 500_000 + b",b\n")
    before = csv.field_size_limit()
    assert len(read_table(path).columns["text"][0]) == 500_000 > before
    assert csv.field_size_limit() == before


def test_files_are_read_in_parallel(tmp_path):
    path = put(tmp_path, TEXT + (b"a" * 200_000 + b",b\n") * 5)
    sizes, threads = [], []
    for _ in range(4):
        threads.append(threading.Thread(target=lambda: sizes.append(len(read_table(path)))))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert sizes == [5] * 4


# Writing


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@st.composite
def tables(draw, cells):
    columns = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.tuples(*[cells] * len(columns)), min_size=1, max_size=6))
    return {name: [row[i] for row in rows] for i, name in enumerate(columns)}


delimited = tables(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8) | st.sampled_from(',;"\r\n')
)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz"])
@given(columns=delimited)
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read_back(tmp_path_factory, suffix, columns):
    assume(not all(as_number(name) is not None for name in columns))  # the reader rejects such a header
    write_and_read_back(columns, tmp_path_factory.getbasetemp() / f"round.{suffix}")


def write_and_read_back(columns, path):
    with mock.patch("os.fsync"):  # waits for the disk, which is slow for hundreds of examples
        write_table(Table("x", columns, range(len(next(iter(columns.values()))))), {}, path)
    back = read_table(path)
    assert back.columns == columns
    assert list(back.columns) == list(columns)


values = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)


@given(columns=tables(values | st.lists(values, max_size=2)))
@settings(max_examples=100, deadline=None)
def test_json_lines_are_read_back_unchanged(tmp_path_factory, columns):
    write_and_read_back(columns, tmp_path_factory.getbasetemp() / "round.jsonl")


def test_parquet_keeps_its_types(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    import datetime

    day = datetime.datetime(2020, 1, 2, 3, 4, 5, 678901)
    before = pa.table(
        {
            "text": ["a", None, "c"],
            "label": pa.array([1, 2, None], pa.int8()),
            "when": pa.array([day] * 3, pa.timestamp("us")),
            "words": [["a"], [], None],
        }
    )
    parquet.write_table(before, tmp_path / "in.parquet")
    table = read_table(tmp_path / "in.parquet")
    assert table.columns["label"] == [1, 2, None]
    assert list(table.lines) == [1, 2, 3]
    messages = write_table(table, {"label": ["x", "y", "z"], "p": np.array([0.5, 0.25, 1])}, tmp_path / "out.parquet")
    after = parquet.read_table(tmp_path / "out.parquet")
    assert messages == [f"column 'label' of {table.name} is kept as 'label_before'"]
    assert after.column("label_before").type == pa.int8()
    for name in ("text", "when", "words"):
        assert after.column(name).equals(before.column(name))
    assert after.column("label").to_pylist() == ["x", "y", "z"]
    with pytest.raises(ValueError, match="a cell of column 'text' may have 0 characters and one of rows 1 to 3 has 1"):
        read_table(tmp_path / "in.parquet", limit=0)
    with pytest.raises(ValueError, match="column 'mixed' has values of several types"):
        write_table(table, {"mixed": ["a", 1, {}]}, tmp_path / "out.parquet")


def test_parquet_by_content(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table(ROWS), tmp_path / "x.data")
    assert read_table(tmp_path / "x.data").columns == ROWS


def test_new_columns_follow_the_input_columns_and_nothing_is_lost(tmp_path):
    table = read_table(put(tmp_path, GOOD + b"=1+1,@x\n"))
    messages = write_table(table, {"label": ["1", "2", "3"], "share": np.array([0.5, 1.0, 0.25])}, tmp_path / "out.csv")
    expected = "text,label_before,label,share\na red door,yes,1,0.5\na green house,no,2,1.0\n=1+1,@x,3,0.25\n"
    assert (tmp_path / "out.csv").read_text() == expected
    assert messages == [f"column 'label' of {table.name} is kept as 'label_before'"]


def test_values_that_are_not_text(tmp_path):
    table = Table("x", {"a": [None, True, 1.5, {"b": "é"}, "\ud800"]}, range(5))
    write_table(table, {}, tmp_path / "x.jsonl")
    assert read_table(tmp_path / "x.jsonl").columns == table.columns
    with pytest.raises(ValueError, match="half a character"):
        write_table(table, {}, tmp_path / "x.csv")
    columns = {"a": table.columns["a"][:4]}
    write_table(Table("x", columns, range(4)), {}, tmp_path / "x.csv")
    assert read_table(tmp_path / "x.csv").columns == {"a": ["", "true", "1.5", '{"b": "é"}']}


class Interrupting(list):
    """A column during which the user presses Ctrl-C."""

    def __iter__(self):
        yield "a"
        raise KeyboardInterrupt


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "jsonl"])
def test_a_file_is_written_completely_or_not_at_all(tmp_path, suffix):
    path = put(tmp_path, b"old", f"out.{suffix}")
    with pytest.raises(KeyboardInterrupt):
        write_table(Table("x", {"text": Interrupting(["a", "b"])}, range(2)), {}, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_one_line(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ValueError, match=r"No space left on device\. Nothing was written"):
        write_table(from_texts(["a"]), {}, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_mode_link_and_places(tmp_path):
    table = from_texts(["a"])
    before = os.umask(0o027)
    try:
        write_table(table, {}, tmp_path / "out.csv")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o640
    (tmp_path / "link.csv").symlink_to("out.csv")
    write_table(from_texts(["b"]), {}, tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "out.csv").read_text() == "text\nb\n"
    (tmp_path / "folder.csv").mkdir()
    for name, message in [
        ("none/out.csv", "there is no folder"),
        ("folder.csv", "a folder or a device"),
        ("out.doc", "the suffix selects the format"),
        ("out.parquet.gz", "the suffix selects the format"),
    ]:
        with pytest.raises(ValueError, match=message) as error:
            write_table(table, {}, tmp_path / name)
        one_line(error)
    with pytest.raises(ValueError, match="a value for each of the 1 rows"):
        write_table(table, {"label": [1, 2]}, tmp_path / "out.csv")


# The formats


def test_all_lists_of_formats_come_from_the_registry(tmp_path, monkeypatch):
    suffixes = [format_.suffixes[0] for format_ in formats.FORMATS]
    assert suffixes == [".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".parquet"]
    assert formats.FORMAT_NAMES == "CSV, TSV, Excel, JSON, JSON lines or Parquet"
    assert formats.OUTPUT_SUFFIXES == (
        ".csv, .tsv, .xlsx, .json, .jsonl or .parquet; .csv, .tsv, .json and .jsonl also with .gz"
    )
    assert len(formats.BY_SUFFIX) == sum(len(format_.suffixes) for format_ in formats.FORMATS)
    with pytest.raises(ValueError, match=re.escape(formats.OUTPUT_SUFFIXES)):
        write_table(from_texts(["a"]), {}, tmp_path / "x.doc")
    with pytest.raises(ValueError, match=re.escape(formats.FORMAT_NAMES)):
        read_table(put(tmp_path, b"\x01\0\0\x02", "x.bin"))


def test_a_registered_format_is_read_written_and_detected(tmp_path, monkeypatch):
    marks = formats.base.text_format(
        "marks",
        (".mark",),
        read_rows=lambda lines, bad: formats.delimited.read_delimited(lines, bad, delimiters="!"),
        write_rows=lambda columns, write, dialect: formats.delimited.write_delimited(
            columns, write, dialect, delimiter="!"
        ),
        matches=lambda start: start.startswith(b"text!"),
    )
    assert read_table(put(tmp_path, b"text!label\nd!1\n", "x.unknown")).columns == {"text!label": ["d!1"]}
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, marks))
    monkeypatch.setitem(formats.BY_SUFFIX, ".mark", marks)
    assert read_table(tmp_path / "x.unknown").columns == {"text": ["d"], "label": ["1"]}
    write_table(from_texts(["a", "b"]), {"label": [1, 2]}, tmp_path / "x.mark.gz")
    assert gzip.decompress((tmp_path / "x.mark.gz").read_bytes()) == b"text!label\na!1\nb!2\n"
    assert read_table(tmp_path / "x.mark.gz").columns == {"text": ["a", "b"], "label": ["1", "2"]}
    assert is_table_file("x.mark")


@pytest.mark.parametrize(
    ("value", "is_file"),
    [
        ("x.csv", True),
        ("a folder/x.TSV.GZ", True),
        ("x.ndjson", True),
        ("x.parquet", True),
        ("x.txt", False),
        ("the file is x.csv now", False),
        ("two lines\nx.csv", False),
        ("x" * 5000 + ".csv", False),
        (5, False),
    ],
)
def test_names_of_files_and_texts(value, is_file):
    assert is_table_file(value) is is_file


# Choosing columns


def of(name, **columns):
    return Table(name, columns, range(1, 1 + len(next(iter(columns.values())))))


LONG = ["the door of the house is red", "the house behind the door is green"]


@pytest.mark.parametrize(
    ("source", "target", "expected", "messages"),
    [
        ({"text": LONG, "label": "ab"}, {"text": LONG}, (("text",), "label", None), ["its name", "its name"]),
        ({"Body": LONG, "y": "ab"}, {"Body": LONG, "y": "ab"}, (("Body",), "y", None), ["'Body' (its name)", "'y'"]),
        ({"title": LONG, "text": LONG, "class": "ab"}, {"title": LONG, "text": LONG}, (("text",), "class", None), []),
        (
            {"id": "12", "words": LONG, "kind": "ab"},
            {"id": "12", "words": LONG},
            (("words",), "kind", None),
            ["longest"],
        ),
        (
            {"text": LONG, "label": "ab", "domain": "uv"},
            {"text": LONG},
            (("text",), "label", "domain"),
            ["", "", "domain"],
        ),
        (
            {"text": LONG, "kind": "ab", "domain": "uv"},
            {"text": LONG},
            (("text",), "kind", "domain"),
            ["", "does not have"],
        ),
    ],
)
def test_columns_are_detected_with_a_message(source, target, expected, messages):
    source, target = ({name: list(v) for name, v in table.items()} for table in (source, target))
    columns = choose_columns(of("s", **source), of("t", **target))
    assert columns[:3] == expected
    assert len(columns.messages) == sum(name is not None for name in expected)
    for part, sentence in zip(messages, columns.messages, strict=False):
        assert part in sentence


@pytest.mark.parametrize(
    ("source", "target", "names", "message"),
    [
        ({"text": LONG}, {"text": LONG}, {}, "s has one column, 'text'"),
        ({"body": LONG, "review": LONG, "y": LONG}, {"body": LONG, "review": LONG}, {}, "which column is the text?"),
        ({"text": LONG, "label": LONG}, {"other": LONG}, {}, "have no column in common: 'text', 'label', and 'other'."),
        (
            {"text": LONG},
            {"text": LONG, "label": LONG},
            {},
            "t has a column 'label': if its documents are the labelled",
        ),
        ({"text": LONG, "id": LONG}, {"text": LONG, "id": LONG, "label": LONG}, {}, "labelled ones, pass it first."),
        (
            {"text": LONG, "a": LONG, "b": LONG},
            {"text": LONG},
            {},
            "which column is the label? Other columns of s: 'a'",
        ),
        ({"text": LONG, "label": LONG}, {"text": LONG}, {"text": "txt"}, "Did you mean 'text'?"),
        ({"text": LONG, "label": LONG}, {"words": LONG}, {"text": "text"}, "t has no column 'text'; it has 'words'"),
        ({"text": LONG, "label": LONG}, {"text": LONG}, {"label": "zzz"}, "Name one of them with label= (--label)"),
        ({"text": LONG, "label": LONG}, {"text": LONG}, {"domain": "zzz"}, "s has no column 'zzz'"),
        ({"text": LONG, "label": LONG}, {"text": LONG}, {"text": "text", "label": "text"}, "'text' is named twice"),
    ],
)
def test_doubts_are_errors(source, target, names, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        choose_columns(of("s", **source), of("t", **target), **names)
    one_line(error)


def test_given_names_are_used():
    table = of("s", text=LONG, label=LONG, body=LONG, domain=LONG)
    assert choose_columns(table, table, text="body", label="domain")[:3] == (("body",), "domain", None)


def test_texts_of_one_and_of_several_columns():
    columns = {"subject": ["Invoice", " ", None, 5, ["a"]], "body": ["It is wrong.", "Help ", "", None, float("nan")]}
    table = Table("x", columns, range(2, 7))
    assert join_texts(table, ["subject"]) == ["Invoice", None, None, "5", None]
    assert join_texts(table, ["subject", "body"]) == ["Invoice\n\nIt is wrong.", "Help ", None, "5", None]
    assert join_texts(table, ["body", "subject"])[0] == "It is wrong.\n\nInvoice"


def test_some_rows_of_a_table():
    table = Table("x", {"text": ["a", "b", "c"], "id": [1, 2, 3]}, [2, 3, 5])
    kept = take_rows(table, [0, 2])
    assert kept.columns == {"text": ["a", "c"], "id": [1, 3]}
    assert kept.lines == [2, 5]
    assert kept.head("id", 1) == [1]
    assert take_rows(table, [0, 1, 2]) is table


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "a", "a"], "all 3 are 'a'"),
        ([], "there are none"),
        (["a", None, ""], "2 of 3 rows have no label, the first is row 2"),
        ([0.1, 0.2, 0.3], "a class of its own, such as 0.1"),
    ],
)
def test_labels_from_which_nothing_can_be_learned(labels, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        check_labels(labels)
    one_line(error)
    check_labels(["a", "b"])
    check_labels(np.array([0, 1, 0]))


def test_lists_and_arrays():
    assert from_texts(np.array(["a", "b"]), np.array([0, 1])).columns == {"text": ["a", "b"], "label": [0, 1]}
    with pytest.raises(ValueError, match="got one text"):
        from_texts("a red door")
    with pytest.raises(ValueError, match="got 1 labels and 2 texts"):
        from_texts(["a", "b"], [0])


def test_the_written_json_is_standard(tmp_path):
    write_table(from_texts(["é\u2028"]), {"label": np.array([1])}, tmp_path / "x.jsonl")
    assert json.loads((tmp_path / "x.jsonl").read_bytes()) == {"text": "é\u2028", "label": 1}
