"""Cells of a table as texts, numbers and fingerprints."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

N_HEX = 16  # hexadecimal digits of a fingerprint


def as_text(value: Any) -> str:
    """A value as the text of a cell: empty if missing; 1.0, as a spreadsheet may write it, is 1."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def as_number(text: str) -> float | None:
    """A text as a number; None if it is none."""
    try:
        return float(text)
    except ValueError:
        return None


def fingerprint(text: str) -> str:
    """A short hash of a text; white space does not matter. A spreadsheet does not take it for a number.

    >>> fingerprint("the invoice") == fingerprint(" the  invoice ")
    True
    """
    return "t" + sha256(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()[:N_HEX]
