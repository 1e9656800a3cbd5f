"""What answers tell about labels: released labels, estimates and class proportions, on tasks with known truth.

    LABELFERRY_DATA=data labelferry bench trust results/records
    LABELFERRY_DATA=data python -m benchmarks.after_answers results/records [CORPUS ...]

The tasks are those of `labelferry bench trust`, at most PER_CORPUS of a corpus; answers are the true labels of random
documents. The answer of the panel is combined by coefficients that were fitted without the corpus of the task. "chosen"
has CAUTION and FEW of `assessment/recalibration.py` as they are best on the other corpora: the largest released share
whose pooled error at 40 answers is at most GOAL times the target. Means are over corpora, runs above the target and the
pooled error over runs.
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
from labelferry.assessment.coordinates import coordinates
from labelferry.assessment.estimate import Estimate
from labelferry.ensemble.after_answers import AfterAnswers, after_answers
from labelferry.ensemble.labelled_pool import PoolInputs, keep_inputs
from labelferry.ensemble.pool import combine
from labelferry.ensemble.queries import query_coordinates
from labelferry_bench.review.rivals import draw
from labelferry_bench.trust.calibrate import Prepared, fit_pool, prepare
from labelferry_bench.trust.records import path_of, read_record
from labelferry_bench.trust.tasks import PLAIN, TrustTask, all_tasks

PER_CORPUS, N_DRAWS, SIZES, TARGETS = 5, 3, (5, 10, 20, 40, 100), (0.05, 0.1)
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


def inputs_of(task: TrustTask, prepared: Prepared, others: Sequence[Prepared], folder: Path) -> PoolInputs:
    """The answer of the panel by coefficients without this corpus, with coordinates that are kept in the folder."""
    path = folder / "coordinates" / path_of(task, folder).name
    if not path.is_file():
        path.parent.mkdir(exist_ok=True)
        np.savez_compressed(path, Z=query_coordinates(coordinates(task.load().Xt)).astype(np.float32))
    predictions = prepared.record.predictions
    with np.load(path) as file:
        return keep_inputs(combine(predictions, fit_pool(others)).proba, predictions.proba, file["Z"])


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
    tasks: dict[str, list[TrustTask]] = defaultdict(list)
    for task in all_tasks(corpora or None):
        if task.kind == PLAIN and path_of(task, folder).is_file() and len(tasks[task.corpus]) < PER_CORPUS:
            tasks[task.corpus].append(task)
    prepared = {c: [prepare(read_record(path_of(t, folder))) for t in group] for c, group in tasks.items()}
    runs = []
    for corpus, group in tasks.items():
        others = [p for c, ps in prepared.items() if c != corpus for p in ps]
        for task, one in zip(group, prepared[corpus], strict=True):
            runs += list(measure(task.name, corpus, inputs_of(task, one, others, folder), one.record.yt))
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
