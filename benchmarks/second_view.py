"""Words alone, words with a second view, and the view alone: accuracy, and the error of the estimate.

    LABELFERRY_DATA=... python -m benchmarks.second_view [MODEL] [N]     by default wordllama, 1000 documents per domain

Ten tasks: three of newsgroups, four of Amazon reviews, three of crisis tweets. The words are those of `label` with its
default options. Vectors are cached, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import labelferry
from labelferry.assessment.agreement import balanced_accuracy
from labelferry.ensemble.view_members import self_training_view, smooth_view, with_view
from labelferry_bench.datasets import load_amazon, load_domains, load_newsgroups
from labelferry_bench.datasets.corpus import Corpus

NEWSGROUPS = (("comp", "sci"), ("rec", "talk"), ("sci", "talk"))
HALVES = (  # of the groups of each class: source and target
    "comp.graphics comp.os.ms-windows.misc rec.autos rec.motorcycles sci.crypt sci.electronics talk.politics.guns "
    "talk.politics.mideast",
    "comp.sys.ibm.pc.hardware comp.sys.mac.hardware rec.sport.baseball rec.sport.hockey sci.med sci.space "
    "talk.politics.misc talk.religion.misc",
)
AMAZON = (("books", "kitchen"), ("dvd", "electronics"), ("electronics", "books"), ("kitchen", "dvd"))
CRISIS = ((0, 1), (2, 3), (4, 5))  # numbers of the sorted events
HEADER = "task|words|words and view|view|error of the estimate, words|words and view"


class Task(NamedTuple):
    """Texts and labels of a source and a target."""

    group: str
    name: str
    source: tuple[list[str], list[str]]
    target: tuple[list[str], list[str]]


def tasks(n: int) -> Iterator[Task]:
    """The ten tasks, with at most n documents per domain."""
    news = load_newsgroups()
    group = news.fields["group"]
    classes = np.array([name.partition(".")[0] for name in group.tolist()])
    for pair in NEWSGROUPS:
        halves = [np.isin(group, half.split()) & np.isin(classes, pair) for half in HALVES]
        yield Task("newsgroups", "/".join(pair), *(documents(news, classes, half, n) for half in halves))
    for corpus, name, pairs in ((load_amazon(), "Amazon", AMAZON), (load_domains("crisislex_t6"), "crisis", CRISIS)):
        domain, names = corpus.fields["domain"], sorted(set(corpus.fields["domain"].tolist()))
        for pair in pairs:
            keys = [key if isinstance(key, str) else names[key] for key in pair]
            sides = (documents(corpus, corpus.fields["label"], domain == key, n) for key in keys)
            yield Task(name, " to ".join(keys), *sides)


def documents(corpus: Corpus, labels: np.ndarray, chosen: np.ndarray, n: int) -> tuple[list[str], list[str]]:
    """A random sample of the chosen documents: texts and labels."""
    rows = np.sort(np.random.default_rng(0).permutation(np.flatnonzero(chosen))[:n])
    return [corpus.texts[i] for i in rows.tolist()], [str(labels[i]) for i in rows.tolist()]


def measure(task: Task, model: str) -> list[float]:
    """Accuracy of words, both and the view; errors of the estimate of balanced accuracy of words and both."""
    (old, y), (new, truth) = task.source, task.target
    words, both = (labelferry.label(old, new, label=y, embed=embed) for embed in (None, model))
    classes = words.estimator.classes_
    codes, n = np.searchsorted(classes, truth), len(classes)
    of_view = with_view(both.domains, both.features.view)
    view = np.mean([(predict(of_view).argmax(axis=1) == codes).mean() for predict in (smooth_view, self_training_view)])
    errors = []
    for result in (words, both):
        some = result.predicted  # documents without a known word have no label
        found = balanced_accuracy(np.searchsorted(classes, result.labels[some].astype(classes.dtype)), codes[some], n)
        errors.append(result.assessment.balanced_accuracy.mean - found)
    return [float((words.labels == truth).mean()), float((both.labels == truth).mean()), float(view), *errors]


def main(model: str = "wordllama", n: str = "1000") -> None:
    """Print a row per task, and the mean of each group."""
    print(HEADER)
    rows: dict[str, list[list[float]]] = {}
    for task in tasks(int(n)):
        row = measure(task, model)
        rows.setdefault(task.group, []).append(row)
        print(f"{task.group} {task.name}|" + "|".join(f"{value:.3f}" for value in row), flush=True)
    for group, values in rows.items():
        print(f"{group}, mean|" + "|".join(f"{value:.3f}" for value in np.mean(values, axis=0)))


if __name__ == "__main__":
    main(*sys.argv[1:])
