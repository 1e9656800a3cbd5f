"""What one would do without labelferry, with and without labels of some new documents, on the same tasks.

    LABELFERRY_DATA=... python -m benchmarks.alternatives [FOLDER]   records of `labelferry bench trust --out FOLDER`

PER_CORPUS ordinary tasks of every corpus with texts, chosen by a checksum of their names, at most MAX_SIDE documents
per side and at least MIN_NEW new ones. Answers are the true labels of random new documents; all are scored on the same
other half of the new documents. An answered document counts as WEIGHT labelled ones. labelferry's coefficients are
those of other corpora. Means over the tasks, accuracy / balanced accuracy.

    words                    logistic regression, tf-idf, C = 10, balanced classes
    words, self-training     the same in SelfTrainingClassifier of scikit-learn, with its default settings
    MiniLM, wordllama        logistic regression on the vectors, which are not fine-tuned; C = 10, balanced classes
    words and vectors        logistic regression on both, side by side
    answers alone            on vectors, without the labelled documents of the other domain
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import SelfTrainingClassifier

from labelferry.assessment.agreement import balanced_accuracy
from labelferry.assessment.coordinates import coordinates
from labelferry.ensemble.after_answers import after_answers
from labelferry.ensemble.fitted_panel import pool_coordinates
from labelferry.ensemble.labelled_pool import PoolInputs
from labelferry.ensemble.panel import fit_panel
from labelferry.ensemble.pool import PoolCoefficients, combine
from labelferry.text.encoders import MINILM, WORDLLAMA, is_installed
from labelferry_bench.review.panels import chosen_tasks
from labelferry_bench.review.rivals import draw
from labelferry_bench.trust.calibrate import fit_pool, prepare
from labelferry_bench.trust.records import as_domains, read_records, view_of
from labelferry_bench.trust.tasks import PLAIN, TaskData, TrustTask, all_tasks

PER_CORPUS, MAX_SIDE, MIN_NEW, SIZES, WEIGHT = 2, 500, 400, (0, 60, 200), 10
MODELS = [model for model in (WORDLLAMA, MINILM) if is_installed(model)]
Scores = dict[tuple[str, int], tuple[float, float]]  # by method and number of answers: accuracy, balanced accuracy


def tasks() -> Iterator[tuple[TrustTask, TaskData]]:
    """The first tasks of each corpus that are large enough and have texts."""
    done: Counter[str] = Counter()
    for task in chosen_tasks(per_corpus=None):
        if done[task.corpus] < PER_CORPUS:
            small = replace(task, n_source=min(task.n_source, MAX_SIDE), n_target=min(task.n_target, MAX_SIDE))
            data = small.load()
            if data.texts is not None and len(data.yt) >= MIN_NEW:
                done[task.corpus] += 1
                yield small, data


def classifier() -> LogisticRegression:
    """What everybody would write."""
    return LogisticRegression(C=10, class_weight="balanced", max_iter=1000)


def linear(Xs: Any, ys: np.ndarray, Xt: Any, rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Labels of the target by the labelled documents, which may be none, and the answers."""
    X = sp.vstack([Xs, Xt[rows]]).tocsr() if sp.issparse(Xs) else np.vstack([Xs, Xt[rows]])
    codes, weights = np.append(ys, y), np.append(np.ones(len(ys)), np.full(len(y), float(WEIGHT)))
    if len(np.unique(codes)) < 2:
        return np.full(Xt.shape[0], codes[0])
    return np.asarray(classifier().fit(X, codes, sample_weight=weights).predict(Xt))


def self_training(Xs: Any, ys: np.ndarray, Xt: Any, rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same, and then by its own confident labels; an answered document is there WEIGHT times."""
    X = sp.vstack([Xs, Xt[np.repeat(rows, WEIGHT)], Xt]).tocsr()
    codes = np.concatenate([ys, np.repeat(y, WEIGHT), np.full(Xt.shape[0], -1)])
    return np.asarray(SelfTrainingClassifier(classifier()).fit(X, codes).predict(Xt))


def inputs_of(data: TaskData, model: str | None, coefficients: PoolCoefficients) -> PoolInputs:
    """labelferry's labels, and what it learns from answers with."""
    domains = as_domains(data)
    view = None if model is None else view_of(data, model)
    predictions = fit_panel(domains, 0, view)
    z = pool_coordinates(coordinates(domains.target_documents()), domains, view if predictions.view_weight else None)
    answer = combine(predictions, coefficients)
    return PoolInputs(answer.proba, predictions.proba, z, unlimited=answer.before_budget)


def learned(inputs: PoolInputs, rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    """labelferry's labels after answers."""
    return after_answers(inputs, rows, y).labels if len(rows) else np.asarray(inputs.start.argmax(axis=1))


def measure(name: str, data: TaskData, coefficients: PoolCoefficients) -> Scores:
    """All methods on a task."""
    n, n_s, n_classes = len(data.yt), len(data.ys), len(data.classes)
    order = np.argsort(np.concatenate([np.argsort(data.source_of, kind="stable"), np.arange(n_s, n_s + n)]))
    Z = {m: np.asarray(view_of(data, m))[order] for m in MODELS}  # in the order of the texts
    ours = {m or "words alone": inputs_of(data, m, coefficients) for m in (None, *MODELS)}
    scores: Scores = {}
    _, candidates, scored = draw(name, n, 0)
    for m in SIZES:
        rows = candidates[:m]
        y = data.yt[rows]
        found = {
            "words": linear(data.Xs, data.ys, data.Xt, rows, y),
            "words, self-training": self_training(data.Xs, data.ys, data.Xt, rows, y),
        }
        found |= {model: linear(V[:n_s], data.ys, V[n_s:], rows, y) for model, V in Z.items()}
        for model, V in Z.items():
            S, T = (sp.hstack(pair).tocsr() for pair in ((data.Xs, V[:n_s]), (data.Xt, V[n_s:])))
            found[f"words and {model}"] = linear(S, data.ys, T, rows, y)
        if m:
            found |= {f"{model}, answers alone": linear(V[:0], data.ys[:0], V[n_s:], rows, y) for model, V in Z.items()}
        found |= {f"labelferry, {view}": learned(inputs, rows, y) for view, inputs in ours.items()}
        for method, labels in found.items():
            right = float((labels[scored] == data.yt[scored]).mean())
            scores[method, m] = right, balanced_accuracy(labels[scored], data.yt[scored], n_classes)
    return scores


def show(scores: Sequence[Scores]) -> None:
    """Means over the tasks."""
    for method in dict.fromkeys(method for one in scores for method, _ in one):
        cells = []
        for m in SIZES:
            pairs = [one[method, m] for one in scores if (method, m) in one]
            cells.append("{:.3f} / {:.3f}".format(*np.mean(pairs, axis=0)) if pairs else "")
        print(f"{method}|" + "|".join(cells), flush=True)


def main(folder: str = "bench-results") -> None:
    """Print a table per task, then the means."""
    plain = [prepare(r) for r in read_records(all_tasks(), Path(folder) / "trust") if r.kind == PLAIN]
    scores = []
    for task, data in tasks():
        coefficients = fit_pool([other for other in plain if other.record.corpus != task.corpus])
        scores.append(measure(task.name, data, coefficients))
        print(f"{task.name}: {len(data.ys)} labelled, {len(data.yt)} new")
        show(scores[-1:])
    print(f"mean of {len(scores)} tasks|" + "|".join(f"{m} answers" for m in SIZES))
    show(scores)


if __name__ == "__main__":
    main(*sys.argv[1:])
