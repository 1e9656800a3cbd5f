"""Learning from 40 answers, measured over corpora.

Columns, as gains over SourceLR on documents that nobody answered:

    no_answers      the answer of the panel without answers (`ensemble/pool.py`)
    second_source   answered documents as a second source (`rivals.py`)
    alone           logistic regression on the answered documents alone (`rivals.py`)
    best_member     the member with the most correct labels among the answers
    random          the default learner (`ensemble/labelled_pool.py`), documents chosen at random
    suggested       the default learner, documents of `AutoTransfer.suggest`
    unseen          the default learner with the ridges that are best on the other corpora, documents at random

Tasks have the same weight within a corpus, and corpora have the same weight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from labelferry.assessment.agreement import balanced_accuracy
from labelferry.ensemble.labelled_pool import RIDGES, PoolInputs, Ridges, fit_with_terms, make_terms, predict
from labelferry.ensemble.pool import combine, load_coefficients
from labelferry.ensemble.queries import typical_documents

from ..papers.pools import Array
from ..trust.records import Record, path_of, read_record
from ..trust.tasks import PLAIN, TrustTask, all_tasks
from .rivals import N_ANSWERS, N_DRAWS, Rivals, draw, rivals_of

GRID = tuple(Ridges(*r) for r in product((8.0, 16.0, 32.0), (4.0,), (0.3, 0.6)))
COLUMNS = ("no_answers", "second_source", "alone", "best_member", "random", "suggested", "unseen")
Gains = dict[Any, list[Array]]  # per column, or per value of GRID: one pair (accuracy, balanced accuracy) per draw


def run_learning(
    folder: Path,
    *,
    corpora: Sequence[str] | None = None,
    unseen: bool = True,
    show: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure what 40 answers are worth.

    `unseen`: whether to choose the ridges on the other corpora as well, which takes most of the time.
    """
    names, gains = [], []
    for task in all_tasks(corpora):
        if task.kind != PLAIN or not path_of(task, folder).is_file():
            continue
        record = read_record(path_of(task, folder))
        names.append((record.corpus, record.name))
        gains.append(measure(task, record, folder, GRID if unseen else ()))
        show(f"{record.name}: {np.mean(gains[-1]['random'], axis=0)[0]:+.3f}")
    return report(names, choose_ridges(names, gains) if unseen else gains)


def measure(task: TrustTask, record: Record, folder: Path, grid: Sequence[Ridges]) -> Gains:
    """The gains of one task, for all columns and all ridges of the grid."""
    rivals = rivals_of(task, record, folder)
    answer = combine(record.predictions, load_coefficients())
    inputs = PoolInputs(answer.proba, record.predictions.proba, rivals.coordinates, unlimited=answer.before_budget)
    terms, gains = make_terms(inputs), Gains()
    for number in range(N_DRAWS):
        documents = draw(record.name, len(record.yt), number)
        before = _score(record, record.predictions.source_only.argmax(axis=1)[documents.scored], documents.scored)

        def learn(rows: Array, ridges: Ridges = RIDGES, scored: Array = documents.scored) -> Array:
            pool = fit_with_terms(inputs, terms, rows, record.yt[rows], ridges)
            codes: Array = predict(inputs, terms, pool, scored).argmax(axis=1)
            return codes

        labels: dict[Any, Array] = _rivals(record, rivals, answer.proba, number)
        labels["random"] = learn(documents.answered)
        others = np.setdiff1d(np.arange(len(record.yt)), documents.candidates)
        rng = np.random.default_rng(number)
        suggested = typical_documents(rivals.coordinates, len(documents.answered), others, rng)
        labels["suggested"] = learn(suggested)
        labels |= {ridges: learn(documents.answered, ridges) for ridges in grid}
        for name, codes in labels.items():
            gains.setdefault(name, []).append(_score(record, codes, documents.scored) - before)
    return gains


def _rivals(record: Record, rivals: Rivals, answer: Array, number: int) -> dict[Any, Array]:
    documents, members = draw(record.name, len(record.yt), number), record.predictions.proba
    answered, scored = documents.answered, documents.scored
    correct = {m: (P[answered].argmax(axis=1) == record.yt[answered]).mean() for m, P in members.items()}
    P = {
        "no_answers": answer,
        "second_source": rivals.second_source[number],
        "alone": rivals.alone[number],
        "best_member": members[max(correct, key=lambda m: correct[m])],
    }
    return {name: values[scored].argmax(axis=1) for name, values in P.items()}


def _score(record: Record, codes: Array, rows: Array) -> Array:
    truth = record.yt[rows]
    return np.array([(codes == truth).mean(), balanced_accuracy(codes, truth, record.n_classes)])


def choose_ridges(names: Sequence[tuple[str, str]], gains: Sequence[Gains]) -> list[Gains]:
    """Add the column "unseen": the ridges with the largest mean gain on the other corpora."""
    corpora = np.array([corpus for corpus, _ in names])
    table = np.array([[np.mean(task[ridges]) for ridges in GRID] for task in gains])
    means = {corpus: table[corpora == corpus].mean(axis=0) for corpus in dict.fromkeys(corpora.tolist())}
    best = {
        corpus: GRID[
            int(np.mean([m for other, m in means.items() if other != corpus] or [*means.values()], axis=0).argmax())
        ]
        for corpus in means
    }
    return [{**task, "unseen": task[best[corpus]]} for task, (corpus, _) in zip(gains, names, strict=True)]


def report(names: Sequence[tuple[str, str]], gains: Sequence[Mapping[Any, list[Array]]]) -> dict[str, Any]:
    """Plain values: `tasks`, `answers`, `corpora` (one dict per corpus), `mean` over corpora, `worst` task.

    Each column has a pair: the gain in accuracy and in balanced accuracy over SourceLR.
    """
    corpora = np.array([corpus for corpus, _ in names])
    columns = {name: np.array([np.mean(task[name], axis=0) for task in gains]) for name in COLUMNS if name in gains[0]}
    per_corpus = {
        corpus: {name: values[corpora == corpus].mean(axis=0) for name, values in columns.items()}
        for corpus in sorted(set(corpora.tolist()))
    }
    mean = {name: np.mean([row[name] for row in per_corpus.values()], axis=0) for name in columns}
    return {
        "tasks": len(names),
        "answers": N_ANSWERS,
        "corpora": [
            {"corpus": corpus, "tasks": int((corpora == corpus).sum()), **_plain(row)}
            for corpus, row in per_corpus.items()
        ],
        "mean": _plain(mean),
        "worst": _plain({name: values.min(axis=0) for name, values in columns.items()}),
        "behind": {
            name: max(float((row[name] - row["random"]).max()) for row in per_corpus.values())
            for name in ("second_source", "alone")
        },
    }


def _plain(row: Mapping[str, Array]) -> dict[str, list[float]]:
    return {name: [round(float(v), 4) for v in values] for name, values in row.items()}
