"""Several labels per document, from files to certificates: planted labels are found, and every door agrees."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import AutoTransfer
from labelferry.cli import app
from labelferry.labelling.column_names import PROBABILITIES
from labelferry.linalg.shared import sharing
from labelferry.review.sample.population import population_of_file, population_of_several
from labelferry.review.sample.same_labels import labels_fingerprint
from labelferry.tables import read_table

NAMES, RARE = ("api", "bug", "ui"), "legal"
N = 150


def word(start, number):
    """A word without digits, which would be a number."""
    return start + "abcdefghij"[number // 10] + "klmnopqrst"[number % 10]


def write_texts(domain, seed):
    """Texts with words of their labels and of their domain, and the labels; some have none, one to three are rare."""
    rng = np.random.default_rng(seed)
    texts, sets = [], []
    for i in range(N):
        labels = {name for name in NAMES if rng.random() < 0.4}
        labels |= {RARE} if i in (3, 77) else set()
        words = [word(name, rng.integers(20)) for name in sorted(labels) for _ in range(5)]
        words += [word(domain, rng.integers(60)) for _ in range(8)] + [word("any", rng.integers(80)) for _ in range(6)]
        texts.append(" ".join(words))
        sets.append(labels)
    return texts, sets


OLD, NEW = write_texts("old", 0), write_texts("new", 1)
TRUTH = NEW[1]


def run(*arguments, code=0):
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    assert done.exit_code == code, done.output
    return done.output


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def fill(path, separator=";"):
    """Answer a sample with the true labels."""
    rows = read_rows(path)
    for row in rows:
        row["answer"] = separator.join(sorted(TRUTH[int(row["row"]) - 1])) or "none"
    return write_rows(path, rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files with ; between labels, labelled by the command line."""
    path = tmp_path_factory.mktemp("several")
    cells = [";".join(sorted(labels)) or "none" for labels in OLD[1]]
    write_rows(path / "old.csv", [{"text": t, "tags": c} for t, c in zip(OLD[0], cells, strict=True)])
    write_rows(path / "new.csv", [{"id": i, "text": t} for i, t in enumerate(NEW[0])])
    (path / "printed.txt").write_text(
        run("label", path / "old.csv", path / "new.csv", "-o", path / "out.csv", "--multi")
    )
    return path


@pytest.fixture(scope="module")
def result(folder):
    return labelferry.label(folder / "old.csv", folder / "new.csv", multi=True)


def test_planted_labels_are_found(result):
    truth = np.array([[name in labels for name in NAMES] for labels in TRUTH])
    assert result.names == NAMES
    assert (result.indicator == truth).mean() > 0.95
    assert ((result.proba > 0.5) == truth).mean() > 0.9
    assert result.sets[0] == frozenset(NAMES[j] for j in np.flatnonzero(result.indicator[0]))


def test_rare_labels_are_said_and_given_to_no_document(result, folder):
    assert dict(result.skipped) == {RARE: "2"}
    assert any("'legal (2)'" in message for message in result.messages)
    assert "legal (2)" in (folder / "printed.txt").read_text()
    assert not any(RARE in labels for labels in result.sets)


def test_each_label_is_the_transfer_of_its_own(result):
    """Bit by bit: shared work changes nothing."""
    for name in NAMES:
        features, own = result[name].features, result[name].inputs
        with sharing():
            auto = AutoTransfer(random_state=0)
            auto.fit_domains(features.domains(own, auto))
        assert np.array_equal(auto.transduction_proba_, result[name].documents.estimator.transduction_proba_)
        assert result[name].verdict.level in ("safe", "doubtful", "unsafe")


def test_output_has_the_form_of_the_input(folder, result):
    rows = read_rows(folder / "out.csv")
    assert [row["label"] for row in rows] == [";".join(sorted(labels)) or "none" for labels in result.sets]
    chances = json.loads(rows[0][PROBABILITIES])
    assert set(chances) == {*NAMES, RARE}
    assert chances[RARE] is None
    assert sorted(int(row["accept_rank"]) for row in rows) == list(range(1, N + 1))
    yes = next(row for row in rows if row["label"] == "bug")
    assert yes["evidence"].startswith("bug: bug")


