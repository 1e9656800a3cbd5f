"""The tasks of amazon with uneven targets: 4:1 or 1:4, positive to negative.

One class of the target is reduced, by seed, to a quarter of the other.
"""

from __future__ import annotations

from functools import partial
from itertools import permutations

from ..builders import GOODS, reviews_parts, reviews_task
from ..splits import uneven
from ..table import Table

TABLE = Table(
    name="amazon-uneven",
    position=62,
    title="Amazon reviews, one class of the target reduced to a quarter of the other",
    tasks=tuple(
        reviews_task(
            f"amazon-uneven/{source} to {target} {ratio}",
            split=partial(uneven, parts=reviews_parts(source, target), cut=cut, share=1 / 4),
            sampled=True,
        )
        for source, target in permutations(GOODS, 2)
        for ratio, cut in (("4:1", "negative"), ("1:4", "positive"))
    ),
    on_page=False,
)
