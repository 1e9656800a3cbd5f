"""Find all documents of one class: the same search in every door, whoever answers when, and wrong inputs."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import cli
from labelferry.review.job.job import open_job
from labelferry.review.sample.find import answers_in_order
from labelferry.review.sample.find_rank import learned_from

from ..review_jobs import write_job
from ..tickets import read_csv, write_csv

CLASS = "billing"


@pytest.fixture
def job(tmp_path):
    truth = write_job(tmp_path / "job.ferry")
    with open_job(tmp_path / "job.ferry") as job:
        job.truth = truth
        yield job


def read_some(job, n, reviewer="", name=CLASS):
    """Answer n questions with the truth."""
    for _ in range(n):
        question = job.finding.next(name, reviewer)
        job.answer(question.document, job.truth[question.document], purpose="find", reviewer=reviewer)


@pytest.fixture(scope="module")
def read_until_draws(tmp_path_factory):
    """The file of a job in which Ada has read until documents are drawn at random, three of them waiting."""
    place = tmp_path_factory.mktemp("draws") / "job.ferry"
    truth = write_job(place)
    with open_job(place) as job:
        job.truth = truth
        while len(job.find(CLASS).state.waiting) < 3:
            read_some(job, 1, "Ada")
    return place.read_bytes(), truth


@pytest.fixture
def drawing(read_until_draws, tmp_path):
    content, truth = read_until_draws
    (tmp_path / "job.ferry").write_bytes(content)
    with open_job(tmp_path / "job.ferry") as job:
        job.truth = truth
        yield job


def run(*arguments):
    return CliRunner().invoke(cli.app, [str(a) for a in arguments], env={"COLUMNS": "120", "NO_COLOR": "1"})


# -- doors ------------------------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("shared_panels")
def test_a_result_and_a_job_have_the_same_search(tmp_path):
    demo = labelferry.load_demo()
    result = labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source)
    answers = []
    with result.store(tmp_path / "job.ferry", seed=7) as job:
        for i in range(150):
            in_job = job.find("account")
            if i % 25 == 0:
                in_python = result.find("account", answers=answers, seed=7)
                assert in_python.state == in_job.state
                assert in_python.next_rows(5) == in_job.next_rows(5)
                assert in_python.text() == in_job.text()
            row = in_job.next_row()
            assert row == job.finding.next("account").document
            job.answer(row, str(demo.y_target[row]), purpose="find")
            answers.append((row, str(demo.y_target[row])))
    by_row = result.find("account", answers=answers, seed=7)
    assert by_row.found == [row for row, label in answers if label == "account"]
    assert by_row.n_read == 150
    assert result.find("account").next_row() == result.find("account", 0.8).next_row()  # the goal changes nothing


def test_the_command_samples_and_the_page_have_the_same_search(job, tmp_path):
    """Answers by file and by HTTP give the state of answers in Python, in the same order."""
    pytest.importorskip("starlette.testclient", reason="needs starlette and httpx")
    from labelferry.review.server import Site
    from labelferry.review.server.sessions import Sessions
    from tests.review.test_server_pages import Browser

    place = tmp_path / "job.ferry"
    done = run("find", place, "--class", CLASS, "-o", tmp_path / "read.csv", "-n", 40)
    assert done.exit_code == 0, done.output
    assert "Nothing was read yet" in done.stdout
    assert "an estimate and no promise" in " ".join(done.stdout.split())
    columns = read_csv(tmp_path / "read.csv")
    assert "label" not in columns
    documents = [int(row) - 1 for row in columns["row"]]
    assert documents == job.find(CLASS).next_rows(40)
    write_csv(tmp_path / "read.csv", {**columns, "answer": [job.truth[document] for document in documents]})
    done = run("find", place, tmp_path / "read.csv", "--class", CLASS, "--json")
    values = json.loads(done.stdout)["find"]
    assert (values["n_read"], values["n_found"]) == (40, sum(job.truth[d] == CLASS for d in documents))
    browser = Browser(Site(job, "job.ferry", Sessions("Ada"))).open("/find")
    browser.send("/find", **{"class": CLASS})
    for _ in range(60):
        documents.append(browser.document)
        browser.answer(f"label:{job.truth[browser.document]}")
        assert browser.path == "/find"
    with_http = job.find(CLASS)
    assert [row.document for row in job.log.history()] == documents
    assert f"{with_http.state.n_found} of class" in browser.page

    other = tmp_path / "other.ferry"
    write_job(other)
    with open_job(other) as again:
        for document in documents:
            again.answer(document, job.truth[document], purpose="find")
        assert again.find(CLASS).state == with_http.state
    assert run("find", place, "--class", CLASS, "--strict").exit_code == (0 if with_http.done else 3)


def test_found_documents_are_written(job, tmp_path):
    assert run("find", tmp_path / "job.ferry", "--class", CLASS, "--found", tmp_path / "f.csv").exit_code == 2
    read_some(job, 30)
    done = run("find", tmp_path / "job.ferry", "--class", CLASS, "--found", tmp_path / "f.csv")
    assert done.exit_code == 0, done.output
    labels = read_csv(tmp_path / "f.csv")["label"]
    assert set(labels) == {CLASS}
    assert len(labels) == len(job.find(CLASS).found)


# -- what counts ------------------------------------------------------------------------------------------------------
def test_a_search_ends_with_all_found(tmp_path):
    truth = write_job(tmp_path / "job.ferry", labelferry.load_demo().texts_target[:120])
    with open_job(tmp_path / "job.ferry") as job:
        job.truth = truth
        search_to_the_end(job)


def search_to_the_end(job):
    found = job.find(CLASS, 1.0)
    while not found.done:
        read_some(job, 1)
        found = job.find(CLASS, 1.0)
        assert found.state.at_most >= job.truth.count(CLASS)
    assert sorted(found.found) == [i for i, label in enumerate(job.truth) if label == CLASS]
    assert "may stop" in found.text() or found.n_read == job.n_documents
    while job.finding.next(CLASS) is not None:
        read_some(job, 1)
    assert (job.find(CLASS).recall_at_least, job.find(CLASS).next_row()) == (1.0, None)


def test_corrections_undo_and_disagreements_change_counts_and_no_draw(drawing):
    job = drawing
    before = job.find(CLASS)
    first = before.found[0]
    job.answer(first, "technical", purpose="list", reviewer="Ada")
    corrected = job.find(CLASS)
    assert corrected.state.n_found == before.state.n_found - 1
    assert corrected.state.waiting == before.state.waiting
    job.undo("Ada")
    assert job.find(CLASS).state == before.state  # the answer before counts again
    job.answer(first, "technical", purpose="list", reviewer="Ben")
    disputed = job.find(CLASS)
    assert (disputed.state.n_unclear, disputed.state.n_read) == (1, before.state.n_read)
    assert disputed.state.waiting == before.state.waiting
    assert "Unclear: 1 answer." in disputed.text()
    job.answer(first, None, kind="unclear", purpose="find", reviewer="Ben")
    assert job.find(CLASS).state.n_unclear == 1


def test_an_undone_draw_stays_a_draw(drawing):
    job, drawn = drawing, drawing.find(CLASS).state.waiting
    read_some(job, 1)
    assert job.find(CLASS).state.waiting == drawn[1:]
    job.undo()
    state = job.find(CLASS).state
    assert (state.waiting, state.n_unclear) == (drawn[1:], 1)


def test_two_people_read_different_documents_and_any_of_them_may_be_late(drawing):
    job, drawn = drawing, drawing.find(CLASS).state.waiting
    mine, other = job.finding.next(CLASS, "Ada"), job.finding.next(CLASS, "Ben")
    assert [mine.document, other.document] == list(drawn[:2])
    n_draws = job.find(CLASS).state.n_draws
    job.answer(other.document, job.truth[other.document], purpose="find", reviewer="Ben")
    assert job.find(CLASS).state.n_draws == n_draws  # waits for the first draw
    job.answer(mine.document, job.truth[mine.document], purpose="list", reviewer="Eve")  # whoever answers it
    assert job.find(CLASS).state.n_draws == n_draws + 2


def test_searches_of_two_classes_are_independent(job):
    read_some(job, 60, name="account")
    order = job.find("account").search.order
    assert not np.array_equal(order, job.find(CLASS).search.order)
    assert job.find(CLASS).n_read == job.find("account").n_read == 60


def test_answers_for_other_purposes_are_reads(job):
    for document in range(25):
        job.answer(document, job.truth[document], purpose="audit")
    found = job.find(CLASS)
    assert found.n_read == 25
    assert found.state.n_found == job.truth[:25].count(CLASS)


def test_the_order_learns(job):
    """The next documents after answers are other ones than before, and none that was read."""
    before = job.find(CLASS).next_rows(80)
    read_some(job, 40)
    found = job.find(CLASS)
    read = [row.document for row in job.log.history()]
    assert not set(found.next_rows(500)) & set(read)
    assert len(found.next_rows(1000)) == job.n_documents - 40
    assert [row for row in before if row not in read] != found.next_rows(80)[:40]
    assert learned_from(40) == 40


def test_a_job_of_a_single_method_is_searched_without_learning(tmp_path):
    demo = labelferry.load_demo()
    result = labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source, method="sourcenb")
    with result.store(tmp_path / "one.ferry", seed=1) as job:
        rows = job.find("account").next_rows(5)
        assert {result.labels[row] for row in rows} == {"account"}
        assert rows == result.find("account", seed=1).next_rows(5)


# -- a process that is killed -----------------------------------------------------------------------------------------
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_killed_process_loses_no_confirmed_read(tmp_path):
    write_job(tmp_path / "job.ferry")
    code = """
        import sys
        from labelferry.review.job.job import open_job
        with open_job(sys.argv[1]) as job:
            while True:
                document = job.finding.next("billing").document
                job.answer(document, "billing" if document % 3 else "account", purpose="find")
                print(document, flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "job.ferry")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    confirmed = [int(process.stdout.readline()) for _ in range(40)]
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    confirmed += [int(line) for line in rest.splitlines() if line.strip()]
    with open_job(tmp_path / "job.ferry") as job:
        read = [row.document for row in job.log.history()]
        assert read[: len(confirmed)] == confirmed
        assert len(read) <= len(confirmed) + 1
        assert job.find(CLASS).n_read == len(read)


