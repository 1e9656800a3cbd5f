"""No wrong certificate: columns of users are not ours, and a sample certifies the labels for which it was drawn."""

import json

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import labelferry
from labelferry.certificate import audit_order
from labelferry.cli import app
from labelferry.cli.certify import several_rounds
from labelferry.labelling.column_names import NEW_COLUMNS
from labelferry.labelling.marks import MARK, label_key, mark_rows, read_marks
from labelferry.review.job.files import draw_open, import_answers
from labelferry.review.job.job import Job
from labelferry.review.sample.audit import draw
from labelferry.review.sample.population import population_of_file, population_of_result
from labelferry.review.sample.same_labels import FINGERPRINT, labels_fingerprint
from labelferry.review.store import Store
from labelferry.review.store.records import CertificateRow
from tests.jobs import CLASSES, small_job
from tests.tickets import demo, new, old, read_csv, write_csv

TRUTH = demo().y_target[::3].tolist()
NEXT = {"account": "billing", "billing": "technical", "technical": "account"}
UNKNOWN = ["???", "12"]  # texts without a known word


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def ok(*arguments):
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done


def error_of(*arguments):
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    (line,) = done.stderr.splitlines()
    return line


def certificate_of(*arguments):
    return json.loads(ok("certify", *arguments, "--json").output)


def contains(certificate, true):
    return certificate["accuracy"]["low"] <= true <= certificate["accuracy"]["high"]


def accuracy_of(labels):
    return np.mean(np.array(labels) == TRUTH[: len(labels)])


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("marks") / "old.csv", old(3))


def labelled(source, folder, **own):
    """A labelled file of documents with these columns of the user."""
    target = write_csv(folder / "new.csv", {**new(3), **own})
    ok("label", source, target, "-o", folder / "out.csv", "--method", "sourcelr", "-q", "--text-target", "text")
    return folder / "out.csv"


@pytest.fixture(scope="module")
def plain(source, tmp_path_factory):
    """A labelled file, its columns, and a sample of it with true answers."""
    folder = tmp_path_factory.mktemp("plain")
    out = labelled(source, folder)
    ok("audit", out, "-n", 60, "--seed", 5, "-o", folder / "drawn.csv")
    return out, read_csv(out), write_csv(folder / "sample.csv", answered(read_csv(folder / "drawn.csv")))


def answered(columns, rows=None):
    """A sample with true answers; `rows` has the rows of the first file, if this one has others."""
    rows = list(range(len(TRUTH))) if rows is None else rows
    return {**columns, "answer": [TRUTH[rows[int(row) - 1]] for row in columns["row"]]}


def taken(columns, rows):
    return {name: [values[row] for row in rows] for name, values in columns.items()}


# Columns of users


def test_a_column_predicted_label_of_the_user_is_not_certified(source, tmp_path):
    good = [truth if row % 30 else NEXT[truth] for row, truth in enumerate(TRUTH)]  # 97% right
    out = labelled(source, tmp_path, predicted_label=good)
    written = read_csv(out)
    assert written["predicted_label_before"] == good
    assert accuracy_of(written["label"]) < 0.87
    ok("audit", out, "-n", 60, "--seed", 5, "--text", "text", "-o", tmp_path / "s.csv")
    drawn = read_csv(tmp_path / "s.csv")
    assert drawn["label"] == [written["label"][int(row) - 1] for row in drawn["row"]]
    write_csv(tmp_path / "s.csv", answered(drawn))
    certificate = certificate_of(out, tmp_path / "s.csv", "--text", "text")
    assert contains(certificate, accuracy_of(written["label"]))
    assert certificate["accuracy"]["high"] < 0.97


def test_columns_answer_and_held_out_of_the_user_are_no_answers(source, plain, tmp_path):
    half = ["yes" if row % 2 else "" for row in range(len(TRUTH))]
    out = labelled(source, tmp_path, answer=["technical"] * len(TRUTH), held_out=half)
    ok("audit", out, "-n", 60, "--seed", 5, "--text", "text", "-o", tmp_path / "s.csv")
    drawn = read_csv(tmp_path / "s.csv")
    assert drawn["row"] == read_csv(plain[2])["row"]  # the sample of the same labels
    write_csv(tmp_path / "s.csv", answered(drawn))
    certificate = certificate_of(out, tmp_path / "s.csv", "--text", "text")
    assert certificate["n_known"] == 0
    assert certificate["accuracy"] == certificate_of(plain[0], plain[2])["accuracy"]


