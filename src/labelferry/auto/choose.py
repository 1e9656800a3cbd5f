"""The medoid of a panel: of several methods, the one that agrees most with all the others.

Agreement is Cohen's kappa of the labels of the target, so that two methods that give all documents to one class do not
count as agreeing. Methods that go wrong go wrong each in its own way, so that the one in the middle is rarely one of
them. The members are chosen to differ: a linear model of the source, a mixture model, topics, topics with graphs, and a
cut. Labels of the target are not looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import cohen_kappa_score

from ..baselines import EMNaiveBayes, SourceLR
from ..linalg.matrix import Array, has_negative
from ..methods import GCMF, TCL, HybridLabelPropagation
from ..transfer.base import TransductiveClassifier

# Fast ones first. GCMF with weak smoothing, since strong smoothing is fatal where classes are not clusters.
PANEL: dict[str, Callable[[int], TransductiveClassifier]] = {
    "SourceLR": lambda seed: SourceLR(),
    "EMNaiveBayes": lambda seed: EMNaiveBayes(),
    "HybridLabelPropagation": lambda seed: HybridLabelPropagation(),
    "TCL": lambda seed: TCL(random_state=seed),
    "GCMF": lambda seed: GCMF(16, word_smoothness=1.0, doc_smoothness=1.0, random_state=seed),
}


class Member(NamedTuple):
    name: str
    estimator: TransductiveClassifier  # fitted
    seconds: float
    agreement: float  # mean kappa with the other members


class Choice(NamedTuple):
    members: tuple[Member, ...]
    chosen: int

    @property
    def best(self) -> Member:
        return self.members[self.chosen]


def choose(
    Xs: Sequence[Any], ys: Sequence[Array], Xt: Any, *, seed: int = 0, begin: Callable[[str], None] = lambda _: None
) -> Choice:
    """Fit the panel on the sources and the target, and take its medoid. Members that need values >= 0 stay out where
    there are others."""
    negative = any(has_negative(X) for X in (*Xs, Xt))
    panel = {name: make(seed) for name, make in PANEL.items()}
    members = fit_all({n: e for n, e in panel.items() if not (negative and e.non_negative)}, Xs, ys, Xt, begin)
    return Choice(members, int(np.argmax([member.agreement for member in members])))


def fit_all(
    panel: dict[str, TransductiveClassifier],
    Xs: Sequence[Any],
    ys: Sequence[Array],
    Xt: Any,
    begin: Callable[[str], None] = lambda _: None,
) -> tuple[Member, ...]:
    """The panel fitted, each with its mean agreement with the others. `begin` is called with the name of each."""
    seconds = {}
    for name, estimator in panel.items():
        begin(name)
        began = time.perf_counter()
        estimator.transfer(list(Xs), list(ys), Xt)
        seconds[name] = time.perf_counter() - began
    agreements = mean_kappas([estimator.transduction_ for estimator in panel.values()])
    return tuple(
        Member(name, estimator, seconds[name], agreement)
        for (name, estimator), agreement in zip(panel.items(), agreements, strict=True)
    )


def mean_kappas(labels: Sequence[Array]) -> list[float]:
    """Of every labelling, its mean kappa with the others; 1 where there are none."""
    n = len(labels)
    kappa = np.eye(n)
    for i in range(n):
        for j in range(i):
            same = bool((labels[i] == labels[j]).all())
            kappa[i, j] = kappa[j, i] = 1.0 if same else cohen_kappa_score(labels[i], labels[j])
    return [1.0] if n == 1 else ((kappa.sum(axis=1) - 1) / (n - 1)).tolist()
