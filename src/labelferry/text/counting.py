"""tf-idf of many texts within bounded memory: counted block by block, in several processes if there are many.

The result is that of `TfidfVectorizer.fit_transform`. Every block is counted with a vocabulary of its own; these are
merged in the order of the blocks, so that the result does not depend on the number of processes. Counts are in a
temporary file, 5 bytes per entry, until the vocabulary is complete; then each block gets its weights.

A word in fewer documents than `min_df` is dropped in the end. If sequences of words are counted, nearly all of them are
such: then a first pass counts the documents per bucket of a hash table, and the second pass skips words of buckets with
too few. A bucket has at least the documents of each of its words, so that no word is lost.
"""

from __future__ import annotations

import os
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from ..processes import parallel
from ..tables.sequences import TemporaryBlocks, blocks_of
from .persist import with_vocabulary
from .sklearn_private import weights_of

TEXTS = 2048  # per block
LARGE = 20_000  # texts from which they are counted block by block
PROCESSES = 2  # at most: each needs about 0.2 GB
MIN_PARALLEL = 100_000  # texts from which it is worth starting processes
PER_TEXT, MAX_BUCKETS = 128, 1 << 27  # buckets of the hash table; multiples of 8
MOST = 255  # documents that a bucket can count

Prepare = Callable[[list[str]], list[str]]
Limit = Callable[[np.ndarray, int], int]


class WordCounts(NamedTuple):
    """How often the words of some texts occur."""

    words: list[str]
    documents: np.ndarray  # number of the texts with each word
    totals: np.ndarray  # occurrences of each word


class Vocabulary:
    """Words in the order in which they were found, with their numbers of documents and of occurrences."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.documents = np.zeros(1024, dtype=np.int64)  # per word
        self.totals = np.zeros(1024, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, found: WordCounts) -> np.ndarray:
        """Add the words of the next texts; return their numbers."""
        numbers = self.numbers
        added = np.array([numbers.setdefault(word, len(numbers)) for word in found.words], dtype=np.int32)
        if len(numbers) > len(self.documents):
            more = np.zeros(max(len(numbers), 2 * len(self.documents)) - len(self.documents), dtype=np.int64)
            self.documents, self.totals = np.append(self.documents, more), np.append(self.totals, more)
        self.documents[added] += found.documents
        self.totals[added] += found.totals
        return added

    def fit(
        self, vectorizer: TfidfVectorizer, n_texts: int, limit: Limit | None = None
    ) -> tuple[TfidfVectorizer, np.ndarray]:
        """Fit the vectorizer on the words that were added."""
        # `limit`: takes the number of documents of each word and the number of all documents; returns how many words to
        # keep, the most frequent ones.
        bounds = (vectorizer.min_df, vectorizer.max_df)
        low, high = (bound * n_texts if isinstance(bound, float) else bound for bound in bounds)
        words = sorted(word for word, number in self.numbers.items() if low <= self.documents[number] <= high)
        if not words:
            raise ValueError(
                "the vocabulary is empty: no words, or all in fewer documents than min_documents. Lower it."
            )
        numbers = np.array([self.numbers[word] for word in words])
        if limit is not None and (n_kept := limit(self.documents[numbers], n_texts)) < len(words):
            kept = np.sort(np.argsort(-self.totals[numbers], kind="stable")[:n_kept])
            words, numbers = [words[i] for i in kept.tolist()], numbers[kept]
        smooth = int(vectorizer.smooth_idf)
        idf = np.log((n_texts + smooth) / (self.documents[numbers] + smooth)) + 1
        return with_vocabulary(vectorizer, words, idf if vectorizer.use_idf else None), numbers


class Counts(NamedTuple):
    """Words of a block of texts."""

    words: list[str]  # the vocabulary of the block
    columns: np.ndarray  # word of each entry, row after row
    counts: np.ndarray  # how often the text has it
    sizes: np.ndarray  # number of entries per row

    def per_word(self) -> WordCounts:
        """How often each word of the block occurs."""
        documents = np.bincount(self.columns, minlength=len(self.words))
        totals = np.bincount(self.columns, self.counts, minlength=len(self.words)).astype(np.int64)
        return WordCounts(self.words, documents, totals)

    def csr(self, column_of: np.ndarray, n_words: int) -> Any:
        """The counts as a matrix; words whose new column is -1 are dropped."""
        columns = column_of[self.columns]
        used = columns >= 0
        rows = np.repeat(np.arange(len(self.sizes)), self.sizes)[used]
        order = np.lexsort((columns[used], rows))
        ends = np.cumsum(np.bincount(rows, minlength=len(self.sizes)))
        entries = (self.counts[used][order].astype(np.float64), columns[used][order], np.append(0, ends))
        return sp.csr_array(entries, shape=(len(self.sizes), n_words))


def count_block(
    texts: list[str], vectorizer: TfidfVectorizer, prepare: Prepare, frequent: np.ndarray | None = None
) -> Counts:
    """Count the words of some texts; `frequent` has one bit per bucket, set if its words are counted."""
    analyze = vectorizer.build_analyzer()
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    found: list[int] = []
    lengths = []
    for text in prepare(texts):
        before = len(found)
        found.extend(map(vocabulary.__getitem__, analyze(text)))
        lengths.append(len(found) - before)
    vocabulary.default_factory = None  # it refers to the dict, which would stay in memory until cycles are collected
    words = list(vocabulary)
    rows = np.repeat(np.arange(len(texts), dtype=np.int64), lengths)
    pairs, counts = np.unique(rows * max(len(words), 1) + np.array(found, dtype=np.int64), return_counts=True)
    rows, columns = np.divmod(pairs, max(len(words), 1))
    if frequent is not None:
        kept = bits_at(frequent, buckets_of(words, 8 * len(frequent)))
        used = kept[columns]
        columns, counts, rows = (np.cumsum(kept) - 1)[columns[used]], counts[used], rows[used]
        words = [word for word, is_kept in zip(words, kept.tolist(), strict=True) if is_kept]
    small = np.min_scalar_type(int(counts.max(initial=0)))
    return Counts(words, columns.astype(np.int32), counts.astype(small), np.bincount(rows, minlength=len(texts)))


def buckets_of(words: list[str], n_buckets: int) -> np.ndarray:
    """The bucket of each word, the same in every process."""
    codes = (zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words)
    return np.fromiter(codes, dtype=np.int64, count=len(words)) % n_buckets


def bits_at(packed: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The bits with these numbers, of what `np.packbits` returned."""
    return np.asarray((packed[numbers >> 3] << (numbers & 7)) & 128 > 0)


