"""Rules that choose text settings from held-out labelled documents: accuracy on the target, leave-one-corpus-out.

    python -m benchmarks.text_rules measure records.jsonl --documents 1000
    python -m benchmarks.text_rules compare records.jsonl

`measure` labels the target of each task with each candidate (the method is auto) and appends a record per task:
accuracies on the target, and which held-out labelled documents each candidate labels correctly. Tasks that are in the
file are not measured again. `compare` applies rules to the records. A rule that has parameters gets them from the other
corpora. Tasks are those of `benchmarks.text_settings`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import text_settings
from benchmarks.text_settings import Side, run, tasks
from labelferry.text.detect import Language
from labelferry.text.request import TextRequest
from labelferry.text.settings import (
    MAX_CHARACTERS,
    MAX_DOCUMENTS,
    MIN_PER_CLASS,
    Counted,
    candidates,
    held_out_correct,
    sample_per_class,
)

ENGLISH = (
    *("amazon", "newsgroups", "absa_sentiment", "citation_intent", "crisislex_t26_type", "crisislex_t6"),
    *("fdu_mtl_reviews", "github_issues", "liar_subjects", "news_topics", "politeness", "sarcasm", "satd_1to3"),
    *("stance_semeval16", "youtube_spam"),
)
SETTINGS = ("language=english ngrams=1", "language=none ngrams=1", "language=none ngrams=2")
STOP, ALL, PAIRS = range(3)


class Record(NamedTuple):
    """One task."""

    corpus: str
    task: str
    accuracy: list[float]  # on the target, per candidate
    held_out: list[float]  # on the labelled documents, per candidate
    better: list[list[int]]  # held-out documents that the row's candidate labels correctly and the column's does not


Rule = Callable[[Record, Sequence[Record]], int]  # the candidate for a task; the records of the other corpora


def measure(path: Path, corpora: Sequence[str]) -> None:
    """Append a record per task that the file does not have."""
    done = {(record.corpus, record.task) for record in read(path)} if path.exists() else set()
    for corpus in corpora:
        for task, source, target in tasks(corpus):
            if (corpus, task) in done:
                continue
            correct = held_out(source)
            better = [[int((a & ~b).sum()) for b in correct] for a in correct]
            accuracy = [run(source, target, text_settings.read_settings(setting))["accuracy"] for setting in SETTINGS]
            record = Record(corpus, task, accuracy, [float(right.mean()) for right in correct], better)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record._asdict()) + "\n")
            print(corpus, task, np.round(record.accuracy, 4), np.round(record.held_out, 4), flush=True)


def held_out(source: Side) -> list[np.ndarray]:
    """Which labelled documents each candidate labels correctly, as `labelferry.label` tests them."""
    options = candidates(TextRequest(), Language("english", {"english": 1.0}, 1, 0.0, 0.0))
    codes = np.unique(source.labels, return_inverse=True)[1]
    rows = sample_per_class(codes, MAX_DOCUMENTS)
    rows = rows[(np.bincount(codes) >= MIN_PER_CLASS)[codes[rows]]]
    counted = Counted.of([source.texts[i][:MAX_CHARACTERS] for i in rows], options)
    if counted is None:
        raise ValueError("the labelled documents have no words")
    return [held_out_correct(counted.tfidf(option), codes[rows], np.zeros(len(rows))) for option in options]


def read(path: Path) -> list[Record]:
    """The records of a file."""
    return [Record(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def near_best(record: Record, errors: float = 1.0) -> list[int]:
    """Candidates that are at most so many standard errors of the difference below the best."""
    best = int(np.argmax(record.held_out))
    gains, losses = np.array(record.better[best]), np.array(record.better)[:, best]
    return np.flatnonzero(gains - losses - 1 <= errors * np.sqrt(gains + losses)).tolist()


def in_order(order: Sequence[int], errors: float = 1.0) -> Rule:
    """The first candidate of an order that is near the best."""
    return lambda record, others: next(k for k in order if k in near_best(record, errors))


def best_order(record: Record, others: Sequence[Record]) -> int:
    """The first candidate near the best, in the order with the best mean accuracy on other corpora."""

    def mean_of(order: Sequence[int]) -> float:
        values: dict[str, list[float]] = {}
        for other in others:
            values.setdefault(other.corpus, []).append(other.accuracy[in_order(order)(other, ())])
        return float(np.mean([np.mean(of_corpus) for of_corpus in values.values()]))

    return in_order(max(permutations(range(3)), key=mean_of))(record, others)


def preferred(record: Record, others: Sequence[Record], errors: float = 1.0) -> int:
    """Of the candidates near the best, the one with the best mean accuracy on other corpora."""
    return max(near_best(record, errors), key=lambda k: means(others)[k])


def preferred_where_open(record: Record, others: Sequence[Record]) -> int:
    """The same, with means over those tasks of other corpora whose candidates near the best are the same."""
    near = near_best(record)
    alike = [other for other in others if near_best(other) == near]
    return max(near, key=lambda k: means(alike or others)[k])


def shrunken(record: Record, others: Sequence[Record]) -> int:
    """Largest expected accuracy: a constant per candidate plus a slope times held-out accuracy, by least squares."""
    rows, gains = [], []
    for other in others:
        for k in (ALL, PAIRS):
            rows.append([k == ALL, k == PAIRS, other.held_out[k] - other.held_out[STOP]])
            gains.append(other.accuracy[k] - other.accuracy[STOP])
    weights = np.repeat([1 / sum(o.corpus == other.corpus for o in others) for other in others], 2) ** 0.5
    fitted = np.linalg.lstsq(np.array(rows, dtype=float) * weights[:, None], np.array(gains) * weights, rcond=None)[0]
    expected = [0.0] + [fitted[k - 1] + fitted[2] * (record.held_out[k] - record.held_out[STOP]) for k in (ALL, PAIRS)]
    return int(np.argmax(expected))


def means(records: Sequence[Record]) -> np.ndarray:
    """Mean accuracy per candidate: mean over tasks, then over corpora."""
    corpora = {record.corpus for record in records}
    return np.mean([np.mean([r.accuracy for r in records if r.corpus == c], axis=0) for c in sorted(corpora)], axis=0)


RULES: dict[str, Rule] = {
    "always words without stop words": lambda record, others: STOP,
    "always all words": lambda record, others: ALL,
    "always words and pairs": lambda record, others: PAIRS,
    "always the best of other corpora": lambda record, others: int(np.argmax(means(others))),
    "best held out": lambda record, others: int(np.argmax(record.held_out)),
    "one standard error, simplest first": in_order((STOP, ALL, PAIRS)),
    "half a standard error, simplest first": in_order((STOP, ALL, PAIRS), 0.5),
    "one standard error, pairs first": in_order((PAIRS, STOP, ALL)),
    "one standard error, all words first": in_order((ALL, STOP, PAIRS)),
    "one standard error, best order of other corpora": best_order,
    "one standard error, best of other corpora first": preferred,
    "two standard errors, best of other corpora first": lambda record, others: preferred(record, others, 2.0),
    "one standard error, best of similar tasks first": preferred_where_open,
    "expected by least squares": shrunken,
    "best on the target": lambda record, others: int(np.argmax(record.accuracy)),
}


def compare(path: Path) -> None:
    """Mean accuracy of each rule per corpus and over corpora, and its worst loss against the first candidate."""
    records = read(path)
    corpora = list(dict.fromkeys(record.corpus for record in records))
    print("rule|mean|worst loss|" + "|".join(corpora))
    for name, rule in RULES.items():
        reached = []
        for record in records:
            chosen = rule(record, [other for other in records if other.corpus != record.corpus])
            reached.append(record.accuracy[chosen])
        per_corpus = [
            np.mean([value for value, record in zip(reached, records, strict=True) if record.corpus == corpus])
            for corpus in corpora
        ]
        loss = max(record.accuracy[STOP] - value for value, record in zip(reached, records, strict=True))
        print(f"{name}|{np.mean(per_corpus):.4f}|{loss:.3f}|" + "|".join(f"{value:.3f}" for value in per_corpus))


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("measure", "compare"))
    parser.add_argument("records", type=Path)
    parser.add_argument("--corpora", nargs="+", default=ENGLISH)
    parser.add_argument("--documents", type=int, default=text_settings.N_DOCUMENTS, help="per domain")
    given: Any = parser.parse_args()
    if given.step == "measure":
        text_settings.N_DOCUMENTS = given.documents
        measure(given.records, given.corpora)
    else:
        compare(given.records)


if __name__ == "__main__":
    main()
