"""from_parquet: texts in Parquet files as a matrix of blocks, vectorized in threads or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from ..linalg.backends import Backend, Threads
from ..linalg.block_files import write_blocks
from ..linalg.blocks import BLOCK_ROWS, Blocks
from ..linalg.dask_blocks import DaskBackend, connect
from ..tables.formats.parquet import Chunk, ParquetColumn, has_parquet_column, parquet_chunks, parquet_texts
from ..text.counting import Limit
from ..text.vectorize import tfidf_vectorizer
from .text_blocks import Counting, fit_blocks, stream_blocks


class ParquetDocuments(NamedTuple):
    """Documents, their labels, and the vectorizer for new texts."""

    X: Blocks
    y: np.ndarray  # None where there is no label
    vectorizer: TfidfVectorizer


def from_parquet(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    text: str,
    label: str,
    client: Any = None,
    folder: str | os.PathLike[str] | None = None,
    block_rows: int = BLOCK_ROWS,
    **settings: Any,
) -> ParquetDocuments:
    """Make a tf-idf matrix of blocks from the texts of Parquet files.

    The words of each chunk of a file are counted and, when the documents of every word are known, weighed. The matrix
    is that of `labelferry.tfidf` on all texts, but no process has all of them in memory.

    Parameters
    ----------
    paths : path or sequence of paths
        The files. On a cluster every worker must be able to read them under the same names.
    text : str
        Name of the column with the texts.
    label : str
        Name of the column with the labels. Rows without a label, and all rows of a file without this column, are the
        target.
    client : distributed.Client or str, default=None
        A Dask cluster: its client, its address, or "local"; see `labelferry.linalg.dask_blocks.connect`. The blocks
        stay on the workers; a lost block is made again from its file. None: threads of this process.
    folder : path, default=None
        New folder for the blocks, which are then mapped into memory (see `open_blocks`); only without a client. None
        keeps the blocks in memory.
    block_rows : int, default=25_000
        Number of documents of a block.
    **settings : dict
        Parameters of `labelferry.text.tfidf_vectorizer`. `dtype=numpy.float32` halves the memory.

    Returns
    -------
    documents : ParquetDocuments
        `X`, `y` (None where there is no label) and `vectorizer`; pass `X` and `y` to `fit` of an estimator.
    """
    if client is not None and folder is not None:
        raise ValueError("folder= is for blocks of this process; with client= the blocks stay on the workers.")
    names = [os.fspath(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    chunks = parquet_chunks(names, block_rows)
    y = _labels(chunks, label)
    backend: Backend = Threads() if client is None else DaskBackend(connect(client))
    counting = Counting(tfidf_vectorizer(**settings))
    texts, sizes = [parquet_texts(chunk, text) for chunk in chunks], [chunk.n_rows for chunk in chunks]
    n_words = counting.vectorizer.max_features
    limit: Limit | None = None if n_words is None else lambda documents, n_texts: int(n_words)
    if folder is None:
        X, vectorizer = fit_blocks(texts, sizes, counting, backend, limit=limit)
    else:
        blocks, vectorizer = stream_blocks(texts, sizes, counting, backend, limit=limit)
        X = write_blocks(folder, blocks, block_rows=block_rows)
    return ParquetDocuments(X, y, vectorizer)


def _labels(chunks: Sequence[Chunk], label: str) -> np.ndarray:
    with_labels = {path: has_parquet_column(path, label) for path in {chunk.path for chunk in chunks}}
    if not any(with_labels.values()):
        raise ValueError(f"no file has a column {label!r}. Name the column with the labels: label=...")
    values = [ParquetColumn(c, label)[:] if with_labels[c.path] else [None] * c.n_rows for c in chunks]
    return np.array([value for part in values for value in part], dtype=object)
