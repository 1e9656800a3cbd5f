"""The worked examples of docs/tutorial-review.md on real corpora: minutes, answers and usable labels.

    python -m benchmarks.usable_examples [--pictures] [EXAMPLE ...]    reads the corpora in $LABELFERRY_DATA

The session of a person who wants labels to use: `label`, 20 answers to learn from, then the questions of the queue
"accept" at one limit. A program answers with the true classes. Minutes are counted with SECONDS per answer. With
--pictures and Chromium, docs/usable-*.png are drawn: the part of the review page that contains no text of a document.
"""

from __future__ import annotations

import random
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tests.browsing import CHROMIUM, Person, Server

import labelferry
from labelferry.review.job.job import Job
from labelferry_bench.datasets import CorpusNotFound
from labelferry_bench.datasets.domains import load_domains

SEED = 0
SECONDS = 10  # per answer
LEARN = 20
LOOKS = (40, 60, 80, 100, 120, 160, 200)
LIMITS = (0.05, 0.1)
DOCS = Path(__file__).parents[1] / "docs"
PICTURES = {("crisis", 0.1): 100, ("comments", 0.05): 100}  # after so many answers


class Example(NamedTuple):
    """Which documents are labelled and which are new."""

    corpus: str
    labelled: tuple[str, ...]
    new: tuple[str, ...]
    most: int = 2000  # documents of each file


EXAMPLES = {
    "crisis": Example(
        "crisislex_t6",
        ("2013_Oklahoma_Tornado", "2012_Sandy_Hurricane"),
        ("2013_Boston_Bombings", "2013_Queensland_Floods"),
    ),
    "comments": Example("satd_1to3", ("argouml",), ("jruby-1.4.0",)),
    "reviews": Example("fdu_mtl_reviews", ("books",), ("kitchen_housewares",)),
}


class Files(NamedTuple):
    """Texts with labels, and texts with their true classes."""

    texts: list[str]
    labels: list[str]
    new: list[str]
    truth: list[str]


def load(example: Example) -> Files:
    """Draw the documents of an example."""
    corpus, rng = load_domains(example.corpus), random.Random(SEED)

    def draw(domains: tuple[str, ...]) -> tuple[list[str], list[str]]:
        rows = [i for i, domain in enumerate(corpus.fields["domain"]) if domain in domains]
        rows = rng.sample(rows, min(example.most, len(rows)))
        return [corpus.texts[i] for i in rows], [str(corpus.fields["label"][i]) for i in rows]

    return Files(*draw(example.labelled), *draw(example.new))


def answer(job: Job, truth: list[str], purpose: str, error: float) -> bool:
    """Answer the next question with the true class; False if there is none."""
    question = job.question(purpose, error=error)
    if question is None:
        return False
    job.answer(question.document, truth[question.document], purpose=question.purpose)
    return True


class Look(NamedTuple):
    """What can be used after some answers, and how many of these labels are really wrong."""

    answers: int
    usable: int
    unread: int
    at_most_wrong: int
    labels: int  # with the answers
    wrong: int
    whole_file: int  # labels to use if people label the others
    to_label: int

    def __str__(self) -> str:
        return (
            f"  {self.answers:3} answers, {self.answers * SECONDS / 60:4.1f} min: usable {self.usable:5,} "
            f"({self.unread:,} unread), at most {self.at_most_wrong} wrong; "
            f"with answers {self.labels:5,} labels, {self.wrong} really wrong; whole file: use {self.whole_file:5,}, "
            f"people label {self.to_label:5,}"
        )


def look(usable: Any, truth: list[str], n: int) -> Look:
    """What can be used after n answers."""
    wrong = sum(label is not None and label != true for label, true in zip(usable.labels, truth, strict=True))
    mine = sum(label is not None for label in usable.labels)
    finish = usable.finished
    return Look(n, usable.n, usable.accepted.unseen, usable.at_most_wrong, mine, wrong, finish.n, finish.n_to_label)


def learn(job: Job, truth: list[str], error: float) -> dict[str, Any]:
    """Give the first answers, from which the labels learn."""
    for _ in range(LEARN):
        answer(job, truth, "accept", error)
    return job.refit()


def looks(job: Job, truth: list[str], error: float) -> Iterator[Look]:
    """Answer the further questions; what can be used after the numbers of answers in LOOKS, or when none is left."""
    for n in range(LEARN, max(LOOKS) + 1):
        if n in LOOKS:
            yield look(job.accept(error), truth, n)
        if not answer(job, truth, "accept", error):
            yield look(job.accept(error), truth, n)
            return


def draw(job: Job, name: str, error: float) -> None:
    """Save a picture of the labels to use."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        print("  no picture: Chromium is missing")
        return
    shown = Path(job.store.name).with_name("shown.ferry")  # a copy: a question that is shown to Ada is kept for her
    with closing(sqlite3.connect(job.store.name)) as source, closing(sqlite3.connect(shown)) as copy:
        source.backup(copy)
    server = Server(shown, "--reviewer", "Ada")
    try:
        with sync_playwright() as driver:
            page = Person(driver.chromium.launch(executable_path=CHROMIUM), server, 1280, color_scheme="light").page
            page.wait_for_selector(f"#usable button[value='{error:g}'][aria-pressed='true']")  # that of the job
            page.locator("#usable details").evaluate("it => { it.open = true; }")
            page.wait_for_timeout(700)  # the bar moves
            path = DOCS / f"usable-{name}.png"
            page.locator("#usable").screenshot(path=path)
            Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    finally:
        server.end(signal.SIGINT)


def play(name: str, *, pictures: bool) -> None:
    """Label one example, answer questions at each limit, and print what can be used."""
    files = load(EXAMPLES[name])
    result = labelferry.label(files.texts, files.new, label=files.labels, seed=SEED)
    right = sum(a == b for a, b in zip(result.labels, files.truth, strict=True))
    marked = int((result.needs_review & result.predicted).sum())
    print(f"{name}: {len(files.texts):,} labelled, {len(files.new):,} new; {result!r}")
    print(f"  really correct {right / len(files.new):.3f}; marked for review {marked:,}")
    for error in LIMITS:
        plans = ", ".join(
            f"{plan.answers}: {plan.n} ({plan.low} to {plan.high})" for plan in result.expected(error, LOOKS)
        )
        print(f"  limit {error:.0%}; expected before the first answer: {plans}")
        with TemporaryDirectory() as folder, result.store(Path(folder) / "job.ferry", seed=SEED) as job:
            done = learn(job, files.truth, error)
            print(f"  learned from {done['answers']} answers, {done['changed']} labels changed")
            for found in looks(job, files.truth, error):
                print(found, flush=True)
                if pictures and found.answers == PICTURES.get((name, error)):
                    draw(job, name, error)


if __name__ == "__main__":
    chosen = [name for name in sys.argv[1:] if name != "--pictures"]
    try:
        for each in chosen or EXAMPLES:
            play(each, pictures="--pictures" in sys.argv)
    except CorpusNotFound as error:
        sys.exit(str(error))
