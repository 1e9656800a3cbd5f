"""The main job from Python: frames, lists and files in; labels, reasons and a page out."""

import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import labelferry
from labelferry import TCL, SourceLR
from labelferry.assessment.agreement import margin
from labelferry.core.domains import Domains
from labelferry.core.progress import listen
from labelferry.inputs.inputs import read_inputs
from labelferry.inputs.memory import words_within
from labelferry.inputs.options import TextOptions
from labelferry.labelling.evidence import characteristic_words, evidence, word_evidence
from labelferry.report import render_page
from labelferry.report.summary import LEAST_SHOWN
from labelferry.text import tfidf
from labelferry_bench.datasets import load_newsgroups
from labelferry_bench.papers.tables.cdsc import CDSC_TABLE_1

from .. import tickets

LEVELS = ("safe", "doubtful", "unsafe")
WORDS = {"language": "english", "ngrams": 1}  # those of the demo's matrices, and of `tfidf`


def label(method="tcl", **settings):
    demo, settings = tickets.demo(), WORDS | settings
    return labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source, method=method, **settings)


@pytest.fixture(scope="module")
def by_tcl():
    return label()


def test_two_files_get_the_labels_of_the_method_itself(tmp_path):
    demo = tickets.demo()
    source, target = tickets.write_csv(tmp_path / "old.csv", tickets.old()), tmp_path / "new.csv"
    result = labelferry.label(source, tickets.write_csv(target, tickets.new()), method="tcl", seed=3, **WORDS)
    direct = TCL(random_state=3)
    labels = direct.transfer(demo.X_source, demo.y_source, demo.X_target)
    assert result.method == "TCL"
    assert result.labels.tolist() == labels.tolist()
    right = (result.labels == demo.y_target).mean()
    assert right > 0.95
    members = result.assessment.members.codes
    unanimous = (members == np.searchsorted(direct.classes_, labels)).all(axis=0)
    order = np.argsort(margin(direct.transduction_proba_)[unanimous])
    assert unanimous.sum() > 100
    assert (np.diff(result.confidence[unanimous][order]) >= -1e-9).all(), "calibrated, in the order of the method"
    assert result.estimated_balanced_accuracy["low"] <= right <= result.estimated_balanced_accuracy["high"]
    assert right - 0.06 < result.confidence.mean() < right + 0.01  # .940 and .989: it errs on the careful side
    assert result.messages == ["text column: 'text' (its name)", "label column: 'label' (its name)"]


@pytest.mark.slow
def test_newsgroups_as_two_files(corpus, tmp_path):
    """rec vs sci of CDSC's Table 1, sixty articles a group."""
    articles = load_newsgroups(corpus("20news/20news-bydate.jsonl.gz"))
    rng, parts = np.random.default_rng(0), {}
    for side, name in enumerate(("old.csv", "new.csv")):
        rows = [
            (rng.choice(np.flatnonzero(articles.fields["group"] == group), 60, replace=False), label)
            for label, groups in CDSC_TABLE_1["rec vs sci"].items()
            for group in groups[side]
        ]
        texts = [articles.texts[i] for some, _ in rows for i in some]
        labels = [label for some, label in rows for _ in some]
        parts[name] = (texts, labels)
        tickets.write_csv(tmp_path / name, {"text": texts, "class" if side == 0 else "truth": labels})
    result = labelferry.label(tmp_path / "old.csv", tmp_path / "new.csv", method="tcl", html=False, **WORDS)
    (texts_s, ys), (texts_t, yt) = parts.values()
    (Xs, Xt), _ = tfidf(texts_s, texts_t)
    direct = TCL(random_state=0).transfer(Xs, ys, Xt)
    right = (result.labels == yt).mean()
    assert right == (direct == yt).mean()
    assert right > 0.8


