"""Numbers that are out of the ordinary: an answer, or a ValueError that names the way out. Never a warning of numpy."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..core.classifier import TransductiveClassifier
from .corpora import set_seed, small_corpus

SCALES = (5e-324, 1e-320, 1e-160, 1e-40, 1e-12, 1e-6, 1e6, 1e12, 1e40, 1e155, 1e300)
WAYS_OUT = ("Divide X by it", "scale", "Scale")


def check_scales(estimator: TransductiveClassifier) -> None:
    """X of any size, in both precisions."""
    X, _, domain, masked = small_corpus(n_docs=10)
    for factor in SCALES:
        _answers_or_refuses(estimator, X * factor, masked, domain, f"X times {factor}")
        if 1e-37 < factor < 1e37:
            _answers_or_refuses(estimator, (X * factor).astype(np.float32), masked, domain, f"float32 X times {factor}")


def check_single_entries(estimator: TransductiveClassifier) -> None:
    """One entry, or the entries of one document or word, much larger or smaller than the others; stored zeros."""
    X, _, domain, masked = small_corpus(n_docs=10)
    for name, changed in _with_odd_entries(X):
        _answers_or_refuses(estimator, changed, masked, domain, name)


def _with_odd_entries(X: sp.csr_array) -> Iterator[tuple[str, sp.csr_array]]:
    for value in (5e-324, 1e-25, 1e9, 1e30, 1.7e308):
        dense = X.toarray()
        dense[3, 5] = value
        yield f"one entry of {value}", sp.csr_array(dense)
        dense = X.toarray()
        dense[4] = dense[4] / dense[4].max() * value
        yield f"one document of {value}", sp.csr_array(dense)
        dense = X.toarray()
        dense[:, 2] = dense[:, 2] / dense[:, 2].max() * value
        yield f"one word of {value}", sp.csr_array(dense)
    zeros = X.copy()
    zeros.data[::3] = 0
    yield "stored zeros", zeros


def _answers_or_refuses(estimator: TransductiveClassifier, X: Any, y: Any, domain: Any, what: str) -> None:
    set_seed(estimator)
    name = type(estimator).__name__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            est = clone(estimator).fit(X, y, domain)
            answers = [est.transduction_proba_, est.predict_proba(X[domain == -3], -3)]
        except ValueError as error:
            answers, message = [], str(error)
    assert answers or any(way in message for way in WAYS_OUT), f"{name}, {what}: no way out in {message}"
    for P in answers:
        assert np.isfinite(P).all(), f"{name}, {what}: {P}"
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-5, err_msg=f"{name}, {what}")
