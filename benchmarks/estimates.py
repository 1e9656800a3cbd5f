"""How well the accuracy of labels is known without checking them: labelferry's estimate beside simpler ones.

    LABELFERRY_DATA=... python -m benchmarks.estimates [FOLDER]      records of `labelferry bench trust --out FOLDER`

Ordinary tasks; labelferry's labels and estimates have coefficients of other corpora. The rivals need probabilities of
held-out labelled documents, which only the source-only classifier has: they are judged on its labels.

    average confidence    the mean of the largest probability of each document
    the same, calibrated  by isotonic regression per class on held-out labelled documents: CBPE of NannyML. For balanced
                          accuracy the expected recall of each class by these probabilities
    ATC                   the share of documents that are more confident than a threshold, above which the share of
                          held-out labelled documents is their accuracy (Garg et al., ICLR 2022)
    m random labels       the share of correct labels among m documents that a person checks, and its mean over the
                          classes that are among them; the error is the mean of N_DRAWS draws

Each cell has the mean absolute error and the mean error (estimated minus true), means over corpora of the mean over
their tasks, and the 90% quantile of the absolute error, every corpus with the same weight.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from sklearn.isotonic import IsotonicRegression

from labelferry_bench.trust.calibrate import Judged, calibrate, corpus_quantile, score
from labelferry_bench.trust.records import read_records
from labelferry_bench.trust.tasks import PLAIN, all_tasks

SIZES, N_DRAWS = (12, 25, 50), 200  # random labels
Errors = tuple[float, float]  # of accuracy and balanced accuracy; NaN without an estimate


def calibrated(held_out: np.ndarray, codes: np.ndarray, P: np.ndarray) -> np.ndarray:
    """P by isotonic regression of each class against the others, with rows of sum one."""
    columns = [
        IsotonicRegression(out_of_bounds="clip").fit(held_out[:, c], codes == c).predict(P[:, c])
        for c in range(P.shape[1])
    ]
    total = np.sum(columns, axis=0)
    return np.divide(columns, total, out=np.full((len(columns), len(P)), 1 / len(columns)), where=total > 0).T


def above_threshold(held_out: np.ndarray, codes: np.ndarray, P: np.ndarray) -> float:
    """ATC."""
    wrong = (held_out.argmax(axis=1) != codes).mean()
    return float((P.max(axis=1) >= np.quantile(held_out.max(axis=1), wrong)).mean())


def expected_recall(P: np.ndarray) -> float:
    """Balanced accuracy of the most probable labels, if P has the true probabilities."""
    chosen = np.eye(P.shape[1])[P.argmax(axis=1)]
    return float(np.mean((P * chosen).sum(axis=0) / np.maximum(P.sum(axis=0), 1e-12)))


def by_random_labels(j: Judged, m: int) -> Errors:
    """Mean absolute errors of the shares among m random documents."""
    rng, y = np.random.default_rng(crc32(j.record.name.encode())), j.record.yt
    found = []
    for _ in range(N_DRAWS):
        rows = rng.choice(len(y), size=min(m, len(y)), replace=False)
        correct = j.codes[rows] == y[rows]
        recalls = [correct[y[rows] == c].mean() for c in np.unique(y[rows])]
        found.append((abs(correct.mean() - j.accuracy), abs(np.mean(recalls) - j.balanced)))
    accuracy, balanced = np.mean(found, axis=0).tolist()
    return accuracy, balanced


def errors(j: Judged) -> dict[str, Errors]:
    """Signed errors of all estimates without labels of the target."""
    p, P = j.record.predictions, j.record.predictions.source_only
    assert j.assessment is not None
    ours = j.assessment.accuracy.mean - j.accuracy, j.assessment.balanced_accuracy.mean - j.balanced
    if not len(p.held_out):
        return {"labelferry": ours}
    truth, balanced = (P.argmax(axis=1) == j.record.yt).mean(), score(j.record, P.argmax(axis=1))
    smooth = calibrated(p.held_out, p.source_codes, P)
    right, recall = (smooth.argmax(axis=1) == j.record.yt).mean(), score(j.record, smooth.argmax(axis=1))
    return {
        "labelferry": ours,
        "average confidence": (P.max(axis=1).mean() - truth, expected_recall(P) - balanced),
        "the same, calibrated": (
            smooth.max(axis=1).mean() - right,
            expected_recall(smooth) - recall,
        ),
        "ATC": (above_threshold(p.held_out, p.source_codes, P) - truth, float("nan")),
    }


def by_corpus(values: Sequence[float], corpora: Sequence[str]) -> float:
    """Mean over corpora of the mean over their tasks."""
    groups = defaultdict(list)
    for value, corpus in zip(values, corpora, strict=True):
        groups[corpus].append(value)
    return float(np.mean([np.mean(group) for group in groups.values()]))


def cell(errors: np.ndarray, corpora: Sequence[str], signed: bool = True) -> str:
    """The three figures of a measure; only the first of errors without sign."""
    if np.isnan(errors).any():
        return ""
    size = f"{by_corpus(np.abs(errors), corpora):.3f}"
    most = corpus_quantile(np.abs(errors), np.array(corpora), 0.9)
    return f"{size} {by_corpus(errors, corpora):+.3f} {most:.3f}" if signed else size


def main(folder: str = "bench-results") -> None:
    """Print a row per estimate."""
    judged = [j for j in calibrate(read_records(all_tasks(), Path(folder) / "trust"))[1] if j.record.kind == PLAIN]
    rows = [errors(j) for j in judged]
    print(f"{len(judged)} tasks of {len({j.record.corpus for j in judged})} corpora|accuracy|balanced accuracy")
    for name in dict.fromkeys(name for row in rows for name in row):
        some = [(row[name], j.record.corpus) for row, j in zip(rows, judged, strict=True) if name in row]
        values, corpora = np.array([pair for pair, _ in some]), [corpus for _, corpus in some]
        print(f"{name} ({len(some)} tasks)|{cell(values[:, 0], corpora)}|{cell(values[:, 1], corpora)}")
    for m in SIZES:
        values, corpora = np.array([by_random_labels(j, m) for j in judged]), [j.record.corpus for j in judged]
        print(
            f"{m} random labels|{cell(values[:, 0], corpora, signed=False)}|{cell(values[:, 1], corpora, signed=False)}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