def test_columns_of_the_user_with_our_names_survive(source, tmp_path):
    own = {name: [f"{name} {row}" for row in range(len(TRUTH))] for name in NEW_COLUMNS}
    out = labelled(source, tmp_path, **own)
    written = read_csv(out)
    for name, values in own.items():
        assert written[f"{name}_before"] == values
    reserved = {
        "answer",
        "held_out",
        "predicted_label",
        "reason",
        "origin",
        "accepted",
        "other_language",
    }
    assert reserved <= {*NEW_COLUMNS}
    assert not reserved & {*written}
    again = tmp_path / "again.csv"
    arguments = ["--method", "sourcelr", "-q", "--text-target", "text"]
    ok("label", source, out, "-o", again, *arguments)
    twice = read_csv(again)
    for name, values in written.items():
        assert twice[f"{name}_before2" if name in NEW_COLUMNS else name] == values
    assert twice["label"] == written["label"]
    assert twice[MARK] == written[MARK]
    ok("audit", again, "-n", 5, "--text", "text", "-o", tmp_path / "s.csv")
    sample = read_csv(tmp_path / "s.csv")
    assert sample["answer_before"] == [own["answer"][int(row) - 1] for row in sample["row"]]


def test_frames_and_jobs_rename_them_too(source, tmp_path):
    pandas = pytest.importorskip("pandas")
    own = {name: [name] * len(TRUTH) for name in ("reason", "predicted_label", "accepted", MARK)}
    result = labelferry.label(source, pandas.DataFrame({**new(3), **own}), method="sourcelr")
    assert {f"{name}_before" for name in own} <= {*result.frame().columns}
    assert result.frame()[MARK].tolist() == result.columns()[MARK]
    with result.store(tmp_path / "job.ferry", seed=1) as job:
        job.answer(3, "billing")
        job.export(tmp_path / "all.csv")
        job.export_corrections(tmp_path / "corrections.csv")
    for name in ("all.csv", "corrections.csv"):
        written = read_csv(tmp_path / name)
        for column in own:
            assert set(written[f"{column}_before"]) == {column}


@pytest.mark.parametrize("name", ["reason", "answer", "label"])
def test_a_text_column_with_one_of_our_names(source, tmp_path, name):
    columns = {**new(3), name: new(3)["text"]}
    del columns["text"]
    target, out = write_csv(tmp_path / "new.csv", columns), tmp_path / "out.csv"
    text = ["--text-target", name]
    ok("label", source, target, "-o", out, "--method", "sourcelr", "-q", *text)
    ok("audit", out, "-n", 30, "--text", name, "-o", tmp_path / "s.csv")
    drawn = read_csv(tmp_path / "s.csv")
    assert drawn[f"{name}_before"] == [new(3)["text"][int(row) - 1] for row in drawn["row"]]
    write_csv(tmp_path / "s.csv", answered(drawn))
    assert certificate_of(out, tmp_path / "s.csv", "--text", name)["n_answers"] == 30
    ok("label", source, target, "-o", out, "--answers", tmp_path / "s.csv", "--method", "sourcelr", "-q", *text)


# A file without marks


def test_a_file_without_marks_has_only_labels(plain, tmp_path):
    out, columns, sample = plain
    bare = {name: values for name, values in columns.items() if name != MARK}
    bare |= {
        "answer": ["technical"] * 120,
        "held_out": ["yes"] * 120,
        "predicted_label": TRUTH,
        "reason": ["no text"] * 120,
    }
    path = write_csv(tmp_path / "bare.csv", bare)
    done = ok("audit", path, "-n", 60, "--seed", 5, "--text", "text", "-o", tmp_path / "s.csv")
    line = (
        f"{path} has no column 'labelferry' with the marks of `labelferry label`: only its columns label and confidence"
    )
    assert line in " ".join(done.output.split())
    drawn = read_csv(tmp_path / "s.csv")
    assert drawn["row"] == read_csv(sample)["row"]
    assert drawn["predicted_label"] == [TRUTH[int(row) - 1] for row in drawn["row"]]  # a column of the user
    write_csv(tmp_path / "s.csv", answered(drawn))
    certificate = certificate_of(path, tmp_path / "s.csv", "--text", "text")
    assert certificate["accuracy"] == certificate_of(out, sample)["accuracy"]
    assert certificate["better_than_source_only"] is None
    assert [message for message in certificate["messages"] if "taken as your own" in message]


