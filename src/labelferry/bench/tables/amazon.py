"""Amazon reviews, positive or negative: the twelve ordered pairs of kinds of goods, all documents.

tf-idf of words and of pairs of words in three documents or more.
"""

from __future__ import annotations

from functools import partial
from itertools import permutations

from ..builders import GOODS, reviews_parts, reviews_task
from ..splits import by_groups
from ..table import Table

TABLE = Table(
    name="amazon",
    position=61,
    title="Amazon reviews: positive or negative, across kinds of goods",
    tasks=tuple(
        reviews_task(f"amazon/{source} to {target}", split=partial(by_groups, parts=reviews_parts(source, target)))
        for source, target in permutations(GOODS, 2)
    ),
)
