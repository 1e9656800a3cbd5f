"""Small matrices with numbers of any size, for every estimator: probabilities, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from tests.estimators import ESTIMATORS, small

from .choices import NUMBERS, Choices
from .rules import REFUSED, attempt, require

NAMES = sorted(ESTIMATORS)
PLAIN = (0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 0.5, 3.0)
SCALES = (1.0, 1e-320, 1e-300, 1e-100, 1e-10, 1e10, 1e100, 1e200, 1e300)


class MatrixCase(NamedTuple):
    """An estimator and its data."""

    estimator: str
    values: tuple[tuple[float, ...], ...]  # rows of the source, then of the target
    labels: tuple[str, ...]  # of the source
    dtype: str = "float64"
    is_sparse: bool = True
    stored_zeros: bool = False


def decode(choices: Choices) -> MatrixCase:
    """Up to 12 documents each and 12 words."""
    name = choices.pick(NAMES)
    n_source, n_target, n_words = 1 + choices.below(12), 1 + choices.below(12), 1 + choices.below(12)
    dtype, is_sparse, zeros = choices.pick(("float64", "float64", "float32", "int64")), choices.flag(), choices.flag(4)
    scale, n_classes = choices.pick(SCALES) if choices.flag(4) else 1.0, 1 + choices.below(4)
    numbers = NUMBERS if choices.flag(4) else PLAIN
    labels = tuple("abcd"[choices.below(n_classes)] for _ in range(n_source))
    rows = range(n_source + n_target)
    values = tuple(tuple(scale * choices.pick(numbers) for _ in range(n_words)) for _ in rows)
    return MatrixCase(name, values, labels, dtype, is_sparse, zeros)


def matrix(case: MatrixCase) -> np.ndarray | sp.csr_array:
    """The documents."""
    with np.errstate(all="ignore"):
        X = np.array(case.values).astype(case.dtype)
    if not case.is_sparse:
        return X
    if not case.stored_zeros:
        return sp.csr_array(X)
    n, m = X.shape
    return sp.csr_array((X.ravel(), np.tile(np.arange(m), n), np.arange(0, n * m + 1, m)), shape=X.shape)


def check(case: MatrixCase, folder: Path) -> str:
    """Fit, and predict the target again."""
    X, n_source = matrix(case), len(case.labels)
    before = X.copy()
    estimator = small(case.estimator)
    source, target = X[:n_source], X[n_source:]
    outcome, _ = attempt(lambda: estimator.transfer(source, np.array(case.labels), target))
    if outcome == REFUSED:
        return REFUSED
    P = estimator.transduction_proba_
    check_probabilities(P, "of the fit")
    outcome, later = attempt(lambda: estimator.predict_proba(target))
    if outcome != REFUSED:
        check_probabilities(later, "of later documents")
    changed = abs(X - before).sum() if np.isfinite(before.data if sp.issparse(before) else before).all() else 0
    require(changed == 0, "the input was changed")
    return outcome


def check_probabilities(P: np.ndarray, which: str) -> None:
    """Finite, not negative, and with the sum one."""
    require(bool(np.isfinite(P).all()), f"probabilities {which} are not finite")
    require(bool((P >= 0).all()), f"probabilities {which} are negative")
    require(bool((abs(P.sum(axis=1) - 1) < 1e-5).all()), f"probabilities {which} do not sum to one")


def seeds() -> list[bytes]:
    """Plain data for every estimator."""
    rng = np.random.default_rng(0)
    return [bytes([i, 9, 9, 9, 0, 0, 0, 0, 2, 0]) + rng.bytes(250) for i in range(len(NAMES))]


def plain(estimator: str, scale: float, **settings: bool) -> MatrixCase:
    """Ten documents of two classes, multiplied by a number."""
    rng = np.random.default_rng(0)
    values = rng.integers(4, size=(20, 9)) * scale
    return MatrixCase(estimator, tuple(map(tuple, values.tolist())), ("a", "b") * 5, **settings)


PAST = {
    "infinite numbers of both signs": MatrixCase(
        "SmoothedLR", ((float("inf"), float("-inf")), (1.0, 0.0), (0.0, 1.0)), ("a", "b"), is_sparse=False
    ),
    "MTrick, stored zeros": plain("MTrick", 1.0, stored_zeros=True),
    "MTrick, small numbers": plain("MTrick", 1e-160),
    "SourceSVM, large numbers": plain("SourceSVM", 1e120),
    "AutoTransfer, large numbers": plain("AutoTransfer", 1e200),
    "TCL, large numbers": plain("TCL", 1e200),
}
