"""Time and memory of the costlier rivals on 4,000 + 4,000 documents and 20,000 words, about 80 of them in a document.

    python -m benchmarks.rivals [NAME ...]     names of estimators, by default those below

Each is fitted in a process of its own, so that the peak is its own: it counts from the moment the data are there and
includes them. The limits are 60 seconds and 2 GB on two cores.
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

RIVALS = ("TSVM", "LapSVM", "ITCC", "CoCC", "KDEWeighting", "MSDA", "NMFClustering")
N_DOCS, N_WORDS, LENGTH = 8_000, 20_000, 90
SECONDS, MEGABYTES = 60, 2_000


def corpus() -> tuple[sp.csr_array, np.ndarray, np.ndarray]:
    """Two domains of two classes. A tenth of a document are words of its class, as many of its class and domain; the
    rest is drawn from all words, with chances that fall as one over the rank."""
    rng = np.random.default_rng(0)
    y, domain = np.arange(N_DOCS) % 2, np.repeat([0, 1], N_DOCS // 2)
    order = rng.permutation(N_WORDS)
    chance = 1 / (20 + np.arange(N_WORDS))
    size = (N_DOCS, LENGTH // 10)
    common = 500 * y[:, None] + rng.integers(500, size=size)
    own = 1000 + 500 * (2 * domain + y)[:, None] + rng.integers(500, size=size)
    noise = rng.choice(N_WORDS, size=(N_DOCS, LENGTH - 2 * size[1]), p=chance / chance.sum())
    columns = order[np.hstack([common, own, noise])].ravel()
    X = sp.csr_array((np.ones(columns.size), columns, np.arange(0, columns.size + 1, LENGTH)), shape=(N_DOCS, N_WORDS))
    X.sum_duplicates()
    return normalize_rows_l2(X), y, np.where(domain == 0, 1, -1)


def fit(name: str) -> tuple[float, float, float]:
    """Seconds, the peak in MB, and the accuracy."""
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
    X = corpus()[0]
    print(f"{X.shape[0]} documents, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} words a document")
    print(f"{'':16} {'seconds':>8} {'peak MB':>8} {'right':>6}")
    for name in names or RIVALS:
        if name not in ESTIMATORS:
            print(f"{name:16} skipped: {labelferry.baselines.__name__} has no such estimator")
            continue
        with get_context("spawn").Pool(1) as pool:
            seconds, peak, right = pool.apply(fit, (name,))
        verdict = "within" if seconds <= SECONDS and peak <= MEGABYTES else "beyond"
        print(
            f"{name:16} {seconds:8.1f} {peak:8.0f} {right:6.3f}  {verdict} {SECONDS} s and {MEGABYTES} MB", flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1:])
