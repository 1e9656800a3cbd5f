"""Later documents by a saved model: the verdict is that of the model, or worse if the documents differ."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import cli
from labelferry.assessment.confidence import needs_review
from labelferry.assessment.estimate import Estimate
from labelferry.assessment.later import assess_later, proportion_change
from labelferry.assessment.reference import Reference
from labelferry.families.divergence import center, gap, gap_of_centers
from labelferry.labelling import model as saved_models
from labelferry.labelling.apply import apply
from labelferry.labelling.evidence import word_evidence

from .. import tickets

REFERENCE = Reference(
    level="safe",
    reasons=("All is well.",),
    balanced_accuracy=Estimate(0.95, 0.8, 1.0, 0.85),
    accuracy=Estimate(0.9, 0.7, 1.0, 0.75),
    proportions=(0.5, 0.5),
    known_documents=1.0,
    known_words=0.9,
    margins=(0.0, 0.5, 1.0),
    confidence=(0.6, 0.9, 1.0),
    mean_confidence=0.95,
    review_all=False,
    target_error=0.05,
    min_confidence=None,
)
X = np.random.default_rng(0).random((60, 40)) + np.eye(60, 40) * 20
X[40:] += np.roll(np.eye(20, 40), 7, axis=1) * 30


def assess(codes, *, X=X, known_words=0.9, confident=1.0, distance=None, **changes):
    P = np.eye(2)[np.asarray(codes, dtype=int)] * confident + (1 - confident) / 2
    reference = REFERENCE._replace(**changes)
    return assess_later(reference, P, X, known_words=known_words, classes=["bill", "bug"], distance=distance)


ALTERNATING = np.arange(60) % 2


def run(*arguments):
    arguments = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "200", "NO_COLOR": "1"})


# -- the judge --------------------------------------------------------------------------------------------------------
def test_documents_like_those_at_fitting_keep_the_verdict():
    found = assess(ALTERNATING)
    assert found.facts == ()
    assert not found.review.any()
    for level in ("safe", "doubtful", "unsafe"):
        assert assess(ALTERNATING, level=level).level == level


@pytest.mark.parametrize(
    ("name", "level", "changes"),
    [
        ("few known words", "unsafe", {"known_words": 0.1}),
        ("few known words", "unsafe", {"X": X * (np.arange(60) % 2 == 0)[:, None]}),
        ("constant answer", "unsafe", {"codes": np.zeros(60)}),
        ("vanished class", "doubtful", {"codes": np.arange(60) < 2}),
        ("copies", "doubtful", {"X": X[np.arange(60) % 20]}),
        ("few new documents", "doubtful", {"codes": ALTERNATING[:20], "X": X[:20]}),
        ("changed proportions", "doubtful", {"codes": np.arange(60) < 50}),
        ("low confidence", "doubtful", {"confident": 0.2}),
        ("distant documents", "doubtful", {"distance": 0.6}),
    ],
)
def test_documents_that_differ_lower_the_verdict(name, level, changes):
    found = assess(**({"codes": ALTERNATING} | changes))
    assert name in [fact.name for fact in found.facts]
    assert found.level == level
    fact = next(fact for fact in found.facts if fact.name == name)
    assert f"{fact.sentence} {fact.way_out}" in found.verdict().reasons
    assert "new documents" not in fact.sentence


def test_the_distance_to_the_documents_at_fitting():
    assert assess(ALTERNATING, distance=0.1).facts == ()
    assert any("0.10 (0 equal" in reason for reason in assess(ALTERNATING, distance=0.1).verdict().reasons)
    assert not any("Distance" in reason for reason in assess(ALTERNATING).verdict().reasons)
    assert [fact.name for fact in assess([0, 1] * 5, X=X[:10], distance=0.9).facts] == ["few new documents"]
    a, b = np.random.default_rng(1).random((2, 30, 8)) * [[[1]], [[0.5]]]
    b[:, 0] = 3.0
    assert gap_of_centers(center(a), center(b)) == gap(a, b) > 0.05
    assert gap_of_centers(center(a[:15]), center(a[15:])) < 0.05


def test_a_few_documents_of_one_class_are_no_constant_answer():
    assert [fact.name for fact in assess([0] * 5, X=X[:5]).facts] == ["few new documents"]


def test_a_class_that_was_frequent_at_fitting_may_be_frequent():
    assert assess(np.zeros(60), proportions=(0.99, 0.01)).facts == ()


def test_confidence_follows_the_margin():
    P = np.array([[0.5, 0.5], [0.625, 0.375], [0.25, 0.75], [1.0, 0.0]])
    found = assess_later(REFERENCE, P, X[:4], known_words=1.0, classes=["a", "b"])
    np.testing.assert_allclose(found.p_correct, [0.6, 0.75, 0.9, 1.0])
    assert found.review.all(), "four documents are too few"


def test_review_by_error_by_confidence_or_of_all():
    strong = np.linspace(0, 1, 60)
    P = np.stack([0.5 + strong / 2, 0.5 - strong / 2], axis=1)
    P[ALTERNATING == 1] = P[ALTERNATING == 1, ::-1]

    def review(X=X, **changes):
        reference = REFERENCE._replace(**changes)
        return assess_later(reference, P, X, known_words=1.0, classes=["a", "b"]).review

    p_correct = np.interp(strong, REFERENCE.margins, REFERENCE.confidence)
    kept = ~review()
    assert 0 < kept.sum() < 60
    assert (1 - p_correct[kept]).mean() <= 0.05
    assert review(min_confidence=0.8).tolist() == (p_correct < 0.8).tolist()
    assert review(review_all=True).all()
    empty = X * (np.arange(60) != 59)[:, None]
    assert review(empty)[59], "without known words"


def test_a_reference_as_plain_values_and_back():
    for reference in (REFERENCE, REFERENCE._replace(balanced_accuracy=None, accuracy=None)):
        assert Reference.from_dict(json.loads(json.dumps(reference.as_dict()))) == reference
    assert REFERENCE.estimated("accuracy") == {"mean": 0.9, "low": 0.7, "high": 1.0}
    assert REFERENCE._replace(accuracy=None).estimated("accuracy")["mean"] is None
    for wrong in ({"level": "fine"}, {"margins": [0.0]}):
        with pytest.raises(ValueError, match="damaged"):
            Reference.from_dict(REFERENCE.as_dict() | wrong)


def test_proportion_change_by_hand():
    assert proportion_change(np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])) == pytest.approx(0.3)


# -- files ------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model by two thirds of the new tickets; the other third is later."""
    folder, demo = tmp_path_factory.mktemp("later"), tickets.demo()
    later = np.arange(360) % 3 == 0
    texts = np.array(demo.texts_target, dtype=object)
    result = labelferry.label(demo.texts_source, texts[~later].tolist(), label=demo.y_source)
    result.save(folder / "model.npz")
    tickets.write_csv(folder / "later.csv", {"text": texts[later].tolist()})
    german = ["Der Drucker druckt nicht mehr und das Papier klemmt", "Ich habe die Rechnung zweimal bezahlt"]
    tickets.write_csv(folder / "german.csv", {"text": [f"{german[i % 2]} {'abcdefg'[i % 7] * 4}" for i in range(60)]})
    bills = texts[demo.y_target == "billing"].tolist()
    tickets.write_csv(folder / "bills.csv", {"text": bills})
    return folder, result, demo.y_target[later]


