"""RSP beside full transfer and no transfer: does the risk keep it within a point of the better of the two?

    python -m benchmarks.rsp_tasks [SEEDS]     number of draws, 5 by default

Tasks: three sources for comp vs rec (RSP's Tables 1 and 3), the hybrid-graph paper's Table 3, CDSC's Table 1 and the
Reuters matrices in both directions. 500 documents a class and domain, fewer where there are fewer, less those with
fewer than 3 words; words as in tests/corpora.py, for Reuters tf-idf of the counts. Purity as in RSP, section 4.1, means
over the draws. "blend" is `partial="blend"`. The default, `partial="cheapest"`, was chosen after a look at seeds 0
and 1; other seeds are fresh samples of the tasks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from tests.corpora import CDSC_TABLE_1, WORD, _lines
from tests.planted import Task

from labelferry import RSP

DATA = Path(os.environ.get("LABELFERRY_DATA", "../shared/data"))
N_DOCS = 500
COMP_REC = (
    ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    ("rec.sport.baseball", "rec.sport.hockey"),
)
# RSP's Table 1: sources of 2, 4 and 3 classes for comp vs rec. The paper does not list the groups of Comp_1 and Rec_1:
# those of the hybrid-graph paper stand in. "Hardware", which is in that target, gives way to ms-windows in the four.
RSP_TABLE_1 = {
    "comp, rec (2)": (("comp.graphics", "comp.os.ms-windows.misc"), ("rec.autos", "rec.motorcycles")),
    "graphics, ... (4)": (
        ("comp.graphics",),
        ("comp.os.ms-windows.misc",),
        ("talk.politics.mideast",),
        ("talk.religion.misc",),
    ),
    "crypt, med, guns (3)": (("sci.crypt",), ("sci.med",), ("talk.politics.guns",)),
}
HYBRID_A = {
    "comp": ("comp.graphics", "comp.os.ms-windows.misc"),
    "rec": ("rec.autos", "rec.motorcycles"),
    "sci": ("sci.crypt", "sci.med"),
    "talk": ("talk.politics.guns", "talk.politics.mideast"),
}
HYBRID_B = {
    "comp": ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    "rec": ("rec.sport.baseball", "rec.sport.hockey"),
    "sci": ("sci.electronics", "sci.space"),
    "talk": ("talk.politics.misc",),
}
RUNS: dict[str, dict] = {"Full-T": {"risk": 0.0}, "No-T": {"risk": 1.0}, "blend": {"partial": "blend"}, "RSP": {}}
Groups = tuple[tuple[str, ...], ...]


def newsgroup_task(source: Groups, target: Groups, seed: int) -> Task:
    """One tuple of groups a class."""
    rng = np.random.default_rng(seed)
    texts: dict[str, list[str]] = {}
    for line in _lines(DATA / "20news/20news-bydate.jsonl.gz"):
        texts.setdefault(line["group"], []).append(line["text"].partition("\n\n")[2] or line["text"])
    parts = []
    for domain, classes in enumerate((source, target)):
        for label, groups in enumerate(classes):
            pool = [text for group in groups for text in texts[group]]
            chosen = rng.choice(len(pool), size=min(N_DOCS, len(pool)), replace=False)
            parts += [(domain, label, pool[i]) for i in chosen]
    domain, y = np.array([part[:2] for part in parts]).T
    vectorizer = TfidfVectorizer(token_pattern=WORD, stop_words="english", min_df=3, sublinear_tf=True)
    X = sp.csr_array(vectorizer.fit_transform([part[2] for part in parts]))
    return Task(*_with_words(X[domain == 0], y[domain == 0]), *_with_words(X[domain == 1], y[domain == 1]))


def _with_words(X: sp.csr_array, y: np.ndarray) -> tuple[sp.csr_array, np.ndarray]:
    long_enough = np.diff(X.indptr) >= 3
    return X[long_enough], y[long_enough]


def reuters_task(name: str, source: str, target: str, seed: int) -> Task:
    rng = np.random.default_rng(seed)
    X, y = [], []
    for side in (source, target):
        mat = scipy.io.loadmat(DATA / f"reuters_crossdomain/{name}_{side}.mat")
        labels = mat[f"{name}_{side}_label"].ravel()
        rows = [rng.permutation(np.flatnonzero(labels == c))[:N_DOCS] for c in np.unique(labels)]
        X.append(sp.csr_array(mat[f"{name}_{side}_data"], dtype=float)[np.concatenate(rows)])
        y.append(labels[np.concatenate(rows)])
    both = sp.csr_array(TfidfTransformer().fit_transform(sp.vstack(X)))
    return Task(*_with_words(both[: len(y[0])], y[0]), *_with_words(both[len(y[0]) :], y[1]))


def tasks(seed: int) -> Iterator[tuple[str, Task]]:
    for name, source in RSP_TABLE_1.items():
        yield f"RSP: {name}", newsgroup_task(source, COMP_REC, seed)
    pairs = [("comp", "rec"), ("comp", "sci"), ("comp", "talk"), ("rec", "sci"), ("rec", "talk"), ("sci", "talk")]
    for pair in pairs[1:]:  # the first is RSP's
        source, target = (tuple(side[c] for c in pair) for side in (HYBRID_A, HYBRID_B))
        yield f"hybrid: {' vs '.join(pair)}", newsgroup_task(source, target, seed)
    for name, ((s0, t0), (s1, t1)) in CDSC_TABLE_1.items():
        yield f"CDSC: {name}", newsgroup_task((s0, s1), (t0, t1), seed)
    for name in ("OrgsPeople", "OrgsPlaces", "PeoplePlaces"):
        for source, target in (("src", "tar"), ("tar", "src")):
            yield f"Reuters: {name} {source} -> {target}", reuters_task(name, source, target, seed)


def purity(y: np.ndarray, cluster: np.ndarray) -> float:
    return sum(np.unique(y[cluster == c], return_counts=True)[1].max() for c in np.unique(cluster)) / len(y)


def main(n_seeds: int) -> None:
    found: dict[str, list[dict[str, float]]] = {}
    for seed in range(n_seeds):
        for name, task in tasks(seed):
            row: dict[str, float] = {}
            for run, setting in RUNS.items():
                est = RSP(len(np.unique(task.yt)), random_state=seed, **setting)
                est.transfer(*task[:3])
                row[run] = purity(task.yt, est.cluster_)
            found.setdefault(name, []).append(row | {"risk": est.risk_, "KL": est.divergence_, "gap": est.gap_})
    columns = ["Full-T", "No-T", "RSP", "blend", "risk", "KL", "gap"]
    print(f"{'':36}" + "".join(f"{column:>8}" for column in columns))
    near = []
    for name, rows in found.items():
        mean = {column: np.mean([row[column] for row in rows]) for column in columns}
        best = max(mean["Full-T"], mean["No-T"])
        near.append([round(mean[run] - best, 6) >= -0.01 for run in ("RSP", "blend")])
        line = "".join(f"{mean[column]:8.3f}" for column in columns)
        print(f"{name:36}{line}{'' if near[-1][0] else '  <- below'}", flush=True)
    rsp, blend = np.sum(near, axis=0)
    print(
        f"within a point of the better of Full-T and No-T: RSP {rsp}, (11) as it stands {blend}, of {len(near)} tasks"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
