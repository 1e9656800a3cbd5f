"""Labels to use in a job: learning first, rounds, which answers count, exports."""

import dataclasses

import numpy as np
import pytest

from labelferry.labelling.accept_rank import file_confidence, rank_by
from labelferry.review.job.files import draw_accept_open, import_answers
from labelferry.review.job.job import Job
from labelferry.review.sample.frozen import Limit
from labelferry.review.sample.usable import N_LEARN
from labelferry.review.store import Store
from tests.jobs import CLASSES, small_job
from tests.tickets import read_csv
from tests.usable import same

ERROR = 0.2  # many labels of the small job are wrong


@pytest.fixture
def job(tmp_path):
    with Job(Store.create(tmp_path / "job.ferry", small_job(200))) as job:
        yield job


def answer_all(job, n, reviewer="ann", error=ERROR, agree=False):
    """Answer n questions correctly, or as the labels say."""
    truth = job.store.fits.labels().arrays["labels"] if agree else job.store.database.arrays("job")["truth"]
    for _ in range(n):
        question = job.question("accept", reviewer, error=error)
        if question is None:
            return
        job.answer(question.document, CLASSES[truth[question.document]], purpose=question.purpose, reviewer=reviewer)


def learn_first(job):
    answer_all(job, N_LEARN)
    assert job.accept(ERROR).learning.now
    job.refit()


def test_labels_learn_first_and_nothing_is_certified_before(job):
    answer_all(job, 5)
    usable = job.accept(ERROR)
    assert usable.learning == (5, N_LEARN)
    assert usable.n == 0
    assert "(15 are open)" in usable.text()
    assert job.store.certificates.all() == []
    answer_all(job, 15)
    assert "Learn now" in job.accept(ERROR).text()
    job.refit()
    usable = job.accept(ERROR)
    assert usable.learning is None
    assert usable.n_learned == N_LEARN
    assert usable.as_dict()["n_answers"] == 0
    (statement,) = job.store.certificates.all()
    assert statement.content["kind"] == "accept"
    assert statement.content["key"] == usable.ladders.key


def test_labels_need_not_learn(job):
    assert job.accept(ERROR, learn=0).learning is None
    assert job.accept(ERROR).learning is None  # a statement was made, so the labels stay as they are
    assert job.question("accept", error=ERROR).purpose == "accept"


def test_a_single_method_cannot_learn(tmp_path):
    data = dataclasses.replace(small_job(60), pool={}, members={})
    with Job(Store.create(tmp_path / "job.ferry", data)) as job:
        usable = job.accept(ERROR)
        assert usable.learning is None
        confidence = job.store.fits.labels().arrays["confidence"]
        assert usable.frozen.ranks.tolist() == rank_by(file_confidence(confidence), np.ones(60, dtype=bool)).tolist()


def test_statements_are_recorded_and_the_ladder_cannot_change(job):
    learn_first(job)
    while not job.accept(ERROR).n:
        answer_all(job, 1)
    sizes = [row.content["n_accepted"] for row in job.store.certificates.all()]
    assert sizes[0] == 0
    assert sizes[-1] == job.accept(ERROR).n > 0
    assert len(job.store.certificates.all()) == len(sizes)  # nothing new: not recorded again
    ladders = job.questions.acceptance._ladders
    made = ladders[Limit(ERROR)]
    ladders[Limit(ERROR)] = made._replace(current=(dataclasses.replace(made.current[0], tail=0.04),))
    with pytest.raises(ValueError, match="fixed before the first answer"):
        job.accept(ERROR)


def test_accepted_labels_stay_after_learning_again(job):
    learn_first(job)
    while not (first := job.accept(ERROR)).n:
        answer_all(job, 1)
    labels = job.store.fits.labels().arrays["labels"].copy()
    done = job.refit()
    assert done["kept"] == first.n
    assert done["withdrawn"] == 0
    second = job.accept(ERROR)
    assert second.round_number == 2
    assert second.level == pytest.approx(0.945)
    assert second.ladder.tail + second.ladders.early.tail == pytest.approx(0.005)
    assert second.n == first.n
    assert second.rows.tolist() == first.rows.tolist()
    assert second.at_most_wrong == first.at_most_wrong
    assert "2 rounds of learning: all claims hold together with 94.5% confidence." in second.text()
    answered = np.array([row.document for row in job.answers()])
    kept = np.setdiff1d(np.flatnonzero(first.rows), answered)
    assert (job.store.fits.labels().arrays["labels"][kept] == labels[kept]).all()
    inside = second.ladder.place[np.flatnonzero(first.rows)]
    assert (inside == second.ladder.n_labels).all()  # the new ladder is about the others
    assert not np.intersect1d(second.ladder.order, answered).size
    key = second.ladder.key
    while (third := job.accept(ERROR)).n == first.n:
        answer_all(job, 1, agree=True)
    assert third.ladder.key == key
    assert (third.rows | first.rows).tolist() == third.rows.tolist()
    assert third.at_most_wrong == first.at_most_wrong + third.current.at_most_wrong
    with Job(Store.open(job.store.name)) as again:
        assert same(again.accept(ERROR), third)
        done = again.refit(everything=True)
        assert done["withdrawn"] == third.n
        fourth = again.accept(ERROR)
        assert (fourth.n, fourth.round_number, fourth.ladder.n_labels) == (0, 3, 200 - fourth.n_learned)


