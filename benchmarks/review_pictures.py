"""Draw the pictures of docs/tutorial-review.md and print its numbers (needs Chromium).

    python -m benchmarks.review_pictures

The session of the tutorial with a real server and a real browser: label, answer by keyboard, learn, export. A program
answers with the true classes, which the generated tickets have.
"""

from __future__ import annotations

import random
import signal
import time
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from PIL import Image
from playwright.sync_api import sync_playwright
from tests.browsing import CHROMIUM, Person, Server

import labelferry
from labelferry.demo.tickets import ABOUT_NEW, NEW, write_tickets

DOCS = Path(__file__).parents[1] / "docs"
COUNTS = {"billing": 190, "technical": 230, "account": 180}
N_AUDIT, N_DUEL, N_LATER = 60, 30, 40
SEED = 0


def write_files() -> list[str]:
    """Write labelled.csv and new.csv; returns the true classes of the new tickets."""
    demo = labelferry.load_demo()
    texts, truth = write_tickets(NEW, ABOUT_NEW, COUNTS, random.Random(SEED))
    pd.DataFrame({"text": demo.texts_source, "label": demo.y_source}).to_csv("labelled.csv", index=False)
    numbers = [f"T-{1001 + i}" for i in range(len(texts))]
    pd.DataFrame({"ticket": numbers, "text": texts}).to_csv("new.csv", index=False)
    return [str(label) for label in truth]


def answer(person: Person, truth: list[str], classes: list[str], n: int) -> None:
    """Answer `n` questions by keyboard."""
    for _ in range(n):
        if person.page.locator("#question[data-document]").count() == 0:
            return
        person.press(str(classes.index(truth[person.document]) + 1))
    person.page.wait_for_selector("#certificate[data-current='yes']")


def picture(page: Any, name: str) -> None:
    """Save a picture of the window."""
    page.wait_for_timeout(700)  # bands move
    path = DOCS / f"review-{name}.png"
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def play(server: Server, truth: list[str], classes: list[str]) -> None:
    """Run the session and save the pictures."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        person = Person(browser, server, width=1280, color_scheme="light")
        page = person.page
        page.wait_for_selector("#certificate[data-current='yes']")
        answer(person, truth, classes, 12)
        picture(page, "question")
        answer(person, truth, classes, N_AUDIT - 12)
        page.goto(f"{server.base}/questions/duel")
        answer(person, truth, classes, N_DUEL)
        page.set_viewport_size({"width": 1280, "height": 1180})
        picture(page, "certificate")
        page.set_viewport_size({"width": 1280, "height": 900})
        with labelferry.open_job("job.ferry") as job:
            print(job.certificate().text())
        page.goto(f"{server.base}/list?search=subscription")
        picture(page, "list")
        page.goto(f"{server.base}/questions/audit")
        page.get_by_role("button", name="Learn now").click()
        page.wait_for_selector("#refit[data-status='done']", timeout=120_000)
        print(page.locator("#refit .result").inner_text())
        page.goto(f"{server.base}/questions/audit")
        answer(person, truth, classes, N_LATER)
        phone = Person(browser, server, width=375, color_scheme="dark", device_scale_factor=2)
        phone.page.set_viewport_size({"width": 375, "height": 812})
        picture(phone.page, "phone")
        browser.close()


def main() -> None:
    """Write files, label, play the session, and print what the tutorial quotes."""
    with TemporaryDirectory() as folder, chdir(folder):
        truth = write_files()
        began = time.perf_counter()
        result = labelferry.label("labelled.csv", "new.csv", seed=SEED)
        print(repr(result), f"{time.perf_counter() - began:.0f} s")
        before = sum(a == b for a, b in zip(result.labels, truth, strict=True))
        labelferry.Job.create(result, "job.ferry", seed=SEED).close()
        server = Server(Path("job.ferry"), "--reviewer", "Ada")
        try:
            play(server, truth, [str(c) for c in result.estimator.classes_])
        finally:
            server.end(signal.SIGINT)
        with labelferry.open_job("job.ferry") as job:
            print(job.certificate().text())
            job.export("labelled-new.csv")
            labels = pd.read_csv("labelled-new.csv").label
            after = sum(a == b for a, b in zip(labels, truth, strict=True))
            print(f"true accuracy: {before / len(truth):.3f} before, {after / len(truth):.3f} in the exported file")


if __name__ == "__main__":
    main()
