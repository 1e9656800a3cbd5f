"""Labels to use in all doors: the page through HTTP, claims per class, rounds of files, the whole file, rows."""

import json

import numpy as np
import pytest

import labelferry
from labelferry.certificate import Answers, audit_order
from labelferry.certificate.accept import climb, given_answers
from labelferry.certificate.accepted import accept_labels
from labelferry.certificate.ladder import TAIL
from labelferry.certificate.rounds import accept_several, next_of_several
from labelferry.review.job.files import draw_accept_open, import_answers
from labelferry.review.sample.accept_files import usable_of_samples
from labelferry.review.sample.frozen import Limit, freeze, make_ladders
from labelferry.review.sample.population import population_of_file, population_of_result
from labelferry.review.sample.usable import N_LEARN, Further, usable_labels
from tests.tickets import new, read_csv, write_csv
from tests.usable import SEED, TRUTH, N, error_of, fill, population, run, same


def document_of(row):
    return row - (row > 7)  # row 7 has no text, so it is no document


def row_of(document):
    return document + (document >= 7)


# -- the page ---------------------------------------------------------------------------------------------------------
def test_the_page_a_file_and_python_have_the_same_set_for_the_same_answers(result, tmp_path):
    """All answers of the job are given through HTTP, by forms of the page."""
    pytest.importorskip("starlette.testclient", reason="needs starlette and httpx")
    from labelferry.review.server import Site
    from labelferry.review.server.sessions import Sessions
    from tests.review.test_server_pages import Browser

    with result.store(tmp_path / "job.ferry", seed=SEED) as job:
        browser, learned = Browser(Site(job, "job.ferry", Sessions("Ada"))), {}
        for _ in range(N_LEARN):
            row = row_of(browser.open("/questions/accept").document)
            learned[row] = TRUTH[row]
            browser.answer(f"label:{TRUTH[row]}")
        assert job.accept().learning.now
        job.refit()
        answers = {}
        while not job.accept().n:
            row = row_of(browser.open("/questions/accept").document)
            answers.setdefault(row, []).append(TRUTH[row])
            browser.answer(f"label:{TRUTH[row]}")
        assert {row.reviewer for row in job.answers()} == {"Ada"}
        in_page, updated = job.accept(), result.update(learned)
        frozen = freeze(population_of_result(updated), SEED, updated.estimator.classes_.tolist())
        codes = {name: code for code, name in enumerate(frozen.classes)}
        places = frozen.places(answers)
        given = Further(
            {places[row]: codes[labels[0]] for row, labels in answers.items()},
            {places[row]: [codes[label] for label in labels[1:]] for row, labels in answers.items()},
        )
        assert same(usable_labels(frozen, given), in_page)
        sample = draw_accept_open(job, 3).columns  # the columns of a sample of this job, filled with the same answers
        rows = [row for row, labels in answers.items() for _ in labels]
        purposes = ["accept" if k == 0 else f"again {k}" for labels in answers.values() for k, _ in enumerate(labels)]
        given_file = {
            "row": [row + 1 for row in rows],
            "text": [new()["text"][row] for row in rows],
            "answer": [TRUTH[row] for row in rows],
            "purpose": purposes,
            **{name: [sample[name][0]] * len(rows) for name in ("sample_seed", "population", "labels_fingerprint")},
        }
        parts = []
        for k in range(max(map(len, answers.values()))):  # a sample asks a document once
            keep = [i for i, purpose in enumerate(purposes) if purpose == ("accept" if k == 0 else f"again {k}")]
            part = tmp_path / f"sample{k}.csv"
            write_csv(part, {name: [values[i] for i in keep] for name, values in given_file.items()})
            parts.append(part)
        assert same(updated.accept(answers=parts), in_page)
        updated.write(tmp_path / "updated.csv")
        assert same(usable_of_samples(population_of_file(tmp_path / "updated.csv"), parts)[0], in_page)


