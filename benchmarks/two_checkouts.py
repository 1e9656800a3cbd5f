"""Seconds per fit of all estimators in two checkouts of labelferry, measured side by side on one task.

    python -m benchmarks.two_checkouts OLD NEW [ROUNDS] [NAME ...]     folders of the checkouts, 3 rounds by default

The task is rec vs sci of the table hybrid, seed 0: 2,000 documents. Each checkout has one process that has loaded the
data. In every round each estimator is fitted in one process and then in the other, so that the load of the machine
changes little between the two; CPU seconds of the process are counted, not the time of day. The ratio is the median
over the rounds of NEW / OLD. Both use their own defaults: an estimator whose default changed is a different method, and
the accuracies show it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

WORKER = """
import sys, time, warnings
warnings.simplefilter("ignore")
from labelferry.bench.tasks import TASKS
from labelferry.core.registry import estimators
task = TASKS["hybrid/rec vs sci"].load(0)
print("ready", *estimators(), flush=True)
for line in sys.stdin:
    est = estimators()[line.strip()]()
    if "random_state" in est.get_params():
        est.set_params(random_state=0)
    began = time.process_time()
    try:
        labels = est.transfer(task.Xs, task.ys, task.Xt)
        print(time.process_time() - began, (labels == task.yt).mean(), flush=True)
    except Exception as error:
        print("nan", "nan", file=sys.stdout, flush=True)
"""


class Checkout:
    """A process with the code of one checkout and the documents of the task."""

    def __init__(self, folder: str) -> None:
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
        environment = {**os.environ, **threads, "PYTHONPATH": str(Path(folder).resolve() / "src")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            env=environment,
            cwd=folder,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.names = self._read()[1:]

    def fit(self, name: str) -> tuple[float, float]:
        """Return CPU seconds and accuracy."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        seconds, accuracy = map(float, self._read())
        return seconds, accuracy

    def _read(self) -> list[str]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a process ended with code {self.process.wait()}")
        return line.split()


def main(old: str, new: str, rounds: int = 3, *names: str) -> None:
    """Print one line per estimator of both checkouts."""
    checkouts = Checkout(old), Checkout(new)
    print(f"{'':30} {'old s':>7} {'new s':>7} {'ratio':>6} {'old acc':>8} {'new acc':>8}")
    for name in names or [name for name in checkouts[0].names if name in checkouts[1].names]:
        fits = [[checkout.fit(name) for checkout in checkouts] for _ in range(rounds)]
        seconds = [statistics.median(fit[i][0] for fit in fits) for i in range(2)]
        ratio = statistics.median(fit[1][0] / fit[0][0] for fit in fits)
        accuracies = [fits[0][i][1] for i in range(2)]
        print(
            f"{name:30} {seconds[0]:7.2f} {seconds[1]:7.2f} {ratio:6.2f} {accuracies[0]:8.3f} {accuracies[1]:8.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:4]), *sys.argv[4:])
