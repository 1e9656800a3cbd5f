"""A review job of several labels per document: every door makes the same statements, and each label learns."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import labelferry
from labelferry.labelling.column_names import ACCEPTED
from labelferry.labelling.multi_pool import LabelPools, learn_labels
from labelferry.review.job.files import draw_accept_open, draw_open, import_answers
from labelferry.review.job.job import open_job
from labelferry.review.sample.accept_files import draw_accept
from labelferry.review.sample.filled import read_sample
from labelferry.review.sample.frozen import Limit
from labelferry.review.sample.population import population_of_file, population_of_several
from labelferry.review.sample.several import accept_several, certify_several
from labelferry.tables import read_table
from tests.labelling.test_multi import NAMES, NEW, OLD, RARE, TRUTH, N, fill, run

SEED = 5


@pytest.fixture(scope="module")
def result():
    cells = [";".join(sorted(labels)) or "none" for labels in OLD[1]]
    return labelferry.label(OLD[0], NEW[0], label=cells, multi=True)


@pytest.fixture
def job(result, tmp_path):
    with result.store(tmp_path / "job.ferry", seed=SEED) as opened:
        yield opened


def answered(job, sample):
    """A sample with the true labels."""
    answers = [job.several.form.text(TRUTH[int(row) - 1]) for row in sample.columns["row"]]
    return {**sample.columns, "answer": answers}


def answer_questions(job, n, purpose="audit", **options):
    """Answer questions as the page does."""
    for _ in range(n):
        question = job.question(purpose, **options)
        if question is None:  # all that can be accepted is
            return
        job.answer(question.document, sorted(TRUTH[question.document]), purpose=question.purpose)


def test_a_job_has_the_labels_of_the_result(job, result):
    assert job.classes == [*sorted((*NAMES, RARE))]
    assert job.several.learned == NAMES
    rows = job.store.documents.some(range(N))
    assert [job.several.form.read(row.label) for row in rows] == result.sets
    assert np.allclose([row.confidence for row in rows], result.confidence, atol=1e-4)
    has_bug = job.search(label="bug", limit=N)
    assert {row.number for row in has_bug} == set(np.flatnonzero(result.indicator[:, 1]).tolist())


def test_the_same_answers_certify_the_same_by_file_page_and_python(job, result, tmp_path):
    sample = answered(job, result.audit(40, seed=None))
    seed = int(sample["sample_seed"][0])
    with result.store(tmp_path / "same.ferry", seed=seed) as same:
        answer_questions(same, 40)
        by_page = same.certificate()
        assert by_page.n_answers == 40
        assert by_page.as_dict() == result.certify(sample).as_dict()
    with result.store(tmp_path / "file.ferry", seed=seed) as same:
        assert import_answers(same, sample)["new"] == 40
        assert same.issue().as_dict() == by_page.as_dict()
    result.write(tmp_path / "out.csv")
    population = population_of_file(tmp_path / "out.csv")
    assert certify_several(population, read_sample(sample, population)).as_dict() == by_page.as_dict()


@pytest.mark.parametrize("name", ["", "bug"])
def test_the_same_answers_allow_the_same_use_by_file_page_and_python(result, tmp_path, name):
    limit = Limit(0.2, name=name)
    first = result.accept(0.2, name=name)
    with result.store(tmp_path / "job.ferry", seed=first.frozen.seed) as job:
        samples = []
        for _ in range(2):
            drawn = draw_accept_open(job, 12, limit, learn=0)
            samples.append(answered(job, drawn))
            by_python = result.accept(0.2, samples[:-1], name=name)
            rows, purposes = drawn.columns["row"], drawn.columns["purpose"]
            asked = [(int(row) - 1, purpose) for row, purpose in zip(rows, purposes, strict=True)]
            assert by_python.next_rows(12) == [row for row, purpose in asked if purpose == "accept"]
            assert by_python.again == [row for row, purpose in asked if purpose != "accept"]
            for row, purpose in asked:
                job.answer(row, sorted(TRUTH[row]), purpose=purpose.split()[0])
        by_page, by_python = job.accept(0.2, name=name, learn=0), result.accept(0.2, samples, name=name)
    assert by_page.n >= 10
    assert by_page.rows.tolist() == by_python.rows.tolist()
    assert by_page.text() == by_python.text()
    right = [name in TRUTH[row] if name else TRUTH[row] == result.sets[row] for row in np.flatnonzero(by_page.rows)]
    assert len(right) - sum(right) <= by_page.at_most_wrong


def test_each_label_learns_and_accepted_documents_stay(job, tmp_path):
    answer_questions(job, 20, "accept")
    assert job.accept(0.2).learning.now
    done = job.refit()
    assert done["answers"] == 20
    rows = job.store.documents.some(range(N))
    truth = [job.several.form.text(labels) for labels in TRUTH]
    seen = {row.document for row in job.answers()}
    assert all(rows[document].label == truth[document] for document in seen)
    while (usable := job.accept(0.2)).n < 20:
        answer_questions(job, 5, "accept", error=0.2)
    kept = {int(row): rows[int(row)].label for row in np.flatnonzero(usable.rows)}
    assert job.refit()["kept"] == len(kept)
    now = job.store.documents.some(sorted(kept))
    answers = {row.document: row.answer for row in job.answers()}
    assert [row.label for row in now] == [answers.get(row, kept[row]) for row in sorted(kept)]
    assert job.accept(0.2).n >= len(kept)
    assert job.certificate().documents.accuracy.low > 0
    with open_job(tmp_path / "job.ferry") as again:  # sets that nobody predicted before have codes of later fits
        assert [row.label for row in again.store.documents.some(range(N))] == [
            row.label for row in job.store.documents.some(range(N))
        ]


def test_a_label_learns_what_no_classifier_knew():
    """Chances of .4 for all documents: after answers the label follows the coordinates, and the other label stays."""
    rng = np.random.default_rng(0)
    truth = np.arange(200) % 2
    z = rng.normal(size=(200, 6)) + 3 * (2 * truth[:, None] - 1) * (np.arange(6) == 0)
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    start = np.stack([np.full(200, 0.4), np.where(truth, 0.1, 0.9)], axis=1).astype(np.float32)
    pools = LabelPools(np.arange(200), start, {}, (), z.astype(np.float32))
    answers = np.stack([truth, 1 - truth], axis=1)
    learned = learn_labels(pools, np.arange(40), answers[:40])
    assert ((learned.proba > 0.5) == answers).mean() > 0.97
    assert ((learned.held_out > 0.5) == answers[:40]).mean() > 0.9
    assert (learned.proba[:40] == answers[:40]).all()


def test_rounds_of_one_label_share_their_confidence(job):
    answer_questions(job, 25, "accept", name="bug", error=0.2)
    assert job.accept(0.2, name="bug", learn=0).level == pytest.approx(0.95)
    assert job.accept(0.3, name="bug", learn=0).level == pytest.approx(0.9)  # two limits of one label hold together
    assert job.accept(0.2, name="ui", learn=0).level == pytest.approx(0.95)  # another label is another statement
    assert job.accept(0.2, learn=0).level == pytest.approx(0.95)
    job.refit()
    assert job.accept(0.2, name="bug").level == pytest.approx(1 - 2 * 0.05 - 0.005)
    assert job.accept(0.2, name="api").level == pytest.approx(0.95)


def test_claims_that_are_refused(job, result, tmp_path):
    for ask in (lambda: job.accept(0.2, per_class=True), lambda: job.question("accept", per_class=True)):
        with pytest.raises(ValueError, match="no claim per class"):
            ask()
    with pytest.raises(ValueError, match="'legal' is no label that was learned; these are api, bug, ui"):
        job.accept(0.2, name=RARE)
    for ask in (
        lambda: job.export(tmp_path / "bug.csv", name="bug", accepted=True, whole_file=True),
        result.accept(0.2, name="bug").for_whole_file,
    ):
        with pytest.raises(ValueError, match="label 'bug' are not the whole file"):
            ask()
    assert not (tmp_path / "bug.csv").exists()
    assert not job.store.certificates.all()


def test_corrections_of_another_label_hide_no_denial(job):
    """The first answer is right about bug and wrong about api, which is corrected; then bug is denied."""
    job.accept(0.2, name="bug", learn=0)  # a statement: the labels do not learn first
    question = job.question("accept", "ann", name="bug", error=0.2)
    labels = set(job.several.form.read(question.label))
    assert "bug" in labels

    def wrong(answer, purpose):
        job.answer(question.document, sorted(answer), purpose=purpose, reviewer="ann")
        ((_, is_wrong),) = job.accept(0.2, name="bug", learn=0).wrong.items()
        return is_wrong

    assert not wrong(labels ^ {"api"}, "accept")
    assert not wrong(labels, "again")
    assert not wrong(labels, "list")
    assert wrong(labels - {"bug"}, "again")
    assert wrong(labels, "again")
    assert wrong(labels, "again")
    assert question.document not in job.accept(0.2, name="bug", learn=0).again


def test_a_denial_in_a_copy_of_a_sample_counts(result, tmp_path):
    """Two persons answer copies of a sample of documents that are asked again; only the second one denies the label."""
    limit, seed = Limit(0.2, name="bug"), result.accept(0.2, name="bug").frozen.seed
    with result.store(tmp_path / "job.ferry", seed=seed) as job:
        given = []

        def give(sample, reviewer, answer):
            filled = {**sample, "reviewer": [reviewer] * len(sample["row"])}
            given.append({**filled, "answer": [answer(int(row) - 1) for row in sample["row"]]})
            import_answers(job, given[-1])

        def text(row, *, bug):
            return result.form.text(set(result.sets[row]) | {"bug"} if bug else set(result.sets[row]) - {"bug"})

        first = draw_accept_open(job, 1, limit, learn=0).columns
        (row,) = (int(number) - 1 for number in first["row"])
        give(first, "ann", lambda row: text(row, bug=False))
        again = {name: cells[:1] for name, cells in draw_accept_open(job, 1, limit, learn=0).columns.items()}
        assert again["purpose"] == ["again 1"]
        give(again, "ann", lambda row: text(row, bug=True))
        give(again, "bob", lambda row: text(row, bug=False))
        assert job.accept(0.2, name="bug", learn=0).again == result.accept(0.2, given, name="bug").again == []
        give({**again, "purpose": ["again 2"]}, "ann", lambda row: text(row, bug=True))
        for usable in (job.accept(0.2, name="bug", learn=0), result.accept(0.2, given, name="bug"), job.accept(0.2)):
            assert list(usable.wrong.values()) == [True]
        with result.store(tmp_path / "other.ferry", seed=seed) as other:
            with pytest.raises(ValueError, match=f"row {row + 1} was asked again, and the job has no first answer"):
                import_answers(other, again | {"answer": ["bug"]})
            assert not other.history()


def test_a_file_that_learned_names_its_earlier_rounds_for_one_label(job, tmp_path):
    answer_questions(job, 20)
    job.refit()
    job.export(tmp_path / "out.csv")
    population = population_of_file(tmp_path / "out.csv")
    for name in ("", "bug"):
        usable = accept_several(population, [], Limit(0.2, name=name))[0]
        assert usable.alone
        assert "otherwise the confidence is that of this round alone" in usable.text()


def test_who_denies_a_label_when_asked_again_has_the_last_word(result):
    """All first answers are right about bug and wrong about another label, so whole documents are asked again."""
    population = population_of_several(result)
    form, drawn = result.form, result.accept(0.2, name="bug")
    first = draw_accept(population, drawn, 14).columns
    rows = [int(row) - 1 for row in first["row"]]
    first = {**first, "answer": [form.text(set(result.sets[row]) ^ {"api"}) for row in rows]}
    again = {**first, "purpose": ["again 1"] * len(rows), "answer": [form.text(())] * len(rows)}
    kept = result.accept(0.2, [first], name="bug")
    assert kept.n
    assert not any(kept.wrong.values())
    assert "whole file" not in kept.text()  # these are the documents with bug, not all
    assert "per class" not in kept.text()
    denied = result.accept(0.2, [first, again], name="bug")
    assert denied.n == 0
    assert len(denied.wrong) == 14
    assert all(denied.wrong.values())


def test_the_command_line_makes_the_claims_of_the_job_about_one_label(result, tmp_path):
    place, sample = tmp_path / "job.ferry", tmp_path / "sample.csv"
    result.store(place, seed=SEED).close()
    options = ("--class", "bug", "--error", 0.2, "--learn", 0)
    assert "--class bug" in run("accept", place, *options, "-n", 14, "-o", sample)
    printed = run("accept", place, fill(sample), *options, "--usable", tmp_path / "bugs.csv", "--json")
    told = json.loads(printed)["accept"]
    with open_job(place) as job:
        usable = job.accept(0.2, name="bug", learn=0)
        assert usable.n
        assert told == json.loads(json.dumps({**usable.as_dict(), "sentences": told["sentences"]}))
    rows = read_table(tmp_path / "bugs.csv").columns
    assert set(rows["label"]) == {"bug"}
    assert list(rows["text"]) == [NEW[0][row] for row, label in enumerate(usable.labels) if label == "yes"]
    assert "not the whole file" in run("accept", place, *options, "--whole-file", code=2)


def test_exports_have_the_form_that_came_in(job, result, tmp_path):
    answer_questions(job, 30, "accept", error=0.2)
    job.export(tmp_path / "all.csv")
    table = read_table(tmp_path / "all.csv").columns
    assert "alternative" not in table
    answers = {row.document: row.answer for row in job.answers()}
    expected = [answers.get(i, result.form.text(labels)) for i, labels in enumerate(result.sets)]
    assert list(table["label"]) == expected
    job.export_corrections(tmp_path / "corrections.csv")
    corrections = read_table(tmp_path / "corrections.csv").columns
    assert list(corrections["label"]) == [row.answer for row in job.answers()]
    usable = job.accept(0.3, name="bug", learn=0)
    job.export(tmp_path / "bug.csv", accepted=True, error=0.3, name="bug")
    rows = read_table(tmp_path / "bug.csv").columns
    assert set(rows["label"]) == {"bug"}
    assert list(rows[ACCEPTED]).count("yes") + list(rows[ACCEPTED]).count("answer") == len(rows["label"])
    assert usable.n <= len(rows["label"])


def test_lists_and_columns_leave_a_job_as_they_came(tmp_path):
    lists = labelferry.label(OLD[0], NEW[0], label=[sorted(labels) for labels in OLD[1]], multi=True)
    with lists.store(tmp_path / "lists.ferry") as job:
        job.answer(3, {"ui", "api"})
        job.answer(4, [])
        job.export(tmp_path / "lists.jsonl")
    labels = read_table(tmp_path / "lists.jsonl").columns["label"]
    assert labels[3:5] == [["api", "ui"], []]
    assert labels[0] == sorted(lists.sets[0])
    table = pd.DataFrame({"text": OLD[0], **{n: [int(n in s) for s in OLD[1]] for n in NAMES}})
    columns = labelferry.label(table, pd.DataFrame({"text": NEW[0]}), multi=True)
    with columns.store(tmp_path / "columns.ferry") as job:
        job.answer(3, "ui")
        job.export(tmp_path / "columns.csv")
    rows = read_table(tmp_path / "columns.csv").columns
    assert [int(rows[name][3]) for name in NAMES] == [0, 0, 1]


def test_all_documents_of_a_label_are_found(job):
    bug = {row for row, labels in enumerate(TRUTH) if "bug" in labels}
    found = job.find("bug", 0.9)
    while not found.done:
        question = job.finding.next("bug")
        job.answer(question.document, sorted(TRUTH[question.document]), purpose="find")
        found = job.find("bug", 0.9)
    assert len(found.found) >= 0.9 * len(bug)
    assert set(found.found) <= bug
    assert found.n_read < N
    with pytest.raises(ValueError, match="has no class 'legal'"):
        job.find(RARE)


def test_answers_are_checked(job):
    with pytest.raises(ValueError, match="'bugg' is no label"):
        job.answer(0, "bugg")
    for empty in (None, "", " ", float("nan")):  # nobody answered: that is not the answer "none"
        with pytest.raises(ValueError, match="the answer is empty"):
            job.answer(0, empty)
    assert not job.history()
    job.answer(0, [])
    assert job.answers()[-1].answer == "none"
    job.answer(0, "UI;api")
    assert job.answers()[-1].answer == "api;ui"
    job.answer(0, None, kind="none_of_these")
    assert job.answers()[-1].answer == "none"
    job.answer(0, None, kind="unclear")
    assert job.answers()[-1].kind == "unclear"
    sample = draw_open(job, 10)
    assert len(sample) == 10


# The page


@pytest.fixture
def browser(job):
    pytest.importorskip("starlette.testclient", reason="needs starlette and httpx")
    from labelferry.review.server import Site
    from labelferry.review.server.sessions import Sessions
    from tests.review.test_server_pages import Browser

    return Browser(Site(job, "job.ferry", Sessions("Ada")))


def test_the_page_asks_with_check_boxes(browser, job):
    browser.open("/questions/accept")
    boxes = re.findall(r'type="checkbox" name="label" value="(\w+)"( checked)?', browser.page)
    assert boxes == [(name, "") for name in job.classes]  # nothing is ticked, also the rare label can be
    assert "predicted ·" not in browser.page  # these questions are blind
    first = browser.document
    browser.send("/answer", choice="ticked")
    assert "tick the labels" in browser.message
    assert not job.answers()
    assert browser.document == first
    browser.send("/answer", choice="ticked", label=["ui", "legal"])
    assert browser.document != first
    browser.send("/answer", choice="none_of_these")
    browser.send("/answer", choice="unclear")
    assert [(row.answer, row.kind) for row in job.answers()] == [
        ("legal;ui", "label"),
        ("none", "label"),
        (None, "unclear"),
    ]
    refused = browser.client.post(
        "/answer",
        data={
            "csrf": browser.hidden("csrf"), "document": "1", "purpose": "audit", "choice": "ticked", "label": "<b>",
        },
    )  # fmt: skip
    assert refused.status_code == 400
    browser.send("/undo")
    assert job.answers()[-1].answer == "none"


def test_predictions_are_marked_where_they_may_be_seen(browser, job):
    browser.open("/questions/audit")
    predicted = job.several.form.read(job.store.documents.one(browser.document).label)
    marked = re.findall(r'class="choice tick [\w-]+ predicted">\s*<input[^>]+value="(\w+)"', browser.page)
    assert set(marked) == set(predicted)
    assert browser.page.count("predicted ·") == len(predicted)


def test_the_page_has_the_statements_of_the_job(browser, job, monkeypatch):
    answer_questions(job, 20)
    job.refit()
    browser.open("/questions/accept")
    assert "documents with all labels right" in browser.page
    answer_questions(job, 15, "accept")
    answer_questions(job, 10)
    certificate = browser.open("/certificate").page
    assert "Every label" in certificate
    for one in job.certificate().labels:
        assert one.label in certificate
    assert job.accept(0.05).text().partition(". ")[0] in browser.open("/questions/accept").page
    browser.send("/limit", name="bug")
    with_bug = job.accept(0.05, name="bug").n_documents
    part = re.search(r'<section id="usable".*?</section>', browser.page, flags=re.S)[0]
    assert f"Of {with_bug} labels" in part
    assert '<option value="bug" selected>' in part
    for _ in range(5):  # its questions are about documents with this label
        document = browser.document
        assert "bug" in job.several.form.read(job.store.documents.one(document).label)
        browser.send("/answer", choice="ticked", label=sorted(TRUTH[document]))
    part = re.search(r'<section id="usable".*?</section>', browser.page, flags=re.S)[0]
    assert job.accept(0.05, name="bug").text().partition(". ")[0] in part
    assert "deliver the whole file" not in part  # these are the documents with bug, not all
    refused = browser.client.post("/limit", data={"csrf": browser.hidden("csrf"), "name": RARE})
    assert refused.status_code == 400
    monkeypatch.setattr(job.questions.acceptance, "names", lambda: ["api"])  # the labels learned: no document has bug
    assert f"Of {N} labels" in browser.open("/questions/accept").page
    browser.client.get("/export/usable.csv").raise_for_status()
    browser.open("/list?label=bug")
    assert f"{with_bug} document" in browser.page
    browser.open("/find").send("/find", **{"class": "ui"})
    assert "of class" in browser.page
    assert "Which labels are correct?" in browser.page
