"""A review job in random order of use, in Python and on its page, compared with a twin after every step.

The twin keeps a list of answers and the labels of each fit, and knows nothing of databases, transactions or checksums.
What it cannot know, the labels that learning gives, it reads once from the job, and expects forever after.
`tests/review/test_store_states.py` runs it in the tests, `make fuzz` for longer (`tests/fuzz/states.py`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from starlette.testclient import TestClient

from labelferry.review.job.job import Job, open_job
from labelferry.review.server import Site, new_app
from labelferry.review.server.sessions import Sessions
from labelferry.review.store import Store
from tests.jobs import CLASSES, small_job

N = 12
REVIEWERS = ("", "ann", "bob", "Zoë \ud800")
KINDS = ("none_of_these", "unclear")
PURPOSES = ("audit", "duel", "group", "list", "accept", "again")
ERROR = 0.5  # allowed share of wrong labels: few documents must be enough
ADA, BASE = "Ada", "http://127.0.0.1:8000"
PAGES = (
    *("/", "/questions/audit", "/questions/duel", "/documents/3", "/list", "/list?answered=yes", "/history"),
    *("/export", "/export/labelled.jsonl", "/certificate", "/refit"),
)
STEPS = Counter()  # type: ignore[var-annotated]  # how often each rule was run


class Given(NamedTuple):
    """An answer, as the twin keeps it."""

    document: int
    value: str  # class, or kind
    reviewer: str
    purpose: str


class Twin:
    """The answers and labels of a job, in lists."""

    def __init__(self, labels: list[str]) -> None:
        self.log: list[Given | int] = []  # answers, and the positions of answers that are taken back
        self.fits = [labels]
        self.seen: set[int] = set()  # documents that had an answer when the labels were fitted

    def current(self) -> dict[tuple[int, str], int]:
        """Position of the answer that counts, per document and person."""
        undone = {entry for entry in self.log if isinstance(entry, int)}
        last: dict[tuple[int, str], int] = {}
        for position, entry in enumerate(self.log):
            if isinstance(entry, Given) and position not in undone:
                last[entry.document, entry.reviewer] = position
        return last

    def given(self, position: int) -> Given:
        """The answer at a position."""
        entry = self.log[position]
        assert isinstance(entry, Given)
        return entry

    def undo(self, reviewer: str) -> Given | None:
        """Take back the last answer of a person that counts."""
        mine = [position for (_, who), position in self.current().items() if who == reviewer]
        if not mine:
            return None
        self.log.append(max(mine))
        return self.given(max(mine))

    def standing(self) -> dict[int, list[int]]:
        """Per document, the positions of all answers that were not taken back."""
        undone = {entry for entry in self.log if isinstance(entry, int)}
        found: dict[int, list[int]] = {}
        for position, entry in enumerate(self.log):
            if isinstance(entry, Given) and position not in undone:
                found.setdefault(entry.document, []).append(position)
        return found

    def deciding(self) -> list[int]:
        """Positions of the answers that say what a document is.

        Two answers to a question that was asked again, if they agree and nobody said anything later; otherwise the last
        one of each person, but not those to a question that was asked again, unless there are no others.
        """
        found: list[int] = []
        for positions in self.standing().values():
            again = [p for p in positions if self.given(p).purpose == "again"]
            others = [p for p in positions if p not in again]
            if len(again) > 1 and self.given(again[0]).value == self.given(again[1]).value:
                others = [p for p in others if p > again[1]] or again[:2]
            found += {self.given(p).reviewer: p for p in others or again}.values()
        return sorted(found)

    def decided(self) -> dict[int, str | None]:
        """Per document, what more than half of its persons answered; None without a majority."""
        values: dict[int, list[str]] = {}
        for given in map(self.given, self.deciding()):
            values.setdefault(given.document, []).append(given.value)
        return {document: most(answers) for document, answers in values.items()}

    def tested(self, document: int) -> tuple[str | None, list[str]]:
        """The first answers to a document, None without a majority, and those to its question that was asked again.

        As long as the first answers agree with the label, every answer is a first one, the last of each person. After
        that, answers of other persons to a question of a queue are, and no denial is dropped: it replaces the first
        answer of its person. In the list, or after two answers that were asked again, it has the last word.
        """
        label = self.fits[-1][document]
        first: dict[str, str] = {}
        again: list[str] = []
        for given in map(self.given, self.standing().get(document, ())):
            agrees, is_denied = not first or most(list(first.values())) == label, given.value != label
            is_new = given.purpose not in ("list", "again") and given.reviewer not in first
            if is_denied and (len(again) > 1 or (given.purpose == "list" and not agrees)):
                again = [given.value, *again[1:]]
            elif agrees or is_new:
                first[given.reviewer] = given.value
            elif given.purpose == "again":
                again.append(given.value)
            elif is_denied:
                first[given.reviewer] = given.value
        return most(list(first.values())), again

    def wrong(self) -> dict[int, bool]:
        """Per document that was answered after the labels were fitted, whether its label counts as wrong."""
        found = {}
        for document in self.standing().keys() - self.seen:
            (first, again), label = self.tested(document), self.fits[-1][document]
            found[document] = first != label and again[:2] != [label, label]
        return found

    def recorded(self, document: int, purpose: str) -> str:
        """The purpose of a new answer: "accept" becomes "again" if the first answers contradict the label."""
        answered = document in self.standing()
        contradicted = answered and self.tested(document)[0] != self.fits[-1][document]
        return "again" if purpose == "accept" and contradicted else purpose

    def named(self) -> dict[int, str]:
        """Documents whose class is decided."""
        return {document: value for document, value in self.decided().items() if value in CLASSES}

    def exported(self) -> list[tuple[str | None, str]]:
        """Label and answer of every document in an exported file."""
        decided, rows = self.decided(), []
        for document, label in enumerate(self.fits[-1]):
            answer = decided.get(document)
            text = "" if document not in decided else "disagreement" if answer is None else answer
            shown: str | None = answer if answer in CLASSES else label
            rows.append((None if answer == "none_of_these" else shown, text))
        return rows


def most(values: list[str]) -> str | None:
    """What more than half say."""
    value, n = Counter(values).most_common(1)[0] if values else (None, 0)
    return value if 2 * n > len(values) else None


class ReviewMachine(RuleBasedStateMachine):
    """Open, answer, undo, learn, certify and export in any order, by two processes' worth of open jobs."""

    place: Any = None  # a function that gives a new place and one that removes it; files if None

    @initialize()
    def create(self) -> None:
        """Write a new job and open it twice."""
        self.folder = Path(tempfile.mkdtemp(prefix="labelferry-states-"))
        self.where = self.folder / "job.ferry" if self.place is None else type(self).place()
        Store.create(self.where, small_job(N)).close()
        self.jobs = [open_job(self.where), open_job(self.where)]
        self.open_page()
        self.twin = Twin([row.label for row in self.jobs[0].search(limit=N)])

    def open_page(self) -> None:
        """A browser of Ada, on a server with the second job."""
        site = Site(self.jobs[1], "job.ferry", Sessions(ADA))
        self.browser = TestClient(new_app(site), base_url=BASE, headers={"Origin": BASE})
        self.browser.get("/enter", params={"token": site.tokens.new()})
        found = re.search(r'name="csrf" value="([^"]+)"', self.browser.get("/reviewer").text)
        assert found is not None
        self.token = found[1]

    def post(self, path: str, **form: str) -> int:
        """Send a form; the status of the answer."""
        response = self.browser.post(path, data={"csrf": self.token, **form}, follow_redirects=False)
        assert response.status_code < 500
        return response.status_code

    def job(self, which: int) -> Job:
        """One of the two open jobs."""
        return self.jobs[which]

    @rule(which=st.sampled_from([0, 1]), document=st.integers(0, N - 1), label=st.sampled_from(CLASSES),
          reviewer=st.sampled_from(REVIEWERS), purpose=st.sampled_from(PURPOSES))  # fmt: skip
    def answer(self, which: int, document: int, label: str, reviewer: str, purpose: str) -> None:
        """Name a class."""
        STEPS["answer"] += 1
        number = self.job(which).answer(document, label, purpose=purpose, reviewer=reviewer)
        self.twin.log.append(Given(document, label, reviewer, self.twin.recorded(document, purpose)))
        assert number == len(self.twin.log)

    @rule(which=st.sampled_from([0, 1]), document=st.integers(0, N - 1), kind=st.sampled_from(KINDS),
          reviewer=st.sampled_from(REVIEWERS))  # fmt: skip
    def answer_otherwise(self, which: int, document: int, kind: str, reviewer: str) -> None:
        """Name no class."""
        STEPS["answer otherwise"] += 1
        self.job(which).answer(document, None, kind=kind, reviewer=reviewer)
        self.twin.log.append(Given(document, kind, reviewer, "list"))

    @rule(which=st.sampled_from([0, 1]), reviewer=st.sampled_from(REVIEWERS), purpose=st.sampled_from(PURPOSES[:3]))
    def answer_question(self, which: int, reviewer: str, purpose: str) -> None:
        """Answer the next question of a queue, which must be open."""
        STEPS["question"] += 1
        question = self.job(which).question(purpose, reviewer)
        if question is None:
            return
        assert question.document not in {document for document, _ in self.twin.current()}
        assert question.label == self.twin.fits[-1][question.document]
        self.job(which).answer(question.document, question.label, purpose=purpose, reviewer=reviewer)
        self.twin.log.append(Given(question.document, question.label, reviewer, purpose))

    @rule(
        which=st.sampled_from([0, 1]),
        document=st.integers(-3, N + 3),
        label=st.sampled_from(["", "cats", None, "unclear"]),
    )
    def answer_wrongly(self, which: int, document: int, label: str | None) -> None:
        """An answer that nobody can give is refused, and changes nothing."""
        STEPS["wrong answer"] += 1
        with pytest.raises(ValueError, match=r"\Adocument must be.*\Z|\Aanswer must be.*\Z"):
            self.job(which).answer(document, label, reviewer="ann")

    @rule(
        document=st.integers(-1, N),
        choice=st.sampled_from([*(f"label:{label}" for label in CLASSES), *KINDS, "label:cats", ""]),
        purpose=st.sampled_from([*PURPOSES, "fun"]),
    )
    def answer_on_the_page(self, document: int, choice: str, purpose: str) -> None:
        """Send the form of a question; one that no page has is refused, and changes nothing."""
        STEPS["page: answer"] += 1
        status = self.post("/answer", document=str(document), purpose=purpose, choice=choice, shown="")
        is_valid = 0 <= document < N and purpose in PURPOSES and choice not in ("label:cats", "")
        assert (status == 303) == is_valid
        if is_valid:
            kept = self.twin.recorded(document, purpose)
            self.twin.log.append(Given(document, choice.removeprefix("label:"), ADA, kept))

    @rule()
    def undo_on_the_page(self) -> None:
        """Take back the last answer of Ada."""
        STEPS["page: undo"] += 1
        self.post("/undo", purpose="audit")
        self.twin.undo(ADA)

    @rule(path=st.sampled_from(PAGES))
    def read_a_page(self, path: str) -> None:
        """Every page is shown; the exported file has the labels and answers of the twin."""
        STEPS["page: read"] += 1
        response = self.browser.get(path)
        assert response.status_code == 200
        assert "Content-Security-Policy" in response.headers
        if path.endswith("labelled.jsonl"):
            rows = [json.loads(line) for line in response.text.splitlines()]
            assert [(row["label"], row["answer"] or "") for row in rows] == self.twin.exported()

    @rule(which=st.sampled_from([0, 1]), reviewer=st.sampled_from(REVIEWERS))
    def undo(self, which: int, reviewer: str) -> None:
        """Take back the last answer of a person."""
        STEPS["undo"] += 1
        row, expected = self.job(which).undo(reviewer), self.twin.undo(reviewer)
        assert (row is None) == (expected is None)
        if row is not None and expected is not None:
            assert (row.document, row.value, row.reviewer) == (expected.document, expected.value, expected.reviewer)

    @rule(which=st.sampled_from([0, 1]))
    def learn(self, which: int) -> None:
        """Learn from the answers; documents whose class is decided have that class afterwards."""
        STEPS["learn"] += 1
        named = self.twin.named()
        if not named:
            with pytest.raises(ValueError, match="nothing can be learned"):
                self.job(which).refit()
            return
        summary = self.job(which).refit()
        labels = [row.label for row in self.job(which).search(limit=N)]
        assert summary["answers"] == len(named)
        assert summary["changed"] == sum(a != b for a, b in zip(self.twin.fits[-1], labels, strict=True))
        assert {document: labels[document] for document in named} == named
        self.twin.fits.append(labels)
        self.twin.seen = set(self.twin.standing())

    @rule(which=st.sampled_from([0, 1]))
    def accept(self, which: int) -> None:
        """The answers test the labels as the twin says; learning, exports and accept know the same labels."""
        STEPS["accept"] += 1
        usable, decided = self.job(which).accept(ERROR, learn=0), self.twin.decided()
        assert usable.wrong == self.twin.wrong()
        assert usable.frozen.known.rows.tolist() == sorted(self.twin.seen)
        for document, answer in decided.items():
            mark, label = usable.column()[document], usable.labels[document]
            assert label == (answer if answer in CLASSES else self.twin.fits[-1][document] if mark == "yes" else None)
            assert (mark == "answer") == (answer in (*CLASSES, "none_of_these"))

    @rule(which=st.sampled_from([0, 1]), label=st.sampled_from([None, *CLASSES]), reviewer=st.sampled_from(REVIEWERS))
    def answer_accept(self, which: int, label: str | None, reviewer: str) -> None:
        """Answer a question about labels to use: as the label says, or otherwise. It is open, or asked again."""
        STEPS["accept: question"] += 1
        self.job(which).accept(ERROR, learn=0)  # the labels need not learn first
        question = self.job(which).question("accept", reviewer, error=ERROR)
        if question is None:
            return
        answered = question.document in self.twin.standing()
        assert question.purpose == ("again" if answered else "accept")
        value = label or self.twin.fits[-1][question.document]
        self.job(which).answer(question.document, value, purpose=question.purpose, reviewer=reviewer)
        self.twin.log.append(Given(question.document, value, reviewer, question.purpose))

    @rule(which=st.sampled_from([0, 1]))
    def certify(self, which: int) -> None:
        """A certificate counts no more answers than there are, and its bounds are in order."""
        STEPS["certify"] += 1
        certificate = self.job(which).issue()
        assert certificate.n_answers <= len(self.twin.decided())
        assert 0 <= certificate.accuracy.low <= certificate.accuracy.high <= 1

    @rule(which=st.sampled_from([0, 1]))
    def export(self, which: int) -> None:
        """The file has the labels and answers of the twin; the corrections have its answers."""
        STEPS["export"] += 1
        path = self.folder / "out.jsonl"
        self.job(which).export(path)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert [(row["label"], row["answer"] or "") for row in rows] == self.twin.exported()
        self.job(which).export_corrections(path)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        expected = [self.twin.given(position) for position in self.twin.deciding()]
        found = [(row["row"] - 1, row["answer"], row["reviewer"] or "", row["purpose"]) for row in rows]
        assert found == [tuple(given) for given in expected]

    @rule(
        which=st.sampled_from([0, 1]),
        label=st.sampled_from([None, *CLASSES]),
        answered=st.sampled_from([None, True, False]),
    )
    def list(self, which: int, label: str | None, answered: bool | None) -> None:
        """A filtered list has the documents that the twin expects."""
        STEPS["list"] += 1
        closed = {document for document, _ in self.twin.current()}
        expected = [
            document
            for document, own in enumerate(self.twin.fits[-1])
            if label in (None, own) and answered in (None, document in closed)
        ]
        page = self.job(which).search(label=label, answered=answered, limit=N)
        assert [row.number for row in page] == expected

    @rule(which=st.sampled_from([0, 1]))
    def open_again(self, which: int) -> None:
        """Close a job and open it again: everything is still there."""
        STEPS["open"] += 1
        self.jobs[which].close()
        self.jobs[which] = open_job(self.where)
        if which:
            self.open_page()

    @precondition(lambda self: hasattr(self, "jobs"))
    @invariant()
    def the_log_is_that_of_the_twin(self) -> None:
        """Both jobs have the answers of the twin, in its order, and the labels of its last fit."""
        for job in self.jobs:
            rows = job.history()
            assert len(rows) == len(self.twin.log)
            for row, entry in zip(rows, self.twin.log, strict=True):
                if isinstance(entry, int):
                    assert (row.kind, row.replaces) == ("undo", entry + 1)
                else:
                    assert (row.document, row.value, row.reviewer, row.purpose) == tuple(entry)
            counted = {(row.document, row.reviewer): row.id - 1 for row in job.answers()}
            assert counted == self.twin.current()
            assert [row.label for row in job.search(limit=N)] == self.twin.fits[-1]
            assert job.store.fits.last() == len(self.twin.fits)

    def teardown(self) -> None:
        """Close the job."""
        for job in getattr(self, "jobs", ()):
            job.close()
        shutil.rmtree(getattr(self, "folder", ""), ignore_errors=True)


def new_database(server: str) -> str:
    """A new database of a PostgreSQL server."""
    import psycopg

    name = f"states{os.urandom(6).hex()}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"
