"""Invariants: what must not change an answer does not change it.

An answer is what `fit` and `predict_proba` say about the target's documents. It must be the same if

    target rows, source rows, columns   are given in another order (the answers in that order)
    class names                         sort in another order
    empty column                        X has columns of zeros more
    form                                X is dense instead of sparse
    scale                               X, or each of its rows, is multiplied by a power of two: only for estimators
                                        that say so with `ignores_scale`

"The same" is defined here, once: see `same_answer`. An estimator names an invariant that it does not have, with the
reason, in `exceptions`; everything else is an error. In a problem that `Problem.is_symmetric`, two documents, words or
classes can be exchanged and the problem stays as it is. A method that starts at random has to prefer one of them, and
only the order can say which. Changes of order are then allowed to change the answer.
"""

from __future__ import annotations

import pickle
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..core.classifier import TransductiveClassifier
from ..core.persist import load
from ..linalg.normalize import scale_rows
from .corpora import set_seed
from .problems import KINDS, Problem, make_problem

ROUNDING = 1e-6  # probabilities that differ by less are equal
EXAMPLES = 6  # problems per check


class Answer(NamedTuple):
    """What a fit says about the target's documents; the columns are the classes 0, 1, ..."""

    proba: np.ndarray  # of the documents of the fit
    later: np.ndarray  # of the same documents as new ones


class Change(NamedTuple):
    """A change of the problem that must not change the answer."""

    name: str
    problem: Problem
    target_order: np.ndarray  # document i of the changed target is document target_order[i] of the first
    names: np.ndarray  # class c has this name
    of_order: bool  # does it change the order of something?


def same_answer(first: Answer, second: Answer) -> bool:
    """All probabilities are equal within `ROUNDING`: a label may change only if its margin is below twice that."""
    return all(np.abs(a - b).max(initial=0) <= ROUNDING for a, b in zip(first, second, strict=True))


