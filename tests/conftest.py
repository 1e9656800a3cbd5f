"""Tests read real corpora from the folder in LABELFERRY_DATA, by default a `shared/data` beside the checkout."""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

from labelferry.cli import load_commands

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if BESIDE.is_dir():
    os.environ.setdefault("LABELFERRY_DATA", str(BESIDE))
os.environ["LABELFERRY_EMBED"] = "none"  # words alone, unless a test names a model or unsets it

settings.register_profile("any speed", deadline=None)  # of one example; a test has a limit in any case
settings.load_profile("any speed")


def pytest_configure() -> None:
    """The commands of the bench are there, and signals work as in a terminal.

    That holds also if the parent ignores signals (a job in the background, nohup).
    Child processes inherit that a signal is ignored, but not a handler. So the handlers are set here once, and a child
    that gets a signal ends.
    """
    load_commands()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGHUP", "SIGTERM"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)  # the tests themselves go on


# Files whose tests need kills, a cluster, much memory or a browser: they are system tests, but for one of each kind.
# Of the kills, those that take a second stay: in cli/test_main.py, project/test_files.py and review/test_store.py.
SYSTEM = {
    "test_kills.py": "none",
    "test_dask.py": "test_estimators_give_the_same_bit_by_bit[TCL]",
    "test_memory.py": "test_memory_is_far_below_that_of_all_pairs[TCL]",
    "test_page_browser.py": "test_hostile_texts_are_shown_as_text",
    "test_server_browser.py": "test_a_session_by_keyboard",
}
ON_CORPORA = "test_the_same_seed_gives_the_same_labels"  # stays, of the tests on real corpora
ON_A_SERVER = "test_any_text_survives[postgresql]"  # stays, of the tests on PostgreSQL


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark system tests: those of SYSTEM, on real corpora, and on PostgreSQL."""
    for item in items:
        fixtures, parameters = getattr(item, "fixturenames", ()), getattr(getattr(item, "callspec", None), "params", {})
        kinds = {SYSTEM[item.path.name]} if item.path.name in SYSTEM else set()
        kinds |= {ON_CORPORA} if "corpus" in fixtures else set()
        kinds |= {ON_A_SERVER} if "postgres" in fixtures or parameters.get("place") == "postgresql" else set()
        if kinds and item.name not in kinds:
            item.add_marker(pytest.mark.system)


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


# Rooms whose tests label the same documents again and again, and files in them that fit blocks on disk or on workers.
SHARING = {"cli", "inputs", "labelling", "llm", "project", "report", "review", "tables", "text", "test_methods.py"}
OWN_PANELS = {"test_dask.py", "test_kills.py", "test_large_files.py"}


@pytest.fixture(scope="module", autouse=True)
def shared_panels(request, tmp_path_factory):
    """Equal documents are fitted once per run: see `tests/shared_panels.py`."""
    if not {request.path.parent.name, request.path.name} & SHARING or request.path.name in OWN_PANELS:
        yield
        return
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
