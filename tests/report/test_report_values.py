"""What the report page shows: story, classes, map, list of documents, corrections; and a page without words."""

import json
import re
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
import scipy.sparse as sp
from rich.console import Console
from typer.testing import CliRunner

import labelferry
from labelferry import cli
from labelferry.assessment.rules import Fact
from labelferry.assessment.words import target_words
from labelferry.certificate.interval import span
from labelferry.cli.show import show_verdict
from labelferry.labelling.verdict import marks
from labelferry.report.documents import MAX_LISTED, MIN_OTHERS, listed_rows, own_columns
from labelferry.report.projection import place_documents
from labelferry.report.story import proportions_sentence
from labelferry.report.summary import page_values
from labelferry.review.sample.corrections import COLUMNS
from labelferry.tables import Table
from labelferry.tables.cells import fingerprint

from .. import tickets

SECRET = "xylophone"  # in every text and every column of the user


def run(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], env={"COLUMNS": "110"})


@pytest.fixture(scope="module")
def result():
    """Labels of tickets with an id, a subject and a long note; records have other numbers than lines."""
    new = tickets.new()
    target = {
        "id": [f"T-{i}" for i in new["id"]],
        "subject": [f"{SECRET} {i}" for i in new["id"]],
        "queue": ["north"] * len(new["id"]),
        "text": [f"{text}\n\n{SECRET} {'quixotic ' * 3}" for text in new["text"]],
        "note": ["a long note " * 20] * len(new["id"]),
    }
    import pandas as pd

    return labelferry.label(pd.DataFrame(tickets.old()), pd.DataFrame(target), text="text", method="sourcelr")


@pytest.fixture(scope="module")
def values(result):
    return page_values(result, result.summary(), labelled="my labels.csv")


def test_the_values_are_plain(values):
    assert json.loads(json.dumps(values, allow_nan=False)) == values


def test_the_story_is_plain_and_names_the_next_command(values, result):
    story = values["story"]
    said = json.dumps(story).lower()
    assert not re.search("kappa|auroc|sourcelr|divergence", said)
    assert story["next"][-1]["commands"] == ["labelferry accept 'my labels.csv' -o sample.csv"]
    low, high = (result.estimated_accuracy[end] for end in ("low", "high"))
    assert (
        f"Probably {span(low, high)} of the labels are correct (such ranges were right in nine of ten tests)."
        in story["known"]
    )
    assert re.match(r"Forecast: after \d+ answers \(\d+ minutes\), ", story["use"][0])
    assert marks(result) in story["use"]
    assert any("really correct" in sentence for sentence in story["not_known"])
    assert any("Whether there is a new class" in sentence for sentence in story["not_known"])
    assert "result.accept" in page_values(result, result.summary())["story"]["next"][-1]["commands"][1]
    of_job = page_values(result, result.summary(), labelled="out.csv", job="my job.ferry")["story"]
    assert of_job["next"][-1]["commands"] == ["labelferry review 'my job.ferry'"]  # one way, not three


def test_every_fact_of_the_verdict_is_in_the_story():
    few = labelferry.label(
        tickets.old()["text"], tickets.new(40)["text"], label=tickets.old()["label"], method="sourcelr"
    )
    story = page_values(few, few.summary())["story"]
    for fact in few.assessment.facts:
        assert fact.sentence in story["known"]
        assert fact.way_out in [step["sentence"] for step in story["next"]]
    assert few.assessment.facts
    assert any("do not allow an estimate" in sentence for sentence in story["not_known"])
    assert "%" not in " ".join(s for s in story["known"] if "correct" in s)


def with_marks(result, n, **changes):
    """The result with n marks, a level and other settings."""
    assessment = result.assessment._replace(level="safe", facts=changes.pop("facts", ()))
    marked = np.arange(len(result.labels)) < n
    return replace(result, needs_review=marked, assessment=assessment, settings={**result.settings, **changes})


