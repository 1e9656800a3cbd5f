"""Texts of Parquet files in chunks, and tf-idf of them in two passes: document frequencies, then weights.

Each function works on one chunk, so that chunks can be read and vectorized by other processes or machines. The result
is that of one vectorizer fitted on all texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer


class Chunk(NamedTuple):
    """Consecutive rows of a Parquet file."""

    path: str
    groups: tuple[int, ...]  # row groups that contain them
    first: int  # among the rows of these groups
    n_rows: int


def parquet_chunks(paths: Sequence[str], rows: int) -> list[Chunk]:
    """The files in chunks of about `rows` rows: small row groups together, large ones in parts."""
    chunks: list[Chunk] = []
    for path in paths:
        sizes = [_open(path).metadata.row_group(i).num_rows for i in range(_open(path).num_row_groups)]
        pending: list[int] = []
        for group, size in enumerate(sizes):
            if size > rows:
                chunks += _joined(path, pending, sizes)
                pending = []
                chunks += [Chunk(path, (group,), i, min(rows, size - i)) for i in range(0, size, rows)]
                continue
            if sum(sizes[g] for g in pending) + size > rows:
                chunks += _joined(path, pending, sizes)
                pending = []
            pending.append(group)
        chunks += _joined(path, pending, sizes)
    if not chunks:
        raise ValueError(f"there are no rows in {', '.join(paths)}.")
    return chunks


def read_column(chunk: Chunk, column: str) -> list[Any]:
    """The values of one column of a chunk."""
    import pyarrow

    file = _open(chunk.path)
    if column not in file.schema_arrow.names:
        raise ValueError(f"{chunk.path} has no column {column!r}. It has: {', '.join(file.schema_arrow.names)}.")
    try:
        values = file.read_row_groups(list(chunk.groups), columns=[column]).column(0)
    except (pyarrow.ArrowException, OSError) as error:
        what = " ".join(str(error).split())[:160]
        raise OSError(
            f"{chunk.path} cannot be read in row group {chunk.groups[0]} ({what}). The file is damaged: write it again."
        ) from None
    found: list[Any] = values.slice(chunk.first, chunk.n_rows).to_pylist()
    return found


def read_texts(chunk: Chunk, column: str) -> list[str]:
    """The texts of a chunk; a missing one is empty."""
    values = read_column(chunk, column)
    wrong = next((value for value in values if not isinstance(value, str | None)), None)
    if wrong is not None:
        raise ValueError(f"column {column!r} of {chunk.path} must contain texts; got {wrong!r}.")
    return ["" if value is None else value for value in values]


def has_column(path: str, column: str) -> bool:
    """Whether a Parquet file has a column."""
    return column in _open(path).schema_arrow.names


def document_frequencies(texts: Iterable[str], vectorizer: TfidfVectorizer) -> Counter[str]:
    """Number of the texts that contain each word."""
    analyze = vectorizer.build_analyzer()
    found: Counter[str] = Counter()
    for text in texts:
        found.update(set(analyze(text)))
    return found


def fitted(vectorizer: TfidfVectorizer, frequencies: Counter[str], n_texts: int) -> TfidfVectorizer:
    """The vectorizer, fitted on texts with these document frequencies."""
    if vectorizer.max_features is not None:
        raise ValueError("max_features is not available for files in chunks. Use min_df to drop rare words.")
    low, high = (
        limit * n_texts if isinstance(limit, float) else limit for limit in (vectorizer.min_df, vectorizer.max_df)
    )
    words = sorted(word for word, n in frequencies.items() if low <= n <= high)
    if not words:
        raise ValueError("no word is left: there are no texts, or min_df drops all words. Lower min_documents.")
    with_words = clone(vectorizer).set_params(vocabulary={word: i for i, word in enumerate(words)})
    df = np.array([frequencies[word] for word in words], dtype=np.float64)
    s = float(vectorizer.smooth_idf)
    with_words.idf_ = np.log((n_texts + s) / (df + s)) + 1 if vectorizer.use_idf else np.ones(len(words))
    return with_words


def vectorize(texts: Sequence[str], vectorizer: TfidfVectorizer) -> sp.csr_array:
    """Documents x words of some texts, with a fitted vectorizer."""
    X = sp.csr_array(vectorizer.transform(texts))
    X.sort_indices()
    return X


def _joined(path: str, groups: list[int], sizes: list[int]) -> list[Chunk]:
    n = sum(sizes[g] for g in groups)
    return [Chunk(path, tuple(groups), 0, n)] if n else []


def _open(path: str) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError(f"{path} is Parquet, which needs pyarrow: pip install 'labelferry[parquet]'.") from None
    try:
        return pyarrow.parquet.ParquetFile(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}.") from None
    except (pyarrow.ArrowException, OSError) as error:
        what = " ".join(str(error).split())[:160]
        raise OSError(f"{path} is not a Parquet file, or damaged ({what}). Write it again.") from None
