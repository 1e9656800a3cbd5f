"""Review jobs: questions, answers, certificates, fits, files."""

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

import labelferry
from labelferry.certificate import audit_order
from labelferry.review.job.data import N_TYPICAL, new_class_order
from labelferry.review.job.job import Job, check_new_job
from labelferry.review.job.refit import summarize
from labelferry.review.store import FitData, Store
from tests.jobs import CLASSES, small_job
from tests.tickets import demo, new, old, read_csv, write_csv


@pytest.fixture
def job(tmp_path):
    with Job(Store.create(tmp_path / "job.ferry", small_job(60))) as job:
        yield job


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    source, target = write_csv(folder / "old.csv", old(3)), write_csv(folder / "new.csv", new(3))
    return labelferry.label(source, target)


TRUTH = demo().y_target[::3]


def answer_all(job, purpose, n, reviewer="ann"):
    """Answer n questions correctly; returns the documents."""
    truth = job.store.database.arrays("job")["truth"]
    documents = []
    for _ in range(n):
        question = job.question(purpose, reviewer)
        code = truth[question.document]
        job.answer(question.document, CLASSES[code], purpose=purpose, reviewer=reviewer, shown=question.label)
        documents.append(question.document)
    return documents


def test_the_audit_follows_its_order_whoever_answers(job):
    order = audit_order(60, job.questions.seed).tolist()
    assert answer_all(job, "audit", 5) == order[:5]
    job.answer(order[6], None, kind="unclear", purpose="list", reviewer="bob")
    assert answer_all(job, "audit", 2) == [order[5], order[7]]
    rows, codes = job.questions.sample("audit")
    assert rows.tolist() == order[:8]  # the answer given for another purpose counts when the order reaches it
    assert codes[6] == -1


def test_the_sample_ends_before_a_document_without_an_answer(job):
    order = audit_order(60, job.questions.seed).tolist()
    for document in order[:3] + order[4:9]:
        job.answer(document, "billing", purpose="audit")
    assert job.questions.sample("audit")[0].tolist() == order[:3]


def test_duel_questions_are_documents_on_which_the_labels_differ(job):
    documents = answer_all(job, "duel", 20)
    assert all(document % 3 == 0 for document in documents)
    assert job.question("duel") is None
    assert {q["purpose"]: (q["open"], q["answered"]) for q in job.queues()}["duel"] == (0, 20)


def test_answers_of_the_audit_count_in_the_duel(job):
    """The duel has the order of the audit, so no answer on a document on which the labels differ is lost."""
    audited = answer_all(job, "audit", 30)
    different = [document for document in audited if document % 3 == 0]
    assert len(different) == 9
    assert job.questions.sample("duel").rows.tolist() == different
    assert job.certificate().better_than_source_only.n_answers == 9
    ahead = answer_all(job, "duel", 4)
    assert job.questions.sample("duel").rows.tolist() == different + ahead
    order = audit_order(60, job.questions.seed).tolist()
    assert job.question("audit").document == next(row for row in order[30:] if row not in ahead)


def test_orders_are_the_same_in_every_version():
    assert audit_order(8, 1).tolist() == [2, 4, 7, 5, 0, 6, 3, 1]
    assert sorted(audit_order(1000, 5).tolist()) == list(range(1000))


def test_every_question_has_a_reason(job):
    reasons = {purpose: job.question(purpose).reason for purpose in ("audit", "duel", "group")}
    assert "random" in reasons["audit"]
    assert "labelled documents only gives" in reasons["duel"]
    assert len(set(reasons.values())) == 3
    assert job.question("new") is None
    assert "list" in job.questions.about(3).reason
    with pytest.raises(ValueError, match="purpose must be"):
        job.question("fun")


def test_two_persons_get_different_questions(job, tmp_path):
    with Job(Store.open(tmp_path / "job.ferry")) as other:
        first, second = job.question("audit", "ann"), other.question("audit", "bob")
        assert first.document != second.document
        assert job.question("audit", "ann").document == first.document  # the same person, the same open question
        other.answer(second.document, "billing", purpose="audit", reviewer="bob")
        assert job.question("audit", "ann").document == first.document


def test_a_skipped_document_comes_again_after_the_others(job):
    order = audit_order(60, job.questions.seed).tolist()
    assert job.question("audit", skip=[order[0]]).document == order[1]
    assert job.question("audit", skip=range(60)).document == order[0]


