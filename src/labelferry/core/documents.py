"""Reading X: documents x words in any form, with an error message for each common mistake."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from ..linalg.matrix import empty_rows, has_negative, to_csr
from .domains import Domains
from .warn import warn_user

RANGE = (1e-12, 1e12)  # of the largest entry of X: squares and products stay far from the limits of single precision
NEGLIGIBLE = 1e-30  # entries below this fraction of the largest are set to 0: they would become denormal numbers


def read_documents(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X validated for the estimator: CSR without duplicate entries, or a dense array; float32 or float64; no NaN."""
    reject_raw_texts(X)
    X = validate_data(estimator, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
    X = in_safe_range(X)
    if sp.issparse(X) and (not X.has_canonical_format or not X.data.all()):
        X = to_csr(X)
    if estimator.non_negative and has_negative(X):
        name, values = type(estimator).__name__, X.data if sp.issparse(X) else X
        raise ValueError(
            f"Negative values in data passed to {name}: X has {int((values < 0).sum())} entries below 0, the smallest "
            f"{values.min():.3g}. {name} is made for counts or tf-idf weights, which are >= 0. Pass those, or use an "
            "estimator for signed features (SourceLR, SourceSVM, SelfTraining, CDSC)."
        )
    return X


def in_safe_range(X: Any) -> Any:
    """X without entries that are too small to matter; an error if the largest entry is out of `RANGE`."""
    values = np.abs(X.data if sp.issparse(X) else X)
    largest = float(values.max(initial=0))
    if largest > 0 and not RANGE[0] <= largest <= RANGE[1]:
        raise ValueError(
            f"the largest entry of X must be from {RANGE[0]:g} to {RANGE[1]:g}; it is {largest:g}. Divide X by it, or "
            "scale the rows with sklearn.preprocessing.normalize."
        )
    tiny = (values > 0) & (values < NEGLIGIBLE * largest)
    if not tiny.any():
        return X
    X = X.copy()
    (X.data if sp.issparse(X) else X)[tiny] = 0
    return X


def read_sources(estimator: Any, Xs: Any, ys: Any, Xt: Any) -> tuple[list[Any], list[Any]]:
    """The blocks of documents (sources, then the target) and the labels of each source, checked block by block."""
    for X in (Xs, Xt):
        reject_raw_texts(X)
    several = isinstance(Xs, list | tuple) and len(Xs) > 0 and np.ndim(Xs[0]) == 2
    sources, labels = (list(Xs), list(ys)) if several else ([Xs], [ys])
    if len(sources) != len(labels):
        raise ValueError(f"ys must have one list of labels per source: {len(sources)}; got {len(labels)}.")
    blocks = [X if hasattr(X, "shape") else np.asarray(X) for X in [*sources, Xt]]
    for name, X in zip([*(f"source {i}" for i in range(1, len(sources) + 1)), "Xt"], blocks, strict=True):
        if len(X.shape) != 2 or X.shape[0] == 0:
            raise ValueError(
                f"{name} must be documents x words with at least one document; got shape {X.shape}. "
                "The order is transfer(Xs, ys, Xt)."
            )
    columns = [X.shape[1] for X in blocks]
    names = {tuple(getattr(X, "columns", ())) for X in blocks}
    if len(set(columns)) > 1 or len(names) > 1:
        raise ValueError(
            f"sources and target must have the same columns; got {' and '.join(map(str, columns))}. "
            "Fit one vectorizer on the texts of all domains and transform each with it."
        )
    for i, (X, y) in enumerate(zip(blocks, labels, strict=False), start=1):
        if np.ndim(y) == 0 or len(y) != X.shape[0]:
            n = "None" if np.ndim(y) == 0 else len(y)
            raise ValueError(f"ys must have one label per document: source {i} has {X.shape[0]}; got {n}.")
    return [read_documents(estimator, X, reset=i == 0) for i, X in enumerate(blocks)], labels


def reject_raw_texts(X: Any) -> None:
    """Raise an error for texts instead of a matrix, the most common mistake."""
    if isinstance(X, list | tuple):
        first = X[0] if X else None
    elif hasattr(X, "iloc"):
        first = X.iloc[0] if X.ndim == 1 and len(X) else None
    else:
        first = X.flat[0] if isinstance(X, np.ndarray) and X.ndim == 1 and X.size else X
    if isinstance(first, str):
        raise ValueError(
            "X contains raw texts; a document-term matrix is expected. Make one first: "
            "(Xs, Xt), vectorizer = labelferry.tfidf(old_texts, new_texts); vectorizer.transform(texts) for new ones."
        )


def warn_if_no_shared_words(domains: Domains) -> None:
    """Warn about targets that share no word with the labelled documents."""
    in_source = np.logical_or.reduce([~empty_rows(d.X[d.known].T) for d in domains if d.known.any()])
    for target in domains.targets:
        in_target = ~empty_rows(target.X.T)
        if in_target.any() and not (in_source & in_target).any():
            warn_user(
                f"{target.name!r} shares no words with the labelled documents, so the predicted labels are "
                "meaningless. Are the documents in one language, and vectorized together?"
            )
