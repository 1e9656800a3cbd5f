"""Shares of the classes in the target, as the user gives them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linalg.matrix import Array
from .domains import Domains


def class_shares(class_prior: Any, domains: Domains) -> Array:
    """The given array, the shares among the given labels for "source", equal shares for any other word."""
    if isinstance(class_prior, str):
        return domains.class_prior if class_prior == "source" else np.full(domains.n_classes, 1 / domains.n_classes)
    pi = np.asarray(class_prior, dtype=np.float64)
    if pi.shape != (domains.n_classes,) or not (pi > 0).all() or abs(pi.sum() - 1) > 1e-6:
        raise ValueError(
            f"class_prior must hold one share a class, in the order {domains.classes.tolist()}, each above 0, and sum "
            f"to 1; got {pi.tolist()}. Divide by the sum; leave a class that cannot occur out of the sources."
        )
    return pi
