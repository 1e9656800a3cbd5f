"""The panel: methods of different kinds, so that they do not share all errors. Fast ones first.

Linear models of the source (`members.py`), naive Bayes, a graph cut (HybridLabelPropagation), three mixture models
that follow the target (EMNaiveBayes with different smoothing and class proportions), and with a second view two members
that use it (`view_members.py`). If a domain has more than MAX_FITTED documents, all members are fitted on a sample and
predict all documents; estimators that search neighbors are fitted on at most MAX_COMPARED documents of each domain.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..assessment.agreement import kappa
from ..assessment.assessment import PanelPredictions, WithView
from ..baselines.em_naive_bayes import EMNaiveBayes
from ..baselines.source_nb import SourceNB
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.ordering import can_sort, sort_domains
from ..core.sampling import MAX_COMPARED, MAX_FITTED, sample_domains
from ..core.threads import single_thread, without_line_search_warnings
from ..families.source_weights import reweigh, reweigh_domains, source_weights
from ..linalg.matrix import Array, has_negative
from ..linalg.threads import each, once
from ..methods.label_propagation import HybridLabelPropagation
from . import members as linear
from .members import common_words, fit_source, self_training
from .student import predict_all, rows_of
from .view_members import co_training, with_view

SOURCE_ONLY = "SourceLR"
MIXTURES = ("EMNaiveBayes", "EMNaiveBayes(smoothing=1)", "EMNaiveBayes(class_prior='source')")
CO_TRAINING = "LR(co-training)"  # of words and the second view
VIEW_TRAINING = "LR(self-training, vectors)"  # on the second view alone
VIEW_MEMBERS = (CO_TRAINING, VIEW_TRAINING)
LINEAR = ("LR(common words)", "LR(self-training)")  # members of `members.py`
SLOW_FIRST = (SOURCE_ONLY, CO_TRAINING, "HybridLabelPropagation", LINEAR[1])  # two of them wait for SourceLR


def make_estimators(seed: int) -> dict[str, TransductiveClassifier]:
    """The members that are estimators."""
    return {
        "SourceNB": SourceNB(),
        MIXTURES[0]: EMNaiveBayes(),
        MIXTURES[1]: EMNaiveBayes(smoothing=1.0),
        MIXTURES[2]: EMNaiveBayes(class_prior="source"),
        "HybridLabelPropagation": HybridLabelPropagation(),
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
    more = () if second_view is None else VIEW_MEMBERS
    return [SOURCE_ONLY, *LINEAR, *usable_estimators(domains, 0), *more]


class SortedPredictions(NamedTuple):
    """The arrays of PanelPredictions, with the names of their axes, so that `Ordering.restore` can reorder them."""

    proba: tuple[Annotated[Array, "rows x classes"], ...]
    held_out: Annotated[Array, "labelled x classes"]
    source_codes: Annotated[Array, "labelled < classes"]
    view_proba: Annotated[Array, "rows x classes"]  # those of SourceLR without a second view
    view_held_out: Annotated[Array, "labelled x classes"]


def fit_panel(domains: Domains, seed: int, second_view: Any = None) -> PanelPredictions:
    """Fit the members, several at a time; a second core is used by threads.

    Members that need features >= 0 are skipped if X has negative values. The caller announces the stages
    (`panel_stages`). `second_view` has other features of the same rows, which two more members use (`view_members.py`).
    Documents, words and classes are sorted by content once for all members, as in `core/ordering.py`.
    """
    if not can_sort(domains):
        return fit_members(domains, seed, second_view)
    by_content, ordering = sort_domains(domains)
    if second_view is not None:
        second_view = second_view[np.concatenate([d.rows[r] for d, r in zip(domains, ordering.documents, strict=True)])]
    fitted = fit_members(by_content, seed, second_view)
    view = fitted.with_view or WithView(0.0, fitted.source_only, fitted.held_out)
    members = tuple(fitted.proba.values())
    arrays = SortedPredictions(members, fitted.held_out, fitted.source_codes, view.proba, view.held_out)
    restored: SortedPredictions = ordering.restore(arrays, {})
    proba = dict(zip(fitted.proba, restored.proba, strict=True))
    if fitted.with_view is not None:  # documents with equal words differ in the view: each has its own row
        each_own = ordering._replace(copies=tuple(np.arange(len(copies)) for copies in ordering.copies))
        own: SortedPredictions = each_own.restore(arrays, {})
        proba |= {name: P for name, P in zip(proba, own.proba, strict=True) if name in VIEW_MEMBERS}
        view = view._replace(proba=own.view_proba, held_out=own.view_held_out)
    return fitted._replace(
        proba=proba,
        held_out=restored.held_out,
        source_codes=restored.source_codes,
        with_view=view if fitted.with_view is not None else None,
    )


def fit_members(domains: Domains, seed: int, second_view: Any = None) -> PanelPredictions:
    """`fit_panel` in the given order."""
    estimators = usable_estimators(domains, seed)
    fitted_on, X = sample_domains(domains, MAX_FITTED), domains.target_documents()
    progress.begin(SOURCE_ONLY)
    g = source_weights(fitted_on)
    weighted, weighted_X = reweigh_domains(fitted_on, g), reweigh(X, g)
    source = once(partial(fit_source, weighted, weighted_X))
    members: dict[str, Callable[[], Array | None]] = {
        SOURCE_ONLY: lambda: source().proba,
        LINEAR[0]: partial(common_words, weighted, weighted_X),
        LINEAR[1]: lambda: self_training(fitted_on, X, source().proba[rows_of(fitted_on, domains)]),
        **{name: partial(predict_estimator, estimator, fitted_on, domains) for name, estimator in estimators.items()},
    }
    by_view = None
    if second_view is not None:
        seen = with_view(domains, second_view)
        by_view = once(lambda: co_training(domains, seen, source()))
        members |= {CO_TRAINING: lambda: by_view().proba, VIEW_TRAINING: lambda: by_view().alone}

    def fit(name: str) -> tuple[Array | None, float]:
        start = time.perf_counter()
        P = members[name]()
        if name != SOURCE_ONLY:
            progress.begin(name)  # members overlap, so that the end of each is announced
        return P, time.perf_counter() - start

    order = [name for name in SLOW_FIRST if name in members]  # so that all threads end at the same time
    order += [name for name in members if name not in order]
    with single_thread("blas"), without_line_search_warnings():
        fitted = dict(zip(order, each(fit, order), strict=True))
    used = {name: fitted[name] for name in members if fitted[name][0] is not None}
    proba = {name: np.asarray(P, dtype=np.float64) for name, (P, _) in used.items()}
    seconds = {name: duration for name, (_, duration) in used.items()}
    view = None if by_view is None else by_view().start
    if view is not None and VIEW_TRAINING in proba:
        view = view._replace(agreement=kappa(*(proba[name].argmax(axis=1) for name in (LINEAR[1], VIEW_TRAINING))))
    return PanelPredictions(proba, seconds, source().held_out, source().codes, view)


def predict_estimator(estimator: TransductiveClassifier, fitted_on: Domains, domains: Domains) -> Array:
    """Probabilities of the target rows by a fit on some of the documents, with at most as many topics as words.

    An estimator that searches neighbors is fitted on fewer documents.
    """
    if (estimator.get_params().get("n_topics") or 0) > domains.n_words:
        estimator.set_params(n_topics=domains.n_words)
    sample = sample_domains(fitted_on, MAX_COMPARED) if "n_neighbors" in estimator.get_params() else fitted_on
    return predict_all(estimator, sample, domains)
