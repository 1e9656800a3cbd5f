"""Which labels may be used: the same through a job, a file and Python; rounds, answers that count, exports."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.stats import binom, rankdata
from typer.testing import CliRunner

import labelferry
from labelferry.certificate import certified, next_question
from labelferry.certificate.limits import allowed
from labelferry.certificate.sampling import no_answers
from labelferry.cli import app
from labelferry.cli.accept import default_learn
from labelferry.ensemble.acceptance import candidates
from labelferry.labelling.accept_rank import file_confidence, rank_by
from labelferry.review.job.files import draw_accept_open, import_answers
from labelferry.review.job.job import Job
from labelferry.review.sample.accept_files import usable_of_samples
from labelferry.review.sample.frozen import Limit, freeze
from labelferry.review.sample.population import Population, Ranking, population_of_file, population_of_result
from labelferry.review.sample.same_labels import labels_fingerprint, seed_of_labels
from labelferry.review.sample.usable import N_LEARN, Further, usable_labels
from labelferry.review.sample.usable_text import percent
from labelferry.review.store import Store
from labelferry.tables.row_index import RowIndex
from tests.jobs import CLASSES, small_job
from tests.tickets import demo, new, old, read_csv, write_csv

SEED = 11
TRUTH = demo().y_target.tolist()
N = len(TRUTH)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The tickets of the demo with two rows that cannot be labelled, one of them in the middle."""
    folder = tmp_path_factory.mktemp("usable")
    write_csv(folder / "old.csv", old())
    target = new()
    for row, text in ((7, ""), (40, "xyzzy")):
        target["text"] = [*target["text"][:row], text, *target["text"][row + 1 :]]
    write_csv(folder / "new.csv", target)
    return folder


@pytest.fixture(scope="module")
def result(folder):
    return labelferry.label(folder / "old.csv", folder / "new.csv")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def error_of(*arguments):
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    (line,) = done.stderr.splitlines()
    return line


def fill(path, answers=TRUTH):
    """Fill in a sample; `answers` by row of the file."""
    columns = read_csv(path)
    write_csv(path, {**columns, "answer": [answers[int(row) - 1] for row in columns["row"]]})
    return path


def same(a, b):
    """Whether two doors have the same ladder, the same set and the same claim."""
    for name in ("labels", "ranks", "p_wrong"):
        assert getattr(a.frozen, name).tolist() == getattr(b.frozen, name).tolist()
    assert a.frozen.rows.rows.tolist() == b.frozen.rows.rows.tolist()
    assert a.ladder.key == b.ladder.key
    assert a.ladder.order.tolist() == b.ladder.order.tolist()
    assert (a.ladder.start, a.ladder.sizes) == (b.ladder.start, b.ladder.sizes)
    assert a.rows.tolist() == b.rows.tolist()
    assert a.column() == b.column()
    assert [a.as_dict()[name] for name in a.as_dict()] == [b.as_dict()[name] for name in a.as_dict()]
    return True


@pytest.mark.parametrize("method", ["auto", "sourcelr"])
def test_job_file_and_python_have_the_same_labels_for_the_same_answers(folder, tmp_path, method):
    result = labelferry.label(folder / "old.csv", folder / "new.csv", method=method)
    result.write(tmp_path / "out.csv")
    answers = {}
    wrong = dict.fromkeys(range(0, N, 19), "none_of_these") | dict.fromkeys(range(5, N, 31), "unclear")
    told = {row: wrong.get(row, label) for row, label in enumerate(result.labels.tolist())}
    population = population_of_result(result)
    seed = seed_of_labels(population, 0)
    with result.store(tmp_path / "job.ferry", seed=seed) as job:
        for n in (0, 15, 80):
            while len(answers) < n and (row := result.accept(0.3, answers).next_row()) is not None:
                answers[row] = told[row]
                document = row - (row > 7)  # row 7 has no text, so it is no document
                kind = told[row] if told[row] in ("none_of_these", "unclear") else "label"
                answer = None if kind != "label" else told[row]
                job.answer(document, answer, kind=kind, purpose="accept", reviewer="ann")
            in_python = result.accept(0.3, answers)
            in_job = job.accept(0.3, learn=0)
            assert same(in_python, in_job)
            if n:
                rows = sorted(answers)
                sample = {"row": [row + 1 for row in rows], "text": [new()["text"][row] for row in rows]}
                sample |= {"answer": [told[row] for row in rows], "purpose": ["accept"] * len(rows)}
                sample |= {"sample_seed": [seed] * len(rows), "population": [N - 2] * len(rows)}
                sample |= {"labels_fingerprint": [labels_fingerprint(population)] * len(rows)}
                write_csv(tmp_path / f"{n}.csv", sample)
                assert same(in_python, result.accept(0.3, tmp_path / f"{n}.csv"))
                in_file = population_of_file(tmp_path / "out.csv")
                assert same(in_python, usable_of_samples(in_file, [tmp_path / f"{n}.csv"], Limit(0.3))[0])
                done = json.loads(run("accept", tmp_path / "out.csv", tmp_path / f"{n}.csv", *LIMIT, "--json").output)
                assert done["accept"] | {"sentences": []} == {**in_python.as_dict(), "sentences": []}
        assert in_python.n > 0
        assert in_python.n == in_python.rows.sum()
        assert not in_python.rows[[7, 40]].any()
        job.export(tmp_path / "all.csv")
        exported = read_csv(tmp_path / "all.csv")
        assert exported["accept_rank"] == read_csv(tmp_path / "out.csv")["accept_rank"]
        assert exported["accepted"] == in_python.column()
        assert exported["confidence"] == read_csv(tmp_path / "out.csv")["confidence"]


