"""What is measured: the methods, the whole job, and the nearest equivalent of each in scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import scipy.sparse as sp
from sklearn.decomposition import NMF
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import kneighbors_graph

from labelferry.core.method_spec import make_method
from labelferry.linalg.knn import neighbor_graph

from ..generated import Task

N_TOPICS, N_ITER, N_NEIGHBORS = 10, 50, 10
QUADRATIC = 20_000  # documents up to which an operation may compare all pairs
LARGEST_RIVAL = 100_000  # documents up to which scikit-learn is measured too

Run = Callable[[Task], Any]


class Entry(NamedTuple):
    """A run, the run of scikit-learn that it is compared with, and its largest number of documents."""

    run: Run
    rival: str | None
    largest: int | None = None


def fit(spec: str) -> Run:
    """A function that fits a method, given as on the command line, and predicts the target."""
    return lambda task: make_method(spec, 0).transfer(task.Xs, task.ys, task.Xt)


def nmf(task: Task) -> None:
    """NMF with multiplicative updates on both domains: the rank and the iterations are those of the methods."""
    model = NMF(N_TOPICS, init="random", solver="mu", max_iter=N_ITER, tol=0, random_state=0)
    model.fit(sp.vstack([task.Xs, task.Xt], format="csr"))


def naive_bayes(task: Task) -> None:
    """Naive Bayes trained on the source, applied to the target."""
    MultinomialNB().fit(task.Xs, task.ys).predict(task.Xt)


def logistic_regression(task: Task) -> None:
    """Logistic regression trained on the source, applied to the target; one value of C."""
    LogisticRegression(max_iter=1000).fit(task.Xs, task.ys).predict(task.Xt)


def cosine_graph(task: Task) -> None:
    """The nearest neighbors of all documents by scikit-learn."""
    X = sp.vstack([task.Xs, task.Xt], format="csr")
    kneighbors_graph(X, N_NEIGHBORS, metric="cosine", mode="distance")


def our_graph(task: Task) -> None:
    """The nearest neighbors of all documents."""
    neighbor_graph(sp.csr_array(sp.vstack([task.Xs, task.Xt], format="csr")), n_neighbors=N_NEIGHBORS)


RIVALS: dict[str, Run] = {
    "NMF": nmf,
    "MultinomialNB": naive_bayes,
    "LogisticRegression": logistic_regression,
    "kneighbors_graph": cosine_graph,
}
FACTORIZATION = f"(n_topics={N_TOPICS}, max_iter={N_ITER})"
RUNS: dict[str, Entry] = {
    "SourceNB": Entry(fit("SourceNB"), "MultinomialNB"),
    "EMNaiveBayes": Entry(fit("EMNaiveBayes"), "MultinomialNB"),
    "SourceLR": Entry(fit("SourceLR"), "LogisticRegression"),
    "TCL": Entry(fit(f"TCL{FACTORIZATION}"), "NMF"),
    "NMTF": Entry(fit(f"NMTF{FACTORIZATION}"), "NMF"),
    "DTL": Entry(fit(f"DTL(n_common_topics=5, n_domain_topics=5, max_iter={N_ITER})"), "NMF"),
    "HybridLabelPropagation": Entry(fit("HybridLabelPropagation"), None),
    "CDSC": Entry(fit("CDSC"), None),
    "neighbor graph": Entry(our_graph, "kneighbors_graph", QUADRATIC),
    "AutoTransfer": Entry(fit("AutoTransfer"), "LogisticRegression"),
}
