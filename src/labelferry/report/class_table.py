"""One row per class: how many documents have its label, how reliable these labels are, and their typical words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.domains import Domains
from ..inputs.features import Features
from ..labelling.evidence import target_words

if TYPE_CHECKING:
    from ..labelling.labelling import Labelling


def class_rows(result: Labelling, features: Features, domains: Domains) -> list[dict[str, Any]]:
    """One dict per class.

    Parameters
    ----------
    result : Labelling
        The labels.
    features : Features
        The documents and the words.
    domains : Domains
        Sources and target.

    Returns
    -------
    rows : list of dict
        `class`, `source` and `target` (numbers of documents), `share` (of the labels), `low` and `high` (range of the
        methods for it), `confidence` (mean; None without documents), `to_review` (number) and `words` (typical of the
        new documents with this label). Documents without a label are not counted.
    """
    predicted = result.predicted
    codes = np.where(predicted, np.searchsorted(domains.classes, result.labels), -1)
    n_source = np.bincount(domains.labelled()[1][np.concatenate(features.learned)], minlength=domains.n_classes)
    proportions = result.assessment.proportions
    words = None
    if features.vectorizer is not None:
        words = target_words(features.Xt, codes, domains.n_classes, features.words, shown=features.shown)
    rows = []
    for c, name in enumerate(domains.classes.tolist()):
        inside = codes == c
        rows.append(
            {
                "class": str(name),
                "source": int(n_source[c]),
                "target": int(inside.sum()),
                "share": float(inside.sum() / max(1, predicted.sum())),
                "low": float(proportions.low[c]),
                "high": float(proportions.high[c]),
                "confidence": float(result.confidence[inside].mean()) if inside.any() else None,
                "to_review": int(result.needs_review[inside].sum()),
                "words": words[c] if words else [],
            }
        )
    return rows
