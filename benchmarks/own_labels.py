"""What words can reach: a classifier with labels of the target beside one with labels of the source only.

    python -m benchmarks.own_labels crisislex_t6 amazon

Per task with two classes, logistic regression on tf-idf: accuracy on the target in 3-fold cross-validation with the
labels of the target (`own`), trained on the source (`source`), the same with the best threshold (`threshold`), and the
share of the 50 words that separate the classes of the target best that lean to the same class in the source (`words`).
Tasks are those of `benchmarks.text_settings`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from benchmarks.text_settings import Side, tasks

N_WORDS = 50
MIN_LEAN = 0.01  # difference of the shares of documents with a word that is no chance


def measure(source: Side, target: Side) -> list[float]:
    """The four numbers of a task with two classes."""
    X: Any = TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform([*source.texts, *target.texts])
    Xs, Xt = X[: len(source.texts)], X[len(source.texts) :]
    classifier = LogisticRegression(C=10, max_iter=500)
    own = cross_val_score(classifier, Xt, target.labels, cv=3).mean()
    P = classifier.fit(Xs, source.labels).predict_proba(Xt)[:, 1]
    second = classifier.classes_[1]
    truth = target.labels == second
    threshold = max(((limit < P) == truth).mean() for limit in np.quantile(P, np.linspace(0, 1, 101)))
    in_source, in_target = lean(Xs, source.labels == second), lean(Xt, truth)
    best = np.argsort(-abs(in_target))[:N_WORDS]
    same = (np.sign(in_source[best]) == np.sign(in_target[best])) & (abs(in_source[best]) > MIN_LEAN)
    return [float(own), float(((P > 0.5) == truth).mean()), float(threshold), float(same.mean())]


def lean(X: Any, is_second: np.ndarray) -> np.ndarray:
    """Per word, the share of documents of the second class that contain it, minus that of the first."""
    shares = [np.asarray((X[rows] > 0).mean(axis=0)).ravel() for rows in (is_second, ~is_second)]
    return np.asarray(shares[0] - shares[1])


def main(*groups: str) -> None:
    """Print a row per task, and the mean of each group."""
    print("task|own|source|threshold|words")
    for group in groups or ("crisislex_t6",):
        rows = []
        for name, source, target in tasks(group):
            rows.append(measure(source, target))
            print(f"{group} {name}|" + "|".join(f"{value:.3f}" for value in rows[-1]), flush=True)
        print(f"{group}, mean|" + "|".join(f"{value:.3f}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main(*sys.argv[1:])