def documents_per_bucket(
    texts: list[str], vectorizer: TfidfVectorizer, prepare: Prepare, n_buckets: int
) -> tuple[np.ndarray, np.ndarray]:
    """The buckets of the words of a block, and how many of its texts have a word of each: at most MOST."""
    block = count_block(texts, vectorizer, prepare)
    buckets, which = np.unique(buckets_of(block.words, n_buckets), return_inverse=True)
    documents = np.bincount(which, np.bincount(block.columns, minlength=len(block.words)))
    return buckets.astype(np.int32), np.minimum(documents, MOST).astype(np.uint8)


def frequent_buckets(found: Iterable[tuple[np.ndarray, np.ndarray]], n_buckets: int, min_documents: int) -> np.ndarray:
    """One bit per bucket: set if the texts of all blocks have its words in so many documents or more."""
    table = np.zeros(n_buckets, dtype=np.uint8)
    for buckets, documents in found:
        table[buckets] = np.minimum(table[buckets].astype(int) + documents, MOST)
    return np.packbits(table >= min(min_documents, MOST))


def counts_sequences(vectorizer: TfidfVectorizer) -> bool:
    """Whether sequences of words are counted of which most will be dropped."""
    return bool(vectorizer.analyzer == "word" and vectorizer.ngram_range[1] > 1 and vectorizer.min_df > 1)


def fit_tfidf(
    corpora: Sequence[Sequence[str]],
    vectorizer: TfidfVectorizer,
    *,
    prepare: Prepare = list,
    limit: Limit | None = None,
    processes: int | None = None,
    report: Callable[[float], None] = lambda share: None,
) -> tuple[list[Any], TfidfVectorizer]:
    """Make one tf-idf matrix per corpus, with one vocabulary for all of them."""
    # `prepare`: what is done with a list of texts before its words are counted. It must be picklable. `limit`: takes
    # the number of documents of each word and the number of all documents; returns how many words to keep, the most
    # frequent ones.
    n_texts = sum(map(len, corpora))
    if processes is None:
        processes = min(PROCESSES, os.cpu_count() or 1) if n_texts >= MIN_PARALLEL else 1
    is_long = counts_sequences(vectorizer)
    n_passes = 1 + is_long
    blocks = [block for corpus in corpora for block in range(0, len(corpus), TEXTS)]

    def run(function: Callable[..., Any], number: int) -> Iterator[Any]:
        texts = (block for corpus in corpora for block in blocks_of(corpus, TEXTS))
        results = in_order(partial(function, vectorizer=vectorizer, prepare=prepare), texts, processes)
        for done, result in enumerate(results, 1):
            yield result
            report((number + done / len(blocks)) / n_passes)

    frequent = None
    if is_long:
        n_buckets = min(MAX_BUCKETS, PER_TEXT * n_texts)
        found = run(partial(documents_per_bucket, n_buckets=n_buckets), 0)
        frequent = frequent_buckets(found, n_buckets, vectorizer.min_df)
    merged = Merged()
    for block in run(partial(count_block, frequent=frequent), n_passes - 1):
        merged.add(block)
    return merged.weigh([len(corpus) for corpus in corpora], vectorizer, limit)


