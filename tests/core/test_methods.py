"""Methods with parameters: one spelling for names, parameters and estimators in all commands."""

import inspect
import json
import re
from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import labelferry
from labelferry import GCMF, RSP, TCL, AutoTransfer, SourceLR, cli
from labelferry.core.method_spec import describe_method, make_method, parse_method, parse_methods
from labelferry.core.registry import estimators, find
from labelferry.inputs.methods import cost_class, list_methods, make_labeller, read_parameters
from labelferry.inputs.options import TextOptions
from labelferry.linalg.knn import neighbor_graph

from .. import tickets


def run(*arguments, width=100):
    arguments = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli.app, arguments, env={"COLUMNS": str(width), "NO_COLOR": "1"})


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("methods")
    new = tickets.new(3)
    truth = tickets.demo().y_target[::3].tolist()
    truth[:20] = [""] * 20
    truth[20:25] = ["other"] * 5
    source = tickets.write_csv(folder / "old.csv", tickets.old(3))
    return source, tickets.write_csv(folder / "new.csv", {**new, "truth": truth})


@pytest.fixture(scope="module")
def comparison(files):
    return labelferry.compare(*files, methods=["tcl(n_topics=4)", SourceLR(C=1.0), "sourcenb"], truth="truth")


# -- the parser -------------------------------------------------------------------------------------------------------
def test_names_and_parameters():
    spec = parse_method("gcmf(n_topics=16, class_prior=[.2, .8])")
    assert spec == ("GCMF", {"n_topics": 16, "class_prior": [0.2, 0.8]})
    assert str(spec) == "GCMF(n_topics=16, class_prior=[0.2, 0.8])"
    assert parse_methods("auto, tcl( n_topics=4 ),TCL(n_topics=4)") == ["AutoTransfer", "TCL(n_topics=4)"]
    with pytest.raises(ValueError, match=r"a closing bracket is missing in 'tcl\(n_topics=4'\. Write a method like"):
        parse_method("tcl(n_topics=4")
    assert find("AUTO") is find("autotransfer") is AutoTransfer


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("tlc", "got 'tlc'. Did you mean tcl?"),
        ("tcl(n_topic=4)", r"TCL has no parameter 'n_topic'; it has .*n_topics.*\. Did you mean n_topics\?"),
        ("tcl(n_topics=four)", "the value of n_topics must be a number, quoted text, .*; got 'four'"),
        ("tcl(n_topics=__import__('os'))", "must be a number"),
        ("tcl(n_topics=0)", "'n_topics' parameter of TCL must be an int in the range"),
        ("tcl(4)", "name=value in brackets"),
        ("tcl(**{})", "name=value in brackets"),
        ("tcl.fit", "name=value in brackets"),
        ("tcl,rsp", "must be one method"),
        ("", "must be one method"),
        ("tcl(", "a closing bracket is missing"),
        ("(" * 500, "a closing bracket is missing"),
        (TCL, "got the class TCL"),
        (4, "must be a name, .*; got 4"),
    ],
)
def test_what_is_no_method_is_one_line(method, message):
    with pytest.raises(ValueError, match=message) as raised:
        make_method(method, 0)
    assert "\n" not in str(raised.value)


def test_an_estimator_is_copied_and_the_seed_is_used_if_there_is_none():
    own = TCL(n_topics=4)
    made = make_method(own, 7)
    assert (made.n_topics, made.random_state, own.random_state) == (4, 7, None)
    assert make_method(TCL(random_state=3), 7).random_state == 3
    assert make_method("tcl(random_state=3)", 7).random_state == 3


def test_estimators_in_words():
    assert describe_method(TCL()) == "TCL"
    assert describe_method(TCL(n_topics=4, class_prior="uniform")) == "TCL(n_topics=4, class_prior='uniform')"
    assert describe_method(TCL(class_prior=np.ones(3))) == "TCL(class_prior=<array of shape (3,)>)"
    for name, cls in estimators().items():
        assert describe_method(cls()) == name == str(parse_method(describe_method(cls())))


# -- the workflows ----------------------------------------------------------------------------------------------------
def test_label_takes_parameters_and_estimators(files):
    own = TCL(n_topics=4)
    by_estimator = labelferry.label(*files, method=own)
    by_name = labelferry.label(*files, method="tcl(n_topics=4)")
    np.testing.assert_array_equal(by_estimator.estimator.transduction_proba_, by_name.estimator.transduction_proba_)
    assert by_name.estimator.n_topics == by_name.estimator.state_.factors.H.shape[0] == 4
    assert by_name.settings["method"] == "tcl(n_topics=4)"
    assert by_estimator.settings["method"] == "TCL(n_topics=4)"
    assert not hasattr(own, "classes_")
    assert own.random_state is None