def test_lists_and_columns_come_back_as_they_were(folder, tmp_path):
    lists = [{"text": t, "tags": sorted(labels)} for t, labels in zip(OLD[0], OLD[1], strict=True)]
    (tmp_path / "old.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lists))
    run("label", tmp_path / "old.jsonl", folder / "new.csv", "-o", tmp_path / "out.jsonl", "--multi", "--quiet")
    labels = read_table(tmp_path / "out.jsonl").columns["label"]
    expected = [row["label"] for row in read_rows(folder / "out.csv")]
    assert [";".join(cell) or "none" for cell in labels] == expected
    assert population_of_file(tmp_path / "out.jsonl").several.form.cell({"ui", "bug"}) == ["bug", "ui"]
    table = pd.DataFrame({"text": OLD[0], **{n: [int(n in s) for s in OLD[1]] for n in NAMES}})
    found = labelferry.label(table, pd.DataFrame({"text": NEW[0]}), multi=True).frame()
    assert found["bug"].tolist() == [int("bug" in cell.split(";")) for cell in expected]


def test_half_labelled_files_keep_their_labels(tmp_path):
    rows = [{"text": t, "tags": ";".join(sorted(s)) or "none"} for t, s in zip(*OLD, strict=True)]
    rows += [{"text": t, "tags": ""} for t in NEW[0]]
    write_rows(tmp_path / "half.csv", rows)
    run("label", tmp_path / "half.csv", "-o", tmp_path / "out.csv", "--multi", "--label", "tags", "--quiet")
    out = read_rows(tmp_path / "out.csv")
    assert [row["label"] for row in out[:N]] == [row["tags"] for row in rows[:N]]
    assert {row["origin"] for row in out[:N]} == {"given"}
    assert {row["origin"] for row in out[N:]} == {"predicted"}
    assert RARE in out[3]["label"]


def test_samples_in_a_spreadsheet_certify_labels_and_documents(folder, result, tmp_path):
    sample = tmp_path / "sample.csv"
    printed = run("audit", folder / "out.csv", "-o", sample, "-n", 60, "--seed", 1)
    assert "several as in 'api;bug', none or unclear" in " ".join(printed.split())
    found = json.loads(run("certify", folder / "out.csv", fill(sample), "--json"))
    truth = np.array([[name in labels for name in NAMES] for labels in TRUTH])
    right = np.mean([set(a or ()) == b for a, b in zip(result.sets, TRUTH, strict=True)])
    assert found["accuracy"]["low"] <= right <= found["accuracy"]["high"]
    assert [one["label"] for one in found["labels"]] == list(NAMES)
    for j, one in enumerate(found["labels"]):
        assert one["proportion"]["low"] <= truth[:, j].mean() <= one["proportion"]["high"]
        both = (truth[:, j] & result.indicator[:, j]).sum()
        assert one["precision"]["low"] <= both / result.indicator[:, j].sum() <= one["precision"]["high"]
        assert one["recall"]["low"] <= both / truth[:, j].sum() <= one["recall"]["high"]
    text = " ".join(run("certify", folder / "out.csv", sample).split())
    assert "documents have all labels right" in text
    assert "Label bug: " in text
    assert result.certify(sample).as_dict()["labels"] == found["labels"]


def test_all_documents_answered_is_the_truth(folder, result):
    """The closed form: with every answer, each interval is one point."""
    population = population_of_several(result)
    sample = result.audit(N, seed=3)
    sample.columns["answer"] = [population.several.form.text(TRUTH[int(row) - 1]) for row in sample.columns["row"]]
    found = result.certify(sample)
    right = np.mean([set(a or ()) == b for a, b in zip(result.sets, TRUTH, strict=True)])
    assert found.documents.accuracy.low == found.documents.accuracy.high == pytest.approx(right)
    for j, one in enumerate(found.labels):
        share = np.mean([one.label in labels for labels in TRUTH])
        assert one.proportion.low == one.proportion.high == pytest.approx(share)
        assert one.label == NAMES[j]


def test_file_and_result_have_the_same_population(folder, result):
    of_file, of_result = population_of_file(folder / "out.csv"), population_of_several(result)
    assert labels_fingerprint(of_file) == labels_fingerprint(of_result)
    assert np.allclose(of_file.several.proba, of_result.several.proba)
    assert of_file.several.form == of_result.several.form._replace(spellings=of_file.several.form.spellings)


@pytest.mark.parametrize("name", [None, "bug"])
def test_labels_and_documents_are_accepted_by_answers(folder, result, tmp_path, name):
    of_class = [] if name is None else ["--class", name]
    samples, usable = [], tmp_path / "usable.csv"
    while (found := result.accept(0.2, samples, name=name)).n < 10:
        assert len(samples) < 6
        sample = tmp_path / f"sample{len(samples)}.csv"
        run("accept", folder / "out.csv", *samples, "-o", sample, "-n", 30, "--error", 0.2, *of_class)
        samples.append(fill(sample))
    printed = run("accept", folder / "out.csv", *samples, "--error", 0.2, "--usable", usable, *of_class)
    n, named = f"{found.n_documents:,}", f" documents with the label {name}."
    of = f"{n} labels." if name is None else f"the {n}{named}"
    assert f"Usable now: {found.n:,} of {of}" in " ".join(printed.split())
    wrong = [
        (TRUTH[row] != result.sets[row]) if name is None else (name not in TRUTH[row])
        for row in np.flatnonzero(found.rows).tolist()
    ]
    assert sum(wrong) <= found.at_most_wrong
    assert found.n_documents == (N if name is None else int(result.indicator[:, 1].sum()))
    rows = read_rows(usable)
    assert {row["accepted"] for row in rows} <= {"yes", "answer"}
    if name is None:  # people's answers replace the labels
        answered = [row for row in rows if row["accepted"] == "answer"]
        assert all(row["label"] == (";".join(sorted(TRUTH[int(row["id"])])) or "none") for row in answered)
    else:
        assert all(name in TRUTH[int(row["id"])] for row in rows if row["accepted"] == "answer")
        assert {row["label"] for row in rows} == {name}  # the other labels were not tested


def test_changed_labels_are_refused(folder, tmp_path):
    sample, changed = tmp_path / "sample.csv", tmp_path / "changed.csv"
    run("audit", folder / "out.csv", "-o", sample, "-n", 20, "--seed", 1)
    rows = read_rows(folder / "out.csv")
    rows[0]["label"] = "api;bug;ui" if rows[0]["label"] != "api;bug;ui" else "bug"
    write_rows(changed, rows)
    assert "other labels" in run("certify", changed, fill(sample), code=2)


def test_given_proportions_are_matched(folder):
    found = labelferry.label(folder / "old.csv", folder / "new.csv", multi=True, class_prior={"bug": 0.2})
    assert found.indicator.mean(axis=0)[1] == pytest.approx(0.2, abs=0.03)
    with pytest.raises(ValueError, match="got 'bugg'"):
        labelferry.label(folder / "old.csv", folder / "new.csv", multi=True, class_prior={"bugg": 0.2})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "report.html"], "one label per document"),
        (["--parents"], "parents needs one label per document"),
        (["--use-target-labels"], "--use-target-labels needs one label per document"),
    ],
)
def test_what_needs_one_label_is_refused_in_one_line(folder, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    printed = run("label", folder / "old.csv", folder / "new.csv", "-o", "out.csv", "--multi", *options, code=2)
    assert message in " ".join(printed.split())
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("command", ["compare", "diagnose"])
def test_other_workflows_refuse_several_labels(folder, command):
    assert "needs one label per document" in run(command, folder / "old.csv", folder / "new.csv", "--multi", code=2)
    assert "several labels per document" in run(command, folder / "old.csv", folder / "new.csv", code=2)


def test_no_label_with_enough_documents_is_an_error():
    cells = [["a", "b"], ["a"], ["b"], ["c"]] * 1 + [[]] * 20
    with pytest.raises(ValueError, match="no label can be learned"):
        labelferry.label([f"text {word('w', i)}" for i in range(24)], NEW[0], label=cells, multi=True)


def test_rare_labels_are_given_to_their_share_of_the_documents():
    rng = np.random.default_rng(5)
    sides = []
    for domain in ("old", "new"):
        sets = [{"bug"} & {("", "bug")[i % 2]} | {"leak"} & {("", "leak")[i % 15 == 4]} for i in range(N)]
        texts = [
            " ".join(word(start, rng.integers(20)) for start in (*sorted(s), domain, domain, "any") for _ in range(4))
            for s in sets
        ]
        sides.append((texts, sets))
    (old, labels), (new, truth) = sides
    found = labelferry.label(old, new, label=[sorted(s) for s in labels], multi=True)
    assert [type(found[name].estimator).__name__ for name in found.names] == ["AutoTransfer", "SourceLR"]
    leaks = found.indicator[:, 1]
    assert leaks.sum() == pytest.approx(10, abs=2)
    assert np.mean([("leak" in s) == yes for s, yes in zip(truth, leaks, strict=True)]) > 0.97