def answer(estimator: TransductiveClassifier, problem: Problem, change: Change | None = None) -> Answer | str:
    """The answer, in the order of the unchanged problem; or the message of the ValueError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            est = clone(estimator).fit(problem.X, problem.y, problem.domain)
            proba, later = est.transduction_proba_, est.predict_proba(problem.X[problem.in_target])
    except ValueError as error:
        return str(error)
    if change is None:
        return Answer(proba, later)
    back = np.argsort(change.target_order)
    return Answer(proba[back][:, change.names], later[back][:, change.names])


def changes(problem: Problem, ignores_scale: str, rng: np.random.Generator) -> Iterator[Change]:
    """Every change alone."""
    n, m = problem.X.shape
    n_classes = int(problem.y.max()) + 1
    same, same_names = np.arange(int(problem.in_target.sum())), np.arange(n_classes)
    for name, moved in (("target rows", problem.in_target), ("source rows", ~problem.in_target)):
        rows = np.arange(n)
        rows[moved] = rng.permutation(rows[moved])
        yield _reordered(name, problem, rows)
    yield Change("columns", problem.with_X(problem.X[:, rng.permutation(m)]), same, same_names, True)
    names = rng.permutation(n_classes)
    yield Change("class names", problem.rename(names), same, names, True)
    yield Change("empty column", problem.with_X(_with_empty_columns(problem.X)), same, same_names, False)
    yield Change("form", problem.with_X(problem.X.toarray()), same, same_names, False)
    if ignores_scale != "no":
        scaled = scale_rows(problem.X, _powers_of_two(n, ignores_scale, rng))
        yield Change("scale", problem.with_X(scaled), same, same_names, False)


def all_at_once(problem: Problem, ignores_scale: str, rng: np.random.Generator) -> Change:
    """All changes in one, so that one fit tests them."""
    n, m = problem.X.shape
    names = rng.permutation(int(problem.y.max()) + 1)
    order = _reordered("all", problem, rng.permutation(n))
    X = scale_rows(order.problem.X, _powers_of_two(n, ignores_scale, rng))
    X = _with_empty_columns(X)[:, rng.permutation(m + 2)].toarray()
    return order._replace(problem=order.problem.rename(names).with_X(X), names=names)


def violations(estimator: TransductiveClassifier, problem: Problem, seed: int = 0) -> list[str]:
    """Names of the invariants that an estimator breaks on a problem, those of `exceptions` too; [] if it refuses it."""
    set_seed(estimator)
    first = answer(estimator, problem)
    if isinstance(first, str):
        return []
    broken = [name for name, holds in _conditions(estimator, problem, first) if not holds]
    together = all_at_once(problem, estimator.ignores_scale, np.random.default_rng(seed))
    second = answer(estimator, together.problem, together)
    if not isinstance(second, str) and same_answer(first, second):
        return broken
    each = list(changes(problem, estimator.ignores_scale, np.random.default_rng(seed)))
    found = []
    for change in each:
        changed = answer(estimator, change.problem, change)
        if isinstance(changed, str) or not same_answer(first, changed):
            found.append(change)
    if found and all(change.of_order for change in found) and problem.is_symmetric(estimator.ignores_scale):
        return [*broken, "symmetry"]
    alone = [change.name for change in found]
    if not alone and not problem.is_symmetric(estimator.ignores_scale):
        alone = ["all changes at once"]
    return broken + alone


def check_invariants(estimator: TransductiveClassifier) -> None:
    """On random problems, only the invariants that the estimator names in `exceptions` are broken."""
    for seed, problem in enumerate(sample_problems()):
        unnamed = {*violations(estimator, problem, seed)} - {*estimator.exceptions, "symmetry"}
        assert not unnamed, f"{type(estimator).__name__} breaks {sorted(unnamed)} on sample problem {seed}"


def check_copies(estimator: TransductiveClassifier) -> None:
    """A fit again, a pickled and a saved estimator give the same answer; the input does not change."""
    set_seed(estimator)
    for problem in list(sample_problems())[:2]:
        before = [problem.X.data.copy(), problem.X.indices.copy(), problem.y.copy(), problem.domain.copy()]
        first = answer(estimator, problem)
        if isinstance(first, str):
            continue
        after = [problem.X.data, problem.X.indices, problem.y, problem.domain]
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True)), "the input was changed"
        np.testing.assert_equal(answer(estimator, problem), first)
        est = clone(estimator).fit(problem.X, problem.y, problem.domain)
        target = problem.X[problem.in_target]
        with tempfile.TemporaryDirectory() as folder:
            est.save(Path(folder) / "model.npz")
            for copy in (pickle.loads(pickle.dumps(est)), load(Path(folder) / "model.npz")):
                np.testing.assert_array_equal(copy.predict_proba(target), first.later)
                np.testing.assert_array_equal(copy.transduction_proba_, first.proba)


def sample_problems() -> Iterator[Problem]:
    """A few problems of each kind."""
    for seed in range(EXAMPLES):
        yield make_problem(
            seed=seed,
            n_documents=8 + 5 * seed,
            n_words=6 + 7 * seed,
            n_classes=2 + seed % 3,
            n_sources=1 + seed % 2,
            kind=KINDS[seed % len(KINDS)],
            n_duplicates=seed % 4,
            n_empty=seed % 3,
            n_single=(seed + 1) % 3,
        )


def _conditions(estimator: TransductiveClassifier, problem: Problem, first: Answer) -> Iterator[tuple[str, bool]]:
    yield "finite", all(np.isfinite(P).all() for P in first)
    yield "sum", all(np.allclose(P.sum(axis=1), 1, atol=ROUNDING) for P in first)
    yield "range", all(((P >= 0) & (P <= 1 + ROUNDING)).all() for P in first)


def _reordered(name: str, problem: Problem, rows: np.ndarray) -> Change:
    number = np.cumsum(problem.in_target) - 1
    order = number[rows[problem.in_target[rows]]]
    return Change(name, problem.take(rows), order, np.arange(int(problem.y.max()) + 1), True)


def _with_empty_columns(X: Any) -> Any:
    return sp.csr_array(sp.hstack([X[:, :1] * 0, X, sp.csr_array((X.shape[0], 1))], format="csr"))


def _powers_of_two(n: int, ignores_scale: str, rng: np.random.Generator) -> np.ndarray:
    """Exact factors of the rows."""
    powers = rng.integers(-6, 7, size=n) if ignores_scale == "rows" else np.full(n, int(rng.integers(-6, 7)))
    return np.exp2(powers if ignores_scale != "no" else np.zeros(n))
