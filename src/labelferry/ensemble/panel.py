"""The panel: methods of different kinds, so that they do not share all errors. Fast ones first.

Linear models of the source (`members.py`), naive Bayes, a graph cut (HybridLabelPropagation), topics with graphs
(GCMF), and three mixture models that follow the target (EMNaiveBayes with different smoothing and class proportions).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..assessment.assessment import PanelPredictions
from ..baselines import EMNaiveBayes, SourceNB
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..linalg.matrix import Array, has_negative
from ..methods import GCMF, HybridLabelPropagation
from . import members as linear
from .members import common_words, fit_source, log_count_ratios, self_training
from .view_members import self_training_view, smooth_view, with_view

SOURCE_ONLY = "SourceLR"
MIXTURES = ("EMNaiveBayes", "EMNaiveBayes(smoothing=1)", "EMNaiveBayes(class_prior='source')")
SECOND_VIEW = ("LR(second view, smoothed)", "LR(second view, self-training)")
LINEAR = ("LR(common words)", "LR(log-count ratios)", "LR(self-training)")  # members of `members.py`


def make_estimators(seed: int) -> dict[str, TransductiveClassifier]:
    """The members that are estimators. GCMF has weak smoothing: strong smoothing does harm without clusters."""
    return {
        "SourceNB": SourceNB(),
        MIXTURES[0]: EMNaiveBayes(),
        MIXTURES[1]: EMNaiveBayes(smoothing=1.0),
        MIXTURES[2]: EMNaiveBayes(class_prior="source"),
        "HybridLabelPropagation": HybridLabelPropagation(),
        "GCMF": GCMF(16, word_smoothness=1.0, doc_smoothness=1.0, random_state=seed),
    }


def panel_settings(seed: int) -> dict[str, Any]:
    """Everything that can be set in the panel: the parameters of all members, and the constants of `members.py`."""
    constants = {name: value for name, value in sorted(vars(linear).items()) if name.isupper()}
    return {**{name: e.get_params() for name, e in make_estimators(seed).items()}, "linear": constants}


def usable_estimators(domains: Domains, seed: int) -> dict[str, TransductiveClassifier]:
    """Those of `make_estimators`, without those that need features >= 0 if X has negative values."""
    negative = any(has_negative(X) for X in domains.X)
    return {name: e for name, e in make_estimators(seed).items() if not (negative and e.non_negative)}


def panel_stages(domains: Domains, second_view: Any = None) -> list[str]:
    """The names of the stages that `fit_panel` begins, for `progress.expect`."""
    more = () if second_view is None else SECOND_VIEW
    return [SOURCE_ONLY, *LINEAR, *usable_estimators(domains, 0), *more]


def fit_panel(domains: Domains, seed: int, second_view: Any = None) -> PanelPredictions:
    """Fit the members one after the other.

    Members that need features >= 0 are skipped if X has negative values. The caller announces the stages
    (`panel_stages`). `second_view` has other features of the same rows, which two more members use (`view_members.py`).
    """
    estimators = usable_estimators(domains, seed)
    progress.begin(SOURCE_ONLY)
    start = time.perf_counter()
    source = fit_source(domains)
    proba, seconds = {SOURCE_ONLY: source.proba}, {SOURCE_ONLY: time.perf_counter() - start}
    members: dict[str, Callable[[], Array | None]] = {
        LINEAR[0]: partial(common_words, domains),
        LINEAR[1]: partial(log_count_ratios, domains),
        LINEAR[2]: partial(self_training, domains, source.proba),
        **{name: partial(predict_estimator, estimator, domains) for name, estimator in estimators.items()},
    }
    if second_view is not None:
        seen = with_view(domains, second_view)
        members |= zip(SECOND_VIEW, (partial(smooth_view, seen), partial(self_training_view, seen)), strict=True)
    for name, predict in members.items():
        progress.begin(name)
        start = time.perf_counter()
        P = predict()
        if P is not None:
            proba[name], seconds[name] = np.asarray(P, dtype=np.float64), time.perf_counter() - start
    return PanelPredictions(proba, seconds, source.held_out, source.codes)


def predict_estimator(estimator: TransductiveClassifier, domains: Domains) -> Array:
    """Probabilities of the target rows; with at most as many topics as there are words."""
    if (estimator.get_params().get("n_topics") or 0) > domains.n_words:
        estimator.set_params(n_topics=domains.n_words)
    return estimator.fit_domains(domains).transduction_proba_
