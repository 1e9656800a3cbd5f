"""The weight of words: labelferry's own idf, log((1 + N) / (1 + df)) + 1, or log(N / df), which the papers' tables use.

    python -m benchmarks.idf [NUMBER OF TASKS]      reads the corpora in $LABELFERRY_DATA

Tasks of the trust bench, 120 by default, without traps; accuracy and balanced accuracy of SourceLR and of AutoTransfer
without vectors. One line per corpus, then the mean over the corpora.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import normalize

from labelferry import AutoTransfer, SourceLR
from labelferry_bench.trust.tasks import PLAIN, TaskData, all_tasks

N_TASKS = 120


def with_plain_idf(Xs: sp.csr_array, Xt: sp.csr_array) -> tuple[sp.csr_array, sp.csr_array]:
    """The same documents with log(N / df), of unit length."""
    X = sp.csr_array(sp.vstack([Xs, Xt], format="csr"))
    N, df = X.shape[0], np.maximum((X > 0).sum(axis=0), 1)
    ratio = np.log(N / df) / (np.log((1 + N) / (1 + df)) + 1)
    X = sp.csr_array(normalize(X @ sp.diags_array(ratio)))
    return X[: Xs.shape[0]], X[Xs.shape[0] :]


def scores(data: TaskData) -> list[float]:
    """SourceLR and AutoTransfer, with both kinds of idf."""
    found = []
    parts = [data.source_of == s for s in np.unique(data.source_of)]
    for Xs, Xt in ((data.Xs, data.Xt), with_plain_idf(data.Xs, data.Xt)):
        for method in (SourceLR(), AutoTransfer(random_state=0)):
            labels = method.transfer([Xs[part] for part in parts], [data.ys[part] for part in parts], Xt)
            found += [float(np.mean(labels == data.yt)), float(balanced_accuracy_score(data.yt, labels))]
    return found


def line(name: str, n: int, values: np.ndarray) -> str:
    """Accuracy / balanced accuracy: SourceLR with own and plain idf, AutoTransfer with own and plain idf."""
    shown = [f"{values[i]:.3f} / {values[i + 1]:.3f}" for i in (0, 4, 2, 6)]
    return f"{name:20} {n:3}   " + "   ".join(shown)


def main(n: int) -> None:
    """Print the table."""
    by_corpus: dict[str, list[list[float]]] = defaultdict(list)
    for task in [task for task in all_tasks() if task.kind == PLAIN and task.data][:n]:
        by_corpus[task.corpus].append(scores(task.load()))
    print(f"{'':20} tasks SourceLR, own   SourceLR, plain   AutoTransfer, own   AutoTransfer, plain")
    means = {name: np.mean(rows, axis=0) for name, rows in sorted(by_corpus.items())}
    for name, values in means.items():
        print(line(name, len(by_corpus[name]), values))
    print(line("mean", sum(map(len, by_corpus.values())), np.mean(list(means.values()), axis=0)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else N_TASKS)
