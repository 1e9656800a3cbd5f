"""Hybrid graph, Table 4, on counts: the methods of the paper weight the counts themselves."""

from __future__ import annotations

from functools import partial

from ..builders import COUNTS, newsgroups_task
from ..splits import at_most, by_groups, pairs, same_classes
from ..table import HYBRID_METHODS, Table
from .hybrid import HYBRID_TABLE_3

TABLE = Table(
    name="hybrid-counts",
    position=21,
    title="Hybrid graph, Table 4, on counts",
    tasks=tuple(
        newsgroups_task(
            f"hybrid-counts/{name}",
            split=partial(by_groups, parts=same_classes(classes), draw=partial(at_most, n=500)),
            recipe=COUNTS,
            sampled=True,
        )
        for name, classes in pairs(HYBRID_TABLE_3).items()
    ),
    methods=HYBRID_METHODS,
    n_seeds=5,
)
