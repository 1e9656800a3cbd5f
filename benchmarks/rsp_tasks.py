"""RSP compared with full transfer and no transfer: is it within one point of the better of the two?

    python -m benchmarks.rsp_tasks [SEEDS]     number of draws, 3 by default

Tasks: three sources for comp vs rec (RSP's Tables 1 and 3), the hybrid-graph paper's Table 3, CDSC's Table 1 and the
Reuters matrices in both directions. At most 500 documents per class and domain, without those of fewer than 3 words;
words as in labelferry_bench.papers.tables, for Reuters tf-idf of the counts. Also the tasks of the tables "rsp" and
"rsp-office" of the bench. Purity as in RSP, section 4.1, means over the draws. "lower cut" is full transfer if R is
below .1 or, up to .9, if its normalized cut in the target is lower than that of the target alone. The default rule was
chosen with the results of seeds 0 to 2 known; other seeds are new samples of the tasks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from labelferry.core.domains import Domains
from labelferry.families.divergence import clustered_kl, transfer_risk
from labelferry.families.partition import normalized_cut, points
from labelferry.families.spectral import nodes
from labelferry.linalg.laplacian import Similarity
from labelferry.linalg.matrix import empty_rows
from labelferry.methods.rsp import cluster_alone, cluster_jointly, spread
from labelferry_bench.datasets import load_reuters_crossdomain
from labelferry_bench.datasets.newsgroups import SOURCE
from labelferry_bench.datasets.reuters_crossdomain import TASKS as CLASSES
from labelferry_bench.papers import pools
from labelferry_bench.papers.splits import OneDomain, TwoDomains, by_groups, other_classes, pairs
from labelferry_bench.papers.tables.cdsc import CDSC_TABLE_1
from labelferry_bench.papers.tables.gcmf import GCMF_TABLE_2
from labelferry_bench.papers.tables.hybrid import HYBRID_TABLE_3
from labelferry_bench.papers.task import Recipe, Task, purity
from labelferry_bench.papers.tasks import TASKS, tasks_here

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


class Comparison(NamedTuple):
    """Full transfer first, the target alone second."""

    purities: tuple[float, ...]
    cuts: tuple[float, ...]
    spreads: tuple[float, ...]
    risk: float
    divergence: float


RULES: dict[str, Callable[[Comparison], bool]] = {  # is full transfer used?
    "Full-T": lambda c: True,
    "No-T": lambda c: False,
    "lower cut": lambda c: c.risk < 0.1 or (c.risk <= 0.9 and c.cuts[0] < c.cuts[1]),
    "RSP": lambda c: c.spreads[0] < c.spreads[1],
    "best": lambda c: c.purities[0] > c.purities[1],
}


def all_tasks(seed: int) -> Iterator[tuple[str, Documents]]:
    for name in (*tasks_here("rsp"), *tasks_here("rsp-office")):
        if seed == 0 or TASKS[name].sampled:
            Xs, ys, Xt, yt = TASKS[name].load(seed)[:4]
            yield name, (Xs, ys, Xt, yt)
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


def compare(documents: Documents, seed: int) -> Comparison:
    """Cluster the target with full transfer and alone."""
    Xs, ys, Xt, yt = documents
    domains = Domains.from_blocks([("source", Xs, ys)], ("target", Xt), estimator="RSP")
    g, rng = nodes(domains), np.random.default_rng(seed)
    words, is_target = ~empty_rows(g.X), np.arange(len(g.codes)) >= g.first_target
    p = points(g.X[words], g.blocks[words], is_target[words], None, rng)
    settings: dict[str, Any] = {"cut": "normalized", "tau": 1.0, "rng": rng}
    k, y = len(np.unique(yt)), yt[words[is_target]]
    both = (cluster_jointly(p, k, 0.0, beta=0.6, **settings), cluster_alone(p, k, **settings))
    W = Similarity(p.X[p.is_target], 1.0)
    KL = clustered_kl(g.X[words & ~is_target], g.X[words & is_target], rng=rng)
    return Comparison(
        purities=tuple(purity(c.cluster, y) for c in both),
        cuts=tuple(normalized_cut(W, c.cluster) for c in both),
        spreads=tuple(spread(c, p.size[p.is_target]) for c in both),
        risk=transfer_risk(KL),
        divergence=KL,
    )


def main(n_seeds: int) -> None:
    """Print one line per task, and one per rule."""
    results: dict[str, list[Comparison]] = {}
    for seed in range(n_seeds):
        for name, documents in all_tasks(seed):
            results.setdefault(name, []).append(compare(documents, seed))
    print(f"{'':58}" + "".join(f"{name:>10}" for name in (*RULES, "risk", "KL")))
    means: dict[str, dict[str, float]] = {rule: {} for rule in RULES}
    for name, rows in results.items():
        for rule, uses_source in RULES.items():
            means[rule][name] = float(np.mean([c.purities[0 if uses_source(c) else 1] for c in rows]))
        numbers = [*(means[rule][name] for rule in RULES)]
        numbers += [float(np.mean([c.risk for c in rows])), float(np.mean([c.divergence for c in rows]))]
        print(f"{name[:57]:58}" + "".join(f"{number:10.3f}" for number in numbers), flush=True)
    alone, full = means["No-T"], means["Full-T"]
    for rule, purities in means.items():
        loss = min(purities[name] - alone[name] for name in results)
        near = np.mean([purities[name] >= max(full[name], alone[name]) - 0.01 for name in results])
        mean = np.mean(list(purities.values()))
        print(f"{rule:10} mean purity {mean:.3f}, largest loss {loss:+.3f}, within a point of the better {near:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
