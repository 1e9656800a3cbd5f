"""Coverage and width of the intervals of a certificate: random samples of tasks with known truth.

The intervals are those of `labelferry.certificate`; each of them includes the running intersection, so an interval
that contains the truth after m answers did so after every answer before. Draws are computed together. For class
proportions with predictions and for recall, "covered" means that the true numbers of mistakes were never rejected,
after any answer, which is at most the coverage of the interval, and the width is that of the intersection over
`LOOKS`, at least that over all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from labelferry.certificate.bounds import count_bounds
from labelferry.certificate.interval import LEVEL, clopper_pearson
from labelferry.certificate.pairs import Part, log_martingale, pair_ranges
from labelferry.certificate.proportions import ENOUGH, class_parts

from ..papers.pools import Array
from .tasks import ReviewTask

SIZES = (20, 40, 80)
LOOKS = (10, 20, 40, 60, 80)  # at which the ends of proportion and recall are computed
N_DRAWS = 200
ACCURATE = 0.85  # the goal for class proportions is about tasks above this accuracy


class Measured(NamedTuple):
    """One interval of one task at one number of answers, over draws."""

    quantity: str
    corpus: str
    task: str
    accuracy: float  # of the labels
    m: int
    coverage: float  # after every answer up to m
    width: float
    plain_coverage: float  # Clopper-Pearson, read once after m answers
    plain_running: float  # Clopper-Pearson, read after every answer up to m
    plain_width: float


def measure(task: ReviewTask, n_draws: int = N_DRAWS, level: float = LEVEL) -> Iterator[Measured]:
    """All intervals of a task."""
    rng = np.random.default_rng(crc32(task.name.encode()))
    rows = np.array([rng.permutation(len(task.labels))[: max(SIZES)] for _ in range(n_draws)])
    correct = task.labels == task.truth
    yield from _counts("accuracy", task, rows, correct, np.ones(len(correct), dtype=bool), level)
    yield from _counts("error without review", task, rows, ~correct, ~task.marked, level)
    for code in range(task.n_classes):
        if (task.labels == code).any():
            yield from _counts("precision", task, rows, correct, task.labels == code, level)
        yield from _class(task, rows, code, level)


def _counts(
    quantity: str, task: ReviewTask, rows: Array, values: Array, part: Array, level: float
) -> Iterator[Measured]:
    """A share among the documents of a part, with the answers that fall into it."""
    inside, n = part[rows], int(part.sum())
    seen = inside.cumsum(axis=1)
    order = np.argsort(~inside, axis=1, kind="stable")  # answers of the part first; what follows is not read
    sample = np.take_along_axis(values[rows], order, axis=1)[:, : seen.max(initial=0)]
    low, high = count_bounds(sample, n, level) if sample.size else (np.zeros(sample.shape), np.zeros(sample.shape))
    truth = values[part].sum()
    k = sample.cumsum(axis=1)
    plain = clopper_pearson(k, np.arange(1, sample.shape[1] + 1), level)
    plain_holds = (plain[0] <= truth / n) & (truth / n <= plain[1])
    for m in SIZES:
        if m <= rows.shape[1]:
            last, have = seen[:, m - 1] - 1, np.flatnonzero(seen[:, m - 1] > 0)
            at = have, last[have]
            until = np.arange(sample.shape[1]) <= last[have, None]
            if len(have):
                yield Measured(
                    quantity, task.corpus, task.name, task.accuracy, m,
                    float(((low[at] <= truth) & (truth <= high[at])).mean()), float((high[at] - low[at]).mean() / n),
                    float(plain_holds[at].mean()), float((plain_holds[have] | ~until).all(axis=1).mean()),
                    float((plain[1][at] - plain[0][at]).mean()),
                )  # fmt: skip


def _class(task: ReviewTask, rows: Array, code: int, level: float) -> Iterator[Measured]:
    """Proportion and recall of a class."""
    n, labels = len(task.labels), task.labels
    is_class, inside = (task.truth == code)[rows], (labels == code)[rows]
    parts = class_parts(labels, code, task.n_classes, task.confidence)
    t1, u = inside.cumsum(axis=1), (inside & ~is_class).cumsum(axis=1)
    t2, v = (~inside).cumsum(axis=1), (~inside & is_class).cumsum(axis=1)
    looks = [m for m in LOOKS if m <= rows.shape[1]]
    ends = np.empty((len(rows), len(looks), 4))
    for i, (j, m) in product(range(len(rows)), enumerate(looks)):
        first = parts.predicted._replace(answered=int(t1[i, m - 1]), mistakes=int(u[i, m - 1]))
        second = parts.others._replace(answered=int(t2[i, m - 1]), mistakes=int(v[i, m - 1]))
        ranges = pair_ranges(first, second, level)
        ends[i, j] = *ranges.difference, *ranges.recall
    lows, highs = np.maximum.accumulate(ends[:, :, ::2], axis=1), np.minimum.accumulate(ends[:, :, 1::2], axis=1)
    true_mistakes = (
        int(((labels == code) & (task.truth != code)).sum()),
        int(((labels != code) & (task.truth == code)).sum()),
    )
    never_rejected = np.logical_and.accumulate(
        log_ratio(parts.predicted, true_mistakes[0], t1, u) + log_ratio(parts.others, true_mistakes[1], t2, v)
        < -np.log1p(-level),
        axis=1,
    )
    with_predictions = parts.predicted.n and task.confidence.mean() >= ENOUGH
    total = int((task.truth == code).sum())
    numbers = clopper_pearson(is_class.cumsum(axis=1), np.arange(1, rows.shape[1] + 1), level)
    at = np.array(looks) - 1
    if with_predictions:
        low, high, holds = lows[:, :, 0] + parts.predicted.n, highs[:, :, 0] + parts.predicted.n, never_rejected
    else:
        all_low, all_high = count_bounds(is_class, n, level)
        low, high, holds = all_low[:, at], all_high[:, at], (all_low <= total) & (total <= all_high)
    k = is_class.cumsum(axis=1)
    yield from _compare("proportion", task, (high - low) / n, holds, total / n, numbers, k >= 0)
    if total:
        hits = total - true_mistakes[1]
        plain = clopper_pearson((is_class & inside).cumsum(axis=1), np.maximum(k, 1), level)
        yield from _compare("recall", task, highs[:, :, 1] - lows[:, :, 1], never_rejected, hits / total, plain, k > 0)


def log_ratio(part: Part, mistakes: int, t: Array, k: Array) -> Array:
    """Log of the martingale of `certificate/pairs.py` for the true number of mistakes, after each answer."""
    table = np.full((int(t.max()) + 1, int(t.max()) + 1), np.inf)
    for answered, found in np.unique(np.stack([t.ravel(), k.ravel()], axis=1), axis=0).tolist():
        state = part._replace(answered=answered, mistakes=found)
        table[answered, found] = log_martingale(state, np.asarray(mistakes))
    values: Array = table[t, k]
    return values


def _compare(
    quantity: str, task: ReviewTask, width: Array, holds: Array, truth: float, plain: tuple[Array, Array], seen: Array
) -> Iterator[Measured]:
    """`width` per look, `holds` after each answer."""
    plain_holds = (plain[0] <= truth) & (truth <= plain[1]) | ~seen
    for j, m in enumerate(LOOKS[: width.shape[1]]):
        if m in SIZES and (have := seen[:, m - 1]).any():
            yield Measured(
                quantity, task.corpus, task.name, task.accuracy, m,
                float(holds[have, m - 1].mean()), float(width[have, j].mean()),
                float(plain_holds[have, m - 1].mean()), float(plain_holds[have, :m].all(axis=1).mean()),
                float((plain[1] - plain[0])[have, m - 1].mean()),
            )  # fmt: skip


def summarize(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """One row per quantity and number of answers; means over corpora of the mean over their tasks and classes.

    Returns coverage on average and on the worst corpus, width, and the same of Clopper-Pearson. "proportion,
    accurate" are the tasks with an accuracy above .85.
    """
    groups: dict[tuple[str, int], list[Measured]] = {}
    for one in measured:
        groups.setdefault((one.quantity, one.m), []).append(one)
        if one.quantity == "proportion" and one.accuracy > ACCURATE:
            groups.setdefault(("proportion, accurate", one.m), []).append(one)
    return [_row(quantity, m, group) for (quantity, m), group in sorted(groups.items())]


def _row(quantity: str, m: int, group: Sequence[Measured]) -> dict[str, Any]:
    corpora = sorted({one.corpus for one in group})

    def mean(name: str) -> dict[str, float]:
        return {c: float(np.mean([getattr(one, name) for one in group if one.corpus == c])) for c in corpora}

    per_corpus = {name: mean(name) for name in Measured._fields[5:]}
    coverage = per_corpus["coverage"]
    worst = min(coverage, key=coverage.__getitem__)
    means = {name: float(np.mean(list(values.values()))) for name, values in per_corpus.items()}
    return {
        "quantity": quantity,
        "answers": m,
        "tasks": len({one.task for one in group}),
        "corpora": len(corpora),
        **means,
        "worst_corpus": worst,
        "worst_coverage": coverage[worst],
        "relative_width": means["width"] / means["plain_width"],
        "coverage_per_corpus": coverage,
    }