LIMIT = ("--error", "0.3")


def test_labels_that_learned_are_the_same_in_a_job_a_file_and_python(result, tmp_path):
    with result.store(tmp_path / "job.ferry", seed=SEED) as job:
        assert job.accept().learning == (0, N_LEARN)
        learned = {}
        while not (learning := job.accept().learning).now:
            assert learning == (len(learned), N_LEARN)
            question = job.question("accept", "ann")
            assert question.purpose == "audit"
            row = question.document + (question.document >= 7)
            learned[row] = TRUTH[row]
            job.answer(question.document, TRUTH[row], purpose=question.purpose, reviewer="ann")
        job.refit()
        updated = result.update(learned)
        fresh = usable_labels(freeze(population_of_result(updated), SEED), Further({}, {}))
        assert same(fresh, job.accept())
        assert (
            updated.accept(answers=learned).as_dict()["n_answers"] == 0
        )  # answers that were learned from do not count
        draw_accept_open(job, 60).write(tmp_path / "sample.csv")
        import_answers(job, fill(tmp_path / "sample.csv"), "bob")
        in_job = job.accept()
        assert in_job.n > 0
        assert same(updated.accept(answers=tmp_path / "sample.csv"), in_job)
        job.export(tmp_path / "all.csv")
        updated.write(tmp_path / "updated.csv", accepted=in_job)
        for name in ("accept_rank", "confidence", "accepted"):
            assert read_csv(tmp_path / "all.csv")[name] == read_csv(tmp_path / "updated.csv")[name], name
        for name in ("all.csv", "updated.csv"):
            population = population_of_file(tmp_path / name)
            assert same(usable_of_samples(population, [tmp_path / "sample.csv"])[0], in_job)
        job.accept(0.1)
        job.refit()  # the labels change, and the sample is not for them
        job.export(tmp_path / "later.csv")
        with pytest.raises(ValueError, match="was drawn for other"):
            usable_of_samples(population_of_file(tmp_path / "later.csv"), [tmp_path / "sample.csv"])


def test_ranks_are_those_of_the_score(result):
    """The rank in files is the order of the score of `candidates`, which fits everything anew."""
    estimator = result.estimator
    answered = np.flatnonzero(estimator.in_fit_)[:30:3]
    codes = np.searchsorted(estimator.classes_, [TRUTH[row + (row >= 7)] for row in answered])
    rows = {int(row) + (row >= 7): TRUTH[row + (row >= 7)] for row in answered}
    for current, learned in ((result, np.zeros(0, dtype=int)), (result.update(rows), answered)):
        positions = np.searchsorted(np.flatnonzero(estimator.in_fit_), learned)
        p = result.documents.confidence[estimator.in_fit_]
        found = candidates(estimator.pool_inputs_, positions, codes[: len(learned)], p)
        expected = rank_by(found.score, np.ones(len(p), dtype=bool))
        assert current.documents.accept_rank[estimator.in_fit_].tolist() == expected.tolist()
        ranks = current.columns()["accept_rank"]
        assert sorted(rank for rank in ranks if rank) == list(range(1, N - 1))
        assert ranks[7] is None
        assert ranks[40] is None


