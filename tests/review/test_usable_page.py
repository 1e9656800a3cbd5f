"""The labels to use on the review page: the same numbers as the job has, blind questions, limits, and learning."""

import csv
import io
import re

import pytest

from ..review_jobs import write_job

pytest.importorskip("starlette.testclient", reason="needs starlette and httpx")

from labelferry.review.job.job import open_job
from labelferry.review.sample.frozen import Limit
from labelferry.review.sample.usable import N_LEARN
from labelferry.review.server import Site
from labelferry.review.server.frame import before_learning
from labelferry.review.server.sessions import Sessions
from labelferry.review.server.usable_panel import NOW, USE, warning

from .test_server_pages import Browser, wait_for

KINDS = r"predicted ·|second choice|<mark>"  # what a person could agree with


@pytest.fixture
def browser(site):
    return Browser(site)


def plain(page):
    """The text of the part about usable labels."""
    part = re.search(r'<section id="usable".*?</section>', page, flags=re.S)[0]
    return " ".join(re.sub(r"<[^>]+>", " ", part).split())


def agree(browser, job, n, wrong=()):
    """Answer n questions with the labels of the job, except for those numbers of questions."""
    for i in range(n):
        label = job.questions.about(browser.document).label
        other = next(name for name in job.classes if name != label)
        browser.answer(f"label:{other if i in wrong else label}")


def learn(browser, site):
    """Give the first answers, and learn from them."""
    agree(browser, site.job, N_LEARN)
    browser.send("/refit")
    assert wait_for(site.refit).status == "done"
    return browser.open("/")


def test_to_open_the_page_is_no_second_claim(site):
    """Before: it began at 5%, so that a job that had been asked for 10% lost confidence without a click."""
    job = site.job
    job.accept(0.1, learn=0)
    question = job.question("accept", error=0.1)
    job.answer(question.document, job.questions.about(question.document).label, purpose=question.purpose)
    assert job.accept(0.1, learn=0).level == pytest.approx(0.95)
    browser = Browser(site)
    assert 'value="0.1" aria-pressed="true"' in browser.page
    assert "a second limit lowers the confidence" in plain(browser.page)
    assert job.accept(0.1, learn=0).level == pytest.approx(0.95)
    browser.send("/limit", error="0.05")
    assert job.accept(0.1, learn=0).level == pytest.approx(0.9)
    assert "Several limits: all claims hold together with 90% confidence." in plain(browser.page)
    browser.send("/limit", error="0.1")  # without an answer in between
    assert "Several limits: all claims hold together with 90% confidence." in plain(browser.page)


def test_labels_to_use_come_first_and_are_asked_blind(browser, job):
    assert browser.path == "/questions/accept"
    first = browser.document
    assert f"{N_LEARN} more answers until the labels learn" in plain(browser.page)
    assert "<strong>Answers to learn from.</strong>" in browser.page
    assert "Labels to use" not in browser.page  # none yet, in no queue
    assert "Forecast: " not in plain(browser.page)  # this small job has no estimate
    assert not re.search(KINDS, browser.page)
    assert "Show predictions" not in browser.page
    browser.answer("label:billing")
    assert browser.path == "/questions/accept"  # although the question is one of the random sample
    assert [(row.document, row.purpose, row.shown) for row in job.history()] == [(first, "audit", None)]
    assert f"{N_LEARN - 1} more answers" in plain(browser.page)
    browser.send("/skip")
    assert browser.path == "/questions/accept"
    browser.send("/undo")
    assert browser.document == first
    assert browser.hidden("queue") == "accept"


def test_five_correct_labels_are_no_hundred_percent(browser, site, job):
    agree(browser, job, 5)
    site.certificate.show(wait=30)
    page = browser.open("/questions/audit").page
    low, high = re.search(r'id="figure">(\d+)% to (\d+)%</p>', page).groups()
    assert int(low) < 60 < int(high) == 100
    assert f'<span id="mini-figure">{low}% to 100% correct</span>' in page


def test_learning_is_a_step_of_its_own(browser, site, job):
    agree(browser, job, N_LEARN)
    assert site.usable.panel(Limit(0.05))["step"] == NOW
    assert "Learn now" in browser.page
    assert 'data-document="' not in browser.page  # nothing is asked before the labels have learned
    assert job.question("accept") is not None
    learn_page = browser.open("/").path
    assert learn_page == "/questions/accept"
    browser.send("/refit")
    assert wait_for(site.refit).status == "done"
    browser.open("/")
    assert browser.path == "/questions/accept"
    assert browser.hidden("purpose") == "accept"
    assert re.search(r"\d+ further answers .*labels usable", plain(browser.page))
    assert not re.search(KINDS, browser.page)


