"""Small jobs for tests of the store and of what is built on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import sqlalchemy as sa

from labelferry.review.store import AnswerRow, FitData, JobData, NewAnswer, Store
from labelferry.review.store.checksums import add_checksums
from labelferry.review.store.decisions import current_answers

CLASSES = ["billing", "technical", "account"]


def small_job(n: int = 30, texts: list[str] | None = None, seed: int = 5, **settings) -> JobData:
    """Documents with random labels; the source-only classifier differs on every third one."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=n)
    confidence = np.round(rng.uniform(0.4, 1, n), 3)
    source_only = np.where(np.arange(n) % 3 == 0, (labels + 1) % 3, labels)
    truth = np.where(rng.random(n) < 0.8, labels, (labels + 1) % 3)
    members = {}
    for name, codes in {"SourceLR": source_only, "GCMF": labels, "SourceNB": truth}.items():
        members[name] = (0.1 + 0.7 * np.eye(3)[codes]).astype(np.float32)
    return JobData(
        texts=texts or [f"document {i} about {CLASSES[truth[i]]}" for i in range(n)],
        own={"id": [f"t{i}" for i in range(n)], "answer": list(range(n))},
        lines=range(2, n + 2),
        evidence=[["about", CLASSES[c]] for c in labels],
        source_only=source_only,
        classes=CLASSES,
        fit=FitData("AutoTransfer", labels, confidence, (labels + 1) % 3, confidence < 0.6),
        members=members,
        pool={"rows": np.arange(n), "start": members["GCMF"], "coordinates": np.eye(n, dtype=np.float32)},
        settings={
            "file": "new.csv",
            "text": "text",
            "columns": ["id", "text", "answer"],
            "question_seed": seed,
            "settings": {"target_error": 0.05, "min_confidence": None},
            **settings,
        },
        arrays={"group": np.flatnonzero(labels != truth), "truth": truth},
    )


def reseal(path: Path) -> None:
    """Give all rows of a file the right checksums, as somebody would who changed it on purpose."""
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        triggers = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
        for name, _ in triggers:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        add_checksums(connection)
        for _, sql in triggers:
            connection.exec_driver_sql(sql)
    engine.dispose()


def add_answer(store: Store, *row, **fields) -> int:
    """Add one answer to the log; its fields are those of `NewAnswer`. Returns its number."""
    return store.answers.add([NewAnswer(*row, **fields)])[0]


def answers_of(store: Store) -> list[AnswerRow]:
    """The answers that count."""
    return current_answers(store.answers.history())
