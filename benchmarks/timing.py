"""Running things side by side on a noisy machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def side_by_side(runs: dict[str, Callable[[Any], Any]], task: Any, rounds: int) -> dict[str, list[float]]:
    """Seconds of every run in every round; a round runs all of them one after the other."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            began = time.perf_counter()
            run(task)
            seconds[name].append(time.perf_counter() - began)
    return seconds
