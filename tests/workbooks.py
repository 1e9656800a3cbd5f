"""Excel workbooks for tests, and damaged ones."""

import io
import zipfile

import pytest

openpyxl = pytest.importorskip("openpyxl")

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def workbook(rows, *, title="Sheet", others=(), hidden=()):
    """The bytes of a workbook: rows of the first sheet, and (title, rows) of others."""
    book = openpyxl.Workbook()
    book.active.title = title
    for name, content in [(title, rows), *others]:
        sheet = book[name] if name in book.sheetnames else book.create_sheet(name)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for row in content:
            sheet.append(row)
    return saved(book)


def saved(book):
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def edited(content, part, change):
    """A workbook in which one part of the archive is changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            data = before.read(name)
            after.writestr(name, change(data) if name == part else data)
    return out.getvalue()