def test_parameters_of_auto(files):
    strict = labelferry.label(*files, method="auto(target_error=0.01)")
    assert strict.settings["target_error"] == strict.estimator.target_error == 0.01
    assert labelferry.label(*files, method=AutoTransfer(0.01), target_error=0.2).estimator.target_error == 0.2


def test_graphs_of_the_user():
    """GCMF takes graphs in its `fit`, with the matrices of `tfidf`: they have one row per document."""
    demo = labelferry.load_demo()
    X = sp.csr_array(sp.vstack([demo.X_source, demo.X_target]))
    y = np.concatenate([demo.y_source, np.full(360, "", dtype=demo.y_source.dtype)])
    links = neighbor_graph(X, n_neighbors=5)
    own = make_method(GCMF(n_topics=8), 0).fit(X, y, doc_graph=links)
    assert (own.transduction_ == demo.y_target).mean() > 0.9
    none = make_method(GCMF(n_topics=8), 0).fit(X, y, doc_graph=sp.csr_array((720, 720)))
    assert not np.array_equal(own.transduction_proba_, none.transduction_proba_)


def test_clusters_of_rsp_get_classes_in_label(files):
    assert make_labeller("rsp", 0).cluster_labels == "classes"
    result = labelferry.label(*files, method="rsp(n_clusters=5)")
    assert set(result.labels) <= {"account", "billing", "technical"}
    assert result.estimator.classes_.tolist() == ["account", "billing", "technical"]
    assert len(result.estimator.correspondence_) == 5
    (message,) = [text for text in result.messages if text.startswith("clusters of the new documents")]
    strengths = sorted(f"{cluster['strength']:.2f}" for cluster in result.estimator.correspondence_)
    assert all(strength in message for strength in strengths)
    assert not any(text.startswith("clusters") for text in labelferry.label(*files, method="sourcelr").messages)


def test_clusters_of_rsp_keep_their_numbers_elsewhere():
    demo = labelferry.load_demo()
    numbers = RSP(n_clusters=5, random_state=0)
    numbers.transfer(demo.X_source, demo.y_source, demo.X_target)
    named = RSP(n_clusters=5, cluster_labels="classes", random_state=0)
    labels = named.transfer(demo.X_source, demo.y_source, demo.X_target)
    np.testing.assert_array_equal(named.cluster_, numbers.cluster_)
    assert numbers.classes_.tolist() == [0, 1, 2, 3, 4]
    assert (labels == demo.y_target).mean() > 0.8
    assert set(named.predict(demo.X_target)) <= set(demo.y_target)
    assert len({(c, str(label)) for c, label in zip(named.cluster_.tolist(), labels, strict=True)}) == 5


def test_compare_with_parameters_and_truth(comparison, files):
    rows = {row["method"]: row for row in comparison["rows"]}
    assert set(rows) == {"TCL(n_topics=4)", "SourceLR(C=1.0)", "SourceNB"}
    assert json.loads(json.dumps(comparison)) == comparison
    for row in rows.values():
        assert row["documents"] == 100
        assert row["accuracy"] == row["correct"] / 100
        assert row["low"] < row["accuracy"] < row["high"]
        confusion = row["confusion"]
        assert confusion["true"] == ["account", "billing", "technical", "other"]
        counts = np.array(confusion["documents"])
        assert counts.sum() == 100
        assert np.trace(counts[:3]) == row["correct"]
        assert counts[3].sum() == 5
        recalls = [*(np.diag(counts[:3]) / counts[:3].sum(axis=1)), 0.0]
        assert row["balanced"] == pytest.approx(np.mean(recalls))
    assert comparison["truth"] == {
        "column": "truth",
        "documents": 100,
        "unknown": [{"label": "other", "documents": 5}],
    }
    assert (
        "5 documents have a true label that the labelled documents lack: 'other' (5). They count as wrong."
        in (comparison["messages"])
    )


def test_the_command_compares_with_parameters(files):
    shown = run("compare", *files, "--methods", "tcl(n_topics=4),auto", "--truth", "truth", "--verbose", width=110)
    assert shown.exit_code == 0, shown.output
    for text in ("TCL(n_topics=4)", "auto", " of 100", "95% interval", "true label", "'other' (5)", "recall"):
        assert text in shown.stdout
    assert "…" not in run("compare", *files, "--methods", "emnaivebayes(smoothing=1.0)", width=40).stdout