# -- wrong inputs -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("recall", "said"),
    [("95", "Did you mean 0.95?"), ("95%", "Did you mean 0.95?"), ("0", "above 0"), ("-1", "above 0"),
     ("nan", "above 0"), ("much", "above 0"), ("1.5", "at most 1")],
)  # fmt: skip
def test_a_wrong_recall_is_one_line(job, tmp_path, recall, said):
    done = run("find", tmp_path / "job.ferry", "--class", CLASS, f"--recall={recall}")
    assert done.exit_code == 2
    assert said in done.output
    assert len(done.output.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--class", "biling"], "Did you mean 'billing'?"),
        (["--class", "\x1b[31mred"], "has no class"),
        ([], "--class"),
    ],
)
def test_a_wrong_class_is_one_line(job, tmp_path, arguments, said):
    done = run("find", tmp_path / "job.ferry", *arguments)
    assert done.exit_code == 2
    assert said in done.output
    assert "\x1b" not in done.output


def test_a_file_that_is_no_job_is_one_line(tmp_path):
    (tmp_path / "labelled.csv").write_text("text,label\na,b\n")
    done = run("find", tmp_path / "labelled.csv", "--class", CLASS)
    assert done.exit_code == 2
    assert "--store" in done.output


def test_wrong_answers_in_python(job):
    population = job.population()
    for answers, said in (
        ([1, 2], "pairs"),
        ({0: CLASS}, "pairs of row and label in the order"),
        ([(-1, CLASS)], "from 0"),
        ([("a", CLASS)], "from 0"),
        ([(True, CLASS)], "from 0"),
        ([(0, "biling")], "Did you mean"),
    ):
        with pytest.raises(ValueError, match=said):
            answers_in_order(answers, population, job.n_documents)
    assert answers_in_order([(0, ""), (1, CLASS), (2, "unclear")], population, job.n_documents) == [(1, 1), (2, -1)]
    for level in (0, 1, "x", True):
        with pytest.raises(ValueError, match="level"):
            job.find(CLASS, level=level)