def test_later_documents_of_the_same_kind(saved):
    folder, result, truth = saved
    found = apply(folder / "model.npz", folder / "later.csv")
    assert (np.array(found.columns["label"]) == truth).mean() > 0.9
    names = ["label", "confidence", "alternative", "evidence", "known_words", "needs_review", "labelferry"]
    assert [*found.columns] == names
    a = found.assessment
    assert a.facts == ()
    assert a.level == result.verdict.level
    assert a.reference.verdict.reasons == result.verdict.reasons
    assert a.reference.estimated("accuracy") == result.estimated_accuracy
    assert a.known_documents == 1
    assert a.distance < 0.1
    assert a.p_correct.mean() == pytest.approx((np.array(found.columns["label"]) == truth).mean(), abs=0.1)
    assert a.reference.proportions == pytest.approx([(result.labels == c).mean() for c in found.classes])


def test_without_the_votes_of_the_methods_more_labels_are_marked(saved):
    """As the help of the command says."""
    folder, result, _ = saved
    again = labelferry.load(folder / "model.npz").assess(result.inputs.texts)
    assert again.p_correct.mean() == pytest.approx(result.confidence.mean(), abs=0.005)
    assert again.p_correct.std() < result.confidence.std()
    for error in (0.022, 0.025, 0.028):
        assert needs_review(again.p_correct, error).sum() > needs_review(result.confidence, error).sum()
    assert "Usually more labels get needs_review" in " ".join(run("apply", "--help").output.split())