def test_another_tools_file_is_ranked_by_its_confidence(tmp_path):
    columns = {"text": [f"text {i}" for i in range(50)], "label": ["a", "b"] * 25}
    path = write_csv(tmp_path / "other.csv", columns)
    assert "has no column confidence" in error_of("accept", path)
    confidence = np.linspace(0.5, 1, 50).round(3).tolist()
    write_csv(path, {**columns, "confidence": confidence})
    frozen = freeze(population_of_file(path), 0)
    assert frozen.ranks.tolist() == list(range(50, 0, -1))
    np.testing.assert_array_equal(frozen.p_wrong, np.round(1 - np.array(confidence), 4))
    write_csv(path, {**columns, "confidence": confidence, "accept_rank": [1] * 50})
    assert freeze(population_of_file(path), 0).ranks.tolist() == frozen.ranks.tolist()  # a column of the user


def test_ranks_of_a_part_of_a_file_and_damaged_ones(result, tmp_path):
    path = tmp_path / "out.csv"
    result.write(path)
    columns = read_csv(path)
    ranks = [int(rank) for rank in columns["accept_rank"][50:]]
    write_csv(path, {name: values[50:] for name, values in columns.items()})
    assert freeze(population_of_file(path), 0).ranks.tolist() == rankdata(ranks).tolist()
    for damaged in ("x", columns["accept_rank"][1]):
        write_csv(path, {**columns, "accept_rank": [damaged, *columns["accept_rank"][1:]]})
        assert "must have different numbers from 1" in error_of("accept", path)


def test_confidences_have_the_digits_of_a_file():
    values = np.array([0.12345, 0.99995, 1.0, 0.0])
    assert file_confidence(values).tolist() == file_confidence(values.astype(np.float32)).tolist()
    assert all(float(str(v)) == v and len(str(v)) <= 6 for v in file_confidence(np.random.default_rng(0).random(500)))


def population(wrong):
    """Labels of which these are wrong, ranked by row."""
    n, nothing = len(wrong), np.zeros(len(wrong), dtype=int)
    ranking = Ranking(np.arange(1, n + 1), np.full(n, 0.95))
    rows = RowIndex(np.arange(n), n)
    return Population("x", [""] * n, rows, nothing, None, wrong, None, ["a", "b"], no_answers(), ranking=ranking)


def test_a_false_statement_is_as_rare_as_promised():
    """Every rung has one wrong label too many; people look after every answer, and answer as they are asked."""
    n, error, n_runs = 150, 0.1, 400
    sizes = freeze(population(np.zeros(n, dtype=bool)), 0).ladder(error, tail=0.05).sizes
    rng, n_false = np.random.default_rng(0), 0
    for seed in range(n_runs):
        wrong, low = np.zeros(n, dtype=bool), 0
        for size in sizes:
            more = allowed(size, error) + 1 - int(wrong.sum())
            wrong[rng.choice(np.arange(low, size), more, replace=False)] = True
            low = size
        ladder = freeze(population(wrong), seed).ladder(error, tail=0.05)
        answers, is_false = {}, False
        while not is_false and (row := next_question(ladder, answers)) is not None and len(answers) < 90:
            answers[row] = bool(wrong[row])
            is_false = certified(ladder, answers) >= 0
        n_false += is_false
    assert 0 < n_false <= binom.ppf(0.999, n_runs, 0.05)


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
    assert "15 of them are open" in usable.text()
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
    assert "tested in 2 rounds; all statements hold together with 94.5 % confidence" in second.text()
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

    documents = [job.questions.acceptance.questions(ERROR)[i][1] for i in range(7)]
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
    document = job.questions.acceptance.questions(ERROR)[0][1]
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
    assert document not in [asked for _, asked in job.questions.acceptance.questions(ERROR)]
    assert answer("ann", agree=False)


@pytest.mark.parametrize("shown", [False, True])
def test_answers_in_the_list_do_not_outvote_a_contradiction(job, shown):
    answer = asked_first(job)
    assert answer("ann", agree=False)
    assert answer("ann", agree=True, purpose="list", shown=shown)  # not a replacement: asked again once
    assert answer("bob", agree=False, purpose="list", shown=shown)
    assert answer("cid", agree=True, purpose="list", shown=shown)
    assert answer("dan", agree=True, purpose="list", shown=shown)
    assert all(job.accept(ERROR).wrong.values())


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


