"""The program: its demo, its errors, its help."""

import re

import pytest
from typer.testing import CliRunner

from labelferry import __version__, cli
from labelferry.cli import show
from labelferry.demo import load_demo


def run(*arguments, width=80):
    return CliRunner().invoke(cli.app, list(arguments), env={"COLUMNS": str(width), "NO_COLOR": "1"})


@pytest.fixture(scope="module", params=[80, 120])
def shown(request):
    result = run("demo", width=request.param)
    assert result.exit_code == 0, result.output
    return result.stdout, request.param


def test_demo_shows_both_accuracies(shown):
    text, _ = shown
    share = {
        name: float(re.search(rf"^ *{name} +\d+ +([\d.]+)%", text, re.M)[1]) for name in ("SourceLR", "AutoTransfer")
    }
    assert share["SourceLR"] < 90
    assert share["AutoTransfer"] > share["SourceLR"] + 8


def test_demo_shows_topics_and_examples_and_fits_the_width(shown):
    text, width = shown
    assert max(map(len, text.splitlines())) <= width
    for heading in ("words of both", "only in old tickets", "only in new tickets", "truth"):
        assert heading in text
    for word in ("password", "licence", "subscription", "wrong"):
        assert word in text


def test_demo_has_a_maximal_width():
    assert max(map(len, run("demo", width=300).stdout.splitlines())) <= show.MAX_WIDTH


def test_a_long_table_of_topics_is_cut():
    text = run("demo", "--method", "tcl", "--topics", "30").stdout
    assert "10 of 30 topics" in text
    assert len(text.splitlines()) < 130


def test_no_color_codes_in_a_pipe(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    piped = CliRunner().invoke(cli.app, ["demo"])
    assert piped.exit_code == 0, piped.output
    assert "\x1b" not in piped.stdout
    assert piped.stderr == ""


def test_the_demo_by_another_method():
    result = run("demo", "--method", "tcl(n_topics=4)")
    assert result.exit_code == 0, result.output
    assert float(re.search(r"^ *TCL +\d+ +([\d.]+)%", result.stdout, re.M)[1]) > 93
    assert "-o labelled.csv --method 'TCL(n_topics=4)'\n" in result.stdout
    assert "label=old_labels, method='TCL(n_topics=4)').labels\n" in result.stdout


def test_the_code_at_its_end_runs(shown):
    text, _ = shown
    assert (
        text.index("Next")
        < text.index("labelferry label old.csv new.csv -o labelled.csv\n")
        < text.index("import labelferry")
    )
    code = text[text.index("import labelferry") : text.index("Other methods")]
    demo = load_demo()
    known = {"old_texts": demo.texts_source, "old_labels": demo.y_source, "new_texts": demo.texts_target}
    exec(code, known)
    assert (known["new_labels"] == demo.y_target).mean() > 0.93


def test_text_in_brackets_is_printed_unchanged(capsys):
    from labelferry.demo.run import run_demo

    report = run_demo()
    report["examples"][0]["text"] = "It shows [bold]error[/] and [/nothing]"
    cli.demo.show_demo(report)
    assert "[bold]error[/]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--seed", "x"], "--seed"),
        (["demo", "--seed", "-1"], "random_state"),
        (["demo", "--topics", "4"], "AutoTransfer has no parameter n_topics"),
        (["demo", "--method", "tcl", "--topics", "0"], "n_topics"),
        (["demo", "--method", "tcl", "--topics", "100000"], "n_topics must be at most"),
        (["demo", "--method", "magic"], "method must be one of"),
        (["demo", "--method", "emnaivebayes", "--topics", "4"], "EMNaiveBayes has no parameter n_topics"),
        (["demo", "--nonsense"], "--nonsense"),
        (["dmeo"], "demo"),
    ],
)
def test_errors_are_one_line_on_stderr(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
    assert result.stderr.startswith("labelferry: ")


def test_bugs_are_not_hidden(monkeypatch):
    monkeypatch.setattr("labelferry.demo.run.run_demo", lambda *_, **__: 1 / 0)
    assert isinstance(run("demo").exception, ZeroDivisionError)


def test_version_and_help():
    assert run("--version").stdout == f"labelferry {__version__}\n"
    for arguments in ([], ["--help"]):
        result = run(*arguments)
        assert result.exit_code == 0
        assert "demo" in result.stdout
    assert "--topics" in run("demo", "--help").stdout