def test_rows_without_a_label_of_a_file_without_marks(tmp_path):
    columns = {"text": new(3)["text"][:30], "label": ["a", "", "b"] * 10}
    population = population_of_file(write_csv(tmp_path / "t.csv", columns), text="text")
    assert population.rows.numbers.tolist() == [row for row in range(1, 31) if row % 3 != 2]
    write_csv(tmp_path / "t.csv", {**columns, "label": [""] * 30})
    assert "has no label in its column 'label'" in error_of("audit", tmp_path / "t.csv", "-o", tmp_path / "s.csv")


def test_a_column_labelferry_of_the_user_is_no_mark(tmp_path):
    columns = {"text": new(3)["text"], "label": TRUTH, MARK: ["yes"] * 120, "answer": ["billing"] * 120}
    population = population_of_file(write_csv(tmp_path / "t.csv", columns), text="text")
    assert {*population.own} == {MARK, "answer"}
    assert len(population.known.rows) == 0


# Labels that changed


def test_correcting_the_sampled_labels_does_not_certify_the_file(plain, tmp_path):
    out, columns, sample = plain
    drawn = read_csv(sample)
    corrected = {name: list(values) for name, values in columns.items()}
    for row, answer in zip(drawn["row"], drawn["answer"], strict=True):
        corrected["label"][int(row) - 1] = answer
    wrong = sorted(
        int(r) for r, a in zip(drawn["row"], drawn["answer"], strict=True) if columns["label"][int(r) - 1] != a
    )
    path = write_csv(tmp_path / "corrected.csv", corrected)
    refused = error_of("certify", path, sample)
    first = wrong[0]
    then, now = columns["label"][first - 1], TRUTH[first - 1]
    assert (
        f"(first change: row {first}, {then!r} then, {now!r} now). Answers that changed labels cannot certify"
        in refused
    )
    assert (
        "draw a new sample (labelferry accept, labelferry audit), or pass the file from which this one was drawn."
        in refused
    )
    blind = write_csv(tmp_path / "blind.csv", {name: values for name, values in drawn.items() if name != "label"})
    assert "was drawn for other labels" in error_of("certify", path, blind)
    assert certificate_of(out, blind)["accuracy"] == certificate_of(out, sample)["accuracy"]
    longer = error_of("audit", path, "-n", 80, "--extend", sample, "-o", tmp_path / "longer.csv")
    assert "was drawn for other labels" in longer
    done = ok("audit", path, "-n", 60, "--seed", 5, "-o", tmp_path / "new.csv")  # the seed of the first sample
    assert f"{len(wrong)} labels were changed after labelferry wrote it (first: row {first})" in " ".join(
        done.output.split()
    )
    again = read_csv(tmp_path / "new.csv")
    assert 20 < len({*again["row"]} & {*drawn["row"]}) < 40  # of 60 in 120: another random sample
    write_csv(tmp_path / "new.csv", answered(again))
    assert contains(certificate_of(path, tmp_path / "new.csv"), accuracy_of(corrected["label"]))


def test_one_changed_label_outside_the_sample_is_noticed(plain, tmp_path):
    _, columns, sample = plain
    asked = {int(row) - 1 for row in read_csv(sample)["row"]}
    row = next(row for row in range(120) if row not in asked)
    labels = list(columns["label"])
    labels[row] = NEXT[labels[row]]
    path = write_csv(tmp_path / "changed.csv", {**columns, "label": labels})
    refused = error_of("certify", path, sample)
    assert "was drawn for other labels" in refused
    assert "first change" not in refused  # the sample does not show it
    warnings = population_of_file(path, text="text").warnings
    assert [f"1 label was changed after labelferry wrote it (first: row {row + 1})" in line for line in warnings] == [
        True
    ]


