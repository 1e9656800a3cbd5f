"""Processes ended at random moments; `python -m benchmarks.kills` does it more often, and with the bench."""

import os
from pathlib import Path

import pytest
from benchmarks.kills import FAULTS, SIGNALS, WORKS, run_kills, session, start, wait_until

from tests.newsgroups import write_newsgroups

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to find child processes"),
]


@pytest.mark.parametrize("name", ["label", "save"])
def test_a_killed_process_leaves_nothing(tmp_path, name):
    found = run_kills(1, tmp_path, (name,))[name]
    assert found["kills"] == len(SIGNALS)
    assert {fault: found[fault] for fault in FAULTS} == dict.fromkeys(FAULTS, 0)


def test_confirmed_answers_are_stored(tmp_path):
    pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'labelferry[review]'")
    found = run_kills(1, tmp_path, ("review",))["review"]
    assert found["answers"] > 0
    assert {fault: found[fault] for fault in FAULTS} == dict.fromkeys(FAULTS, 0)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_bench_that_is_ended_leaves_no_process(tmp_path, number):
    write_newsgroups(tmp_path / "data")
    process = start(WORKS["bench"], tmp_path)
    assert wait_until(lambda: len(session(process.pid)) > 2, 120)  # the command and its workers
    os.kill(process.pid, number)
    process.wait()
    assert wait_until(lambda: not session(process.pid), 60)
