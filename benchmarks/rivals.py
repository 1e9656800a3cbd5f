"""Time and memory of the slower baselines on 4,000 + 4,000 documents and 20,000 words, about 80 words per document.

    python -m benchmarks.rivals [NAME ...]     names of estimators, by default those below

Each is fitted in its own process. The peak of memory includes the data, and is counted from the moment they are loaded.
The limits are 60 seconds and 2 GB on two cores.
"""

from __future__ import annotations

import sys
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import labelferry.baselines
from labelferry.core.registry import estimators
from labelferry.linalg.normalize import normalize_rows_l2

ESTIMATORS = estimators()

SLOW_BASELINES = ("TSVM", "LapSVM", "ITCC", "CoCC", "KDEWeighting", "MSDA", "NMFClustering")
N_DOCS, N_WORDS, LENGTH = 8_000, 20_000, 90
SECONDS, MEGABYTES = 60, 2_000


def corpus() -> tuple[sp.csr_array, np.ndarray, np.ndarray]:
    """Make two domains of two classes.

    A tenth of the words of a document belong to its class, a tenth to its class and domain. The others are drawn from
    all words, with probabilities proportional to one over the rank.
    """
    rng = np.random.default_rng(0)
    y, domain = np.arange(N_DOCS) % 2, np.repeat([0, 1], N_DOCS // 2)
    order = rng.permutation(N_WORDS)
    weight = 1 / (20 + np.arange(N_WORDS))
    size = (N_DOCS, LENGTH // 10)
    common = 500 * y[:, None] + rng.integers(500, size=size)
    own = 1000 + 500 * (2 * domain + y)[:, None] + rng.integers(500, size=size)
    noise = rng.choice(N_WORDS, size=(N_DOCS, LENGTH - 2 * size[1]), p=weight / weight.sum())
    columns = order[np.hstack([common, own, noise])].ravel()
    X = sp.csr_array((np.ones(columns.size), columns, np.arange(0, columns.size + 1, LENGTH)), shape=(N_DOCS, N_WORDS))
    X.sum_duplicates()
    return normalize_rows_l2(X), y, np.where(domain == 0, 1, -1)


def fit(name: str) -> tuple[float, float, float]:
    """Return the seconds, the peak of memory in MB, and the accuracy."""
    X, y, domain = corpus()
    est = ESTIMATORS[name]()
    if "random_state" in est.get_params():
        est.set_params(random_state=0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    began = time.perf_counter()
    est.fit(X, y, domain)
    seconds = time.perf_counter() - began
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return seconds, peak / 1024, float((est.transduction_ == y[domain < 0]).mean())


def main(names: list[str]) -> None:
    """Print one line per estimator."""
    X = corpus()[0]
    print(f"{X.shape[0]} documents, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} words per document")
    print(f"{'':16} {'seconds':>8} {'peak MB':>8} {'accuracy':>9}")
    for name in names or SLOW_BASELINES:
        if name not in ESTIMATORS:
            print(f"{name:16} skipped: {labelferry.baselines.__name__} has no such estimator")
            continue
        with get_context("spawn").Pool(1) as pool:
            seconds, peak, accuracy = pool.apply(fit, (name,))
        result = "within" if seconds <= SECONDS and peak <= MEGABYTES else "beyond"
        print(
            f"{name:16} {seconds:8.1f} {peak:8.0f} {accuracy:9.3f}  {result} {SECONDS} s and {MEGABYTES} MB", flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1:])