def test_no_truth_no_scores(files):
    found = labelferry.compare(*files, methods="sourcenb,sourcelr")
    assert found["truth"] is None
    assert {row["accuracy"] for row in found["rows"]} == {None}


def test_diagnose_lists_the_words_that_transfer_labels(files):
    found = labelferry.diagnose(*files, method="sourcelr")
    listed = {row["class"]: [word["word"] for word in row["words"]] for row in found["carriers"]["classes"]}
    assert set(listed) == {"account", "billing", "technical"}
    assert all(listed.values())
    assert "password" in listed["account"]
    for row in found["carriers"]["classes"]:
        for word in row["words"]:
            assert word["in_class"] > 2 * word["elsewhere"]
            assert 0 < word["target"] <= 1
    shown = run("diagnose", *files, "--method", "sourcelr", "--verbose")
    assert shown.exit_code == 0, shown.output
    assert "words that transfer the label" in shown.stdout
    assert "password" in shown.stdout


def test_the_demo_with_parameters():
    shown = run("demo", "--method", "tcl(n_topics=5)")
    assert shown.exit_code == 0, shown.output
    assert "--method 'TCL(n_topics=5)'" in shown.stdout
    wrong = run("demo", "--method", "tcl(topics=5)")
    assert wrong.exit_code == 2
    assert wrong.stderr == (
        "labelferry: TCL has no parameter 'topics'; it has C, class_prior, common_weight, max_iter, n_init, n_topics, "
        "normalize, random_state, tol, weighting. Did you mean n_topics?\n"
    )


@pytest.mark.parametrize("command", ["label", "compare", "diagnose"])
def test_the_commands_have_the_same_text_options(command):
    """Every field of TextOptions is an option of the three commands and a keyword of the three functions."""
    text = run(command, "--help", width=200).stdout
    for name in (field.name for field in fields(TextOptions)):
        assert re.search(rf"^  --{name.replace('_', '-')}[ ,]", text, re.M)
        assert name in inspect.signature(getattr(labelferry, command)).parameters


def test_the_text_options_are_documented_in_their_order():
    documented = re.findall(r"^    (\w+) : ", str(TextOptions.__doc__), re.M)
    assert documented == [field.name for field in fields(TextOptions)]


# -- the list ---------------------------------------------------------------------------------------------------------
def test_every_method_is_listed_with_a_sentence_and_a_cost():
    rows = {row["class"]: row for row in list_methods()}
    assert set(rows) == set(estimators())
    for name, row in rows.items():
        assert row["summary"] == str(estimators()[name].__doc__).partition("\n")[0]
        assert row["use"].startswith("Use it ")
        assert row["use"].endswith(".")
        assert row["cost"] in ("cheap", "medium", "expensive")
        listed = [part for parameter in row["parameters"] for part in parameter["name"].split(", ")]
        assert sorted(listed) == sorted(estimators()[name]().get_params())
        assert all(parameter["type"] and parameter["meaning"] for parameter in row["parameters"])
    assert rows["SourceLR"]["ratio"] == 1
    assert list_methods()[0]["name"] == "auto"


def test_the_command_lists_methods():
    shown = run("methods", width=120)
    assert shown.exit_code == 0, shown.output
    assert all(row["name"] in shown.stdout for row in list_methods())
    one = run("methods", "tcl", width=120)
    for text in ("n_topics", "int, default=10", "Number of topics", '--method "tcl(n_topics=10)"'):
        assert text in one.stdout
    assert re.search(r"Cost: [\d.]+ times the seconds of sourcelr \(medium: 0\.5 to 2 times\)\.", one.stdout)
    assert json.loads(run("methods", "--json").stdout)["methods"] == list_methods()
    assert json.loads(run("methods", "auto", "--json").stdout)["methods"][0]["class"] == "AutoTransfer"
    wrong = run("methods", "tlc")
    assert wrong.exit_code == 2
    assert "Did you mean tcl?" in wrong.stderr


def test_parameters_of_a_docstring():
    parameters = "Parameters\n----------\na, b : int, default=1\n    First.\n    Second.\nc : str\n    Third.\n"
    text = f"Fit.\n\n{parameters}\nReturns\n-------\nd : int\n    No.\n"
    assert read_parameters(text) == [
        {"name": "a, b", "type": "int, default=1", "meaning": "First. Second."},
        {"name": "c", "type": "str", "meaning": "Third."},
    ]
    assert read_parameters("Fit.") == []


def test_costs_in_words():
    assert [cost_class(ratio) for ratio in (0.1, 1.0, 3.0, None)] == ["cheap", "medium", "expensive", "not measured"]
