"""Whether the method of a paper is better than its rivals: over the tasks, and within each task over its draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, ttest_rel, wilcoxon

from .pools import Array

TIE = 5e-4  # accuracies that are equal after rounding to tenths of a percent
LEVEL = 0.05
MIN_TASKS, MIN_DRAWS = 6, 3
Scores = dict[str, dict[int, float]]  # per method, the score of each seed


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values: the i-th smallest of m times m - i, made monotone.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(raised, 1)
    return [float(value) for value in adjusted]


def compare(tested: str, rivals: Sequence[str], tasks: Sequence[Scores]) -> list[dict[str, Any]]:
    """Compare a method with each rival.

    Over the tasks: a pair is one task, the means over the seeds; the two-sided p of Wilcoxon's signed-rank test, as it
    is and adjusted by Holm for the number of rivals, None with fewer than six tasks. Within a task: a pair is one seed
    (the same documents for both); paired t-tests, adjusted by Holm for the rivals, at the level .05.
    """
    within = [_within(tested, rivals, scores) for scores in tasks]
    tests: list[dict[str, Any]] = []
    for rival in rivals:
        both = [(_mean(s[tested]), _mean(s[rival])) for s in tasks if s.get(tested) and s.get(rival)]
        if not both:
            continue
        difference = np.array([own - other for own, other in both])
        p = float(wilcoxon(difference).pvalue) if len(difference) >= MIN_TASKS and difference.any() else None
        signs = [signs[rival] for signs in within if rival in signs]
        tests.append(
            {
                "method": rival,
                "difference": float(difference.mean()),
                "won": int((difference > TIE).sum()),
                "tied": int((np.abs(difference) <= TIE).sum()),
                "lost": int((difference < -TIE).sum()),
                "p": p,
                "draws": {"tasks": len(signs), "better": signs.count(1), "worse": signs.count(-1)},
            }
        )
    known = [test for test in tests if test["p"] is not None]
    for test, adjusted in zip(known, holm([test["p"] for test in known]), strict=True):
        test["p_holm"] = adjusted
    return tests


def friedman(methods: Sequence[str], tasks: Sequence[Scores]) -> dict[str, Any] | None:
    """Friedman's test over the tasks on which all methods were run, with the mean rank of each method, 1 the best."""
    complete = [scores for scores in tasks if all(scores.get(method) for method in methods)]
    if len(methods) < 3 or len(complete) < MIN_TASKS:
        return None
    means = np.array([[_mean(scores[method]) for method in methods] for scores in complete])
    ranks = np.array([rankdata(-row) for row in means]).mean(axis=0)
    statistic, p = friedmanchisquare(*means.T)
    return {
        "tasks": len(complete),
        "statistic": float(statistic),
        "p": float(p),
        "ranks": {method: float(rank) for method, rank in zip(methods, ranks, strict=True)},
    }


def _within(tested: str, rivals: Sequence[str], scores: Scores) -> dict[str, int]:
    """Per rival 1, 0 or -1: the method is better, not different, or worse on this task."""
    own, differences = scores.get(tested, {}), {}
    for rival in rivals:
        seeds = sorted(own.keys() & scores.get(rival, {}).keys())
        if len(seeds) >= MIN_DRAWS:
            differences[rival] = np.array([own[seed] - scores[rival][seed] for seed in seeds])
    adjusted = holm([_paired_p(difference) for difference in differences.values()])
    return {
        rival: int(np.sign(difference.mean())) if p <= LEVEL else 0
        for (rival, difference), p in zip(differences.items(), adjusted, strict=True)
    }


def _paired_p(difference: Array) -> float:
    """The p of the paired t-test; 1 without any difference, 0 for one that is the same in all draws."""
    if np.ptp(difference) < 1e-12:
        return 0.0 if abs(difference[0]) > 1e-12 else 1.0
    return float(ttest_rel(difference, np.zeros_like(difference)).pvalue)


def _mean(scores: dict[int, float]) -> float:
    return float(np.mean(list(scores.values())))
