r"""How many labels may be used, expected and realised; and the coefficients of `certificate/expected.py`.

Every file has its line (a, b): the logistic regression of its wrong labels on their places by score, with a weak prior.
The lines are regressed on what is known before, with equal weight of the corpora: B, and C from the residuals. For the
report of a corpus, B and C come from the other corpora.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from labelferry.certificate.expected import ANSWERS, ESTIMATES, LEAST, Profiles, draw_lines, fit_line, places, simulate
from labelferry.certificate.ladder import TAIL

from ..papers.pools import Array

PRIOR_MEAN, PRIOR_SD = np.array([-1.0, 0.5]), np.array([3.0, 1.0])


class FileLine(NamedTuple):
    """One file with one draw of answers to learn from."""

    corpus: str
    n: int
    n_learned: int
    before: Array  # x before the first answer
    after: Array  # x after learning
    line: Array  # (a, b)
    realised: dict[float, Array]  # per limit: shares of the file, runs x ANSWERS


def file_line(
    corpus: str, estimated: float, wrong: Array, p_wrong: Array, n_learned: int, realised: dict[float, Array]
) -> FileLine:
    """The line of a file; `wrong` and `p_wrong`: of the labels without an answer, the best one first."""
    before = np.array([1.0, -logit(np.clip(estimated, *ESTIMATES))])
    after = np.append(1.0, fit_line(logit(np.clip(p_wrong, LEAST, 1 - LEAST))))
    return FileLine(corpus, len(wrong) + n_learned, n_learned, before, after, true_line(wrong), realised)


def true_line(wrong: Array) -> Array:
    """(a, b) of labels that are ordered by score."""
    h, wrong = places(len(wrong)), np.asarray(wrong, dtype=float)

    def loss(line: Array) -> tuple[float, Array]:
        z = line[0] + line[1] * h
        distance = (line - PRIOR_MEAN) / PRIOR_SD
        residual = expit(z) - wrong
        value = float((np.logaddexp(0, z) - wrong * z).sum() + 0.5 * distance @ distance)
        return value, np.array([residual.sum(), residual @ h]) + distance / PRIOR_SD

    line: Array = minimize(loss, PRIOR_MEAN, jac=True, method="L-BFGS-B").x
    return line


def fit_profiles(files: Sequence[FileLine], x: Callable[[FileLine], Array]) -> Profiles:
    """B and C; every corpus has the same weight."""
    corpora = [one.corpus for one in files]
    weights = np.array([1 / corpora.count(corpus) for corpus in corpora])
    X, L = np.array([x(one) for one in files]), np.array([one.line for one in files])
    root = np.sqrt(weights)[:, None]
    B = np.linalg.lstsq(X * root, L * root, rcond=None)[0]
    rest = L - X @ B
    C = (rest * weights[:, None]).T @ rest / weights.sum()
    (aa, ab), (_, bb) = C.round(3).tolist()
    return Profiles(tuple((a, b) for a, b in B.round(3).tolist()), ((aa, ab), (ab, bb)))


def compare(files: Sequence[FileLine], *, frozen: bool, reported: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Expected and realised shares, one row per limit: means over corpora, at ANSWERS; errors of the corpora's means.

    `frozen`: after learning; otherwise before the first answer. `reported`: corpora; none: all.
    """

    def x(one: FileLine) -> Array:
        return one.after if frozen else one.before

    corpora = list(reported or dict.fromkeys(one.corpus for one in files))
    profiles = {c: fit_profiles([one for one in files if one.corpus != c], x) for c in corpora}
    rows = []
    for error in files[0].realised:
        values: dict[str, list[Array]] = {c: [] for c in corpora}
        for one in (one for one in files if one.corpus in values):
            lines = draw_lines(x(one), profiles[one.corpus], 32)
            expected = simulate(one.n, lines, error, TAIL, one.n_learned, ANSWERS)
            mean, low, high = np.array([[e.n, e.low, e.high] for e in expected]).T / one.n
            runs = one.realised[error]
            inside = ((runs >= low - 0.5 / one.n) & (runs <= high + 0.5 / one.n)).mean(axis=0)
            real = runs.mean(axis=0)
            values[one.corpus].append(np.array([mean, real, np.abs(mean - real), inside]))
        means = np.array([np.mean(values[c], axis=0) for c in corpora])
        of_corpora = np.abs(means[:, 0] - means[:, 1]).mean(axis=0)
        table = [*means.mean(axis=0), of_corpora]
        names = ("expected", "realised", "mean_error", "in_range", "error_of_corpora")
        rows.append({"error": error, **{name: row.round(3).tolist() for name, row in zip(names, table, strict=True)}})
    return rows