def test_marks_for_review_that_changed_are_not_used(plain, tmp_path):
    """To mark the labels that were found wrong would make the others look better than they are."""
    out, columns, sample = plain
    drawn = read_csv(sample)
    wrong = {
        int(r) - 1 for r, a in zip(drawn["row"], drawn["answer"], strict=True) if columns["label"][int(r) - 1] != a
    }
    marks = ["true" if row in wrong else "false" for row in range(120)]
    path = write_csv(tmp_path / "marked.csv", {**columns, "needs_review": marks})
    certificate = certificate_of(path, sample)
    assert certificate["error_not_reviewed"] is None
    assert f"needs_review of {path} changed since the sample was drawn: not used" in certificate["messages"]
    assert certificate["accuracy"] == certificate_of(out, sample)["accuracy"]


def test_confidences_and_labels_of_the_source_only_classifier_that_changed_are_not_used(plain, tmp_path):
    _, columns, sample = plain
    changed = {**columns, "confidence": ["0,9"] * 120, "source_only": TRUTH}
    path = write_csv(tmp_path / "changed.csv", changed)
    certificate = certificate_of(path, sample)
    assert f"source_only, confidence of {path} changed since the sample was drawn: not used" in certificate["messages"]
    assert certificate["better_than_source_only"] is None


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda s: {name: s[name] for name in s if name != FINGERPRINT}, "has no column 'labels_fingerprint'"),
        (lambda s: {**s, FINGERPRINT: ["x", *s[FINGERPRINT][1:]]}, "must have the same value in every row"),
        (lambda s: {**s, FINGERPRINT: [v[:13] for v in s[FINGERPRINT]]}, "which is damaged. Restore it"),
    ],
)
def test_a_sample_needs_its_fingerprint(plain, tmp_path, spoil, message):
    out, _, sample = plain
    assert message in error_of("certify", out, write_csv(tmp_path / "s.csv", spoil(read_csv(sample))))


# What people do to files


def workbook(path, columns):
    book = openpyxl.Workbook()
    for row in [list(columns), *zip(*columns.values(), strict=True)]:
        book.active.append(row)
    book.save(path)
    return path


@pytest.mark.parametrize("change", ["sorted", "filtered", "excel", "more columns"])
def test_a_changed_file_is_still_ours(plain, tmp_path, change):
    _, columns, _ = plain
    rows = list(range(120))
    path = tmp_path / "changed.csv"
    if change == "sorted":
        rows.sort(key=lambda row: (columns["label"][row], columns["confidence"][row]))
    elif change == "filtered":
        rows = [row for row in rows if columns["label"][row] != "billing"]
    kept = taken(columns, rows)
    if change == "more columns":
        kept = {"number": list(range(120)), **kept, "origin of the ticket": ["mail"] * 120}
    if change == "excel":
        path = workbook(tmp_path / "changed.xlsx", kept)
    else:
        write_csv(path, kept)
    population = population_of_file(path, text="text")
    assert population.warnings == []
    assert len(population.texts) == len(rows)
    ok("audit", path, "-n", 40, "--seed", 1, "--text", "text", "-o", tmp_path / "s.csv")
    write_csv(tmp_path / "s.csv", answered(read_csv(tmp_path / "s.csv"), rows))
    certificate = certificate_of(path, tmp_path / "s.csv", "--text", "text")
    true = np.mean([kept["label"][i] == TRUTH[row] for i, row in enumerate(rows)])
    assert contains(certificate, true)
    assert certificate["messages"] == []


def test_a_sample_of_the_file_certifies_a_copy_in_excel(plain, tmp_path):
    out, columns, sample = plain
    path = workbook(tmp_path / "copy.xlsx", columns)
    assert certificate_of(path, sample)["accuracy"] == certificate_of(out, sample)["accuracy"]


