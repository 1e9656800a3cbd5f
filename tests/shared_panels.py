"""Panels that tests share: the same documents with the same seed are fitted once per process.

Every label that is assessed needs the predictions of all ten members, and most tests of files, columns and messages
use the same tickets. `fit_panel` is a function of its arguments alone, so its first result serves the later calls.
Tests of the panel itself do not use this.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import joblib
import pytest

from labelferry.core import progress
from labelferry.ensemble.panel import fit_panel

CALLERS = ("ensemble.assessed_fit", "ensemble.fitted_panel")
_fitted: dict[str, tuple[Any, list[str]]] = {}  # the predictions and the announced stages


class Announced:
    """A listener that records the stages."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def expect(self, *stages: str) -> None:
        """The caller of `fit_panel` announces them."""

    def size(self, entries: int, classes: int) -> None:
        """The workflow announces it."""

    def begin(self, stage: str) -> None:
        self.stages.append(stage)

    def step(self, share: float) -> None:
        """No member says it."""


def fit_once(domains: Any, seed: int, second_view: Any = None) -> Any:
    """The result of `fit_panel`, and its stages, from the first call with equal documents, labels and seed."""
    blocks = [(d.X, d.codes, d.rows, d.is_target, d.shares) for d in domains]
    key = joblib.hash((blocks, domains.n_classes, seed, second_view))
    if key not in _fitted:
        announced = Announced()
        with progress.listen(announced):
            _fitted[key] = fit_panel(domains, seed, second_view), announced.stages
    predictions, stages = _fitted[key]
    for stage in stages:
        progress.begin(stage)
    return copy.deepcopy(predictions)


@contextmanager
def use_shared_panels() -> Iterator[None]:
    """Callers of `fit_panel` get shared results inside the block."""
    with pytest.MonkeyPatch.context() as patch:
        for caller in CALLERS:
            patch.setattr(import_module(f"labelferry.{caller}"), "fit_panel", fit_once)
        yield
