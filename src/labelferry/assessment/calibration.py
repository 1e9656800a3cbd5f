"""The fitted coefficients: a small data file written by `labelferry bench calibrate`.

The file names the corpora, the date and its own leave-one-corpus-out report.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from .confidence import ConfidenceCoefficients
from .estimate import EstimateCoefficients
from .new_classes import NewClassCoefficients

FILE = "calibration.json"


class MemberLimits(NamedTuple):
    """Limits on kappa(member, answer) - kappa(SourceLR, answer)."""

    worse_below: float
    better_above: float


class Levels(NamedTuple):
    """Limits of the verdict."""

    safe_from: float  # lower end of balanced accuracy
    unsafe_below: float  # estimate of balanced accuracy


class Calibration(NamedTuple):
    """All coefficients. Those of the pool are read by `labelferry.ensemble`."""

    pool: dict[str, Any]
    balanced: EstimateCoefficients
    accuracy: EstimateCoefficients
    confidence: ConfidenceCoefficients
    members: MemberLimits
    levels: Levels
    new_classes: NewClassCoefficients
    corpora: tuple[str, ...]
    date: str
    report: dict[str, Any]  # leave-one-corpus-out

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the file."""
        return {k: v._asdict() if hasattr(v, "_asdict") else v for k, v in self._asdict().items()}


def from_dict(values: dict[str, Any]) -> Calibration:
    """The calibration that `as_dict` gives."""
    types: dict[str, Any] = {
        "balanced": EstimateCoefficients,
        "accuracy": EstimateCoefficients,
        "confidence": ConfidenceCoefficients,
        "members": MemberLimits,
        "levels": Levels,
        "new_classes": NewClassCoefficients,
    }
    nested = {name: types[name](**value) if name in types else value for name, value in values.items()}
    return Calibration(**{**nested, "corpora": tuple(nested["corpora"])})


@cache
def load_calibration() -> Calibration:
    """The calibration that is part of this version of labelferry."""
    return from_dict(json.loads(files(__package__).joinpath(FILE).read_text(encoding="utf-8")))