def test_the_page_has_the_numbers_of_the_job(browser, site, job):
    learn(browser, site)
    fit = job.store.fits.last()
    assert job.questions.acceptance.statements(fit) == []  # looking at the page is no statement
    assert "<strong>Labels to use.</strong>" in browser.page
    (more, n), *_ = job.questions.acceptance.usable().needs
    assert re.search(
        rf"If {more} more answers all agree with the labels, {n} are usable",
        site.usable.panel(Limit(0.05))["claim"],
    )
    assert site.usable.panel(Limit(0.05))["claim"] in plain(browser.page)
    assert 'class="next-step said"' in browser.page  # it repeats the claim, where that is folded
    assert f"If {more} more answers agree: {n} usable labels" in plain(browser.page)
    agree(browser, job, more)
    usable = job.accept(0.05)
    assert usable.n == n == site.usable.panel(Limit(0.05))["n"]
    text = plain(browser.page)
    assert text.startswith(f"Usable now: {n} of {job.n_documents} labels")
    assert f"at most {usable.at_most_wrong} of these {n} (" in text
    assert 'class="next-step"' in browser.page
    (more, n), *_ = usable.needs
    assert f"If {more} more answers agree: {n} usable labels" in text
    people = sum(code >= 0 and not usable.accepted.rows[place] for place, code in usable.decided.items())
    assert f"other answers {people}" in text
    for name, count in usable.per_class().items():
        assert re.search(rf"{name} {count} \d+", text)
    assert [row.content["n_accepted"] for row in job.questions.acceptance.statements(fit)][-1] == usable.n
    widths = dict(re.findall(r'<rect class="(\w+)"[^>]*width="([\d.]+)"', browser.page))
    assert float(widths["used"]) == pytest.approx(1000 * usable.n / job.n_documents, abs=0.1)


def test_the_limit_can_be_chosen(browser, site, job):
    learn(browser, site)
    browser.send("/limit", error="0.1")
    (more, n), *_ = job.questions.acceptance.usable(Limit(0.1)).needs
    assert re.search(
        rf"If {more} more answers all agree with the labels, {n} are usable, at most 10% wrong", plain(browser.page)
    )
    assert browser.document == job.question("accept", "Ada", error=0.1).document
    assert re.search(r'value="0.1" aria-pressed="true"', browser.page)
    assert browser.client.post("/limit", data={"csrf": browser.hidden("csrf"), "error": "0.3"}).status_code == 400


def test_a_contradiction_is_asked_once_more(browser, site, job):
    learn(browser, site)
    doubted = browser.document
    agree(browser, job, 1, wrong=(0,))
    assert "1 answer contradicts its label. It comes again, in case of a slip; preferably to another person." in plain(
        browser.page
    )
    agree(browser, job, 10)
    assert (browser.document, browser.hidden("purpose")) == (doubted, "again")
    assert "Your answer so far" not in browser.page
    assert not re.search(KINDS, browser.page)
    agree(browser, job, 1)
    assert job.history()[-1].purpose == "again"
    assert browser.path == "/questions/accept"


def test_what_was_certified_stays_visible_after_learning(browser, site, job):
    assert before_learning(job) is None
    learn(browser, site)
    before = before_learning(job)
    assert before["certificate"]["n_answers"] == N_LEARN
    page = browser.open("/certificate").page
    assert "Labels before they learned" in page
    assert re.search(
        rf"Estimated from the {N_LEARN} answers that the labels learned from: about \d+%, no guarantee", page
    )
    assert ">not yet known<" in page
    assert f"Certified by {N_LEARN} random answers" in page
    n = site.usable.panel(Limit(0.05))["next_step"]["more_answers"]
    agree(browser.open("/"), job, n)
    used = site.usable.panel(Limit(0.05))["n"]
    assert used
    browser.send("/refit")
    assert wait_for(site.refit).status == "done"
    browser.open("/questions/accept")
    assert f"Usable now: {used} of {job.n_documents} labels" in plain(browser.page)
    assert "2 rounds of learning: all claims hold together" in plain(browser.page)


def test_usable_labels_can_be_downloaded(browser, site, job, tmp_path):
    learn(browser, site)
    agree(browser, job, site.usable.panel(Limit(0.05))["next_step"]["more_answers"])
    assert site.usable.panel(Limit(0.05))["headline"] in browser.open("/export").page
    response = browser.client.get("/export/usable.csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))
    usable = job.accept(0.05)
    assert len(rows) == sum(mark != "" for mark in usable.column())
    assert {row["accepted"] for row in rows} == {"yes", "answer"}


class OneClass:
    """Labels of which only one class can be used."""

    n = 12

    def missing_classes(self):
        return ["billing", "technical"]

    def per_class(self):
        return {"account": 12, "billing": 0, "technical": 0}


def test_one_class_only_is_a_warning():
    assert warning(OneClass()) == "All 12 usable labels are account: no other class can be used yet."


def test_a_method_that_cannot_learn_starts_with_the_labels(tmp_path):
    write_job(tmp_path / "one.ferry")
    with open_job(tmp_path / "one.ferry") as job:
        job.questions.acceptance.__dict__["can_learn"] = False
        site = Site(job, "one.ferry", Sessions("Ada"))
        assert site.usable.panel(Limit(0.05))["step"] == USE
        assert Browser(site).hidden("purpose") == "accept"