def test_labels_that_are_numbers_survive_a_spreadsheet(source, tmp_path):
    codes = {"account": "007", "billing": "1.0", "technical": "2"}
    numbers = write_csv(tmp_path / "old.csv", {**old(3), "label": [codes[name] for name in old(3)["label"]]})
    target = write_csv(tmp_path / "new.csv", new(3))
    ok("label", numbers, target, "-o", tmp_path / "out.csv", "--method", "sourcelr", "-q")
    ok("audit", tmp_path / "out.csv", "-n", 30, "-o", tmp_path / "s.csv")
    sample = read_csv(tmp_path / "s.csv")
    write_csv(tmp_path / "s.csv", {**sample, "answer": sample["label"]})
    columns = read_csv(tmp_path / "out.csv")
    columns["label"] = [float(label) for label in columns["label"]]
    path = workbook(tmp_path / "copy.xlsx", columns)
    assert population_of_file(path).warnings == []
    certificate = certificate_of(path, tmp_path / "s.csv")
    assert certificate["accuracy"]["high"] == certificate["accuracy"]["estimate"] == 1
    assert [one["label"] for one in certificate["classes"]] == ["1", "2", "7", "none of these"]
    assert certificate["messages"] == []


def test_two_files_together(source, plain, tmp_path):
    """Their labels are certified together, and a line says so; rows without a mark are left out."""
    _, columns, _ = plain
    first, second = taken(columns, range(60)), tmp_path / "half.csv"
    target = write_csv(tmp_path / "rest.csv", taken(new(3), range(60, 120)))
    ok("label", source, target, "-o", second, "--method", "tcl", "-q")
    rest = read_csv(second)
    names = list(first)
    both = {name: [*first[name], *rest[name], ""] for name in names}
    both["text"][-1], both["label"][-1] = "a row of the user", "billing"
    path = write_csv(tmp_path / "both.csv", both)
    population = population_of_file(path)
    assert population.warnings == [
        f"{path}: 1 row without a mark of labelferry, left out",
        f"{path} has labels of 2 runs of labelferry: they are certified together",
    ]
    assert len(population.texts) == 120
    ok("audit", path, "-n", 40, "--seed", 1, "-o", tmp_path / "s.csv")
    write_csv(tmp_path / "s.csv", answered(read_csv(tmp_path / "s.csv")))
    assert contains(certificate_of(path, tmp_path / "s.csv"), accuracy_of(both["label"][:120]))


def test_later_documents_are_marked(source, tmp_path):
    model, later = tmp_path / "model.npz", tmp_path / "later.csv"
    labelferry.label(source, new(3)["text"], method="sourcelr").save(model)
    write_csv(tmp_path / "new.csv", {"text": [*new(3)["text"], "???"], "predicted_label": ["x"] * 121})
    ok("apply", model, tmp_path / "new.csv", "-o", later, "-q")
    written = read_csv(later)
    assert [mark[0] for mark in written[MARK]] == ["p"] * 120 + ["n"]
    assert set(written["predicted_label_before"]) == {"x"}
    population = population_of_file(later)
    assert (len(population.texts), population.warnings, population.source_only) == (120, [], None)


LABELS = st.one_of(st.text(max_size=8), st.integers(-5, 5), st.booleans(), st.floats(-2, 2), st.none())


@given(st.lists(st.tuples(st.sampled_from("pagn"), LABELS), min_size=1, max_size=20))
def test_marks_fit_their_labels_only(rows):
    kinds, labels = [kind for kind, _ in rows], [label for _, label in rows]
    written = mark_rows(kinds, labels)
    marks = read_marks(written)
    assert [mark.kind for mark in marks] == kinds
    assert len({mark.run for mark in marks}) == 1
    assert all(mark.fits(label) for mark, label in zip(marks, labels, strict=True))
    assert not any(mark.fits(f"{label_key(label)} x") for mark, label in zip(marks, labels, strict=True))
    assert read_marks(written[::-1]) == marks[::-1]


# Jobs


