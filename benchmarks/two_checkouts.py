"""Seconds per fit of estimators in two checkouts of labelferry, measured side by side on one task.

    python -m benchmarks.two_checkouts OLD NEW [--task TASK] [--rounds 3] [NAME ...]

OLD and NEW are folders of checkouts. TASK is a task of the tables, by default "hybrid/rec vs sci" (2,000 documents), or
a number: so many generated documents. Each checkout has one process that has loaded the data. In every round each
estimator is fitted in one process and then in the other, so that the load of the machine changes little between the
two. Ratios are medians over the rounds of NEW / OLD: of the CPU seconds of the process, and of the time of day, which
counts parallel work as it is. Set OMP_NUM_THREADS for the number of threads. Both use their own defaults: an estimator
whose default changed is a different method, and the accuracies show it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from labelferry_bench.generated import generate_task
from labelferry_bench.papers.tasks import TASKS

WORKER = """
import sys, time, warnings
import numpy as np, scipy.sparse as sp
warnings.simplefilter("ignore")
import labelferry
estimators = {name: e for name in dir(labelferry) if hasattr(e := getattr(labelferry, name), "transfer")}
Xs, Xt = (sp.csr_array(sp.load_npz(f"{sys.argv[1]}/{name}.npz")) for name in ("Xs", "Xt"))
ys, yt = (np.load(f"{sys.argv[1]}/{name}.npy") for name in ("ys", "yt"))
print("ready", *estimators, flush=True)
for line in sys.stdin:
    est = estimators[line.strip()]()
    if "random_state" in est.get_params():
        est.set_params(random_state=0)
    began, wall = time.process_time(), time.perf_counter()
    try:
        accuracy = (est.transfer(Xs, ys, Xt) == yt).mean()
    except Exception:
        accuracy = float("nan")
    print(time.process_time() - began, time.perf_counter() - wall, accuracy, flush=True)
"""


class Fit(NamedTuple):
    """One measurement."""

    cpu: float
    wall: float
    accuracy: float


class Checkout:
    """A process with the code of one checkout and the documents of the task."""

    def __init__(self, folder: str, data: str) -> None:
        environment = {"OMP_NUM_THREADS": "1", **os.environ, "OPENBLAS_NUM_THREADS": "1"}
        environment["PYTHONPATH"] = str(Path(folder).resolve() / "src")
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, data],
            env=environment,
            cwd=folder,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.names = self._read()[1:]

    def fit(self, name: str) -> Fit:
        """Fit an estimator."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return Fit(*map(float, self._read()))

    def _read(self) -> list[str]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a process ended with code {self.process.wait()}")
        return line.split()


def write_task(name: str, folder: str) -> None:
    """The documents of the task as files."""
    task = generate_task(int(name), dtype=np.float64) if name.isdigit() else TASKS[name].load(0)
    for side in ("Xs", "Xt"):
        sp.save_npz(f"{folder}/{side}.npz", sp.csr_matrix(getattr(task, side)), compressed=False)
    for side in ("ys", "yt"):
        np.save(f"{folder}/{side}.npy", np.asarray(getattr(task, side)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.two_checkouts")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--task", default="hybrid/rec vs sci")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_task(given.task, folder)
        checkouts = Checkout(given.old, folder), Checkout(given.new, folder)
        print(f"{'':30} {'old CPU':>8} {'new CPU':>8} {'ratio':>6} {'wall':>6} {'old acc':>8} {'new acc':>8}")
        for name in given.names or [name for name in checkouts[0].names if name in checkouts[1].names]:
            fits = [[checkout.fit(name) for checkout in checkouts] for _ in range(given.rounds)]
            old, new = (statistics.median(fit[i].cpu for fit in fits) for i in range(2))
            cpu = statistics.median(fit[1].cpu / fit[0].cpu for fit in fits)
            wall = statistics.median(fit[1].wall / fit[0].wall for fit in fits)
            accuracies = " ".join(f"{fits[0][i].accuracy:8.3f}" for i in range(2))
            print(f"{name:30} {old:8.2f} {new:8.2f} {cpu:6.2f} {wall:6.2f} {accuracies}", flush=True)


if __name__ == "__main__":
    main()
