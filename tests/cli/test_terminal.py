"""What reaches the terminal: no control character of a label, text, column, file name or model; and true exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from labelferry import cli
from tests.tickets import new, old, read_csv, write_csv

from ..fuzz.models import Edit, edited, packed
from ..fuzz.rules import CONTROL

HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e[red]"  # set the title, clear the screen, change colors and the order
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files whose names, columns, labels and texts have control characters, and what was made from them."""
    folder = tmp_path_factory.mktemp("files")
    labels = [f"{label}{HOSTILE}" if label == "billing" else label for label in old(6)["label"]]
    rows = {"text": [f"{text} {HOSTILE}" for text in old(6)["text"]], "label": labels, f"note{HOSTILE}": labels}
    write_csv(folder / f"old{HOSTILE[:6]}.csv", rows)
    write_csv(folder / "second.csv", {**rows, "text": [f"{text} again" for text in rows["text"]]})
    texts = [f"{text} {HOSTILE}" for text in new(6)["text"]]
    write_csv(folder / "new.csv", {"text": texts, f"id{HOSTILE}": texts, "truth": (labels * 9)[: len(texts)]})
    names = [str(folder / name) for name in (f"old{HOSTILE[:6]}.csv", "new.csv")]
    outputs = ["-o", folder / f"out{HOSTILE[:4]}.csv", "--save", folder / "model.npz", "--store", folder / "job.ferry"]
    check(["label", *names, *outputs, "--method", "sourcelr"])
    check(["audit", folder / f"out{HOSTILE[:4]}.csv", "-o", folder / "sample.csv", "-n", "5", "--text", "text"])
    sample = read_csv(folder / "sample.csv")
    write_csv(folder / "sample.csv", {**sample, "answer": [f"billing{HOSTILE}"] * len(sample["text"])})
    with np.load(folder / "model.npz") as file:
        arrays = dict(file)
    typical = json.loads(str(arrays["model"]))["typical"]
    changes = Edit("model", path=("typical",), value={name: [f"word{HOSTILE}"] for name in typical})
    (folder / "foreign.npz").write_bytes(packed(edited(arrays, (changes,))))
    table = {"table": HOSTILE, "methods": [{"method": HOSTILE}]}
    table["rows"] = [{"task": HOSTILE, "cells": [{"mean": 0.5, "sd": None}]}]
    (folder / "table.json").write_text(json.dumps(table))
    return folder


def check(arguments, exit_codes=(0,)):
    """Run a command and look at what it prints."""
    result = CliRunner().invoke(cli.app, [str(argument) for argument in arguments])
    assert result.exit_code in exit_codes, result.output
    for text in (result.stdout, result.stderr):
        found = CONTROL.search(text)
        assert found is None, text[max(0, found.start() - 80) : found.end()]
    return result


@pytest.mark.parametrize(
    "arguments",
    [
        ["apply", "model.npz", "new.csv", "-o", "out.csv"],
        ["apply", "foreign.npz", "new.csv", "-o", "out.csv"],
        ["explain", "model.npz"],
        ["explain", "foreign.npz"],
        ["diagnose", f"old{HOSTILE[:6]}.csv", "second.csv", "new.csv", "--method", "sourcelr"],
        ["compare", f"old{HOSTILE[:6]}.csv", "new.csv", "--methods", "sourcelr", "--truth", "truth", "--text", "text"],
        ["certify", f"out{HOSTILE[:4]}.csv", "sample.csv", "--text", "text"],
        ["audit", "job.ferry", "-o", f"drawn{HOSTILE[:6]}.csv"],
        ["export", "job.ferry", "-o", f"exported{HOSTILE[:6]}.csv"],
        ["bench", "compare", "table.json", "table.json"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]).encode("ascii", "backslashreplace").decode(),
)
def test_nothing_in_files_reaches_the_terminal(folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    printed = check(arguments).output
    assert arguments[0] in ("certify", "apply") or "\\x1b" in printed  # it is printed, and visible


@pytest.mark.parametrize(
    "arguments",
    [
        ["label", HOSTILE, "new.csv", "-o", "o.csv"],
        ["label", "new.csv", "new.csv", "-o", f"missing{HOSTILE}/o.csv"],
        ["label", f"old{HOSTILE[:6]}.csv", "new.csv", "-o", "o.csv", "--text", HOSTILE],
        ["label", f"old{HOSTILE[:6]}.csv", "new.csv", "-o", "o.csv", "--method", HOSTILE],
        ["label", f"old{HOSTILE[:6]}.csv", "new.csv", "-o", "o.csv", "--class-prior", f"{HOSTILE}=1"],
        ["apply", HOSTILE, "new.csv", "-o", "o.csv"],
        ["explain", HOSTILE],
        ["methods", HOSTILE],
        ["review", f"{HOSTILE}.ferry"],
        ["data", "--where", HOSTILE],
        ["bench", "table", HOSTILE],
        ["bench", "table", "gcmf", "--methods", HOSTILE],
        [f"--{HOSTILE}"],
        [HOSTILE],
    ],
    ids=lambda arguments: " ".join(arguments).encode("ascii", "backslashreplace").decode(),
)
def test_nothing_in_options_reaches_the_terminal(folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    result = check(arguments, exit_codes=(2,))
    assert len(result.stderr.splitlines()) == 1


def test_the_folder_of_the_corpora(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELFERRY_DATA", str(tmp_path / HOSTILE))
    check(["data"])
    check(["data", "--where", "newsgroups"], exit_codes=(0, 2))


def command(folder, *options):
    names = (f"old{HOSTILE[:6]}.csv", "new.csv")
    return [
        sys.executable,
        "-m",
        "labelferry",
        "label",
        *(folder / name for name in names),
        "--method",
        "sourcelr",
        *options,
    ]


@needs_full
def test_a_full_standard_output_is_an_error_if_it_is_the_table(folder):
    with FULL.open("w") as full:
        run = subprocess.run(command(folder, "-o", "-", "-q"), stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 2
    assert run.stderr.splitlines() == ["labelferry: cannot write standard output: No space left on device."]


@pytest.mark.system
@needs_full
def test_a_full_standard_output_is_an_error_if_nothing_else_is_asked_for():
    with FULL.open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "labelferry", "methods"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert run.returncode == 2
    assert run.stderr.startswith("labelferry: cannot write standard output: No space left on device")
    assert run.stderr.count("\n") == 1


@needs_full
@pytest.mark.parametrize("arguments", [["methods", "--json"], ["data"]])
def test_so_it_is_for_other_results(monkeypatch, capsys, arguments):
    with FULL.open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as end:
            cli.app(arguments)
    assert end.value.code == 2
    printed = capsys.readouterr().err
    assert printed.startswith("labelferry: cannot write standard output: No space left on device")
    assert printed.count("\n") == 1


@pytest.mark.system
@needs_full
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_full_stream_changes_nothing_if_it_has_messages_only(folder, tmp_path, stream):
    out = tmp_path / "out.csv"
    with FULL.open("w") as full:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | {stream: full}
        run = subprocess.run(command(folder, "-o", out), text=True, **streams)
    assert out.is_file()
    assert run.returncode == 0, run


def test_both_streams_closed(folder, tmp_path):
    out = tmp_path / "out.csv"
    arguments = [str(argument) for argument in command(folder, "-o", out)]
    code = f"import os, sys; os.close(1); os.close(2); os.execv(sys.executable, {arguments!r})"
    assert subprocess.run([sys.executable, "-c", code], env=os.environ).returncode == 0
    assert out.is_file()