def test_auto_is_better_than_the_source_alone():
    old, demo = tickets.old(2), tickets.demo()
    result = labelferry.label(old["text"], demo.texts_target[::2], label=old["label"])
    assert (result.labels == demo.y_target[::2]).mean() > 0.9
    summary = result.summary()
    json.dumps(summary, allow_nan=False)
    assert summary["method"]["why"] != "It was asked for."
    assert len(summary["comparison"]) == len(result.members) == 8
    assert sum(member["weight"] for member in result.members) == pytest.approx(1)
    assert [row["chosen"] for row in summary["comparison"]] == [
        member["weight"] >= LEAST_SHOWN for member in result.members
    ]
    assert summary["estimated_accuracy"] == result.estimated_accuracy
    assert summary["estimated_balanced_accuracy"] == result.estimated_balanced_accuracy
    interval = result.estimated_balanced_accuracy
    assert interval["low"] <= (result.labels == demo.y_target[::2]).mean() <= interval["high"]
    assert summary["changed"] == result.assessment.changed <= 0.5
    assert sum(row["mean"] for row in summary["proportions"]["classes"]) == pytest.approx(1)


@pytest.fixture(scope="module")
def handful():
    """Fewer words than the topics that members have by default."""
    old, labels = ["red door", "red wall", "green tree", "green leaf"], ["r", "r", "g", "g"]
    return labelferry.label(old, ["red leaf", "green wall"], label=labels)


def test_auto_on_a_handful_of_words(handful):
    assert handful.labels.tolist() == ["r", "g"]
    assert handful.verdict.level == "doubtful", "nothing is known about two documents, neither good nor bad"
    assert handful.estimated_accuracy == {"mean": None, "low": None, "high": None}
    assert "correct share unknown" in repr(handful)
    assert handful.summary()["estimated_balanced_accuracy"]["mean"] is None
    assert "not estimated" in render_page(handful.summary())
    assert {"few labelled documents", "few new documents"} <= {fact.name for fact in handful.assessment.facts}


def test_labels_by_four_documents_need_review(handful):
    assert handful.needs_review.all()


@pytest.mark.parametrize("method", ["auto", "sourcelr"])
def test_no_new_document_has_a_known_word(method):
    old, labels = ["red door", "red wall", "green tree wall", "green leaf door"], ["r", "r", "g", "g"]
    result = labelferry.label(old, ["zzyzx", "qwrtp"], label=labels, method=method)
    assert result.needs_review.tolist() == [True, True]
    assert result.documents.confidence.tolist() == [0.5, 0.5]
    assert result.verdict.level == "unsafe"
    assert result.labels.tolist() == [None, None]
    assert result.reasons == ["no known word"] * 2
    with pytest.raises(ValueError, match="no row with a predicted label"):
        result.audit()


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrays", "series"])
def test_what_comes_in_decides_what_goes_out(kind, by_tcl):
    old, new = tickets.old(), tickets.new()
    if kind == "pandas":
        target = pd.DataFrame(new, index=np.arange(360)[::-1])
        result = labelferry.label(pd.DataFrame(old), target, method="tcl", **WORDS)
        frame = result.frame()
        assert isinstance(frame, pd.DataFrame)
        assert frame.index.equals(target.index)
        assert frame["label"].tolist() == by_tcl.labels.tolist()
    elif kind == "polars":
        result = labelferry.label(
            pl.DataFrame(old), pl.DataFrame(new), text="text", label="label", method="tcl", **WORDS
        )
        frame = result.frame()
        assert isinstance(frame, pl.DataFrame)
        assert frame.schema["confidence"] == pl.Float64
        assert frame["label"].to_list() == by_tcl.labels.tolist()
    else:
        array = np.array if kind == "arrays" else pd.Series
        result = labelferry.label(
            array(old["text"]), array(new["text"]), label=array(old["label"]), method="tcl", **WORDS
        )
        frame = result.frame()
        assert frame["label"] == by_tcl.labels.tolist()
        assert next(iter(frame)) == "text"
    names = list(frame.columns) if hasattr(frame, "columns") else list(frame)
    assert names[-8:-2] == ["label", "confidence", "alternative", "evidence", "needs_review", "source_only"]
    assert names[-2:] == ["accept_rank", "labelferry"]


def test_columns(by_tcl):
    columns = by_tcl.columns()
    assert {len(values) for values in columns.values()} == {360}
    assert all(a != b for a, b in zip(columns["label"], columns["alternative"], strict=True))
    sure = np.array(columns["confidence"])
    assert ((sure > 1 / 3 - 1e-4) & (sure <= 1)).all()
    assert columns["needs_review"] == by_tcl.needs_review.tolist()


