"""Excel workbooks: values, limits, damaged and hostile files."""

import datetime
import io
import sys
import time
import zipfile

import pytest

from labelferry.tables import Table, check_output, from_texts, read_table, write_table
from labelferry.tables.formats import excel

from ..workbooks import OLE, edited, openpyxl, saved, workbook

GOOD = [["text", "label"], ["a red door", "yes"], ["a green house", "no"]]
ROWS = {"text": ["a red door", "a green house"], "label": ["yes", "no"]}
SHEET = "xl/worksheets/sheet1.xml"


def put(folder, content, name="x.xlsx"):
    (folder / name).write_bytes(content)
    return folder / name


def test_a_workbook_is_a_table(tmp_path):
    table = read_table(put(tmp_path, workbook(GOOD)))
    assert table.columns == ROWS
    assert list(table.lines) == [2, 3]
    assert table.messages == ()
    assert table.dialect.format == "Excel"
    assert table.dialect.unit == "row"


@pytest.mark.parametrize("name", ["x.data", "x.csv", "x.xlsm"])
def test_the_content_decides(tmp_path, name):
    assert read_table(put(tmp_path, workbook(GOOD), name)).columns == ROWS


def test_values(tmp_path):
    noon = datetime.datetime(2026, 5, 1, 12)
    rows = [
        [None, None],
        ["text", "n", None, "day", "time", "yes", None],
        ["a", 1, "x", datetime.date(2026, 5, 1), noon, True],
        [],
        ["b", 1.5, None, None, noon, False],
        ["c", 12345678901234],
    ]
    table = read_table(put(tmp_path, workbook(rows)))
    assert list(table.lines) == [3, 5, 6]
    assert table.columns == {
        "text": ["a", "b", "c"],
        "n": [1, 1.5, 12345678901234],
        "column C": ["x", None, None],
        "day": [datetime.date(2026, 5, 1), None, None],
        "time": [noon, noon, None],
        "yes": [True, False, None],
    }
    assert [type(value) for value in table.columns["n"]] == [int, float, int]