# -- a claim per class ------------------------------------------------------------------------------------------------
def class_ladders(score, p_wrong, labels, *, known=(), seed=1):
    """The ladders at 10% with a claim per class."""
    frozen = freeze(population(np.zeros(len(labels), dtype=bool)), seed)._replace(
        labels=labels, ranks=np.argsort(np.argsort(-score, kind="stable")) + 1, p_wrong=p_wrong
    )
    frozen = frozen._replace(known=Answers(np.array(known, dtype=int), np.zeros(len(known), dtype=int)))
    return make_ladders(frozen, Limit(0.1, per_class=True)).current


def test_ladders_of_classes_are_disjoint_and_share_the_tail():
    rng = np.random.default_rng(1)
    labels, score = rng.integers(0, 3, 900), rng.random(900)
    ladders = class_ladders(score, 1 - score, labels, known=[4, 5], seed=9)
    assert sorted(np.concatenate([one.order for one in ladders]).tolist()) == [i for i in range(900) if i not in (4, 5)]
    assert sum(one.tail for one in ladders) == pytest.approx(0.05)
    order = audit_order(900, 9, [4, 5])
    for code, one in enumerate(ladders):
        part = [i for i in order.tolist() if labels[i] == code and i not in (4, 5)]
        assert one.order.tolist() == part
        assert (labels[accept_labels(one, dict.fromkeys(part, False)).rows] == code).all()


def test_questions_about_several_ladders_certify_as_announced():
    rng = np.random.default_rng(3)
    labels, score = rng.integers(0, 3, 1200), rng.random(1200)
    ladders = class_ladders(score, 0.2 * (1 - score), labels)
    answers = {}
    needs = accept_several(ladders, answers).needs
    for more, n in needs:
        rows = next_of_several(ladders, {}, more)
        assert len(set(rows)) == more
        found = accept_several(ladders, dict.fromkeys(rows, False))
        assert found.n == n == sum(accept_labels(one, dict.fromkeys(rows, False)).n for one in ladders)
        assert found.tail == pytest.approx(TAIL)
    assert needs[-1].n == 1200
    assert [step.n for step in needs] == sorted(step.n for step in needs)


def test_claims_per_class_are_the_same_in_all_doors(result, tmp_path):
    result.write(tmp_path / "out.csv")
    answers, told = {}, result.labels.tolist()
    while (usable := result.accept(0.2, answers, per_class=True)).n < 100:
        row = usable.next_row()
        answers[row] = told[row]
    claims = usable.by_class()
    assert {one["class"] for one in claims} == set(result.estimator.classes_)
    assert usable.n == sum(one["n"] for one in claims)
    for one in claims:
        code = usable.frozen.classes.index(one["class"])
        assert (usable.frozen.labels[usable.accepted.rows] == code).sum() == one["n"]
        assert one["at_most_wrong"] <= 0.2 * one["n"]
    assert usable.level == pytest.approx(0.95)
    assert sum(ladder.tail for ladder in usable.ladders.current) == pytest.approx(0.05)
    assert "Wrong by class, all claims together: " in usable.text()
    seed = usable.frozen.seed
    with result.store(tmp_path / "job.ferry", seed=seed) as job:
        for row, label in answers.items():
            question = job.question("accept", "ann", error=0.2, per_class=True) if job.history() else None
            assert question is None or question.document == document_of(row)
            if not job.history():
                job.accept(0.2, per_class=True, learn=0)
            job.answer(document_of(row), label, purpose="accept", reviewer="ann")
        in_job = job.accept(0.2, per_class=True)
        assert same(in_job, usable)
        pooled = job.accept(0.2)  # another statement about the same labels
        assert pooled.limit != in_job.limit
        job.refit()
        later = job.accept(0.2, per_class=True)
        assert (later.n, later.round_number) == (usable.n, 2)
    done = run(
        "accept", tmp_path / "out.csv", "--error", "0.2", "--per-class", "-n", len(answers), "-o", tmp_path / "s.csv"
    )
    assert done.exit_code == 0, done.output
    assert [int(row) - 1 for row in read_csv(tmp_path / "s.csv")["row"]] == list(answers)
    fill(tmp_path / "s.csv", told)
    done = run("accept", tmp_path / "out.csv", tmp_path / "s.csv", "--error", "0.2", "--per-class", "--json")
    assert json.loads(done.output)["accept"]["by_class"] == claims


