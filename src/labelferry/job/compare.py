"""Several methods on the same files, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..auto.blend import SOURCE, blend, mean_kappas, surest
from ..auto.panel import ask, make_panel
from ..linalg.matrix import Array
from ..transfer.registry import find
from .features import vectorize
from .inputs import read_inputs
from .panel import make, stack

AUTO = "auto"


def compare(
    source: Any,
    target: Any,
    *,
    methods: Sequence[str] = (),
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
    """A plain dict with one row a method: `agreement` (mean kappa with the others), `sure` (share of the fifth of the
    documents that the source's classifier is surest of, which the method labels alike), `seconds`, and `accuracy` and
    `balanced` where `truth` names a column of the target with the true labels; rows without one are left out of these.

    Without `methods` these are the panel of `label`, and its blend as a row of its own, `auto`. SourceLR, the source's
    classifier, is fitted and counts among the others also where it is not asked for. The other parameters are those of
    `label`."""
    panel = {find(name).__name__: make(name, seed) for name in methods} or make_panel(seed)
    inputs = read_inputs(source, target, text=text, label=label, domain=domain, skip_bad=skip_bad, encoding=encoding)
    right = _truth(inputs.target.columns, truth, inputs.target.name)
    found = vectorize(inputs, cleaning={}, settings={"language": language, "ngrams": ngrams})
    domains = stack(inputs, found).domains()
    answers = ask({SOURCE: make(SOURCE, seed), **panel}, domains, begin)
    proba, seconds = dict(answers.proba), dict(answers.seconds)
    if not methods:
        proba[AUTO], seconds[AUTO] = blend(answers.proba).proba, sum(seconds.values())
    codes = {name: P.argmax(axis=1) for name, P in proba.items()}
    agreement = dict(zip(codes, mean_kappas(list(codes.values())), strict=True))
    sure = surest(answers.proba[SOURCE])
    rows = [
        {
            "method": name,
            "agreement": agreement[name],
            "sure": float((said == codes[SOURCE])[sure].mean()),
            "seconds": seconds[name],
            **_scores(domains.classes[said].astype(str), right),
        }
        for name, said in codes.items()
        if name in panel or name == AUTO
    ]
    return {
        "title": f"{', '.join(source.name for source in inputs.sources)} to {inputs.target.name}",
        "n_target": found.Xt.shape[0],
        "rows": sorted(rows, key=lambda row: -row["agreement"]),
        "said": [*inputs.said, *found.said],
    }


def _scores(labels: Array, right: Array | None) -> dict[str, float | None]:
    """Accuracy, and the mean over the classes of the share of their documents that are right."""
    if right is None:
        return {"accuracy": None, "balanced": None}
    known = right != ""
    by_class = [(labels[right == c] == c).mean() for c in np.unique(right[known])]
    return {"accuracy": float((labels == right)[known].mean()), "balanced": float(np.mean(by_class))}


def _truth(columns: dict[str, list[Any]], truth: str | None, name: str) -> Array | None:
    if truth is None:
        return None
    if truth not in columns:
        raise ValueError(
            f"{name} has no column {truth!r} with the true labels; it has {', '.join(columns)}. Name one with truth= "
            "(--truth)."
        )
    right = np.array(["" if value is None else str(value).strip() for value in columns[truth]])
    if not (right != "").any():
        raise ValueError(f"{name} has no label at all in column {truth!r}. Name another with truth= (--truth).")
    return right
