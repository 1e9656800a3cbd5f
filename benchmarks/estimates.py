"""How well the accuracy of labels is known without checking them: labelferry's estimate beside simpler ones.

    LABELFERRY_DATA=... python -m benchmarks.estimates [FOLDER]      records of `labelferry bench trust --out FOLDER`

Ordinary tasks; labelferry's labels and estimates have coefficients of other corpora. The rivals need probabilities of
held-out labelled documents, which only the source-only classifier has: they are judged on its labels.

    average confidence    the mean of the largest probability of each document
    the same, calibrated  by isotonic regression per class on held-out labelled documents: CBPE of NannyML
    ATC                   the share of documents that are more confident than a threshold, above which the share of
                          held-out labelled documents is their accuracy (Garg et al., ICLR 2022)
    m random labels       the share of correct labels among m documents that a person checks: expected error, exactly

Errors are estimated minus true accuracy. Means are over corpora of the mean over their tasks; the last column is the
90 % quantile of the absolute error, every corpus with the same weight.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import hypergeom
from sklearn.isotonic import IsotonicRegression

from labelferry_bench.trust.calibrate import Judged, calibrate, corpus_quantile
from labelferry_bench.trust.records import read_records
from labelferry_bench.trust.tasks import PLAIN, all_tasks

SIZES = (12, 25, 50)  # random labels


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


def by_random_labels(correct: np.ndarray, m: int) -> float:
    """Mean absolute error of the share of correct labels among m random documents."""
    x, n, k = np.arange(m + 1), len(correct), int(correct.sum())
    return float(hypergeom.pmf(x, n, k, m) @ np.abs(x / m - k / n))


def errors(j: Judged) -> dict[str, float]:
    """Signed errors of all estimates without labels of the target."""
    p, P = j.record.predictions, j.record.predictions.source_only
    assert j.assessment is not None
    found = {
        "labelferry": j.assessment.accuracy.mean - j.accuracy,
        "labelferry: average of its probabilities": j.answer.proba.max(axis=1).mean() - j.accuracy,
    }
    if len(p.held_out):
        truth = (P.argmax(axis=1) == j.record.yt).mean()
        smooth = calibrated(p.held_out, p.source_codes, P)
        found |= {
            "SourceLR: average confidence": P.max(axis=1).mean() - truth,
            "SourceLR: the same, calibrated": smooth.max(axis=1).mean() - (smooth.argmax(axis=1) == j.record.yt).mean(),
            "SourceLR: ATC": above_threshold(p.held_out, p.source_codes, P) - truth,
        }
    return {name: float(error) for name, error in found.items()}


def by_corpus(values: Sequence[float], corpora: Sequence[str]) -> float:
    """Mean over corpora of the mean over their tasks."""
    groups = defaultdict(list)
    for value, corpus in zip(values, corpora, strict=True):
        groups[corpus].append(value)
    return float(np.mean([np.mean(group) for group in groups.values()]))


def main(folder: str = "trust") -> None:
    """Print a row per estimate."""
    judged = [j for j in calibrate(read_records(all_tasks(), Path(folder)))[1] if j.record.kind == PLAIN]
    rows, corpora = [errors(j) for j in judged], [j.record.corpus for j in judged]
    print(f"{len(judged)} tasks of {len(set(corpora))} corpora|mean |error||mean error|90 % of |error| below")
    for name in dict.fromkeys(name for row in rows for name in row):
        some = [(row[name], corpus) for row, corpus in zip(rows, corpora, strict=True) if name in row]
        signed, where = np.array([error for error, _ in some]), [corpus for _, corpus in some]
        most = corpus_quantile(np.abs(signed), np.array(where), 0.9)
        print(f"{name}|{by_corpus(np.abs(signed), where):.3f}|{by_corpus(signed, where):+.3f}|{most:.3f}")
    for m in SIZES:
        print(
            f"{m} random labels|{by_corpus([by_random_labels(j.codes == j.record.yt, m) for j in judged], corpora):.3f}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
