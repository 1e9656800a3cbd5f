"""The command without the extra `cli`."""

import subprocess
import sys

import pytest

from labelferry import __main__


def test_a_missing_extra_is_reported_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(__main__, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as stop:
        __main__.main()
    printed = capsys.readouterr()
    assert stop.value.code == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "pip install 'labelferry[cli]'" in printed.err


def test_the_module_runs_as_a_program():
    printed = subprocess.run([sys.executable, "-m", "labelferry", "--version"], capture_output=True, text=True)
    assert printed.returncode == 0
    assert printed.stdout.startswith("labelferry ")