def test_review_leaves_no_more_errors_than_asked_for(by_tcl):
    assert by_tcl.confidence.max() < 0.985, "the level of the confidence is limited by the estimate for all labels"
    assert label(target_error=0.015).needs_review.all(), "so no label is within an error of .015"
    careful, counts = label(target_error=0.035), [by_tcl.needs_review.sum()]
    for result, target_error in ((by_tcl, 0.05), (careful, 0.035)):
        kept = ~result.needs_review
        assert (1 - result.confidence[kept]).mean() <= target_error
        assert (result.labels != tickets.demo().y_target)[kept].mean() <= target_error
        assert result.confidence[kept].min() >= result.confidence[~kept].max(initial=0)
    counts.append(careful.needs_review.sum())
    assert counts[0] < 200
    assert counts[0] < counts[1] < 360  # below .03 all labels get marked
    threshold = careful.summary()["confidence"]["threshold"]
    assert (careful.confidence < threshold).tolist() == careful.needs_review.tolist()
    strict = label(min_confidence=0.95, target_error=0.015)
    assert strict.needs_review.tolist() == (strict.confidence < 0.95).tolist()
    assert strict.summary()["confidence"]["threshold"] == 0.95


def test_the_words_that_speak_for_a_label_are_in_the_document(by_tcl):
    for text, words, label in zip(by_tcl.inputs.texts, by_tcl.evidence, by_tcl.labels, strict=True):
        assert len(words) <= 5
        assert set(words) <= set(re.findall(r"[a-z]+", text.lower()))
        assert label in by_tcl.typical
    assert sum(bool(words) for words in by_tcl.evidence) > 350
    assert "invoice" in by_tcl.typical["billing"] + by_tcl.typical["account"]


def test_no_known_word_no_evidence():
    texts = [*tickets.demo().texts_target, "zzyzx qwrtp"]
    result = labelferry.label(
        tickets.demo().texts_source, texts, label=tickets.demo().y_source, method="tcl", min_confidence=0
    )
    assert result.evidence[-1] == []
    assert result.needs_review.tolist() == [False] * 360 + [True]
    assert result.documents.confidence[-1] == result.estimator.class_prior_.max()
    assert np.isnan(result.confidence[-1])


def test_evidence_counts_by_hand():
    Xs, Xt = sp.csr_array(np.array([[2.0, 0, 1], [0, 2, 1]])), sp.csr_array(np.array([[1.0, 0, 1], [0, 0, 0]]))
    domains = Domains.from_blocks([("source", Xs, [0, 1])], ("target", Xt))
    scores = word_evidence(domains, np.array([[1.0, 0.0], [0.5, 0.5]]))
    shares = np.array([[3.5, 0.5, 2.5], [0.5, 2.5, 1.5]]).T / np.array([6.5, 4.5])
    np.testing.assert_allclose(scores.share, shares)
    np.testing.assert_allclose(scores.score[:, 0], np.log(shares[:, 0] / shares[:, 1]))
    np.testing.assert_allclose(scores.score[:, 1], -scores.score[:, 0])
    words = np.array(["a", "b", "c"])
    assert characteristic_words(scores, words) == [["a", "c"], ["b"]]
    assert evidence(Xt, np.array([0, 0]), scores.score, words) == [["a", "c"], []]
    assert evidence(Xt, np.array([1, 1]), scores.score, words) == [[], []]
    assert evidence(Xt.toarray(), np.array([0, 0]), scores.score, words, 1) == [["a"], []]


