"""Values of cells: from Python to Excel and back. What a cell cannot contain as it is, is written as a text."""

from __future__ import annotations

import datetime
import math
import re
from typing import Any

from .delimited import cell as as_text

MAX_TEXT = 32_767  # UTF-16 units per cell
MAX_DIGITS = 10**15  # Excel rounds longer numbers, such as identifiers
FIRST_DAY = datetime.date(1900, 3, 1)  # Excel has a day too many before it
NOT_FORMULA = re.compile(r"[=+\-@]")
ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
# Characters that XML cannot contain or changes; and an underscore that would begin an escape.
TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


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
    return escape(as_text(value))


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