def test_formulas_have_their_last_value_and_errors_are_missing(tmp_path):
    book = openpyxl.Workbook()
    for row in [["text", "sum", "error"], ["a", "=1+1", "#N/A"]]:
        book.active.append(row)
    content = edited(saved(book), SHEET, lambda xml: xml.replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>"))
    table = read_table(put(tmp_path, content))
    assert table.columns == {"text": ["a"], "sum": [2], "error": [None]}
    assert table.messages == ()


def test_formulas_without_a_value_are_counted(tmp_path):
    rows = [["text", "label"], ["a", "=B9"], ["=A9", "=B9"], ["b", "yes"], ["c", '=""']]
    content = edited(workbook(rows), SHEET, lambda xml: xml.replace(b'<c r="B5"><f>', b'<c r="B5" t="str"><f>'))
    path = put(tmp_path, content)
    message = f"{path}: 3 formulas have no value (first: B2). Open the workbook in Excel, and save it"
    assert read_table(path).messages == (message,)
    assert read_table(path).columns == {"text": ["a", "b", "c"], "label": [None, "yes", None]}
    path = put(tmp_path, workbook([["text"], ["=A9"]]))
    with pytest.raises(ValueError, match=r"1 formula has no value: an empty cell \(first: A2\).*no row has a value"):
        read_table(path)


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_a_formula_is_found_across_chunks(monkeypatch, chunk):
    monkeypatch.setattr(excel, "CHUNK", chunk)
    for xml, expected in [(b"<c><f>1</f></c>", True), (b"<c><x:f t='s'/></c>", True), (b"<font/><form>", False)]:
        assert excel.has_formula(io.BytesIO(b" " * 100 + xml)) is expected


def test_the_first_visible_sheet_is_read_and_another_can_be_named(tmp_path):
    other = [["text"], ["other"]]
    path = put(tmp_path, workbook([["text"], ["old"]], title="Archive", others=[("May", GOOD), ("June", other)]))
    table = read_table(path)
    assert table.columns == {"text": ["old"]}
    assert table.messages == (
        f"{path}: sheet 'Archive' is read; the sheets are 'Archive', 'May', 'June'. "
        "For another one, add its name to the path: #May",
    )
    assert read_table(f"{path}#May").columns == ROWS
    assert read_table(f"{path}#May").messages == ()
    with pytest.raises(ValueError, match="has no sheet 'July'; it has 'Archive', 'May', 'June'"):
        read_table(f"{path}#July")
    hidden = workbook([["text"], ["old"]], title="Archive", others=[("May", GOOD)], hidden=["Archive"])
    assert read_table(put(tmp_path, hidden)).columns == ROWS
    put(tmp_path, workbook(GOOD), "x.xlsx#1.xlsx")
    assert read_table(tmp_path / "x.xlsx#1.xlsx").columns == ROWS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not an Excel workbook: it begins with b''"),
        (b"text,label\na,b\n", "is not an Excel workbook: it begins with b'text,lab'"),
        (workbook(GOOD)[:2000], "is a damaged Excel workbook (File is not a zip file)"),
        (OLE + b"\0" * 600, "is an Excel workbook in the old format .xls. Open it, and save it as .xlsx"),
        (OLE + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"), "is an Excel workbook protected by a password"),
        (edited(workbook(GOOD), SHEET, lambda xml: xml[:200]), "is a damaged Excel workbook"),
        (edited(workbook(GOOD), "xl/workbook.xml", lambda xml: b"<x/>"), "has no sheet with cells"),
        (edited(workbook(GOOD), "xl/workbook.xml", lambda xml: b"<x>"), "is a damaged Excel workbook"),
        (workbook([[]]), "is empty"),
        (workbook([["text", "label"]]), "has a header and no rows"),
        (workbook([["text", "text"], ["a", "b"]]), "two columns are called 'text'"),
        (workbook([[1, 2.5], [3, 4]]), "line 1 has numbers where the names of columns should be"),
    ],
)
def test_bad_workbooks_are_one_line(tmp_path, content, message):
    with pytest.raises(ValueError, match=r"x\.xlsx") as error:
        read_table(put(tmp_path, content))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_zip_archive_is_not_a_workbook(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.csv", "text\na\n")
    for name in ("x.xlsx", "x.zip"):
        with pytest.raises(ValueError, match="is a zip archive and not an Excel workbook"):
            read_table(put(tmp_path, out.getvalue(), name))


def test_a_column_without_a_name_is_called_by_its_letter_and_no_row_is_lost(tmp_path):
    table = read_table(put(tmp_path, workbook([["text"], ["a"], ["b", "c"], ["d"]])))
    assert table.columns == {"text": ["a", "b", "d"], "column B": [None, "c", None]}
    assert table.bad == ()


def test_a_cell_above_the_limit(tmp_path):
    with pytest.raises(ValueError, match="row 2: a cell may have 5 characters and one of column 'text' has 10"):
        read_table(put(tmp_path, workbook(GOOD)), limit=5)


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(excel, "MAX_UNZIPPED", 10_000_000)
    bomb = edited(workbook(GOOD), SHEET, lambda xml: xml + b" " * 20_000_000)
    assert len(bomb) < 100_000
    with pytest.raises(ValueError, match="an unpacked workbook may have 10,000,000 bytes and this one has 20,"):
        read_table(put(tmp_path, bomb))


@pytest.mark.parametrize(
    "change",
    [
        lambda xml: xml.replace(b'ref="A1:B3"', b'ref="A1:XFD1048576"'),
        lambda xml: xml.replace(b'<row r="3">', b'<row r="1048576">'),
    ],
)
def test_the_stated_size_of_a_sheet_is_not_trusted(tmp_path, change):
    begin = time.perf_counter()
    assert len(read_table(put(tmp_path, edited(workbook(GOOD), SHEET, change)))) == 2
    assert time.perf_counter() - begin < 20


@pytest.mark.parametrize("row", [b"1048577", b"999999999999"])
def test_a_row_below_the_last_one(tmp_path, monkeypatch, row):
    monkeypatch.setattr(excel, "MAX_ROWS", 1000)
    path = put(tmp_path, edited(workbook(GOOD), SHEET, lambda xml: xml.replace(b'<row r="3">', b'<row r="%s">' % row)))
    with pytest.raises(ValueError, match="a sheet may have 1,000 rows"):
        read_table(path)


def test_entities_are_not_expanded(tmp_path):
    levels = b"".join(b'<!ENTITY x%d "%s">' % (i, b"&x%d;" % (i - 1) * 10) for i in range(1, 12))
    entities = b'<!DOCTYPE x [<!ENTITY x0 "aaaaaaaaaa">' + levels + b"]>"
    content = edited(workbook(GOOD), SHEET, lambda xml: entities + xml.replace(b"yes", b"&x11;"))
    begin = time.perf_counter()
    with pytest.raises(ValueError, match="is a damaged Excel workbook"):
        read_table(put(tmp_path, content))
    assert time.perf_counter() - begin < 20


# Writing


HOSTILE = [
    *[
        "=1+1",
        "+49 30",
        "-x",
        "@a",
        "'quoted",
        "a\0b",
        "\ud800x",
        "a\r\nb\nc\rd",
        '"q"',
        "x" * 32_767,
        " blanks ",
        "\t",
    ],
    *["_x0041_", "_x005F_", "\ufffe", "\x1b", "é😀", "#N/A", "TRUE", "1", "<b>&amp;", "😀" * 16_383],
]


def test_texts_are_read_back_unchanged_and_are_never_formulas(tmp_path):
    table = Table("x", {"text": HOSTILE, "=name": HOSTILE}, range(len(HOSTILE)))
    write_table(table, {"label": HOSTILE[::-1]}, tmp_path / "x.xlsx")
    back = read_table(tmp_path / "x.xlsx")
    assert back.columns == {"text": HOSTILE, "=name": HOSTILE, "label": HOSTILE[::-1]}
    cells = openpyxl.load_workbook(tmp_path / "x.xlsx").active
    assert {cell.data_type for row in cells.iter_rows() for cell in row} == {"s"}
    assert cells["A2"].quotePrefix  # it stays a text if somebody edits it
    assert not cells["A10"].quotePrefix


def test_values_are_read_back(tmp_path):
    same = [1, -2.5, True, False, None, datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4, 5)]
    same += [datetime.time(4, 5), 1e-300, 999_999_999_999_999]
    zone = datetime.UTC
    texts = {
        10**15: "1000000000000000",
        float("inf"): "inf",
        datetime.date(1800, 1, 1): "1800-01-01",
        datetime.datetime(2026, 1, 2, tzinfo=zone): "2026-01-02 00:00:00+00:00",
        (1, 2): "(1, 2)",
    }
    other = [*texts, [1, "é"], {"a": None}, float("nan"), ""]
    values = [*same, *other]
    write_table(Table("x", {"text": ["a"] * len(values), "v": values}, range(len(values))), {}, tmp_path / "x.xlsx")
    back = read_table(tmp_path / "x.xlsx").columns["v"]
    assert back == [*same, *texts.values(), '[1, "é"]', '{"a": null}', None, None]
    assert [type(value) for value in back[:4]] == [int, float, bool, bool]


