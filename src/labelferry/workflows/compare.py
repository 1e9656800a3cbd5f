"""Several methods on the same documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..assessment.agreement import mean_kappas, most_confident
from ..assessment.cluster_evidence import SOURCE_ONLY
from ..core.registry import find, make
from ..ensemble.blend import blend
from ..ensemble.panel import fit_panel, make_panel
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
    panel = {find(name).__name__: make(name, seed) for name in methods} or make_panel(seed)
    inputs = read_inputs(source, target, options)
    true_labels = _truth(inputs.target.columns, truth, inputs.target.name)
    features = make_features(inputs, options)
    source_only = make(SOURCE_ONLY, seed)
    domains = features.domains(inputs, source_only)
    predictions = fit_panel({SOURCE_ONLY: source_only, **panel}, domains)
    proba, seconds = dict(predictions.proba), dict(predictions.seconds)
    if not methods:
        proba[AUTO], seconds[AUTO] = blend(predictions.proba).proba, sum(seconds.values())
    codes = {name: P.argmax(axis=1) for name, P in proba.items()}
    agreement = dict(zip(codes, mean_kappas(list(codes.values())), strict=True))
    confident = most_confident(predictions.proba[SOURCE_ONLY])
    rows = [
        {
            "method": name,
            "agreement": agreement[name],
            "confident": float((predicted == codes[SOURCE_ONLY])[confident].mean()),
            "seconds": seconds[name],
            **_scores(domains.classes[predicted].astype(str), true_labels),
        }
        for name, predicted in codes.items()
        if name in panel or name == AUTO
    ]
    return {
        "title": inputs.title,
        "n_target": features.Xt.shape[0],
        "rows": sorted(rows, key=lambda row: -row["agreement"]),
        "messages": [*inputs.messages, *features.messages],
    }


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
