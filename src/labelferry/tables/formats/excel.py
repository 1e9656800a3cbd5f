"""Excel workbooks (.xlsx), which need openpyxl. Rows have the numbers of the sheet; the first row is the header.

A formula has the value that Excel computed last; openpyxl reads those that no program computed as empty cells, so they
are counted in a message. A text is written as a text, never as a formula, and so is what a cell cannot contain as it
is. A workbook is a zip archive, so its size is checked before anything is unpacked.
"""

from __future__ import annotations

import datetime
import math
import re
import warnings
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, BinaryIO

from ..table import Table
from .base import ColumnValues, Format, InputFile, OutputFile
from .delimited import cell as as_cell
from .header import check_header, header_messages

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MAX_UNZIPPED = 1_000_000_000  # bytes of the unpacked workbook
MAX_ROWS = 1_048_576  # of a sheet
MAX_CELLS = 100_000_000  # of the rows that are read, empty cells included
MAX_TEXT = 32_767  # UTF-16 units per cell
MAX_DIGITS = 10**15  # Excel rounds longer numbers, such as identifiers
FIRST_DAY = datetime.date(1900, 3, 1)  # Excel has a day too many before it
NOT_FORMULA = re.compile(r"[=+\-@]")
ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
# Characters that XML cannot contain or changes; and an underscore that would begin an escape.
TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
CHUNK, OVERLAP = 1 << 20, 64  # bytes
INSTALL = "pip install '.[excel]' in a clone of labelferry"


def read_excel(source: InputFile) -> Table:
    """Read one sheet of a workbook."""
    name = source.name
    check_workbook(source)
    try:
        import openpyxl
    except ImportError:
        raise ValueError(f"{name} is an Excel workbook, which needs openpyxl: {INSTALL}.") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and other parts that are not read
            book = openpyxl.load_workbook(source.file, read_only=True, data_only=True, keep_links=False)
            sheet, messages = choose_sheet(book, source)
            sheet.reset_dimensions()  # the file may state a size of a million empty rows
            table = fill(numbered(sheet, source), source)
            formulas = formula_messages(source.file, sheet._worksheet_path, name)
            if formulas and not table.lines:
                raise ValueError(f"{formulas[0]}: no row has a value.")
    except (ValueError, MemoryError) as error:
        if str(error).startswith(name):
            raise
        raise damaged(name, error) from None
    except Exception as error:  # openpyxl raises errors of many types on damaged files
        raise damaged(name, error) from None
    return replace(table, messages=(*messages, *table.messages, *formulas))


def check_workbook(source: InputFile) -> None:
    """Raise an error unless the file is a zip archive of moderate size."""
    name, start = source.name, source.file.read(8)
    if start == OLE:
        kind = "protected by a password" if ENCRYPTED in source.file.read(1 << 24) else "in the old format .xls"
        raise ValueError(f"{name} is an Excel workbook {kind}. Open it, and save it as .xlsx without a password.")
    if not start.startswith(ZIP):
        raise ValueError(f"{name} is not an Excel workbook: it begins with {start!r}. Is the suffix wrong?")
    source.file.seek(0)
    try:
        with zipfile.ZipFile(source.file) as archive:
            names, size = archive.namelist(), sum(entry.file_size for entry in archive.infolist())
    except Exception as error:  # a damaged archive raises errors of many types
        raise damaged(name, error) from None
    if "[Content_Types].xml" not in names or not any(entry.startswith("xl/") for entry in names):
        raise ValueError(f"{name} is a zip archive and not an Excel workbook. Save it as .xlsx or .csv, or unpack it.")
    most = source.max_unpacked or MAX_UNZIPPED
    if size > most:
        rule = f"an unpacked workbook may have {most:,} bytes and this one has {size:,}"
        raise ValueError(f"{name}: {rule}. Save it as .csv, or pass a higher max_unpacked= to read_table.")
    source.file.seek(0)


def damaged(name: str, error: BaseException) -> ValueError:
    """The error for a workbook that cannot be read."""
    what = " ".join(str(error).split())[:120] or type(error).__name__
    return ValueError(f"{name} is a damaged Excel workbook ({what}). Open it in Excel, and save it again.")


