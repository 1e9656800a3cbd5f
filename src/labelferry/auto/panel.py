"""The members of the panel, fast ones first. They are chosen to differ: linear and mixture models of the source,
mixtures that follow the target, topics, topics with graphs, a cut, and answers smoothed over neighbours."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..baselines import EMNaiveBayes, SmoothedLR, SourceLR, SourceNB
from ..linalg.matrix import Array, has_negative, stack_rows, take_rows
from ..linalg.normalize import unit_rows
from ..methods import GCMF, TCL, HybridLabelPropagation
from ..transfer.base import TransductiveClassifier
from ..transfer.domains import Domains
from ..transfer.linear import logistic

SECOND_VIEW = "second view"
Panel = Mapping[str, TransductiveClassifier]


def make_panel(seed: int) -> dict[str, TransductiveClassifier]:
    """The members by name. GCMF with weak smoothing, since strong smoothing is fatal where classes are no clusters."""
    return {
        "SourceLR": SourceLR(),
        "SourceNB": SourceNB(),
        "EMNaiveBayes": EMNaiveBayes(),
        "EMNaiveBayes(smoothing=1)": EMNaiveBayes(smoothing=1.0),
        "EMNaiveBayes(source_weight='annealed')": EMNaiveBayes(source_weight="annealed"),
        "SmoothedLR": SmoothedLR(),
        "HybridLabelPropagation": HybridLabelPropagation(),
        "TCL": TCL(random_state=seed),
        "GCMF": GCMF(16, word_smoothness=1.0, doc_smoothness=1.0, random_state=seed),
    }


class Answers(NamedTuple):
    proba: dict[str, Array]  # of every member: target rows x classes, in row order
    seconds: dict[str, float]


def ask(
    panel: Panel, domains: Domains, begin: Callable[[str], None] = lambda _: None, second_view: Any = None
) -> Answers:
    """Fit the members one after the other. Those that need values >= 0 stay out where there are others. `second_view`
    has other features of the same rows; a classifier of these is one member more."""
    negative = any(has_negative(X) for X in domains.X)
    proba, seconds = {}, {}
    for name, member in panel.items():
        if negative and member.non_negative:
            continue
        begin(name)
        began = time.perf_counter()
        proba[name] = np.asarray(fitting(member, domains)._take(domains).transduction_proba_, dtype=np.float64)
        seconds[name] = time.perf_counter() - began
    if second_view is not None:
        begin(SECOND_VIEW)
        began = time.perf_counter()
        proba[SECOND_VIEW] = read_second_view(second_view, domains)
        seconds[SECOND_VIEW] = time.perf_counter() - began
    return Answers(proba, seconds)


def fitting(member: TransductiveClassifier, domains: Domains) -> TransductiveClassifier:
    """The member, with no more topics than there are words."""
    many = (member.get_params().get("n_topics") or 0) > domains.n_words
    return member.set_params(n_topics=domains.n_words) if many else member


def read_second_view(Z: Any, domains: Domains) -> Array:
    """Probabilities of the target rows by logistic regression on other features; theirs are scaled to unit length."""
    views = [unit_rows(take_rows(Z, d.rows)) for d in domains]
    some = [(view, d) for view, d in zip(views, domains, strict=True) if d.known.any()]
    X = stack_rows([take_rows(view, d.known) for view, d in some])
    model = logistic(X, np.concatenate([d.codes[d.known] for _, d in some]))
    targets = (view for view, d in zip(views, domains, strict=True) if d.is_target)
    return np.asarray(domains.in_row_order(model.proba(view) for view in targets), dtype=np.float64)
