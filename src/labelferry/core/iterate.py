"""iterate: repeat `step`, monitor `objective`, return a Solution."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

State = TypeVar("State")

logger = logging.getLogger(__name__)


class Solution(NamedTuple):
    """What every solver returns."""

    state: Any  # the NamedTuple of the method
    history: tuple[float, ...]  # the objective at the start, at every check, and at the end
    n_iter: int
    converged: bool


def iterate(
    step: Callable[[State], State],
    objective: Callable[[State], float],
    state: State,
    *,
    max_iter: int,
    tol: float,
    check_every: int = 10,
) -> Solution:
    """Repeat `state = step(state)`, at most `max_iter` times.

    The objective is computed every `check_every` iterations, since it may cost as much as a step. The loop has
    converged when it changed by less than `tol` times its first value since the last check; `tol=0` runs all.
    """
    history = [_finite(objective(state), 0)]
    for n_iter in range(1, max_iter + 1):
        state = step(state)
        if n_iter % check_every and n_iter < max_iter:
            continue
        history.append(_finite(objective(state), n_iter))
        logger.debug("iteration %d: objective %.6g", n_iter, history[-1])
        if n_iter % check_every == 0 and abs(history[-2] - history[-1]) < tol * abs(history[0]):
            return Solution(state, tuple(history), n_iter, True)
    return Solution(state, tuple(history), max_iter, False)


def restart(
    step: Callable[[State], State],
    objective: Callable[[State], float],
    start: Callable[[], State],
    *,
    n_init: int,
    max_iter: int,
    tol: float,
    check_every: int = 10,
) -> Solution:
    """`iterate` from each of `n_init` starts; the solution with the lowest final objective, the first one if equal."""
    solutions = (
        iterate(step, objective, start(), max_iter=max_iter, tol=tol, check_every=check_every) for _ in range(n_init)
    )
    return min(solutions, key=lambda solution: solution.history[-1])


def _finite(value: float, n_iter: int) -> float:
    if not math.isfinite(value):
        raise FloatingPointError(
            f"the objective became {value} at iteration {n_iter}: the values of X are too large or too small for "
            "their precision. Scale X (unit-length rows are best) or pass float64."
        )
    return float(value)
