"""The review page without a browser: questions, answers, list, history, export, certificate and learning."""

import csv
import io
import re
import threading
import time
from html import unescape

import pytest

from ..review_jobs import write_job

TestClient = pytest.importorskip("starlette.testclient", reason="needs starlette and httpx").TestClient

from labelferry.report.highlight import pieces  # noqa: E402
from labelferry.review.job.job import open_job  # noqa: E402
from labelferry.review.server import Site, new_app  # noqa: E402
from labelferry.review.server.background import LiveCertificate, Refit  # noqa: E402
from labelferry.review.server.list_page import Filters  # noqa: E402
from labelferry.review.server.sessions import Sessions  # noqa: E402

BASE = "http://127.0.0.1:8000"


class Browser:
    """A client without JavaScript: it fills in forms of the page that it shows."""

    def __init__(self, site):
        self.client = TestClient(new_app(site), base_url=BASE, headers={"Origin": BASE})
        self.show(self.client.get("/enter", params={"token": site.tokens.new()}))

    def show(self, response):
        assert response.status_code == 200, response.text
        self.page, self.path = response.text, str(response.url).removeprefix(BASE)
        return self

    def open(self, path):
        return self.show(self.client.get(path))

    def hidden(self, name):
        return unescape(re.search(rf'name="{name}" value="([^"]*)"', self.page)[1])

    @property
    def document(self):
        return int(self.hidden("document"))

    def send(self, path, **form):
        names = re.findall(r'<input type="hidden" name="(\w+)"', self.page)
        return self.show(self.client.post(path, data={**{name: self.hidden(name) for name in names}, **form}))

    def answer(self, choice):
        return self.send("/answer", choice=choice)

    @property
    def message(self):
        return re.search(r'role="status">(.*?)<', self.page)[1]


@pytest.fixture
def browser(site):
    return Browser(site).open("/questions/audit")


def test_answers_without_javascript(browser, job):
    documents = []
    for choice in ("label:billing", "none_of_these", "unclear"):
        documents.append(browser.document)
        browser.answer(choice)
    rows = job.history()
    assert [row.document for row in rows] == documents == job.questions.order("audit")[:3].tolist()
    assert [(row.answer, row.kind) for row in rows] == [
        ("billing", "label"),
        (None, "none_of_these"),
        (None, "unclear"),
    ]
    assert {(row.purpose, row.reviewer) for row in rows} == {("audit", "Ada")}
    assert rows[0].shown == job.store.documents.one(documents[0]).label
    assert browser.message == f"Saved: document {documents[2] + 1} is unclear."
    assert not browser.open("/questions/audit").message  # it is announced once


def test_a_question_shows_its_reason_label_words_and_columns(browser, job):
    question = job.question("duel", "Ada")
    browser.open("/questions/duel")
    assert "Disagreements.</strong>" in browser.page
    assert "source-only classifier" in browser.page or "labelled documents only" in browser.page
    assert question.columns["ticket"] in browser.page
    assert f"{100 * question.confidence:.0f}% confident" in browser.page
    assert "second choice" in browser.page
    with_words = next(i for i in range(job.n_documents) if job.questions.about(i).evidence)
    assert "<mark>" in browser.open(f"/documents/{with_words}").page


def test_skipped_questions_stay_open(browser, job):
    first = browser.document
    browser.send("/skip")
    assert browser.document != first
    assert "stays open" in browser.message
    assert job.history() == []


def test_undo_shows_the_document_again(browser, job):
    first = browser.document
    browser.answer("label:billing")
    browser.send("/undo")
    assert browser.document == first
    assert browser.hidden("purpose") == "audit"
    assert job.answers() == []
    assert "Undone" in browser.message
    assert "no answer to undo" in browser.send("/undo").message


def test_hidden_predictions(browser, job):
    browser.send("/blind", blind="yes")
    assert "confident" not in browser.page
    assert "<mark>" not in browser.page
    browser.answer("label:billing")
    assert job.history()[0].shown is None
    browser.send("/blind", blind="no")
    assert "confident" in browser.page