def test_a_claim_of_an_earlier_round_that_answers_refute_is_withdrawn(job):
    learn_first(job)
    while not (first := job.accept(ERROR)).n:
        answer_all(job, 1)
    job.refit()
    key, labels = job.accept(ERROR).ladder.key, job.store.fits.labels().arrays["labels"]
    known = set(job.accept(ERROR).frozen.known.rows.tolist())
    free = [row for row in np.flatnonzero(first.rows).tolist() if row not in known]
    for document in free[: first.at_most_wrong + 1]:
        job.answer(document, CLASSES[(labels[document] + 1) % 3], reviewer="ann")
    usable = job.accept(ERROR)
    assert usable.n == 0
    assert usable.ladder.key == key


def test_what_counts_as_wrong(job):
    job.accept(ERROR, learn=0)
    labels = job.store.fits.labels().arrays["labels"]

    def answer(document, code, kind="label", **more):
        name = CLASSES[code] if kind == "label" else None
        job.answer(document, name, kind=kind, purpose=more.pop("purpose", "accept"), **more)

    documents = [job.questions.acceptance.questions()[i][1] for i in range(7)]
    right, other, unclear, none, split, again, twice = documents
    answer(right, labels[right], reviewer="ann")
    answer(other, (labels[other] + 1) % 3, reviewer="ann")
    answer(unclear, 0, "unclear", reviewer="ann")
    answer(none, 0, "none_of_these", reviewer="ann")
    answer(split, labels[split], reviewer="ann", purpose="audit")
    answer(split, (labels[split] + 1) % 3, reviewer="bob", purpose="audit")
    for document in (again, twice):
        answer(document, (labels[document] + 1) % 3, reviewer="ann")
    usable = job.accept(ERROR)
    assert usable.wrong == {document: document != right for document in documents}
    assert usable.again == [document for document in documents if document != right]
    assert job.question("accept", "bob", error=ERROR).purpose == "again"
    assert job.question("accept", "ann", error=ERROR).purpose == "accept"  # not at once the same document
    answer(again, labels[again], reviewer="bob")
    answer(twice, labels[twice], reviewer="bob")
    answer(twice, labels[twice], reviewer="ann")
    answer(other, (labels[other] + 1) % 3, reviewer="bob")
    usable = job.accept(ERROR)
    assert not usable.wrong[twice]
    assert usable.wrong[again]
    assert usable.wrong[other]
    assert again in usable.again
    assert other not in usable.again  # two answers say that the label is wrong
    assert {row.purpose for row in job.answers() if row.document == twice} == {"again"}
    assert job.undo("ann").document == twice
    assert job.accept(ERROR).wrong[twice]


def asked_first(job):
    """A function that answers the first question about a label, and whether the label counts as wrong."""
    job.accept(ERROR, learn=0)
    document = job.questions.acceptance.questions()[0][1]
    label = int(job.store.fits.labels().arrays["labels"][document])

    def answer(reviewer, agree, purpose="accept", shown=False):
        name = CLASSES[label if agree else (label + 1) % 3]
        job.answer(document, name, purpose=purpose, reviewer=reviewer, shown=CLASSES[label] if shown else None)
        return job.accept(ERROR).wrong[document]

    return answer


@pytest.mark.parametrize("second", ["bob", "ann"])
def test_a_second_answer_to_the_same_question_can_contradict_the_first(job, second):
    """Another person makes it a disagreement, the same person replaces her answer: wrong in both cases."""
    answer = asked_first(job)
    assert not answer("ann", agree=True)
    assert answer(second, agree=False)
    assert {row.purpose for row in job.history()} == {"accept"}
    assert answer("cid", agree=True)  # two further answers must agree
    assert not answer("dan", agree=True)


