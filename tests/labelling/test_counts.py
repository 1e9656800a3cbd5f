"""Counts have one meaning everywhere: terminal, report, JSON, Python and file count the same rows as labelled."""

import json
import re

import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import cli
from labelferry.report.summary import page_values

from .. import tickets

N, N_UNKNOWN = 60, 20  # tickets, and documents without a known word


def run(*arguments):
    return CliRunner().invoke(cli.app, [str(a) for a in arguments], env={"COLUMNS": "200", "NO_COLOR": "1"})


def numbers_of_classes(shown):
    """Documents and labels to review per class, in the table of the terminal."""
    rows = re.findall(r"^ ?(account|billing|technical) +(\d+) .* (\d+) *$", shown, re.MULTILINE)
    return [(name, int(n), int(n_review)) for name, n, n_review in rows]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("counts")
    texts = [*["???"] * N_UNKNOWN, *tickets.new(6)["text"], ""]
    tickets.write_csv(folder / "new.csv", {"id": range(len(texts)), "text": texts})
    return tickets.write_csv(folder / "old.csv", tickets.old(6)), folder / "new.csv"


@pytest.mark.parametrize("method", ["auto", "sourcelr"])
def test_documents_without_a_known_word_are_counted_as_not_labelled(files, tmp_path, method):
    out, page = tmp_path / "out.csv", tmp_path / "page.html"
    shown = run("label", *files, "-o", out, "--report", page, "--method", method, "--verbose")
    assert shown.exit_code == 0, shown.output
    cells = tickets.read_csv(out)
    marks = list(zip(cells["label"], cells["needs_review"], strict=True))
    classes = ("account", "billing", "technical")
    expected = [(c, cells["label"].count(c), marks.count((c, "true"))) for c in classes]
    assert sum(n for _, n, _ in expected) == N
    n_review = sum(n for *_, n in expected)
    assert numbers_of_classes(shown.stdout) == expected

    summary = json.loads(run("label", *files, "-o", out, "--method", method, "--json").stdout)
    assert [(row["class"], row["target"], row["to_review"]) for row in summary["classes"]] == expected
    assert sum(row["share"] for row in summary["classes"]) == pytest.approx(1)
    assert (summary["n_target"], summary["n_labelled"]) == (N + N_UNKNOWN, N)
    assert summary["confidence"]["below"] == n_review
    assert sum(row["documents"] for row in summary["confidence"]["bins"]) == N
    assert summary["projection"]["documents"]["target"] == N
    labels = dict(enumerate(cells["label"], 1))
    points = [point for point in summary["projection"]["points"] if point["domain"] == "target"]
    for listed in (summary["review"], points):
        assert all(row["label"] == labels[row["row"]] for row in listed)

    html = page.read_text(encoding="utf-8")
    assert f"<dd>{N + N_UNKNOWN}</dd>" in html
    assert f"{N} labelled by this run" in html
    assert f"{N_UNKNOWN} new documents have no label and are not listed." in html
    assert f"{N_UNKNOWN} rows without a known word, not labelled" in html
    assert set(re.findall(r'data-row="(\d+)"', html)) == {str(row) for row, label in labels.items() if label}


@pytest.mark.parametrize("method", ["auto", "sourcelr"])
def test_documents_without_a_known_word_are_not_assessed(files, method):
    result = labelferry.label(*files, method=method)
    assert len(result.assessment.p_correct) == N
    for row in result.summary()["classes"]:
        code = result.estimator.classes_.tolist().index(row["class"])
        assert row["low"] <= row["share"] <= row["high"]
        assert row["share"] == result.assessment.proportions.mean[code]
        assert row["confidence"] == pytest.approx(result.assessment.class_precision[code])


def test_marks_are_counted_among_the_labels(files):
    result = labelferry.label(*files, method="sourcelr", min_confidence=1.0)
    assert result.verdict.reasons[-1].startswith(f"All {N} labels are marked for review.")
    assert f"{N} of {N + N_UNKNOWN + 1} rows by SourceLR" in repr(result)
    assert f"{N} to review" in repr(result)
    values = page_values(result, result.summary(), texts=False)
    assert (values["n_labelled"], values["documents"]["to_review"], values["documents"]["others"]) == (N, N, 0)
    documents = result.documents
    assert documents.predicted.sum() == N
    assert documents.messages == result.messages


def test_the_result_of_a_half_labelled_frame_counts_the_predicted_labels():
    pd = pytest.importorskip("pandas")
    old, texts = tickets.old(6), tickets.new(6)["text"]
    frame = pd.DataFrame({"text": [*old["text"], *texts], "label": [*old["label"], *[None] * len(texts)]})
    result = labelferry.label(frame, method="sourcelr")
    assert f"{len(texts)} of {len(frame)} rows by SourceLR" in repr(result)
    plain = labelferry.label(old["text"], texts, label=old["label"], method="sourcelr")
    assert f"{len(texts)} documents by SourceLR" in repr(plain)


OLD = {
    "text": [
        *("the printer is broken and the paper is stuck", "my printer paper is broken again", "xylophone quixotic"),
        *("the invoice is wrong and I paid twice", "I paid the wrong invoice", "please send the invoice again"),
    ],
    "label": [*["technical"] * 3, *["billing"] * 3],
}


@pytest.mark.parametrize("method", ["auto", "sourcelr"])
def test_a_labelled_document_without_a_known_word_is_counted_in_a_message(tmp_path, method):
    old = tickets.write_csv(tmp_path / "old.csv", OLD)
    new = tickets.write_csv(tmp_path / "new.csv", {"text": ["the printer paper", "the invoice was paid", "zzz"]})
    result = labelferry.label(old, new, method=method)
    message = f"{old}: 1 row with a label but no known word, ignored; line 4"
    assert message in result.messages
    reasons = " ".join(result.verdict.reasons)
    assert "There are 5 labelled documents, 2 of the smallest class." in reasons
    assert "All 2 labels are marked for review." in reasons
    summary = result.summary()
    assert (summary["n_source"], summary["sources"][0]["documents"]) == (5, 5)
    assert [row["source"] for row in summary["classes"]] == [3, 2]
    assert sum(point["domain"] != "target" for point in summary["projection"]["points"]) == 5
    diagnosis = labelferry.diagnose(old, new, method=method)
    assert diagnosis["n_source"] == 5
    assert message in diagnosis["messages"]


def test_labelled_documents_without_features_are_counted_in_a_message():
    X = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]
    texts = ["a first text", "a second text", "a third text"]
    result = labelferry.label(texts, ["one", "two"], label=["x", "y", "x"], features=X, method="sourcelr")
    assert "source 1: 1 row with a label, whose features are all 0, ignored; row 3" in result.messages
