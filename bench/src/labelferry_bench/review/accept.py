"""Which labels may be used, measured on tasks with known truth: accepted shares and false claims.

Designs, at the limits 5% and 10%, each with confidence 95%:

    U0, U20, U40   the ladder of `labelferry.certificate`, after learning from 0, 20 or 40 random answers
    A0             a random sample of the whole file, the same tests upwards from the 30% best labels, nothing learned
    file 0, 20     the whole file: people label the rest; after learning from 0 or 20 answers

A run is one draw of the answers to learn from and one random order of the questions; claims are read after every
answer up to 200. Answers that are learned from are counted. "false" is the share of runs with any false claim at any
number of answers. Tasks have the same weight within a corpus, and corpora have the same weight.

`python -m benchmarks.accept FOLDER [CORPUS ...]` prints the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from labelferry.assessment.calibration import load_calibration
from labelferry.certificate.accept import climb, given_answers
from labelferry.certificate.expected import ANSWERS
from labelferry.certificate.finish import file_ladder, looks
from labelferry.certificate.ladder import FRACTIONS, Ladder, make_ladder
from labelferry.certificate.limits import allowed, limits
from labelferry.ensemble.acceptance import Candidates, Neighbors, candidates, find_neighbors

from ..papers.pools import Array
from .panels import PanelTask, chosen_tasks, fit_tasks, read_task
from .profiles import FileLine, compare, file_line, fit_profiles

ERRORS = (0.05, 0.1)
LEARNED = (0, 20, 40)
LOOKS = (40, 80, 100, 120, 160, 200)
PLANNED = [LOOKS.index(m) for m in ANSWERS]
SEEN, OTHERS = "corpora of the calibration", "other corpora"
N_DRAWS, N_ORDERS = 5, 3
ACCURATE = 0.85  # accuracy after learning from the most answers
LOWEST = FRACTIONS.index(0.3)  # of A0
OVERLOOKED, FALSE_ALARMS = 0.2, 0.02  # mistakes of reviewers


class Run(NamedTuple):
    """One design on one task, with one draw and one order."""

    design: str
    error: float
    corpus: str
    task: str
    accepted: tuple[float, ...]  # share of the file, at LOOKS
    false: bool  # any false claim


class Learned(NamedTuple):
    """The labels after learning."""

    known: Array  # answered rows
    labels: Candidates
    wrong: Array


class Measured(NamedTuple):
    """One task, measured."""

    runs: list[Run]
    accuracy: float  # after learning from the most answers, of documents without an answer
    lines: list[FileLine]  # one per draw and number of answers that are learned from


def measure_task(task: PanelTask, n_draws: int = N_DRAWS, n_orders: int = N_ORDERS) -> Measured:
    """All designs of one task."""
    near, result = find_neighbors(task.inputs.coordinates), Measured([], 0.0, [])
    accuracies = []
    for draw, n_learned in product(range(n_draws), LEARNED):
        learned = learn(task, n_learned, draw, near)
        if n_learned == max(LEARNED):
            accuracies.append(1 - float(np.delete(learned.wrong, learned.known).mean()))
        realised = {}
        for error in ERRORS:
            runs = [r for i in range(n_orders) for r in _designs(task, learned, error, draw * n_orders + i, n_learned)]
            realised[error] = np.array([run.accepted for run in runs if run.design == f"U{n_learned}"])
            result.runs.extend(runs)
        result.lines.append(_line(task, learned, {e: shares[:, PLANNED] for e, shares in realised.items()}))
    return result._replace(accuracy=float(np.mean(accuracies)))


def _line(task: PanelTask, learned: Learned, realised: dict[float, Array]) -> FileLine:
    rest = np.setdiff1d(np.arange(task.n), learned.known)
    rest = rest[np.argsort(-learned.labels.score[rest], kind="stable")]
    wrong, p_wrong = learned.wrong[rest], learned.labels.p_wrong[rest]
    return file_line(task.corpus, task.interval[0], wrong, p_wrong, len(learned.known), realised)


def learn(task: PanelTask, n_learned: int, draw: int, near: Neighbors) -> Learned:
    """The labels after learning from random answers."""
    order = np.random.default_rng([crc32(task.name.encode()), draw]).permutation(task.n)
    known = order[: min(n_learned, task.n // 2)]
    labels = candidates(task.inputs, known, task.truth[known], task.p_correct, near)
    return Learned(known, labels, labels.labels != task.truth)


def _designs(task: PanelTask, learned: Learned, error: float, seed: int, n_learned: int) -> Iterator[Run]:
    known, labels, wrong = learned
    ladder = make_ladder(labels.score, labels.p_wrong, error=error, seed=seed, known=known)
    budget, rank = max(LOOKS) - len(known), np.argsort(ladder.place, kind="stable")
    n_wrong = np.append(0, np.cumsum(wrong[rank[: ladder.n_labels]]))

    def run(design: str, sets: Sequence[tuple[int, int]], n_allowed: Callable[[int], int]) -> Run:
        """`sets`: answers and size; `n_allowed`: wrong labels by the claim about a size."""
        shares = [max((n for spent, n in sets if len(known) + spent <= look), default=0) / task.n for look in LOOKS]
        false = any(n_wrong[n] > n_allowed(n) for _, n in sets)
        return Run(design, error, task.corpus, task.name, tuple(shares), false)

    def of_set(n: int) -> int:
        return allowed(n, error)

    yield run(f"U{n_learned}", ladder_sets(ladder, wrong, budget), of_set)
    if n_learned == 0:
        yield run("A0", sample_sets(ladder, wrong, budget), of_set)
    if n_learned <= 20:
        yield run(f"file {n_learned}", file_sets(ladder, wrong, budget), lambda _: allowed(task.n, error))
    if n_learned == 20:
        rng = np.random.default_rng([crc32(task.name.encode()), seed, 7])
        for kind, reviewed, cost in reviewers(wrong, rng):
            yield run(f"U20, {kind}", ladder_sets(ladder, reviewed, budget, cost), of_set)
        outside = make_ladder(labels.score, labels.p_wrong, error=error, seed=seed, known=known, outside=True)
        at_most = dict(zip(outside.sizes, outside.at_most, strict=True))
        yield run("U20, outside", ladder_sets(outside, wrong, budget), lambda n: at_most[n])


def ladder_sets(ladder: Ladder, wrong: Array, budget: int, cost: Array | None = None) -> list[tuple[int, int]]:
    """Answers and size of all sets that are certified."""
    return [(step.more_answers, step.n) for step in climb(ladder, wrong, given_answers(ladder, {}), budget, cost)[1:]]


def sample_sets(ladder: Ladder, wrong: Array, budget: int) -> list[tuple[int, int]]:
    """The same for a random sample of the whole file, upwards from the LOWEST rung."""
    rows, sets, until = ladder.order[:budget], list[tuple[int, int]](), 0
    for n, r in list(zip(ladder.sizes, ladder.at_most, strict=True))[LOWEST:]:
        turns = np.flatnonzero(ladder.place[rows] < n)
        hits = np.flatnonzero(np.cumsum(wrong[rows[turns]]) <= limits(n, r, ladder.tail, len(turns))[1:])
        if not len(hits):
            break
        until = max(until, int(turns[hits[0]]) + 1)
        sets.append((until, n))
    return sets


def file_sets(ladder: Ladder, wrong: Array, budget: int) -> list[tuple[int, int]]:
    """Answers and number of labels to use if people label the rest."""
    seen = looks(file_ladder(ladder), wrong, given_answers(ladder, {}), budget)
    pairs = [pair for look in seen for pair in zip(look.cost.tolist(), look.sizes.tolist(), strict=True)]
    return [(spent, n) for spent, n in pairs if n and 0 < spent <= budget]


def reviewers(wrong: Array, rng: np.random.Generator) -> Iterator[tuple[str, Array, Array | None]]:
    """Kinds of mistakes: which labels people finally call wrong, and the number of answers per document."""
    alarm, missed = rng.random((3, len(wrong))) < FALSE_ALARMS, rng.random((3, len(wrong))) < OVERLOOKED
    for kind, alarms, misses in (
        ("2% false alarms", alarm, np.zeros_like(missed)),
        ("20% overlooked", np.zeros_like(alarm), missed),
        ("both mistakes", alarm, missed),
    ):
        first, second, third = np.where(wrong, ~misses, alarms)  # each person: the label is wrong
        yield kind, first, None
        yield f"{kind}, asked again", first & second, 1 + first.astype(int)
        yield f"{kind}, asked twice", first & (second | third), 1 + first.astype(int) + (first & ~second)


def summarize(runs: Sequence[Run], accuracy: dict[str, float]) -> list[dict[str, Any]]:
    """One row per design and limit.

    Returns `accepted` at LOOKS, on all and on accurate tasks; `false` on average and on the worst corpus.
    """
    rows = []
    for design, error in dict.fromkeys((run.design, run.error) for run in runs):
        group = [run for run in runs if (run.design, run.error) == (design, error)]
        accurate = [run for run in group if accuracy[run.task] > ACCURATE]
        false = {c: float(np.mean([run.false for run in group if run.corpus == c])) for c in {r.corpus for r in group}}
        rows.append(
            {
                "design": design,
                "error": error,
                "runs": len(group),
                "accepted": _over_corpora(group),
                "accurate": _over_corpora(accurate),
                "accurate_tasks": len({run.task for run in accurate}),
                "false": float(np.mean(list(false.values()))),
                "worst": max(false.values()),
            }
        )
    return rows


def _over_corpora(group: Sequence[Run]) -> list[float]:
    """Means over corpora of the means over tasks, at LOOKS."""
    means = []
    for corpus in dict.fromkeys(run.corpus for run in group):
        tasks = dict.fromkeys(run.task for run in group if run.corpus == corpus)
        means.append(np.mean([np.mean([r.accepted for r in group if r.task == t], axis=0) for t in tasks], axis=0))
    return [round(float(x), 4) for x in np.mean(means, axis=0)] if means else [float("nan")] * len(LOOKS)


def run_accept(
    folder: Path,
    *,
    corpora: Sequence[str] | None = None,
    n_draws: int = N_DRAWS,
    n_orders: int = N_ORDERS,
    show: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure which labels may be used; panels that the folder lacks are fitted.

    Returns "accuracy" of each task after learning; "designs" (see `summarize`) for the corpora that the calibration
    of the confidences has seen and for other corpora; "planner" (see `report_planner`).
    """
    runs, accuracy, lines = list[Run](), dict[str, float](), list[FileLine]()
    for path in fit_tasks(chosen_tasks(corpora), folder, show).values():
        task = read_task(path)
        measured = measure_task(task, n_draws, n_orders)
        accuracy[task.name] = measured.accuracy
        runs += measured.runs
        lines += measured.lines
        show(f"{task.name}: accuracy after learning {measured.accuracy:.3f}")
    seen = set(load_calibration().corpora)
    groups = {
        SEEN: [c for c in {run.corpus for run in runs} if c in seen],
        OTHERS: [c for c in {run.corpus for run in runs} if c not in seen],
    }
    return {
        "looks": LOOKS,
        "accuracy": accuracy,
        "designs": {
            name: summarize([r for r in runs if r.corpus in group], accuracy) for name, group in groups.items() if group
        },
        "planner": report_planner(lines, groups),
    }


