"""RSP compared with full transfer and no transfer: is it within one point of the better of the two?

    python -m benchmarks.rsp_tasks [SEEDS]     number of draws, 5 by default

Tasks: three sources for comp vs rec (RSP's Tables 1 and 3), the hybrid-graph paper's Table 3, CDSC's Table 1 and the
Reuters matrices in both directions. At most 500 documents per class and domain, without those of fewer than 3
words; words as in labelferry.bench.tables, for Reuters tf-idf of the counts. Purity as in RSP, section 4.1, means over
the draws. "blend" is `partial="blend"`. The default, `partial="cheapest"`, was chosen with the results of seeds 0 and 1
known; other seeds are new samples of the tasks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from labelferry import RSP
from labelferry.bench import pools
from labelferry.bench.splits import OneDomain, TwoDomains, by_groups, other_classes, pairs
from labelferry.bench.tables.cdsc import CDSC_TABLE_1
from labelferry.bench.tables.gcmf import GCMF_TABLE_2
from labelferry.bench.tables.hybrid import HYBRID_TABLE_3
from labelferry.bench.task import Recipe, Task, purity
from labelferry.datasets import load_reuters_crossdomain
from labelferry.datasets.newsgroups import SOURCE
from labelferry.datasets.reuters_crossdomain import TASKS as CLASSES

N_DOCS = 500
# RSP's Table 1: sources of 2, 4 and 3 classes for comp vs rec, which have the groups of GCMF's Table 2 here. (The table
# "rsp" of the bench has CDSC's groups, and 1,500 documents a class as in the paper.) "Hardware" is in this
# target; the source of four classes has ms-windows instead.
RSP_TABLE_1: dict[str, OneDomain] = {
    "comp, rec (2)": {name: GCMF_TABLE_2[name][0] for name in ("comp", "rec")},
    "graphics, ... (4)": {
        "graphics": ("comp.graphics",),
        "windows": ("comp.os.ms-windows.misc",),
        "mideast": ("talk.politics.mideast",),
        "religion": ("talk.religion.misc",),
    },
    "crypt, med, guns (3)": {"crypt": ("sci.crypt",), "med": ("sci.med",), "guns": ("talk.politics.guns",)},
}
COMP_REC: OneDomain = {name: GCMF_TABLE_2[name][1] for name in ("comp", "rec")}
RUNS: dict[str, dict[str, Any]] = {
    "Full-T": {"risk": 0.0},
    "No-T": {"risk": 1.0},
    "blend": {"partial": "blend"},
    "RSP": {},
}
Documents = tuple[sp.csr_array, np.ndarray, sp.csr_array, np.ndarray]


def draw_documents(rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
    return rows[rng.choice(len(rows), size=min(N_DOCS, len(rows)), replace=False)]


def newsgroup_task(source: OneDomain, target: OneDomain, seed: int) -> Documents:
    split = partial(by_groups, parts=other_classes(source, target), draw=draw_documents)
    task = Task("rsp-tasks", (SOURCE,), pools.newsgroups, split, Recipe(min_words=3), sampled=True)
    Xs, ys, Xt, yt = task.load(seed)[:4]
    return Xs, ys, Xt, yt


def reuters_task(name: str, turned: bool, seed: int) -> Documents:
    rng = np.random.default_rng(seed)
    Xs, ys, Xt, yt = load_reuters_crossdomain(name)
    X, y = [], []
    for counts, labels in ((Xt, yt), (Xs, ys)) if turned else ((Xs, ys), (Xt, yt)):
        rows = [rng.permutation(np.flatnonzero(labels == c))[:N_DOCS] for c in CLASSES[name][1]]
        X.append(counts[np.concatenate(rows)].astype(float))
        y.append(labels[np.concatenate(rows)])
    both = sp.csr_array(TfidfTransformer().fit_transform(sp.vstack(X)))
    return *_with_words(both[: len(y[0])], y[0]), *_with_words(both[len(y[0]) :], y[1])


def _with_words(X: sp.csr_array, y: np.ndarray) -> tuple[sp.csr_array, np.ndarray]:
    long_enough = np.diff(X.indptr) >= 3
    return X[long_enough], y[long_enough]


def all_tasks(seed: int) -> Iterator[tuple[str, Documents]]:
    for name, source in RSP_TABLE_1.items():
        yield f"RSP: {name}", newsgroup_task(source, COMP_REC, seed)
    hybrid = pairs(HYBRID_TABLE_3)
    del hybrid["comp vs rec"]  # RSP's
    for paper, table in (("hybrid", hybrid), ("CDSC", CDSC_TABLE_1)):
        for name, classes in table.items():
            yield f"{paper}: {name}", newsgroup_task(*_domains(classes), seed)
    for name in ("orgs vs people", "orgs vs places", "people vs places"):
        for turned in (False, True):
            yield f"Reuters: {name}{' turned' * turned}", reuters_task(name, turned, seed)


def _domains(classes: TwoDomains) -> tuple[OneDomain, OneDomain]:
    source, target = ({name: both[i] for name, both in classes.items()} for i in (0, 1))
    return source, target


def main(n_seeds: int) -> None:
    """Print one line per task."""
    results: dict[str, list[dict[str, Any]]] = {}
    for seed in range(n_seeds):
        for name, (Xs, ys, Xt, yt) in all_tasks(seed):
            row: dict[str, float] = {}
            for run, setting in RUNS.items():
                est = RSP(len(np.unique(yt)), random_state=seed, **setting)
                est.transfer(Xs, ys, Xt)
                row[run] = purity(est.cluster_, yt)
            results.setdefault(name, []).append(row | {"risk": est.risk_, "KL": est.divergence_, "gap": est.gap_})
    columns = ["Full-T", "No-T", "RSP", "blend", "risk", "KL", "gap"]
    print(f"{'':36}" + "".join(f"{column:>8}" for column in columns))
    near = []
    for name, rows in results.items():
        mean = {column: np.mean([row[column] for row in rows]) for column in columns}
        best = max(mean["Full-T"], mean["No-T"])
        near.append([round(mean[run] - best, 6) >= -0.01 for run in ("RSP", "blend")])
        line = "".join(f"{mean[column]:8.3f}" for column in columns)
        print(f"{name:36}{line}{'' if near[-1][0] else '  <- below'}", flush=True)
    rsp, blend = np.sum(near, axis=0)
    print(
        f"within a point of the better of Full-T and No-T: RSP {rsp}, (11) of the paper {blend}, of {len(near)} tasks"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