def test_a_column_of_that_name_is_kept(tmp_path):
    target = {"text": tickets.new(3)["text"], "label": ["unknown"] * 120}
    result = labelferry.label(pd.DataFrame(tickets.old(3)), pd.DataFrame(target), method="sourcelr")
    assert set(result.frame()["label_before"]) == {"unknown"}
    path = tickets.write_csv(tmp_path / "new.csv", target)
    result = labelferry.label(pd.DataFrame(tickets.old(3)), path, method="sourcelr")
    assert set(result.frame()["label_before"]) == {"unknown"}
    assert result.frame()["label"] == result.labels.tolist()
    assert "label_before" in result.write(tmp_path / "out.csv")[0]
    assert list(tickets.read_csv(tmp_path / "out.csv"))[:3] == ["text", "label_before", "label"]


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        ({"billing": 1, "technical": -1, "account": 7}, int),
        ({"billing": True, "technical": False, "account": False}, bool),
        ({"billing": 1.0, "technical": 2.0, "account": 3.0}, float),
        ({"billing": "1", "technical": 2, "account": 3}, str),
        ({"billing": 0.5, "technical": 1.0, "account": 2.5}, str),
    ],
)
@pytest.mark.filterwarnings("ignore:-1 on source rows")
def test_labels_keep_their_kind(tmp_path, codes, kind):
    """-1 is a class here: which rows are without labels is plain."""
    labels = [codes[name] for name in tickets.old(3)["label"]]
    path = tickets.write_jsonl(tmp_path / "old.jsonl", {"text": tickets.old(3)["text"], "label": labels})
    target = tickets.write_jsonl(tmp_path / "new.jsonl", tickets.new(3))
    result = labelferry.label(path, target, method="sourcelr")
    assert {type(value) for value in result.columns()["label"]} == {kind}
    assert set(result.columns()["label"]) == {kind(code) for code in codes.values()}
    result.write(tmp_path / "out.jsonl")
    first = json.loads((tmp_path / "out.jsonl").read_text().partition("\n")[0])
    assert first["label"] == result.columns()["label"][0]
    assert type(first["label"]) is kind


def test_sources_of_two_kinds_of_labels(tmp_path):
    """The numbers of one file and the texts of another are the same classes."""
    codes = {"billing": 1, "technical": 2, "account": 3}
    texts, labels = tickets.old()["text"], [codes[name] for name in tickets.old()["label"]]
    numbers = tickets.write_jsonl(tmp_path / "a.jsonl", {"text": texts[::2], "label": labels[::2]})
    words = tickets.write_csv(tmp_path / "b.csv", {"text": texts[1::2], "label": labels[1::2]})
    inputs = read_inputs([numbers, words], tickets.write_csv(tmp_path / "new.csv", tickets.new()), TextOptions())
    assert {label for source in inputs.sources for label in source.labels} == {"1", "2", "3"}


@pytest.mark.parametrize("missing", [None, float("nan"), "", " "])
def test_rows_without_a_label_are_left_out(missing):
    labels = np.array(tickets.old()["label"], dtype=object)
    labels[[3, 8]] = missing
    source = pd.DataFrame({"text": tickets.old()["text"], "label": labels})
    inputs = read_inputs(source, tickets.demo().texts_target, TextOptions())
    assert len(inputs.sources[0].texts) == 358
    assert set(inputs.sources[0].labels) == {"billing", "technical", "account"}
    assert inputs.messages[-1] == "the labelled data frame: 2 rows without a label, left out; first: row 4"


def test_several_sources_as_files_and_by_domain(tmp_path):
    old = tickets.old()
    parts = {"north": slice(0, 200), "south": slice(200, None)}
    files = [
        tickets.write_csv(tmp_path / f"{name}.csv", {column: values[part] for column, values in old.items()})
        for name, part in parts.items()
    ]
    target = tickets.write_csv(tmp_path / "new.csv", tickets.new())
    by_files = labelferry.label(files, target, method="tcl")
    by_names = labelferry.label([str(file) for file in files], str(target), method="tcl")
    region = ["north"] * 200 + ["south"] * 160
    by_domain = labelferry.label(pd.DataFrame({**old, "region": region}), target, domain="region", method="tcl")
    assert [source.name for source in by_domain.inputs.sources] == ["north", "south"]
    assert [len(source.texts) for source in by_files.inputs.sources] == [200, 160]
    assert by_files.labels.tolist() == by_domain.labels.tolist() == by_names.labels.tolist()
    assert [row["documents"] for row in by_domain.summary()["sources"]] == [200, 160]
    assert len(by_domain.estimator.domain_names_) == 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "tlc"}, "Did you mean tcl"),
        ({"min_confidence": 1.5}, "min_confidence must be from 0 to 1"),
        ({"min_confidence": float("nan")}, "min_confidence must be from 0 to 1"),
        ({"target_error": -0.1}, "target_error must be from 0 to 1"),
        ({"label": None}, "label must be a list of labels"),
        ({"label": ["billing"] * 360}, "two classes or more"),
        ({"label": ["billing"]}, "1 labels and 360 texts"),
        ({"source": []}, "no text|label"),
        ({"target": []}, "no text at all"),
        ({"target": "a text"}, "there is no file"),
        ({"source": pd.DataFrame(tickets.old())}, "label must name a column"),
        ({"domain": "region"}, "region"),
        ({"max_memory": 1000.0}, "max_memory must be a number of bytes from 1e6"),
        ({"max_memory": 1e6}, r"max_memory is 1 MB, and a fit of 720 documents .* Pass at least max_memory=\de6"),
        ({"language": "klingon"}, "klingon"),
        ({"ngrams": 0}, "ngrams must be"),
        ({"html": "perhaps"}, "html must be"),
    ],
)
def test_mistakes(settings, message):
    given = {"source": tickets.old()["text"], "target": tickets.demo().texts_target, "label": tickets.old()["label"]}
    given |= {"method": "sourcelr", **settings}
    with pytest.raises(ValueError, match=message) as error:
        labelferry.label(given.pop("source"), given.pop("target"), **given)
    assert "\n" not in str(error.value)