@pytest.mark.parametrize(("purpose", "says"), [("duel", "Your answer shows"), ("group", "learn from your answer")])
def test_hidden_predictions_are_not_in_the_reason(browser, job, purpose, says):
    def reason():
        return re.search(r'<p class="why">(.*?)</p>', browser.page)[1]

    browser.open(f"/questions/{purpose}")
    hint = job.questions.about(browser.document, purpose)
    assert (hint.label in reason()) == (purpose == "duel")  # the small job has no votes
    browser.send("/blind", blind="yes")
    assert not [label for label in job.classes if label in reason().lower()]
    assert not [label for label in job.classes if f"{label}&#39;" in browser.page]
    assert says in reason()


def test_the_name_is_requested_once(job):
    browser = Browser(Site(job, "job.ferry", Sessions()))
    assert browser.path == "/reviewer"
    browser.send("/reviewer", reviewer="  Ada \x07 Lovelace ")
    assert browser.path == "/questions/accept"
    browser.answer("label:billing")
    assert job.history()[0].reviewer == "Ada Lovelace"
    browser.open("/reviewer")
    assert browser.client.post("/reviewer", data={"csrf": browser.hidden("csrf"), "reviewer": " "}).status_code == 400


def test_two_reviewers(site, job):
    ada, bob = Browser(site), Browser(site)
    bob.open("/reviewer").send("/reviewer", reviewer="Bob")
    ada.open("/questions/audit")
    bob.open("/questions/audit")
    assert ada.document != bob.document
    ada.open("/documents/5").answer("label:billing")
    assert "Your answer so far" not in bob.open("/documents/5").page
    bob.answer("label:account")
    assert "Your answer so far: <b><bdi>billing" in ada.open("/documents/5").page
    history = ada.open("/history").page
    assert "Different answers" in history
    assert "Bob" in history
    assert len(job.answers()) == 2


def test_list_finds_filters_and_sorts(browser, job):
    browser.open("/list?search=invoice")
    assert 0 < browser.page.count('name="document"') <= 50
    assert f"{job.search('invoice').total} documents" in browser.page
    browser.open("/list?label=billing&sort=-confidence")
    shown = [int(number) for number in re.findall(r'name="document" value="(\d+)"', browser.page)]
    rows = [job.store.documents.one(number) for number in shown]
    assert {row.label for row in rows} == {"billing"}
    assert [row.confidence for row in rows] == sorted((row.confidence for row in rows), reverse=True)
    browser.open("/list?state=review")
    assert all(
        job.store.documents.one(int(n)).needs_review for n in re.findall(r'name="document" value="(\d+)"', browser.page)
    )
    assert "Page 2 of" in browser.open("/list?page=2").page
    assert "0 documents" in browser.open("/list?search=zzzzzz").page


def test_one_answer_for_selected_documents(browser, job):
    browser.open("/list?label=billing")
    chosen = re.findall(r'name="document" value="(\d+)"', browser.page)[:3]
    csrf = browser.hidden("csrf")
    form = {"csrf": csrf, "back": "/list?label=billing", "document": chosen, "choice": "label:account"}
    browser.show(browser.client.post("/list", data=form))
    assert browser.path == "/list?label=billing"
    assert browser.message == "Saved: 3 documents are account."
    assert {(row.document, row.answer, row.purpose) for row in job.history()} == {
        (int(number), "account", "list") for number in chosen
    }
    browser.show(browser.client.post("/list", data={"csrf": csrf, "choice": "label:account"}))
    assert browser.message == "Select documents first."
    assert "3 documents" in browser.open("/list?state=answered").page


def test_answers_of_the_list_are_saved_together(browser, job):
    browser.open("/list")
    form = {"csrf": browser.hidden("csrf"), "document": ["0", "1", "999999"], "choice": "label:account"}
    response = browser.client.post("/list", data=form)
    assert response.status_code == 400
    assert job.history() == []