def test_a_later_document_without_a_known_word_has_no_label(saved, tmp_path):
    folder = saved[0]
    texts = tickets.read_csv(folder / "later.csv")["text"]
    tickets.write_csv(tmp_path / "more.csv", {"text": ["zzz qqq", *texts[:60], "", *texts[60:]]})
    applied, plain = (
        apply(folder / "model.npz", tmp_path / "more.csv"),
        apply(folder / "model.npz", folder / "later.csv"),
    )
    columns = applied.columns
    assert columns["reason"] == ["no known word", *[None] * 60, "no text", *[None] * 60]
    assert (columns["known_words"][0], columns["known_words"][61]) == (0, None)
    for row in (0, 61):
        assert [columns[name][row] for name in ("label", "confidence", "alternative", "evidence")] == [*[None] * 3, ""]
        assert columns["needs_review"][row] is True
    for name in ("label", "confidence", "alternative", "evidence", "known_words"):
        assert [value for row, value in enumerate(columns[name]) if row not in (0, 61)] == plain.columns[name]
    assert sum(row["documents"] for row in applied.summary()["classes"]) == 120
    assert sum(row["share"] for row in applied.summary()["classes"]) == pytest.approx(1)


def test_facts_count_only_documents_with_a_label(saved, tmp_path):
    """The class table and the facts are about the same labels."""
    folder = saved[0]
    texts = tickets.read_csv(folder / "later.csv")["text"]
    plain = apply(folder / "model.npz", folder / "later.csv")
    tickets.write_csv(tmp_path / "more.csv", {"text": [*texts, *["zzz qqq"] * 40]})
    found = apply(folder / "model.npz", tmp_path / "more.csv")
    assert found.assessment.facts == ()
    assert found.assessment.proportions.tolist() == plain.assessment.proportions.tolist()
    assert found.assessment.p_correct[:120].tolist() == plain.assessment.p_correct.tolist()
    assert np.isnan(found.assessment.p_correct[120:]).all()
    assert found.assessment.review.tolist() == [*plain.assessment.review.tolist(), *[True] * 40]
    assert found.summary()["confidence"] == plain.summary()["confidence"]
    for name in ("n_labelled", "to_review", "classes"):
        assert found.summary()[name] == plain.summary()[name]
    assert found.summary()["n_documents"] == 160
    bills = tickets.read_csv(folder / "bills.csv")["text"]
    tickets.write_csv(tmp_path / "bills.csv", {"text": [*bills, *["zzz qqq"] * 20]})
    found = apply(folder / "model.npz", tmp_path / "bills.csv")
    share = max(row["share"] for row in found.summary()["classes"])
    assert f"{share:.0%} of the labels of the later documents are 'billing'." in " ".join(found.verdict.reasons)