def test_an_answer_of_the_first_person_that_is_taken_back_leaves_no_endless_question(job):
    answer = asked_first(job)
    assert answer("ann", agree=False)
    assert answer("bob", agree=True)
    (document,) = {row.document for row in job.answers()}
    job.undo("ann")
    assert not job.accept(ERROR).wrong[document]  # the answer that is left is the first one
    assert document not in [asked for _, asked in job.questions.acceptance.questions()]
    assert answer("ann", agree=False)


def test_a_third_answer_to_a_question_that_was_asked_again_decides_nothing_alone(job):
    """Nor after the first answer was taken back: the two that agree decide."""
    answer = asked_first(job)
    for reviewer, agree in [("ann", False), ("bob", True), ("cid", True), ("dan", False)]:
        answer(reviewer, agree, purpose="accept" if reviewer == "ann" else "again")
    (document,) = job.accept(ERROR).decided
    label = int(job.store.fits.labels().arrays["labels"][document])
    assert job.log.state().codes[document] == label
    job.undo("ann")
    assert job.log.state().codes[document] == label
    assert [row.reviewer for row in job.log.state().deciding] == ["bob", "cid"]


@pytest.mark.parametrize("shown", [False, True])
def test_answers_in_the_list_do_not_outvote_a_contradiction(job, shown):
    answer = asked_first(job)
    assert answer("ann", agree=False)
    assert answer("ann", agree=True, purpose="list", shown=shown)  # not a replacement: asked again once
    assert answer("bob", agree=False, purpose="list", shown=shown)
    assert answer("cid", agree=True, purpose="list", shown=shown)
    assert answer("dan", agree=True, purpose="list", shown=shown)
    assert all(job.accept(ERROR).wrong.values())


def test_no_denial_is_dropped(job):
    """A person who first agreed and then denies it, and a denial in the list, count whatever others say later."""
    answer = asked_first(job)
    assert not answer("cid", agree=True, purpose="audit")
    assert answer("ann", agree=False, purpose="audit")
    assert answer("cid", agree=False, purpose="audit")
    assert answer("bob", agree=True, purpose="audit")
    (document,) = job.accept(ERROR).decided
    label = int(job.store.fits.labels().arrays["labels"][document])
    assert job.log.state().codes[document] != label


def test_a_denial_in_the_list_stays_when_others_agree_again(job):
    answer = asked_first(job)
    assert answer("ann", agree=False)
    assert answer("bob", agree=False, purpose="list")
    assert answer("cid", agree=True, purpose="again")
    assert answer("dan", agree=True, purpose="again")


def test_a_correction_in_the_list_is_exported(job, tmp_path):
    """The label of an answered document is what people said last; the test still counts the contradiction."""
    answer = asked_first(job)
    answer("ann", agree=False)
    (document,) = job.accept(ERROR).decided
    label = int(job.store.fits.labels().arrays["labels"][document])
    corrected = CLASSES[(label + 2) % 3]  # neither the label nor the first answer
    job.answer(document, corrected, purpose="list", reviewer="ann")
    job.export(tmp_path / "all.csv")
    written = read_csv(tmp_path / "all.csv")
    assert written["label"][document] == job.accept(ERROR).labels[document] == corrected
    assert job.accept(ERROR).wrong[document]


def test_samples_that_are_asked_again_count_once(job, tmp_path):
    job.accept(ERROR, learn=0)
    labels = job.store.fits.labels().arrays["labels"]
    sample = draw_accept_open(job, 1, Limit(ERROR)).columns
    document = sample["row"][0] - 1
    import_answers(job, {**sample, "answer": [CLASSES[(labels[document] + 1) % 3]]}, "ann")
    sample = draw_accept_open(job, 1, Limit(ERROR)).columns
    assert sample["purpose"] == ["again 1", "accept"]
    filled = {**sample, "answer": [CLASSES[labels[row - 1]] for row in sample["row"]]}
    assert import_answers(job, filled, "ann")["new"] == 2
    assert import_answers(job, filled, "ann") == {"new": 0, "known": 2, "empty": 0}
    assert job.accept(ERROR).wrong[document]
    sample = draw_accept_open(job, 1, Limit(ERROR)).columns
    assert sample["purpose"] == ["again 2", "accept"]
    import_answers(job, {**sample, "answer": [CLASSES[labels[row - 1]] for row in sample["row"]]}, "ann")
    assert not job.accept(ERROR).wrong[document]


