"""The words of many texts, collected part by part, and the tf-idf vectorizer that is fitted on all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from .persist import with_vocabulary

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
        """Fit the vectorizer on the words that were added.

        `limit`: takes the number of documents of each word and the number of all documents; returns how many words
        to keep, the most frequent ones.
        """
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