@pytest.mark.parametrize("n_known", [0, 1])
def test_hardly_any_later_document_has_a_label(saved, tmp_path, n_known):
    folder = saved[0]
    texts = tickets.read_csv(folder / "later.csv")["text"]
    tickets.write_csv(tmp_path / "other.csv", {"text": [*texts[:n_known], *["zzz qqq"] * 90]})
    shown = run("apply", folder / "model.npz", tmp_path / "other.csv", "-o", tmp_path / "out.csv", "--verbose")
    assert shown.exit_code == 0, shown.output
    printed = " ".join(shown.stdout.split())
    assert "unsafe" in printed
    assert f"{n_known} of {n_known + 90} later documents got a label: too few to compare" in printed
    assert "90 documents without a word that the model knows: no label." in printed
    for words in ("labels of the later documents are", "Hardly any", "Mean confidence", "would have to change", "nan"):
        assert words not in printed
    summary = apply(folder / "model.npz", tmp_path / "other.csv").summary()
    assert (summary["confidence"] is None) == (n_known == 0)
    json.dumps(summary, allow_nan=False)


@pytest.mark.parametrize(("n_known", "n_unknown"), [(29, 1), (24, 8), (29, 0)])
def test_few_later_labels_are_not_safe(saved, tmp_path, n_known, n_unknown):
    """Labels of one class: too few to compare them with those at fitting."""
    folder, result, _ = saved
    texts = [t for t, label in zip(result.inputs.texts, result.labels, strict=True) if label == result.labels[0]]
    tickets.write_csv(tmp_path / "few.csv", {"text": [*texts[:n_known], *["zzz qqq"] * n_unknown]})
    applied = apply(folder / "model.npz", tmp_path / "few.csv")
    assert applied.verdict.level != "safe"
    assert f"There are {n_known} later documents with a label; an estimate needs at least 30." in " ".join(
        applied.verdict.reasons
    )


def test_why_many_later_labels_are_marked(saved):
    folder, result, _ = saved
    model = labelferry.load(folder / "model.npz")
    tickets.write_csv(folder / "same.csv", {"text": result.inputs.texts})

    def last_reason(**changes):
        replace(model, reference=model.reference._replace(**changes)).save(folder / "strict.npz")
        return apply(folder / "strict.npz", folder / "same.csv").verdict.reasons[-1]

    assert "are marked for review" not in last_reason(target_error=0.5)
    assert last_reason(target_error=0.0).startswith("240 of 240 labels (100%) are marked for review: a saved model is ")
    assert last_reason(target_error=0.0).endswith("a saved model is one method, and no others confirm its labels.")
    assert last_reason(review_all=True).endswith("are marked for review, as all were when the model was fitted.")
    german = apply(folder / "model.npz", folder / "german.csv")
    assert german.assessment.labelled.sum() == 0 or "requires it" in german.verdict.reasons[-1]


def test_words_that_support_the_labels(saved):
    """They support the label as much as those of `label` for the same documents; equal scores may be rounded."""
    folder, result, _ = saved
    model = labelferry.load(folder / "model.npz")
    texts = result.inputs.texts
    codes = np.searchsorted(result.estimator.classes_, result.labels)
    scores = word_evidence(result.domains, result.estimator.transduction_proba_).score
    weights, column = result.features.Xt.toarray(), {word: j for j, word in enumerate(result.features.words)}

    def support(listed):
        columns = [[column[word] for word in words] for words in listed]
        return [(weights[i, own] * scores[own, codes[i]]).sum() for i, own in enumerate(columns)]

    np.testing.assert_allclose(support(model.evidence(texts, codes)), support(result.evidence), rtol=1e-5)
    found = apply(folder / "model.npz", folder / "later.csv")
    assert np.mean([bool(words) for words in found.columns["evidence"]]) > 0.9
    for text, words in zip(found.table.columns["text"], found.columns["evidence"], strict=True):
        assert all(word in text.lower() for word in words.split(", "))
    assert all(words == [] for words in replace(model, word_scores=None).evidence(texts, codes))


def test_the_command_prints_the_verdict(saved, tmp_path):
    folder, result, _ = saved
    shown = run("apply", folder / "model.npz", folder / "later.csv", "-o", tmp_path / "out.csv", "--verbose")
    assert shown.exit_code == 0, shown.output
    for words in (f"Verdict when the model was fitted: {result.verdict.level}", "at fitting", "to review"):
        assert words in shown.stdout
    found = run("apply", folder / "model.npz", folder / "later.csv", "-o", tmp_path / "out.csv", "--json")
    summary = json.loads(found.stdout)
    assert summary["verdict"]["level"] == result.verdict.level
    assert summary["at_fitting"]["verdict"]["reasons"] == result.verdict.reasons
    assert summary["to_review"] == tickets.read_csv(tmp_path / "out.csv")["needs_review"].count("true")
    assert sum(row["documents"] for row in summary["classes"]) == summary["n_documents"] == 120


