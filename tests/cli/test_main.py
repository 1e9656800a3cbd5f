"""The command as a process: a missing extra, closed streams, control characters, signals."""

import os
import shlex
import signal
import subprocess
import sys

import pytest

from labelferry import __main__
from labelferry.cli.app import message_of
from tests.tickets import new, old, write_csv


def test_a_missing_extra_is_reported_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(__main__, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as stop:
        __main__.main()
    printed = capsys.readouterr()
    assert stop.value.code == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "pip install '.[cli]' in a clone" in printed.err


def test_the_module_runs_as_a_program():
    printed = subprocess.run([sys.executable, "-m", "labelferry", "--version"], capture_output=True, text=True)
    assert printed.returncode == 0
    assert printed.stdout.startswith("labelferry ")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "not enough memory. Limit it with --max-memory, or pass fewer documents."),
        (MemoryError("37 MiB"), "not enough memory (37 MiB). Limit it"),
        (ImportError("a.so: failed to map segment from shared object"), "not enough memory (a.so: failed to map"),
        (OSError(28, "No space left on device", "out.csv"), "out.csv: No space left on device."),
        (ValueError("two\nlines"), "two lines"),
        (TypeError("a bug"), None),
        (ImportError("no module"), None),
    ],
)
def test_what_a_user_can_change_is_one_line_and_a_bug_is_none(error, message):
    shown = message_of(error)
    assert shown is None if message is None else shown.startswith(message)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    labels = ["caf\u00e9\x1b]0;title\x07" if label == "billing" else label for label in old(6)["label"]]
    labelled = {**old(6), "label": labels}
    return write_csv(folder / "old.csv", labelled), write_csv(folder / "new.csv", new(6))


def command(files, out, *options):
    return [sys.executable, "-m", "labelferry", "label", *files, "-o", out, "--method", "sourcelr", *options]


def test_control_characters_of_labels_are_visible_and_missing_letters_are_escaped(files, tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    run = subprocess.run(command(files, tmp_path / "out.csv"), capture_output=True, text=True, env=environment)
    assert run.returncode == 0
    assert r"caf\xe9\x1b]0;title\x07" in run.stdout
    assert "\x1b]0;" not in run.stdout + run.stderr


@pytest.mark.system  # of both streams: test_terminal.py
@pytest.mark.parametrize("stream", [1, 2])
def test_a_closed_stream_changes_nothing(files, tmp_path, stream):
    out = tmp_path / "out.csv"
    line = f"{shlex.join(map(str, command(files, out)))} {stream}>&-"
    run = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert out.is_file()


SLOW_WRITER = """
import signal, sys, time
from labelferry import __main__, cli
from labelferry.files import open_atomic

def write():
    with open_atomic(sys.argv[1]) as file:
        print("writing", flush=True)
        time.sleep(60)

cli.app = write
__main__.main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_process_that_is_ended_leaves_no_file(tmp_path, number):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITER, tmp_path / "out.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout.readline() == "writing\n"
    process.send_signal(number)
    code = process.wait(timeout=30)
    assert code in (128 + number, -number)
    assert os.listdir(tmp_path) == []
