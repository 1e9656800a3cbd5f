"""Topics as a table: the class of each topic, its common words, and its words in each domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..linalg.matrix import Array
from ..linalg.multiplicative import normalize_columns_l1, normalize_rows_l1

TopicRow: TypeAlias = dict[str, Any]  # keys: topic, class, lean, common, domains


def topics_table(
    common: Array,
    of_domain: Sequence[Array],
    H: Array,
    *,
    classes: Array,
    domain_names: Sequence[str],
    feature_names: ArrayLike,
    n_words: int,
    shown: Array | None = None,
) -> list[TopicRow]:
    """One dict per topic, those with the clearest class first; `pandas.DataFrame(rows)` makes a data frame of it."""
    # `H`: weights of the topics in each class. The class of a topic is the one in which its proportion is largest.
    # Returns `topic`, `class`, `lean` (proportion of the topic in that class, over all classes), `common` and
    # `domains`.
    names = np.asarray(feature_names, dtype=object)
    if names.shape != (len(common),):
        raise ValueError(
            f"feature_names must name the {len(common)} columns of X; got {names.shape}. "
            "Pass vectorizer.get_feature_names_out()."
        )
    lean = normalize_rows_l1(normalize_columns_l1(H))
    if shown is not None:
        common, *of_domain = (np.where(shown[:, None], F, 0) for F in (common, *of_domain))
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
    """The words with the largest weights, ties in the order of the columns; words without weight are never listed."""
    order = np.argsort(-weights, kind="stable")[:n_words]
    return [str(names[word]) for word in order if weights[word] > 0]
