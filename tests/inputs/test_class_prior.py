"""Class proportions that the user knows: read, checked, matched, and named in the verdict."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import AutoTransfer, EMNaiveBayes, cli
from labelferry.assessment.proportions import Prior, Proportions, estimate_proportions, matched_sentence
from labelferry.cli.options import proportions_of
from labelferry.inputs.prior import read_class_prior

from .. import tickets
from ..assessment.test_assessment import facts_of
from ..planted import vocabulary_shift

CLASSES = np.array(["account", "billing", "technical"])
WANTED = {"technical": 0.5, "account": 0.2, "billing": 0.3}


def run(*arguments):
    arguments = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "200", "NO_COLOR": "1"})


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prior")
    return tickets.write_csv(folder / "old.csv", tickets.old(3)), tickets.write_csv(folder / "new.csv", tickets.new(3))


def test_a_dict_is_put_into_the_order_of_the_classes():
    np.testing.assert_allclose(read_class_prior(WANTED, CLASSES), [0.2, 0.3, 0.5])
    np.testing.assert_allclose(read_class_prior([0.2, 0.3, 0.5], CLASSES), [0.2, 0.3, 0.5])
    np.testing.assert_allclose(read_class_prior({"1": 0.33, 0: 0.66}, np.array([0, 1])), [2 / 3, 1 / 3])
    assert read_class_prior("uniform", CLASSES) == "uniform"
    assert read_class_prior(None, CLASSES) is None


@pytest.mark.parametrize(
    ("class_prior", "message"),
    [
        ({"bug": 0.2, "billing": 0.3, "technical": 0.5}, "account, billing, technical; got unknown class 'bug'"),
        ({"billing": 0.5, "technical": 0.5}, "no proportion for 'account'"),
        ({"account": 0.6, "billing": 0.6, "technical": 0.4}, "must have the sum 1; got 1.6"),
        ({"account": -0.2, "billing": 0.7, "technical": 0.5}, "above 0 .* got -0.2 for 'account'"),
        ({"account": 0.0, "billing": 0.5, "technical": 0.5}, "got 0 for 'account'. Remove a class that cannot occur"),
        ({"account": "few", "billing": 0.5, "technical": 0.5}, "must have numbers"),
        ([0.5, 0.5], "one proportion per class, 3 in the order account, billing, technical; got 2"),
        ([float("nan"), 0.5, 0.5], "got nan for 'account'"),
        ("natural", "one of source, uniform, estimate or proportions; got 'natural'"),
    ],
)
def test_wrong_proportions(class_prior, message):
    with pytest.raises(ValueError, match=message) as error:
        read_class_prior(class_prior, CLASSES)
    assert "\n" not in str(error.value)


def test_the_option_of_the_command_line():
    assert proportions_of(None) is None
    assert proportions_of("source") == "source"
    assert proportions_of(" a b = 0.2, c=d =.8") == {"a b": 0.2, "c=d": 0.8}
    for wrong in ("a=0.2,b", "a=0.2,a=0.8", "a=x", "a=0.5,"):
        with pytest.raises(ValueError, match="CLASS=NUMBER"):
            proportions_of(wrong)


@pytest.mark.parametrize("method", ["auto", "sourcelr"])
def test_labels_are_matched_and_the_verdict_names_it(method):
    demo = tickets.demo()
    result = labelferry.label(
        demo.texts_source, demo.texts_target, label=demo.y_source, method=method, class_prior=WANTED
    )
    shares = [(result.labels == c).mean() for c in CLASSES]
    np.testing.assert_allclose(shares, [0.2, 0.3, 0.5], atol=0.025)
    text = " ".join(result.verdict.reasons)
    assert "class proportions that you gave: technical 50%, billing 30%, account 20%" in text
    assert "Not known without labels: whether the new documents contain a class" in text
    assert "Not known without labels: the class proportions" not in text
    proportions = result.summary()["proportions"]
    assert proportions["known"]
    assert proportions["given"]
    assert [row["low"] for row in proportions["classes"]] == [0.2, 0.3, 0.5]
    assert result.settings["class_prior"] == [0.2, 0.3, 0.5]


def test_true_proportions_repair_an_unbalanced_source():
    task = vocabulary_shift(n_docs=300, common=0.3, seed=1)
    rare = np.flatnonzero(task.ys == 1)[:8]
    rows = np.concatenate([np.flatnonzero(task.ys == 0), rare])
    wanted = np.bincount(task.yt) / len(task.yt)
    plain, matched = (
        AutoTransfer(class_prior=prior, random_state=0).transfer(task.Xs[rows], task.ys[rows], task.Xt)
        for prior in (None, wanted)
    )
    np.testing.assert_allclose(np.bincount(matched) / len(matched), wanted, atol=0.03)
    assert (matched == task.yt).mean() >= (plain == task.yt).mean()


def test_an_estimate_does_not_make_the_proportions_known():
    answer, other = np.arange(100) % 2, (np.arange(100) < 85).astype(int)
    source, half = np.array([0.5, 0.5]), np.array([0.5, 0.5])
    for origin in ("given", "source", "uniform"):
        given = estimate_proportions(answer, {"a": other}, source, Prior(half, origin))
        assert given.known
        assert given.given
        assert given.low.tolist() == given.high.tolist() == [0.5, 0.5]
        assert "as you chose" in matched_sentence(given, ["x", "y"]) or origin == "given"
    estimated = estimate_proportions(answer, {"a": other}, source, Prior(half, "estimate"))
    assert not estimated.known
    assert not estimated.given
    assert "may be wrong" in matched_sentence(estimated, ["x", "y"])
    assert matched_sentence(estimate_proportions(answer, {"a": other}, source), ["x", "y"]) == ""


def test_only_what_the_user_chose_is_called_chosen():
    demo = labelferry.load_demo()

    def sentence(method):
        result = labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source, method=method)
        assert result.assessment.proportions.given == bool(result.assessment.matched)
        return result.assessment.matched

    assert sentence("emnaivebayes") == sentence(EMNaiveBayes()) == ""  # uniform is the default of the method
    assert "equal, as you chose" in sentence("emnaivebayes(class_prior='uniform')")
    assert "labelled documents, as you chose" in sentence(EMNaiveBayes(class_prior="source"))


def test_a_sentence_names_the_largest_classes():
    shares = np.arange(1, 11) / 55
    sentence = matched_sentence(Proportions(shares, shares, shares, Prior(shares, "given")), [*"abcdefghij"])
    assert "j 18%, i 16%, h 15%, g 13%, f 11%, e 9%, 4 others" in sentence


def test_a_class_may_be_as_rare_as_the_user_expects():
    rare, constant = (np.arange(200) < 3).astype(int), np.zeros(200, dtype=int)
    assert [fact.name for fact in facts_of(codes=rare)] == ["constant answer", "vanished class"]
    assert facts_of(codes=rare, expected=np.array([0.985, 0.015])) == ()
    names = [fact.name for fact in facts_of(codes=constant, expected=np.array([0.9, 0.1]))]
    assert names == ["constant answer", "vanished class"]
    assert "10% expected by you" in facts_of(codes=constant, expected=np.array([0.9, 0.1]))[1].sentence


def test_label_prints_the_given_proportions(files, tmp_path):
    given = "technical=0.5, account=0.2,billing=0.3"
    shown = run("label", *files, "-o", tmp_path / "out.csv", "--method", "sourcelr", "--class-prior", given, "-v")
    assert shown.exit_code == 0, shown.output
    assert "class proportions that you gave: technical 50%" in shown.stdout
    assert "given" in shown.stdout
    assert "range of the share" not in shown.stdout
    assert "are unknown" not in shown.stdout
    labels = tickets.read_csv(tmp_path / "out.csv")["label"]
    assert labels.count("technical") == pytest.approx(60, abs=3)


@pytest.mark.parametrize(
    ("prior", "column"), [("source", "matched"), ("uniform", "matched"), ("estimate", "range of the share")]
)
def test_only_given_proportions_are_called_given(files, tmp_path, prior, column):
    shown = run("label", *files, "-o", tmp_path / "out.csv", "--method", "sourcelr", "--class-prior", prior, "-v")
    assert shown.exit_code == 0, shown.output
    assert re.search(rf"label +documents +share +{column} +confidence", shown.stdout)


@pytest.mark.parametrize("method", ["auto", "sourcelr"])
def test_the_source_only_classifier_is_not_matched(method):
    """It learns from the labelled documents only, whatever is known about the new ones."""
    demo = tickets.demo()
    plain, matched = (
        labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source, method=method, class_prior=prior)
        for prior in (None, WANTED)
    )
    before, after = (result.columns()["source_only"] for result in (plain, matched))
    assert before == after
    changed = [label != other for label, other in zip(matched.labels.tolist(), after, strict=True)]
    assert matched.assessment.changed == pytest.approx(np.mean(changed))


@pytest.mark.parametrize("command", ["label", "compare"])
def test_errors_are_one_line(command, files, tmp_path):
    out = ["-o", tmp_path / "out.csv", "--method"] if command == "label" else ["--methods"]
    for method, prior, message in (
        (
            "rsp",
            "uniform",
            "RSP has no parameter --class-prior. Omit it, or choose one of these methods: auto",
        ),
        ("sourcelr", "bug=0.2,question=0.8", "unknown class 'bug'"),
        ("sourcelr", "bug", "one of source, uniform, estimate"),
        ("sourcelr", "a=b", "CLASS=NUMBER"),
    ):
        result = run(command, *files, *out, method, "--class-prior", prior)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert message in result.stderr
    assert not (tmp_path / "out.csv").exists()


def test_compare_matches_all_rows(files):
    given = "technical=0.5,account=0.2,billing=0.3"
    found = run("compare", *files, "--methods", "sourcelr,tcl", "--class-prior", given, "--json")
    assert found.exit_code == 0, found.output
    message = "all labels are matched to class proportions (given): technical 50%, billing 30%, account 20%"
    assert json.loads(found.stdout)["messages"][-1] == message
    panel = labelferry.compare(*files, class_prior=WANTED)
    assert len(panel["rows"]) == 9