def test_safe_beside_marks_is_one_story(result):
    """Terminal, JSON and page explain why all labels of a safe result are marked."""
    safe = with_marks(result, 360)
    (said,) = [reason for reason in safe.verdict.reasons if "marked for review" in reason]
    assert said.startswith("All 360 labels are marked for review. None has a guarantee yet.")
    assert "The output column accept_rank orders them" in said
    assert said in safe.summary()["verdict"]["reasons"]
    assert said in page_values(safe, safe.summary())["story"]["use"]
    printed = StringIO()
    show_verdict(Console(file=printed, width=1000), safe.verdict.as_dict())
    assert said in printed.getvalue()
    assert "below 90% (--min-confidence)" in marks(with_marks(result, 300, min_confidence=0.9))
    fact = Fact("few", "There are few documents.", "Add some.", unsafe=True, review_all=True)
    assert marks(with_marks(result, 360, facts=(fact,))).endswith("What is said above about the documents requires it.")
    few = with_marks(result, 36)
    assert not any("marked" in reason for reason in few.verdict.reasons)  # the table has their numbers
    assert marks(few).startswith("36 of 360 labels (10%) are marked for review. Of the others about ")
    assert marks(with_marks(result, 0)) == "No label is marked for review."


def test_labels_that_differ_in_spelling_are_in_the_verdict():
    old = tickets.old(3)
    labels = [*old["label"][:-4], *[name.upper() for name in old["label"][-4:]]]
    found = labelferry.label(old["text"], tickets.new(3)["text"], label=labels, method="sourcelr")
    story = page_values(found, found.summary())["story"]
    assert found.verdict.reasons[0].startswith("Labels that differ only in case, blanks or Unicode form: 'billing' (")
    assert found.verdict.reasons[0].endswith("merge them with merge_labels=True (--merge-labels).")
    assert story["known"][0] == found.summary()["verdict"]["reasons"][0] == found.verdict.reasons[0]
    assert "--merge-labels" in story["next"][0]["sentence"]
    merged = labelferry.label(old["text"], tickets.new(3)["text"], label=labels, method="sourcelr", merge_labels=True)
    assert not any("spelling" in step["sentence"] for step in page_values(merged, merged.summary())["story"]["next"])
    assert not any("differ only in case" in reason for reason in merged.verdict.reasons)


def test_class_proportions_in_words():
    classes = np.array(["a", "b"])
    assert "all can be wrong" in proportions_sentence(np.array([0.4, 0.5]), np.array([0.5, 0.6]), classes)
    said = proportions_sentence(np.array([0.4, 0.1]), np.array([0.5, 0.997]), classes)
    assert said.endswith(": for b, the methods say 10% to 99.7%.")


def test_class_rows(values, result):
    rows = values["classes"]
    assert sum(row["target"] for row in rows) == values["n_target"] == 360
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert sum(row["to_review"] for row in rows) == result.needs_review.sum()
    for row in rows:
        assert row["low"] <= row["share"] <= row["high"]
        assert row["confidence"] == pytest.approx(result.confidence[result.labels == row["class"]].mean())
        assert row["words"]


def test_typical_words_are_those_of_the_new_documents():
    words = np.array(["bill", "wifi", "the", "once"])
    Xt = sp.csr_array(np.array([[1, 0, 1, 0], [1, 0, 1, 1], [0, 1, 1, 0], [0, 1, 1, 0]]))
    assert target_words(Xt, np.array([0, 0, 1, 1]), 3, words) == [["bill"], ["wifi"], []]
    assert target_words(-Xt, np.array([0, 0, 1, 1]), 2, words) == [[], []]


def test_the_map_does_not_depend_on_labels(result):
    points = page_values(result, result.summary())["projection"]
    assert points["documents"] == {"the labelled data frame": 360, "target": 360}
    words = {"language": result.settings["language"], "ngrams": result.settings["ngrams"]}  # chosen by the labels
    again = labelferry.label(
        tickets.old()["text"], result.inputs.texts, label=tickets.old()["label"][::-1], method="sourcelr", **words
    ).summary()["projection"]
    for before, after in zip(points["points"], again["points"], strict=True):
        assert (before["x"], before["y"]) == pytest.approx((after["x"], after["y"]))


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 1), (3, 2), (40, 30)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_any_documents_can_be_placed(shape, form):
    X = np.random.default_rng(0).random(shape)
    X[0] = 0
    points = place_documents(form(X))
    assert points.shape == (shape[0], 2)
    assert np.isfinite(points).all()
    np.testing.assert_array_equal(points, place_documents(form(X)))


