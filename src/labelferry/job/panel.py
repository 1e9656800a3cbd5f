"""A job's documents as the estimators take them, and who is asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..auto.assess import assess
from ..auto.auto_transfer import AutoTransfer, at_home, target_documents
from ..auto.blend import MIXTURES, SOURCE
from ..auto.panel import Answers, ask, make_panel
from ..linalg.matrix import Array, stack_rows
from ..transfer.base import TransductiveClassifier
from ..transfer.documents import read_documents
from ..transfer.domains import Domains, read_domains
from ..transfer.registry import find
from .features import Features
from .inputs import Inputs

TARGET = "target"
WITNESSES = (SOURCE, *MIXTURES)  # fast, and what it takes to tell clusters from other classes


class Stacked(NamedTuple):
    """What `fit` takes."""

    X: Any
    y: Array
    domain: Array

    def domains(self) -> Domains:
        return read_domains(*self, target=TARGET, use_target_labels=False, estimator="label")


class Outcome(NamedTuple):
    name: str
    estimator: TransductiveClassifier  # fitted
    proba: Array  # target rows x classes, calibrated
    review: Array  # target rows
    found: Any  # an Assessment


def make(method: str, seed: int) -> TransductiveClassifier:
    """The estimator of that name, with that seed where it has one."""
    estimator = find(method)()
    return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator


def stack(inputs: Inputs, found: Features) -> Stacked:
    """Sources first. The target's labels are never looked at."""
    sizes = [*(len(source.texts) for source in inputs.sources), found.Xt.shape[0]]
    labels = np.concatenate([source.labels for source in inputs.sources])
    y = np.concatenate([labels, np.repeat(labels[:1], sizes[-1])])
    return Stacked(stack_rows([*found.Xs, found.Xt]), y, np.repeat([*names_of(inputs), TARGET], sizes))


def names_of(inputs: Inputs) -> list[str]:
    """One a source, all different, none the target's. A single one needs no name of its own."""
    if len(inputs.sources) == 1:
        return ["source"]
    names: list[str] = []
    for i, source in enumerate(inputs.sources, 1):
        names.append(source.name if source.name not in (TARGET, *names) else f"source {i}: {source.name}")
    return names


def answer(
    inputs: Inputs,
    found: Features,
    method: TransductiveClassifier | None,
    seed: int,
    target_error: float,
    begin: Callable[[str], None],
) -> Outcome:
    """What the method says of the target, or the blend of the panel where none is given, and how far to trust it."""
    data = stack(inputs, found)
    if method is None:
        auto = AutoTransfer(target_error, random_state=seed)
        auto.fit(*data, target=TARGET, begin=begin)
        return Outcome("AutoTransfer", auto, auto.transduction_proba_, auto.needs_review_, auto.state_)
    name = type(method).__name__
    data = data._replace(X=read_documents(method, data.X, reset=True))  # what is wrong with X is told before it begins
    begin(name)
    began = time.perf_counter()
    method.fit(*data, target=TARGET)
    seconds = time.perf_counter() - began
    domains = data.domains()
    others = {who: member for who, member in make_panel(seed).items() if who in WITNESSES and who != name}
    asked = ask(others, domains, begin)
    P = np.asarray(method.transduction_proba_, dtype=np.float64)
    answers = Answers({name: P, **asked.proba}, {name: seconds, **asked.seconds})
    judged = assess(P, answers, target_documents(domains), at_home(domains), {name: 1.0}, target_error)
    empty = method.transduction_empty_  # these keep the shares of the classes, as in the panel's answer
    proba = np.where(empty[:, None], method.transduction_proba_, judged.proba)
    return Outcome(name, method, proba, judged.review | empty, judged)