def test_answers_of_the_list_have_the_label_that_was_shown(browser, job):
    browser.open("/list?sort=number")
    shown = {entry.split(":")[0]: entry.split(":")[1] for entry in re.findall(r'"shown" value="([^"]*)"', browser.page)}
    labels = [job.store.documents.one(n).label for n in range(3)]
    assert [shown[str(n)] for n in range(3)] == labels
    other = next(label for label in job.classes if label != labels[1])  # shown before new labels were learned
    form = {"csrf": browser.hidden("csrf"), "document": ["0", "1", "2"], "shown": [f"1:{other}", "7:x", "2:x"]}
    browser.show(browser.client.post("/list", data={**form, "choice": "unclear"}))
    assert [row.shown for row in job.history()] == [labels[0], other, labels[2]]


def test_a_document_of_the_list_leads_back_to_it(browser):
    browser.open("/list?label=billing&page=2")
    link = re.search(r'href="(/documents/\d+\?back=[^"]+)"', browser.page)[1]
    browser.open(link.replace("&amp;", "&"))
    browser.answer("label:billing")
    assert browser.path == "/list?label=billing&page=2"


def test_filters_make_short_urls():
    assert Filters().query() == "/list"
    assert Filters(search="a b", label="ä&").query(page=3) == "/list?search=a+b&label=%C3%A4%26&page=3"


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_downloads(browser, job, suffix):
    document = browser.document
    browser.answer("label:account")
    for content in ("labelled", "corrections"):
        response = browser.client.get(f"/export/{content}.{suffix}")
        assert response.status_code == 200
        assert response.headers["content-disposition"] == f'attachment; filename="{content}.{suffix}"'
        if suffix == "csv":
            rows = list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))
            assert len(rows) == (job.n_documents if content == "labelled" else 1)
            row = rows[document] if content == "labelled" else rows[0]
            assert row["answer"] == "account"


class Slow:
    """A job whose certificate and fit wait for permission."""

    def __init__(self):
        self.may_end, self.n_answers = threading.Event(), 0
        self.store = self.fits = self.log = self

    def last(self):
        return 1

    def history(self):
        return [None] * self.n_answers

    def certificate(self):
        n_answers = self.n_answers
        assert self.may_end.wait(10)
        return type("Certificate", (), {"as_dict": lambda _: {"n_answers": n_answers}})()

    def refit(self):
        assert self.may_end.wait(10)
        if self.n_answers < 0:
            raise ValueError("there are no answers.")
        return {"answers": 5, "changed": 3, "accuracy_before": 0.5, "accuracy_after": 0.75}


def test_a_page_does_not_wait_for_a_slow_certificate():
    job = Slow()
    live = LiveCertificate(job)
    began = time.monotonic()
    assert live.show() == (None, False)
    assert time.monotonic() - began < 1
    job.may_end.set()
    assert live.show(wait=10) == ({"n_answers": 0}, True)
    job.may_end.clear()
    job.n_answers = 1
    assert live.show() == ({"n_answers": 0}, False)  # the previous one
    job.n_answers = 2
    job.may_end.set()
    assert live.show(wait=10) == ({"n_answers": 2}, True)


def test_answers_of_another_process_are_certified(site, browser, job):
    before = site.certificate.show(wait=30).certificate["n_answers"]
    with open_job(job.store.name) as other:
        other.answer(int(job.questions.order("audit")[0]), "billing", purpose="audit", reviewer="Bob")
    assert site.certificate.show(wait=30).certificate["n_answers"] == before + 1


def test_a_failed_certificate_does_not_stop_answers(site, browser, job, monkeypatch):
    monkeypatch.setattr(job, "certificate", lambda: 1 / 0)
    browser.open("/questions/audit").answer("label:billing")
    site.certificate.show(wait=30)
    assert "could not be computed" in browser.open("/questions/audit").page
    assert len(job.history()) == 1


