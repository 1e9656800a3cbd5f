"""The ready-made Reuters matrices in both directions, all documents; tf-idf."""

from __future__ import annotations

from ..builders import REUTERS_PAIRS, reuters_task
from ..table import Table

TABLE = Table(
    name="reuters",
    position=63,
    title="Reuters, in both directions",
    tasks=tuple(
        reuters_task(f"reuters/{pair}{' turned' * turned}", pair, turned=turned)
        for pair in REUTERS_PAIRS
        for turned in (False, True)
    ),
    n_seeds=1,
    on_page=False,
)
