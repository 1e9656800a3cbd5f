"""From texts to matrices: one vocabulary for all domains, within the memory that the user allows."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from ..linalg.matrix import Array
from ..text import clean, tfidf_vectorizer
from .inputs import Inputs

# What a fit needs beside the matrix: a copy in other order, and the factors of some 64 topics in double precision.
COPIES = 3
COLUMNS = 64
FEWEST = 1000  # words; with fewer it is better to say that the memory does not do


class Features(NamedTuple):
    Xs: list[Any]  # one matrix a source
    Xt: Any
    words: Array
    vectorizer: TfidfVectorizer | None  # None where the features were given
    said: list[str]


def vectorize(
    inputs: Inputs, *, cleaning: dict[str, Any], settings: dict[str, Any], max_memory: float | None = None
) -> Features:
    """tf-idf of the cleaned texts. With `max_memory` (bytes) rare words go until a fit is likely to need no more."""
    corpora = [clean(texts, **cleaning) for texts in (*(source.texts for source in inputs.sources), inputs.texts)]
    every = [text for texts in corpora for text in texts]
    try:
        vectorizer = tfidf_vectorizer(**settings)
        X = sp.csr_array(vectorizer.fit_transform(every))
    except ValueError as error:
        if "vocabulary" not in str(error) and "no terms remain" not in str(error).lower():
            raise
        raise ValueError(
            "no word is left in the texts: all are stop words, numbers, or in one document only. Check the text "
            "column, pass language=None (--language none), or add documents."
        ) from None
    said = []
    if max_memory is not None and (keep := words_within(X, max_memory)) < X.shape[1]:
        said.append(f"{keep:,} of {X.shape[1]:,} words are kept, the most frequent ones, to stay within --max-memory")
        vectorizer = tfidf_vectorizer(**{**settings, "max_features": keep})
        X = sp.csr_array(vectorizer.fit_transform(every))
    ends = np.cumsum([len(texts) for texts in corpora])[:-1]
    *Xs, Xt = (X[a:b] for a, b in zip([0, *ends], [*ends, X.shape[0]], strict=True))
    return Features(Xs, Xt, vectorizer.get_feature_names_out(), vectorizer, said)


def words_within(X: sp.csr_array, max_memory: float) -> int:
    """How many words, the most frequent first, let a fit stay within so many bytes."""
    entries = np.sort(np.bincount(X.indices, minlength=X.shape[1]))[::-1]
    per_entry = (X.data.itemsize + X.indices.itemsize) * COPIES
    bytes_needed = np.cumsum(entries * per_entry + 8 * COLUMNS * COPIES) + 8 * COLUMNS * X.shape[0]
    keep = int(np.searchsorted(bytes_needed, max_memory, side="right"))
    if keep < min(FEWEST, X.shape[1]):
        raise ValueError(
            f"max_memory leaves room for {keep} of {X.shape[1]} words; at least {min(FEWEST, X.shape[1])} are needed, "
            f"{bytes_needed[min(FEWEST, X.shape[1]) - 1] / 1e6:.0f} MB. Raise it, or take fewer documents."
        )
    return keep


def read_features(path: str | PathLike[str], inputs: Inputs) -> Features:
    """The user's own features: scipy's .npz or numpy's .npy, rows of the sources in order, then those of the target."""
    path = Path(path)
    try:
        X = sp.csr_array(sp.load_npz(path)) if path.suffix == ".npz" else np.load(path, allow_pickle=False)
        if not np.issubdtype(X.dtype, np.number):
            raise ValueError(f"its values are {X.dtype}, not numbers")
    except (AttributeError, EOFError, KeyError, OSError, TypeError, ValueError, BadZipFile) as error:
        # What numpy says of pickles is left out: it recommends to allow them.
        what = "it holds objects" if "pickle" in str(error) else " ".join(str(error).split())
        raise ValueError(
            f"cannot read features from {path} ({what}). Write them with scipy.sparse.save_npz or numpy.save."
        ) from None
    sizes = [len(source.texts) for source in inputs.sources]
    n_rows = sum(sizes) + len(inputs.texts)
    if X.ndim != 2 or X.shape[0] != n_rows:
        raise ValueError(
            f"features must have a row for each of the {n_rows} documents, those of the source first; {path} has the "
            f"shape {X.shape}. Leave out the rows that are left out of the files too."
        )
    ends = np.cumsum(sizes)
    *Xs, Xt = (X[a:b] for a, b in zip([0, *ends], [*ends, n_rows], strict=True))
    return Features(Xs, Xt, np.array([f"feature {j + 1}" for j in range(X.shape[1])]), None, [])