def test_a_document_that_was_answered_is_not_asked_again(job):
    shared = [document for document in job.questions.order("duel").tolist() if document in job.questions.order("group")]
    job.answer(shared[0], "billing", purpose="duel")
    assert shared[0] not in [job.question("group").document, *job.questions.open_documents("group", 60)]


def test_documents_of_no_class_are_asked_about(tmp_path):
    data = small_job()
    order = new_class_order(np.array([-1, 0, 0, 1, 0, 1]))
    assert order.tolist() == [1, 3, 2, 5, 4]
    assert new_class_order(None).tolist() == []
    data = type(data)(**{**vars(data), "arrays": {"new": order}})
    with Job(Store.create(tmp_path / "job.ferry", data)) as job:
        question = job.question("new")
        assert question.document == 1
        assert "new class" in question.reason


def test_undo_brings_back_the_answer_before(job):
    job.answer(4, "billing", reviewer="ann")
    job.answer(4, "account", reviewer="ann")
    assert job.history()[1].replaces == job.history()[0].id
    assert job.undo("bob") is None
    assert job.undo("ann").answer == "account"
    assert [row.value for row in job.answers()] == ["billing"]
    assert job.undo("ann").answer == "billing"
    assert job.answers() == []
    assert job.undo("ann") is None
    assert len(job.history()) == 4


def test_disagreements_are_shown_and_not_used(job):
    order = audit_order(60, job.questions.seed).tolist()
    job.answer(order[0], "billing", reviewer="ann")
    job.answer(order[0], "account", reviewer="bob")
    (disagreement,) = job.disagreements()
    assert disagreement["document"] == order[0]
    assert {row.reviewer for row in disagreement["answers"]} == {"ann", "bob"}
    assert job.log.state().codes == {order[0]: -1}
    assert job.progress()["disagreements"] == 1
    job.answer(order[0], "account", reviewer="eve")
    assert job.disagreements() == []
    assert job.log.state().codes == {order[0]: CLASSES.index("account")}


def test_certificate_of_the_random_sample(job):
    answer_all(job, "audit", 30)
    certificate = job.certificate()
    assert certificate.n_answers == 30
    truth = job.store.database.arrays("job")["truth"]
    accuracy = (job.store.fits.labels().arrays["labels"] == truth).mean()
    assert certificate.accuracy.low <= accuracy <= certificate.accuracy.high
    assert job.certificate() is certificate
    job.issue(0.9)
    (stored,) = job.store.certificates.all()
    assert stored.content["n_answers"] == 30
    assert stored.level == 0.9


def test_refit_learns_and_only_later_answers_certify(job):
    answer_all(job, "audit", 25)
    answer_all(job, "duel", 5)
    job.answer(job.question("audit").document, None, kind="none_of_these", purpose="audit")
    before = job.certificate()
    summary = job.refit()
    assert summary["fit"] == 2
    assert summary["answers"] == 30
    arrays = job.store.fits.labels().arrays
    truth = job.store.database.arrays("job")["truth"]
    rows = arrays["held_out/rows"]
    assert len(rows) == 30
    assert (arrays["labels"][rows] == truth[rows]).all()  # an answered document has its answer
    assert not arrays["needs_review"][rows].any()
    assert summary["accuracy_after"] == (arrays["held_out/labels"] == truth[rows]).mean() < 1
    after = job.certificate()
    assert before.n_answers >= 26
    assert (after.n_answers, after.n_known) == (0, 31)
    assert after.accuracy[1:] == pytest.approx((30 / 60, 59 / 60))  # one is none of these
    answer_all(job, "audit", 10)
    later = job.certificate()
    assert later.n_answers == len(job.questions.sample("audit")[0]) >= 10
    accuracy = (arrays["labels"] == truth)[np.setdiff1d(np.arange(60), arrays["held_out/seen"])]
    assert later.accuracy.low <= (30 + accuracy.sum()) / 60 <= later.accuracy.high


def test_the_duel_after_learning_has_both_kinds_of_answers(job):
    """Answers on which the source-only classifier was correct stay in the comparison."""
    answered = answer_all(job, "duel", 12)
    before = job.certificate().better_than_source_only
    assert (before.n_answers, before.n_different) == (12, 20)
    truth = job.store.database.arrays("job")["truth"]
    source_only, first = job.store.fits.source_only, job.store.fits.labels().arrays["labels"]
    d = [int(first[row] == truth[row]) - int(source_only[row] == truth[row]) for row in answered]
    assert before.difference.estimate == pytest.approx(20 * np.mean(d) / 60)
    assert before.difference.low <= ((first == truth).mean() - (source_only == truth).mean()) <= before.difference.high
    job.refit()
    labels, truth = job.store.fits.labels().arrays["labels"], job.store.database.arrays("job")["truth"]
    d = job.certificate().better_than_source_only
    assert d.n_answers == 0  # all were learned from
    true = (labels == truth).mean() - (job.store.fits.source_only == truth).mean()
    assert d.difference.low <= true <= d.difference.high