def test_similar_documents_are_placed_together():
    rng = np.random.default_rng(0)
    X = np.hstack([rng.random((60, 8)), np.zeros((60, 8))])
    X[30:] = X[30:, ::-1]
    points = place_documents(sp.csr_array(X))
    first = points[:, 0]
    assert abs(first[:30].mean() - first[30:].mean()) > 4 * max(first[:30].std(), first[30:].std())


def test_own_columns_are_short_and_differ():
    columns = {
        "text": ["a", "b"],
        "id": [1, 2],
        "constant": ["x", "x"],
        "empty": [None, float("nan")],
        "long": ["y" * 300, "z" * 300],
        "list": [[1], [2]],
        **{f"c{i}": ["p", "q"] for i in range(5)},
    }
    assert own_columns(Table("new.csv", columns, [1, 2]), "text") == ["id", "c0", "c1", "c2"]


@pytest.mark.parametrize(("n", "n_review"), [(50, 0), (50, 50), (5000, 10), (5000, 3000), (5000, 5000), (450, 420)])
def test_listed_rows(n, n_review):
    confidence = np.random.default_rng(1).random(n)
    review = np.zeros(n, dtype=bool)
    review[np.argsort(confidence)[:n_review]] = True
    rows = listed_rows(review, confidence, np.ones(n, dtype=bool))
    assert len(rows) == len(set(rows.tolist())) == min(n, MAX_LISTED)
    assert (np.diff(confidence[rows]) >= 0).all()
    n_others = (~review[rows]).sum()
    assert n_others >= min(MIN_OTHERS, n - n_review)
    expected = np.argsort(confidence)[: min(n_review, MAX_LISTED - min(MIN_OTHERS, n - n_review))]
    np.testing.assert_array_equal(rows[review[rows]], expected)
    labelled = np.arange(n) % 2 == 0
    assert labelled[listed_rows(review, confidence, labelled)].all()


def test_documents_have_records_own_columns_and_whole_texts(values, result):
    documents = values["documents"]
    assert documents["columns"] == ["id", "subject"]
    assert len(documents["rows"]) == 360
    assert documents["to_review_listed"] == documents["to_review"] == result.needs_review.sum()
    for row in documents["rows"][:20]:
        i = row["row"] - 1
        assert row["own"] == [f"T-{i}", f"{SECRET} {i}"]
        assert "".join(text for text, _ in row["pieces"]) == result.inputs.texts[i]
        assert row["label"] == result.labels[i]
        assert row["fingerprint"] == fingerprint(result.inputs.texts[i])
    assert any(marked for row in documents["rows"] for _, marked in row["pieces"])


def test_a_page_without_texts_has_no_word_of_the_documents(result, tmp_path):
    result.report(tmp_path / "with.html")
    result.report(tmp_path / "without.html", texts=False)
    pages = [(tmp_path / name).read_text(encoding="utf-8") for name in ("with.html", "without.html")]
    shown = [page.partition("</style>")[2].rpartition('<script>"use strict"')[0] for page in pages]
    bare = page_values(result, result.summary(), texts=False)
    assert not {"typical_words", "changed_words", "topics", "review", "messages"} & set(bare)
    assert set(bare["verdict"]) == {"level", "sentence"}
    assert not {"words", "text", "examples"} & {key for row in bare["classes"] for key in row}
    assert not {"words", "text", "own"} & {key for row in bare["projection"]["points"] for key in row}
    assert SECRET in shown[0]
    assert SECRET not in pages[1]
    assert "quixotic" not in pages[1]
    assert "T-17" not in pages[1]
    assert fingerprint(result.inputs.texts[0]) not in pages[1]
    assert "Correction" in shown[0].partition("<footer>")[0]
    assert "Correction" not in shown[1].partition("<footer>")[0]
    assert {key for row in bare["documents"]["rows"] for key in row} == {
        *("row", "label", "confidence", "alternative", "needs_review", "none_of_these", "other_language"),
    }


def write_corrections(path, rows):
    return tickets.write_csv(path, {name: [row[name] for row in rows] for name in COLUMNS})


