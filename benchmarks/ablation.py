"""What each part of AutoTransfer earns: the answer without it, judged by coefficients of other corpora.

    LABELFERRY_DATA=... python -m benchmarks.ablation [FOLDER]      records of `labelferry bench trust --out FOLDER`

Gains over SourceLR in accuracy / balanced accuracy (means over corpora), the share of tasks that lose more than two
points, and the worst task: by words alone, and with the second view. Coefficients are fitted again without each corpus.
LATER are corpora that came after lambda was chosen; all other choices were made with them in view.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labelferry.ensemble import pool
from labelferry.ensemble.panel import MIXTURES, SOURCE_ONLY, VIEW_MEMBERS
from labelferry.ensemble.pool import SELF_TRAINING, PoolCoefficients
from labelferry_bench.trust.calibrate import Prepared, answer_task, fit_pool, prepare, score, without_view
from labelferry_bench.trust.records import read_records
from labelferry_bench.trust.tasks import all_tasks

LATER = ("assistant_intents", "dialogue_acts", "fakebr_sections", "fakebr_topics")
FREE = (2.0, 0.0, 0.0, 0.0, 0.0)  # a budget that allows every change
COSTS = ((1.0, 1.0), (0.5, 0.5), (0.5, 2.0), (1.0, 2.0), (0.5, 4.0), (1.0, 4.0))  # a and b in (6) of `pool.py`
OPENING = (0.0, 0.5, 1.0)  # t_v in (3)
PRICE = 0.3  # of a task that loses more than two points, in the choice of COSTS and OPENING
Gains = list[tuple[float, float]]  # accuracy and balanced accuracy, per task


class Variation(NamedTuple):
    """A form of the answer: other members or evidence need another fit, other coefficients do not."""

    change: Callable[[Prepared], Prepared] | None = None
    coefficients: Callable[[PoolCoefficients], PoolCoefficients] = lambda c: c


def without(*names: str) -> Variation:
    """The panel without some members."""

    def change(task: Prepared) -> Prepared:
        p = task.record.predictions
        proba = {name: P for name, P in p.proba.items() if name not in names}
        return prepare(replace(task.record, predictions=p._replace(proba=proba)))

    return Variation(change)


def with_stability(value: Callable[[Prepared], float]) -> Variation:
    """Another evidence of clusters instead of sqrt(s r)."""
    return Variation(lambda task: replace(task, evidence=task.evidence._replace(stability=value(task))))


def mixtures_alone(task: Prepared) -> float:
    """s: without SELF_TRAINING there is no r."""
    p = task.record.predictions
    S = {name: P for name, P in task.S.items() if name != SELF_TRAINING}
    return pool.find_evidence(p, S).stability


VARIATIONS = {
    "as it is": Variation(),
    "without LR(common words)": without("LR(common words)"),
    "without LR(self-training)": without(SELF_TRAINING),
    "without SourceNB": without("SourceNB"),
    "without HybridLabelPropagation": without("HybridLabelPropagation"),
    "without the mixtures": without(*MIXTURES),
    "e = h s": with_stability(mixtures_alone),
    "e = h / 2": with_stability(lambda _: 0.5),
    "c_e as fitted": Variation(coefficients=lambda c: c._replace(stability=c.stability / 2)),
    "lambda = 0": Variation(coefficients=lambda c: c._replace(proportions=0.0)),
    "no budget": Variation(coefficients=lambda c: c._replace(budget=FREE)),
    "e_0 = .55": Variation(coefficients=lambda c: c._replace(budget=(*c.budget[:3], 0.55, c.budget[4]))),
}


def main(folder: str = "bench-results") -> None:
    """Print the table."""
    records = read_records([task for task in all_tasks() if task.kind == "plain"], Path(folder) / "trust")
    tasks = [prepare(record) for record in records]
    print(f"{len(tasks)} tasks of {len({r.corpus for r in records})} corpora")
    for name in (SELF_TRAINING, *VIEW_MEMBERS):
        members = [task for task in tasks if name in task.record.predictions.proba]
        show(f"{name} alone", members, [gains(t, t.record.predictions.proba[name].argmax(axis=1)) for t in members])
    as_it_is = leave_one_out(tasks)
    for name, (change, coefficients) in VARIATIONS.items():
        changed = tasks if change is None else [change(task) for task in tasks]
        by_corpus = as_it_is if change is None else leave_one_out(changed)
        for form, some in (("words", [without_view(task) for task in changed]), ("view", changed)):
            if form == "words" or any(task.has_view for task in some):
                answers = [answer_task(t, coefficients(by_corpus[t.record.corpus])).codes for t in some]
                show(f"{name}, {form}", tasks, [gains(t, codes) for t, codes in zip(tasks, answers, strict=True)])
    original = pool.vote_together
    for name, e in (("V' = V", 0.0), ("V' = f V", 1.0)):
        pool.vote_together = lambda Q, V, _, e=e: original(Q, V, e)
        show(f"{name}, view", tasks, [gains(t, answer_task(t, as_it_is[t.record.corpus]).codes) for t in tasks])
    pool.vote_together = original
    vary_limit(tasks, as_it_is)


def vary_limit(tasks: Sequence[Prepared], coefficients: dict[str, PoolCoefficients]) -> None:
    """Other limits with a view: costs (6) and t_v in (3), and those with the best result on the other corpora."""
    corpora, by_limit = np.array([task.record.corpus for task in tasks]), {}
    for limit in product(COSTS, OPENING):
        costs, t_v = limit
        changed = {name: c._replace(costs=costs, budget=(*c.budget[:4], t_v)) for name, c in coefficients.items()}
        values = [gains(t, answer_task(t, changed[t.record.corpus]).codes) for t in tasks]
        by_limit[limit] = np.array(values)
        show(f"costs {costs[0]:g} and {costs[1]:g}, t_v = {t_v:g}, view", tasks, values)
    merit = {limit: values.mean(axis=1) - PRICE * (values < -0.02).mean(axis=1) for limit, values in by_limit.items()}
    nested = np.zeros((len(tasks), 2))
    for corpus in np.unique(corpora):
        others = [c for c in np.unique(corpora) if c != corpus]
        best = max(by_limit, key=lambda limit: np.mean([merit[limit][corpora == c].mean() for c in others]))
        nested[corpora == corpus] = by_limit[best][corpora == corpus]
    show("limit by the other corpora, view", tasks, list(map(tuple, nested)))


def leave_one_out(tasks: Sequence[Prepared]) -> dict[str, PoolCoefficients]:
    """Coefficients for each corpus, fitted on the others."""
    corpora = sorted({task.record.corpus for task in tasks})
    return {corpus: fit_pool([task for task in tasks if task.record.corpus != corpus]) for corpus in corpora}


def gains(task: Prepared, codes: np.ndarray) -> tuple[float, float]:
    """Gains of labels over SourceLR."""
    record = task.record
    before = record.predictions.proba[SOURCE_ONLY].argmax(axis=1)
    accuracy = float((codes == record.yt).mean() - (before == record.yt).mean())
    return accuracy, score(record, codes) - score(record, before)


def show(name: str, tasks: Sequence[Prepared], values: Gains) -> None:
    """Print a row: the corpora but LATER, then LATER."""
    corpora, gain = np.array([task.record.corpus for task in tasks]), np.array(values)
    cells = []
    for some in (~np.isin(corpora, LATER), np.isin(corpora, LATER)):
        names = np.unique(corpora[some])
        mean, losing = (np.mean([v[corpora == c].mean(axis=0) for c in names], axis=0) for v in (gain, gain < -0.02))
        worst = gain[some].min(axis=0)
        cells.append(
            f"{mean[0]:+.3f} / {mean[1]:+.3f}|{losing[0]:.2f} / {losing[1]:.2f}|{worst[0]:+.2f} / {worst[1]:+.2f}"
        )
    print(f"{name}|" + "|".join(cells), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
