"""What a TfidfVectorizer has only as private attributes. The only file of `text` that uses them."""

from __future__ import annotations

from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer


def check_parameters(vectorizer: TfidfVectorizer) -> None:
    """Raise an error if `fit` would refuse the parameters."""
    vectorizer._validate_params()


def weights_of(vectorizer: TfidfVectorizer) -> TfidfTransformer:
    """The transformer of a fitted vectorizer that turns counts into weights."""
    return vectorizer._tfidf


def set_weights(vectorizer: TfidfVectorizer, weights: TfidfTransformer) -> None:
    """Set this transformer, as `fit` does."""
    vectorizer._tfidf = weights
