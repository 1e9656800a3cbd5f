"""The report page and the card for notebooks in a browser. Pictures are written to test-artifacts/."""

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from labelferry.files import write_text
from labelferry.report import render_card, render_page

from .example_report import HOSTILE, HOSTILE_CLASS, HOSTILE_WORD, SCRIPT, example_report

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'labelferry[dev]'")

ARTIFACTS = Path(__file__).parents[1] / "test-artifacts"
DRAWN = """() => [...document.querySelectorAll("[data-chart]")].every((chart) => chart.dataset.drawn === "yes")"""


class Visit(NamedTuple):
    page: Any
    events: list[str]  # console messages, errors, dialogs, requests: a correct page has none


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_text(path, render_page(example_report()))
    return path.as_uri()


@pytest.fixture(scope="module")
def browser():
    ARTIFACTS.mkdir(exist_ok=True)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def visit(browser, address):
    @contextmanager
    def open_page(width=1400, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page, events = context.new_page(), []
        page.on("console", lambda message: events.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: events.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (events.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if request.url == address else events.append(f"request: {request.url}"))
        page.goto(address)
        page.wait_for_function(DRAWN)
        yield Visit(page, events)
        context.close()

    return open_page


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (1400, "light")])
def test_charts_are_drawn_and_fit_without_messages(visit, width, scheme):
    report = example_report()
    with visit(width, scheme) as (page, events):
        marks = {
            ("classes", "rect"): 2 * len(report["classes"]),
            ("projection", "symbol"): len(report["projection"]["points"]),
            ("confidence", "rect"): len(report["confidence"]["bins"]),
            ("confidence", "rule"): 1,
            ("changed_words", "symbol"): 2 * len(report["changed_words"]),
        }
        for (chart, kind), number in marks.items():
            drawn = page.locator(f"[data-chart={chart}] .mark-{kind}.role-mark > *")
            assert drawn.count() == number, (chart, kind)
            box = page.locator(f"[data-chart={chart}] svg").bounding_box()
            assert box["width"] > width / 2
            assert box["height"] > 100
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        beyond = page.evaluate(
            """(width) => [...document.querySelectorAll("main *")]
                .filter((it) => !it.closest(".scroll, svg") && it.getBoundingClientRect().right > width + 0.5)
                .map((it) => it.outerHTML.slice(0, 80))""",
            width,
        )
        assert not beyond
        for picture in ("light", "dark"):
            page.emulate_media(color_scheme=picture)
            page.screenshot(path=ARTIFACTS / f"page-{width}-{picture}.png", full_page=True)
        assert not events


def test_hostile_texts_are_shown_as_text(visit):
    with visit() as (page, events):
        review = page.locator("#review").inner_text()
        for text in (SCRIPT, *HOSTILE[3:6], HOSTILE_CLASS, HOSTILE_WORD):
            assert text in review
        assert HOSTILE_CLASS in page.locator("#projection .legend").first.inner_text()
        assert page.locator("#topics h3").get_by_text(HOSTILE_CLASS).count() == 1
        labels = page.locator("[data-chart=changed_words] .role-axis-label text").all_text_contents()
        assert any(label.startswith("</textarea>") for label in labels)
        for text in HOSTILE[:6]:
            point_at(page, text)
            shown = page.locator("#tip dd").first
            assert shown.text_content() == text
            assert shown.locator("*").count() == 0
        assert page.locator("#tip dd").nth(1).text_content() in {row["class"] for row in example_report()["classes"]}
        assert not events


def point_at(page, text):
    """Move the pointer over the point of this text, even if other points cover it."""
    page.evaluate(
        """(text) => {
            const points = [...document.querySelectorAll("[data-chart=projection] .mark-symbol path")];
            const point = points.find((it) => it.__data__.datum.text === text);
            const { x, y } = point.getBoundingClientRect();
            for (const kind of ["pointermove", "mousemove"])
                point.dispatchEvent(new PointerEvent(kind, { bubbles: true, clientX: x, clientY: y }));
        }""",
        text,
    )


