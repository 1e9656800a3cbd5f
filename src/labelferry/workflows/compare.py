"""Several methods on the same documents."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..assessment.agreement import mean_kappas, most_confident
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.registry import find, make
from ..ensemble.panel import SOURCE_ONLY, fit_panel
from ..ensemble.pool import combine, load_coefficients
from ..linalg.matrix import Array
from .features import make_features
from .inputs import read_inputs
from .options import TextOptions, accept_options

AUTO = "auto"


@accept_options
def compare(
    source: Any,
    target: Any,
    *,
    methods: Sequence[str] = (),
    truth: str | None = None,
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
    language, ngrams, stem, html, headers, signatures, max_memory : optional
        How texts become words: as in `label`.
    """
    estimators = {find(name).__name__: make(name, seed) for name in methods}
    inputs = read_inputs(source, target, options)
    true_labels = _truth(inputs.target.columns, truth, inputs.target.name)
    features = make_features(inputs, options)
    domains = features.domains(inputs, make(SOURCE_ONLY, seed))
    if methods:
        proba, seconds = fit_estimators({SOURCE_ONLY: make(SOURCE_ONLY, seed), **estimators}, domains)
    else:
        predictions = fit_panel(domains, seed)
        proba, seconds = dict(predictions.proba), dict(predictions.seconds)
        proba[AUTO], seconds[AUTO] = combine(predictions, load_coefficients()).proba, sum(seconds.values())
    codes = {name: P.argmax(axis=1) for name, P in proba.items()}
    agreement = dict(zip(codes, mean_kappas(list(codes.values())), strict=True))
    confident = most_confident(proba[SOURCE_ONLY])
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
        "messages": [*inputs.messages, *features.messages],
    }


def fit_estimators(
    estimators: dict[str, TransductiveClassifier], domains: Domains
) -> tuple[dict[str, Array], dict[str, float]]:
    """Probabilities and seconds of each estimator."""
    proba, seconds = {}, {}
    progress.expect(len(estimators))
    for name, estimator in estimators.items():
        progress.begin(name)
        start = time.perf_counter()
        proba[name] = np.asarray(estimator.fit_domains(domains).transduction_proba_, dtype=np.float64)
        seconds[name] = time.perf_counter() - start
    return proba, seconds


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