def test_the_limits_of_excel_are_errors_before_the_work(tmp_path, monkeypatch):
    long = from_texts(["a", "x" * 32_768])
    message = "a cell of Excel has 32,767 characters and column 'text' has 32,768 in document 2. Write .csv."
    for call in (lambda path: check_output(long, path), lambda path: write_table(long, {}, path)):
        with pytest.raises(ValueError, match=f"cannot write .*x.xlsx: {message}"):
            call(tmp_path / "x.xlsx")
    with pytest.raises(ValueError, match="has 32,768 in document 1"):
        check_output(from_texts(["😀" * 16_384]), "x.xlsx")
    check_output(long, "x.csv")
    monkeypatch.setattr(excel, "MAX_ROWS", 3)
    check_output(from_texts(["a", "b"]), "x.xlsx")
    with pytest.raises(ValueError, match="a sheet has 3 rows with the header and the table has 3 documents"):
        check_output(from_texts(["a", "b", "c"]), "x.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_without_openpyxl(tmp_path, monkeypatch):
    path = put(tmp_path, workbook(GOOD))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    for call in (lambda: read_table(path), lambda: check_output(from_texts(["a"]), path)):
        with pytest.raises(ValueError, match=r"needs openpyxl: pip install '\.\[excel\]'"):
            call()


def test_units_of_excel():
    assert excel.n_units("😀") == 1  # short texts are not counted exactly
    assert excel.n_units("😀" * 20_000) == 40_000
