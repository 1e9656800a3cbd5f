"""A map of the documents: two axes that are computed from the words alone, without any label."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.extmath import randomized_svd

from ..core.domains import Domains
from ..inputs.inputs import TARGET, Inputs
from ..labelling.labelling import Labelling
from ..linalg.eigen import fix_signs
from ..linalg.matrix import Array, in_memory, stack_rows
from ..linalg.normalize import normalize_rows_l2
from ..tables.sequences import chained

N_COMPONENTS = 20  # main directions of the words, of which the map shows two combinations
N_POINTS = 2000  # documents shown as points
MAX_PLACED = 20_000  # documents that determine the axes; of more, those that are shown
MAX_CHARACTERS = 300  # of a text


def place_documents(X: Any) -> Array:
    """Place documents with similar words close to each other.

    The documents are reduced to their main directions (truncated SVD, which keeps sparse matrices sparse) and scaled to
    unit length, so that long and short documents of one subject meet. The two main directions of these points are the
    axes of the map.
    """
    k = min(N_COMPONENTS, *X.shape)
    left, lengths, _ = randomized_svd(X, k, random_state=0)
    reduced = normalize_rows_l2(left * lengths)
    reduced -= reduced.mean(axis=0)
    _, _, directions = np.linalg.svd(reduced, full_matrices=False)
    points = fix_signs(reduced @ directions[:2].T)
    return np.pad(points, ((0, 0), (0, 2 - points.shape[1])))


def projection(result: Labelling, inputs: Inputs, domains: Domains) -> dict[str, Any]:
    """Points of a sample of the documents, half of the sources and half of the target if there are enough."""
    Xs, source_codes = domains.labelled()
    target_codes = np.searchsorted(domains.classes, result.labels)
    codes = np.concatenate([source_codes, target_codes])
    is_target = np.arange(len(codes)) >= Xs.shape[0]
    learned = result.features.learned
    sides = np.flatnonzero(np.concatenate(learned)), np.flatnonzero(result.predicted) + Xs.shape[0]
    rng = np.random.default_rng(0)
    n = N_POINTS // 2
    rows = np.concatenate([s if len(s) <= n else np.sort(rng.choice(s, n, replace=False)) for s in sides])
    placed = np.arange(len(codes)) if len(codes) <= MAX_PLACED else rows
    of_sources, of_target = placed[~is_target[placed]], placed[is_target[placed]] - Xs.shape[0]
    coordinates = np.zeros((len(codes), 2))
    coordinates[placed] = place_documents(
        stack_rows([in_memory(Xs[of_sources]), in_memory(domains.target_documents()[of_target])])
    )
    texts = chained([source.texts for source in inputs.sources])
    names = [f"{source.name} (labelled)" if source.name == TARGET else source.name for source in inputs.sources]
    domain_of = [name for name, source in zip(names, inputs.sources, strict=True) for _ in source.texts]
    records = inputs.documents.numbers

    def point(i: int) -> dict[str, Any]:
        x, y = coordinates[i].tolist()
        own: dict[str, Any]
        shared = {"x": x, "y": y, "label": str(domains.classes[codes[i]])}
        if not is_target[i]:
            own = {"domain": domain_of[i], "confidence": None, "row": None, "none_of_these": False}
            return {**shared, **own, "text": texts[i][:MAX_CHARACTERS]}
        t = i - len(texts)
        own = {"domain": TARGET, "confidence": float(result.confidence[t]), "row": int(records[t])}
        return {**shared, **own, "none_of_these": bool(result.groups[t] >= 0), "text": inputs.texts[t][:MAX_CHARACTERS]}

    totals = {name: int(used.sum()) for name, used in zip(names, learned, strict=True)}
    return {"points": [point(int(i)) for i in rows], "documents": {**totals, TARGET: len(sides[1])}}
