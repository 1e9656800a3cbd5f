"""Which labels may be used: the same through a job, a file and Python, ranks, the claim, and its sentences."""

import json
import re

import numpy as np
import pytest
from scipy.stats import binom

import labelferry
from labelferry.certificate.limits import allowed
from labelferry.ensemble.acceptance import candidates
from labelferry.labelling.accept_rank import file_confidence, rank_by
from labelferry.review.job.files import draw_accept_open, import_answers
from labelferry.review.sample.accept_files import usable_of_samples
from labelferry.review.sample.frozen import Limit, freeze
from labelferry.review.sample.population import population_of_file, population_of_result
from labelferry.review.sample.same_labels import labels_fingerprint, seed_of_labels
from labelferry.review.sample.usable import N_LEARN, Further, usable_labels
from labelferry.review.sample.usable_text import _more, at_most
from tests.certificate.ladders import certified, next_question
from tests.tickets import new, read_csv, write_csv
from tests.usable import SEED, TRUTH, N, fill, population, run, same

LIMIT = ("--error", "0.3")


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


def test_confidences_have_the_digits_of_a_file():
    values = np.array([0.12345, 0.99995, 1.0, 0.0])
    assert file_confidence(values).tolist() == file_confidence(values.astype(np.float32)).tolist()
    assert all(float(str(v)) == v and len(str(v)) <= 6 for v in file_confidence(np.random.default_rng(0).random(500)))


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


def answer_until_usable(frozen, error):
    """All answers agree with the labels; returns the first labels that may be used."""
    answers = {}
    while not (usable := usable_labels(frozen, Further(answers, {}), Limit(error))).n:
        row = usable.next_row()
        answers[row] = int(frozen.labels[row])
    return usable


@pytest.mark.parametrize(
    ("n", "error", "said"),
    [
        (900, 0.05, "More labels are unlikely: stop here."),
        (100, 0.05, "More labels are unlikely: allow more wrong ones, or learn from the answers."),
        (100, 0.1, "More labels are unlikely: learn from the answers."),
    ],
)
def test_what_to_do_where_more_labels_are_unlikely(n, error, said):
    assert _more({"n_accepted": n, "n_documents": 1000, "error": error, "needs": [{}], "out_of_reach": True}) == said


def test_sentences():
    frozen = freeze(population(np.zeros(2000, dtype=bool)), 3)
    nothing = usable_labels(frozen, Further({}, {}))
    assert nothing.text().startswith("Usable now: no labels. If ")
    assert re.search(r" If you accept 10% wrong: [\d,]+ after \d+ answers\.", nothing.text())
    usable = answer_until_usable(frozen, 0.05)
    text = usable.text()
    assert f"Usable now: {usable.n:,} of 2,000 labels. With 95% confidence" in text
    assert re.search(
        rf": none of the \d+ with an answer, up to \d+ of the {usable.accepted.unseen:,} unread \([\d.]+%\)\.", text
    )
    assert "The guarantee holds if the answers are right" in text
    assert len(text.splitlines()) <= 7
    bad = dict.fromkeys(nothing.next_rows(40), 1)
    hopeless = usable_labels(frozen, Further(bad, {})).text()
    assert "will hardly be reached" in hopeless
    assert "40 of 40 answers contradict" in hopeless
    assert at_most(0.0501) == "5.1%"


def test_classes_without_accepted_labels_are_named():
    frozen = freeze(population(np.zeros(300, dtype=bool)), 3)
    frozen = frozen._replace(p_wrong=np.repeat([0.0, 0.9], 150), labels=np.repeat([0, 1], 150))
    usable = answer_until_usable(frozen, 0.1)
    assert 0 < usable.n <= 150
    assert usable.missing_classes() == ["b"]
    assert f"Usable per class: a {usable.n}. Careful: all usable labels are of one class." in usable.text()
    frozen = frozen._replace(
        labels=np.concatenate([np.arange(150) % 2, np.full(150, 2)]), classes=["a", "b", "c"], values=["a", "b", "c"]
    )
    assert "Careful: no label of c is usable." in answer_until_usable(frozen, 0.1).text()
