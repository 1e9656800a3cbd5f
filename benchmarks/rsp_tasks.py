"""RSP beside full transfer and no transfer: does the risk keep it within a point of the better of the two?

    python -m benchmarks.rsp_tasks [SEED]

Tasks: three sources for comp vs rec (RSP's Tables 1 and 3), the hybrid-graph paper's Table 3, CDSC's Table 1 and the
Reuters matrices in both directions. 500 documents a class and domain, fewer where there are fewer; words as in
tests/corpora.py, for Reuters tf-idf of the counts. Purity as in RSP, section 4.1. "blend" is `partial="blend"`.
The default, `partial="cheapest"`, was chosen after a look at seeds 0 and 1; other seeds are fresh samples of the tasks.
"""

from __future__ import annotations

import os
import sys
import time
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
    return Task(X[domain == 0], y[domain == 0], X[domain == 1], y[domain == 1])


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
    return Task(both[: len(y[0])], y[0], both[len(y[0]) :], y[1])


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


def main(seed: int) -> None:
    print(f"{'':36} {'Full-T':>7} {'No-T':>6} {'RSP':>6} {'blend':>6} {'risk':>6} {'KL':>6} {'gap':>6} {'sec':>5}")
    near = []
    for name, task in tasks(seed):
        k, scores = len(np.unique(task.yt)), {}
        for run, setting in RUNS.items():
            began = time.perf_counter()
            est = RSP(k, random_state=seed, **setting)
            est.transfer(*task[:3])
            scores[run] = purity(task.yt, est.cluster_)
        best = max(scores["Full-T"], scores["No-T"])
        near.append([round(scores[run] - best, 6) >= -0.01 for run in ("RSP", "blend")])
        print(
            f"{name:36} {scores['Full-T']:7.3f} {scores['No-T']:6.3f} {scores['RSP']:6.3f} {scores['blend']:6.3f} "
            f"{est.risk_:6.3f} {est.divergence_:6.2f} {est.gap_:6.3f} {time.perf_counter() - began:5.1f}"
            f"{'' if near[-1][0] else '  <- below'}"
        )
    rsp, blend = np.sum(near, axis=0)
    print(
        f"within one point of the better of Full-T and No-T: RSP {rsp}, with (11) as it stands {blend}, of {len(near)}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
