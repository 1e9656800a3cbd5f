"""Small review jobs for the tests of the page, written without fitting a method."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from labelferry.demo import load_demo
from labelferry.review.store import FitData, JobData, Store

from .example_report import HOSTILE, HOSTILE_CLASS, HOSTILE_WORD


def write_job(path: Path, texts: list[str] | None = None, classes: list[str] | None = None, seed: int = 0) -> list[str]:
    """Write a job with wrong labels for a tenth of the documents; returns the true labels."""
    texts = load_demo().texts_target if texts is None else texts
    content, truth = job_file(tuple(texts), tuple(classes or ("account", "billing", "technical")), seed)
    path.write_bytes(content)
    return list(truth)


@cache
def job_file(texts: tuple[str, ...], classes: tuple[str, ...], seed: int) -> tuple[bytes, tuple[str, ...]]:
    """The file of such a job, which is made once per process, and the true labels."""
    with TemporaryDirectory() as folder:
        truth = make_job(Path(folder) / "job.ferry", list(texts), list(classes), seed)
        return (Path(folder) / "job.ferry").read_bytes(), tuple(truth)


def make_job(path: Path, texts: list[str], classes: list[str], seed: int) -> list[str]:
    demo = load_demo()
    names = ["account", "billing", "technical"]
    truth = np.resize([names.index(label) for label in demo.y_target], len(texts)) % len(classes)
    rng = np.random.default_rng(seed)
    n = len(texts)

    def with_errors(share: float) -> np.ndarray:
        wrong = rng.random(n) < share
        return np.where(wrong, (truth + 1) % len(classes), truth)

    labels, source_only = with_errors(0.1), with_errors(0.3)
    confidence = rng.uniform(0.4, 0.99, n)
    words = [
        [word for word in ("invoice", "app", "password", "charged", "login", "subscription") if word in t]
        for t in texts
    ]
    members = {
        name: 0.1 / len(classes) + 0.9 * np.eye(len(classes), dtype=np.float32)[codes]
        for name, codes in (("SourceLR", source_only), ("TCL", labels), ("MTrick", with_errors(0.2)))
    }
    Store.create(
        path,
        JobData(
            texts=texts,
            own={
                "ticket": [f"T-{1000 + i}" for i in range(n)],
                "channel": ["mail" if i % 3 else "chat" for i in range(n)],
            },
            lines=list(range(2, n + 2)),
            evidence=words,
            source_only=source_only,
            classes=classes,
            fit=FitData("AutoTransfer", labels, confidence, (labels + 1) % len(classes), confidence < 0.5),
            members=members,
            pool={
                "start": np.mean(list(members.values()), axis=0),
                "coordinates": rng.normal(size=(n, 8)).astype(np.float32),
                "rows": np.arange(n),
            },
            settings={
                "file": "new.csv",
                "text": "text",
                "columns": ["ticket", "channel", "text"],
                "own": ["ticket", "channel"],
                "question_seed": seed,
                "settings": {"target_error": 0.05},
            },
            arrays={"group": np.flatnonzero(source_only != labels)[:40]},
        ),
    ).close()
    return [classes[code] for code in truth]


def hostile_texts() -> list[str]:
    """Texts with markup, scripts, direction overrides, half characters, and very long words."""
    return [*HOSTILE, HOSTILE_WORD, HOSTILE_CLASS, "\u202e" * 50 + "evil", "x" * 20_000, "\u0627" * 300, "\n" * 200, ""]