def test_after_learning_progress_counts_new_answers(job):
    answer_all(job, "audit", 30)
    job.answer(job.question("audit").document, None, kind="none_of_these", purpose="audit")
    job.refit()
    arrays = job.store.fits.labels().arrays
    assert len(job.store.fits.all()[-1].answers) == 30
    assert job.progress()["new_answers"] == 1
    assert (arrays["labels"] != arrays["alternative"]).all()


def test_refit_needs_an_answer_that_names_a_class(job):
    job.answer(0, None, kind="unclear")
    with pytest.raises(ValueError, match="no answer that names a class"):
        job.refit()


def test_a_fact_that_demands_review_stays(tmp_path):
    with Job(Store.create(tmp_path / "job.ferry", small_job(review_all=True))) as job:
        answer_all(job, "audit", 10)
        job.refit()
        assert job.search(needs_review=True).total == 20


def test_documents_of_no_class_stay_marked_after_learning(tmp_path):
    data = small_job()
    data = dataclasses.replace(data, arrays={**data.arrays, "new": np.array([4, 9, 11])})
    with Job(Store.create(tmp_path / "job.ferry", data)) as job:
        truth = job.store.database.arrays("job")["truth"]
        for document in (0, 1, 2, 9):
            job.answer(document, CLASSES[truth[document]])
        job.answer(11, None, kind="none_of_these")
        job.refit()
        assert job.store.fits.labels().arrays["needs_review"][[4, 9, 11]].tolist() == [True, False, True]


def test_labels_that_became_worse_give_a_warning():
    labels, held = np.array([0, 1, 0, 1]), {"rows": np.arange(3), "labels": np.array([0, 0, 1])}
    fit = FitData("learned", labels, np.ones(4), labels, np.zeros(4, dtype=bool), held_out=held)
    before = {"labels": labels, "needs_review": np.zeros(4, dtype=bool)}
    worse = summarize(before, fit, {0: 0, 1: 1, 2: 0})
    assert (worse["accuracy_before"], worse["accuracy_after"]) == (1, 1 / 3)
    assert "may be worse: 1 of 3 answered documents are predicted correctly without their answer, 3" in worse["warning"]
    assert summarize(before, fit, {0: 0, 1: 0, 2: 1})["warning"] == ""
    assert summarize(before, fit, {0: 0, 1: 1, 2: 1})["warning"] == ""  # one better, one worse
    held["labels"][1] = 1
    assert summarize(before, fit, {0: 0, 1: 1, 2: 0})["warning"] == ""  # one worse is chance


def test_a_certificate_is_of_one_state_although_others_answer_and_learn(job, tmp_path):
    """Another process adds an answer and a fit while the certificate is computed."""
    answer_all(job, "audit", 20)
    expected, certify_state = job.certificate(), job._certify

    def slow(state, level):
        with Job(Store.open(tmp_path / "job.ferry")) as other:
            answer_all(other, "audit", 5, "bob")
            other.refit()
        return certify_state(state, level)

    job._certify, job._certificates = slow, {}
    assert job.issue() == expected
    (stored,) = job.store.certificates.all()
    assert (stored.fit, stored.last_answer) == (1, job.history()[19].id)
    assert stored.content["n_answers"] == 20
    assert job.store.fits.all()[-1].summary["certificate_before"]["n_answers"] == 25  # kept when the labels learned


def test_typical_documents_are_asked_about(result, tmp_path):
    with result.store(tmp_path / "job.ferry", seed=3) as job:
        typical = job.questions.open_documents("group", 200)
        assert len(set(typical)) == len(typical) == N_TYPICAL
        assert "whole group" in job.question("group").reason
        coordinates = result.estimator.pool_inputs_.coordinates
        cosine = coordinates @ coordinates[typical].T
        chosen = audit_order(len(coordinates), 3)[: len(typical)]  # at random
        assert cosine.max(axis=1).mean() > (coordinates @ coordinates[chosen].T).max(axis=1).mean()


