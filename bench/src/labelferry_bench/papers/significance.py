"""Paired tests: is the method of a paper significantly better than the others, over the tasks of its table?

A pair is one task: the means over the seeds of the two methods. Tasks are the unit because the claim is about tasks;
starts of one method on one task vary far less than tasks do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

TIE = 5e-4  # accuracies that are equal after rounding to tenths of a percent


def paired_tests(tested: str, methods: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Compare one method with every other method of a table.

    Parameters
    ----------
    tested : str
        The method.
    methods : sequence of str
        Methods in the order of the cells.
    rows : sequence of dict
        Rows of the table, as `tabulate` makes them.

    Returns
    -------
    tests : list of dict
        Per other method: mean difference, numbers of tasks won, tied and lost, and the two-sided p of Wilcoxon's
        signed-rank test over the tasks; None if fewer than six tasks were run with both.
    """
    if tested not in methods:
        return []
    own = methods.index(tested)
    tests = []
    for i, method in enumerate(methods):
        pairs = [(row["cells"][own], row["cells"][i]) for row in rows if row["cells"][own] and row["cells"][i]]
        scores = np.array([(a["mean"], b["mean"]) for a, b in pairs if a["mean"] is not None and b["mean"] is not None])
        if i == own or not len(scores):
            continue
        difference = scores[:, 0] - scores[:, 1]
        tests.append(
            {
                "method": method,
                "difference": float(difference.mean()),
                "won": int((difference > TIE).sum()),
                "tied": int((np.abs(difference) <= TIE).sum()),
                "lost": int((difference < -TIE).sum()),
                "p": float(wilcoxon(difference).pvalue) if len(difference) >= 6 and difference.any() else None,
            }
        )
    return tests
