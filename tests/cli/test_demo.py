"""The demo corpus and its report."""

import hashlib
import json
import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner

from labelferry import TCL, cli, label
from labelferry.demo import load_demo
from labelferry.demo.run import run_demo
from labelferry.demo.tickets import load_words
from labelferry.text import tfidf

FINGERPRINT = (
    "da7b175cdd49914594853087226c4efbad09c1181410e651e5c8fbb55186514d"  # changes with any change of the corpus
)


@pytest.fixture(scope="module")
def demo():
    return load_demo()


@pytest.fixture(scope="module")
def report():
    return run_demo()


def test_the_files_of_the_demo(demo, tmp_path):
    command = ["demo", "--save", str(tmp_path / "new folder")]
    assert CliRunner().invoke(cli.app, command).exit_code == 0
    result = label(tmp_path / "new folder" / "labelled.csv", tmp_path / "new folder" / "new.csv", method="sourcelr")
    assert len(result.labels) == len(demo.texts_target)
    assert sorted(set(result.labels)) == sorted(set(demo.y_source))
    again = CliRunner().invoke(cli.app, command)
    assert again.exit_code == 2
    assert "labelled.csv exists" in " ".join(again.stderr.split())


def test_the_corpus_is_always_the_same(demo):
    lines = [*demo.texts_source, *demo.texts_target, *demo.y_source, *demo.y_target]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == FINGERPRINT


def test_sizes_and_classes(demo):
    for texts, y, X in [
        (demo.texts_source, demo.y_source, demo.X_source),
        (demo.texts_target, demo.y_target, demo.X_target),
    ]:
        assert len(texts) == len(y) == X.shape[0] == 360
        assert sp.issparse(X)
        assert X.format == "csr"
        assert X.shape[1] == len(demo.words)
        np.testing.assert_allclose(np.sqrt(X.multiply(X).sum(axis=1)), 1)
        labels, counts = np.unique(y, return_counts=True)
        assert labels.tolist() == ["account", "billing", "technical"]
        assert len(set(counts)) == 3
        assert counts.min() > 90


def test_every_ticket_is_different_and_every_slot_filled(demo):
    texts = [*demo.texts_source, *demo.texts_target]
    assert len(set(texts)) == len(texts)
    assert not any("{" in text or "}" in text for text in texts)


def test_slots_and_lists_of_words_match():
    words = load_words()
    by_class = (words.both, words.old, words.new)
    of_classes = [sentence for lists in by_class for sentences in lists.values() for sentence in sentences]
    sentences = [*of_classes, *words.about_old, *words.about_new, *words.asides, *words.closings, *words.openings]
    assert set(re.findall(r"\{(\w+)\}", " ".join(sentences))) == set(words.slots)
    assert len(set(sentences)) == len(sentences)


def test_the_vocabularies_differ(demo, report):
    """Many words of the new tickets never occur in the old ones, with and without stop words."""

    def tokens(texts):
        return re.findall(r"[a-z]{2,}", " ".join(texts).lower())

    known = set(tokens(demo.texts_source))
    assert np.mean([word not in known for word in tokens(demo.texts_target)]) > 0.25
    assert report["new_words"] > 0.45


def test_transfer_is_better_than_source_only(demo):
    source_only = LogisticRegression(C=10, max_iter=1000).fit(demo.X_source, demo.y_source)
    baseline = source_only.score(demo.X_target, demo.y_target)
    assert 0.65 < baseline < 0.85
    for seed in range(3):
        labels = TCL(random_state=seed).transfer(demo.X_source, demo.y_source, demo.X_target)
        assert np.mean(labels == demo.y_target) > max(baseline + 0.08, 0.93)


def test_tfidf_has_one_vocabulary_for_all_domains():
    (first, second), vectorizer = tfidf(["two red doors", "a red house"], ["a house, 42 houses"], min_df=1)
    assert list(vectorizer.get_feature_names_out()) == ["doors", "house", "houses", "red"]
    assert first.shape == (2, 4)
    assert second.shape == (1, 4)
    assert vectorizer.transform(["unheard of"]).nnz == 0


def test_the_report_has_plain_values(report):
    assert json.loads(json.dumps(report)) == report
    before, after = report["results"]
    assert (before["method"], after["method"]) == ("SourceLR", "AutoTransfer")
    assert after["accuracy"] > before["accuracy"] + 0.08
    assert any(row["source_only"] != row["truth"] == row["transfer"] for row in report["examples"])


def test_the_report_is_about_what_label_predicts(demo, report):
    result = label(demo.texts_source, demo.texts_target, label=demo.y_source.tolist())
    assert report["results"][1]["correct"] == (result.labels == demo.y_target).sum()
    assert report["results"][0]["correct"] == (np.array(result.columns()["source_only"]) == demo.y_target).sum()


def test_wrong_methods_are_named():
    with pytest.raises(ValueError, match=r"must be one of .*tcl.*; got 'magic'"):
        run_demo("magic")
    with pytest.raises(ValueError, match="sourcelr is the method with which the demo compares"):
        run_demo("sourcelr")


def test_the_demo_fits_on_a_screen():
    shown = CliRunner().invoke(cli.app, ["demo", "--method", "tcl(n_topics=3)"], env={"COLUMNS": "80", "NO_COLOR": "1"})
    lines = shown.output.splitlines()
    assert len(lines) <= 24
    assert lines[-2:] == [
        "Next, with your files: labelferry label labelled.csv new.csv -o out.csv --method 'TCL(n_topics=3)'",
        "Other methods: labelferry methods",
    ]
    assert shown.output.count("true label: ") == 2


def test_the_demo_with_another_method(report):
    by_tcl = run_demo("tcl")
    assert [row["method"] for row in by_tcl["results"]] == ["SourceLR", "TCL"]
    assert by_tcl["results"][0] == report["results"][0]
    assert by_tcl["results"][1]["accuracy"] > 0.93
    assert run_demo("AutoTransfer")["results"] == report["results"]
