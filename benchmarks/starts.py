"""How much the random start decides: accuracies of DTL and TCL, with two values of alpha, over 20 starts.

    python -m benchmarks.starts [TABLE] [N_STARTS]     tasks of a table of the bench, by default hybrid, and 20 starts

Per task: mean, standard deviation, minimum and maximum over the starts; the accuracy of the start with the lowest
objective; and the mean of what `n_init=5` gives, over all disjoint groups of five starts. The documents are those of
seed 0; only the seed of the method differs.
"""

from __future__ import annotations

import sys

import numpy as np

from labelferry import DTL, TCL
from labelferry.core.classifier import TransductiveClassifier
from labelferry_bench.papers.tasks import TASKS, tasks_here

GROUP = 5  # starts per fit with n_init=5
ESTIMATORS: list[TransductiveClassifier] = [DTL(), TCL(), TCL(common_weight=0.9)]


def starts(estimator: TransductiveClassifier, task: str, n_starts: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the accuracy and the last objective of every start."""
    data = TASKS[task].load()
    accuracies, objectives = [], []
    for seed in range(n_starts):
        estimator.set_params(random_state=seed)
        labels = estimator.transfer(data.Xs, data.ys, data.Xt)
        accuracies.append(np.mean(labels == data.yt))
        objectives.append(estimator.objective_history_[-1])
    return np.array(accuracies), np.array(objectives)


def main(table: str = "hybrid", n_starts: int = 20) -> None:
    """Print one line per estimator and task."""
    print(f"{'':42} {'mean':>6} {'sd':>6} {'min':>6} {'max':>6} {'lowest':>7} {'n_init=5':>9}")
    for estimator in ESTIMATORS:
        name = " ".join(str(estimator).split())
        for task in tasks_here(table):
            accuracy, objective = starts(estimator, task, n_starts)
            groups = [range(i, i + GROUP) for i in range(0, n_starts - GROUP + 1, GROUP)]
            best = [accuracy[min(group, key=objective.__getitem__)] for group in groups]
            of_five = f"{np.mean(best):9.3f}" if best else ""
            print(
                f"{name:22} {task.partition('/')[2]:19} {accuracy.mean():6.3f} {accuracy.std():6.3f} "
                f"{accuracy.min():6.3f} {accuracy.max():6.3f} {accuracy[objective.argmin()]:7.3f} {of_five}",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
