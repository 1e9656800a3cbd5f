"""Times of several functions on a machine whose speed varies."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def time_rounds(runs: dict[str, Callable[[Any], Any]], task: Any, rounds: int) -> dict[str, list[float]]:
    """Measure the seconds of every run in every round. A round runs all of them one after another."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            began = time.perf_counter()
            run(task)
            seconds[name].append(time.perf_counter() - began)
    return seconds
