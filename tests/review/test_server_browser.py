"""The review page in Chromium, served by a process of its own. Pictures are written to test-artifacts/."""

import random
import re
import sqlite3
from pathlib import Path

import pytest

import labelferry
from labelferry.review.sample.usable import N_LEARN

from ..browsing import CHROMIUM, Person, starting
from ..labelling.test_multi import NEW, OLD
from ..review_jobs import hostile_texts, write_job

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium"),
]
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'labelferry[dev]'")
pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'labelferry[review]'")

ARTIFACTS = Path(__file__).parents[2] / "test-artifacts"
QUEUES = ("/questions/accept", "/questions/audit", "/questions/duel")
PAGES = (*QUEUES, "/documents/1", "/list", "/list?like=1&queue=accept", "/history", "/export", "/reviewer")
KEYS = ["account", "billing", "technical"]


@pytest.fixture(scope="module")
def browser():
    ARTIFACTS.mkdir(exist_ok=True)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def job(tmp_path):
    path = tmp_path / "job.ferry"
    write_job(path)
    return path


@pytest.fixture
def start():
    with starting("--reviewer", "Ada") as start:
        yield start


def log(path):
    """(document, answer or kind, purpose, reviewer) per row of the log, read without labelferry."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT document, answer, kind, purpose, reviewer FROM answers ORDER BY id")
        return [(document, answer or kind, purpose, who) for document, answer, kind, purpose, who in rows]


def in_sample(browser, server):
    """A person who answers questions of the random sample."""
    person = Person(browser, server)
    person.page.goto(f"{server.base}/questions/audit")
    return person


@pytest.mark.system
def test_a_session_by_keyboard(browser, job, start):
    server = start(job, "--reviewer", "")
    person = Person(browser, server)
    page = person.page
    assert page.url == f"{server.base}/reviewer"  # the token is no longer in the URL
    page.keyboard.press("Tab")
    page.keyboard.type("Ada")
    page.keyboard.press("Enter")
    page.wait_for_selector("#question")
    page.goto(f"{server.base}/questions/audit")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Enter")
    expected = []
    for key in random.Random(0).choices("123n?", k=25):
        answer = {"n": "none_of_these", "?": "unclear"}.get(key) or KEYS[int(key) - 1]
        expected.append((person.press(key), answer, "audit", "Ada"))
        assert person.message.startswith(f"Saved: document {expected[-1][0] + 1} is")
        assert page.evaluate("document.activeElement.id") == "question"  # a screen reader reads the next document
    assert log(job) == expected
    skipped = person.press("s")
    page.wait_for_selector("#message:has-text('Skipped')")
    undone = expected[-1][0]
    person.press("u")
    assert person.document == undone
    assert log(job)[-1][:2] == (undone, "undo")
    page.keyboard.press("1")
    page.wait_for_selector("#message:has-text('Saved')")
    assert log(job)[-1] == (undone, "account", "audit", "Ada")
    # Keys do nothing in a text field, and with a modifier
    page.goto(f"{server.base}/list")
    page.get_by_label("Search in the text").press("1")
    page.keyboard.press("Control+2")
    assert len(log(job)) == 27
    assert skipped not in {row[0] for row in log(job)}
    assert not person.events


def test_the_certificate_narrows_and_is_announced(browser, job, start):
    pytest.importorskip("labelferry.certificate")
    server = start(job)
    person = Person(browser, server)
    person.page.goto(f"{server.base}/questions/audit")
    width = person.page.locator("#band-accuracy .range")
    page, widths = person.page, []
    for _ in range(12):
        person.press("1")
        page.wait_for_selector("#certificate[data-current='yes']")
        widths.append(float(width.get_attribute("width")))
    assert widths[-1] < widths[0] < 1000
    assert "12 random documents" in page.locator("#certificate-sentence").text_content()
    assert "12 random documents" in page.locator("#live").text_content()
    assert not person.events


def test_kill_in_the_middle_of_answers(browser, job, start):
    """Every answer that the page shows as saved is in the store, also after kill -9."""
    rng, saved, n_kills = random.Random(1), [], 0
    server = start(job)
    person = in_sample(browser, server)
    while len(saved) < 100:
        key = rng.choice("123")
        if len(saved) in (17, 58, 83) and n_kills < [17, 58, 83].index(len(saved)) + 1:
            document = person.document
            person.page.keyboard.press(key, delay=0)
            server.process.kill()  # while the answer is on its way
            server.process.communicate()
            n_kills += 1
            person.page.wait_for_timeout(300)
            if person.document != document and person.message.startswith("Saved"):
                saved.append((document, KEYS[int(key) - 1]))
            else:
                person.page.wait_for_selector("#message:has-text('Not saved')")
            stored = {row[:2] for row in log(job)}
            assert set(saved) <= stored
            assert len(stored) <= len(saved) + n_kills  # an answer on its way may have arrived
            person.context.close()
            server = start(job)
            person = in_sample(browser, server)
            continue
        saved.append((person.press(key), KEYS[int(key) - 1]))
    server.process.kill()
    server.process.communicate()
    assert n_kills == 3
    assert set(saved) <= {row[:2] for row in log(job)}
    with sqlite3.connect(job) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_two_browsers_at_once(browser, job, start):
    server = start(job, "--reviewer", "")
    people = {name: Person(browser, server) for name in ("Ada", "Bob")}
    for name, person in people.items():
        person.page.get_by_label("Your name").fill(name)
        person.page.get_by_role("button", name="Start").click()
        person.page.wait_for_selector("#question")
    given = []
    for i in range(20):
        name = ("Ada", "Bob")[i % 2]
        given.append((people[name].press("12"[i % 2]), KEYS[i % 2], "audit", name))
    assert log(job) == given
    assert len({row[0] for row in given}) == 20  # no document twice
    for name, person in people.items():  # and the same document with different answers
        person.page.goto(f"{server.base}/documents/{given[0][0]}")
        person.page.keyboard.press({"Ada": "1", "Bob": "3"}[name])
        person.page.wait_for_selector("#message:has-text('Saved')")
        person.page.goto(f"{server.base}/history")
    assert "Different answers" in people["Bob"].page.locator("main").inner_text()
    assert not any(person.events for person in people.values())


def test_hostile_texts_in_a_browser(browser, tmp_path, start):
    texts, classes = hostile_texts(), ["<b onclick=alert(6)>technical</b>", "x" * 120, '"><script>alert(8)</script>']
    path = tmp_path / "hostile.ferry"
    write_job(path, texts, classes)
    server = start(path, "--reviewer", "<img src=x onerror=alert(9)>")
    for width in (375, 1400):
        person = Person(browser, server, width)
        for i, text in enumerate(texts):
            person.page.goto(f"{server.base}/documents/{i}")
            shown = person.page.locator(".document").evaluate("it => it.firstChild ? it.firstChild.textContent : ''")
            clean = text.replace("\x00", "").replace("\ud83d", "?")[:12_000]
            assert shown.replace("\ufffd", "").strip() == clean.replace("\x00", "").strip()
            assert person.page.evaluate("document.documentElement.scrollWidth") <= width
            bottom = person.page.locator(".answers").bounding_box()
            assert bottom["x"] + bottom["width"] <= width
        person.page.screenshot(path=ARTIFACTS / f"review-hostile-{width}.png")
        for address in ("/list", "/history"):
            person.page.goto(server.base + address)
            assert person.page.evaluate("document.documentElement.scrollWidth") <= width
        person.page.goto(f"{server.base}/documents/1")
        person.page.keyboard.press("1")
        person.page.wait_for_selector("#message:has-text('Saved')")
        assert not person.events


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (375, "light"), (1400, "dark"), (1400, "light")])
def test_no_violation_of_accessibility_and_no_horizontal_scroll(browser, job, start, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    guide = job.with_name("guide.txt")
    guide.write_text("# Which class?\n- billing: money\n- account: names and access\n\nIf two fit, take the first.\n")
    with labelferry.open_job(job) as opened:
        for document in range(8):
            opened.answer(document, "billing", reviewer="Bo")
            opened.answer(document, "billing" if document % 3 else "account", reviewer="Cy")
    server = start(job, "--reviewer", "Ada", "--guide", str(guide))
    person = Person(browser, server, width, color_scheme=scheme)
    for key in "12?":
        person.press(key)
    person.page.goto(f"{server.base}/documents/1")
    person.page.keyboard.press("2")
    person.page.wait_for_selector("#message:has-text('Saved')")
    for address in PAGES:
        person.page.goto(server.base + address)
        for details in person.page.locator("details").all():
            details.evaluate("it => { it.open = true; }")
        name = re.sub(r"\W", "-", address)
        person.page.screenshot(path=ARTIFACTS / f"review{name}-{width}-{scheme}.png")
        results = axe.run(person.page)
        assert results.violations_count == 0, f"{address}: {results.generate_report()}"
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width, address
        small = person.page.locator("button:visible, select:visible").evaluate_all(
            "all => all.filter((it) => it.getBoundingClientRect().height < 40).map((it) => it.outerHTML)"
        )
        assert not small  # large enough for a finger
    assert not person.events


def test_labels_to_use_by_keyboard(browser, job, start):
    """Learn from the first answers, then make labels usable; the page refreshes itself after learning."""
    server = start(job)
    person = Person(browser, server)
    page = person.page
    assert page.url == f"{server.base}/questions/accept"
    with labelferry.open_job(job) as opened:
        label = lambda: opened.questions.about(person.document).label  # noqa: E731
        for _ in range(N_LEARN):
            person.press(str(KEYS.index(label()) + 1))
        assert page.locator("#question-title").text_content() == "Enough answers: let the labels learn"
        page.keyboard.press("l")
        page.wait_for_selector("#question[data-purpose='accept']", timeout=60_000)
        assert page.url == f"{server.base}/questions/accept"
        assert "Labels before they learned" in page.locator("#certificate").inner_text()
        (more, n), *_ = opened.questions.acceptance.usable().needs
        said = page.locator("#usable-sentence").inner_text()
        assert f"If {more} more answers all agree with the labels, {n} are usable" in said
        assert page.locator(".next-step").is_hidden()
        page.set_viewport_size({"width": 375, "height": 800})
        assert page.locator("#usable-sentence").is_hidden()
        assert page.locator(".next-step").inner_text() == f"If {more} more answers agree: {n} usable labels"
        page.set_viewport_size({"width": 1280, "height": 800})
        for _ in range(more):
            person.press(str(KEYS.index(label()) + 1))
        assert page.locator("#usable-title").text_content() == f"Usable now: {n} of {opened.n_documents} labels"
        assert f"Usable now: {n}" in page.locator("#live").text_content()  # for a screen reader
        page.get_by_role("button", name="At most 10 percent wrong").click()
        page.wait_for_selector("button[aria-pressed='true'][value='0.1']")
    assert not person.events


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (1400, "light")])
def test_every_step_of_the_labels_to_use_is_accessible(browser, job, start, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    with labelferry.open_job(job) as opened:
        steps = ["first", "enough", "learned", "usable"]
        for step in steps:
            if step == "learned":
                opened.refit()
            n = {"first": 0, "enough": N_LEARN, "learned": 0}.get(step)
            n = opened.questions.acceptance.usable().needs[0][0] if n is None else n
            for _ in range(n):
                question = opened.question("accept")
                opened.answer(question.document, question.label, purpose=question.purpose)
            server = start(job)
            person = Person(browser, server, width, color_scheme=scheme)
            person.page.screenshot(path=ARTIFACTS / f"review-usable-{step}-{width}-{scheme}.png")
            for is_open in (False, True):
                for details in person.page.locator("details").all():
                    details.evaluate("(it, open) => { it.open = open; }", is_open)
                results = axe.run(person.page)
                assert results.violations_count == 0, f"{step}: {results.generate_report()}"
                assert person.page.evaluate("document.documentElement.scrollWidth") <= width, step
            assert not person.events
            server.end()


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (375, "light"), (1400, "dark"), (1400, "light")])
def test_several_labels_by_keyboard_without_violation_of_accessibility(browser, tmp_path, start, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    path, cells = tmp_path / "several.ferry", [";".join(sorted(labels)) or "none" for labels in OLD[1]]
    labelferry.label(OLD[0], NEW[0], label=cells, multi=True).store(path).close()
    server = start(path)
    person = Person(browser, server, width, color_scheme=scheme)
    first = person.document
    person.page.keyboard.press("4")
    person.page.keyboard.press("1")
    person.page.keyboard.press("2")
    person.page.keyboard.press("2")  # taken back
    person.press("Enter")
    assert log(path) == [(first, "api;ui", "audit", "Ada")]
    person.page.keyboard.press("Enter")
    person.page.wait_for_selector("#message:has-text('tick the labels')")
    person.press("n")
    assert log(path)[-1][1] == "none"
    person.press("u")
    assert person.document != first
    for address in ("/questions/accept", "/questions/audit", "/list", "/find", "/history", "/export"):
        person.page.goto(server.base + address)
        for details in person.page.locator("details").all():
            details.evaluate("it => { it.open = true; }")
        results = axe.run(person.page)
        assert results.violations_count == 0, f"{address}: {results.generate_report()}"
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width, address
    assert not person.events


def test_an_open_question_has_its_new_prediction_after_learning(browser, job, start):
    server = start(job)
    person = Person(browser, server)
    page = person.page
    page.goto(f"{server.base}/questions/audit")
    for key in "123123123123":
        person.press(key)
    document = person.document
    page.get_by_role("button", name="Learn now").click()
    page.wait_for_selector("#refit[data-status='done']", timeout=60_000)
    with labelferry.open_job(job) as opened:
        row = opened.store.documents.one(document)
    shown = ">99%" if row.confidence >= 0.995 else f"{100 * row.confidence:.0f}%"
    page.wait_for_selector(f".choice.predicted:has-text('{row.label}'):has-text('{shown}')")
    assert person.document == document
    assert page.locator(".choice .guess").first.is_visible()
    assert not person.events


def test_without_javascript(browser, job, start):
    person = Person(browser, start(job), java_script_enabled=False)
    document = person.document
    person.page.get_by_role("button", name="billing").click()
    assert person.message == f"Saved: document {document + 1} is billing."
    assert log(job) == [(document, "billing", "audit", "Ada")]
    person.page.get_by_role("button", name="Undo").click()
    assert person.document == document
    person.page.get_by_role("link", name="List", exact=True).click()
    person.page.get_by_label("Select document").first.check()
    person.page.get_by_role("button", name="Save").click()
    assert log(job)[-1][1:] == ("account", "list", "Ada")


def test_a_class_is_found_by_typing(browser, tmp_path, start):
    path = tmp_path / "many.ferry"
    write_job(path, classes=[f"class {i:02d}" for i in range(30)])
    person = Person(browser, start(path))
    document = person.document
    person.page.keyboard.press("/")
    person.page.keyboard.type("class 27")
    assert person.page.locator(".choice:visible").count() == 1
    person.page.keyboard.press("Enter")
    person.page.wait_for_selector("#message:has-text('Saved')")
    assert log(path) == [(document, "class 27", "audit", "Ada")]


def test_one_answer_for_similar_documents_by_keyboard(browser, job, start):
    server = start(job)
    person = Person(browser, server)
    page, document = person.page, person.document
    page.keyboard.press("m")
    page.wait_for_selector("h1:has-text('Similar to document')")
    assert page.url == f"{server.base}/list?like={document}&queue=accept"
    first = page.locator('input[name="document"]').first
    first.check()
    chosen = int(first.get_attribute("value"))
    page.get_by_label("All selected documents are").select_option("technical")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector("#question")
    assert person.document == document
    assert log(job) == [(chosen, "technical", "list", "Ada")]
    assert not person.events


def test_bulk_answers_in_the_list(browser, job, start):
    server = start(job)
    person = Person(browser, server)
    page = person.page
    page.goto(f"{server.base}/list?label=billing&search=invoice")
    boxes = page.locator('input[name="document"]')
    n = boxes.count()
    page.get_by_label("Select all documents").check()
    page.get_by_label("All selected documents are").select_option("billing")
    assert page.get_by_role("button", name=f"Save {n}").is_visible()
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector("#message:has-text('Saved')")
    assert person.message == f"Saved: {n} documents are billing."
    assert [row[1:] for row in log(job)] == [("billing", "list", "Ada")] * n
    assert page.url == f"{server.base}/list?search=invoice&label=billing"
    assert not person.events


def test_a_page_of_another_site_cannot_answer(browser, job, start):
    server = start(job)
    person = Person(browser, server)
    csrf = person.page.locator('input[name="csrf"]').first.get_attribute("value")
    page = person.context.new_page()
    page.goto("data:text/html,<h1>another site</h1>")
    page.evaluate(
        """([base, csrf]) => {
            const form = document.createElement("form");
            form.method = "post";
            form.action = base + "/answer";
            const fields = { csrf, document: "0", purpose: "audit", choice: "unclear" };
            for (const [name, value] of Object.entries(fields)) {
                const input = document.createElement("input");
                [input.name, input.value] = [name, value];
                form.append(input);
            }
            document.body.append(form);
            form.submit();
        }""",
        [server.base, csrf],
    )
    page.wait_for_url(f"{server.base}/answer")
    assert "does not come from a page of this server" in page.content()
    assert log(job) == []
