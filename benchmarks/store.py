"""Time of what a review page needs, with many documents in the store: python -m benchmarks.store [PLACE] [N].

PLACE is a new SQLite file or the URL of an empty database, N the number of documents (200,000). Texts have 60 words of
a Zipf distribution. Every line has the first call (a search is not in memory yet), the median and the 95th percentile.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from labelferry.review.job.job import Job
from labelferry.review.store import FitData, JobData, Store

N_CLASSES, N_WORDS, N_REPEATS = 5, 30_000, 20
PURPOSES = ("audit", "duel", "group")


def make_job(n: int) -> tuple[JobData, list[str]]:
    """Random documents and labels; the words, the most frequent first."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(rng.choice(letters, size=rng.integers(3, 10))) for _ in range(N_WORDS)])
    share = 1 / np.arange(1, N_WORDS + 1)
    texts = [" ".join(words[rng.choice(N_WORDS, size=60, p=share / share.sum())]) for _ in range(n)]
    labels = rng.choice(N_CLASSES, size=n, p=[0.6, 0.25, 0.1, 0.04, 0.01])
    truth = np.where(rng.random(n) < 0.85, labels, rng.integers(N_CLASSES, size=n))
    source_only = np.where(rng.random(n) < 0.9, labels, truth)
    confidence = rng.random(n)
    members = {
        f"member {i}": (0.1 + 0.5 * np.eye(N_CLASSES)[np.where(rng.random(n) < 0.7, labels, truth)]).astype(np.float32)
        for i in range(10)
    }
    Z = rng.normal(size=(n, 50)).astype(np.float32)
    pool = {"rows": np.arange(n), "start": members["member 0"], "coordinates": Z / np.linalg.norm(Z, axis=1)[:, None]}
    job = JobData(
        texts=texts,
        own={"id": list(range(n)), "note": ["a note"] * n},
        lines=range(2, n + 2),
        evidence=[["some", "words"]] * n,
        source_only=source_only,
        classes=list("abcde"),
        fit=FitData("AutoTransfer", labels, confidence, (labels + 1) % N_CLASSES, confidence < 0.2),
        members=members,
        pool=pool,
        settings={
            "file": "new.csv",
            "text": "text",
            "columns": ["id", "text", "note"],
            "question_seed": 0,
            "settings": {"target_error": 0.05, "min_confidence": None},
        },
        arrays={"group": np.flatnonzero(labels != source_only)[:2000], "truth": truth},
    )
    return job, words.tolist()


def measure(name: str, call: Callable[[], Any], repeats: int = N_REPEATS) -> None:
    """Print the time of a call."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    first, median, high = 1e3 * seconds[0], 1e3 * np.median(seconds), 1e3 * np.percentile(seconds, 95)
    print(f"{name:40s} first {first:8.1f}  median {median:8.1f}  95% {high:8.1f} ms")


def main(place: str, n: int) -> None:
    """Fill the store, then measure lists, questions, answers, the certificate and a fit."""
    data, words = make_job(n)
    measure("create", lambda: Store.create(place, data).close(), 1)
    measure("open", lambda: Job(Store.open(place)).close(), 3)
    job = Job(Store.open(place))
    search = job.search
    rare = words[20_000]
    measure("first page", search)
    measure("last page by confidence", lambda: search(sort="confidence", offset=n - 50))
    measure("page of a label by confidence", lambda: search(label="b", sort="-confidence", offset=n // 10))
    measure("page to review", lambda: search(needs_review=True, sort="confidence"))
    measure("page without answers", lambda: search(answered=False, sort="confidence"))
    for name, word in (("most frequent", words[0]), ("frequent", words[100]), ("rare", rare)):
        measure(f"search, {name} word", lambda word=word: search(word, sort="confidence"))
    measure("search, two words and a label", lambda: search(f"{words[3]} {words[50]}", label="a", sort="confidence"))
    truth = data.arrays["truth"]

    def answer(purpose: str) -> None:
        question = job.question(purpose, "ann")
        assert question is not None
        job.answer(question.document, job.classes[truth[question.document]], purpose=purpose, reviewer="ann")

    for purpose in PURPOSES:
        measure(f"question and answer, {purpose}", lambda purpose=purpose: answer(purpose), 30)
    measure("queues", job.queues)
    measure("progress", job.progress)

    def certificate() -> None:
        answer("audit")
        job.certificate()

    measure("answer and certificate", certificate, 10)
    measure("refit", job.refit, 1)
    job.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "benchmark.ferry", int(sys.argv[2]) if len(sys.argv) > 2 else 200_000)
