"""Which source helps, and which one hurts? Judged by the answer, without labels of the target.

A source is near where a classifier of its documents alone agrees with the answer. It hurts where the classifier of all
sources together agrees more with the answer once it is left out; then the panel is fitted again without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from ..transfer.domains import Domains
from ..transfer.linear import logistic
from .blend import kappa

HURTS = 0.05  # gain in kappa with the answer by leaving a source out


class Sources(NamedTuple):
    names: tuple[str, ...]
    kappa: Array  # of each source's own classifier with the answer; 0 where it has one class only
    gain: Array  # in the kappa of all, by leaving it out; 0 where a class would be lost
    used: Array


def rank(domains: Domains, answer: Array, said: Array) -> Sources:
    """`answer`: codes of the target rows, in row order. `said`: those by SourceLR, which speak for a single source."""
    sources = [d for d in domains if not d.is_target]
    alone, gain, used = np.zeros(len(sources)), np.zeros(len(sources)), np.ones(len(sources), dtype=bool)
    names = tuple(d.name for d in sources)
    if len(sources) == 1:
        return Sources(names, np.array([kappa(said, answer)]), gain, used)
    together = agreement(domains, answer)
    for i, source in enumerate(sources):
        if len(np.unique(source.codes[source.known])) > 1:
            alone[i] = agreement(only(domains, {source.key}), answer)
        rest = only(domains, {d.key for d in sources} - {source.key})
        if len(np.unique(labels_of(rest))) == domains.n_classes:
            gain[i] = agreement(rest, answer) - together
    return Sources(names, alone, gain, used)


def without(domains: Domains, found: Sources) -> tuple[Domains, Sources]:
    """The domains less the source that hurts most, if one does."""
    worst = int(found.gain.argmax())
    if found.gain[worst] <= HURTS:
        return domains, found
    kept = {d.key for d in domains if not d.is_target and d.name != found.names[worst]}
    return only(domains, kept), found._replace(used=np.arange(len(found.used)) != worst)


def only(domains: Domains, keys: set) -> Domains:
    """The targets, and the sources with these keys."""
    return replace(domains, domains=tuple(d for d in domains if d.is_target or d.key in keys))


def labels_of(domains: Domains) -> Array:
    return np.concatenate([d.codes[d.known] for d in domains])


def agreement(domains: Domains, answer: Array) -> float:
    """Kappa of the answer and a classifier of the labelled documents."""
    X, codes = domains.labelled()
    present, local = np.unique(codes, return_inverse=True)
    if len(present) < 2:
        return 0.0
    model = logistic(X, local)
    said = domains.in_row_order(present[model.proba(d.X).argmax(axis=1)] for d in domains.targets)
    return kappa(said, answer)
