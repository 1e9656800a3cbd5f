"""Solvers of logistic regression for C by cross-validation: CPU seconds, and the accuracy of each C on held-out folds.

    python -m benchmarks.solvers [N]     newsgroups rec vs sci, and N generated documents, 20,000 by default

`lbfgs` starts every fit from zero, as GridSearchCV does. `lbfgs path` and `newton-cg path` start the fit for the next C
from the weights of the one before; the last is what `labelferry.families.linear.choose_C` does. Run it with
OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1: a second BLAS thread, waiting, is counted as work.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from labelferry.families.linear import GRID, logistic_regression, training_folds
from labelferry.linalg.matrix import short_indices
from labelferry_bench.generated import generate_task
from labelferry_bench.papers.tasks import TASKS

SOLVERS = {
    "lbfgs": LogisticRegression(max_iter=1000),
    "lbfgs path": LogisticRegression(max_iter=1000, warm_start=True),
    "newton-cg path": logistic_regression(warm_start=True),
}


def accuracies(model, X, codes) -> list[float]:
    """Mean accuracy over the folds, per C."""
    correct = []
    for train, test in training_folds(codes):
        fold, X_train, X_test = clone(model), X[train], X[test]
        correct.append(
            [(fold.set_params(C=C).fit(X_train, codes[train]).predict(X_test) == codes[test]).mean() for C in GRID]
        )
    return np.mean(correct, axis=0).tolist()


def main(n_documents: int = 20_000) -> None:
    warnings.simplefilter("ignore")
    news, made = TASKS["gcmf/rec vs sci"].load(seed=0), generate_task(n_documents, dtype=np.float64)
    for name, X, y in (("rec vs sci", news.Xs, news.ys), ("generated", made.Xs, made.ys)):
        X, codes = short_indices(X), np.unique(y, return_inverse=True)[1]
        print(f"{name}: {X.shape[0]:,} x {X.shape[1]:,}, accuracy for C = {', '.join(map(str, GRID))}")
        for solver, model in SOLVERS.items():
            began = time.process_time()
            found = accuracies(model, X, codes)
            print(
                f"  {solver:15} {time.process_time() - began:6.2f} s  {'  '.join(f'{a:.4f}' for a in found)}",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
