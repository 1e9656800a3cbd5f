"""How long a method takes, by measurements: `costs.json`, written by `benchmarks/costs.py`.

    seconds = s (entries / 100,000)^b (classes / 2)^c                                                                (1)

The measured seconds are those of one machine. Ratios are what counts: `core/progress.py` estimates the speed of the
machine from the stages that are finished.

The present table: tasks of 39,000 to 160,000 entries with 2, 3 or 10 classes for all methods; the largest task, 312,000
entries and 10 classes, for AutoTransfer, CoCC, DKT, DTL, EMNaiveBayes and ITCC only. The stages of `label` were
measured again later, with 39,000 to 2,000,000 entries.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).with_name("costs.json")
ENTRIES, CLASSES = 100_000, 2  # of the task that `Cost.seconds` refers to


class Cost(NamedTuple):
    """The coefficients of (1)."""

    seconds: float
    by_entries: float
    by_classes: float

    def of(self, entries: int, classes: int) -> float:
        """Seconds for a task of this size."""
        return float(self.seconds * (entries / ENTRIES) ** self.by_entries * (classes / CLASSES) ** self.by_classes)


class Costs(NamedTuple):
    """Costs by name."""

    methods: Mapping[str, Cost]  # with their default parameters
    stages: Mapping[str, Cost]  # of `label`; members of the panel have other parameters


@cache
def load_costs() -> Costs:
    """The measured costs."""
    tables = json.loads(PATH.read_text(encoding="utf-8"))
    return Costs(**{kind: {name: Cost(*values) for name, values in table.items()} for kind, table in tables.items()})


def seconds_of(stage: str, entries: int, classes: int) -> float:
    """Expected seconds of a stage or method, with or without parameters; the mean of all stages for an unknown one."""
    costs = load_costs()
    cost = costs.stages.get(stage) or costs.methods.get(stage.partition("(")[0])
    if cost is not None:
        return cost.of(entries, classes)
    return sum(other.of(entries, classes) for other in costs.stages.values()) / len(costs.stages)