def test_no_word_left():
    with pytest.raises(ValueError, match="no words are left"):
        labelferry.label(["one", "two"], ["the", "and"], label=["a", "b"], method="sourcelr")


def test_memory_takes_the_rare_words(by_tcl):
    X = sp.csr_array(sp.hstack([by_tcl.features.Xt] * 3))
    documents = np.bincount(X.indices, minlength=X.shape[1])
    entries = np.sort(documents)[::-1]
    need = np.cumsum(entries * (X.data.itemsize + X.indices.itemsize) * 3 + 8 * 64 * 3) + 8 * 64 * 360
    assert words_within(documents, X.shape[0], need[-1], 3) == X.shape[1]
    assert words_within(documents, X.shape[0], need[1100], 3) == 1101
    assert words_within(documents, X.shape[0], need[1100] - 1, 3) == 1100
    with pytest.raises(ValueError, match=r"and a fit of 360 documents and 1,000 words, .*, needs \d MB") as error:
        words_within(documents, X.shape[0], need[999] - 1, 3)
    enough = float(re.search(r"max_memory=(\S+)", str(error.value))[1])
    assert words_within(documents, X.shape[0], enough, 3) >= 1000


def test_memory_is_said():
    rng = np.random.default_rng(0)
    letters = np.array(list("bcdfghjklmnprstvwz"))
    words = ["".join(word) for word in rng.choice(letters, (1500, 6))]
    texts = [" ".join(words[i] for i in rng.integers(1500, size=60)) for _ in range(120)]
    labels = [("a", "b")[i % 2] for i in range(80)]
    fixed = {"language": None, "ngrams": 1}
    result = labelferry.label(texts[:80], texts[80:], label=labels, method="sourcelr", max_memory=2.4e6, **fixed)
    *_, message = result.features.messages  # others are about the language of these random letters
    assert re.fullmatch(r"1,\d\d\d of 1,\d\d\d words are kept, the most frequent, .*", message)
    assert len(result.features.words) == int(message.partition(" ")[0].replace(",", ""))


def features(tmp_path, *, signed):
    demo = tickets.demo()
    X = sp.csr_array(sp.vstack([demo.X_source, demo.X_target]))
    if signed:
        path = tmp_path / "features.npy"
        np.save(path, X[:, :60].toarray() - 0.05)
    else:
        path = tmp_path / "features.npz"
        sp.save_npz(path, X)
    return path


def test_own_features(tmp_path, by_tcl):
    result = label(features=features(tmp_path, signed=False))
    assert result.labels.tolist() == by_tcl.labels.tolist()
    assert result.evidence == by_tcl.evidence  # words of the texts, also with features of one's own
    assert result.typical == by_tcl.typical
    with pytest.raises(ValueError, match="has no vocabulary"):
        result.save(tmp_path / "model.npz")


def test_own_features_below_zero(tmp_path):
    path = features(tmp_path, signed=True)
    with pytest.raises(ValueError, match="Negative values in data passed to TCL"):
        label(features=path)
    result = label("sourcelr", features=path)
    assert result.method == "SourceLR"
    linear = {"SourceLR", "LR(common words)", "LR(self-training)"}
    assert {member["method"] for member in result.members} == linear
    texts = [text.lower() for text in tickets.demo().texts_target]
    assert all(word in text for words, text in zip(result.evidence, texts, strict=True) for word in words)
    assert sum(map(bool, result.evidence)) > 300  # a wrong label may have no word that supports it
    json.dumps(result.summary(), allow_nan=False)
    members = {member["method"] for member in label("auto", features=path).members}
    assert members == linear


