"""Reading X: documents x words in any form, with an error message for each common mistake."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from ..linalg.entries import apply
from ..linalg.matrix import Array, check_positions, has_negative, is_blocked, to_csr, word_counts
from .domains import Domains
from .warn import warn_user

RANGE = (1e-12, 1e12)  # of the largest entry of X: squares and products stay far from the limits of single precision
NEGLIGIBLE = 1e-30  # entries below this fraction of the largest are set to 0: they would become denormal numbers
MAX_COLUMNS = 100_000_000  # of X; some arrays have a number per column


def read_documents(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X validated for the estimator: CSR without duplicate entries, or a dense array; float32 or float64; no NaN."""
    reject_raw_texts(X)
    n_columns = X.shape[1] if hasattr(X, "shape") and len(X.shape) == 2 else 0
    if n_columns > MAX_COLUMNS:
        raise ValueError(
            f"X has {n_columns:,} columns; at most {MAX_COLUMNS:,} are possible, because each one needs some numbers. "
            "Drop the columns without an entry: X[:, numpy.unique(X.indices)]."
        )
    if is_blocked(X):
        return _read_blocks(estimator, X, reset=reset)
    try:
        with np.errstate(invalid="ignore"):  # scikit-learn adds up infinite entries before it refuses them
            X = validate_data(estimator, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
    except ValueError as error:
        what, _, advice = str(error).partition("\n")
        if "contains NaN" not in what:
            raise
        # scikit-learn recommends estimators that accept NaN; they solve another problem.
        raise ValueError(f"{what} Replace it by a number, or drop these documents." if advice else what) from None
    X = rows_in_safe_range(X) if estimator.ignores_scale == "rows" else in_safe_range(X)
    if sp.issparse(X) and (not X.has_canonical_format or not X.data.all()):
        X = to_csr(X)
    if estimator.non_negative and has_negative(X):
        values = X.data if sp.issparse(X) else X
        raise _negative_entries(estimator, int((values < 0).sum()), values.min())
    return X


def _read_blocks(estimator: Any, X: Any, *, reset: bool) -> Any:
    """`read_documents` for a matrix of blocks, in one pass over it."""
    name, n_words = type(estimator).__name__, X.shape[1]
    check_takes_blocks(estimator, "X is a matrix of blocks", "Pass X.to_csr()")
    if reset:
        estimator.n_features_in_ = n_words
    elif estimator.n_features_in_ != n_words:
        raise ValueError(f"X has {n_words} features, but {name} is expecting {estimator.n_features_in_} features.")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    smallest, largest, tiny = range_of_blocks(X)
    if estimator.non_negative and smallest < 0:
        raise _negative_entries(estimator, None, smallest)
    if estimator.ignores_scale == "rows":
        if largest <= RANGE[1] and tiny >= NEGLIGIBLE * RANGE[1]:  # no entry is tiny; factors of rows copy no data
            return X.scale_rows(X.of_rows(_power_of_two_per_row))
        return X.apply_to_rows(rows_in_safe_range)
    _check_range(largest)
    return apply(X, partial(_drop_below, floor=NEGLIGIBLE * largest)) if tiny < NEGLIGIBLE * largest else X


def range_of_blocks(X: Any, name: str = "X") -> tuple[float, float, float]:
    """The smallest entry, the largest and the smallest absolute one of blocks; an error for NaN or infinity."""
    low, high, tiny = X.of_rows(_range_of_entries).T
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise ValueError(f"Input {name} contains NaN or infinity. Remove these entries before the blocks are made.")
    return float(low.min()), float(max(high.max(), -low.min(), 0)), float(tiny.min())


def check_takes_blocks(estimator: Any, reason: str, way_out: str) -> None:
    """Raise an error if the estimator, with its parameters, needs all documents in one matrix."""
    name = type(estimator).__name__
    if not estimator.takes_blocks:
        raise ValueError(
            f"{reason}, and {name} needs all documents in one matrix. {way_out}, or use TCL, CDSC, EMNaiveBayes, "
            "SourceLR or another method of the table in docs/scale.md."
        )
    graphs = [parameter for parameter in estimator.graph_weights if getattr(estimator, parameter) != 0]
    if graphs:
        raise ValueError(
            f"{reason}, and the graphs of {name} need all documents in one matrix. {way_out}, or set "
            f"{' and '.join(f'{parameter}=0' for parameter in graphs)}."
        )


def _range_of_entries(X: sp.csr_array) -> Array:
    """Smallest, largest and smallest absolute entry, as one row; an error if this is no canonical CSR array."""
    check_positions(X)
    if not sp.csr_array((X.data, X.indices, X.indptr), shape=X.shape).has_canonical_format:
        raise ValueError("a block has unsorted or duplicate entries. Make blocks with Blocks.of or write_blocks.")
    values = X.data if X.nnz else np.zeros(1, dtype=X.dtype)
    size = np.abs(values)
    return np.array([[values.min(), values.max(), size.min(initial=np.inf, where=size > 0)]], dtype=np.float64)


def _drop_below(values: Array, floor: float) -> Array:
    return np.where(np.abs(values) < floor, 0, values)


def _negative_entries(estimator: Any, count: int | None, smallest: float) -> ValueError:
    name = type(estimator).__name__
    return ValueError(
        f"Negative values in data passed to {name}: X has {'' if count is None else f'{count} '}entries below 0, the "
        f"smallest {smallest:.3g}. {name} is made for counts or tf-idf weights, which are >= 0. Pass those, or use an "
        "estimator for signed features (SourceLR, SourceSVM, SelfTraining, CDSC)."
    )


def in_safe_range(X: Any) -> Any:
    """X without entries that are too small to matter; an error if the largest entry is out of `RANGE`."""
    # For estimators whose answer depends on the scale. To rescale X for them would be to answer another question.
    values = X.data if sp.issparse(X) else X
    largest = float(max(values.max(initial=0), -values.min(initial=0)))
    _check_range(largest)
    tiny = (values < (floor := NEGLIGIBLE * largest)) & (values > -floor) & (values != 0)
    if not tiny.any():
        return X
    X = X.copy()
    (X.data if sp.issparse(X) else X)[tiny] = 0
    return X


def _check_range(largest: float) -> None:
    if largest > 0 and not RANGE[0] <= largest <= RANGE[1]:
        raise ValueError(
            f"the largest entry of X must be from {RANGE[0]:g} to {RANGE[1]:g}; it is {largest:g}. Divide X by it, or "
            "scale the rows with sklearn.preprocessing.normalize."
        )


def rows_in_safe_range(X: Any) -> Any:
    """X with each row multiplied by a power of two, so that its largest entry is from 1/2 to 1, without tiny entries.

    For estimators that use the direction of each row only. The factor changes no digit of any entry.
    """
    if not sp.issparse(X):
        exponent = np.frexp(np.abs(X).max(axis=1, initial=0, keepdims=True))[1]
        return _without_tiny(np.ldexp(X, -exponent))
    data = _without_tiny(np.ldexp(X.data, -np.repeat(_exponents(X), np.diff(X.indptr))))
    return sp.csr_array((data, X.indices, X.indptr), shape=X.shape)


def _exponents(X: sp.csr_array) -> Array:
    """The exponent of the largest entry of each row."""
    largest = np.zeros(X.shape[0], dtype=X.dtype)
    np.maximum.at(largest, np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), np.abs(X.data))
    return np.frexp(largest)[1]


def _power_of_two_per_row(X: sp.csr_array) -> Array:
    """The factor of `rows_in_safe_range`."""
    return np.ldexp(np.ones(X.shape[0], dtype=X.dtype), -_exponents(X))


def _without_tiny(values: np.ndarray) -> np.ndarray:
    values[np.abs(values) < NEGLIGIBLE] = 0
    return values


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
    in_source = np.logical_or.reduce(
        [word_counts(d.X if d.known.all() else d.X[d.known]) > 0 for d in domains if d.known.any()]
    )
    for target in domains.targets:
        in_target = word_counts(target.X) > 0
        if in_target.any() and not (in_source & in_target).any():
            warn_user(
                f"{target.name!r} shares no words with the labelled documents, so the predicted labels are "
                "meaningless. Are the documents in one language, and vectorized together?"
            )
