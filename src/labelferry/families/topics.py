"""Topics as a table people can read: the class each leans to, its common words, and the words of each domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..linalg.matrix import Array
from ..linalg.multiplicative import normalize_columns_l1, normalize_rows_l1


def topics_table(
    common: Array,
    of_domain: Sequence[Array],
    H: Array,
    *,
    classes: Array,
    domain_names: Sequence[str],
    feature_names: Sequence[str] | Array,
    n_words: int,
) -> list[dict[str, Any]]:
    """One dict a topic, the most one-sided first; `pandas.DataFrame(rows)` makes a frame of it.

    `common` and `of_domain` are words x topics. A topic leans to the class in which its share of all topics is largest.
    """
    names = np.asarray(feature_names, dtype=object)
    if names.shape != (len(common),):
        raise ValueError(
            f"feature_names must name the {len(common)} columns of X; got {names.shape}. "
            "Pass vectorizer.get_feature_names_out()."
        )
    lean = normalize_rows_l1(normalize_columns_l1(H))
    return [
        {
            "topic": int(topic),
            "class": classes[[lean[topic].argmax()]].tolist()[0],
            "lean": float(lean[topic].max()),
            "common": _top(common[:, topic], names, n_words),
            "domains": {
                name: _top(F[:, topic], names, n_words) for name, F in zip(domain_names, of_domain, strict=True)
            },
        }
        for topic in np.argsort(-lean.max(axis=1), kind="stable")
    ]


def _top(weights: Array, names: Array, n_words: int) -> list[str]:
    """The heaviest words, ties by column; words without weight are never listed."""
    order = np.argsort(-weights, kind="stable")[:n_words]
    return [str(names[word]) for word in order if weights[word] > 0]
