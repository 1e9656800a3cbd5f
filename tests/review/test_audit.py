"""Certificates without a browser: samples in files, on the command line and in Python."""

import json

import numpy as np
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

import labelferry
from labelferry.certificate import audit_order
from labelferry.cli import app
from labelferry.labelling.answers import Given, read_answer
from labelferry.review.job.files import draw_open, import_answers
from labelferry.review.job.job import Job
from labelferry.review.sample.audit import draw
from labelferry.review.sample.exchange import FORMS, label_studio_config, write_json
from labelferry.review.sample.filled import Filled, certify_sample, read_sample
from labelferry.review.sample.population import population_of_file
from labelferry.review.store import Store
from labelferry.tables.spreadsheet import protect, restore
from tests.jobs import small_job
from tests.tickets import demo, new, old, read_csv, write_csv, write_jsonl

CLASSES = ["account", "billing", "technical"]
TRUTH = demo().y_target[::3].tolist()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of a user: old.csv, new.csv, new-labelled.csv and job.ferry."""
    folder = tmp_path_factory.mktemp("audit")
    write_csv(folder / "old.csv", old(3))
    write_csv(folder / "new.csv", new(3))
    command = ["label", folder / "old.csv", folder / "new.csv", "-o", folder / "new-labelled.csv", "-q"]
    done = CliRunner().invoke(app, [*map(str, command), "--store", str(folder / "job.ferry")])
    assert done.exit_code == 0, done.output
    return folder


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def error_of(*arguments):
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    (line,) = done.stderr.splitlines()
    return line


NEXT = dict(zip(CLASSES, CLASSES[1:] + CLASSES[:1], strict=True))


def fill(columns, n=None, *, wrong=False):
    """The sample with the true answers, or with wrong ones; only of the first n rows if n is given."""
    answers = [TRUTH[int(row) - 1] for row in columns["row"]]
    answers = [NEXT[answer] for answer in answers] if wrong else answers
    n = len(answers) if n is None else n
    return {**columns, "answer": answers[:n] + [""] * (len(answers) - n)}


@pytest.fixture
def labelled(folder):
    return folder / "new-labelled.csv"


@pytest.fixture
def sample(labelled, tmp_path):
    """A sample as columns."""
    assert run("audit", labelled, "-n", 40, "--seed", 7, "-o", tmp_path / "drawn.csv").exit_code == 0
    return read_csv(tmp_path / "drawn.csv")


def test_the_labelled_file_has_the_labels_of_the_source_only_classifier(labelled):
    written = read_csv(labelled)
    new = ["label", "confidence", "alternative", "evidence", "needs_review", "source_only", "accept_rank", "labelferry"]
    assert list(written)[-8:] == new
    assert set(written["source_only"]) == set(CLASSES)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_round_trip_in_every_format(labelled, tmp_path, suffix):
    done = run("audit", labelled, "-n", 40, "-o", tmp_path / f"sample.{suffix}")
    assert done.exit_code == 0, done.output
    assert "(40 documents): account, billing, technical," in " ".join(done.output.split())
    from labelferry.tables import read_table

    columns = fill(dict(read_table(tmp_path / f"sample.{suffix}").columns))
    filled = tmp_path / "filled.csv"
    write_csv(filled, columns)
    done = run("certify", labelled, filled)
    assert done.exit_code == 0, done.output
    assert "of the 120 labels, with 95% confidence (40 answers)" in done.output
    as_lines = tmp_path / "filled.jsonl"
    write_jsonl(as_lines, columns)
    assert run("certify", labelled, as_lines).output == done.output


def test_the_certificate_contains_the_true_accuracy(labelled, sample, tmp_path):
    write_csv(tmp_path / "s.csv", fill(sample))
    certificate = json.loads(run("certify", labelled, tmp_path / "s.csv", "--json", "--level", 0.9).output)
    accuracy = np.mean(np.array(read_csv(labelled)["label"]) == TRUTH)
    assert certificate["level"] == 0.9
    assert certificate["n_answers"] == 40
    assert certificate["accuracy"]["low"] <= accuracy <= certificate["accuracy"]["high"]
    assert certificate["better_than_source_only"]["verdict"] in ("yes", "no", "not yet known")


def test_a_sample_is_a_prefix_of_a_larger_one(labelled, sample, tmp_path):
    run("audit", labelled, "-n", 60, "--seed", 7, "-o", tmp_path / "more.csv")
    assert read_csv(tmp_path / "more.csv")["row"][:40] == sample["row"]
    assert sample["sample_seed"] == read_csv(tmp_path / "more.csv")["sample_seed"][:40]
    assert sample["population"] == ["120"] * 40
    assert sample["answer"] == [""] * 40


def test_every_document_is_drawn_equally_often(labelled):
    population = population_of_file(labelled)
    counts = np.zeros(120)
    for seed in range(600):
        counts[np.array(draw(population, 30, seed=seed).columns["row"]) - 1] += 1
    assert abs(counts / 600 - 0.25).max() < 0.08


SAMPLE_COLUMNS = [
    *("row", "id", "note", "text", "label", "answer", "purpose", "sample_seed", "population", "labels_fingerprint"),
]


def test_a_sample_has_the_columns_of_the_user(labelled, sample, folder):
    assert list(sample) == SAMPLE_COLUMNS
    written = read_csv(labelled)
    for name in ("id", "note", "text", "label"):
        assert sample[name] == [written[name][int(row) - 1] for row in sample["row"]]


def german(path, columns):
    """A file as Excel in Germany writes it, with labels and few letters beside ASCII."""
    rows = [";".join(columns), *(";".join(row) for row in zip(*columns.values(), strict=True))]
    path.write_bytes("".join(f"{row}\r\n" for row in rows).encode("cp1252"))
    return path


def test_a_sample_has_the_dialect_of_its_file(tmp_path):
    """cp1252 and semicolons: the sample is written, filled in, extended, certified and learned from as such a file."""
    texts = [text.replace(",", " ").replace("The", "Größe") for text in new(3)["text"]]
    given = {"id": [str(i) for i in range(120)], "text": texts}
    source = german(
        tmp_path / "old.csv", {"text": [t.replace(",", " ") for t in old(3)["text"]], "label": old(3)["label"]}
    )
    target, out, drawn = german(tmp_path / "new.csv", given), tmp_path / "out.csv", tmp_path / "sample.csv"
    assert run("label", source, target, "-o", out, "--method", "sourcelr", "-q").exit_code == 0
    assert run("audit", out, "-n", 30, "--seed", 1, "-o", drawn).exit_code == 0
    result = labelferry.label(source, target, method="sourcelr")
    result.audit(30, seed=1).write(tmp_path / "python.csv")
    header, *rows = drawn.read_bytes().decode("cp1252").split("\r\n")
    assert drawn.read_bytes() == (tmp_path / "python.csv").read_bytes()
    assert header == "row;id;text;label;answer;purpose;sample_seed;population;labels_fingerprint"
    cells = [row.split(";") for row in rows if row]
    filled = [";".join([*row[:4], TRUTH[int(row[0]) - 1], *row[5:]]) for row in cells]
    drawn.write_bytes("\r\n".join([header, *filled, ""]).encode("cp1252"))
    more = tmp_path / "more.csv"
    assert run("audit", out, "-n", 40, "--extend", drawn, "-o", more).exit_code == 0
    assert more.read_bytes().decode("cp1252").count(f";;audit;{cells[0][6]};120") == 10
    for command in (
        ["certify", out, drawn],
        ["label", source, target, "--answers", drawn, "-q", "-o", tmp_path / "2.csv"],
    ):
        done = run(*command)
        assert done.exit_code == 0, done.output


def test_blind_samples_have_no_labels(labelled, tmp_path):
    run("audit", labelled, "-n", 5, "--blind", "-o", tmp_path / "s.csv")
    assert list(read_csv(tmp_path / "s.csv")) == [name for name in SAMPLE_COLUMNS if name != "label"]


def test_the_text_column_keeps_its_name(labelled, tmp_path):
    """Also a column of the user with the name of a column of the sample is kept."""
    columns = read_csv(labelled)
    columns = {{"text": "body", "note": "purpose"}.get(name, name): values for name, values in columns.items()}
    write_csv(tmp_path / "named.csv", columns)
    done = run("audit", tmp_path / "named.csv", "--text", "body", "-n", 20, "--seed", 7, "-o", tmp_path / "s.csv")
    assert done.exit_code == 0, done.output
    drawn = read_csv(tmp_path / "s.csv")
    assert list(drawn)[:5] == ["row", "id", "purpose_before", "body", "label"]
    assert set(drawn["purpose"]) == {"audit"}
    write_csv(tmp_path / "f.csv", fill(drawn))
    done = run("certify", tmp_path / "named.csv", tmp_path / "f.csv", "--text", "body", "--json")
    assert json.loads(done.output)["n_answers"] == 20


def test_rows_without_a_label_are_not_sampled_and_the_others_keep_their_numbers(labelled, sample, tmp_path):
    columns = read_csv(labelled)
    for name in ("label", "confidence", "alternative", "evidence", "needs_review", "source_only", "labelferry"):
        columns[name] = ["" if row < 3 else value for row, value in enumerate(columns[name])]
    write_csv(tmp_path / "part.csv", columns)
    population = population_of_file(tmp_path / "part.csv")
    assert population.rows.numbers.tolist() == list(range(4, 121))
    run("audit", tmp_path / "part.csv", "-n", 117, "-o", tmp_path / "s.csv")
    drawn = read_csv(tmp_path / "s.csv")
    assert sorted(map(int, drawn["row"])) == list(range(4, 121))
    assert drawn["text"] == [columns["text"][int(row) - 1] for row in drawn["row"]]
    write_csv(tmp_path / "f.csv", fill(drawn))
    certificate = json.loads(run("certify", tmp_path / "part.csv", tmp_path / "f.csv", "--json").output)
    true = np.mean([a == b for a, b in zip(columns["label"][3:], TRUTH[3:], strict=True)])
    assert certificate["accuracy"] == pytest.approx({"estimate": true, "low": true, "high": true})
    columns["label"][5] = ""  # somebody removed it
    write_csv(tmp_path / "part.csv", columns)
    assert "line 7: no label" in error_of("audit", tmp_path / "part.csv", "-o", tmp_path / "x.csv")


FORMULAS = ["=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(A1)", "-5", "plain = text"]
CELLS = ["'=HYPERLINK(1)", "'+1+1", "'-2+3", "'@SUM(A1)", "-5", "plain = text"]


def test_a_sample_has_no_formulas_and_reads_back(tmp_path):
    texts = [f"{text} {i}" if text != "-5" else text for i, text in enumerate(FORMULAS * 3)]
    labels = ["a", "b", "a"] * 6
    columns = {"text": texts, "note": (FORMULAS * 3), "label": labels, "alternative": ["b", "a", "b"] * 6}
    write_csv(tmp_path / "labelled.csv", columns)
    for suffix in ("csv", "tsv", "jsonl"):
        run("audit", tmp_path / "labelled.csv", "-n", 18, "--text", "text", "-o", tmp_path / f"s.{suffix}")
    drawn = read_csv(tmp_path / "s.csv")
    expected = [CELLS[(int(row) - 1) % 6] for row in drawn["row"]]
    assert drawn["note"] == expected
    assert all(cell[0] not in "=+-@" or cell == "-5" for cell in drawn["text"])
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [line["text"] for line in lines] == [texts[line["row"] - 1] for line in lines]  # for programs: unchanged
    drawn["answer"] = [labels[int(row) - 1] for row in drawn["row"]]
    write_csv(tmp_path / "f.csv", drawn)
    done = run("certify", tmp_path / "labelled.csv", tmp_path / "f.csv", "--text", "text", "--json")
    assert json.loads(done.output)["accuracy"]["low"] == 1


@pytest.mark.parametrize("text", [*FORMULAS, "", "'=quoted", "''", "\t=1", "''-5", "'-5"])
def test_a_protected_cell_is_restored(text):
    assert restore(protect(text)) == text


def test_the_rows_may_be_in_any_order_and_texts_may_lose_spaces(labelled, sample, tmp_path):
    filled = fill(sample)
    write_csv(tmp_path / "s.csv", filled)
    reordered = {name: values[::-1] for name, values in filled.items()}
    reordered["text"] = [text.replace(" ", "  ") + "\n" for text in reordered["text"]]
    reordered["answer"] = [f" {answer.upper()}" for answer in reordered["answer"]]
    write_csv(tmp_path / "r.csv", {name: [*values, "", ""] for name, values in reordered.items()})  # as spreadsheets do
    assert run("certify", labelled, tmp_path / "r.csv").output == run("certify", labelled, tmp_path / "s.csv").output


def test_a_sample_with_duel(labelled, tmp_path):
    done = run("audit", labelled, "-n", 20, "--duel", 10, "-o", tmp_path / "s.csv")
    assert done.exit_code == 0, done.output
    columns = read_csv(tmp_path / "s.csv")
    assert columns["purpose"] == ["audit"] * 20 + ["duel"] * 10
    written = read_csv(labelled)
    for row in columns["row"][20:]:
        assert written["label"][int(row) - 1] != written["source_only"][int(row) - 1]
    write_csv(tmp_path / "f.csv", fill(columns))
    certificate = json.loads(run("certify", labelled, tmp_path / "f.csv", "--json").output)
    answered = {int(row) - 1 for row in columns["row"]}
    order = audit_order(len(written["label"]), int(columns["sample_seed"][0])).tolist()
    in_order = next(i for i, row in enumerate(order) if row not in answered)
    assert certificate["n_answers"] == in_order >= 20  # an answer of the duel counts when its turn comes
    assert certificate["better_than_source_only"]["n_answers"] >= 10


def test_a_file_without_source_only_certifies_the_rest(labelled, tmp_path):
    columns = read_csv(labelled)
    del columns["source_only"]
    plain = write_csv(tmp_path / "plain.csv", columns)
    assert "has no column source_only" in error_of("audit", plain, "--duel", 5, "-o", tmp_path / "s.csv")
    run("audit", plain, "-n", 20, "-o", tmp_path / "s.csv")
    write_csv(tmp_path / "f.csv", fill(read_csv(tmp_path / "s.csv")))
    done = run("certify", plain, tmp_path / "f.csv", "--verbose")
    assert "no comparison with the source-only classifier" in " ".join(done.output.split())
    assert "same as those" not in done.output
    assert json.loads(run("certify", plain, tmp_path / "f.csv", "--json").output)["better_than_source_only"] is None


def test_a_half_filled_sample_uses_the_first_rows(labelled, sample, tmp_path):
    write_csv(tmp_path / "s.csv", fill(sample, 15))
    done = run("certify", labelled, tmp_path / "s.csv")
    assert "25 of 40 rows have no answer yet" in done.output
    assert "(15 answers)" in " ".join(done.output.split())


def change(columns, position, **values):
    changed = {name: list(column) for name, column in columns.items()}
    for name, value in values.items():
        changed[name][position] = value
    return changed


def drop(columns, position):
    return {name: [v for i, v in enumerate(column) if i != position] for name, column in columns.items()}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda s: change(s, 3, answer=""), "has no answer, and 36 of 39 answers come after it"),
        (lambda s: drop(s, 3), r"belongs to the sample with the seed \d+ and is missing"),
        (lambda s: change(s, 3, row="0"), "line 5: row must be a number from 1 to 120; got '0'"),
        (lambda s: change(s, 3, row="121"), "row must be a number from 1 to 120"),
        (lambda s: change(s, 3, row="x"), "got 'x'"),
        (lambda s: change(s, 3, row=s["row"][2]), "occurs twice"),
        (lambda s: change(s, 3, text="something else"), "line 5: the text is not the text of row"),
        (lambda s: change(s, 3, answer="biling"), "'biling' is no class; .* Did you mean 'billing'"),
        (lambda s: change(s, 3, sample_seed="8"), "'sample_seed' must have the same number in every row"),
        (lambda s: {**s, "population": ["99"] * 40}, "was drawn from 99 documents, and .* has 120"),
        (lambda s: {**s, "answer": [""] * 40}, "has no answers. Write a class"),
        (lambda s: {name: s[name] for name in s if name != "row"}, "has no column 'row'"),
        (lambda s: {**s, "sample_seed": ["8"] * 40}, "belongs to the sample with the seed 8 and is missing"),
    ],
)
def test_wrong_samples_are_one_clear_line(labelled, sample, tmp_path, spoil, message):
    import re

    write_csv(tmp_path / "s.csv", spoil(fill(sample)))
    assert re.search(message, error_of("certify", labelled, tmp_path / "s.csv"))


def test_wrong_calls(labelled, folder, tmp_path):
    assert "name the sample" in error_of("certify", labelled)
    assert "has no column 'label'" in error_of("audit", folder / "new.csv", "-o", tmp_path / "s.csv")
    assert "would be overwritten" in error_of("audit", labelled, "-o", labelled)
    assert "at least one document" in error_of("audit", labelled, "-n", 0, "-o", tmp_path / "s.csv")
    assert "--format" in error_of("audit", labelled, "-o", tmp_path / "s.json")
    assert "end with .json" in error_of("audit", labelled, "--format", "argilla", "-o", tmp_path / "s.csv")
    assert "exists already" in error_of(
        "label", folder / "old.csv", folder / "new.csv", "-o", tmp_path / "x.csv", "--store", folder / "job.ferry"
    )


def test_answers_in_cells():
    classes = ["spam", "ham", "1", "unclear"]
    assert read_answer(None, classes, "") is None
    assert read_answer(float("nan"), classes, "") is None
    assert read_answer(1.0, classes, "") == Given("label", "1")
    assert read_answer("1.0", classes, "") == Given("label", "1")
    assert read_answer("1", ["0.0", "1.0", "spam"], "") == Given("label", "1.0")
    assert read_answer("0.50", ["0.5", "1.0"], "") == Given("label", "0.5")
    with pytest.raises(ValueError, match="is no class"):
        read_answer("2", ["1", "1.0", "2.5"], "")
    assert read_answer("SPAM ", classes, "") == Given("label", "spam")
    assert read_answer("unclear", classes, "") == Given("label", "unclear")  # a class of this name
    assert read_answer("None of these", classes, "") == Given("none_of_these", None)
    assert Given("none_of_these", None).code(classes) == 4
    assert Given("unclear", None).code(classes) == -1


def test_the_majority_of_several_persons_decides():
    a, b = Given("label", "a"), Given("label", "b")
    two = Filled("s.csv", 1, {(0, "ann"): a, (0, "bob"): b}, {0: "audit"})
    assert two.answers == {0: Given("unclear", None)}
    assert two._replace(by_reviewer={**two.by_reviewer, (0, "eve"): a}).answers == {0: a}


def test_a_class_that_occurs_nowhere_can_be_named(labelled, sample, tmp_path):
    filled = change(fill(sample), 0, answer="shipping")
    write_csv(tmp_path / "s.csv", filled)
    assert "'shipping' is no class" in error_of("certify", labelled, tmp_path / "s.csv")
    done = run("certify", labelled, tmp_path / "s.csv", "--class", "shipping", "--json")
    assert "shipping" in [one["label"] for one in json.loads(done.output)["classes"]]


def test_a_learned_file_needs_its_answers(folder, sample, tmp_path):
    result = labelferry.label(folder / "old.csv", folder / "new.csv", answers=fill(sample), method="sourcelr")
    result.write(tmp_path / "learned.csv")
    columns = read_csv(tmp_path / "learned.csv")
    del columns["answer"]
    write_csv(tmp_path / "learned.csv", columns)
    assert "but no column 'answer'" in error_of("audit", tmp_path / "learned.csv", "-o", tmp_path / "s.csv")


def test_labels_that_learn_from_a_sample(folder, labelled, sample, tmp_path):
    write_csv(tmp_path / "s.csv", fill(sample))
    command = ["label", folder / "old.csv", folder / "new.csv", "--answers", tmp_path / "s.csv", "-q"]
    done = run(*command, "-o", tmp_path / "learned.csv")
    assert done.exit_code == 0, done.output
    learned = read_csv(tmp_path / "learned.csv")
    rows = [int(row) - 1 for row in sample["row"]]
    assert (
        [learned["label"][row] for row in rows] == [TRUTH[row] for row in rows] == [learned["answer"][r] for r in rows]
    )
    held_out = [learned["held_out"][row] for row in rows]
    assert set(held_out) <= set(CLASSES)
    refused = error_of("certify", tmp_path / "learned.csv", tmp_path / "s.csv")
    assert "was drawn for other labels" in refused
    assert "Answers that changed labels cannot certify them: draw a new sample" in refused
    new = tmp_path / "new.csv"
    assert run("audit", tmp_path / "learned.csv", "-n", 15, "--seed", 1, "-o", new).exit_code == 0
    asked = read_csv(new)
    assert not {int(row) - 1 for row in asked["row"]} & set(rows)  # only documents without an answer
    write_csv(new, fill(asked))
    certificate = json.loads(run("certify", tmp_path / "learned.csv", new, "--json").output)
    assert (certificate["n_answers"], certificate["n_known"]) == (15, len(rows))
    true = np.mean([label == truth for label, truth in zip(learned["label"], TRUTH, strict=True)])
    assert certificate["accuracy"]["low"] <= true <= certificate["accuracy"]["high"]
    assert "--store starts a job without --answers" in error_of(
        *command, "-o", tmp_path / "x.csv", "--store", tmp_path / "x.ferry"
    )
    message = error_of("label", folder / "old.csv", folder / "old.csv", "--answers", tmp_path / "s.csv", "-o", "x.csv")
    assert "also in the source" in message


def test_a_result_that_learned_from_a_sample(labelled, folder, sample, tmp_path):
    result = labelferry.label(folder / "old.csv", folder / "new.csv", answers=fill(sample, wrong=True))
    again = labelferry.label(folder / "old.csv", folder / "new.csv").update(fill(sample, wrong=True))
    assert again.labels.tolist() == result.labels.tolist()
    with pytest.raises(ValueError, match="was drawn for other labels"):
        result.certify(fill(sample, wrong=True))
    rest = result.audit(10, seed=1)
    certificate = result.certify({**rest.columns, "answer": rest.columns["label"]})
    assert (certificate.n_answers, certificate.n_known) == (10, len(sample["row"]))
    with pytest.raises(ValueError, match="did not learn from answers"):
        result.store(tmp_path / "x.ferry")
    assert not (tmp_path / "x.ferry").exists()


def test_methods_without_held_out_labels(folder, sample, tmp_path):
    result = labelferry.label(folder / "old.csv", folder / "new.csv", answers=fill(sample), method="sourcelr")
    result.write(tmp_path / "learned.csv")
    rest = fill(result.audit(10, seed=1).columns)
    write_csv(tmp_path / "s.csv", rest)
    printed = json.loads(run("certify", tmp_path / "learned.csv", tmp_path / "s.csv", "--json").output)
    assert result.certify(rest).n_known == printed["n_known"] == len(sample["row"])
    assert printed["messages"] == []


def test_an_exported_job_is_not_certified_by_its_own_answers(folder, tmp_path):
    source, target = folder / "old.csv", folder / "new.csv"
    with labelferry.label(source, target).store(tmp_path / "job.ferry", seed=7) as job:
        run("audit", tmp_path / "job.ferry", "-n", 30, "-o", tmp_path / "s.csv")
        write_csv(tmp_path / "f.csv", fill(read_csv(tmp_path / "s.csv"), wrong=True))
        expected = json.loads(run("certify", tmp_path / "job.ferry", tmp_path / "f.csv", "--json").output)
        job.export(tmp_path / "out.csv")
    certificate = json.loads(run("certify", tmp_path / "out.csv", tmp_path / "f.csv", "--json").output)
    assert certificate["accuracy"] == expected["accuracy"]
    assert certificate["accuracy"]["estimate"] < 0.9


@pytest.mark.parametrize("frames", ["pandas", "polars", None])
def test_in_python(frames):
    result = labelferry.label(
        demo().texts_source[::3], demo().texts_target[::3], label=demo().y_source[::3], method="tcl"
    )
    drawn = result.audit(30, seed=2)
    assert len(drawn) == 30
    columns = fill(drawn.columns)
    if frames is not None:
        columns = pytest.importorskip(frames).DataFrame(columns)
    certificate = result.certify(columns)
    assert certificate.n_answers == 30
    assert certificate.accuracy.low <= np.mean(result.labels == TRUTH) <= certificate.accuracy.high
    with pytest.raises(ValueError, match="has no answers"):
        result.certify(drawn)


def answer_label_studio(tasks):
    for task in tasks:
        truth = TRUTH[task["data"]["row"] - 1]
        task["id"] = 100 + task["data"]["row"]
        result = [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": [truth]}}]
        task["annotations"] = [
            {"id": 1, "completed_by": {"id": 4, "email": "ann@example.org"}, "result": result, "was_cancelled": False},
            {"id": 2, "completed_by": 5, "result": [], "was_cancelled": True},
        ]
    return tasks


def answer_argilla(records):
    for record in records:
        truth = TRUTH[record["metadata"]["row"] - 1]
        record["responses"] = {"label": [{"value": truth, "user_id": "ann@example.org"}]}
        record["_server_id"] = "x"
    return records


@pytest.mark.parametrize(("form", "answer"), [("label-studio", answer_label_studio), ("argilla", answer_argilla)])
def test_other_programs(labelled, sample, tmp_path, form, answer):
    done = run("audit", labelled, "-n", 40, "--seed", 7, "-o", tmp_path / "s.json", "--format", form)
    assert done.exit_code == 0, done.output
    rows = json.loads((tmp_path / "s.json").read_text())
    assert len(rows) == 40
    if form == "label-studio":
        assert rows[0]["predictions"][0]["result"][0]["value"]["choices"] == [sample["label"][0]]
        assert '<Choice value="billing"/>' in done.output
    else:
        assert rows[0]["fields"]["text"] == sample["text"][0]
        assert rows[0]["suggestions"]["label"]["value"] == sample["label"][0]
    (tmp_path / "answered.json").write_text(json.dumps(answer(rows)))
    write_csv(tmp_path / "s.csv", fill(sample))
    done = run("certify", labelled, tmp_path / "answered.json")
    assert done.exit_code == 0, done.output
    assert done.output == run("certify", labelled, tmp_path / "s.csv").output


def test_several_people_in_label_studio(labelled, tmp_path):
    run("audit", labelled, "-n", 10, "-o", tmp_path / "s.json", "--format", "label-studio")
    tasks = answer_label_studio(json.loads((tmp_path / "s.json").read_text()))
    for number, task in enumerate(tasks):
        other = json.loads(json.dumps(task["annotations"][0]))
        other["completed_by"] = 9
        if number == 3:
            other["result"][0]["value"]["choices"] = ["none_of_these"]
        task["annotations"].append(other)
    (tmp_path / "a.json").write_text(json.dumps(tasks))
    population = population_of_file(labelled)
    filled = read_sample(tmp_path / "a.json", population)
    assert len(filled.by_reviewer) == 20
    certificate = certify_sample(population, filled)
    assert (certificate.n_answers, certificate.n_unclear) == (10, 1)


@pytest.mark.parametrize("content", ["{", "[]", "{}", "[1]", '[{"a": 1}]', '[{"fields": {}}]', "[" * 100_000])
def test_json_that_is_no_export(labelled, tmp_path, content):
    (tmp_path / "s.json").write_text(content)
    assert "Export it again" in error_of("certify", labelled, tmp_path / "s.json")


def test_a_task_that_is_not_of_the_sample(labelled, tmp_path):
    run("audit", labelled, "-n", 3, "-o", tmp_path / "s.json", "--format", "label-studio")
    tasks = answer_label_studio(json.loads((tmp_path / "s.json").read_text()))
    del tasks[1]["data"]["row"]
    (tmp_path / "s.json").write_text(json.dumps(tasks))
    message = " ".join(error_of("certify", labelled, tmp_path / "s.json").split())
    assert "entry 2 has no 'row'" in message
    assert "Remove the entry" in message


def test_label_studio_config_escapes_names():
    assert '<Choice value="a &amp; &lt;b&gt;"/>' in label_studio_config(["a & <b>"])


@pytest.mark.parametrize("form", ["csv", "label-studio", "argilla", "blind"])
def test_imported_answers_have_the_label_that_was_shown(tmp_path, form):
    with Job(Store.create(tmp_path / "job.ferry", small_job())) as job:
        sample = draw_open(job, 4, blind=form == "blind").columns
        labels = [row.label for row in job.store.documents.some([int(n) - 1 for n in sample["row"]])]
        given = {**sample, "answer": labels}
        if form in FORMS:
            write_json(sample, tmp_path / "s.json", form)
            rows = json.loads((tmp_path / "s.json").read_text())
            answered = answer_label_studio(rows) if form == "label-studio" else answer_argilla(rows)
            given = tmp_path / "s.json"
            given.write_text(json.dumps(answered))
        assert import_answers(job, given, "ann")["new"] == 4
        assert [row.shown for row in job.answers()] == ([None] * 4 if form == "blind" else labels)


def test_a_wrong_row_of_a_sample_imports_nothing(tmp_path):
    with Job(Store.create(tmp_path / "job.ferry", small_job())) as job:
        sample = draw_open(job, 6).columns
        given = {**sample, "answer": sample["label"], "purpose": [*["audit"] * 3, "fun", *["audit"] * 2]}
        with pytest.raises(ValueError, match="purpose must be"):
            import_answers(job, given, "ann")
        assert job.history() == []


def test_an_import_reads_new_rows_three_times_and_writes_once(tmp_path):
    with Job(Store.create(tmp_path / "job.ferry", small_job())) as job:
        sample = draw_open(job, 20).columns
        statements = []
        sa.event.listen(
            job.store.database.engine, "before_cursor_execute", lambda c, cursor, sql, *_: statements.append(sql)
        )
        assert import_answers(job, {**sample, "answer": sample["label"]}, "ann")["new"] == 20
        assert sum("FROM answers" in sql for sql in statements) == 4  # population, known answers, twice to write
        assert statements.count("BEGIN IMMEDIATE") == 1


def test_corrections_are_answers_and_labelled_documents(folder, tmp_path):
    with labelferry.label(folder / "old.csv", folder / "new.csv").store(tmp_path / "job.ferry", seed=7) as job:
        for document in range(20):
            job.answer(document, TRUTH[document], reviewer="ann")
        job.answer(3, NEXT[TRUTH[3]], reviewer="bob")
        job.answer(4, TRUTH[4], reviewer="bob")
        job.answer(20, None, kind="none_of_these", reviewer="ann")
        refitted = job.refit()
    for options, name in (((), "all.csv"), (("--corrections",), "corrections.csv")):
        done = run("export", tmp_path / "job.ferry", "-o", tmp_path / name, *options)
        assert done.exit_code == 0, done.output
        assert "Written: " in done.output
    assert len(read_csv(tmp_path / "all.csv")["label"]) == 120
    corrections = read_csv(tmp_path / "corrections.csv")
    assert len(corrections["row"]) == 23
    assert [label for label in corrections["label"] if label] == TRUTH[:3] + TRUTH[4:20]
    command = ["label", folder / "old.csv", folder / "new.csv", "-q", "-o", tmp_path / "learned.csv"]
    done = run(*command, "--answers", tmp_path / "corrections.csv")
    assert done.exit_code == 0, done.output
    learned = read_csv(tmp_path / "learned.csv")
    assert learned["answer"][:22] == [*TRUTH[:3], "", *TRUTH[4:20], "none_of_these", ""]
    assert refitted["answers"] == sum(answer in CLASSES for answer in learned["answer"]) == 19
    write_csv(tmp_path / "rest.csv", {name: values[30:] for name, values in read_csv(folder / "new.csv").items()})
    done = run(
        *("label", folder / "old.csv", tmp_path / "corrections.csv", tmp_path / "rest.csv", "--method", "sourcelr"),
        *("--skip-bad", "-q", "-o", tmp_path / "second.csv"),
    )
    assert done.exit_code == 0, done.output
    assert len(read_csv(tmp_path / "second.csv")["label"]) == 90


def test_an_export_for_a_spreadsheet_has_no_formulas(tmp_path):
    with Job(Store.create(tmp_path / "job.ferry", small_job(texts=["=1+1"] * 30))) as job:
        job.answer(0, "billing", reviewer="=cmd()")
        job.export(tmp_path / "plain.csv")
        job.export(tmp_path / "safe.csv", spreadsheet=True)
        job.export_corrections(tmp_path / "corrections.csv", spreadsheet=True)
        job.export(tmp_path / "safe.jsonl", spreadsheet=True)
    assert set(read_csv(tmp_path / "plain.csv")["text"]) == {"=1+1"}
    assert set(read_csv(tmp_path / "safe.csv")["text"]) == {"'=1+1"}
    assert read_csv(tmp_path / "corrections.csv")["reviewer"] == ["'=cmd()"]
    assert json.loads((tmp_path / "safe.jsonl").read_text().splitlines()[0])["text"] == "=1+1"
    assert population_of_file(tmp_path / "safe.csv", text="text").texts == ["=1+1"] * 30


def test_a_job_without_a_browser(folder, tmp_path):
    job = folder / "job.ferry"
    assert "No answers of the random sample yet" in run("certify", job).output
    run("audit", job, "-n", 25, "--duel", 5, "-o", tmp_path / "s.csv")
    columns = read_csv(tmp_path / "s.csv")
    write_csv(tmp_path / "f.csv", fill(columns, 20))
    done = run("certify", job, tmp_path / "f.csv", "--reviewer", "ann")
    assert done.exit_code == 0, done.output
    assert "20 new answers, 10 rows without an answer" in done.output
    assert "(20 answers)" in " ".join(done.output.split())
    run("audit", job, "-n", 5, "-o", tmp_path / "s2.csv")
    assert read_csv(tmp_path / "s2.csv")["row"] == columns["row"][20:25]
    write_csv(tmp_path / "f.csv", fill(columns))
    done = run("certify", job, tmp_path / "f.csv", "--reviewer", "ann")
    assert "10 new answers, 20 known already" in done.output
    with labelferry.open_job(job) as opened:
        assert {row.reviewer for row in opened.answers()} == {"ann"}
        assert len(opened.answers()) == 30
        assert len(opened.store.certificates.all()) == 3
    write_csv(tmp_path / "f.csv", {**fill(columns), "sample_seed": ["1"] * 30})
    assert "drawn with the seed 1" in error_of("certify", job, tmp_path / "f.csv")
