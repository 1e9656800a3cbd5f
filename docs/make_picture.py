"""Draw docs/report.png, the top of the report of the demo tickets: python docs/make_picture.py (needs Chromium)."""

import csv
import shutil
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import labelferry

HERE = Path(__file__).parent
WIDTH = 1200
N_ROWS = 2  # documents in the picture


def write(path: str, **columns: Any) -> None:
    """Write a CSV file."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])


def write_report(folder: str) -> Path:
    """Write the report of the demo tickets, from files with the names that README.md uses."""
    demo = labelferry.load_demo()
    with chdir(folder):
        write("labelled.csv", text=demo.texts_source, label=demo.y_source)
        write("new.csv", text=demo.texts_target)
        labelferry.label("labelled.csv", "new.csv").report("page.html", labelled="out.csv")
        return Path("page.html").resolve()


def draw(page: Path, picture: Path) -> None:
    """Save a picture of the page: the verdict, the story, the classes and the first documents to review."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program)
        tab = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        tab.goto(page.as_uri())
        box = tab.locator("#list tbody tr:visible").nth(N_ROWS - 1).bounding_box()
        if box is None:
            raise RuntimeError(f"{page} lists no documents")
        height = box["y"] + box["height"] + 8
        tab.screenshot(path=picture, full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
        browser.close()
    Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(picture, optimize=True)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        draw(write_report(folder), HERE / "report.png")
