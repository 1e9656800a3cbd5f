"""The accuracies in the sections "Departures" of the docstrings: one line each, on the tasks that the docstrings name.

    python -m benchmarks.departures [NAME ...]     names of estimators, by default all

tf-idf has labelferry's own idf, log((1 + N) / (1 + df)) + 1, as when the figures were measured; the tables of the bench
differ. Only the groups gcmf, matrices and tcl/... have that of the tables, log(N / df).

Groups of tasks:

six        the newsgroup tasks of GCMF's Table 2; gcmf  the same as in the table gcmf
three      comp-sci, rec-talk and sci-talk of these, on which defaults were chosen
reviews    books-kitchen, electronics-dvd and kitchen-electronics of the Amazon pairs
four       comp, rec, sci and talk, groups A and B of GCMF's Table 2
cdsc       the newsgroup tasks of CDSC's Table 1 with 250 documents per class, tf-idf; means over five draws
chosen     three of cdsc, on which CDSC's defaults were chosen
others     the other three of cdsc
reuters    the Reuters tasks of CDSC's Table 2 with 250 documents per class; means over two draws
matrices   the Reuters tasks of GCMF's Table 2
hybrid     the tasks of the hybrid graph's Table 3 with 500 documents per class, counts; means over five draws
cdsc500    the tasks of cdsc with 500 documents per class, counts; means over five draws
tcl/...    one task of TCL's Table 1; amazon/... one of four Amazon pairs
9:1, 1:9   tasks of the table shift of `labelferry_bench.papers.tasks` with this uneven target, seed 0

The random state is 0.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.corpora import CDSC_TABLE_1, HYBRID_TABLE_3, SIX, hybrid_sample

from labelferry import (
    CDSC,
    DTL,
    GCMF,
    ITCC,
    MSDA,
    NMTF,
    SGT,
    TCL,
    TSVM,
    CoCC,
    EMNaiveBayes,
    HybridLabelPropagation,
    HybridSimilarityPropagation,
    KDEWeighting,
    LapSVM,
    NMFClustering,
    NormalizedCut,
    SourceLR,
    SpectralClassifier,
    SpectralCoclustering,
)
from labelferry_bench.papers.builders import REUTERS_PAIRS
from labelferry_bench.papers.tasks import TASKS, tasks_here

DATA = Path(os.environ.get("LABELFERRY_DATA", "../shared/data"))
NEWS = DATA / "20news/20news-bydate.jsonl.gz"
THREE = [("comp", "sci"), ("rec", "talk"), ("sci", "talk")]
REVIEWS = [("books", "kitchen"), ("electronics", "dvd"), ("kitchen", "electronics")]
CDSC_CHOSEN = ("rec vs talk", "rec vs sci", "comp vs talk")
CDSC_SETTINGS: list[dict[str, Any]] = [
    {},
    {"n_eigenvectors": 6, "target_cut": 0.025, "degree_regularization": 0},
    {"n_eigenvectors": 2, "target_cut": 0},
]
CDSC_TAU: list[dict[str, Any]] = [
    {"n_eigenvectors": k, "target_cut": lam, "degree_regularization": tau}
    for tau in (0, 1)
    for lam in (0, 0.025, 0.2, 0.5)
    for k in (2, 3, 6)
]
CDSC_CUT: list[dict[str, Any]] = [
    {"n_eigenvectors": "cut", "target_cut": lam, "degree_regularization": tau}
    for tau, lam in ((1, 0.2), (1, "cut"), (0, 0.025), (0, "cut"))
]
SIMILARITY_OPTIONS: list[dict[str, Any]] = [
    {"start": "words"},
    {"reinitialize": "start"},
    {"reinitialize": "current"},
    {"scaling": "degree"},
    *({"n_doc_pairs": 4, "n_word_clusters": k} for k in (2, 4, 8)),
]
SIMILARITY_PRINTED: list[dict[str, Any]] = [
    {"reading": "cut"},
    {"reading": "cut", "reinitialize": "start"},
    {"reading": "cut", "scaling": "degree"},
    {"reading": "cut", "start": "words"},
    {"reading": "source"},
]
GCMF_STOPS = [(30, 0.0), (40, 0.0), (100, 0.0), (100, 1e-3), (100, 5e-4)]
TCL_REVIEWS = [
    f"amazon/{pair}" for pair in ("books to kitchen", "electronics to dvd", "kitchen to electronics", "dvd to books")
]
UNEVEN = {
    **dict.fromkeys(("rec-sci 9:1", "sci-talk 9:1", "comp-sci 9:1"), (0.9, 0.1)),
    **dict.fromkeys(("comp-rec 1:9", "rec-talk 1:9", "comp-talk 1:9"), (0.1, 0.9)),
}

RUNS = [
    (TCL(random_state=0), "six"),
    (TCL(normalize="cycle", random_state=0), "six"),
    *(
        (TCL(common_weight=0.9, weighting="none", normalize=order, random_state=0), "six")
        for order in ("update", "cycle")
    ),
    *(
        (TCL(common_weight=alpha, weighting=weighting, random_state=0), task)
        for task in tasks_here("tcl")
        for weighting in ("none", "words")
        for alpha in (0.5, 0.7, 0.9)
    ),
    *((TCL(weighting=weighting, random_state=0), task) for task in TCL_REVIEWS for weighting in ("none", "words")),
    (NMTF(random_state=0), "six"),
    (NMTF(normalize="cycle", random_state=0), "six"),
    (DTL(random_state=0), "six"),
    (DTL(normalize="cycle", random_state=0), "six"),
    (EMNaiveBayes(), "six"),
    (EMNaiveBayes(smoothing=1.0), "six"),
    (EMNaiveBayes(class_prior="estimate"), "six"),
    (EMNaiveBayes(source_weight="annealed"), "six"),
    (CoCC(random_state=0), "six"),
    (CoCC(random_state=0), "three"),
    (CoCC(start="logistic", random_state=0), "six"),
    (ITCC(random_state=0), "six"),
    (ITCC(random_state=0), "three"),
    (SourceLR(), "six"),
    (GCMF(random_state=0), "three"),
    (GCMF(max_iter=100, random_state=0), "three"),
    (GCMF(max_iter=100, normalization="documents", random_state=0), "three"),
    *((GCMF(max_iter=n, tol=tol, random_state=0), on) for n, tol in GCMF_STOPS for on in ("matrices", "gcmf")),
    *(
        (GCMF(word_smoothness=1, doc_smoothness=1, max_iter=n, tol=tol, random_state=0), "reviews")
        for n, tol in GCMF_STOPS
    ),
    (GCMF(normalize="cycle", random_state=0), "matrices"),
    (GCMF(word_smoothness=1, doc_smoothness=1, random_state=0), "reviews"),
    (GCMF(word_smoothness=1, doc_smoothness=1, max_iter=100, random_state=0), "reviews"),
    (CDSC(random_state=0), "cdsc"),
    (CDSC(6, target_cut=0.025, degree_regularization=0, random_state=0), "cdsc"),
    (CDSC(2, target_cut=0, random_state=0), "cdsc"),
    (SpectralClassifier(random_state=0), "cdsc"),
    (SpectralClassifier(form="lambda0", n_eigenvectors=2, random_state=0), "cdsc"),
    (NormalizedCut(random_state=0), "cdsc"),
    (NormalizedCut(degree_regularization=0, random_state=0), "cdsc"),
    (SGT(random_state=0), "cdsc"),
    *((TSVM(C=C), on) for C in (0.1, 1.0) for on in ("three", "six")),
    (TSVM(C=0.01), "three"),
    *((TSVM(C=C), "reviews") for C in (0.1, 0.01)),
    *((LapSVM(n_neighbors=k), on) for k in (50, 6) for on in ("three", "six")),
    (HybridLabelPropagation(), "hybrid"),
    (HybridLabelPropagation("logistic"), "hybrid"),
    (HybridLabelPropagation("logistic", weighting="none", degree_regularization=0), "hybrid"),
    *((HybridLabelPropagation(n_clusters=k), "hybrid") for k in (3, 4)),
    *(
        (HybridLabelPropagation(n_word_clusters=k, source_weight=mu), "hybrid")
        for k in (3, 2)
        for mu in (0.25, 1.0, 4.0)
    ),
    *(
        (HybridSimilarityPropagation(n_doc_pairs=64, n_word_clusters=k, reading="cut"), "hybrid")
        for k in (2, 4, 8, 16, 32)
    ),
    (HybridSimilarityPropagation(), "hybrid"),
    (HybridSimilarityPropagation(reading="cut"), "hybrid"),
    *(
        (HybridSimilarityPropagation(**option, reading=reading), "hybrid")
        for option in SIMILARITY_OPTIONS
        for reading in ("source", "cut")
    ),
    *(
        (HybridSimilarityPropagation(inverse="all", weighting="none", degree_regularization=0, **option), "hybrid")
        for option in SIMILARITY_PRINTED
    ),
    (HybridLabelPropagation(), "cdsc500"),
    (HybridSimilarityPropagation(), "cdsc500"),
    (HybridSimilarityPropagation(reading="cut"), "cdsc500"),
    (HybridLabelPropagation(), "four"),
    (HybridLabelPropagation("logistic", weighting="none"), "hybrid"),
    (HybridLabelPropagation("logistic", degree_regularization=0), "hybrid"),
    (HybridSimilarityPropagation(weighting="none", degree_regularization=0), "hybrid"),
    (HybridSimilarityPropagation(reading="cut", weighting="none", degree_regularization=0), "hybrid"),
    (SpectralCoclustering(random_state=0), "cdsc"),
    (SpectralCoclustering(degree_regularization=0, random_state=0), "cdsc"),
    *((CDSC(**setting, random_state=0), on) for setting in CDSC_SETTINGS for on in ("chosen", "others", "six")),
    *((CDSC(**setting, random_state=0), "cdsc") for setting in CDSC_TAU),
    *((CDSC(**setting, random_state=0), on) for setting in CDSC_CUT for on in ("cdsc", "reuters")),
    *((CDSC(**setting, random_state=0), "reuters") for setting in CDSC_SETTINGS[:2]),
    (CDSC(2, random_state=0), "chosen"),
    (CDSC(4, random_state=0), "chosen"),
    (CDSC(4, random_state=0), "four"),
    (CDSC(random_state=0), "four"),
    (CDSC(6, random_state=0), "four"),
    *((MSDA(random_state=0), on) for on in ("three", "six")),
    (MSDA(C="cv", random_state=0), "three"),
    *((KDEWeighting(random_state=0), on) for on in ("three", "six")),
    (KDEWeighting(flattening=1.0, random_state=0), "three"),
    (SourceLR(), "three"),
    *((NMFClustering(weighting=w, random_state=0), on) for w in ("none", "cut") for on in ("three", "six")),
    *(
        (method(class_prior=prior, **({} if method is HybridLabelPropagation else {"random_state": 0})), on)
        for method in (TCL, GCMF, CDSC, HybridLabelPropagation, NormalizedCut)
        for on, shares in UNEVEN.items()
        for prior in (None, shares, "estimate")
    ),
]
DRAWS = range(5)


def load(name: str, seed: int = 0) -> Any:
    """Load a task of the bench with labelferry's own idf."""
    task = TASKS[name]
    return replace(task, recipe=task.recipe._replace(idf="smooth")).load(seed)


