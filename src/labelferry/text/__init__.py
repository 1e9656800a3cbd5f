"""From texts to matrices. Knows nothing of labels, domains or corpora."""

from .vectorize import tfidf, tfidf_vectorizer

__all__ = ["tfidf", "tfidf_vectorizer"]