def test_own_features_as_arrays(tmp_path, by_tcl):
    demo = tickets.demo()
    for given in ((demo.X_source, demo.X_target), sp.vstack([demo.X_source, demo.X_target])):
        result = label(features=given)
        assert result.labels.tolist() == by_tcl.labels.tolist()
        assert result.evidence == by_tcl.evidence


def test_features_of_documents_without_words():
    """Texts that are only numbers of documents: evidence names the features."""
    X = np.repeat(np.eye(2), 30, axis=0)
    texts = [str(i) for i in range(60)]
    y = ["a"] * 20 + ["b"] * 20
    rows = [*range(20), *range(30, 50), *range(20, 30), *range(50, 60)]
    result = labelferry.label(
        [texts[i] for i in rows[:40]], [texts[i] for i in rows[40:]], label=y, features=X[rows], method="sourcelr"
    )
    assert result.labels.tolist() == ["a"] * 10 + ["b"] * 10
    assert result.evidence[0] == ["feature 1"]


def test_few_who_agree_are_not_safe_for_that(tmp_path):
    """Two linear classifiers agree on labels that mean nothing; held-out documents of the source tell."""
    demo, noise = tickets.demo(), np.random.default_rng(0).choice(["a", "b"], 360)
    path = features(tmp_path, signed=True)
    for method in ("auto", "sourcesvm"):
        result = labelferry.label(demo.texts_source, demo.texts_target, label=noise, features=path, method=method)
        assert len(result.members) == 3
        assert result.verdict.level == "unsafe"