# -- the page ---------------------------------------------------------------------------------------------------------
def test_the_page_is_blind_and_escapes(tmp_path):
    pytest.importorskip("starlette.testclient", reason="needs starlette and httpx")
    from labelferry.review.server import Site
    from labelferry.review.server.sessions import Sessions
    from tests.review.test_server_pages import Browser
    from tests.review_jobs import HOSTILE_CLASS

    write_job(tmp_path / "bad.ferry", classes=["billing", HOSTILE_CLASS, "technical"])
    with open_job(tmp_path / "bad.ferry") as job:
        site = Site(job, "bad.ferry", Sessions("Ada"))
        browser = Browser(site).open("/find")
        assert HOSTILE_CLASS not in browser.page
        browser.send("/find", **{"class": HOSTILE_CLASS})
        assert HOSTILE_CLASS not in browser.page
        assert "Show predictions" not in browser.page
        assert "predicted ·" not in browser.page
        first = browser.document
        browser.send("/skip")
        assert (browser.path, browser.document != first) == ("/find", True)
        browser.answer("unclear").send("/undo")
        assert browser.hidden("queue") == "find"
        browser.answer("unclear")
        assert browser.path == "/find"
        browser.send("/find", recall="0.8")
        assert 'value="0.8" aria-pressed="true"' in browser.page
        assert browser.client.post("/find", data={"csrf": browser.hidden("csrf"), "class": "x"}).status_code == 400
        assert browser.client.post("/find", data={"csrf": browser.hidden("csrf"), "recall": "2"}).status_code == 400
        browser.open("/history")


@pytest.mark.system
@pytest.mark.slow
def test_a_person_finds_a_class_in_chromium(tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api")
    from tests.browsing import CHROMIUM, Person, Server

    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    truth = write_job(tmp_path / "job.ferry")
    server = Server(tmp_path / "job.ferry", "--reviewer", "Ada")
    try:
        with sync_api.sync_playwright() as driver:
            person = Person(driver.chromium.launch(executable_path=CHROMIUM), server)
            person.page.locator("nav.pages a", has_text="Find").click()
            person.page.locator(f"button[value='{CLASS}']").click()
            person.page.wait_for_selector("#usable.finding")
            classes = ["account", "billing", "technical"]
            for _ in range(12):
                person.press(str(classes.index(truth[person.document]) + 1))
            assert "of class billing found" in person.page.locator("#usable-title").text_content()
            assert "12" in person.page.locator("#usable .legend").text_content()
            person.page.locator("#usable button[value='0.8']").click()
            person.page.wait_for_selector("#usable button[value='0.8'][aria-pressed='true']")
            assert person.page.url.endswith("/find")
            assert not person.events
    finally:
        server.end(signal.SIGKILL)
