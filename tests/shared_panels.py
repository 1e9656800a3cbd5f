"""Panels and text settings that tests share: those of the same documents are made once.

Every label that is assessed needs the predictions of all ten members, and most tests of files, columns and messages
use the same tickets. `fit_panel` is a function of its arguments alone, so its first result serves the later calls. It
is a file in a folder of the run, so it does not matter which process gets which test. The text settings, chosen by
cross-validation, are kept per process. Tests of the panel and of the settings do not use this.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import joblib
import pytest
from filelock import FileLock

from labelferry.core import progress
from labelferry.ensemble.panel import fit_panel
from labelferry.text.settings import choose_settings

CALLERS = ("ensemble.assessed_fit", "ensemble.fitted_panel")


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


def folder_of_run(base: Path) -> Path:
    """The folder that all processes of a run share, by the temporary folder of this process."""
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "panels"


def fit_once(folder: Path, domains: Any, seed: int, second_view: Any = None) -> Any:
    """The result of `fit_panel`, and its stages, from the first call with equal documents, labels and seed."""
    blocks = [(d.X, d.codes, d.rows, d.is_target, d.shares) for d in domains]
    path = folder / joblib.hash((blocks, domains.n_classes, seed, second_view))
    with FileLock(f"{path}.lock"):  # the other processes wait for the first one
        if not path.exists():
            announced = Announced()
            with progress.listen(announced):
                fitted = fit_panel(domains, seed, second_view), announced.stages
            draft = path.with_suffix(".draft")
            draft.write_bytes(pickle.dumps(fitted))
            draft.replace(path)
    predictions, stages = pickle.loads(path.read_bytes())
    for stage in stages:
        progress.begin(stage)
    return predictions


CHOSEN: dict[str, Any] = {}


def choose_once(texts: Any, labels: Any, *arguments: Any, sources: Any = None) -> Any:
    """The text settings that the first call with equal arguments chose."""
    key = joblib.hash((list(texts), [str(label) for label in labels], arguments, sources))
    if key not in CHOSEN:
        CHOSEN[key] = choose_settings(texts, labels, *arguments, sources=sources)
    return CHOSEN[key]


@contextmanager
def use_shared_panels(folder: Path) -> Iterator[None]:
    """Callers of `fit_panel` get the results of a folder inside the block."""
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for caller in CALLERS:
            patch.setattr(import_module(f"labelferry.{caller}"), "fit_panel", partial(fit_once, folder))
        patch.setattr("labelferry.inputs.features.choose_settings", choose_once)
        yield
