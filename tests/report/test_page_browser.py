"""The report page and the card for notebooks in a browser. Pictures are written to test-artifacts/."""

import csv
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from labelferry.files import write_text
from labelferry.report import render_card, render_page

from ..example_report import HOSTILE, HOSTILE_CLASS, HOSTILE_WORD, LONG, SCRIPT, example_report

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'labelferry[dev]'")

ARTIFACTS = Path(__file__).parents[2] / "test-artifacts"
DRAWN = """() => [...document.querySelectorAll("[data-chart]")]
    .every((chart) => chart.closest(".content").hidden || chart.dataset.drawn === "yes")"""


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
    def open_page(width=1400, scheme="light", unfold=True):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page, events = context.new_page(), []
        page.on("console", lambda message: events.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: events.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (events.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if request.url == address else events.append(f"request: {request.url}"))
        page.goto(address)
        if unfold:
            page.locator("h2 button[aria-expanded=false]").evaluate_all("all => all.forEach((it) => it.click())")
        page.wait_for_function(DRAWN)
        yield Visit(page, events)
        context.close()

    return open_page


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (1400, "light")])
def test_charts_are_drawn_and_fit_without_messages(visit, width, scheme):
    report = example_report()
    with visit(width, scheme) as (page, events):
        marks = {
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
        for details in page.locator("#list details").all():
            details.evaluate("it => { it.open = true; }")
        review = page.locator("#documents").inner_text() + page.locator("#classes").inner_text()
        for text in (SCRIPT, *HOSTILE[3:6], HOSTILE_CLASS, HOSTILE_WORD):
            assert text in review
        assert HOSTILE_CLASS in page.locator("#projection .legend").first.inner_text()
        assert page.locator("#classes th").get_by_text(HOSTILE_CLASS).count() == 1
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
        button = page.locator("#projection .legend").get_by_role("button", name="new documents")
        button.click()
        playwright.expect(marks).to_have_count(len(points) - new)
        assert button.get_attribute("aria-pressed") == "false"
        button.click()
        playwright.expect(marks).to_have_count(len(points))
        assert not events


def listed(page):
    """Record numbers of the documents that are shown, in their order."""
    return [
        int(row) for row in page.locator("#list tbody tr:visible").evaluate_all("all => all.map(it => it.dataset.row)")
    ]


def test_documents_can_be_searched_filtered_and_sorted(visit):
    documents = example_report()["documents"]
    rows = documents["rows"]
    with visit() as (page, events):
        status, more = page.locator("#status"), page.locator("#more")
        assert listed(page) == [row["row"] for row in rows[:20]]
        assert status.text_content() == "20 of 60 documents shown"
        more.click()
        more.click()
        assert listed(page) == [row["row"] for row in rows]
        assert more.is_hidden()
        page.get_by_label("Search").fill("ZEBRA wifi")  # in the folded part of a text
        assert listed(page) == [row["row"] for row in rows if row["pieces"][-1][0] == LONG]
        page.get_by_label("Search").fill(rows[30]["own"][0])
        assert listed(page) == [rows[30]["row"]]
        page.get_by_label("Search").fill("no such word")
        assert listed(page) == []
        assert "No document of this page fits" in status.text_content()
        page.get_by_label("Search").fill("")
        page.locator("#filter-state").select_option("to review")
        assert listed(page) == [row["row"] for row in rows if row["needs_review"]]
        page.locator("#filter-state").select_option("may fit no class")
        assert listed(page) == [row["row"] for row in rows if row["none_of_these"]]
        page.locator("#filter-state").select_option("all")
        page.locator("#filter-label").select_option("=" + HOSTILE_CLASS)
        assert set(listed(page)) <= {row["row"] for row in rows if row["label"] == HOSTILE_CLASS}
        page.locator("#filter-label").select_option("all")
        orders = {
            "record": sorted(row["row"] for row in rows),
            "highest confidence": [row["row"] for row in sorted(rows, key=lambda row: -row["confidence"])],
            "ticket": sorted((row["row"] for row in rows), reverse=True),
        }
        for name, order in orders.items():
            page.get_by_label("Sort by").select_option(name)
            assert listed(page) == order[:20]
        assert not events


def test_a_text_unfolds_by_the_keyboard(visit):
    with visit() as (page, events):
        details = page.locator("#list details", has_text="zebra")
        assert details.locator(".document").is_hidden()
        assert details.locator(".preview").inner_text().endswith("…")
        details.locator("summary").focus()
        page.keyboard.press("Enter")
        assert details.locator(".document").inner_text().endswith("zebra.")
        assert details.locator(".preview").is_hidden()
        assert not events


def test_corrections_are_downloaded(visit, tmp_path):
    rows = example_report()["documents"]["rows"]
    with visit() as (page, events):
        bar = page.locator("#corrections")
        assert bar.is_hidden()
        assert "For a guarantee, follow “What to do next”" in page.locator(".listed").inner_text()  # before
        for row, answer in zip(rows, (HOSTILE_CLASS, "none of these", "unclear", "account"), strict=False):
            select = page.get_by_label(f"Correction of record {row['row']}", exact=True)
            choices = select.locator("option").all_text_contents()
            assert choices[1] == f"{row['label']} (keep)"
            assert choices[-2:] == ["none of these", "unclear"]
            select.select_option(next(choice for choice in choices if choice.removesuffix(" (keep)") == answer))
        assert page.locator("#answered").text_content() == "4 corrections."
        page.get_by_label(f"Correction of record {rows[3]['row']}", exact=True).select_option("")
        assert page.locator("#answered").text_content() == "3 corrections."
        page.locator("#filter-state").select_option("corrected")
        assert listed(page) == [row["row"] for row in rows[:3]]
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        assert download.value.suggested_filename == "corrections.csv"
        download.value.save_as(tmp_path / "corrections.csv")
        assert not [event for event in events if not event.startswith("request: blob:")]
    with (tmp_path / "corrections.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    answers = dict(zip([row["row"] for row in rows[:3]], (HOSTILE_CLASS, "none_of_these", "unclear"), strict=True))
    assert {int(row["row"]): row["answer"] for row in written} == answers
    assert [int(row["row"]) for row in written] == sorted(answers)
    assert {row["fingerprint"] for row in written} == {row["fingerprint"] for row in rows[:3]}


def test_sections_are_folded_on_a_phone_and_open_by_link(visit):
    with visit(375, unfold=False) as (page, events):
        folded = page.locator("section.folded").evaluate_all("all => all.map(it => it.id)")
        assert folded == ["projection", "confidence", "words", "difference", "comparison", "settings"]
        assert page.evaluate("document.documentElement.scrollHeight") < 9000
        page.get_by_role("link", name="Map").click()
        page.wait_for_selector("[data-chart=projection][data-drawn=yes] svg")
        assert page.locator("#projection h2 button").get_attribute("aria-expanded") == "true"
        assert not events


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (375, "light"), (1400, "light"), (1400, "dark")])
def test_no_violation_of_accessibility(visit, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    with visit(width, scheme) as (page, _):
        page.locator("td.answer select").first.select_option("unclear")
        for details in page.locator("details:visible").all():
            details.evaluate("it => { it.open = true; }")
        results = axe.run(page)
        assert results.violations_count == 0, results.generate_report()
        small = page.locator("button:visible:not(.legend button), select:visible").evaluate_all(
            "all => all.filter((it) => it.getBoundingClientRect().height < 40).map((it) => it.outerHTML)"
        )
        assert not small  # large enough for a finger


def test_without_javascript_everything_is_shown(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("#list tbody tr:visible").count() == 60
    assert page.locator("#comparison .content").is_visible()
    assert page.locator(".controls").is_hidden()
    context.close()


def test_dark_and_printed_page(visit):
    background = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('[data-chart=confidence] .role-axis-label text')).fill"
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