def test_the_tooltip_shows_a_document_and_stays_on_the_screen(visit):
    with visit(375) as (page, events):
        chart = page.locator("[data-chart=projection]")
        chart.scroll_into_view_if_needed()
        point = chart.locator(".mark-symbol path").last  # drawn last, so above all other points
        point.hover()
        tip = page.locator("#tip")
        assert tip.is_visible()
        assert tip.locator("dd").first.text_content() == point.evaluate("it => it.__data__.datum.text")
        box = tip.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 375
        page.screenshot(path=ARTIFACTS / "page-tip.png")
        page.mouse.move(1, 1)
        assert tip.is_hidden()
        assert not events


def test_legend_hides_and_shows(visit):
    points = example_report()["projection"]["points"]
    new = sum(point["domain"] == "target" for point in points)
    with visit() as (page, events):
        marks = page.locator("[data-chart=projection] .mark-symbol path")
        button = page.get_by_role("button", name="new documents")
        button.click()
        playwright.expect(marks).to_have_count(len(points) - new)
        assert button.get_attribute("aria-pressed") == "false"
        button.click()
        playwright.expect(marks).to_have_count(len(points))
        assert not events


def test_dark_and_printed_page(visit):
    background = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('[data-chart=classes] .role-axis-label text')).fill"
    with visit() as (page, events):
        light = page.evaluate(background), page.evaluate(ink)
        page.emulate_media(color_scheme="dark")
        dark = page.evaluate(background), page.evaluate(ink)
        assert light[0] != dark[0]
        assert light[1] != dark[1]  # a drawn chart changes with the page
        page.emulate_media(color_scheme="dark", media="print")
        assert page.evaluate(background) == "rgb(255, 255, 255)"
        assert page.evaluate(ink) == light[1]
        paper = page.pdf(path=ARTIFACTS / "page.pdf", format="A4")
        assert paper.startswith(b"%PDF")
        assert len(paper) > 20_000
        assert not events


def test_the_policy_stops_inserted_scripts_and_requests(visit):
    with visit() as (page, events):
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.inserted = true";
                document.body.append(script);
                const image = document.createElement("img");
                image.setAttribute("onerror", "window.inserted = true");
                image.src = "data:,";
                document.body.append(image);
            }"""
        )
        call = "() => fetch('https://example.invalid/').then(() => 'called', () => 'blocked')"
        assert page.evaluate(call) == "blocked"
        page.wait_for_timeout(50)
        assert page.evaluate("window.inserted") is None
        assert any("Content Security Policy" in event for event in events)
        assert not [event for event in events if event.startswith("request: http")]


@pytest.mark.parametrize(("background", "ink"), [("#ffffff", "#000000"), ("#111111", "#e0e0e0")])
def test_the_card_takes_the_colors_of_the_notebook(browser, background, ink):
    """As in a notebook: the card is a part of a page with its own colors and its own style of tables."""
    page = browser.new_page(viewport={"width": 700, "height": 600})
    events = []
    page.on("console", lambda message: events.append(message.text))
    page.on("dialog", lambda dialog: (events.append(dialog.message), dialog.dismiss()))
    style = f"body {{ background: {background}; color: {ink} }} th, td {{ text-align: right; border: 1px solid red }}"
    page.set_content(f"<style>{style}</style><div>{render_card(example_report())}</div>")
    cells = page.locator("td, th, p, li")
    colors = cells.evaluate_all("cells => [...new Set(cells.map((it) => getComputedStyle(it).color))]")
    assert colors == [page.evaluate("getComputedStyle(document.body).color")]
    borders = cells.evaluate_all("cells => [...new Set(cells.map((it) => getComputedStyle(it).borderTopStyle))]")
    assert borders == ["none"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    page.screenshot(path=ARTIFACTS / f"card-{background[1:]}.png", full_page=True)
    assert not events
    page.close()
