"""The parameters of a method as one line. How methods are written is in `core/method_spec.py`."""

from __future__ import annotations

import json

from ..core.classifier import TransductiveClassifier
from ..core.method_spec import SEED_PARAMETER, make_method, parse_methods

__all__ = ["SEED_PARAMETER", "all_parameters", "make_method", "parse_methods"]


def all_parameters(estimator: TransductiveClassifier) -> str:
    """Write all parameters as one line of JSON. A run with other settings, or other defaults, is another run."""
    return json.dumps({"name": type(estimator).__name__, **estimator.get_params()}, sort_keys=True, default=str)