def test_export_keeps_all_columns(job, tmp_path):
    job.answer(0, "account", reviewer="ann")
    job.answer(1, None, kind="none_of_these", reviewer="ann")
    job.answer(2, "billing", reviewer="ann")
    job.answer(2, "account", reviewer="bob")
    messages = job.export(tmp_path / "out.csv")
    written = read_csv(tmp_path / "out.csv")
    assert list(written)[:3] == ["id", "text", "answer_before"]
    assert messages == ["column 'answer' of new.csv is kept as 'answer_before'"]
    assert written["id"] == [f"t{i}" for i in range(60)]
    assert written["answer"][:4] == ["account", "none_of_these", "disagreement", ""]
    assert written["label"][:2] == ["account", ""]
    assert written["label"][2] == job.store.documents.one(2).label
    job.export_corrections(tmp_path / "answers.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert [(row["row"], row["answer"], row["reviewer"]) for row in rows] == [
        (1, "account", "ann"),
        (2, "none_of_these", "ann"),
        (3, "billing", "ann"),
        (3, "account", "bob"),
    ]
    assert rows[0]["id"] == "t0"


def test_a_result_becomes_a_job(result, tmp_path):
    with result.store(tmp_path / "job.ferry", seed=3) as job:
        assert job.classes == ["account", "billing", "technical"]
        assert job.columns == ["id", "note"]
        rows = list(job.search(limit=200))
        assert [row.label for row in rows] == result.labels.tolist()
        assert [row.source_only for row in rows] == result.columns()["source_only"]
        assert [row.needs_review for row in rows] == result.needs_review.tolist()
        assert rows[5].own == {"id": "5", "note": 'a "quoted", note'}
        for _ in range(20):
            question = job.question("audit")
            job.answer(question.document, str(TRUTH[question.document]), purpose="audit")
        interval = job.certificate().accuracy
        assert interval.low <= (result.labels == TRUTH).mean() <= interval.high
        summary = job.refit()
        assert summary["answers"] == 20
        labels = [row.label for row in job.search(limit=200)]
    assert (np.array(labels) == TRUTH).mean() > 0.9
    with labelferry.open_job(tmp_path / "job.ferry") as job:
        assert "20 answers" in repr(job)
        assert job.progress()["fit"] == 2


def test_labels_that_are_numbers_stay_numbers(tmp_path):
    texts, labels = demo().texts_source[::6], (demo().y_source[::6] == "billing").astype(int)
    result = labelferry.label(texts, demo().texts_target[::6], label=labels, method="sourcelr")
    with result.store(tmp_path / "job.ferry") as job:
        assert job.classes == ["0", "1"]
        job.answer(0, "1")
        job.export(tmp_path / "out.jsonl")
        with pytest.raises(ValueError, match="labelled by SourceLR alone"):
            job.refit()
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert rows[0]["label"] == 1
    assert {row["source_only"] for row in rows} <= {0, 1}


def test_places_are_checked_before_the_work(tmp_path):
    check_new_job(tmp_path / "job.ferry")
    (tmp_path / "job.ferry").touch()
    with pytest.raises(ValueError, match="exists already"):
        check_new_job(tmp_path / "job.ferry")


def test_without_sqlalchemy_one_line_names_the_extra(tmp_path):
    code = (
        "import sys; sys.modules['sqlalchemy'] = None\n"
        "import labelferry\n"
        "try:\n    labelferry.open_job('job.ferry')\n"
        "except ValueError as error:\n    print(error)"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output == "a review job needs sqlalchemy: pip install '.[review]' in a clone of labelferry.\n"


def test_answers_after_a_skipped_document_wait(job):
    first = job.question("audit").document
    for _ in range(3):
        question = job.question("audit", skip=[first])
        job.answer(question.document, job.classes[0], purpose="audit")
    assert job.waiting() == 3
    assert job.certificate().n_answers == 0
    job.answer(first, None, kind="unclear", purpose="audit")
    assert job.waiting() == 0
    assert job.certificate().n_answers == 4


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_labels_that_are_numbers_stay_numbers_in_every_format(tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    with Job(Store.create(tmp_path / "job.ferry", dataclasses.replace(small_job(), classes=[0, 1, 2]))) as job:
        for _ in range(10):
            job.answer(job.question("audit").document, "1", purpose="audit")
        job.refit()
        job.export(path)
    table = labelferry.tables.read_table(path).columns
    assert set(table["label"]) == ({"0", "1", "2"} if suffix == "csv" else {0, 1, 2})
    assert sum(value not in (None, "") for value in table["held_out"]) == 10