def test_labels_learn_from_corrections_and_certify_refuses_them(tmp_path):
    """From the command to the page, to corrections, to a new run, to a certificate by a random sample."""
    old, new = (
        tickets.write_csv(tmp_path / "old.csv", tickets.old()),
        tickets.write_csv(tmp_path / "new.csv", tickets.new()),
    )
    out, page = tmp_path / "out.csv", tmp_path / "page.html"
    done = run("label", old, new, "-o", out, "--method", "sourcelr", "--report", page)
    assert done.exit_code == 0, done.output
    html = page.read_text(encoding="utf-8")
    assert "labelferry accept" in html
    found = re.findall(r'data-row="(\d+)" data-label="(\w+)".*?data-fingerprint="(\w+)"', html)
    truth = tickets.demo().y_target
    rows = [
        {"row": row, "label": label, "answer": truth[int(row) - 1], "fingerprint": mark}
        for row, label, mark in found[:30]
    ]
    rows[0]["answer"], rows[1]["answer"] = "none_of_these", "unclear"
    corrections = write_corrections(tmp_path / "corrections.csv", rows)
    learned = tmp_path / "learned.csv"
    done = run("label", old, new, "-o", learned, "--method", "sourcelr", "--answers", corrections)
    assert done.exit_code == 0, done.output
    written = tickets.read_csv(learned)
    for row in rows[2:]:
        assert written["label"][int(row["row"]) - 1] == row["answer"] == written["answer"][int(row["row"]) - 1]
    assert written["answer"][int(rows[0]["row"]) - 1] == "none_of_these"
    assert sum(bool(answer) for answer in written["answer"]) == 29
    done = run("certify", out, corrections)
    assert done.exit_code == 2
    assert "not a random sample" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"row": "0"}, "row must be a number from 1 to 360"),
        ({"row": "2"}, "has another text than on the page"),
        ({"answer": "bug"}, "is no class"),
        ({"answer": ""}, "has no answers"),
    ],
)
def test_corrections_that_do_not_fit(change, message, result, tmp_path):
    row = {"row": "1", "label": "billing", "answer": "billing", "fingerprint": fingerprint(result.inputs.texts[0])}
    with pytest.raises(ValueError, match=message):
        result.update(write_corrections(tmp_path / "corrections.csv", [{**row, **change}]))


def test_corrections_of_a_row_twice(result, tmp_path):
    row = {"row": "1", "label": "billing", "answer": "billing", "fingerprint": fingerprint(result.inputs.texts[0])}
    with pytest.raises(ValueError, match="occurs twice"):
        result.update(write_corrections(tmp_path / "corrections.csv", [row, row]))
    again = result.update(write_corrections(tmp_path / "corrections.csv", [row]))
    assert again.labels[0] == "billing"


def test_words_of_all_documents_are_in_both_domains():
    result = labelferry.label(tickets.old()["text"], tickets.new()["text"], label=tickets.old()["label"], method="tcl")
    features = result.features
    used = [set(features.words[np.unique(X.nonzero()[1])].tolist()) for X in (features.Xs[0], features.Xt)]
    for topic in result.summary()["topics"]:
        assert set(topic["common"]) <= used[0] & used[1]


@pytest.mark.parametrize("half", [False, True])
def test_every_listed_document_has_its_own_label(tmp_path, half):
    """Rows without a text, and rows with a given label, are not documents: the list must not shift by them."""
    source, target = tickets.old(6), tickets.new(6)["text"]
    if half:
        rows = {"text": ["", *source["text"], *target], "label": ["", *source["label"], *[""] * len(target)]}
        result = labelferry.label(tickets.write_csv(tmp_path / "half.csv", rows), method="sourcelr")
    else:
        result = labelferry.label(source["text"], ["", *target], label=source["label"], method="sourcelr")
    values = page_values(result, result.summary())
    assert "nan" not in str(values["story"])
    texts = ["", *source["text"], *target] if half else ["", *target]
    assert len(values["documents"]["rows"]) == len(target)
    for row in values["documents"]["rows"]:
        assert "".join(text for text, _ in row["pieces"]) == texts[row["row"] - 1]
        assert row["label"] == result.labels[row["row"] - 1]
