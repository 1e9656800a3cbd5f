"""Processes ended at random moments: python -m benchmarks.kills [ROUNDS [NAME ...]].

In every round (4), each of `label`, `label --save`, `bench --jobs 2` and `review` gets INT, TERM, HUP and KILL: half of
the times at a random moment, half when a temporary file is there. Afterwards every output is the old one or the new
one, no child process is left, and the next run gives the right outputs and leaves no temporary file. Every answer that
the review page confirmed is in the job.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.browsing import Server, starting
from tests.newsgroups import write_newsgroups
from tests.review_jobs import write_job
from tests.tickets import new, old, write_csv

from labelferry.files import PREFIX
from labelferry.review.store import Store

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
SECONDS_TO_END = 10  # that children may take after their parent
SECONDS_TO_STOP = 120  # that a server may take on a computer with much other work
LABEL = ("label", "old.csv", "new.csv", "-o", "out.csv", "--method", "sourcelr", "-q")
BENCH = ("bench", "table", "gcmf", "--methods", "SourceLR,EMNaiveBayes", "--tasks", "comp vs rec,rec vs sci")


class Work(NamedTuple):
    """A command, the files that it writes, and those from which it continues."""

    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    records: tuple[str, ...] = ()


WORKS = {
    "label": Work((*LABEL, "--report", "page.html"), ("out.csv", "page.html")),
    "save": Work((*LABEL, "--save", "model.npz"), ("out.csv", "model.npz")),
    "bench": Work(
        (*BENCH, "--seeds", "2", "--jobs", "2", "--out", "results"),
        ("results/gcmf.csv", "results/gcmf.html"),
        ("results/gcmf.jsonl",),
    ),
}
REVIEW = "review"
NAMES = (*WORKS, REVIEW)
FAULTS = ("half-written", "left drafts", "left processes", "next run wrong", "drafts after the next run")
COLUMNS = ("kills", "hit", *FAULTS)
Contents = dict[str, bytes | None]


def start(work: Work, folder: Path) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, so that its children can be found."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    data = {"LABELFERRY_DATA": str(folder / "data"), "LABELFERRY_CACHE": str(folder / "cache")}
    path = os.pathsep.join(map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))))
    return subprocess.Popen(
        [sys.executable, "-m", "labelferry", *work.arguments],
        cwd=folder,
        env={**os.environ, **threads, **data, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def prepare(folder: Path) -> None:
    """The inputs of all commands."""
    write_csv(folder / "old.csv", old(3))
    write_csv(folder / "new.csv", new(3))
    write_newsgroups(folder / "data")


def drafts(folder: Path) -> list[Path]:
    """Temporary files below a folder."""
    return list(folder.rglob(f"{PREFIX}*"))


def contents(work: Work, folder: Path) -> Contents:
    """The outputs; None if there is no file. Times differ: of a page the end counts, and of the bench the words."""
    found: Contents = {}
    for name in work.outputs:
        path = folder / name
        content = path.read_bytes() if path.exists() else None
        if content is not None and path.suffix == ".html":
            content = content.rstrip()[-7:]
        elif content is not None and work.records:
            content = re.sub(rb"[-+\d.e]+", b"", content)
        found[name] = content
    return found


def session(leader: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if fields[3] == str(leader) and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def wait_until(is_true: Callable[[], object], seconds: float) -> bool:
    """Whether something becomes true in time."""
    deadline = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


def kill(name: str, number: int, *, in_draft: bool, seconds: float, right: Contents, folder: Path) -> Counter[str]:
    """End one run, and look at what it left."""
    work, found = WORKS[name], Counter(kills=1)
    before = contents(work, folder)
    process = start(work, folder)
    if in_draft:
        wait_until(lambda: drafts(folder) or process.poll() is not None, 300)
    else:
        wait_until(lambda: process.poll() is not None, random.uniform(0, seconds))
    process.send_signal(number)
    process.wait()
    found["hit"] = int(process.returncode != 0)
    found["left drafts"] = int(number != signal.SIGKILL and bool(drafts(folder)))
    found["left processes"] = int(not wait_until(lambda: not session(process.pid), SECONDS_TO_END))
    for pid in session(process.pid):
        os.kill(pid, signal.SIGKILL)
    after = contents(work, folder)
    found["half-written"] = sum(after[key] not in (before[key], right[key]) for key in after)
    return found


def run_again(name: str, right: Contents, folder: Path) -> Counter[str]:
    """The next run gives the right outputs and removes what the others left."""
    is_right = start(WORKS[name], folder).wait() == 0 and contents(WORKS[name], folder) == right
    return Counter({"next run wrong": int(not is_right), "drafts after the next run": int(bool(drafts(folder)))})


def kill_review(number: int, folder: Path) -> Counter[str]:
    """End a server while answers arrive. Every confirmed answer is in the job, and the next server works."""
    found = Counter(kills=1, hit=1)
    job = folder / "job.ferry"
    n_before = n_answers(job)
    with starting("--reviewer", "Ada") as start_server:
        server = start_server(job)
        browser = Browser(server)
        deadline, n_confirmed = time.monotonic() + random.uniform(0, 3), 0
        while time.monotonic() < deadline and browser.has_question:
            browser.answer()
            n_confirmed += 1
        server.process.send_signal(number)
        found["left processes"] = int(not wait_until(lambda: server.process.poll() is not None, SECONDS_TO_STOP))
        found["answers"], found["half-written"] = n_confirmed, int(n_answers(job) != n_before + n_confirmed)
        following = start_server(job)
        found["next run wrong"] = int("csrf" not in Browser(following).page)
        following.process.send_signal(signal.SIGINT)
        found["left processes"] += int(not wait_until(lambda: following.process.poll() is not None, SECONDS_TO_STOP))
    left = [path.name for path in folder.iterdir() if path.name.startswith("job.ferry-")]
    found["drafts after the next run"] = int(bool(left))
    return found


def n_answers(job: Path) -> int:
    """Answers in a job, with those that were replaced."""
    with Store.open(job) as store:
        return len(store.answers.history())


class Browser:
    """A browser that answers one question after another."""

    def __init__(self, server: Server) -> None:
        self.base = server.base
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        self.opener.open(server.url).close()
        self.page = self.read("/questions/audit")

    @property
    def has_question(self) -> bool:
        """Whether the page has a question; False if all documents are answered."""
        return 'name="document"' in self.page

    def read(self, path: str, form: dict[str, str] | None = None) -> str:
        """A page."""
        body = None if form is None else urllib.parse.urlencode(form).encode()
        with self.opener.open(urllib.request.Request(self.base + path, body, {"Origin": self.base})) as response:
            return str(response.read().decode())

    def answer(self) -> None:
        """Answer the question on the page, and get the next."""
        form = dict(re.findall(r'name="(csrf|document|purpose|shown)" value="([^"]*)"', self.page))
        self.page = self.read("/answer", {**form, "choice": "label:billing"})


def run_kills(n_rounds: int, folder: Path, names: tuple[str, ...] = NAMES) -> dict[str, Counter[str]]:
    """End every command by every signal, once per round, and count what was found per command."""
    random.seed(0)
    prepare(folder)
    found: dict[str, Counter[str]] = {name: Counter() for name in names}
    for name in names:
        if name == REVIEW:
            for _ in range(n_rounds):
                (folder / "job.ferry").unlink(missing_ok=True)
                write_job(folder / "job.ferry")
                for number in SIGNALS:
                    found[name] += kill_review(number, folder)
            continue
        began = time.perf_counter()
        assert start(WORKS[name], folder).wait() == 0
        seconds, right = time.perf_counter() - began, contents(WORKS[name], folder)
        for i in range(n_rounds):
            for output in (*WORKS[name].outputs, *WORKS[name].records) if i % 2 else WORKS[name].records:
                (folder / output).unlink(missing_ok=True)
            for j, number in enumerate(SIGNALS):
                in_draft = (i + j) % 2 == 0
                found[name] += kill(name, number, in_draft=in_draft, seconds=seconds, right=right, folder=folder)
            found[name] += run_again(name, right, folder)
    return found


def main(n_rounds: int, names: list[str]) -> None:
    """Print a line per command."""
    print(f"{'':8s} " + "  ".join(COLUMNS), flush=True)
    for name in names or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            counts = run_kills(n_rounds, Path(folder), (name,))[name]
        print(f"{name:8s} " + "  ".join(f"{counts[column]:{len(column)}d}" for column in COLUMNS), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4, sys.argv[2:])