def test_a_false_claim_about_any_class_is_as_rare_as_promised():
    """Every rung of every class has one wrong label too many; looks after every answer."""
    rng, runs, false = np.random.default_rng(5), 300, 0
    labels = np.repeat([0, 1], 120)
    for seed in range(runs):
        wrong, score = np.zeros(240, dtype=bool), np.tile(np.arange(120.0), 2)[::-1]
        ladders = class_ladders(score, np.full(240, 0.05), labels, seed=seed)
        for code, ladder in enumerate(ladders):
            low = 0
            by_place = np.flatnonzero(labels == code)[np.argsort(ladder.place[labels == code])]
            for n, r in zip(ladder.sizes, ladder.at_most, strict=True):
                more = r + 1 - int(wrong[by_place[:low]].sum())
                wrong[by_place[low + rng.permutation(n - low)[: max(more, 0)]]] = True
                low = n
        # every claim is tested to the end, whatever the order of the questions
        false += any(len(climb(one, wrong, given_answers(one, {}), 120)) > 1 for one in ladders)
    assert false <= 28  # 99.9% quantile of Binomial(300, .05)


# -- 5% is less than 10% --------------------------------------------------------------------------------------------
def test_a_set_certified_at_five_percent_is_usable_at_ten():
    frozen = freeze(population(np.zeros(2000, dtype=bool)), 3)
    frozen = frozen._replace(p_wrong=np.linspace(0.01, 0.3, 2000))
    low, high = (frozen.ladder(error, tail=TAIL) for error in (0.05, 0.1))
    assert low.start < high.start  # otherwise the test says nothing
    answers = {}
    while not (at_five := usable_labels(frozen, Further(answers, {}))).n:
        answers[at_five.next_row()] = 0
    at_ten = usable_labels(frozen, Further(answers, {}), Limit(0.1))
    assert not accept_labels(high, dict.fromkeys(answers, False)).n
    assert at_ten.rows.tolist() == at_five.rows.tolist()
    assert (at_ten.at_most_wrong, at_ten.level) == (at_ten.n // 10, 0.95)
    assert all(n > at_five.n for _, n in at_ten.needs)
    assert at_ten.next_row() == usable_labels(frozen, Further(answers, {}), Limit(0.1)).next_row()
    assert not usable_labels(frozen, Further(answers, {}), Limit(0.02)).n  # but not the other way round


@pytest.mark.slow
def test_both_ladders_above_five_percent_share_the_tail():
    """Every set has one wrong label more than is allowed; all claims of both ladders are read after every answer."""
    n, false = 2000, 0
    for seed in range(400):
        frozen = freeze(population(np.zeros(n, dtype=bool)), seed)._replace(p_wrong=np.linspace(0.01, 0.3, n))
        ladders = make_ladders(frozen, Limit(0.1))
        assert ladders.early.start < ladders.current[0].start
        wrong, below, rng = np.zeros(n, dtype=bool), 0, np.random.default_rng(seed)
        by_place = np.argsort(ladders.early.place)
        for size, r in zip(ladders.early.sizes, ladders.early.at_most, strict=True):
            more = r + 1 - int(wrong[by_place[:below]].sum())
            wrong[by_place[below + rng.permutation(size - below)[: max(more, 0)]]] = True
            below = size
        both = (*ladders.current, ladders.early)
        false += any(len(climb(one, wrong, given_answers(one, {}), 150)) > 1 for one in both)
    assert false <= 36  # 99.9% quantile of Binomial(400, .05)


def agree_until_usable(job, error, told, more_than=0):
    while (usable := job.accept(error, learn=0)).n <= more_than:
        question = job.question("accept", "ann", error=error)
        job.answer(question.document, told[row_of(question.document)], purpose="accept", reviewer="ann")
    return usable


def test_statements_about_several_limits_are_several_statements(result, tmp_path):
    told = result.labels.tolist()
    with result.store(tmp_path / "job.ferry") as job:
        for error in (0.1, 0.15, 0.2):
            job.accept(error, learn=0)
        usable = agree_until_usable(job, 0.2, told)
        assert usable.level == pytest.approx(0.95)  # no answer was looked at for the other limits
        assert job.accept(0.1).level == job.accept(0.2).level == pytest.approx(0.9)
        assert "With 90% confidence" in job.accept(0.2).text()
        job.refit()
        assert job.accept(0.2).n == usable.n
        assert job.accept(0.2).level == pytest.approx(1 - 2 * 0.05 - 0.005)


def test_an_export_has_the_lowest_limit_and_says_so(result, tmp_path):
    place, told = tmp_path / "job.ferry", result.labels.tolist()
    with result.store(place) as job:
        low = agree_until_usable(job, 0.05, told)
        high = agree_until_usable(job, 0.3, told, more_than=low.n)
        lowest = job.accept(0.05)
        assert high.n > lowest.n == low.n
    done = run("export", place, "-o", tmp_path / "u.csv", "--accepted")
    assert read_csv(tmp_path / "u.csv")["accepted"] == [mark for mark in lowest.column() if mark]
    assert f"Column accepted, limit 5%: Usable now: {low.n} of " in done.output
    assert "With 90% confidence" in done.output
    done = run("export", place, "-o", tmp_path / "u.csv", "--accepted", "--error", "0.3")
    assert read_csv(tmp_path / "u.csv")["accepted"].count("yes") == high.column().count("yes")
    assert f"Column accepted, limit 30%: Usable now: {high.n} of " in done.output


# -- the whole file ---------------------------------------------------------------------------------------------------
def test_questions_for_the_whole_file(result, tmp_path):
    result.write(tmp_path / "out.csv")
    done = run("accept", tmp_path / "out.csv", "--error", "0.1", "--whole-file", "-n", 30, "-o", tmp_path / "s.csv")
    assert done.exit_code == 0, done.output
    rows = [int(row) - 1 for row in read_csv(tmp_path / "s.csv")["row"]]
    assert rows == result.accept(0.1).next_rows(30, whole_file=True)
    told = result.labels.tolist()
    fill(tmp_path / "s.csv", told)
    usable = result.accept(0.1, {row: told[row] for row in rows})
    assert usable.finished.n > 100
    assert usable.finished.n + usable.finished.n_to_label + len(rows) >= N - 2
    done = run("accept", tmp_path / "out.csv", tmp_path / "s.csv", "--error", "0.1", "--whole-file")
    assert f"To deliver the whole file: use the {usable.finished.n:,} most certain labels" in done.output
    whole = usable.for_whole_file()
    assert int(whole.rows.sum()) == usable.finished.n
    done = run(
        "accept",
        tmp_path / "out.csv",
        tmp_path / "s.csv",
        "--error",
        0.1,
        "--whole-file",
        "--usable",
        tmp_path / "u.csv",
    )
    assert done.exit_code == 0, done.output
    assert read_csv(tmp_path / "u.csv")["accepted"] == [mark for mark in whole.column() if mark]
    assert "--whole-file" in done.output
    with result.store(tmp_path / "job.ferry", seed=usable.frozen.seed) as job:
        job.accept(0.1, learn=0)
        for row in rows:
            question = job.question("accept", "ann", error=0.1, whole_file=True)
            assert question.document == document_of(row)
            job.answer(question.document, told[row], purpose=question.purpose, reviewer="ann")
        assert job.accept(0.1).finished.n == usable.finished.n


def test_people_still_have_to_label_what_is_unclear(result, tmp_path):
    """Unclear answers that the labels learned from, and unclear ones after that: not delivered by anybody."""
    with result.store(tmp_path / "job.ferry", seed=SEED) as job:
        for number in range(N_LEARN):
            question = job.question("audit", "ann")
            answer, kind = (TRUTH[row_of(question.document)], "label") if number % 2 else (None, "unclear")
            job.answer(question.document, answer, kind=kind, purpose="audit", reviewer="ann")
        job.refit()
        told = job.store.fits.labels().arrays["labels"].tolist()
        while not (usable := job.accept(0.2)).finished.n:
            question = job.question("accept", "ann", error=0.2, whole_file=True)
            name = job.classes[told[question.document]]
            job.answer(question.document, name, purpose=question.purpose, reviewer="ann")
        used = set(usable.frozen.rows_of(np.flatnonzero(usable.finished.rows)))

        def unlabelled():
            codes = job.log.state().codes
            rows = usable.frozen.rows_of(range(usable.n_documents))
            return [row for row in rows if row not in used and codes.get(document_of(row), -1) < 0]

        assert usable.finished.n_to_label == len(unlabelled())
        outside = [row for row in unlabelled() if document_of(row) not in job.log.state().codes]
        job.answer(document_of(outside[-1]), None, kind="unclear", purpose="accept", reviewer="ann")
        assert job.accept(0.2).finished.n == usable.finished.n
        assert job.accept(0.2).finished.n_to_label == len(unlabelled()) == usable.finished.n_to_label
        job.answer(document_of(outside[-2]), None, kind="none_of_these", purpose="accept", reviewer="ann")
        assert job.accept(0.2).finished.n_to_label == usable.finished.n_to_label - 1


# -- rounds of files --------------------------------------------------------------------------------------------------
def test_accepted_labels_of_a_file_stay_after_learning_again(result, folder, tmp_path):
    error, told = 0.05, dict(enumerate(TRUTH))
    out, one, two = (tmp_path / name for name in ("out.csv", "one.csv", "two.csv"))
    result.write(out)
    run("accept", out, "--error", error, "-n", 56, "-o", one)
    fill(one, told)
    first = result.accept(error, one)
    assert 0 < first.n < 300
    learned = labelferry.label(folder / "old.csv", folder / "new.csv", answers=one)
    learned.write(tmp_path / "learned.csv")
    second = learned.accept(error, after=first)
    assert second.round_number == 2
    assert second.level == pytest.approx(0.945)
    assert second.rows.tolist() == first.rows.tolist()
    assert second.at_most_wrong == first.at_most_wrong
    assert not second.rows[second.frozen.rows_of(second.ladder.order)].any()  # the new ladder is about the others
    before = ("--after", out, "--after", one)
    done = run("accept", tmp_path / "learned.csv", "--error", error, *before, "-n", 150, "-o", two)
    assert done.exit_code == 0, done.output
    assert "2 rounds of learning: all claims hold together" in done.output
    assert f"--after {out} --after {one}" in done.output
    fill(two, told)
    third = learned.accept(error, two, after=first)
    assert third.n > first.n
    assert third.at_most_wrong == first.at_most_wrong + third.current.at_most_wrong <= error * third.n
    done = run(
        "accept",
        tmp_path / "learned.csv",
        two,
        "--error",
        error,
        *before,
        "--json",
        "--usable",
        tmp_path / "usable.csv",
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)["accept"]
    assert found == {**third.as_dict(), "sentences": found["sentences"]}
    written = read_csv(tmp_path / "usable.csv")
    marks = third.column()
    assert written["id"] == [str(row) for row in range(N) if marks[row]]
    assert written["label"] == [label or "" for row, label in enumerate(third.labels) if marks[row]]
    assert set(written["accepted"]) == {"yes", "answer"}
    answered = {row for row in range(N) if marks[row] == "answer"}
    assert {int(row) - 1 for path in (one, two) for row in read_csv(path)["row"]} == answered
    kept = np.flatnonzero(first.rows)
    for row in kept.tolist():  # labels of the first round are delivered, not those that learned
        if row not in answered:
            assert third.labels[row] == result.labels[row]
    assert "Name the labelled file" in error_of("accept", tmp_path / "learned.csv", "--after", one)
    with pytest.raises(ValueError, match="Pass the same limit"):
        learned.accept(0.02, after=first)


def test_a_written_file_says_what_people_answered_and_can_be_certified_again(result, tmp_path):
    usable, told = result.accept(0.2), dict(enumerate(result.labels.tolist()))
    rows = usable.next_rows(40)
    other = next(name for name in result.estimator.classes_ if name != told[rows[3]])
    answers = {row: told[row] for row in rows} | {rows[3]: other, rows[5]: "none_of_these"}
    usable = result.accept(0.2, answers)
    result.write(tmp_path / "out.csv", accepted=usable)
    columns = read_csv(tmp_path / "out.csv")
    assert columns["label"][rows[3]] == columns["answer"][rows[3]] == other
    assert columns["predicted_label"][rows[3]] == told[rows[3]]
    assert columns["label"][rows[5]] == ""
    assert columns["accepted"][rows[3]] == "answer"
    again = freeze(population_of_file(tmp_path / "out.csv"), usable.frozen.seed)
    assert again.labels.tolist() == usable.frozen.labels.tolist()
    assert len(again.known.rows) == 0  # nothing was learned from these answers


# -- documents without a predicted label ------------------------------------------------------------------------------
def test_an_answered_document_without_a_predicted_label_is_usable(result, tmp_path):
    """Row 40 has no known word, so it has no label; people can answer it in the list of the page."""
    with result.store(tmp_path / "job.ferry", seed=SEED) as job:
        job.accept(0.2, learn=0)
        job.answer(document_of(40), "billing", reviewer="ann")
        in_python = result.accept(0.2, {40: "billing"}, seed=None)
        for usable in (job.accept(0.2), in_python):
            assert usable.column()[40] == "answer"
            assert usable.labels[40] == "billing"
            assert usable.n == 0
        job.export(tmp_path / "usable.csv", accepted=True, error=0.2)
        assert read_csv(tmp_path / "usable.csv")["id"] == ["40"]
        assert read_csv(tmp_path / "usable.csv")["label"] == ["billing"]
        while not job.accept(0.2).learning and len(job.answers()) < 5:
            question = job.question("accept", "ann", error=0.2)
            job.answer(question.document, TRUTH[row_of(question.document)], purpose=question.purpose, reviewer="ann")
        job.refit()
        assert job.accept(0.2).column()[40] == "answer"
    learned = result.update({40: "billing", 3: TRUTH[3]})
    assert learned.accept(0.2).column()[40] == "answer"
    learned.write(tmp_path / "learned.csv")
    run("accept", tmp_path / "learned.csv", "--usable", tmp_path / "u.csv")
    assert read_csv(tmp_path / "u.csv")["id"] == ["3", "40"]


def test_a_sample_of_the_learning_answers_goes_into_a_job_once(result, tmp_path):
    with result.store(tmp_path / "job.ferry", seed=SEED) as job:
        draw_accept_open(job, 20).write(tmp_path / "a.csv")
        assert import_answers(job, fill(tmp_path / "a.csv"), "ann")["new"] == N_LEARN
        assert import_answers(job, tmp_path / "a.csv", "ann") == {"new": 0, "known": N_LEARN, "empty": 0}
