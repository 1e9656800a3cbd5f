"""Time and memory of methods on blocks in files: growth from 100k to 400k documents, 10 million, and Dask.

    python -m benchmarks.blocks write FOLDER N [DISTINCT]        N generated documents, half source, half target
    python -m benchmarks.blocks growth FOLDER [METHOD ...]       100k and 400k documents of a folder with 400k or more
    python -m benchmarks.blocks fit FOLDER METHOD [N]            one method on all documents, or on N
    python -m benchmarks.blocks dask FOLDER METHOD [N]           the same with two local Dask workers, and one killed

Every fit runs in a process of its own. Seconds are wall time and, in brackets, processor time of all threads: on a
shared machine only the second is stable. Memory is what the fit adds to the peak of a process that has opened the
blocks, as a multiple of the size of X in memory (CSR, 32-bit).

DISTINCT parts of 50,000 documents are generated per domain, and copied in turn until there are N documents;
by default all parts are distinct.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelferry import CDSC, NMTF, TCL, EMNaiveBayes, HybridLabelPropagation, HybridSimilarityPropagation
from labelferry.linalg.block_files import HEADER, file_of, open_blocks, write_blocks
from labelferry.linalg.blocks import Blocks
from labelferry_bench.generated import PART, generate_part

METHODS: dict[str, Any] = {
    "EMNaiveBayes": lambda: EMNaiveBayes(max_iter=20, tol=0),
    "NMTF": lambda: NMTF(max_iter=20, random_state=0),
    "TCL": lambda: TCL(max_iter=20, random_state=0),
    "HybridLabelPropagation": lambda: HybridLabelPropagation(start="logistic", max_iter=5),
    "HybridSimilarityPropagation": lambda: HybridSimilarityPropagation(start="words", max_iter=10, tol=0),
    "CDSC": lambda: CDSC(random_state=0),
}


class Run(NamedTuple):
    """One fit."""

    seconds: float
    processor: float
    memory: float  # bytes
    size: float  # bytes of X
    accuracy: float
    labels: Any


def write(folder: Path, n: int, distinct: int | None) -> None:
    """Write the documents and labels of both domains."""
    for side in ("source", "target"):
        n_parts = -(-(n // 2) // PART)
        n_distinct = n_parts if distinct is None else min(distinct, n_parts)
        labels: list[Any] = []

        def parts(side: Any = side, labels: list[Any] = labels, n_distinct: int = n_distinct) -> Any:
            for number in range(n_distinct):
                X, y = generate_part(side, number)
                labels.append(y)
                yield X

        write_blocks(folder / side, parts())
        header = json.loads((folder / side / HEADER).read_text())
        n_written = len(header["blocks"])
        for number in range(n_written, n_written * n_parts // n_distinct):
            for name in ("data", "indices", "indptr"):
                shutil.copy(file_of(folder / side, number % n_written, name), file_of(folder / side, number, name))
            header["blocks"].append(header["blocks"][number % n_written])
        (folder / side / HEADER).write_text(json.dumps(header))
        np.save(folder / f"{side}.npy", np.concatenate([labels[i % n_distinct] for i in range(n_parts)]))


def task(folder: Path, n: int | None) -> tuple[Blocks, Any, Blocks, Any]:
    """Open both domains: all documents, or the first n / 2 of each."""
    half = None if n is None else n // 2
    opened = [
        (open_blocks(folder / side)[:half], np.load(folder / f"{side}.npy")[:half]) for side in ("source", "target")
    ]
    return *opened[0], *opened[1]


def fit(folder: str, name: str, n: int | None, dask: str | None = None) -> Run:
    """Fit one method; with `dask`, on two local workers, of which one is killed if it is "kill"."""
    Xs, ys, Xt, yt = task(Path(folder), n)
    size = 8.0 * sum(part.block.n_entries * part.n_rows / part.block.n_rows for X in (Xs, Xt) for part in X.parts)
    client = None
    if dask is not None:
        from labelferry.linalg.dask_blocks import DaskBackend, close_client, connect

        client = connect("local")
        Xs, Xt = (X.on(DaskBackend(client)) for X in (Xs, Xt))
        METHODS[name]().transfer(Xs[:1000], ys[:1000], Xt[:1000])  # workers import labelferry once
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before, begin, used = _resident("VmHWM"), time.perf_counter(), _processor(client)
    method = METHODS[name]()
    if dask == "kill":
        pid = min(client.run(os.getpid).values())
        threading.Timer(float(os.environ.get("KILL_AFTER", "1")), os.kill, (pid, signal.SIGKILL)).start()
    labels = method.transfer(Xs, ys, Xt)
    run = Run(
        time.perf_counter() - begin,
        _processor(client) - used,
        1024.0 * (_resident("VmHWM") - (0 if dask else before)),
        size,
        float((labels == yt).mean()),
        labels,
    )
    if client is not None:
        close_client(client)
    return run


def apart(*arguments: Any) -> Run:
    """`fit` in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(fit, *arguments).result()


def _processor(client: Any) -> float:
    """Processor time of this process, which includes the scheduler, and of the workers that are there now."""
    return time.process_time() + (0.0 if client is None else sum(client.run(time.process_time).values()))


def _resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def show(name: str, n: Any, run: Run) -> None:
    """Print one fit."""
    print(
        f"{name:28} {n!s:>10} {run.seconds:8.1f} s ({run.processor:7.1f} s)  {run.memory / 1e6:7.0f} MB = "
        f"{run.memory / run.size:5.2f} X  accuracy {run.accuracy:.3f}",
        flush=True,
    )


def main(command: str, folder: str, *rest: str) -> None:
    """Run a command of the docstring."""
    if command == "write":
        write(Path(folder), int(rest[0]), int(rest[1]) if len(rest) > 1 else None)
    elif command == "growth":
        for name in rest or METHODS:
            small, large = (apart(folder, name, n) for n in (100_000, 400_000))
            show(name, 100_000, small)
            show(name, 400_000, large)
            ratios = large.seconds / small.seconds, large.processor / small.processor
            print(f"{'':28} {'ratio':>10} {ratios[0]:8.2f}   ({ratios[1]:7.2f})", flush=True)
    elif command == "fit":
        n = int(rest[1]) if len(rest) > 1 else None
        show(rest[0], n or "all", apart(folder, rest[0], n))
    elif command == "dask":
        n = int(rest[1]) if len(rest) > 1 else None
        threads, workers = apart(folder, rest[0], n), apart(folder, rest[0], n, "workers")
        killed = apart(folder, rest[0], n, "kill")
        for kind, run in (("threads", threads), ("dask", workers), ("dask, one killed", killed)):
            show(f"{rest[0]} {kind}", n or "all", run)
        ratios = workers.seconds / threads.seconds, workers.processor / threads.processor
        print(f"{'':28} dask / threads {ratios[0]:.2f} ({ratios[1]:.2f})")
        same = [bool((run.labels == threads.labels).all()) for run in (workers, killed)]
        print(f"{'':28} labels equal to those of threads: dask {same[0]}, one killed {same[1]}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
