"""Draw the pictures of docs/tutorial-review.md and print its numbers (needs Chromium).

    python -m benchmarks.review_pictures

The session of the tutorial with a real server and a real browser: label, answer by keyboard, learn, use, export. A
program answers with the true classes, which the generated tickets have.
"""

from __future__ import annotations

import csv
import random
import signal
import time
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from tests.browsing import CHROMIUM, Person, Server

import labelferry
from labelferry.demo.tickets import load_words, write_tickets

DOCS = Path(__file__).parents[1] / "docs"
COUNTS = {"billing": 190, "technical": 230, "account": 180}
SEED = 0
N_FIRST, N_LEARN, N_USE = 8, 20, 80  # answers before the first picture, before learning, and after it


def write_files() -> list[str]:
    """Write labelled.csv and new.csv; returns the true classes of the new tickets."""
    demo, words = labelferry.load_demo(), load_words()
    texts, truth = write_tickets(words.new, words.about_new, COUNTS, random.Random(SEED))
    write("labelled.csv", ("text", "label"), zip(demo.texts_source, demo.y_source, strict=True))
    write("new.csv", ("ticket", "text"), ((f"T-{1001 + i}", text) for i, text in enumerate(texts)))
    return [str(label) for label in truth]


def write(path: str, names: tuple[str, ...], rows: Any) -> None:
    """Write a CSV file."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])


def answer(person: Person, truth: list[str], classes: list[str], n: int) -> None:
    """Answer `n` questions by keyboard."""
    for _ in range(n):
        if person.page.locator("#question[data-document]").count() == 0:
            return
        person.press(str(classes.index(truth[person.document]) + 1))
    person.page.wait_for_selector("#certificate[data-current='yes']")


def picture(page: Any, name: str) -> None:
    """Save a picture of the window."""
    page.wait_for_timeout(700)  # bars move
    path = DOCS / f"review-{name}.png"
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def play(server: Server, truth: list[str], classes: list[str]) -> None:
    """Run the session and save the pictures."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        person = Person(browser, server, width=1280, color_scheme="light")
        page = person.page
        page.set_viewport_size({"width": 1280, "height": 900})
        page.wait_for_selector("#certificate[data-current='yes']")
        answer(person, truth, classes, N_FIRST)
        picture(page, "question")
        answer(person, truth, classes, N_LEARN - N_FIRST)
        page.keyboard.press("l")
        page.wait_for_selector("#question[data-purpose='accept']", timeout=120_000)
        print(page.locator("#refit .result").inner_text())
        print(page.locator("#usable").inner_text())
        answer(person, truth, classes, N_USE)
        picture(page, "usable")
        print(page.locator("#usable").inner_text())
        page.goto(f"{server.base}/list?search=subscription")
        picture(page, "list")
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
        result.store("job.ferry", seed=SEED).close()
        server = Server(Path("job.ferry"), "--reviewer", "Ada")
        try:
            play(server, truth, [str(c) for c in result.estimator.classes_])
        finally:
            server.end(signal.SIGINT)
        with labelferry.open_job("job.ferry") as job:
            print(job.accept(0.05).text())
            job.export("usable.csv", accepted=True)
            with open("usable.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            wrong = sum(row["label"] != truth[int(row["ticket"][2:]) - 1001] for row in rows)
            print(f"true accuracy before: {before / len(truth):.3f}; usable.csv: {len(rows)} labels, {wrong} wrong")


if __name__ == "__main__":
    main()
