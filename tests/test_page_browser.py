"""The report page in a browser: silent, drawn, fitting, and texts are texts. Pictures go to test-artifacts/."""

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .example_report import HOSTILE, HOSTILE_CLASS, HOSTILE_WORD, SCRIPT, example_report

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'labelferry[dev]'")

ARTIFACTS = Path(__file__).parents[1] / "test-artifacts"
DRAWN = """() => [...document.querySelectorAll("[data-chart]")].every((chart) => chart.dataset.drawn === "yes")"""


class Visit(NamedTuple):
    page: Any
    noise: list[str]  # console messages, errors, dialogs, requests: a good page has none


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
        page, noise = context.new_page(), []
        page.on("console", lambda message: noise.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: noise.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (noise.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if request.url == address else noise.append(f"request: {request.url}"))
        page.goto(address)
        page.wait_for_function(DRAWN)
        yield Visit(page, noise)
        context.close()

    return open_page


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (1400, "light")])
def test_page_is_silent_drawn_and_fits(visit, width, scheme):
    report = example_report()
    with visit(width, scheme) as (page, noise):
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
        assert not noise


def test_hostile_texts_are_shown_as_texts(visit):
    with visit() as (page, noise):
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
        assert not noise


def point_at(page, text):
    """Move the pointer over the point of that text, though others may lie above it."""
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


def test_the_mouse_finds_a_document_and_the_tip_stays_on_the_screen(visit):
    with visit(375) as (page, noise):
        chart = page.locator("[data-chart=projection]")
        chart.scroll_into_view_if_needed()
        point = chart.locator(".mark-symbol path").last  # drawn last, so above all others
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
        assert not noise


def test_legend_hides_and_shows(visit):
    points = example_report()["projection"]["points"]
    new = sum(point["domain"] == "target" for point in points)
    with visit() as (page, noise):
        marks = page.locator("[data-chart=projection] .mark-symbol path")
        button = page.get_by_role("button", name="new documents")
        button.click()
        playwright.expect(marks).to_have_count(len(points) - new)
        assert button.get_attribute("aria-pressed") == "false"
        button.click()
        playwright.expect(marks).to_have_count(len(points))
        assert not noise


def test_dark_and_paper(visit):
    background = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('[data-chart=classes] .role-axis-label text')).fill"
    with visit() as (page, noise):
        light = page.evaluate(background), page.evaluate(ink)
        page.emulate_media(color_scheme="dark")
        dark = page.evaluate(background), page.evaluate(ink)
        assert light[0] != dark[0]
        assert light[1] != dark[1]  # a drawn chart follows
        page.emulate_media(color_scheme="dark", media="print")
        assert page.evaluate(background) == "rgb(255, 255, 255)"
        assert page.evaluate(ink) == light[1]
        paper = page.pdf(path=ARTIFACTS / "page.pdf", format="A4")
        assert paper.startswith(b"%PDF")
        assert len(paper) > 20_000
        assert not noise


def test_what_slips_through_would_still_not_run_or_call(visit):
    with visit() as (page, noise):
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.slipped = true";
                document.body.append(script);
                const image = document.createElement("img");
                image.setAttribute("onerror", "window.slipped = true");
                image.src = "data:,";
                document.body.append(image);
            }"""
        )
        call = "() => fetch('https://example.invalid/').then(() => 'called', () => 'refused')"
        assert page.evaluate(call) == "refused"
        page.wait_for_timeout(50)
        assert page.evaluate("window.slipped") is None
        assert any("Content Security Policy" in said for said in noise)
        assert not [said for said in noise if said.startswith("request: http")]
