"""Draw the pictures of docs/tutorial-review.md, and print its numbers: python -m benchmarks.review_pictures.

It needs Chromium. The session of the tutorial: 600 tickets, 20 answers to learn from, 80 about labels
to use; a program answers with the true classes.
"""

from __future__ import annotations

import random
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from tests.browsing import CHROMIUM, Person, Server

import labelferry
from labelferry.demo.tickets import load_words, write_tickets

DOCS = Path(__file__).parents[1] / "docs"
SEED, N_LEARN, N_ANSWERS = 0, 20, 100


def answer(job: Any, truth: list[str]) -> None:
    """Answer the next question about labels to use."""
    question = job.question("accept", "Ada")
    job.answer(question.document, truth[question.document], purpose=question.purpose, reviewer="Ada")


def draw(place: Path, *pictures: tuple[str, str, int, str]) -> None:
    """Save pictures of pages of a job: (name, path, width, color scheme)."""
    server = Server(place, "--reviewer", "Ada")
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM)
            for name, path, width, scheme in pictures:
                page = Person(browser, server, width, color_scheme=scheme).page
                page.goto(server.base + path)
                page.wait_for_timeout(700)  # the bar moves
                file = DOCS / f"{name}.png"
                page.screenshot(path=file)
                Image.open(file).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    finally:
        try:
            server.end(signal.SIGINT)
        except subprocess.TimeoutExpired:
            server.process.kill()


def main() -> None:
    """Play the session."""
    demo, words = labelferry.load_demo(), load_words()
    counts = {"billing": 190, "technical": 230, "account": 180}
    texts, truth = write_tickets(words.new, words.about_new, counts, random.Random(0))
    new = {"ticket": [f"T-{1001 + i}" for i in range(len(texts))], "text": texts}
    with TemporaryDirectory() as folder:
        import pandas as pd

        labelled = pd.DataFrame({"text": demo.texts_source, "label": demo.y_source})
        result, place = labelferry.label(labelled, pd.DataFrame(new)), Path(folder) / "job.ferry"
        print(f"first labels that are correct: {sum(a == b for a, b in zip(result.labels, truth, strict=True))}")
        with result.store(place, seed=SEED) as job:
            pass
        draw(place, ("review-question", "/", 1280, "light"))
        with labelferry.open_job(place) as job:
            for n in range(1, N_ANSWERS + 1):
                answer(job, truth)
                if n == N_LEARN:
                    print(job.refit())
                elif n > N_LEARN and (n % 5 == 0 or n > N_ANSWERS - 1):
                    print(n, job.accept().text().splitlines()[0])
            labels = job.accept().labels
            used = [(a, b) for a, b in zip(labels, truth, strict=True) if a is not None]
            print(f"labels in the file: {len(used)}, wrong: {sum(a != b for a, b in used)}")
        draw(
            place,
            ("review-usable", "/", 1280, "light"),
            ("review-phone", "/", 390, "dark"),
            ("review-list", "/list?q=hub", 1280, "light"),
        )


if __name__ == "__main__":
    main()
