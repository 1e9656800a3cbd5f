"""All methods and sizes of the speed bench, one process after the other."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from statistics import median
from typing import Any

import joblib

from .measure import Measurement, faster_setting, measure, ratio
from .runs import RUNS

SIZES = (1_000, 8_000, 100_000, 1_000_000)
FIELDS = (
    *("seconds", "processor_seconds", "growth", "peak_mb", "data_mb", "sparse_share"),
    *("ratio", "processor_ratio", "rival_seconds", "rival_threads"),
)


def run_speed(
    sizes: Sequence[int] = SIZES,
    methods: Sequence[str] = tuple(RUNS),
    *,
    rounds: int = 3,
    max_seconds: float = math.inf,
    done: Callable[[dict[str, Any]], None] = lambda row: None,
) -> dict[str, Any]:
    """Measure methods at several sizes.

    `max_seconds`: A method is left out at sizes at which one run would take longer, judged by the sizes before.
    Returns `machine`, `rounds`, and `rows` with one dict per method and size: `method`, `documents`, `rival`,
    `left_out` (the reason, or None) and the numbers of `FIELDS`: medians of the rounds, `growth` since the size
    before, the ratio to the rival in seconds and in seconds of processor time.
    """
    unknown = [name for name in methods if name not in RUNS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not measured. Choose from {', '.join(RUNS)}.")
    if min(sizes) < 100:
        raise ValueError(f"sizes must be at least 100 documents; got {min(sizes)}.")
    rows = []
    for name in methods:
        earlier: list[tuple[int, float]] = []
        for n in sorted(set(sizes)):
            reason = left_out(name, n, earlier, max_seconds)
            row = _row(name, n, earlier, None if reason else in_fresh_process(name, n, rounds), reason)
            if reason is None:
                earlier.append((n, row["seconds"]))
            rows.append(row)
            done(row)
    machine = {
        "processor": platform.processor() or platform.machine(),
        "cores": joblib.cpu_count(),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS"),
        "python": platform.python_version(),
        "system": platform.system(),
    }
    return {"machine": machine, "rounds": rounds, "rows": rows}


def left_out(name: str, n: int, earlier: Sequence[tuple[int, float]], max_seconds: float) -> str | None:
    """Why a method is not measured at this size; None if it is."""
    largest = RUNS[name].largest
    if largest is not None and n > largest:
        return f"compares all pairs; measured up to {largest} documents"
    if not earlier:
        return None
    last, seconds = earlier[-1]
    expected = seconds * (n / last) ** max(1.0, growth(earlier) or 1.0)
    return f"expected {expected:.0f} s" if expected > max_seconds else None


def growth(points: Sequence[tuple[int, float]]) -> float | None:
    """The exponent g of time ~ n^g between the last two sizes."""
    if len(points) < 2:
        return None
    (n1, t1), (n2, t2) = points[-2:]
    return math.log(t2 / t1) / math.log(n2 / n1)


def in_fresh_process(name: str, n: int, rounds: int) -> Measurement:
    """`measure` in a new process, so that its peak memory is that of this run."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (name, n, rounds))


def _row(
    name: str, n: int, earlier: Sequence[tuple[int, float]], found: Measurement | None, reason: str | None
) -> dict[str, Any]:
    row: dict[str, Any] = {"method": name, "documents": n, "rival": RUNS[name].rival, "left_out": reason}
    if found is None:
        return row | dict.fromkeys(FIELDS)
    seconds = median(taken.wall for taken in found.ours)
    threads = faster_setting(found) if found.rival else None
    values = (
        seconds,
        median(taken.processor for taken in found.ours),
        growth([*earlier, (n, seconds)]),
        found.peak,
        found.data,
        found.sparse_share,
        ratio(found, "wall"),
        ratio(found, "processor"),
        None if threads is None else median(taken.wall for taken in found.rival[threads]),
        threads,
    )
    return row | dict(zip(FIELDS, values, strict=True))
