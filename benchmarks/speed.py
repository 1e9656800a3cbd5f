"""Time and memory of TCL and GCMF, compared with NMF of scikit-learn, on rec vs sci of 20 Newsgroups at full size.

    python -m benchmarks.speed [ROUNDS]

Times on a shared machine vary. Therefore each round runs all methods one after another, and methods are compared by the
ratio within a round; the table shows the median over the rounds. Peak memory is what a fit adds to a process that has
loaded the data.
"""

from __future__ import annotations

import os
import statistics
import sys
from multiprocessing import get_context
from pathlib import Path

import scipy.sparse as sp
from sklearn.decomposition import NMF
from tests.corpora import newsgroups
from tests.planted import Task

from benchmarks.timing import time_rounds
from labelferry import GCMF, TCL

PATH = Path(os.environ.get("LABELFERRY_DATA", "../shared/data")) / "20news/20news-bydate.jsonl.gz"


def nmf(task: Task, k: int) -> None:
    """Fit NMF to both domains."""
    NMF(k, solver="mu", max_iter=100, tol=0, random_state=0).fit(sp.vstack([task.Xs, task.Xt]))


RUNS = {
    "NMF(10)": lambda task: nmf(task, 10),
    "TCL(10), 100 iterations": lambda task: TCL(10, max_iter=100, random_state=0).transfer(*task[:3]),
    "NMF(64)": lambda task: nmf(task, 64),
    "GCMF(64), graphs and 100 iterations": lambda task: GCMF(64, max_iter=100, random_state=0).transfer(*task[:3]),
    "GCMF(64), default iterations": lambda task: GCMF(64, random_state=0).transfer(*task[:3]),
}
REFERENCES = {name: "NMF(10)" if "10)" in name else "NMF(64)" for name in RUNS}


def peak_memory(name: str) -> float:
    """Return the MB that the run adds to the peak of a process that has loaded the data."""
    task = newsgroups(PATH, ("rec", "sci"))
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = _resident("VmHWM")
    RUNS[name](task)
    return (_resident("VmHWM") - before) / 1024


def _resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def main(rounds: int) -> None:
    """Print one line per method."""
    task = newsgroups(PATH, ("rec", "sci"))
    print(f"rec vs sci: {task.Xs.shape[0]} + {task.Xt.shape[0]} documents, {task.Xs.shape[1]} words, {task.Xs.dtype}")
    seconds = time_rounds(RUNS, task, rounds)
    print(f"{'':38} {'seconds':>8} {'ratio':>6} {'range':>13} {'peak MB':>8}")
    for name, taken in seconds.items():
        ratios = [a / b for a, b in zip(taken, seconds[REFERENCES[name]], strict=True)]
        with get_context("spawn").Pool(1) as pool:
            memory = pool.apply(peak_memory, (name,))
        ratio_range = f"{min(ratios):.2f} - {max(ratios):.2f}"
        medians = f"{statistics.median(taken):8.2f} {statistics.median(ratios):6.2f}"
        print(f"{name:38} {medians} {ratio_range:>13} {memory:8.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
