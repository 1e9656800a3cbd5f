"""Formulas of a sheet that have no value, because no program computed them: openpyxl reads them as empty cells."""

from __future__ import annotations

import re
import zipfile
from typing import Any, BinaryIO

FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
CHUNK, OVERLAP = 1 << 20, 64  # bytes


def formula_messages(file: BinaryIO, part: str, name: str) -> tuple[str, ...]:
    """A message if formulas have no value.

    Parameters
    ----------
    file : file
        The workbook.
    part : str
        The sheet in the archive, such as "xl/worksheets/sheet1.xml".
    name : str
        Name of the workbook, for the message.

    Returns
    -------
    messages : tuple of str
        One message with the number of these cells and the first of them; none if there is no such cell.
    """
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
