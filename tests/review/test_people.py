"""Guidelines, similar documents, speed and agreement: what helps people to answer."""

import re
from html import unescape

import numpy as np
import pytest

from labelferry.review.job.people import FEWEST, PAUSE, agreements, seconds_per_answer
from labelferry.review.job.similar import LEAST, N_SIMILAR, Places, places_of, similar
from labelferry.review.store.records import AnswerRow, NewAnswer

from ..review_jobs import write_job

pytest.importorskip("starlette.testclient", reason="needs starlette and httpx")

from labelferry.review.job.job import open_job
from labelferry.review.server import Site, read_guide
from labelferry.review.server.guide import MAX_CHARACTERS, parts_of
from labelferry.review.server.sessions import Sessions

from .test_server_pages import Browser

GUIDE = "# Which class?\n- billing: money, <script>alert(1)</script>\n- account: names\n\nIf two fit, take\nthe first."


def row(number, document, answer, reviewer, second=0):
    time = f"2026-01-01T00:{second // 60:02}:{second % 60:02}.000+00:00"
    return AnswerRow(number, document, answer, "label", "audit", reviewer, time, None, 1, None)


@pytest.fixture
def job(tmp_path):
    write_job(tmp_path / "job.ferry")
    with open_job(tmp_path / "job.ferry") as job:
        yield job


def browser_of(job, **settings):
    return Browser(Site(job, "job.ferry", Sessions("Ada"), **settings))


def test_speed_is_the_median_without_pauses_and_bulk_answers():
    seconds = [0, 7, 14, 21, 21, 21, 30, 30 + int(PAUSE) + 1]
    log = [row(i, i, "a", "Ada", second) for i, second in enumerate(seconds)]
    assert seconds_per_answer(log, "Ada") is None, f"fewer than {FEWEST} times"
    more = log + [row(20 + i, 20 + i, "a", "Ada", 300 + 7 * i) for i in range(3)]
    assert seconds_per_answer(more, "Ada") == 7
    assert seconds_per_answer(more, "Bo") is None


def test_agreement_by_hand_with_those_who_agree_least_first():
    def answers(name, *given):
        return [row(100 * ord(name[0]) + i, i, label, name) for i, label in enumerate(given) if label]

    log = [*answers("Ada", "x", "x", "y", "y"), *answers("Bo", "x", "y", "y", "y"), *answers("Cy", "x", "x", "y")]
    found = agreements(log)
    assert [(one.first, one.second, one.same, one.n) for one in found] == [
        ("Bo", "Cy", 2, 3),
        ("Ada", "Bo", 3, 4),
        ("Ada", "Cy", 3, 3),
    ]
    assert [one.kappa for one in found] == [None] * 3, "too few documents"
    many = [*answers("Ada", *"xxyy" * 3), *answers("Bo", *"xyyy" * 3)]
    assert agreements(many)[0].kappa == pytest.approx(0.5)
    assert agreements(answers("Ada", "x")) == []


def test_similar_documents_are_the_nearest_by_a_slow_search():
    rng = np.random.default_rng(0)
    C = rng.normal(size=(300, 3)).astype(np.float32)
    numbers = rng.permutation(1000)[:300]
    places = places_of({"rows": numbers, "coordinates": C})
    x = C[5] / np.linalg.norm(C[5])
    cosines = {int(n): float(c @ x / np.linalg.norm(c)) for n, c in zip(numbers, C, strict=True)}
    expected = sorted((n for n in cosines if n != numbers[5] and cosines[n] >= LEAST), key=lambda n: -cosines[n])
    assert similar(places, int(numbers[5])) == expected[:N_SIMILAR]
    assert len(expected) > N_SIMILAR
    assert similar(places, 1001) == []
    assert similar(places_of({}), 0) == similar(Places(numbers[:0], C[:0]), 0) == []


def test_one_answer_for_similar_documents_of_a_blind_question(job):
    browser = browser_of(job)
    assert browser.path == "/questions/accept"
    document = browser.document
    browser.open(unescape(re.search(r'href="(/list\?like=[^"]+)"', browser.page)[1]))
    listed = [int(number) for number in re.findall(r'name="document" value="(\d+)"', browser.page)]
    assert listed == job.similar(document)
    assert document not in listed
    assert 'name="shown"' not in browser.page, "labels are hidden"
    assert "Confidence</th>" not in browser.page
    form = {name: browser.hidden(name) for name in ("csrf", "back", "blind")}
    browser.show(browser.client.post("/list", data={**form, "document": listed[:2], "choice": "label:billing"}))
    assert browser.path == "/questions/accept"
    assert browser.document == document, "its own answer is still to be given"
    assert {(row.document, row.purpose, row.shown) for row in job.history()} == {
        (number, "list", None) for number in listed[:2]
    }


@pytest.mark.parametrize("path", ["/list?like=x", "/list?like=999999"])
def test_similar_documents_of_what_does_not_exist(job, path):
    browser = browser_of(job)
    assert browser.client.get(path).status_code == 400


@pytest.mark.parametrize("back", ["/questions/nonsense", "//example.org", "https://example.org/list"])
def test_a_form_leads_to_pages_of_this_server_only(job, back):
    browser = browser_of(job).open("/list")
    form = {"csrf": browser.hidden("csrf"), "back": back, "document": "1", "choice": "unclear"}
    assert browser.show(browser.client.post("/list", data=form)).path == "/list"


def test_guidelines_are_escaped_and_beside_every_question(job, tmp_path):
    (tmp_path / "guide.txt").write_text(GUIDE, encoding="utf-8")
    browser = browser_of(job, guide=read_guide(tmp_path / "guide.txt"))
    for path in ("/questions/accept", "/questions/audit", "/documents/3"):
        page = browser.open(path).page
        assert "<h3>Which class?</h3>" in page
        assert "<li>billing: money, &lt;script&gt;alert(1)&lt;/script&gt;</li>" in page
        assert "<p>If two fit, take the first.</p>" in page
    assert 'id="guide"' not in browser_of(job).page


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff\xfe\x00", "is not UTF-8"), (b"x" * (MAX_CHARACTERS + 1), "characters; at most"), (None, "No such file")],
)
def test_a_guide_that_cannot_be_shown(tmp_path, content, message):
    if content is not None:
        (tmp_path / "guide.txt").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_guide(tmp_path / "guide.txt")


def test_parts_of_guidelines():
    assert parts_of("") == parts_of("#\n\n") == []
    kinds = [part.kind for part in parts_of("a\nb\n\nc\n* d\ne\n## f\ng")]
    assert kinds == ["paragraph", "paragraph", "list", "heading", "paragraph"]


def test_the_page_tells_speed_and_agreement(job):
    browser = browser_of(job)
    assert "per answer" not in browser.page
    times = [f"2026-01-01T00:00:{second:02}.000+00:00" for second in range(0, 48, 6)]
    job.store.answers.add([new("Ada", i, "billing", time) for i, time in enumerate(times)])
    assert re.search(r"Your speed: 6 s per answer; \d+ more: about \d+ (s|min)", browser.open("/questions/accept").page)
    assert "Agreement of reviewers" not in browser.open("/history").page
    job.store.answers.add([new("<b>Bo</b>", i, "account" if i else "billing", times[-1]) for i in range(4)])
    page = browser.open("/history").page
    assert "1 of 4" in page
    assert "&lt;b&gt;Bo&lt;/b&gt;" in page
    assert page.index("Different answers to the same document") < page.index("Agreement of reviewers")


def new(reviewer, document, answer, time):
    return NewAnswer(document, answer, reviewer=reviewer, time=time)