@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_own_features_of_other_kinds(tmp_path, dtype):
    """Counts, and numbers of single precision: the labels are those of the method, the chances are no whole numbers."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(90, 12)).astype(dtype)
    y = np.where(X[:50, 0] > X[:50, 1], "a", "b")
    np.save(tmp_path / "X.npy", X)
    texts = [f"text {i}" for i in range(90)]
    result = labelferry.label(texts[:50], texts[50:], label=y, features=tmp_path / "X.npy", method="sourcelr")
    assert result.labels.tolist() == SourceLR().transfer(X[:50], y, X[50:]).tolist()
    assert len(np.unique(result.confidence)) > 3
    auto = labelferry.label(texts[:50], texts[50:], label=y, features=tmp_path / "X.npy")
    assert auto.labels.tolist() == auto.estimator.transduction_.tolist()
    assert ((auto.confidence >= 0.5 - 1e-6) & (auto.confidence <= 1)).all()


@pytest.mark.parametrize(
    ("name", "write", "message"),
    [
        ("no.npz", None, "No such file"),
        ("flat.npy", lambda path: np.save(path, np.zeros(720)), "one row for each of the 720 documents"),
        ("short.npy", lambda path: np.save(path, np.zeros((719, 3))), "one row for each of the 720 documents"),
        ("texts.npy", lambda path: np.save(path, np.array([["a"]] * 720)), "not numbers"),
        ("objects.npy", lambda path: np.save(path, np.array([[{}]] * 720), allow_pickle=True), "it contains objects"),
        ("dense.npz", lambda path: np.savez(path, X=np.zeros((720, 3))), "scipy.sparse.save_npz"),
        ("empty.npy", lambda path: path.write_bytes(b""), "cannot read features"),
        ("junk.npz", lambda path: path.write_bytes(b"PK\x03\x04 junk"), "cannot read features"),
        ("zip.npy", lambda path: np.savez(path.open("wb"), X=np.zeros((720, 3))), "cannot read features"),
    ],
)
def test_features_that_are_none(tmp_path, name, write, message):
    if write:
        write(tmp_path / name)
    with pytest.raises(ValueError, match=message) as error:
        label("sourcelr", features=tmp_path / name)
    assert "allow_pickle" not in str(error.value)


@pytest.mark.parametrize("method", ["tcl", "emnaivebayes", "sourcelr"])
def test_the_summary_is_plain_and_makes_a_page(method, by_tcl, tmp_path):
    result = by_tcl if method == "tcl" else label(method)
    summary = result.summary()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert sum(row["target"] for row in summary["classes"]) == summary["n_target"] == 360
    assert sum(bin_["documents"] for bin_ in summary["confidence"]["bins"]) == 360
    assert summary["confidence"]["below"] == result.needs_review.sum()
    assert len(summary["projection"]["points"]) == 720
    assert summary["projection"]["documents"] == {"source 1": 360, "target": 360}
    if method != "tcl":
        assert [row["method"] for row in summary["comparison"] if row["chosen"]] == [result.method]
    assert bool(summary["topics"]) == (method == "tcl")
    assert [row["confidence"] for row in summary["review"]] == sorted(row["confidence"] for row in summary["review"])
    assert summary["verdict"]["level"] in LEVELS
    assert {"reading", "counting words"} <= {row["stage"] for row in summary["timings"]}
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Labels for target" in page
    assert "billing" in page
    if method != "tcl":
        with pytest.raises(ValueError, match="there is no folder"):
            result.report(tmp_path / "nowhere" / "page.html")


def test_the_chosen_method_is_in_the_comparison(by_tcl):
    assert [row["method"] for row in by_tcl.summary()["comparison"] if row["chosen"]] == ["TCL"]


def test_markup_in_texts_and_classes_stays_text():
    hostile = {"billing": "<script>alert(1)</script>", "technical": "[red]x[/red]", "account": "a & b"}
    labels = [hostile[name] for name in tickets.old()["label"]]
    texts = [*tickets.demo().texts_target[:50], "<script>alert(2)</script> the invoice [bold] licence"]
    result = labelferry.label(tickets.old()["text"], texts, label=labels, method="sourcelr")
    assert set(result.labels) <= set(hostile.values())
    assert result.frame()["text"] == texts
    page = render_page(result.summary())
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_two_classes_and_one_word():
    result = labelferry.label(["red a", "red b", "c", "d"], ["red d"], label=["x", "x", "y", "y"], method="sourcelr")
    points = result.summary()["projection"]["points"]
    assert [point["y"] for point in points] == [0.0] * 3, "without the documents of unknown words"


def test_a_source_called_target_is_not_taken_for_it():
    source = pd.DataFrame({**tickets.old(3), "domain": ["target", "other"] * 60})
    points = labelferry.label(source, tickets.new(3)["text"], method="sourcelr").summary()["projection"]["points"]
    counts = Counter(point["domain"] for point in points)
    assert counts == {"target": 120, "target (labelled)": 60, "other": 60}


def test_stages_are_announced_and_timed(stages):
    with listen(stages):
        result = label("sourcelr")
    panel = [member["method"] for member in result.members]
    assert stages.begun[:3] == ["reading", "counting words", "SourceLR"]
    assert sorted(stages.begun[3:-1]) == sorted(panel), "members end in any order"
    assert stages.begun[-1] == "finding evidence"
    assert stages.expected == Counter(stages.begun)
    assert list(result.seconds) == ["reading", "counting words", "transferring labels", "finding evidence"]
    assert all(seconds >= 0 for seconds in result.seconds.values())


def test_later_documents(by_tcl, tmp_path):
    by_tcl.save(tmp_path / "model.npz")
    model = labelferry.load(tmp_path / "model.npz")
    texts = by_tcl.inputs.texts
    again = model.label(texts)
    assert (again == by_tcl.labels).mean() > 0.97
    assert again.tolist() == by_tcl.estimator.predict(by_tcl.features.Xt).tolist()
    proba = model.proba(texts[:7])
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert model.typical == by_tcl.typical
    with pytest.raises(ValueError, match="Put it in a list"):
        model.label("a text")


def test_what_is_written_has_every_column_and_row(by_tcl, tmp_path):
    result = labelferry.label(
        pl.DataFrame(tickets.old()),
        tickets.write_csv(tmp_path / "new.csv", tickets.new()),
        method="tcl",
        target_error=0.035,
        **WORDS,
    )
    result.write(tmp_path / "out.csv")
    written = tickets.read_csv(tmp_path / "out.csv")
    assert written["id"] == [str(i) for i in range(360)]
    assert written["note"] == tickets.new()["note"]
    assert written["text"] == tickets.new()["text"]
    assert written["label"] == by_tcl.labels.tolist()
    assert set(written["needs_review"]) == {"true", "false"}
    assert written["needs_review"] == [str(needed).lower() for needed in result.needs_review]
