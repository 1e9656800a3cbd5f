"""The members of the panel, fast ones first. They are chosen to differ: linear and mixture models of the source,
mixtures that adapt to the target, topics, topics with graphs, a graph cut, and predictions smoothed over neighbors."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..assessment.assessment import PanelPredictions
from ..assessment.cluster_evidence import MIXTURES, SOURCE_ONLY
from ..baselines import EMNaiveBayes, SmoothedLR, SourceLR, SourceNB
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..families.linear import logistic
from ..linalg.matrix import Array, has_negative, stack_rows
from ..linalg.normalize import normalize_rows_l2
from ..methods import GCMF, TCL, HybridLabelPropagation

SECOND_VIEW = "second view"
REFERENCE_METHODS = (SOURCE_ONLY, *MIXTURES)  # fast, and what `cluster_evidence` needs

Panel = Mapping[str, TransductiveClassifier]


def make_panel(seed: int) -> dict[str, TransductiveClassifier]:
    """The members by name. GCMF has weak smoothing: strong smoothing does harm if the classes are not clusters."""
    return {
        SOURCE_ONLY: SourceLR(),
        "SourceNB": SourceNB(),
        MIXTURES[0]: EMNaiveBayes(),
        MIXTURES[1]: EMNaiveBayes(smoothing=1.0),
        "EMNaiveBayes(source_weight='annealed')": EMNaiveBayes(source_weight="annealed"),
        "SmoothedLR": SmoothedLR(),
        "HybridLabelPropagation": HybridLabelPropagation(),
        "TCL": TCL(random_state=seed),
        "GCMF": GCMF(16, word_smoothness=1.0, doc_smoothness=1.0, random_state=seed),
    }


def reference_panel(seed: int) -> dict[str, TransductiveClassifier]:
    """The few members that are needed to assess the answer of another method."""
    return {name: member for name, member in make_panel(seed).items() if name in REFERENCE_METHODS}


def fit_panel(panel: Panel, domains: Domains, second_view: Any = None) -> PanelPredictions:
    """Fit the members one after the other.

    Members that need features >= 0 are skipped if there are others. `second_view` has other features of the same rows;
    logistic regression on them is one more member.
    """
    negative = any(has_negative(X) for X in domains.X)
    members = {name: member for name, member in panel.items() if not (negative and member.non_negative)}
    progress.expect(len(members) + (second_view is not None))
    predictions = PanelPredictions({}, {})

    def predict(name: str, proba: Callable[[], Array]) -> None:
        progress.begin(name)
        start = time.perf_counter()
        predictions.proba[name] = np.asarray(proba(), dtype=np.float64)
        predictions.seconds[name] = time.perf_counter() - start

    for name, member in members.items():
        predict(name, partial(predict_member, member, domains))
    if second_view is not None:
        predict(SECOND_VIEW, partial(predict_second_view, second_view, domains))
    return predictions


def predict_member(member: TransductiveClassifier, domains: Domains) -> Array:
    """Probabilities of the target rows; with at most as many topics as there are words."""
    if (member.get_params().get("n_topics") or 0) > domains.n_words:
        member.set_params(n_topics=domains.n_words)
    return member.fit_domains(domains).transduction_proba_


def predict_second_view(Z: Any, domains: Domains) -> Array:
    """Probabilities of the target rows by logistic regression on other features, scaled to unit length."""
    views = [normalize_rows_l2(Z[d.rows]) for d in domains]
    labelled = [(view, d) for view, d in zip(views, domains, strict=True) if d.known.any()]
    X = stack_rows([view[d.known] for view, d in labelled])
    model = logistic(X, np.concatenate([d.codes[d.known] for _, d in labelled]))
    targets = (view for view, d in zip(views, domains, strict=True) if d.is_target)
    return domains.in_row_order(model.proba(view) for view in targets)
