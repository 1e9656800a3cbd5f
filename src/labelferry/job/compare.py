"""Several methods on the same files, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score

from ..auto import PANEL
from ..auto.choose import Member, fit_all
from ..linalg.matrix import Array
from .features import vectorize
from .inputs import read_inputs
from .label import make

SUREST = 0.2  # of the documents of a class, by the source's own classifier


def compare(
    source: Any,
    target: Any,
    *,
    methods: Sequence[str] = tuple(PANEL),
    truth: str | None = None,
    text: str | None = None,
    label: Any = None,
    domain: str | None = None,
    language: str | None = "english",
    ngrams: int = 1,
    skip_bad: bool = False,
    encoding: str | None = None,
    seed: int = 0,
    begin: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """A plain dict with one row a method: `agreement` (mean kappa with the others), `sure` (agreement with the fifth of
    the documents that the source's classifier is surest of), `seconds`, and `accuracy` where `truth` names a column of
    the target with the true labels. The other parameters are those of `label`."""
    panel = {name: PANEL[name](seed) if name in PANEL else make(name, seed) for name in methods}
    inputs = read_inputs(source, target, text=text, label=label, domain=domain, skip_bad=skip_bad, encoding=encoding)
    right = _truth(inputs.target.columns, truth, inputs.target.name)
    found = vectorize(inputs, cleaning={}, settings={"language": language, "ngrams": ngrams})
    ys = [source.labels for source in inputs.sources]
    judged = {"SourceLR": make("SourceLR", seed), **panel}
    members = fit_all(judged, found.Xs, ys, found.Xt, begin)
    sure = surest(members[0])
    rows = [_row(member, members[0], sure, right) for member in members if member.name in panel]
    return {
        "title": f"{', '.join(source.name for source in inputs.sources)} to {inputs.target.name}",
        "n_target": found.Xt.shape[0],
        "rows": sorted(rows, key=lambda row: -row["agreement"]),
        "said": [*inputs.said, *found.said],
    }


def surest(reference: Member) -> Array:
    """Of every class, the fifth of its documents that the reference is surest of."""
    proba = reference.estimator.transduction_proba_
    codes = proba.argmax(axis=1)
    sure = np.zeros(len(proba), dtype=bool)
    for c in np.unique(codes):
        rows = np.flatnonzero(codes == c)
        order = np.argsort(-proba[rows, c], kind="stable")
        sure[rows[order[: max(1, int(SUREST * len(rows)))]]] = True
    return sure


def _row(member: Member, reference: Member, sure: Array, right: Array | None) -> dict[str, Any]:
    labels = member.estimator.transduction_
    row: dict[str, Any] = {
        "method": member.name,
        "agreement": member.agreement,
        "sure": float((labels == reference.estimator.transduction_)[sure].mean()),
        "seconds": member.seconds,
        "accuracy": None,
        "balanced": None,
    }
    if right is not None:
        named = labels.astype(str)
        row |= {"accuracy": float((named == right).mean()), "balanced": float(balanced_accuracy_score(right, named))}
    return row


def _truth(columns: dict[str, list[Any]], truth: str | None, name: str) -> Array | None:
    if truth is None:
        return None
    if truth not in columns:
        raise ValueError(f"{name} has no column {truth!r} with the true labels; it has {', '.join(columns)}.")
    return np.array([str(value) for value in columns[truth]])
