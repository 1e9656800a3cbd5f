"""Document clustering by non-negative factors: the multiplicative updates of Xu, Liu and Gong, entry by entry."""

import numpy as np


def objective(U, V, X):
    return 0.5 * sum(
        (X[i, w] - sum(V[i, j] * U[w, j] for j in range(U.shape[1]))) ** 2
        for i in range(X.shape[0])
        for w in range(X.shape[1])
    )


def cycle(U, V, X):
    """u_wj <- u_wj (X'V)_wj / (U V'V)_wj, then v_ij <- v_ij (XU)_ij / (V U'U)_ij."""
    numerator, denominator = X.T @ V, U @ V.T @ V
    U = scaled(U, numerator, denominator)
    numerator, denominator = X @ U, V @ U.T @ U
    return U, scaled(V, numerator, denominator)


def scaled(A, numerator, denominator):
    rows = zip(A, numerator, denominator, strict=True)
    return np.array([[x * a / b if b > 0 else 0.0 for x, a, b in zip(*row, strict=True)] for row in rows])


def normalized(U, V):
    """Columns of U scaled to unit length, V U' unchanged."""
    length = np.array([np.sqrt(sum(u * u for u in column)) for column in U.T])
    return U / length, V * length
