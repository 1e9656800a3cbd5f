"""The accuracies that the docstrings quote for their departures: one line each, on the tasks they name.

    python -m benchmarks.departures [NAME ...]     names of estimators, by default all

Six: the newsgroup tasks of GCMF's Table 2. Three: comp-sci, rec-talk and sci-talk of these, on which defaults were
chosen. Reviews: books-kitchen, electronics-dvd and kitchen-electronics of the Amazon pairs. Random state 0.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from tests.corpora import SIX, amazon, newsgroups

from labelferry import DTL, GCMF, NMTF, TCL, EMNaiveBayes, SourceLR

DATA = Path(os.environ.get("LABELFERRY_DATA", "../shared/data"))
NEWS, AMAZON = DATA / "20news/20news-bydate.jsonl.gz", DATA / "amazon/reviews.jsonl.gz"
THREE = [("comp", "sci"), ("rec", "talk"), ("sci", "talk")]
REVIEWS = [("books", "kitchen"), ("electronics", "dvd"), ("kitchen", "electronics")]

RUNS = [
    (TCL(random_state=0), "six"),
    (TCL(normalize="cycle", random_state=0), "six"),
    (NMTF(random_state=0), "six"),
    (NMTF(normalize="cycle", random_state=0), "six"),
    (DTL(random_state=0), "six"),
    (DTL(normalize="cycle", random_state=0), "six"),
    (EMNaiveBayes(), "six"),
    (EMNaiveBayes(smoothing=1.0), "six"),
    (EMNaiveBayes(class_prior="estimate"), "six"),
    (EMNaiveBayes(source_weight="annealed"), "six"),
    (SourceLR(), "six"),
    (SourceLR(C=10), "six"),
    (GCMF(random_state=0), "three"),
    (GCMF(max_iter=100, random_state=0), "three"),
    (GCMF(max_iter=100, normalization="documents", random_state=0), "three"),
    (GCMF(word_smoothness=1, doc_smoothness=1, random_state=0), "reviews"),
    (GCMF(word_smoothness=1, doc_smoothness=1, max_iter=100, random_state=0), "reviews"),
]


def tasks(name: str):
    if name == "reviews":
        return [amazon(AMAZON, *pair) for pair in REVIEWS]
    return [newsgroups(NEWS, pair) for pair in (SIX if name == "six" else THREE)]


def main(names: list[str]) -> None:
    for estimator, on in RUNS:
        if names and type(estimator).__name__ not in names:
            continue
        right = [(estimator.transfer(t.Xs, t.ys, t.Xt) == t.yt).mean() for t in tasks(on)]
        print(f"{np.mean(right):.3f} on {on:8} {' '.join(str(estimator).split())}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
