"""CDSC's newsgroup tasks as counts, for the hybrid graph: at most 500 documents per class and domain, drawn by seed."""

from __future__ import annotations

from functools import partial

from ..builders import COUNTS, newsgroups_task
from ..splits import at_most, by_groups, same_classes
from ..table import HYBRID_METHODS, Table
from .cdsc import CDSC_TABLE_1

TABLE = Table(
    name="cdsc-500",
    position=12,
    title="CDSC's newsgroup tasks, 500 documents per class and domain",
    tasks=tuple(
        newsgroups_task(
            f"cdsc-500/{name}",
            split=partial(by_groups, parts=same_classes(classes), draw=partial(at_most, n=500)),
            recipe=COUNTS,
            sampled=True,
        )
        for name, classes in CDSC_TABLE_1.items()
    ),
    methods=HYBRID_METHODS,
    n_seeds=3,
)
