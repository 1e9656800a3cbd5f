"""Time and memory of TCL, GCMF and the neighbor graph, compared with scikit-learn, on rec vs sci of 20 Newsgroups.

    python -m benchmarks.speed [ROUNDS]

`labelferry bench speed` measures generated documents of any number; this is real text at full size. Times on a shared
machine vary. Therefore each round runs everything one after another, scikit-learn with one thread and with all cores.
A ratio is that to scikit-learn's faster setting within a round; the table shows the median over the rounds. `CPU` is
the ratio of processor time, all threads together, which other programs change less. Peak memory is what a fit adds to a
process that has loaded the data. OMP_NUM_THREADS limits our threads.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import joblib
import scipy.sparse as sp
from sklearn.decomposition import NMF
from sklearn.neighbors import kneighbors_graph
from tests.corpora import newsgroups
from tests.planted import Task
from threadpoolctl import threadpool_limits

from labelferry import GCMF, TCL
from labelferry.linalg.knn import neighbor_graph

PATH = Path(os.environ.get("LABELFERRY_DATA", "../shared/data")) / "20news/20news-bydate.jsonl.gz"
THREADS = sorted({1, joblib.cpu_count()})


def both(task: Task) -> sp.csr_array:
    """The documents of both domains."""
    return sp.csr_array(sp.vstack([task.Xs, task.Xt], format="csr"))


def nmf(k: int) -> Callable[[Task], object]:
    """A function that fits NMF to both domains."""
    return lambda task: NMF(k, solver="mu", max_iter=100, tol=0, random_state=0).fit(both(task))


RIVALS: dict[str, Callable[[Task], object]] = {
    "NMF(10)": nmf(10),
    "NMF(64)": nmf(64),
    "kneighbors_graph": lambda task: kneighbors_graph(both(task), 10, metric="cosine", mode="distance"),
}
RUNS: dict[str, tuple[Callable[[Task], object], str]] = {
    "TCL(10), 100 iterations": (lambda task: TCL(10, max_iter=100, random_state=0).transfer(*task[:3]), "NMF(10)"),
    "GCMF(64), graphs and 100 iterations": (
        lambda task: GCMF(64, max_iter=100, random_state=0).transfer(*task[:3]),
        "NMF(64)",
    ),
    "neighbor graph": (lambda task: neighbor_graph(both(task), n_neighbors=10), "kneighbors_graph"),
}


def seconds(run: Callable[[Task], object], task: Task) -> tuple[float, float]:
    """Return the seconds and the seconds of processor time of a run."""
    wall, processor = time.perf_counter(), time.process_time()
    run(task)
    return time.perf_counter() - wall, time.process_time() - processor


def peak_memory(name: str) -> float:
    """Return the MB that the run adds to the peak of a process that has loaded the data."""
    task = newsgroups(PATH, ("rec", "sci"))
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = _resident("VmHWM")
    RUNS[name][0](task)
    return (_resident("VmHWM") - before) / 1024


def _resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def main(rounds: int) -> None:
    """Print one line per run."""
    task = newsgroups(PATH, ("rec", "sci"))
    print(f"rec vs sci: {task.Xs.shape[0]} + {task.Xt.shape[0]} documents, {task.Xs.shape[1]} words, {task.Xs.dtype}")
    print(f"{'':38} {'seconds':>8} {'ratio':>6} {'CPU':>6} {'range':>13} {'peak MB':>8}  compared with")
    warnings.simplefilter("ignore")  # NMF says that it has not converged
    for name, (run, rival) in RUNS.items():
        ours: list[tuple[float, float]] = []
        theirs: dict[int, list[tuple[float, float]]] = {n: [] for n in THREADS}
        for _ in range(rounds):
            ours.append(seconds(run, task))
            for n, taken in theirs.items():
                with threadpool_limits(n):
                    taken.append(seconds(RIVALS[rival], task))
        fastest = [min(THREADS, key=lambda n, i=i: statistics.median(t[i] for t in theirs[n])) for i in (0, 1)]
        wall, processor = ([a[i] / b[i] for a, b in zip(ours, theirs[fastest[i]], strict=True)] for i in (0, 1))
        with get_context("spawn").Pool(1) as pool:
            memory = pool.apply(peak_memory, (name,))
        medians = f"{statistics.median(wall):6.2f} {statistics.median(processor):6.2f}"
        spread = f"{min(wall):.2f} - {max(wall):.2f}"
        taken_by_us = statistics.median(a for a, _ in ours)
        print(f"{name:38} {taken_by_us:8.2f} {medians} {spread:>13} {memory:8.0f}  {rival}, {fastest[0]} threads")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