def test_python_takes_answers_that_were_given_again(result):
    first = result.accept(0.1)
    row = first.next_row()
    label = result.labels[row]
    other = next(name for name in result.estimator.classes_ if name != label)
    assert result.accept(0.1, {row: other}).again == [row]
    assert result.accept(0.1, {row: [other, label, label]}).as_dict()["ask_again"] == 0
    assert list(result.accept(0.1, {row: [other, label, label]}).wrong.values()) == [False]
    assert list(result.accept(0.1, {row: [other, label]}).wrong.values()) == [True]
    assert result.accept(0.1, {row: [other, label, label]}).labels[row] == label
    assert result.accept(0.1, {row: other}).labels[row] == other
    assert first.labels[row] is None


def test_samples_of_a_file_follow_each_other(result, tmp_path):
    out, first, second = (tmp_path / name for name in ("out.csv", "a.csv", "b.csv"))
    result.write(out)
    done = run("accept", out, "--error", "0.2", "-n", 12, "-o", first)
    assert done.exit_code == 0, done.output
    sample = read_csv(first)
    assert "label" not in sample
    assert set(sample["purpose"]) == {"accept"}
    assert f"Next: labelferry accept {out} {first} --error 0.2" in done.output
    order = [row + 1 for row in result.accept(0.2).next_rows(12)]
    assert [int(row) for row in sample["row"]] == order
    told = result.labels.tolist()
    fill(first, {**dict(enumerate(told)), order[3] - 1: "none_of_these"})
    assert "12 answers, which would be lost" in error_of("accept", out, "-o", first)
    done = run("accept", out, first, "--error", "0.2", "-n", 5, "-o", second)
    assert done.exit_code == 0, done.output
    sample = read_csv(second)
    assert sample["purpose"] == ["again 1"] + ["accept"] * 5
    assert int(sample["row"][0]) == order[3]
    fill(second, told)
    done = run("accept", out, first, second, "--error", "0.2", "-n", 5, "-o", tmp_path / "c.csv")
    assert read_csv(tmp_path / "c.csv")["purpose"][0] == "again 2"
    fill(tmp_path / "c.csv", told)
    done = run("accept", out, first, second, tmp_path / "c.csv", "--error", "0.2", "--json")
    found = json.loads(done.output)["accept"]
    assert found["ask_again"] == 0
    assert found["rungs"][0]["wrong"] == 0
    assert "named twice" in error_of("accept", out, first, first)
    assert "different seeds" in error_of("accept", out, first, *sample_of_another_seed(out, tmp_path))
    columns = read_csv(out)
    ranks = columns["accept_rank"]
    a, b = ranks.index("1"), ranks.index("2")
    ranks[a], ranks[b] = "2", "1"
    write_csv(tmp_path / "changed.csv", columns)
    assert "was drawn for other ranks" in error_of("accept", tmp_path / "changed.csv", first)
    assert "labels of a file stay as they are" in error_of("accept", out, first, "--relearn")


def sample_of_another_seed(out, tmp_path):
    run("accept", out, "-n", 3, "--seed", 5, "-o", tmp_path / "seed.csv")
    return [fill(tmp_path / "seed.csv")]


def test_a_job_on_the_command_line(result, tmp_path):
    place = tmp_path / "job.ferry"
    result.store(place, seed=SEED).close()
    done = run("accept", place, "-o", tmp_path / "a.csv", "-n", 85)
    assert "20 random documents to learn from" in done.output
    assert run("accept", place, "--strict").exit_code == 3
    fill(tmp_path / "a.csv")
    done = run("accept", place, tmp_path / "a.csv", "-n", 65, "-o", tmp_path / "b.csv", "--reviewer", "ann")
    assert "have learned from 20 answers" in done.output
    assert "must all be correct" in done.output
    assert len(read_csv(tmp_path / "b.csv")["row"]) == 65
    fill(tmp_path / "b.csv")
    done = run("accept", place, tmp_path / "b.csv", "--reviewer", "ann", "--strict")
    assert done.exit_code == 0, done.output
    assert "Usable now: " in done.output
    assert len(done.output.splitlines()) <= 8
    once = json.loads(run("accept", place, "--json").output)
    assert once["accept"]["n_answers"] > 40
    again = json.loads(run("accept", place, tmp_path / "b.csv", "--reviewer", "ann", "--json").output)
    assert again["messages"] == ["0 new answers, 65 known, 0 rows empty"]
    assert again["accept"] == once["accept"]
    assert run("export", place, "-o", tmp_path / "u.csv", "--accepted").exit_code == 0
    written = read_csv(tmp_path / "u.csv")
    with labelferry.open_job(place) as job:
        usable = job.accept()
    marks = usable.column()
    assert written["id"] == [str(row) for row in range(N) if marks[row]]
    assert set(written["accepted"]) == {"yes", "answer"}
    assert written["label"] == [label for label in usable.labels if label is not None]
    assert "Omit one of them" in error_of("export", place, "-o", tmp_path / "x.csv", "--accepted", "--corrections")
    done = run("accept", place, "--relearn")
    assert "accepted labels stay as they were" in done.output
    assert "tested in 2 rounds" in done.output
    assert "are withdrawn" in run("accept", place, "--all").output


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


