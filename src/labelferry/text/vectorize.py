"""Vectorizing: one vocabulary for the texts of all domains, so that a column means the same word everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer

from .languages import Stems, language_or_none, stop_words

LETTERS = r"(?u)\b[^\W\d_]{2,}\b"  # words without digits: numbers, amounts and dates do not show a topic


def tfidf_vectorizer(
    *, language: str | None = "english", stem: bool = False, ngrams: int = 1, **settings: Any
) -> TfidfVectorizer:
    """Make a TfidfVectorizer, not yet fitted, with the defaults of labelferry.

    It counts words of two letters or more that occur in two documents or more and are not stop words; 1 + log(tf); rows
    of unit length.

    Parameters
    ----------
    language : str, default="english"
        Language of the stop words to remove, as a name ("german") or a code ("de"); None or "none" keeps all words.
        English stop words are those of scikit-learn; for the others: pip install 'labelferry[languages]'.
    stem : bool, default=False
        Whether to count stems instead of words (pip install 'labelferry[stemming]'). Stop words are removed before.
    ngrams : int, default=1
        Count sequences of up to this many words.
    **settings : dict
        Parameters of scikit-learn's TfidfVectorizer, which replace the defaults.

    Returns
    -------
    vectorizer : TfidfVectorizer
        The vectorizer.
    """
    if not isinstance(ngrams, int) or ngrams < 1:
        raise ValueError(
            f"ngrams must be a whole number, 1 or more; got {ngrams!r}. Pass 2 to count pairs of words also."
        )
    defaults: dict[str, Any] = {
        "sublinear_tf": True,
        "norm": "l2",
        "min_df": 2,
        "token_pattern": LETTERS,
        "ngram_range": (1, ngrams),
    }
    chosen = {**defaults, **settings}
    if "stop_words" not in chosen:
        chosen["stop_words"] = stop_words(language, chosen["token_pattern"])
    if stem:
        if chosen.get("tokenizer") is not None or chosen.get("analyzer", "word") != "word":
            raise ValueError(
                "stem=True splits texts into words itself; got a tokenizer or analyzer also. Pass only one."
            )
        stem_language = language_or_none(language)
        if stem_language is None:
            raise ValueError(
                f"stem=True needs a language; got {language!r}. Name it, and pass stop_words=None to keep all words."
            )
        chosen["tokenizer"] = Stems.of(stem_language, chosen["token_pattern"], chosen["stop_words"])
        chosen |= {"token_pattern": None, "stop_words": None}
    return TfidfVectorizer(**chosen)


def tfidf(*domains: Iterable[str], **settings: Any) -> tuple[list[Any], TfidfVectorizer]:
    """Make one tf-idf matrix per domain, with one vocabulary for all of them.

    By default English stop words, numbers and words in only one document are removed. For another language pass
    `language=`, or `stop_words=` with a list of your own; for a language without spaces pass a `tokenizer`.

    Parameters
    ----------
    *domains : iterable of str
        The texts of each domain.
    **settings : dict
        Parameters of `labelferry.text.tfidf_vectorizer` and of scikit-learn's TfidfVectorizer.

    Returns
    -------
    matrices : list of CSR matrix
        Documents x words, one per domain.
    vectorizer : TfidfVectorizer
        Fitted on the texts of all domains.

    Examples
    --------
    >>> (old, new), vectorizer = tfidf(["a red door", "a red house"], ["a green house"], min_df=1)
    >>> old.shape, new.shape, list(vectorizer.get_feature_names_out())
    ((2, 4), (1, 4), ['door', 'green', 'house', 'red'])
    """
    corpora = [list(texts) for texts in domains]
    vectorizer = tfidf_vectorizer(**settings).fit([text for texts in corpora for text in texts])
    return [vectorizer.transform(texts) for texts in corpora], vectorizer
