"""Classes as means of labelled documents: how similarity propagation reads classes from similarities O = B B'."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from ..core.proportions import match_label_proportions
from ..linalg.discretize import indicator_sums
from ..linalg.matrix import Array
from ..linalg.normalize import normalize_rows_l2
from .clustering import likelihood
from .hybrid_graph import TargetGraph


class ClassMeans(NamedTuple):
    """The means of the labelled documents of each class among the rows of B, scaled to unit length."""

    centers: Annotated[Array, "k x groups"]  # K x classes that have a document with words
    variance: float  # mean squared distance of a labelled document to the mean of its class, per dimension
    names: Annotated[Array, "groups < classes"]  # the class of every column

    def scores(self, B: Array) -> Array:
        """Documents x columns: the likelihood of each class relative to that with the nearest mean."""
        return likelihood(2 * normalize_rows_l2(B) @ self.centers - (self.centers**2).sum(axis=0), self.variance)

    def codes(self, B: Array, shares: Array | None = None) -> Array:
        """The class with the nearest mean, or the labels that match the class proportions, if given."""
        # The first class if no class has a document with words.
        if len(self.names) == 0:
            return np.zeros(len(B), dtype=np.intp)
        scores = self.scores(B)
        if shares is not None:
            scores = match_label_proportions(scores, shares[self.names])
        codes: Array = self.names[scores.argmax(axis=1)]
        return codes


def class_means(b: TargetGraph, W_i: Array, n_classes: int) -> ClassMeans:
    """The means of the labelled documents with words, per class; their rows of B are R_i W_i."""
    Z = normalize_rows_l2(b.R_i @ W_i)
    has_words = Z.any(axis=1)
    Z, codes = Z[has_words], b.codes_i[has_words]
    size = np.bincount(codes, minlength=n_classes)
    means = indicator_sums(Z, codes, n_classes) / np.maximum(size, 1)[:, None]
    variance = ((Z - means[codes]) ** 2).sum() / max(Z.size, 1)
    names = np.flatnonzero(size)
    return ClassMeans(means[names].T.astype(Z.dtype), max(float(variance), 1e-3), names)
