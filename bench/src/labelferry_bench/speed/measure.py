"""One method at one size, measured in a process of its own: seconds, peak memory, and time in sparse products."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Literal, NamedTuple

import joblib
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from ..generated import Task, generate_task
from .runs import LARGEST_RIVAL, RIVALS, RUNS

PEAK, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Taken(NamedTuple):
    """The time of one run."""

    wall: float  # seconds
    processor: float  # seconds of all threads together: other programs on the machine change it less


class Measurement(NamedTuple):
    """What one process found."""

    ours: list[Taken]  # per round
    rival: dict[int, list[Taken]]  # per number of threads and round
    peak: float | None  # MB that the run added to the process with the data; None if the system does not tell
    data: float  # MB of the documents
    sparse_share: float  # of the time, in products with sparse matrices


def measure(name: str, n_documents: int, rounds: int) -> Measurement:
    """Measure a run and its rival. In a round they run one after the other, so that both see the same machine."""
    entry = RUNS[name]
    task = generate_task(n_documents)
    small = generate_task(200)
    rival = RIVALS[entry.rival] if entry.rival and n_documents <= LARGEST_RIVAL else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that iterations ended is what is asked for
        for run in (entry.run, *([] if rival is None else [rival])):
            run(small)  # imports and caches
        ours: list[Taken] = []
        of_rival: dict[int, list[Taken]] = {1: [], joblib.cpu_count(): []} if rival is not None else {}
        before = _peak(reset=True)
        with time_of_products() as products:
            ours.append(_time(entry.run, task))
        after = _peak()
        share = products.seconds / ours[0].wall
        for number in range(rounds):
            if number:
                ours.append(_time(entry.run, task))
            for n_threads, taken in of_rival.items():
                with threadpool_limits(n_threads):
                    taken.append(_time(rival, task))
    peak = None if before is None or after is None else after - before
    data = sum(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes for X in (task.Xs, task.Xt)) / 2**20
    return Measurement(ours, of_rival, peak, data, share)


def ratio(found: Measurement, kind: Literal["wall", "processor"]) -> float | None:
    """Our time by that of the rival with its faster number of threads: the median over the rounds."""
    if not found.rival:
        return None
    theirs = found.rival[faster_setting(found, kind)]
    return float(median(getattr(a, kind) / getattr(b, kind) for a, b in zip(found.ours, theirs, strict=True)))


def faster_setting(found: Measurement, kind: str = "wall") -> int:
    """The number of threads with which the rival is faster."""
    return min(found.rival, key=lambda n: median(getattr(taken, kind) for taken in found.rival[n]))


def _time(run: Callable[[Task], Any] | None, task: Task) -> Taken:
    wall, processor = time.perf_counter(), time.process_time()
    if run is not None:
        run(task)
    return Taken(time.perf_counter() - wall, time.process_time() - processor)


def _peak(*, reset: bool = False) -> float | None:
    """The largest memory of this process so far, in MB; `reset` counts from here. None on systems without /proc."""
    if not (PEAK.exists() and RESET.exists()):
        return None
    if reset:
        RESET.write_text("5")
    line = next(line for line in PEAK.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


class Clock:
    """Seconds in which at least one thread was inside a product."""

    def __init__(self) -> None:
        self.seconds, self._inside, self._began = 0.0, 0, 0.0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._began = time.perf_counter()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self.seconds += time.perf_counter() - self._began


@contextmanager
def time_of_products() -> Iterator[Clock]:
    """Measure the time of all products `X @ B` with CSR and CSC matrices inside the block."""
    clock = Clock()
    originals = {cls: cls.__matmul__ for cls in (sp.csr_array, sp.csc_array)}

    def timed(product: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def matmul(self: Any, other: Any) -> Any:
            with clock:
                return product(self, other)

        return matmul

    try:
        for cls, product in originals.items():
            cls.__matmul__ = timed(product)
        yield clock
    finally:
        for cls in originals:
            del cls.__matmul__  # inherited again
