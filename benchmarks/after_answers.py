"""What answers tell about labels: released labels, estimates and class proportions, on tasks with known truth.

    LABELFERRY_DATA=data python -m benchmarks.after_answers FOLDER [CORPUS ...]

The tasks and FOLDER are those of `benchmarks.accept`: fitted panels; those that it lacks are fitted first. Answers are
the true labels of random documents.

The answer of the panel is combined by coefficients that were fitted without the corpus of the task. "chosen" has
CAUTION and FEW of `assessment/recalibration.py` as they are best on the other corpora: the largest released share
whose pooled error at 40 answers is at most GOAL times the target. Means are over corpora, runs above the target and
the pooled error over runs.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labelferry.assessment import recalibration
from labelferry.assessment.agreement import balanced_accuracy
from labelferry.assessment.confidence import needs_review
from labelferry.assessment.estimate import Estimate
from labelferry.ensemble.after_answers import AfterAnswers, after_answers
from labelferry.ensemble.labelled_pool import PoolInputs, keep_inputs
from labelferry.ensemble.pool import PoolCoefficients, combine
from labelferry_bench.review.panels import COORDINATES, chosen_tasks, fit_tasks
from labelferry_bench.review.rivals import draw
from labelferry_bench.trust.calibrate import Prepared, fit_pool, prepare
from labelferry_bench.trust.records import read_record

N_DRAWS, SIZES, TARGETS = 3, (5, 10, 20, 40, 100), (0.05, 0.1)
GRID = tuple(product((0.3, 0.4, 0.5, 0.6, 0.8), (0, 20, 40)))  # CAUTION, FEW
GOAL = 0.8


class Run(NamedTuple):
    """One task after some answers."""

    corpus: str
    m: int
    accuracy: tuple[float, float, float]  # error of the estimate, whether the interval holds, width
    balanced: tuple[float, float, float]
    proportions: tuple[float, float, float]  # total variation, share of intervals that hold, mean width
    released: dict[tuple[float, float, float], tuple[int, int, int]]  # target and GRID: released, wrong, documents


def inputs_of(path: Path, prepared: Prepared, coefficients: PoolCoefficients) -> PoolInputs:
    """The answer of the panel by coefficients without this corpus, with the coordinates beside it."""
    predictions = prepared.record.predictions
    with np.load(path.parent / COORDINATES / path.name, allow_pickle=False) as file:
        return keep_inputs(combine(predictions, coefficients).proba, predictions.proba, file["coordinates"])


def measure(name: str, corpus: str, inputs: PoolInputs, y: np.ndarray) -> Iterator[Run]:
    """All runs of a task."""
    for number, m in product(range(N_DRAWS), SIZES):
        rows = draw(name, len(y), number, m).answered
        if len(rows) == m:
            learned = after_answers(inputs, rows, y[rows])
            found, correct = learned.found, learned.labels == y
            true = np.bincount(y, minlength=inputs.n_classes) / len(y)
            p, balanced = found.proportions, balanced_accuracy(learned.labels, y, inputs.n_classes)
            inside = np.mean((p.low <= true) & (true <= p.high))
            yield Run(
                corpus,
                m,
                compare(found.accuracy, float(correct.mean())),
                compare(found.balanced_accuracy, balanced),
                (float(np.abs(p.mean - true).sum() / 2), float(inside), float((p.high - p.low).mean())),
                dict(release(learned, correct)),
            )


def compare(estimate: Estimate, truth: float) -> tuple[float, float, float]:
    """Error, whether the interval holds, width."""
    return abs(estimate.mean - truth), float(estimate.low <= truth <= estimate.high), estimate.high - estimate.low


def release(learned: AfterAnswers, correct: np.ndarray) -> Iterator[tuple[tuple[float, float, float], tuple[int, ...]]]:
    """Labels without a mark among the documents without an answer, for all targets and cautions."""
    held, free = learned.held_out_labels, np.setdiff1d(np.arange(len(correct)), learned.rows)
    n_classes, P = learned.pooled.shape[1], learned.pooled[free]
    fitted = recalibration.recalibrate(learned.held_out.max(axis=1), held, held == learned.codes, n_classes)
    for caution, few in GRID:
        cautious = fitted.cautious(P.max(axis=1), P.argmax(axis=1), caution, few)
        for target in TARGETS:
            kept = ~needs_review(cautious, target)
            yield (target, caution, few), (int(kept.sum()), int((~correct[free][kept]).sum()), len(free))


def summary(runs: Sequence[Run], target: float, settings: dict[str, tuple[float, float]]) -> tuple[float, float, float]:
    """Released share, pooled error, share of runs above the target; the settings are per corpus."""
    shares, counts = defaultdict(list), []
    for run in runs:
        kept, wrong, n = run.released[(target, *settings[run.corpus])]
        shares[run.corpus].append(kept / n)
        counts.append((kept, wrong))
    kept, wrong = np.array(counts).T
    above = (wrong > target * kept).mean()
    return float(np.mean([np.mean(s) for s in shares.values()])), float(wrong.sum() / max(kept.sum(), 1)), float(above)


def choose(runs: Sequence[Run], corpora: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Per corpus, the settings that release most on the others within the goal."""
    chosen = {}
    for corpus in corpora:
        others = [run for run in runs if run.corpus != corpus and run.m == 40]
        fits = {g: summary(others, 0.1, dict.fromkeys(corpora, g)) for g in GRID}
        within = {g: fit for g, fit in fits.items() if fit[1] <= GOAL * 0.1} or fits
        chosen[corpus] = max(within, key=lambda g: within[g][0])
    return chosen


def mean(runs: Sequence[Run], field: str, i: int) -> float:
    """Mean over corpora."""
    values = defaultdict(list)
    for run in runs:
        values[run.corpus].append(getattr(run, field)[i])
    return float(np.mean([np.mean(v) for v in values.values()]))


def main(folder: Path, corpora: Sequence[str]) -> None:
    """Measure all tasks and print the tables."""
    tasks: dict[str, list[tuple[Path, Prepared]]] = defaultdict(list)
    for task, path in fit_tasks(chosen_tasks(corpora or None), folder).items():
        tasks[task.corpus].append((path, prepare(read_record(path))))
    runs = []
    for corpus, group in tasks.items():
        coefficients = fit_pool([one for c, pairs in tasks.items() if c != corpus for _, one in pairs])
        for path, one in group:
            runs += list(measure(one.record.name, corpus, inputs_of(path, one, coefficients), one.record.yt))
    names = list(tasks)
    shipped = dict.fromkeys(names, (recalibration.CAUTION, recalibration.FEW))
    chosen = choose(runs, names)
    print(f"{len(runs)} runs, {len(names)} corpora; chosen: {sorted(set(chosen.values()))}")
    for m in SIZES:
        some = [run for run in runs if run.m == m]
        for target, (name, settings) in product(TARGETS, (("shipped", shipped), ("chosen", chosen))):
            print(f"{m:4} answers, target {target}, {name:8}", *(f"{v:.3f}" for v in summary(some, target, settings)))
    for m, field in product(SIZES, ("accuracy", "balanced", "proportions")):
        some = [run for run in runs if run.m == m]
        print(f"{m:4} answers, {field:12}", *(f"{mean(some, field, i):.4f}" for i in range(3)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
