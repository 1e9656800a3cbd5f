"""Tests read real corpora from the folder in LABELFERRY_DATA, by default a `shared/data` beside the checkout."""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path

import pytest

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if BESIDE.is_dir():
    os.environ.setdefault("LABELFERRY_DATA", str(BESIDE))


def pytest_configure() -> None:
    """Signals work as in a terminal, also if the parent ignores them (a job in the background, nohup).

    Child processes inherit that a signal is ignored, but not a handler. So the handlers are set here once, and a child
    that gets a signal ends.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGHUP", "SIGTERM"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)  # the tests themselves go on


@pytest.fixture(scope="session")
def corpus():
    """corpus("20news/20news-bydate.jsonl.gz") is the path of that file; the test is skipped where it is missing."""

    def find(name: str) -> Path:
        folder = os.environ.get("LABELFERRY_DATA")
        if folder is None:
            pytest.skip(f"needs {name}: set LABELFERRY_DATA to the folder that holds it")
        path = Path(folder) / name
        if not path.exists():
            pytest.skip(f"needs {path}")
        return path

    return find


class Stages:
    """A listener that records the stages."""

    def __init__(self) -> None:
        self.expected: Counter[str] = Counter()
        self.sizes: list[tuple[int, int]] = []
        self.begun: list[str] = []
        self.shares: list[float] = []

    def expect(self, *stages: str) -> None:
        self.expected |= Counter(stages)

    def size(self, entries: int, classes: int) -> None:
        self.sizes.append((entries, classes))

    def begin(self, stage: str) -> None:
        self.begun.append(stage)

    def step(self, share: float) -> None:
        self.shares.append(share)


@pytest.fixture
def stages() -> Stages:
    """Records what `labelferry.core.progress` announces inside `with listen(stages)`."""
    return Stages()


@pytest.fixture(scope="module")
def shared_panels(tmp_path_factory):
    """For modules whose tests label the same documents: see `tests/shared_panels.py`."""
    from .shared_panels import folder_of_run, use_shared_panels

    with use_shared_panels(folder_of_run(tmp_path_factory.getbasetemp())):
        yield


@pytest.fixture(scope="session")
def postgres():
    """URL of a real PostgreSQL server; the test is skipped where it cannot be started."""
    from tests.postgres import postgres_server, reason_to_skip

    if reason := reason_to_skip():
        pytest.skip(reason)
    with postgres_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """A place for a new job: a file, or an empty database of a real server."""
    if request.param == "sqlite":
        yield tmp_path / "job.ferry"
        return
    import psycopg

    server = request.getfixturevalue("postgres")
    name = f"job{os.urandom(6).hex()}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield f"{server}/{name}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