@cache
def tasks(name: str) -> list[Any]:
    """Load a group of tasks."""
    if name in TASKS:
        return [TASKS[name].load()]
    if name in ("gcmf", "matrices"):
        return [TASKS[f"gcmf/{pair}"].load() for pair in (map(" vs ".join, SIX) if name == "gcmf" else REUTERS_PAIRS)]
    if name == "hybrid":
        return [hybrid_sample(NEWS, task, seed) for task in HYBRID_TABLE_3 for seed in DRAWS]
    if name == "cdsc500":
        return [hybrid_sample(NEWS, task, seed, cdsc=True) for task in CDSC_TABLE_1 for seed in DRAWS]
    if name in UNEVEN:
        return [load("shift/" + name.replace("-", " vs "))]
    if name == "reviews":
        return [load(f"amazon/{source} to {target}") for source, target in REVIEWS]
    if name == "four":
        return [load("four/comp + rec + sci + talk")]
    if name == "reuters":
        return [load(f"cdsc/{pair}", seed) for pair in REUTERS_PAIRS for seed in range(2)]
    if name in ("cdsc", "chosen", "others"):
        chosen = {"cdsc": (True, False), "chosen": (True,), "others": (False,)}[name]
        split = [task for task in CDSC_TABLE_1 if (task in CDSC_CHOSEN) in chosen]
        return [load(f"cdsc/{task}", seed) for task in split for seed in DRAWS]
    return [load(f"gcmf/{' vs '.join(pair)}") for pair in (SIX if name == "six" else THREE)]


def main(names: list[str]) -> None:
    """Print one line per estimator and group of tasks."""
    for estimator, on in RUNS:
        if names and type(estimator).__name__ not in names:
            continue
        accuracies = [(estimator.transfer(t.Xs, t.ys, t.Xt) == t.yt).mean() for t in tasks(on)]
        print(f"{np.mean(accuracies):.3f} on {on:8} {' '.join(str(estimator).split())}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
