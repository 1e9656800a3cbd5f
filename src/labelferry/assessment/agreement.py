"""Measures of agreement and confidence on labels and probabilities, without knowledge of the true labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..linalg.matrix import Array

MOST_CONFIDENT = 0.2  # share of the documents per class


def kappa(a: Array, b: Array) -> float:
    """Cohen's kappa of two labelings (arrays of codes): 1 if they are equal, 0 for the agreement of chance.

    Two labelings with one and the same label for all documents have kappa 0: chance would give no less. The function of
    scikit-learn takes 50 times as long, and a panel needs 55 of them.
    """
    k = int(max(a.max(), b.max())) + 1
    pairs = np.bincount(a * k + b, minlength=k * k).reshape(k, k) / len(a)
    expected = float(pairs.sum(axis=1) @ pairs.sum(axis=0))
    return (float(np.trace(pairs)) - expected) / (1 - expected) if expected < 1 else 0.0


def mean_kappas(labels: Sequence[Array]) -> list[float]:
    """Mean kappa of each labeling with the others; 1 if it is the only one."""
    n = len(labels)
    K = np.eye(n)
    for i in range(n):
        for j in range(i):
            K[i, j] = K[j, i] = kappa(labels[i], labels[j])
    return [1.0] if n == 1 else ((K.sum(axis=1) - 1) / (n - 1)).tolist()


def margin(P: Array) -> Array:
    """Difference between the largest and the second largest probability of each row."""
    ordered = np.sort(P, axis=1)
    margins: Array = ordered[:, -1] - ordered[:, -2]
    return margins


def most_confident(P: Array, share: float = MOST_CONFIDENT) -> Array:
    """Rows with the largest margin: this share of the documents of each predicted class."""
    codes, margins = P.argmax(axis=1), margin(P)
    rows = [np.flatnonzero(codes == c) for c in np.unique(codes)]
    return np.concatenate([r[np.argsort(-margins[r], kind="stable")[: max(1, round(share * len(r)))]] for r in rows])


def set_top_probability(P: Array, top: Array) -> Array:
    """P with the probability `top` for the predicted class; the other classes share the rest in proportion.

    The predicted class stays the largest: a class that would exceed it is cut, and the row is normalized again.
    """
    rows, codes = np.arange(len(P)), P.argmax(axis=1)
    rest = P.astype(np.float64)
    rest[rows, codes] = 0
    total = rest.sum(axis=1, keepdims=True)
    even = (1 - np.eye(P.shape[1])[codes]) / (P.shape[1] - 1)
    rest = np.where(total > 1e-12, rest / np.maximum(total, 1e-12), even) * (1 - top)[:, None]
    out = np.minimum(rest, top[:, None] * (1 - 1e-6))
    out[rows, codes] = top
    normalized: Array = out / out.sum(axis=1, keepdims=True)
    return normalized


def recall_per_class(codes: Array, truth: Array, n_classes: int) -> Array:
    """Share of the documents of each class that have its label; NaN for a class without documents."""
    return np.array([(codes[truth == c] == c).mean() if (truth == c).any() else np.nan for c in range(n_classes)])


def balanced_accuracy(codes: Array, truth: Array, n_classes: int) -> float:
    """Mean recall of the classes that occur."""
    return float(np.nanmean(recall_per_class(codes, truth, n_classes)))


def correct_for_chance(value: float, n_classes: int) -> float:
    """1 if the value is 1, 0 if it is 1 / n_classes."""
    return (value - 1 / n_classes) / (1 - 1 / n_classes)


def chance_corrected_recall(P: Array, truth: Array) -> float:
    """Balanced accuracy of held-out probabilities, corrected for chance; 0 without documents."""
    if len(P) == 0:
        return 0.0
    return correct_for_chance(balanced_accuracy(P.argmax(axis=1), truth, P.shape[1]), P.shape[1])