def report_planner(lines: Sequence[FileLine], groups: dict[str, list[str]]) -> dict[str, Any]:
    """Expected and realised shares per group of corpora, and the coefficients of all corpora."""
    not_learned = [one for one in lines if not one.n_learned]
    learned = [one for one in lines if 0 < one.n_learned <= 20]
    if len({one.corpus for one in lines}) < 2:  # nothing to learn the coefficients from
        return {}
    kinds = {
        "U0, before the first answer": (not_learned, False),
        "U20, before the first answer": (learned, False),
        "U20, after learning": (learned, True),
    }
    return {
        **{
            f"{kind}, {name}": compare(files, frozen=frozen, reported=group)
            for kind, (files, frozen) in kinds.items()
            for name, group in groups.items()
            if group
        },
        "coefficients": {
            "NOT_LEARNED": fit_profiles(not_learned, lambda one: one.before),
            "LEARNED": fit_profiles(learned, lambda one: one.before),
            "FROZEN": fit_profiles(learned, lambda one: one.after),
        },
    }


def table(designs: Sequence[dict[str, Any]]) -> str:
    """The designs as lines of text."""
    lines = [f"{'design':34} limit  accepted after {LOOKS}    accurate tasks               false  worst corpus"]
    for row in designs:
        shares = "  ".join(" ".join(f"{x:.3f}" for x in row[name]) for name in ("accepted", "accurate"))
        lines.append(f"{row['design']:34} {row['error']:5.2f}  {shares}  {row['false']:.3f}  {row['worst']:.3f}")
    return "\n".join(lines)