def choose_sheet(book: Any, source: InputFile) -> tuple[Any, tuple[str, ...]]:
    """The named sheet, or the first one that is visible; and a message if there are others."""
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    listed = ", ".join(repr(title[:40]) for title in list(sheets)[:12])
    if source.sheet is not None:
        if source.sheet not in sheets:
            raise ValueError(f"{source.name} has no sheet {source.sheet!r}; it has {listed}. Name one of them.")
        return sheets[source.sheet], ()
    visible = [sheet for sheet in sheets.values() if sheet.sheet_state == "visible"] or list(sheets.values())
    if not visible:
        raise ValueError(f"{source.name} has no sheet with cells. Pass a workbook with a header and one row per text.")
    if len(sheets) == 1:
        return visible[0], ()
    example = next(title for title in sheets if title != visible[0].title)
    return visible[0], (
        f"{source.name}: sheet {visible[0].title!r} is read; the sheets are {listed}. For another one, add its name to "
        f"the path: #{example}",
    )


def numbered(sheet: Any, source: InputFile) -> Iterator[tuple[int, list[Any]]]:
    """The rows that have values: number and values, without empty cells at the end."""
    n_cells = 0
    for number, cells in enumerate(sheet.iter_rows(), 1):
        n_cells += len(cells)
        if number > MAX_ROWS or n_cells > MAX_CELLS:
            rule = f"a sheet may have {MAX_ROWS:,} rows and {MAX_CELLS:,} cells and this one has more"
            raise ValueError(f"{source.name}: {rule}. Save it as .csv.")
        row = [python_value(cell) for cell in cells]
        while row and row[-1] is None:
            row.pop()
        if row:
            yield number, row


def fill(rows: Iterator[tuple[int, list[Any]]], source: InputFile) -> Table:
    """The columns of the header, filled row by row. A column without a name is called by its letters."""
    from openpyxl.utils import get_column_letter

    first, header = next(rows, (1, []))
    names = [f"column {get_column_letter(i)}" if value is None else as_cell(value) for i, value in enumerate(header, 1)]
    check_header(names, source.name, first)
    numbers, kept = array("q"), []
    for number, row in rows:
        names += [f"column {get_column_letter(i + 1)}" for i in range(len(names), len(row))]
        for i, value in enumerate(row):
            if isinstance(value, str) and len(value) > source.limit:
                rule = f"a cell may have {source.limit:,} characters and one of column {names[i]!r} has {len(value):,}"
                raise ValueError(f"{source.name} row {number}: {rule}. Pass a higher limit= to read_table.")
        numbers.append(number)
        kept.append(row)
    values = list(zip_longest(*kept)) or [()] * len(names)
    values += [(None,) * len(kept)] * (len(names) - len(values))
    columns: dict[str, list[Any]] = {name: list(column) for name, column in zip(names, values, strict=True)}
    return Table(source.name, columns, numbers, messages=header_messages(columns, source.name))


