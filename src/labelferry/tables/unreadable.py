"""Rows that cannot be split into cells, as rows of the table: nothing of the user's file is lost.

Such a row has no cells. What the file has in its place is in the column `unreadable`, as one text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import Any

from .sequences import chained, picked
from .table import Table

UNREADABLE = "unreadable"
NOT_TEXT = re.compile("[\0\udc80-\udcff]")  # NUL, and bytes that are not in the encoding as Python marks them


def with_unreadable_rows(table: Table) -> Table:
    """The table, read with `skip_bad`, with the rows that were skipped, each in its place.

    They have no value in other columns. NUL and bytes that are not in the encoding are written as \\x00, \\xe9.

    >>> from labelferry.tables import BadRow
    >>> ragged = BadRow(3, "1 field where the header has 2", n_before=1, text="5\\n")
    >>> table = with_unreadable_rows(Table("new.csv", {"id": ["4", "6"], "text": ["a", "b"]}, [2, 4], (ragged,)))
    >>> table.columns
    {'id': ['4', None, '6'], 'text': ['a', None, 'b'], 'unreadable': [None, '5', None]}
    >>> table.unreadable
    {1: 'line 3: 1 field where the header has 2'}
    """
    if not table.bad:
        return table
    bad = {row.n_before + i: row for i, row in enumerate(table.bad)}  # by their positions among all rows

    ends = [0, *(row.n_before for row in table.bad), len(table)]

    def joined(values: Sequence[Any], others: Sequence[Any]) -> Sequence[Any]:
        good = [picked(values, range(first, last)) for first, last in pairwise(ends)]
        return chained([part for pair in zip_longest(good, ([other] for other in others)) for part in pair if part])

    columns = {name: joined(values, [None] * len(bad)) for name, values in table.columns.items()}
    own = table.columns.get(UNREADABLE, [None] * len(table))  # of an earlier output
    texts = [NOT_TEXT.sub(lambda match: f"\\x{ord(match[0]) & 0xFF:02x}", row.text) for row in table.bad]
    columns[UNREADABLE] = joined(own, [text.rstrip("\r\n") or None for text in texts])
    unit = table.dialect.unit if table.dialect else "line"
    return replace(
        table,
        columns=columns,
        lines=list(joined(table.lines, [row.line for row in table.bad])),
        unreadable={position: f"{unit} {row.line}: {row.what}" for position, row in bad.items()},
    )
