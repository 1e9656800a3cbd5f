"""tf-idf of texts as blocks that are made, and stay, where a backend visits them: in this process or on Dask workers.

The functions below run there, one part of the texts at a time. Only words and their numbers of documents come back; the
vocabulary is put together here. The matrix is that of `labelferry.text.counting.fit_tfidf`, bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from ..linalg.backends import Backend, Call
from ..linalg.block import Columns, Rows
from ..linalg.blocks import BLOCK_ROWS, Blocks
from ..tables.sequences import part_of
from ..text.counting import (
    MAX_BUCKETS,
    PER_TEXT,
    Counts,
    Limit,
    Prepare,
    Vocabulary,
    WordCounts,
    count_block,
    counts_sequences,
    documents_per_bucket,
    frequent_buckets,
    weigh,
)

MIN_BLOCKS = 16  # of all texts, if a block has MIN_ROWS or more
MIN_ROWS = 1000


class Counting(NamedTuple):
    """How words are counted."""

    vectorizer: TfidfVectorizer  # the settings
    prepare: Prepare = list  # what is done with a list of texts before
    n_buckets: int = 0
    frequent: np.ndarray | None = None  # the buckets of the words to count, one bit each; None: all words


def fit_tfidf_blocks(
    corpora: Sequence[Sequence[str]],
    vectorizer: TfidfVectorizer,
    backend: Backend,
    *,
    prepare: Prepare = list,
    limit: Limit | None = None,
    report: Callable[[float], None] = lambda share: None,
) -> tuple[list[Blocks], TfidfVectorizer]:
    """Make one matrix of blocks per corpus; the parameters are those of `labelferry.text.counting.fit_tfidf`."""
    # The blocks depend on the number of texts only, so that the result does not depend on the number of workers.
    n_texts = sum(map(len, corpora))
    rows = max(MIN_ROWS, min(BLOCK_ROWS, -(-n_texts // MIN_BLOCKS)))
    places = [[(i, min(i + rows, len(texts))) for i in range(0, len(texts), rows)] for texts in corpora]
    parts = (part_of(texts, *place) for texts, inside in zip(corpora, places, strict=True) for place in inside)
    sizes = [stop - start for inside in places for start, stop in inside]
    X, fitted = fit_blocks(parts, sizes, Counting(vectorizer, prepare), backend, limit=limit, report=report)
    ends = np.cumsum([0, *map(len, corpora)]).tolist()
    return [X[start:stop] for start, stop in pairwise(ends)], fitted


def fit_blocks(
    parts: Iterable[Sequence[str]],
    sizes: Sequence[int],
    counting: Counting,
    backend: Backend,
    *,
    limit: Limit | None = None,
    report: Callable[[float], None] = lambda share: None,
) -> tuple[Blocks, TfidfVectorizer]:
    """One block per part of the texts; `sizes` are the numbers of texts of the parts."""
    calls: Iterable[Call] = (Call(part, ()) for part in parts)
    if counts_sequences(counting.vectorizer):  # two passes over the texts, which are read and sent once
        calls = [Call(block, ()) for block in backend.keep(_read_part, calls, None)]
        counting = find_frequent(calls, sizes, counting, backend)
        report(0.4)
    counts = [Call(block, ()) for block in backend.keep(count_part, calls, counting)]
    report(0.8)
    found = backend.map_reduce(_words_of_part, counts, None)[0]
    fitted = fit_words(found, sizes, counting.vectorizer, limit)
    blocks = backend.keep(_weigh_part, counts, fitted)
    report(1.0)
    rows = [Rows(block, slice(0, size)) for block, size in zip(blocks, sizes, strict=True)]
    return Blocks(rows, [Columns(np.dtype(fitted.dtype), len(fitted.vocabulary_))], backend=backend), fitted


def stream_blocks(
    parts: Sequence[Sequence[str]],
    sizes: Sequence[int],
    counting: Counting,
    backend: Backend,
    *,
    limit: Limit | None = None,
) -> tuple[Iterator[sp.csr_array], TfidfVectorizer]:
    """The blocks of `fit_blocks` one after the other. They are not kept: the texts are read and counted twice."""
    calls = [Call(part, ()) for part in parts]
    if counts_sequences(counting.vectorizer):
        counting = find_frequent(calls, sizes, counting, backend)
    found = backend.map_reduce(_count_words, calls, counting)[0]
    fitted = fit_words(found, sizes, counting.vectorizer, limit)
    return (weigh(count_part(part, (), counting), fitted) for part in parts), fitted


def find_frequent(calls: Iterable[Call], sizes: Sequence[int], counting: Counting, backend: Backend) -> Counting:
    """Count only words of buckets with enough documents; see `labelferry.text.counting`."""
    counting = counting._replace(n_buckets=min(MAX_BUCKETS, PER_TEXT * sum(sizes)))
    found = backend.map_reduce(_count_buckets, list(calls), counting)[0]
    return counting._replace(frequent=frequent_buckets(found, counting.n_buckets, counting.vectorizer.min_df))


def fit_words(
    found: Iterable[WordCounts], sizes: Sequence[int], vectorizer: TfidfVectorizer, limit: Limit | None
) -> TfidfVectorizer:
    """The vectorizer, fitted on the words of all parts."""
    vocabulary = Vocabulary()
    for words in found:
        vocabulary.add(words)
    return vocabulary.fit(vectorizer, sum(sizes), limit)[0]


def count_part(texts: Sequence[str], _: tuple[()], counting: Counting) -> Counts:
    """The counts of a part."""
    return count_block(list(texts[:]), counting.vectorizer, counting.prepare, counting.frequent)


def _read_part(texts: Sequence[str], _: tuple[()], shared: None) -> list[str]:
    return list(texts[:])


def _count_buckets(texts: Sequence[str], _: tuple[()], counting: Counting) -> tuple[Any, tuple[()]]:
    return documents_per_bucket(list(texts[:]), counting.vectorizer, counting.prepare, counting.n_buckets), ()


def _count_words(texts: Sequence[str], _: tuple[()], counting: Counting) -> tuple[WordCounts, tuple[()]]:
    return count_part(texts, (), counting).per_word(), ()


def _words_of_part(counts: Counts, _: tuple[()], shared: None) -> tuple[WordCounts, tuple[()]]:
    return counts.per_word(), ()


def _weigh_part(counts: Counts, _: tuple[()], fitted: TfidfVectorizer) -> sp.csr_array:
    return weigh(counts, fitted)
