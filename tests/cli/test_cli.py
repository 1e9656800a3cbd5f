"""The program: its demo, its errors, its help."""

import re

import pytest
from typer.testing import CliRunner

from labelferry import __version__, cli
from labelferry.cli import show


def run(*arguments, width=80):
    return CliRunner().invoke(cli.app, list(arguments), env={"COLUMNS": str(width), "NO_COLOR": "1"})


@pytest.fixture(scope="module", params=[80, 120])
def shown(request):
    result = run("demo", width=request.param)
    assert result.exit_code == 0, result.output
    return result.stdout, request.param


def test_demo_shows_both_accuracies(shown):
    text, _ = shown
    ordinary, ours = (
        float(re.search(rf"^{name} +\d+ of 360 +([\d.]+)%", text, re.M)[1])
        for name in ("ordinary classifier", "labelferry")
    )
    assert ordinary < 90
    assert ours > ordinary + 8


def test_demo_shows_examples_and_fits_the_width(shown):
    text, width = shown
    assert max(map(len, text.splitlines())) <= width
    for words in ("ordinary classifier", "true label: ", "right", "wrong"):
        assert words in text


def test_demo_has_a_maximal_width():
    assert max(map(len, run("demo", width=300).stdout.splitlines())) <= show.MAX_WIDTH


def test_no_color_codes_in_a_pipe(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    piped = CliRunner().invoke(cli.app, ["demo"])
    assert piped.exit_code == 0, piped.output
    assert "\x1b" not in piped.stdout
    assert piped.stderr == ""


def test_the_demo_by_another_method():
    result = run("demo", "--method", "tcl(n_topics=4)")
    assert result.exit_code == 0, result.output
    assert float(re.search(r"^TCL +\d+ of 360 +([\d.]+)%", result.stdout, re.M)[1]) > 93
    assert "-o out.csv --method 'TCL(n_topics=4)'\n" in result.stdout


def test_text_in_brackets_is_printed_unchanged(capsys):
    from labelferry.demo.run import run_demo

    report = run_demo()
    report["examples"][0]["text"] = "It shows [bold]error[/] and [/nothing]"
    cli.demo.show_demo(show.new_console(), report)
    assert "[bold]error[/]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--seed", "x"], "--seed"),
        (["demo", "--seed", "-1"], "random_state"),
        (["demo", "--method", "magic"], "method must be one of"),
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
    assert "--method" in run("demo", "--help").stdout