def test_an_older_sample_of_a_job_is_a_file_of_answers(tmp_path):
    """Answers to a sample that was drawn before learning go into the log. They certify the new labels only as far as
    they are the first ones in the new random order, which does not depend on them.
    """
    with Job(Store.create(tmp_path / "job.ferry", small_job(60))) as job:
        truth = [CLASSES[code] for code in job.store.database.arrays("job")["truth"]]
        sample = draw_open(job, 30).columns
        sample["answer"] = [truth[row - 1] for row in sample["row"]]
        first = {name: values[:15] for name, values in sample.items()}
        assert import_answers(job, first, "ann")["new"] == 15
        job.refit()
        assert import_answers(job, sample, "ann") == {"new": 15, "known": 15, "empty": 0}
        learned = {row - 1 for row in first["row"]}
        order = [row for row in audit_order(60, job.questions.seed, sorted(learned)).tolist() if row not in learned]
        answered_rows = {row - 1 for row in sample["row"]}
        n_prefix = next(i for i, row in enumerate(order) if row not in answered_rows)
        certificate = job.certificate()
        assert (certificate.n_known, certificate.n_answers) == (15, n_prefix)
        job.export(tmp_path / "out.csv")
    refused = error_of("certify", tmp_path / "out.csv", write_csv(tmp_path / "s.csv", sample), "--text", "text")
    assert "was drawn for other labels" in refused


def test_the_file_of_a_job_has_its_population(source, tmp_path):
    """Also after answers and learning: the same labels, so a sample of the job certifies its file."""
    target = write_csv(tmp_path / "new.csv", {"text": [*new(3)["text"], *UNKNOWN]})
    with labelferry.label(source, target).store(tmp_path / "job.ferry", seed=3) as job:
        for learn in (False, True):
            sample = draw_open(job, 20).columns
            sample["answer"] = [TRUTH[row - 1] for row in sample["row"]]
            if not learn:
                job.answer(120, "billing", reviewer="ann")
            import_answers(job, sample, "ann")
            job.export(tmp_path / "out.csv")
            ours, theirs = job.population(), population_of_file(tmp_path / "out.csv")
            assert labels_fingerprint(ours).split("-")[0] == labels_fingerprint(theirs).split("-")[0]
            assert ours.rows.numbers.tolist() == theirs.rows.numbers.tolist() == list(range(1, 121))
            assert ours.known.rows.tolist() == theirs.known.rows.tolist()
            certificate = certificate_of(tmp_path / "out.csv", write_csv(tmp_path / "s.csv", sample))
            assert certificate["accuracy"] == pytest.approx(job.certificate().accuracy.as_dict())
            assert (certificate["n_answers"], certificate["n_known"]) == (20, 20 if learn else 0)
            if not learn:
                job.refit()


def test_documents_without_a_known_word_are_answers_only(source, tmp_path):
    """Job, result and file count the same documents, before and after answers to such documents."""
    target = write_csv(tmp_path / "new.csv", {"text": [UNKNOWN[0], "", *new(3)["text"], UNKNOWN[1]]})
    result = labelferry.label(source, target)
    assert len(population_of_result(result).texts) == 120
    with result.store(tmp_path / "job.ferry", seed=3) as job:
        assert job.n_documents == 122
        assert job.certificate().n_documents == 120
        assert {*job.questions.order("audit").tolist()} == set(range(1, 121))
        assert not {0, 121} & {*job.questions.order("duel").tolist()}
        for document, answer in [(0, "billing"), (121, None), (5, TRUTH[4])]:
            kind = "label" if answer else "none_of_these"
            job.answer(document, answer, kind=kind, purpose="audit", reviewer="ann")
        assert job.waiting() == 1  # document 5; the others never count
        job.export_corrections(tmp_path / "corrections.csv")
        refitted = job.refit()
        certificate = job.certificate()
        assert (certificate.n_documents, certificate.n_known) == (120, 1)
        job.export(tmp_path / "job.csv")
    corrections = tmp_path / "corrections.csv"
    done = ok("label", source, target, "--answers", corrections, "-o", tmp_path / "file.csv", "--verbose")
    assert "learned from 2 answers" in done.output
    assert refitted["answers"] == 2
    of_job, of_file = read_csv(tmp_path / "job.csv"), read_csv(tmp_path / "file.csv")
    for name in ("label", "answer", "reason"):
        assert of_job[name] == of_file[name]
    assert [mark[0] for mark in of_job[MARK]] == [mark[0] for mark in of_file[MARK]]
    assert [of_file[MARK][row][0] for row in (0, 1, 6, 122)] == ["g", "n", "a", "n"]
    assert [of_file["label"][row] for row in (0, 1, 122)] == ["billing", "", ""]
    assert of_job["predicted_label"][0] == of_job["held_out"][0] == ""
    for name in ("job.csv", "file.csv"):
        population = population_of_file(tmp_path / name)
        assert population.rows.numbers.tolist() == list(range(3, 123))
        assert population.known.rows.tolist() == [4]
    learned = labelferry.label(source, target, answers=tmp_path / "corrections.csv")
    assert len(population_of_result(learned).texts) == 120
    assert population_of_result(learned).known.rows.tolist() == [4]