def check_excel(columns: ColumnValues, name: str) -> None:
    """Raise an error if a sheet cannot contain the columns, or if openpyxl is missing."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise ValueError(f"{name}: Excel needs openpyxl: {INSTALL}. Or write .csv.") from None
    n_rows = max((len(values) for values in columns.values()), default=0)
    if n_rows >= MAX_ROWS:
        rule = f"a sheet has {MAX_ROWS:,} rows with the header and the table has {n_rows:,} documents"
        raise ValueError(f"cannot write {name}: {rule}. Write .csv.")
    for column, values in columns.items():
        for row, value in enumerate(values, 1):
            if isinstance(value, str | list | dict) and (n := n_units(as_cell(value))) > MAX_TEXT:
                rule = f"a cell of Excel has {MAX_TEXT:,} characters and column {column!r} has {n:,} in document {row}"
                raise ValueError(f"cannot write {name}: {rule}. Write .csv.")


def write_excel(columns: ColumnValues, out: OutputFile) -> None:
    """Write one sheet with a header that stays visible."""
    check_excel(columns, out.name)
    import openpyxl
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("labels")
    sheet.freeze_panes = "A2"

    def written(values: Sequence[Any]) -> list[Any]:
        cells = []
        for value in map(excel_value, values):
            if not isinstance(value, str):
                cells.append(value)
                continue
            cell = WriteOnlyCell(sheet)
            cell._value, cell.data_type = value, "s"  # `cell.value = ...` would make formulas and cut long texts
            cell.quotePrefix = NOT_FORMULA.match(value) is not None  # it stays a text if somebody edits it
            cells.append(cell)
        return cells

    sheet.append(written(list(columns)))
    for row in zip(*columns.values(), strict=True):
        sheet.append(written(row))
    book.save(out.file)


def n_units(text: str) -> int:
    """Length of a text as Excel counts it."""
    return len(text) + sum(character > "\uffff" for character in text) if 2 * len(text) > MAX_TEXT else len(text)


def excel_value(value: Any) -> Any:
    """A value that openpyxl writes as a number, date or boolean, or an escaped text.

    >>> excel_value("=1+1"), excel_value(5), excel_value(12345678901234567), excel_value(float("nan"))
    ('=1+1', 5, '12345678901234567', None)
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < MAX_DIGITS else str(value)
    if isinstance(value, float):
        return None if math.isnan(value) else value if math.isfinite(value) else str(value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None and value.date() >= FIRST_DAY:
            return value
    elif isinstance(value, datetime.date):
        if value >= FIRST_DAY:
            return value
    elif isinstance(value, datetime.time) and value.tzinfo is None:
        return value
    return escape(as_cell(value))


def escape(text: str) -> str:
    r"""A text in which characters that XML cannot contain are written as Excel does.

    >>> escape("a\0b"), unescape(escape("a\0b_x0000_"))
    ('a_x0000_b', 'a\x00b_x0000_')
    """
    return TO_ESCAPE.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def unescape(text: str) -> str:
    """The text that was escaped."""
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def python_value(cell: Any) -> Any:
    """The value of a cell: None if it is empty or an error such as #N/A, and a date if it is a day without a time."""
    value = cell.value
    if isinstance(value, str):
        return None if cell.data_type == "e" or not value else unescape(value)
    if (
        isinstance(value, datetime.datetime)
        and value.time() == datetime.time()
        and "h" not in cell.number_format.lower()
    ):
        return value.date()
    return value


def formula_messages(file: BinaryIO, part: str, name: str) -> tuple[str, ...]:
    """A message with the number of formulas that have no value, and the first of them; none if there are none."""
    # `part` is the sheet in the archive, such as "xl/worksheets/sheet1.xml"; `name` names the workbook in the message.
    with zipfile.ZipFile(file) as archive:
        with archive.open(part) as sheet:
            if not has_formula(sheet):
                return ()
        with archive.open(part) as sheet:
            cells = cells_without_value(sheet)
    if not cells:
        return ()
    what = "1 formula has no value: an empty cell" if len(cells) == 1 else f"{len(cells):,} formulas have no value"
    first = f" (first: {cells[0]})" if cells[0] else ""
    return (f"{name}: {what}{first}. Open the workbook in Excel, and save it",)


def has_formula(sheet: Any) -> bool:
    """Whether the XML of a sheet contains a formula. Most sheets have none, and need not be parsed."""
    end = b""
    while chunk := sheet.read(CHUNK):
        if FORMULA.search(end + chunk):
            return True
        end = (end + chunk)[-OVERLAP:]
    return False


def cells_without_value(sheet: Any) -> list[str]:
    """The cells with a formula and no value, such as "C5"; "" if the file does not name a cell."""
    from openpyxl.xml.functions import iterparse

    cells = []
    for _, element in iterparse(sheet):
        kind = element.tag.rpartition("}")[2]
        if kind == "c":
            parts = {part.tag.rpartition("}")[2]: part.text for part in element}
            if "f" in parts and not parts.get("v") and element.get("t") != "str":  # an empty text is a value
                cells.append(element.get("r", ""))
        elif kind == "row":
            element.clear()
    return cells


EXCEL = Format(
    "Excel",
    (".xlsx", ".xlsm"),
    read_excel,
    write_excel,
    lambda start: start.startswith((OLE, ZIP)),
    is_text=False,
    check=check_excel,
)
