r"""Fit all coefficients of AutoTransfer over corpora, and test them on corpora that were not in the fit.

    pool         class-balanced log-likelihood of (2) in `ensemble/pool.py`, L-BFGS; c_e is then multiplied by SHARPNESS
    estimates    least squares with weights >= 0 on the chance-corrected scale (`assessment/estimate.py`), quantiles of
                 leave-one-corpus-out errors, separate ones for tasks whose signals contradict each other
    confidence   logistic regression with weights >= 0 on documents (`assessment/confidence.py`)
    members      at most 5% of the members that are 5 points better are called worse, and at most 3% of those that are
                 5 points worse are called better
    levels       the smallest lower end from which at most MAX_UNSAFE of the answers are below 80% accuracy, and none
                 below 65%, on corpora that were not in the fit; plus MARGIN, because few answers are near it
    new classes  scales of the two contrasts, and the limit that is exceeded on MAX_ALARMS of the complete tasks
                 (`assessment/new_classes.py`)

Every corpus has weight one, shared by its tasks; the limits of the levels count tasks. LAMBDA, SHARPNESS, BUDGET,
COSTS, MAX_UNSAFE, MARGIN, UNSAFE_BELOW and the form of the estimate were chosen with results on all corpora in view, so
they are not tested on unseen corpora: docs/methods/auto.md has the alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize, nnls
from scipy.special import expit, softmax

from labelferry.assessment.agreement import balanced_accuracy, correct_for_chance, kappa
from labelferry.assessment.assessment import Assessment, assess
from labelferry.assessment.calibration import Calibration, Levels, MemberLimits
from labelferry.assessment.confidence import ConfidenceCoefficients, confidence_features
from labelferry.assessment.estimate import MAX_ESTIMATE, EstimateCoefficients, estimate, features
from labelferry.assessment.new_classes import Clusters, NewClassCoefficients, statistic
from labelferry.assessment.signals import Signals
from labelferry.ensemble.panel import VIEW_MEMBERS
from labelferry.ensemble.pool import (
    Evidence,
    PoolCoefficients,
    PooledAnswer,
    coefficients_from,
    combine_members,
    equally_confident,
    find_evidence,
    weight_features,
)

from ..papers.pools import Array
from .records import Record

LAMBDA, SHARPNESS, BUDGET, COSTS = 0.2, 2.0, (0.02, 0.15, 2.0, 0.45, 1.0), (0.5, 4.0)
LEVEL = 0.9
N_DOCUMENTS = 100  # per task, in the fit of the pool; twice as many for the confidence
RIDGE, START, MAX_ITER = 0.01, -2.6, 40  # of the fit of the pool
MAX_UNSAFE, MIN_SAFE_ACCURACY, LEAST_SAFE_ACCURACY, MARGIN = 0.05, 0.8, 0.65, 0.04
UNSAFE_BELOW = 0.55
MIN_CONFLICTS = 10  # tasks with contradicting signals, to fit a factor for them
GAIN = 0.05  # of a member that is clearly better or worse
TARGET_ERROR = 0.05
MAX_ALARMS = 0.02  # share of complete tasks with documents that are marked as those of no class


class Judged(NamedTuple):
    """A task with its answer, the signals, its assessment and the truth."""

    record: Record
    answer: PooledAnswer
    codes: Array
    kappas: Array  # of the answer with each member
    signals: Signals
    accuracy: float  # share of correct labels; documents of classes that the source lacks are wrong
    balanced: float
    assessment: Assessment | None = None


def answer_task(task: Prepared, coefficients: PoolCoefficients) -> Judged:
    """The answer to a task, with its signals."""
    record, p = task.record, task.record.predictions
    answer = combine_members(p, task.S, task.evidence, coefficients)
    codes = answer.proba.argmax(axis=1)
    kappas = np.array([kappa(codes, member) for member in p.codes.values()])
    signals = p.signals(kappas)
    accuracy = float((codes == record.yt).mean())
    return Judged(record, answer, codes, kappas, signals, accuracy, score(record, codes))


def score(record: Record, codes: Array) -> float:
    """Balanced accuracy on the classes that the source has."""
    return balanced_accuracy(codes[record.known], record.yt[record.known], record.n_classes)


@dataclass(frozen=True)
class Prepared:
    """A record with what the fit of the pool needs."""

    record: Record
    S: dict[str, Array]
    evidence: Evidence

    @property
    def has_view(self) -> bool:
        return self.record.predictions.with_view is not None


def prepare(record: Record) -> Prepared:
    """Make the members equally confident, and find the evidence."""
    S = equally_confident(record.predictions.proba)
    return Prepared(record, S, find_evidence(record.predictions, S))


def without_view(task: Prepared) -> Prepared:
    """The same task by words alone: coefficients are fitted on both forms, because users have both."""
    p = task.record.predictions
    proba = {name: P for name, P in p.proba.items() if name not in VIEW_MEMBERS}
    record = replace(task.record, predictions=p._replace(proba=proba, with_view=None))
    return replace(task, record=record, evidence=task.evidence._replace(views=0.0))


def corpus_weights(records: Sequence[Record]) -> Array:
    """One per corpus, shared by its tasks."""
    corpora = np.array([record.corpus for record in records])
    names, inverse, counts = np.unique(corpora, return_inverse=True, return_counts=True)
    return np.asarray(1 / counts[inverse] / len(names))


# -- the pool ---------------------------------------------------------------------------------------------------------
def fit_pool(tasks: Sequence[Prepared]) -> PoolCoefficients:
    """c in (1) of `ensemble/pool.py`."""
    names = tuple(dict.fromkeys(name for task in tasks for name in task.S))
    weights = corpus_weights([task.record for task in tasks])
    data = [_pool_data(task, names) for task in tasks]
    M = len(names)

    def loss(theta: Array) -> tuple[float, Array]:
        penalty = np.append(np.full(M, RIDGE), [0.02 * RIDGE] * 2)
        value, gradient = 0.5 * float(penalty @ theta[1:] ** 2), np.append(0.0, penalty * theta[1:])
        for (F, L, n_classes, y, w, present), weight in zip(data, weights, strict=True):
            a = np.exp(theta[0] + theta[1 : M + 1] + F @ theta[M + 1 :]) * present
            P = softmax((L @ a).reshape(-1, n_classes), axis=1)
            rows = np.arange(len(y))
            value -= weight * float(w @ np.log(np.maximum(P[rows, y], 1e-12)))
            P[rows, y] -= 1
            d = (P * w[:, None]).ravel() @ L * weight * a
            gradient[0] += d.sum()
            gradient[1 : M + 1] += d
            gradient[M + 1 :] += F.T @ d
        return value, gradient

    theta = np.append(START, np.zeros(M + 2))
    bounds = [(None, None)] * (M + 1) + [(0, None)] * 2
    options = {"maxiter": MAX_ITER}
    theta = minimize(loss, theta, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    members = dict(zip(names, theta[1 : M + 1].tolist(), strict=True))
    agreement, stability = float(theta[-2]), SHARPNESS * float(theta[-1])
    return PoolCoefficients(float(theta[0]), members, agreement, stability, LAMBDA, BUDGET, COSTS)


def _pool_data(task: Prepared, names: Sequence[str]) -> tuple[Array, Array, int, Array, Array, Array]:
    """Features of all members, log S of a sample of the documents, and weights: half of them equal per class."""
    y_all = task.record.yt
    rows = np.random.default_rng(0).permutation(len(y_all))[:N_DOCUMENTS]
    y, n_classes = y_all[rows], task.record.n_classes
    counts = np.bincount(y, minlength=n_classes)
    w = 0.5 / len(y) + 0.5 / ((counts > 0).sum() * np.maximum(counts[y], 1))
    F, L, present = np.zeros((len(names), 2)), np.zeros((len(y) * n_classes, len(names))), np.zeros(len(names))
    columns = [names.index(name) for name in task.S]
    F[columns] = weight_features(task.S, task.evidence)
    L[:, columns] = np.stack([np.log(P[rows]).ravel() for P in task.S.values()], axis=1)
    present[columns] = 1
    return F, L, n_classes, y, w, present


# -- the estimates ----------------------------------------------------------------------------------------------------
def fit_estimate(judged: Sequence[Judged], truth: Callable[[Judged], float]) -> EstimateCoefficients:
    """c and q in `assessment/estimate.py`."""
    corpora = np.array([j.record.corpus for j in judged])
    K = np.array([j.record.n_classes for j in judged])
    X = np.array([features(j.signals) for j in judged])
    values = np.array([truth(j) for j in judged])
    y = np.array([correct_for_chance(v, k) for v, k in zip(values, K, strict=True)])
    weights = corpus_weights([j.record for j in judged])
    errors = np.zeros(len(y))
    for corpus in np.unique(corpora):
        here = corpora == corpus
        rest = ~here if not here.all() else here
        c, c0 = _non_negative(X[rest], y[rest], weights[rest])
        errors[here] = values[here] - (1 / K + (1 - 1 / K) * np.clip(X @ c + c0, 0, MAX_ESTIMATE))[here]
    c, c0 = _non_negative(X, y, weights)
    contradict = np.array([j.signals.contradict for j in judged])
    r = conflict_factor(np.abs(errors), corpora, contradict)
    scaled = errors / np.where(contradict, r, 1.0)
    two_sided, one_sided = (corpus_quantile(e, corpora, LEVEL) for e in (np.abs(scaled), -scaled))
    product, confident, views = c.tolist()
    return EstimateCoefficients(c0, product, confident, views, two_sided, one_sided, r)


def conflict_factor(errors: Array, corpora: Array, contradict: Array) -> float:
    """r in `assessment/estimate.py`: the quantile of tasks with contradicting signals, divided by that of the others.

    At least 1; also 1 if one of the groups has fewer than MIN_CONFLICTS tasks.
    """
    if min(contradict.sum(), (~contradict).sum()) < MIN_CONFLICTS:
        return 1.0
    with_conflict, without = (corpus_quantile(errors[m], corpora[m], LEVEL) for m in (contradict, ~contradict))
    return max(1.0, with_conflict / max(without, 1e-9))


def _non_negative(X: Array, y: Array, weights: Array) -> tuple[Array, float]:
    """Least squares with weights >= 0 and a free constant."""
    w = np.sqrt(weights)[:, None]
    ones = np.ones((len(y), 1))
    c = nnls(np.hstack([X, ones, -ones]) * w, y * w.ravel())[0]
    return c[:-2], float(c[-2] - c[-1])


def corpus_quantile(values: Array, corpora: Array, level: float) -> float:
    """Quantile with weight one per corpus, shared by its tasks."""
    names, inverse, counts = np.unique(corpora, return_inverse=True, return_counts=True)
    order = np.argsort(values)
    total = np.cumsum((1 / counts[inverse] / len(names))[order])
    return float(values[order][min(int(np.searchsorted(total, level - 1e-12)), len(values) - 1)])


# -- confidence, members, levels --------------------------------------------------------------------------------------
def fit_confidence(judged: Sequence[Judged], balanced: EstimateCoefficients) -> ConfidenceCoefficients:
    """b in `assessment/confidence.py`."""
    weights = corpus_weights([j.record for j in judged])
    X, y, w = [], [], []
    for j, weight in zip(judged, weights, strict=True):
        a = estimate(j.signals, j.record.n_classes, balanced).mean
        rows = np.random.default_rng(0).permutation(len(j.codes))[: 2 * N_DOCUMENTS]
        X.append(confidence_features(j.answer.proba, j.record.predictions.codes, a)[rows])
        y.append((j.codes == j.record.yt)[rows])
        w.append(np.full(len(rows), weight / len(rows)))
    X_all, y_all, w_all = np.concatenate(X), np.concatenate(y), np.concatenate(w)

    def loss(b: Array) -> tuple[float, Array]:
        p = expit(b[0] + X_all @ b[1:])
        likelihood = np.where(y_all, np.log(p + 1e-12), np.log(1 - p + 1e-12))
        d = w_all * (p - y_all)
        return float(-w_all @ likelihood + 5e-4 * b[1:] @ b[1:]), np.append(d.sum(), X_all.T @ d + 1e-3 * b[1:])

    start, bounds = np.array([0.0, 0.5, 0.5, 0.5]), [(None, None), *[(0, None)] * 3]
    b = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    constant, a, votes, rank = b.tolist()
    return ConfidenceCoefficients(constant, a, votes, rank)


class MemberScores(NamedTuple):
    """All members of all tasks but SourceLR."""

    score: Array  # kappa(member, answer) - kappa(SourceLR, answer)
    gain: Array  # balanced accuracy compared with SourceLR
    corpora: Array


def member_scores(judged: Sequence[Judged]) -> MemberScores:
    """Score and gain of each member."""
    rows = []
    for j in judged:
        base, *gains = (score(j.record, codes) for codes in j.record.predictions.codes.values())
        rows += [(k - j.kappas[0], g - base, j.record.corpus) for k, g in zip(j.kappas[1:], gains, strict=True)]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return MemberScores(*columns)


def fit_members(scores: MemberScores) -> MemberLimits:
    """The limits of the verdict on a member."""

    def limit(mask: Array, values: Array, share: float) -> float:
        if not mask.any():
            return -2.0  # below all differences of kappas: no member is called so
        _, inverse, counts = np.unique(scores.corpora[mask], return_inverse=True, return_counts=True)
        order = np.argsort(values[mask])
        total = np.cumsum((1 / counts[inverse] / len(counts))[order])
        return float(values[mask][order][min(int(np.searchsorted(total, share)), len(order) - 1)])

    worse = limit(scores.gain > GAIN, scores.score, 0.05)
    return MemberLimits(min(worse, 0.0), max(-limit(scores.gain < -GAIN, -scores.score, 0.03), 0.0))


def fit_levels(judged: Sequence[Judged], lower: Array) -> Levels:
    """The smallest lower end from which answers may be called safe; `lower`: from corpora that were not in the fit."""
    accuracy = np.array([j.accuracy for j in judged])
    for limit in np.arange(0.5, 1.0, 0.01):
        safe = accuracy[lower >= limit]
        if len(safe) and (safe < MIN_SAFE_ACCURACY).mean() <= MAX_UNSAFE and safe.min() >= LEAST_SAFE_ACCURACY:
            return Levels(float(round(limit + MARGIN, 2)), UNSAFE_BELOW)
    return Levels(1.0, UNSAFE_BELOW)


# -- new classes -------------------------------------------------------------------------------------------------------
def fit_new_classes(complete: Sequence[Clusters], corpora: Array) -> NewClassCoefficients:
    """Scales and limit in `assessment/new_classes.py`, from tasks without a new class."""
    measured = [i for i, clusters in enumerate(complete) if len(clusters.cluster)]
    if not measured:
        return NewClassCoefficients(1.0, 1.0, np.inf)
    tasks, corpora = [complete[i] for i in measured], np.asarray(corpora)[measured]
    _, inverse, counts = np.unique(corpora, return_inverse=True, return_counts=True)
    squares = [(task.contrasts[task.cluster] ** 2).mean(axis=0) for task in tasks]
    a, b = np.maximum(np.sqrt(np.average(squares, axis=0, weights=1 / counts[inverse])), 1e-9).tolist()
    scaled = NewClassCoefficients(a, b, np.inf)
    statistics = np.array([statistic(task, scaled) for task in tasks])
    return scaled._replace(limit=corpus_quantile(statistics, corpora, 1 - MAX_ALARMS))


# -- all together -----------------------------------------------------------------------------------------------------
def calibrate(records: Sequence[Record]) -> tuple[Calibration, list[Judged], list[Judged]]:
    """All coefficients from the ordinary tasks; and every task, judged by coefficients from other corpora.

    Tasks with texts are judged with their second view; in the last list, all ordinary tasks by words alone.
    """
    tasks = [prepare(record) for record in records]
    plain = [task for task in tasks if task.record.kind == "plain"]
    plain += [without_view(task) for task in plain if task.has_view]
    corpora = sorted({task.record.corpus for task in plain})
    by_corpus = {c: _fit_all([t for t in plain if t.record.corpus != c]) for c in corpora}
    judged = [judge_task(task, by_corpus[task.record.corpus]) for task in tasks]
    by_words = [judge_task(task, by_corpus[task.record.corpus]) for task in plain if not task.has_view]
    everything = _fit_all(plain)
    return everything._replace(corpora=tuple(corpora), date=date.today().isoformat()), judged, by_words


def _fit_all(plain: Sequence[Prepared]) -> Calibration:
    coefficients = fit_pool([task for task in plain if not task.has_view])  # each task once
    answers = [answer_task(task, coefficients) for task in plain]
    balanced = fit_estimate(answers, lambda j: j.balanced)
    accuracy = fit_estimate(answers, lambda j: j.accuracy)
    lower = _unseen_lower(answers)
    return Calibration(
        pool=coefficients._asdict(),
        balanced=balanced,
        accuracy=accuracy,
        confidence=fit_confidence(answers, balanced),
        members=fit_members(member_scores(answers)),
        levels=fit_levels(answers, lower),
        new_classes=fit_new_classes(
            [j.record.facts.clusters for j in answers], np.array([j.record.corpus for j in answers])
        ),
        corpora=tuple(sorted({j.record.corpus for j in answers})),
        date="",
        report={},
    )


def _unseen_lower(judged: Sequence[Judged]) -> Array:
    """The lower end of each task by an estimate that has not seen its corpus."""
    corpora = np.array([j.record.corpus for j in judged])
    lower = np.zeros(len(judged))
    for corpus in np.unique(corpora):
        c = fit_estimate([j for j in judged if j.record.corpus != corpus], lambda j: j.balanced)
        for i in np.flatnonzero(corpora == corpus).tolist():
            lower[i] = estimate(judged[i].signals, judged[i].record.n_classes, c).lower
    return lower


def judge_task(task: Prepared, calibration: Calibration) -> Judged:
    """The answer to a task and its assessment by a calibration."""
    judged = answer_task(task, coefficients_from(calibration.pool))
    assessment = assess(
        judged.answer.proba,
        task.record.predictions,
        task.record.facts,
        classes=[str(c) for c in range(task.record.n_classes)],
        weights=judged.answer.weights,
        target_error=TARGET_ERROR,
        calibration=calibration,
    )
    return judged._replace(assessment=assessment)
