"""Vectorising: one vocabulary for the texts of all domains, so that a column means the same word everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer

LETTERS = r"(?u)\b[^\W\d_]{2,}\b"  # numbers, amounts and dates say nothing about a topic


def tfidf_vectorizer(**settings: Any) -> TfidfVectorizer:
    """The house's TfidfVectorizer, not yet fitted; `settings` are scikit-learn's and replace ours.

    Words of two letters or more, in two documents or more, no English stop words; 1 + log(tf); rows of unit length.
    """
    ours = {"sublinear_tf": True, "norm": "l2", "stop_words": "english", "min_df": 2, "token_pattern": LETTERS}
    return TfidfVectorizer(**{**ours, **settings})


def tfidf(*domains: Iterable[str], **settings: Any) -> tuple[list[Any], TfidfVectorizer]:
    """One CSR matrix (documents x words) a domain, and the vectorizer, fitted on the texts of all of them.

    The settings are those of `tfidf_vectorizer`: English stop words, words in two documents or more, no numbers. For
    another language pass `stop_words=None` or a list of your own; for one without spaces, a `tokenizer`.

    >>> (old, new), vectorizer = tfidf(["a red door", "a red house"], ["a green house"], min_df=1)
    >>> old.shape, new.shape, list(vectorizer.get_feature_names_out())
    ((2, 4), (1, 4), ['door', 'green', 'house', 'red'])
    """
    corpora = [list(texts) for texts in domains]
    vectorizer = tfidf_vectorizer(**settings).fit([text for texts in corpora for text in texts])
    return [vectorizer.transform(texts) for texts in corpora], vectorizer
