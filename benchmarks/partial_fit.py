"""What `partial_fit` is worth: accuracy on the second half of the target, which comes in the fit, never, or in batches.

    python -m benchmarks.partial_fit [TASK ...]        tasks of the bench, by default three of the newsgroup tasks

Prints the table of docs/python.md. The documents are those of seed 0; the halves are random.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from labelferry import TCL, EMNaiveBayes
from labelferry.core.online import OnlineClassifier
from labelferry_bench.papers.tasks import TASKS

NAMES = ("gcmf/rec vs sci", "gcmf/sci vs talk", "gcmf/comp vs sci")
ESTIMATORS: tuple[OnlineClassifier, ...] = (EMNaiveBayes(), TCL(random_state=0))
N_BATCHES = 5


class Accuracies(NamedTuple):
    """On the second half of the target."""

    all_documents: float  # both halves in the fit
    first_half: float  # the second half is predicted as new documents
    batches: float  # the same after `partial_fit` with its batches


def in_batches(estimator: OnlineClassifier, Xs: Any, ys: Any, Xt: Any, yt: np.ndarray) -> Accuracies:
    """Fit the estimator on all documents, and a second one on one half, then on batches of the other half."""
    half, rest = np.array_split(np.random.default_rng(0).permutation(Xt.shape[0]), 2)
    complete = (clone(estimator).transfer(Xs, ys, Xt) == yt)[rest].mean()
    model = clone(estimator)
    model.transfer(Xs, ys, Xt[half])
    before = (model.predict(Xt[rest]) == yt[rest]).mean()
    for batch in np.array_split(rest, N_BATCHES):
        model.partial_fit(Xt[batch])
    return Accuracies(float(complete), float(before), float((model.predict(Xt[rest]) == yt[rest]).mean()))


def main(names: tuple[str, ...] = NAMES) -> None:
    """Print one line per task and estimator."""
    print("| newsgroups | method | all documents in the fit | first half only | first half, then five batches |")
    print("|---|---|---|---|---|")
    for name in names:
        data = TASKS[name].load()
        for estimator in ESTIMATORS:
            found = in_batches(estimator, data.Xs, data.ys, data.Xt, np.asarray(data.yt))
            cells = [name.partition("/")[2], type(estimator).__name__, *(f"{a:.3f}".lstrip("0") for a in found)]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or NAMES)
