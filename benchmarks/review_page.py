"""Response times of the review page with many documents in the store.

    python -m benchmarks.review_page [DOCUMENTS] [REQUESTS] [JOB]

A store is filled with generated documents (about 60 words each), a real server is started, and one browser session
sends requests over HTTP: the question page, the answer with the question page that follows, the list, and the list
with a search. The table shows the median, the 95th percentile and the maximum in milliseconds, and the processor time
of the server per request, which does not depend on what else the computer does. JOB is kept and used again if it
exists; without it, the store is temporary.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import httpx
import numpy as np
from tests.browsing import Server

from labelferry.certificate import audit_order
from labelferry.demo import load_demo
from labelferry.review.store import FitData, JobData, NewAnswer, Store

CLASSES = ["account", "billing", "technical", "delivery", "returns", "other"]
TARGET = 100.0  # milliseconds, 95th percentile
N_ANSWERS = 200  # answers in the log before the measurement


def write_job(path: Path, n: int) -> None:
    """Fill a store with `n` documents."""
    rng, choice = np.random.default_rng(0), random.Random(0)
    sentences = [s for text in load_demo().texts_target for s in text.split(". ")]
    texts = [f"{'. '.join(choice.choices(sentences, k=6))}. Ticket {i}." for i in range(n)]
    truth = rng.integers(len(CLASSES), size=n)

    def with_errors(share: float) -> np.ndarray:
        return np.where(rng.random(n) < share, rng.integers(len(CLASSES), size=n), truth)

    labels, source_only, confidence = with_errors(0.1), with_errors(0.25), rng.uniform(0.3, 1, n)
    eye = np.eye(len(CLASSES), dtype=np.float32)
    members = {name: 0.9 * eye[with_errors(share)] + 0.1 / len(CLASSES) for name, share in (("a", 0.2), ("b", 0.3))}
    data = JobData(
        texts=texts,
        own={"ticket": [f"T-{i}" for i in range(n)]},
        lines=list(range(2, n + 2)),
        evidence=[text.lower().split()[2:6] for text in texts],
        source_only=source_only,
        classes=CLASSES,
        fit=FitData("AutoTransfer", labels, confidence, (labels + 1) % len(CLASSES), confidence < 0.5),
        members=members,
        pool={"start": members["a"], "coordinates": np.zeros((n, 1), dtype=np.float32), "rows": np.arange(n)},
        settings={"file": "new.csv", "text": "text", "columns": ["ticket", "text"], "question_seed": 0, "settings": {}},
        arrays={"group": np.flatnonzero(labels != source_only)[:2000]},
    )
    with Store.create(path, data) as store:
        for document in audit_order(n, 0)[:N_ANSWERS].tolist():
            store.answers.add([NewAnswer(document, CLASSES[truth[document]], "label", "audit", "bench")])


class Visitor:
    """One browser session over HTTP.

    Parameters
    ----------
    server : Server
        The running server.
    """

    def __init__(self, server: Server) -> None:
        self.client = httpx.Client(base_url=server.base, headers={"Origin": server.base}, timeout=60)
        self.client.get(server.url, follow_redirects=True).raise_for_status()
        self.form: dict[str, str] = {}
        self.question()

    def question(self) -> None:
        """Load a question page."""
        page = self.client.get("/questions/audit").raise_for_status().text
        self.form = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))

    def answer(self) -> None:
        """Answer it: the response is the redirect, sent after the commit."""
        response = self.client.post("/answer", data={**self.form, "choice": f"label:{self.form['shown']}"})
        if response.status_code != 303:
            raise RuntimeError(response.text)

    def wait_for_certificate(self) -> None:
        """Wait until the certificate contains all answers."""
        while 'data-current="yes"' not in self.client.get("/certificate").text:
            time.sleep(0.2)

    def get(self, path: str) -> None:
        """Load another page."""
        self.client.get(path).raise_for_status()


class Times(NamedTuple):
    """Milliseconds of one kind of request."""

    elapsed: list[float]
    processor: list[float]  # of the server, with its threads

    def line(self, name: str) -> str:
        """A line of the table."""
        p95 = float(np.percentile(self.elapsed, 95))
        mark = "" if p95 < TARGET else "  above the target"
        numbers = (np.median(self.elapsed), p95, max(self.elapsed), np.mean(self.processor))
        return f"{name:32}" + "".join(f" {number:8.1f}" for number in numbers) + mark


def processor_time(pid: int) -> float:
    """Milliseconds that a process has used so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(pid: int, run: Callable[[], None], rounds: int, between: Callable[[], None] = lambda: None) -> Times:
    """Times of each run; `between` is not timed."""
    times = Times([], [])
    for _ in range(rounds):
        began, used = time.perf_counter(), processor_time(pid)
        run()
        times.elapsed.append(1000 * (time.perf_counter() - began))
        times.processor.append(processor_time(pid) - used)
        between()
    return times


def main(n: int = 200_000, rounds: int = 100, place: str = "") -> None:
    """Print one line per request."""
    with TemporaryDirectory() as folder:
        path = Path(place) if place else Path(folder) / "job.ferry"
        if not path.exists():
            began = time.perf_counter()
            write_job(path, n)
            print(f"{n:,} documents written in {time.perf_counter() - began:.0f} s, {path.stat().st_size / 1e6:.0f} MB")
        began = time.perf_counter()
        server = Server(path, "--reviewer", "bench")
        try:
            print(f"server started in {time.perf_counter() - began:.1f} s")
            visitor, pid = Visitor(server), server.process.pid
            began = time.perf_counter()
            during = measure(
                pid, visitor.question, rounds
            )  # a new server computes the certificate of all answers first
            visitor.wait_for_certificate()
            print(f"first certificate of {N_ANSWERS} answers after {time.perf_counter() - began:.0f} s")
            words = ["door", "invoice refund", "camera", "pass", "ticket 1234", "subscription plan"]
            pages = {
                "list": lambda: visitor.get("/list"),
                "list, filtered and sorted": lambda: visitor.get("/list?label=billing&state=review&sort=-confidence"),
                "list with search": lambda: visitor.get(f"/list?search={random.choice(words)}"),
                "list, page 1000": lambda: visitor.get("/list?page=1000"),
                "history": lambda: visitor.get("/history"),
            }
            times = {
                "question page during the start": during,
                "question page": measure(pid, visitor.question, rounds),
                "answer (POST)": measure(pid, visitor.answer, rounds, visitor.question),
                **{name: measure(pid, run, rounds) for name, run in pages.items()},
            }
            # A new certificate is computed after every answer: the page that follows an answer.
            times["question page after an answer"] = measure(pid, visitor.question, rounds, visitor.answer)
        finally:
            server.end(signal.SIGINT)
    print(f"{'milliseconds':32} {'median':>8} {'95%':>8} {'max':>8} {'server':>8}   load {os.getloadavg()[0]:.1f}")
    for name, taken in times.items():
        print(taken.line(name))


if __name__ == "__main__":
    main(*(int(value) if value.isdecimal() else value for value in sys.argv[1:]))  # type: ignore[arg-type]