def test_a_sample_that_is_imported_twice_counts_once_also_after_undo(job):
    job.accept(ERROR, learn=0)
    labels = job.store.fits.labels().arrays["labels"]

    def answer(person, agrees, sample=None):
        sample = {name: cells[:1] for name, cells in (sample or draw_accept_open(job, 1, Limit(ERROR)).columns).items()}
        code = (labels[sample["row"][0] - 1] + (not agrees)) % 3
        return sample, import_answers(job, {**sample, "answer": [CLASSES[code]]}, person)["new"]

    answer("cid", False)
    answer("ann", True)
    sample, _ = answer("bob", True)
    assert sample["purpose"] == ["again 2"]
    assert list(job.accept(ERROR).wrong.values()) == [False]
    job.undo("ann")
    assert answer("bob", True, sample)[1] == 0
    assert list(job.accept(ERROR).wrong.values()) == [True]
    assert answer("ann", True)[1] == 1
    assert list(job.accept(ERROR).wrong.values()) == [False]


def test_a_first_sample_is_known_after_its_document_was_asked_again(job):
    job.accept(ERROR, learn=0)
    labels = job.store.fits.labels().arrays["labels"]
    sample = draw_accept_open(job, 1, Limit(ERROR)).columns
    document = sample["row"][0] - 1
    contradicted = {**sample, "answer": [CLASSES[(labels[document] + 1) % 3]]}
    import_answers(job, contradicted, "ann")
    sample = draw_accept_open(job, 1, Limit(ERROR)).columns
    import_answers(job, {**sample, "answer": [CLASSES[labels[row - 1]] for row in sample["row"]]}, "ann")
    n = len(job.history())
    assert import_answers(job, contradicted, "ann") == {"new": 0, "known": 1, "empty": 0}
    assert len(job.history()) == n


def test_persons_who_are_asked_again_in_one_sample_give_one_answer(job):
    job.accept(ERROR, learn=0)
    labels = job.store.fits.labels().arrays["labels"]
    sample = draw_accept_open(job, 1, Limit(ERROR)).columns
    document = sample["row"][0] - 1
    import_answers(job, {**sample, "answer": [CLASSES[(labels[document] + 1) % 3]]}, "ann")
    again = {name: values[:1] * 2 for name, values in draw_accept_open(job, 1, Limit(ERROR)).columns.items()}
    filled = {**again, "answer": [CLASSES[labels[document]]] * 2, "reviewer": ["bob", "cid"]}
    assert import_answers(job, filled)["new"] == 1
    assert job.accept(ERROR).wrong[document]
    assert import_answers(job, filled) == {"new": 0, "known": 1, "empty": 0}


def test_an_export_has_the_answers_that_count(job, tmp_path):
    """One agreeing answer, when the document is asked again, changes nothing; the second one does."""
    answer = asked_first(job)
    for agree in (False, True, True):
        answer("ann", agree=agree)
        job.export(tmp_path / "all.csv")
        usable, written = job.accept(ERROR), read_csv(tmp_path / "all.csv")
        (document,) = usable.decided
        assert written["label"][document] == written["answer"][document] == usable.labels[document]
    assert not usable.wrong[document]


def test_whoever_contradicts_a_label_after_it_was_asked_again_has_the_last_word(job, tmp_path):
    """Two agreeing answers are not the end: later corrections are delivered, and the label counts as wrong again."""
    answer = asked_first(job)
    assert answer("ann", agree=False)
    assert answer("bob", agree=True)
    assert not answer("cid", agree=True)
    (document,) = job.accept(ERROR).decided
    label = int(job.store.fits.labels().arrays["labels"][document])
    for person in ("ann", "bob", "cid"):
        job.answer(document, CLASSES[(label + 1) % 3], purpose="list", reviewer=person)
    job.export(tmp_path / "all.csv")
    assert job.accept(ERROR).wrong[document]
    assert read_csv(tmp_path / "all.csv")["label"][document] == CLASSES[(label + 1) % 3]


def test_a_person_cannot_replace_a_contradiction_by_importing_the_sample_again(job):
    job.accept(ERROR, learn=0)
    labels = job.store.fits.labels().arrays["labels"]
    sample = draw_accept_open(job, 1, Limit(ERROR)).columns
    document = sample["row"][0] - 1
    for code in ((labels[document] + 1) % 3, labels[document]):
        import_answers(job, {**sample, "answer": [CLASSES[code]]}, "ann")
        assert job.accept(ERROR).wrong[document]