def test_answers_of_a_job_with_unknown_words_come_back(source, tmp_path):
    """`export --corrections` and `label --answers`: no row is rejected, and all answers are kept."""
    texts = [*new(3)["text"][:40], *UNKNOWN, *new(3)["text"][40:]]
    truth = [*TRUTH[:40], "billing", "account", *TRUTH[40:]]
    target = write_csv(tmp_path / "new.csv", {"text": texts})
    ok("label", source, target, "-o", tmp_path / "first.csv", "--store", tmp_path / "job.ferry", "-q")
    with labelferry.open_job(tmp_path / "job.ferry") as job:
        for document in range(30, 60):
            job.answer(document, truth[document], purpose="list", reviewer="ann")
    ok("export", tmp_path / "job.ferry", "--corrections", "-o", tmp_path / "corrections.csv")
    done = ok("label", source, target, "--answers", tmp_path / "corrections.csv", "-o", tmp_path / "learned.csv", "-q")
    assert done.output == ""
    learned = read_csv(tmp_path / "learned.csv")
    assert learned["answer"][30:60] == learned["label"][30:60] == truth[30:60]
    assert len(population_of_file(tmp_path / "learned.csv").known.rows) == 28


# Several rounds


def issued(*rows):
    return [CertificateRow(i, "", level, fit, i, {"n_answers": n}) for i, (fit, level, n) in enumerate(rows)]


def test_certificates_of_several_rounds_are_several_statements():
    assert several_rounds(issued((1, 0.95, 20))) == []
    assert several_rounds(issued((1, 0.95, 20), (1, 0.95, 40))) == []  # one statement, valid after every answer
    assert several_rounds(issued((1, 0.95, 20), (2, 0.95, 0))) == []  # no answer, no statement
    (line,) = several_rounds(issued((1, 0.95, 20), (1, 0.9, 40), (2, 0.95, 20), (3, 0.95, 20)))
    assert line.startswith("certificate 3 of this job: labels were certified after 3 rounds of learning.")
    assert "together with at least 80%; for 95% together, use --level 0.9833 each time" in line
    (line,) = several_rounds(issued(*((fit, 0.9, 20) for fit in range(1, 13))))
    assert "together with at least 0%" in line


def test_certify_says_which_certificate_of_a_job_it_is(tmp_path):
    with Job(Store.create(tmp_path / "job.ferry", small_job(60))) as job:
        truth = [CLASSES[code] for code in job.store.database.arrays("job")["truth"]]
        for round_ in range(2):
            for _ in range(10):
                question = job.question("audit", "ann")
                job.answer(question.document, truth[question.document], purpose="audit", reviewer="ann")
            messages = certificate_of(tmp_path / "job.ferry")["messages"]
            assert [message.split(":")[0] for message in messages] == ["certificate 2 of this job"] * round_
            job.refit()


# The same seed


def test_other_labels_get_another_sample(plain, tmp_path):
    _, columns, _ = plain
    population = population_of_file(write_csv(tmp_path / "a.csv", columns))
    labels = population.labels.copy()
    labels[0] = (labels[0] + 1) % 3
    other = population._replace(labels=labels)
    assert draw(population, 40, seed=7).columns == draw(population, 40, seed=7).columns
    assert draw(population, 40, seed=7).columns["row"] != draw(other, 40, seed=7).columns["row"]
    assert draw(population, 40, seed=7).columns["row"] != draw(population, 40, seed=8).columns["row"]
