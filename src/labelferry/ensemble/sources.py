"""Which source helps, and which one does harm? Estimated from the answer, without labels of the target.

A source is near if a classifier of its documents alone agrees with the answer. It does harm if the classifier of all
sources together agrees more with the answer without it; then the panel is fitted again without it.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ..assessment.agreement import kappa
from ..core.domains import Domains
from ..families.linear import logistic
from ..linalg.matrix import Array

MIN_GAIN = 0.05  # gain in kappa with the answer, from which a source is dropped


class SourceScores(NamedTuple):
    """One entry per source."""

    names: tuple[str, ...]
    agreement: Annotated[Array, "sources or NaN"]  # kappa of its classifier with the answer; 0 if it has one class
    gain: Annotated[Array, "sources or NaN"]  # in kappa if the source is dropped; 0 if a class would be lost
    used: Annotated[Array, "sources"]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dict per source, the nearest first."""
        columns = (self.names, self.agreement.tolist(), self.gain.tolist(), self.used.tolist())
        rows = [
            {"source": name, "agreement": agreement, "gain": gain, "used": used}
            for name, agreement, gain, used in zip(*columns, strict=True)
        ]
        return sorted(rows, key=lambda row: -row["agreement"])


def score_sources(domains: Domains, answer: Array, source_only: Array) -> SourceScores:
    """Score each source by the answer (codes of the target rows). `source_only`: the codes by SourceLR."""
    sources = domains.sources
    alone, gain, used = np.zeros(len(sources)), np.zeros(len(sources)), np.ones(len(sources), dtype=bool)
    names = tuple(d.name for d in sources)
    if len(sources) == 1:
        return SourceScores(names, np.array([kappa(source_only, answer)]), gain, used)
    together = agreement_with(domains, answer)
    for i, source in enumerate(sources):
        if len(np.unique(source.codes[source.known])) > 1:
            alone[i] = agreement_with(domains.keep_sources([source.key]), answer)
        rest = domains.keep_sources(d.key for d in sources if d is not source)
        if len(np.unique(np.concatenate([d.codes[d.known] for d in rest]))) == domains.n_classes:
            gain[i] = agreement_with(rest, answer) - together
    return SourceScores(names, alone, gain, used)


def drop_harmful_source(domains: Domains, scores: SourceScores) -> tuple[Domains, SourceScores]:
    """The domains without the most harmful source, if there is one."""
    worst = int(scores.gain.argmax())
    if scores.gain[worst] <= MIN_GAIN:
        return domains, scores
    kept = (d.key for d in domains.sources if d.name != scores.names[worst])
    return domains.keep_sources(kept), scores._replace(used=np.arange(len(scores.used)) != worst)


def agreement_with(domains: Domains, answer: Array) -> float:
    """Kappa of the answer and a classifier of the labelled documents."""
    X, codes = domains.labelled()
    present, local = np.unique(codes, return_inverse=True)
    if len(present) < 2:
        return 0.0
    model = logistic(X, local)
    predicted = domains.in_row_order(present[model.proba(d.X).argmax(axis=1)] for d in domains.targets)
    return kappa(predicted, answer)