def test_few_planned_answers_at_ten_percent_are_not_spent_on_learning():
    assert [default_learn(n, 0.1) for n in (None, 20, 40, 41, 200)] == [20, 0, 0, 20, 40]
    assert [default_learn(n, 0.05) for n in (None, 20, 40, 41, 200)] == [20, 20, 20, 20, 40]


@pytest.mark.system
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_import_loses_nothing(result, tmp_path):
    place, sample = tmp_path / "job.ferry", tmp_path / "a.csv"
    result.store(place, seed=SEED).close()
    run("accept", place, "-o", sample)
    fill(sample)
    command = [sys.executable, "-m", "labelferry", "accept", str(place), str(sample)]
    for seconds in (0.3, 0.9, 1.5, 2.1, 2.7):
        process = subprocess.Popen(command, env={**os.environ}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.kill()
        process.wait()
        with labelferry.open_job(place) as job:
            assert len(job.answers()) in (0, N_LEARN)
            assert len(job.store.fits.all()) <= 2
    done = run("accept", place, sample)
    assert done.exit_code == 0, done.output
    with labelferry.open_job(place) as job:
        assert len(job.answers()) == N_LEARN
        assert len(job.store.fits.all()) == 2
        expected = result.update({row.document + (row.document >= 7): row.answer for row in job.answers()})
        assert same(job.accept(), usable_labels(freeze(population_of_result(expected), SEED), Further({}, {})))


def answer_until_usable(frozen, error):
    """All answers agree with the labels; returns the first labels that may be used."""
    answers = {}
    while not (usable := usable_labels(frozen, Further(answers, {}), Limit(error))).n:
        row = usable.next_row()
        answers[row] = int(frozen.labels[row])
    return usable


def test_sentences():
    frozen = freeze(population(np.zeros(2000, dtype=bool)), 3)
    nothing = usable_labels(frozen, Further({}, {}))
    assert nothing.text().startswith("Usable now: no labels yet. The next ")
    assert "; at 10 % the next " in nothing.text()
    usable = answer_until_usable(frozen, 0.05)
    text = usable.text()
    assert f"Usable now: {usable.n:,} of 2,000 labels. With 95 % confidence at most {usable.at_most_wrong}" in text
    assert "no label was wrong" in text
    assert "Assumed: the answers are right" in text
    assert len(text.splitlines()) <= 7
    bad = dict.fromkeys(nothing.next_rows(40), 1)
    hopeless = usable_labels(frozen, Further(bad, {})).text()
    assert "out of reach" in hopeless
    assert "40 of 40 answers contradict" in hopeless
    assert percent(0.0501) == "5.1 %"


def test_classes_without_accepted_labels_are_named():
    frozen = freeze(population(np.zeros(300, dtype=bool)), 3)
    frozen = frozen._replace(p_wrong=np.repeat([0.0, 0.9], 150), labels=np.repeat([0, 1], 150))
    usable = answer_until_usable(frozen, 0.1)
    assert 0 < usable.n <= 150
    assert usable.missing_classes() == ["b"]
    assert f"Accepted per class: a {usable.n}. Careful: all accepted labels are of one class." in usable.text()
    frozen = frozen._replace(
        labels=np.concatenate([np.arange(150) % 2, np.full(150, 2)]), classes=["a", "b", "c"], values=["a", "b", "c"]
    )
    assert "Careful: no label of c is accepted." in answer_until_usable(frozen, 0.1).text()
