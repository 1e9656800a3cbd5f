"""Several methods on the same documents."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..assessment.agreement import mean_kappas, most_confident
from ..assessment.proportions import Prior, list_shares
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.registry import find, make
from ..ensemble import AutoTransfer
from ..ensemble.panel import SOURCE_ONLY
from ..linalg.matrix import Array
from .features import make_features
from .inputs import read_inputs
from .options import TextOptions, accept_options
from .prior import check_has_prior, read_class_prior

AUTO = "auto"


@accept_options
def compare(
    source: Any,
    target: Any,
    *,
    methods: Sequence[str] = (),
    truth: str | None = None,
    class_prior: Any = None,
    seed: int = 0,
    options: TextOptions,
) -> dict[str, Any]:
    """Compare methods on the same documents.

    Parameters
    ----------
    source, target : path, data frame or list of texts
        As in `label`.
    methods : list of str, default=()
        Names of estimators. By default the panel of `label`, and their combined answer in the row `auto`. SourceLR is
        always fitted and counts among the others for the agreement.
    truth : str, default=None
        Column of the target with the true labels; rows without a label are ignored.
    class_prior : dict, array or {"source", "uniform", "estimate"}, default=None
        Class proportions of the target as in `label`. All rows are matched to them.
    seed : int, default=0
        Random seed.

    Returns
    -------
    comparison : dict
        Plain values. `rows` has one dict per method: `agreement` (mean kappa with the others), `confident` (agreement
        with SourceLR on the 20 % of the documents it is most confident about), `seconds`, and with `truth` also
        `accuracy` and `balanced` accuracy.

    Other Parameters
    ----------------
    text, label, domain, skip_bad, encoding, features : optional
        How documents are read: as in `label`.
    language, ngrams, analyzer, sublinear, min_documents, stem, html, headers, signatures, max_memory : optional
        How texts become words: as in `label`.
    """
    estimators = {find(name).__name__: make(name, seed) for name in methods}
    check_has_prior(estimators.values(), class_prior)
    inputs = read_inputs(source, target, options)
    true_labels = _truth(inputs.target.columns, truth, inputs.target.name)
    features = make_features(inputs, options)
    fitted = {SOURCE_ONLY: make(SOURCE_ONLY, seed), **estimators}
    domains = features.domains(inputs, fitted[SOURCE_ONLY])
    prior = read_class_prior(class_prior, domains.classes)
    if prior is not None:
        fitted = {name: estimator.set_params(class_prior=prior) for name, estimator in fitted.items()}
    codes, seconds = fit_estimators(fitted, domains)
    if not methods:
        codes, seconds = fit_auto(AutoTransfer(class_prior=prior, random_state=seed), domains)
    agreement = dict(zip(codes, mean_kappas(list(codes.values())), strict=True))
    confident = most_confident(fitted[SOURCE_ONLY].transduction_proba_)
    rows = [
        {
            "method": name,
            "agreement": agreement[name],
            "confident": float((predicted == codes[SOURCE_ONLY])[confident].mean()),
            "seconds": seconds[name],
            **_scores(domains.classes[predicted].astype(str), true_labels),
        }
        for name, predicted in codes.items()
        if not methods or name in estimators
    ]
    return {
        "title": inputs.title,
        "n_target": features.Xt.shape[0],
        "rows": sorted(rows, key=lambda row: -row["agreement"]),
        "messages": [*inputs.messages, *features.messages, *_prior_message(prior, domains)],
    }


def fit_auto(auto: AutoTransfer, domains: Domains) -> tuple[dict[str, Array], dict[str, float]]:
    """Codes and seconds of the members of the panel and of the answer, as `label` fits them."""
    auto.fit_domains(domains)
    members = auto.state_.assessment.members
    prior = int(auto.class_prior_.argmax())  # the label of documents without words
    codes = {}
    for name, predicted in zip(members.names, members.codes, strict=True):
        codes[name] = np.full(len(auto.transduction_), prior)
        codes[name][auto.in_fit_] = predicted
    seconds = dict(zip(members.names, members.seconds.tolist(), strict=True))
    codes[AUTO], seconds[AUTO] = auto.transduction_proba_.argmax(axis=1), sum(seconds.values())
    return codes, seconds


def fit_estimators(
    estimators: dict[str, TransductiveClassifier], domains: Domains
) -> tuple[dict[str, Array], dict[str, float]]:
    """Codes and seconds of each estimator."""
    codes, seconds = {}, {}
    progress.expect(len(estimators))
    for name, estimator in estimators.items():
        progress.begin(name)
        start = time.perf_counter()
        codes[name] = estimator.fit_domains(domains).transduction_proba_.argmax(axis=1)
        seconds[name] = time.perf_counter() - start
    return codes, seconds


def _prior_message(class_prior: Any, domains: Domains) -> list[str]:
    prior = Prior.read(class_prior, domains)
    if prior is None:
        return []
    classes = [str(c) for c in domains.classes]
    return [f"all labels are matched to class proportions ({prior.origin}): {list_shares(prior.values, classes)}"]


def _scores(labels: Array, truth: Array | None) -> dict[str, float | None]:
    """Accuracy, and the mean of the recalls of the classes."""
    if truth is None:
        return {"accuracy": None, "balanced": None}
    known = truth != ""
    by_class = [(labels[truth == c] == c).mean() for c in np.unique(truth[known])]
    return {"accuracy": float((labels == truth)[known].mean()), "balanced": float(np.mean(by_class))}


def _truth(columns: Mapping[str, list[Any]], truth: str | None, name: str) -> Array | None:
    if truth is None:
        return None
    if truth not in columns:
        raise ValueError(
            f"{name} has no column {truth!r} with the true labels; it has {', '.join(columns)}. Name one with truth= "
            "(--truth)."
        )
    labels = np.array(["" if value is None else str(value).strip() for value in columns[truth]])
    if not (labels != "").any():
        raise ValueError(f"{name} has no labels in column {truth!r}. Name another with truth= (--truth).")
    return labels
