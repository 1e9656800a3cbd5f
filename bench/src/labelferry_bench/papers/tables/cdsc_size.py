"""CDSC's comp vs sci with the first 100, ..., 500 documents of the source, as in its Figure 5."""

from __future__ import annotations

from functools import partial

from ..builders import SHORT_DROPPED, newsgroups_task
from ..splits import fewer_sources, same_classes
from ..table import Table
from .cdsc import CDSC_TABLE_1, DRAW_250

TABLE = Table(
    name="cdsc-size",
    position=13,
    title="CDSC's comp vs sci with fewer labelled documents",
    tasks=tuple(
        newsgroups_task(
            f"cdsc-size/comp vs sci {n}",
            split=partial(fewer_sources, parts=same_classes(CDSC_TABLE_1["comp vs sci"]), draw=DRAW_250, n=n // 2),
            recipe=SHORT_DROPPED,
            sampled=True,
        )
        for n in (100, 200, 300, 400, 500)
    ),
    on_page=False,
)
