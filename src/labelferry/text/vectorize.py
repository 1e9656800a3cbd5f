"""Vectorising: one vocabulary for the texts of all domains, so that a column means the same word everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer

from .languages import Stems, stop_words

LETTERS = r"(?u)\b[^\W\d_]{2,}\b"  # numbers, amounts and dates say nothing about a topic


def tfidf_vectorizer(
    *, language: str | None = "english", stem: bool = False, ngrams: int = 1, **settings: Any
) -> TfidfVectorizer:
    """The house's TfidfVectorizer, not yet fitted; `settings` are scikit-learn's and replace ours.

    Words of two letters or more, in two documents or more, no stop words; 1 + log(tf); rows of unit length.

    language : whose stop words are left out, as a name ("german") or a code ("de"); None leaves out none. English ones
        are scikit-learn's; for the others: pip install 'labelferry[languages]'.
    stem : count stems in place of words (pip install 'labelferry[stemming]'); stop words are taken out before.
    ngrams : count up to this many words in a row as one.
    """
    if not isinstance(ngrams, int) or ngrams < 1:
        raise ValueError(
            f"ngrams must be a whole number, 1 or more; got {ngrams!r}. Pass 2 to count pairs of words too."
        )
    ours = {"sublinear_tf": True, "norm": "l2", "min_df": 2, "token_pattern": LETTERS, "ngram_range": (1, ngrams)}
    chosen = {**ours, **settings}
    if "stop_words" not in chosen:
        chosen["stop_words"] = stop_words(language, chosen["token_pattern"])
    if stem:
        if chosen.get("tokenizer") is not None or chosen.get("analyzer", "word") != "word":
            raise ValueError(
                "stem=True splits texts into words itself; got a tokenizer or analyzer too. Pass only one."
            )
        if language is None:
            raise ValueError(
                "stem=True needs a language; got None. Name it, and pass stop_words=None to keep them all."
            )
        chosen["tokenizer"] = Stems.of(language, chosen["token_pattern"], chosen["stop_words"])
        chosen |= {"token_pattern": None, "stop_words": None}
    return TfidfVectorizer(**chosen)


def tfidf(*domains: Iterable[str], **settings: Any) -> tuple[list[Any], TfidfVectorizer]:
    """One CSR matrix (documents x words) a domain, and the vectorizer, fitted on the texts of all of them.

    The settings are those of `tfidf_vectorizer`: English stop words, words in two documents or more, no numbers. For
    another language pass `language=`, or `stop_words=` with a list of your own; for one without spaces, a `tokenizer`.

    >>> (old, new), vectorizer = tfidf(["a red door", "a red house"], ["a green house"], min_df=1)
    >>> old.shape, new.shape, list(vectorizer.get_feature_names_out())
    ((2, 4), (1, 4), ['door', 'green', 'house', 'red'])
    """
    corpora = [list(texts) for texts in domains]
    vectorizer = tfidf_vectorizer(**settings).fit([text for texts in corpora for text in texts])
    return [vectorizer.transform(texts) for texts in corpora], vectorizer