def in_order(function: Callable[[Any], Any], items: Iterator[Any], processes: int) -> Iterator[Any]:
    """The results of a function, in the order of its arguments; only a few arguments are read ahead."""
    if processes == 1:
        yield from map(function, items)
        return
    from joblib import delayed
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    workers = parallel(n_jobs=processes, return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)
    try:
        yield from workers(delayed(function)(item) for item in items)
    except TerminatedWorkerError:
        raise ValueError(
            "the system ended a process that counts words, probably because there is too little memory. Free some, or "
            "pass fewer documents."
        ) from None
    finally:  # otherwise the processes keep their memory during the fit
        get_reusable_executor().shutdown(wait=True, kill_workers=True)


def weigh(counts: Counts, fitted: TfidfVectorizer) -> sp.csr_array:
    """Documents x words of a chunk, with a fitted vectorizer."""
    return weigh_columns(counts, np.array([fitted.vocabulary_.get(word, -1) for word in counts.words]), fitted)


def weigh_columns(counts: Counts, column_of: np.ndarray, fitted: TfidfVectorizer) -> sp.csr_array:
    """`weigh`, with the column of each word of the counts, -1 for none."""
    X = counts.csr(column_of.astype(np.int32), len(fitted.vocabulary_)).astype(fitted.dtype, copy=False)
    if fitted.binary:
        X.data[:] = 1
    return sp.csr_array(weights_of(fitted).transform(X, copy=False))


class Merged:
    """Blocks of counts with one vocabulary."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.store = TemporaryBlocks()
        self.places: list[tuple[int, int]] = []  # of the blocks

    def add(self, block: Counts) -> None:
        """Add the next block."""
        numbers = self.vocabulary.add(block.per_word())
        self.places.append(self.store.write([numbers[block.columns], block.counts, block.sizes]))

    def blocks(self, places: Sequence[tuple[int, int]]) -> Iterator[Counts]:
        """The blocks at these places; their columns are numbers of words."""
        for place in places:
            yield Counts([], *self.store.read(place))

    def weigh(
        self, sizes: Sequence[int], vectorizer: TfidfVectorizer, limit: Limit | None
    ) -> tuple[list[Any], TfidfVectorizer]:
        """The matrices of corpora of these sizes, and the fitted vectorizer. The vocabulary is used up."""
        fitted, numbers = self.vocabulary.fit(vectorizer, sum(sizes), limit)
        column_of = np.full(len(self.vocabulary), -1, dtype=np.int32)
        column_of[numbers] = np.arange(len(numbers))
        self.vocabulary = Vocabulary()
        ends = np.cumsum([-(-size // TEXTS) for size in sizes]).tolist()
        places = [self.places[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        return [self.matrix(some, column_of, fitted) for some in places], fitted

    def matrix(self, places: Sequence[tuple[int, int]], column_of: np.ndarray, fitted: TfidfVectorizer) -> Any:
        """The matrix of the blocks at these places."""
        n_words = len(fitted.vocabulary_)
        n_entries = sum(int((column_of[block.columns] >= 0).sum()) for block in self.blocks(places))
        columns = np.empty(n_entries, dtype=np.int32 if n_entries < 2**31 else np.int64)
        weights = np.empty(n_entries, dtype=fitted.dtype)
        ends = [np.zeros(1, dtype=np.int64)]
        start = 0
        for block in self.blocks(places):
            X = weigh_columns(block, column_of, fitted)
            columns[start : start + X.nnz], weights[start : start + X.nnz] = X.indices, X.data
            ends.append(start + X.indptr[1:].astype(np.int64))
            start += X.nnz
        rows = np.concatenate(ends).astype(columns.dtype)
        return sp.csr_array((weights, columns, rows), shape=(len(rows) - 1, n_words))
