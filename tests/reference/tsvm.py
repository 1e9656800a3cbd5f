"""Joachims' algorithm with its loops, dense, with one exchange at a time and the squared slack."""

import numpy as np
from scipy.optimize import minimize


def objective(w, b, X, y, cost):
    total = sum(wj * wj for wj in w) / 2
    for x, side, c in zip(X, y, cost, strict=True):
        total += c * max(0.0, 1 - side * (x @ w + b)) ** 2
    return total


def svm(X, y, cost):
    """The minimum of the objective, by a general optimizer without derivatives."""
    n_words = X.shape[1]
    result = minimize(lambda p: objective(p[:-1], p[-1], X, y, cost), np.zeros(n_words + 1), tol=1e-10)
    return result.x[:-1], result.x[-1]


def worst_pair(f, y, unlabelled):
    """The pair m, l with the largest sum of slacks among those that the paper exchanges, or None."""
    best, worst_sum = None, 2 + 1e-9
    for m in unlabelled:
        for l in unlabelled:
            slack_m, slack_l = max(0, 1 - y[m] * f[m]), max(0, 1 - y[l] * f[l])
            if y[m] > 0 > y[l] and slack_m > 0 and slack_l > 0 and slack_m + slack_l > worst_sum:
                best, worst_sum = (m, l), slack_m + slack_l
    return best


def transduce(X, y_labelled, n_positive, C, C_star, first):
    """w, b and the labels of all rows; the labelled ones come first."""
    n = len(y_labelled)
    unlabelled = range(n, len(X))
    w, b = svm(X[:n], y_labelled, np.full(n, C))
    f = X @ w + b
    y = np.append(y_labelled, np.full(len(unlabelled), -1.0))
    for j in sorted(unlabelled, key=lambda j: -f[j])[:n_positive]:
        y[j] = 1.0
    minus, plus = first, first * n_positive / (len(unlabelled) - n_positive)
    while True:
        while True:
            cost = [C if i < n else plus if y[i] > 0 else minus for i in range(len(X))]
            w, b = svm(X, y, cost)
            pair = worst_pair(X @ w + b, y, unlabelled)
            if pair is None:
                break
            y[pair[0]], y[pair[1]] = -1.0, 1.0
        if minus >= C_star and plus >= C_star:
            return w, b, y
        minus, plus = min(2 * minus, C_star), min(2 * plus, C_star)