@pytest.mark.parametrize(
    ("file", "fact", "level"), [("german.csv", "few known words", "unsafe"), ("bills.csv", "changed proportions", None)]
)
def test_strict_if_the_documents_differ(saved, tmp_path, file, fact, level):
    folder = saved[0]
    arguments = ("apply", folder / "model.npz", folder / file, "-o", tmp_path / "out.csv", "--json")
    found = run(*arguments, "--strict")
    assert found.exit_code == 3
    assert (tmp_path / "out.csv").exists()
    summary = json.loads(found.stdout)
    assert fact in summary["facts"]
    assert summary["verdict"]["level"] in ([level] if level else ["doubtful", "unsafe"])
    assert run(*arguments).exit_code == 0


def test_a_model_of_an_earlier_version(saved, tmp_path):
    folder = saved[0]
    with np.load(folder / "model.npz", allow_pickle=False) as file:
        arrays = dict(file)
    given = json.loads(str(arrays["model"]))
    del given["reference"]
    np.savez(tmp_path / "old.npz", **{**arrays, "model": np.array(json.dumps(given))})
    model = labelferry.load(tmp_path / "old.npz")
    with pytest.raises(ValueError, match="saved by an earlier version"):
        model.assess(["a text"])
    shown = run("apply", tmp_path / "old.npz", folder / "later.csv", "-o", tmp_path / "out.csv", "--strict")
    assert shown.exit_code == 3, shown.output
    assert "earlier version" in shown.stdout
    assert not re.search("^(safe|doubtful|unsafe) ", shown.stdout, flags=re.M)
    assert set(tickets.read_csv(tmp_path / "out.csv")["needs_review"]) == {"true"}
    summary = json.loads(
        run("apply", tmp_path / "old.npz", folder / "later.csv", "-o", tmp_path / "out.csv", "--json").stdout
    )
    assert summary["verdict"] is None


def test_arrays_of_other_words_are_damaged(saved, tmp_path):
    with np.load(saved[0] / "model.npz", allow_pickle=False) as file:
        arrays = dict(file)
    for name, message in (("word_scores", "its evidence is not"), ("center/total", "its mean document is not")):
        np.savez(tmp_path / "odd.npz", **{**arrays, name: arrays[name][1:]})
        with pytest.raises(ValueError, match=message):
            labelferry.load(tmp_path / "odd.npz")


@pytest.mark.parametrize("change", [{"level": "fine"}, {"proportions": [0.5, 0.5]}, {"confidence": None}])
def test_a_damaged_reference(saved, tmp_path, change):
    with np.load(saved[0] / "model.npz", allow_pickle=False) as file:
        arrays = dict(file)
    given = json.loads(str(arrays["model"]))
    given["reference"] |= change
    np.savez(tmp_path / "odd.npz", **{**arrays, "model": np.array(json.dumps(given))})
    with pytest.raises(ValueError, match="is damaged"):
        labelferry.load(tmp_path / "odd.npz")


def test_copies_are_found_among_many_documents(monkeypatch, tmp_path):
    """Of many documents a sample is compared; exact copies are counted in all of them."""
    demo = labelferry.load_demo()
    result = labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source, method="emnaivebayes")
    result.save(tmp_path / "model.npz")
    model = labelferry.load(tmp_path / "model.npz")
    texts = list(demo.texts_target[:100]) * 4
    for most in (10_000, 60):
        monkeypatch.setattr(saved_models, "MAX_COMPARED", most)
        assert "copies" in [fact.name for fact in model.assess(texts).facts]
    assert "copies" not in [fact.name for fact in model.assess(texts[:100]).facts]