def test_learning_runs_once_and_reports():
    job = Slow()
    refit = Refit(job)
    assert refit.state.status == "idle"
    assert refit.start()
    assert not refit.start()
    assert refit.state.status == "running"
    job.may_end.set()
    state = wait_for(refit)
    assert state.status == "done"
    assert "3 labels changed" in state.lines[0]
    assert "50% before, 75% now" in state.lines[1]
    job.n_answers = -1
    assert refit.start()
    state = wait_for(refit)
    assert (state.status, state.error) == ("failed", "there are no answers.")


def wait_for(refit):
    deadline = time.monotonic() + 10
    while refit.state.status == "running" and time.monotonic() < deadline:
        time.sleep(0.01)
    return refit.state


def test_labels_that_became_worse_are_announced(site, browser, monkeypatch):
    monkeypatch.setattr(
        site.job, "refit", lambda: {"answers": 2, "changed": 7, "warning": "The new labels may be worse."}
    )
    browser.send("/refit")
    assert wait_for(site.refit).warning == "The new labels may be worse."
    assert 'role="alert">The new labels may be worse.' in browser.open("/refit").page


def test_the_list_hides_predictions_in_blind_mode(browser, job):
    assert 'data-name="label"' in browser.open("/list").page
    browser.send("/blind", blind="yes", purpose="audit")
    page = browser.open("/list?label=billing&state=review&sort=confidence").page
    for hidden in (
        'data-name="label"',
        'data-name="confidence"',
        'name="shown"',
        'id="sort"',
        'id="label"',
        "needs review",
    ):
        assert hidden not in page
    assert f"{job.n_documents} documents" in page  # not filtered by the label
    numbers = [int(n) for n in re.findall(r'name="document" value="(\d+)"', page)]
    assert numbers == list(range(len(numbers)))  # not sorted by the confidence
    browser.send("/list", document="1", choice="label:billing", shown="1:billing")
    assert [(row.document, row.shown) for row in job.history()] == [(1, None)]


def test_learning_starts_from_the_page(site, browser, monkeypatch):
    monkeypatch.setattr(site.job, "refit", lambda: {"answers": 2, "changed": 7})
    site.refit._job = site.job
    browser.send("/refit")
    assert wait_for(site.refit).status == "done"
    assert "7 labels changed" in browser.open("/refit").page


def test_evidence_is_found_in_any_case_and_by_stem():
    text = "Invoice! The invoices were CHARGED twice; credit  card."
    found = pieces(text, ["invoice", "charg", "credit card", ""])
    assert "".join(piece.text for piece in found) == text
    assert [piece.text for piece in found if piece.is_evidence] == ["Invoice", "CHARGED", "credit  card"]
    assert pieces("a (b) c", ["(b)"]) == [("a ", False), ("(b)", True), (" c", False)]
    assert pieces("", ["a"]) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("! " * 5_000, "! ! ! ! ! z"),
        ("a " * 40_000 + "!", "a a a a a z"),
        ("aaaa" * 20_000, "a a a a z"),
        ("a_" * 40_000, "a_ _a a_ _a z"),
        ("-a" * 40_000, "-a -a -a -a -a -z"),
    ],
)
def test_marking_words_takes_linear_time(text, word):
    start = time.process_time()
    assert "".join(piece.text for piece in pieces(text, [word] * 60)) == text
    assert time.process_time() - start < 5


def test_words_behind_the_first_part_of_a_long_text_are_not_marked():
    text = "invoice " * 20_000
    found = pieces(text, ["invoice"])
    assert "".join(piece.text for piece in found) == text
    assert not found[-1].is_evidence
    assert len(found[-1].text) >= len(text) - 100_000


def test_many_classes_have_a_filter(tmp_path):
    classes = [f"class {i}" for i in range(12)]
    write_job(tmp_path / "many.ferry", classes=classes)
    with open_job(tmp_path / "many.ferry") as job:
        browser = Browser(Site(job, "many.ferry", Sessions("Ada")))
        assert "data-filter" in browser.page
        assert re.findall(r'data-key="(\d)"', browser.page) == [str(i) for i in range(1, 10)]
        browser.answer("label:class 11")
        assert job.history()[0].answer == "class 11"
