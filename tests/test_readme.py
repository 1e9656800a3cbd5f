"""What README.md says must be so."""

import re

import pytest

import labelferry.methods
from labelferry.core.registry import estimators
from labelferry.workflows.demo import run_demo

from .pages import blocks, read, run_blocks, write_demo_files

ESTIMATORS = estimators()

README = read("README.md")
SAMPLES = [text for _, text in blocks(README, "text")]


def test_code_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_demo_files()
    shown = run_blocks(README)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["safe", "['technical' 'billing']"]
    assert float(lines[2]) > 0.93
    assert any(line.endswith(" None") for line in lines[3:])  # the class that the source does not have
    same_output(shown["label old.csv new.csv -o labelled.csv --report page.html"], SAMPLES[1])


def same_output(printed, sample):
    """But for numbers, which depend on the machine in the last digit, and the method, since two may be nearly equal."""

    def plain(text):
        text = re.sub(r"Labels by \w+|labels (as|of) \w+", "", text[text.index("Verdict") :])
        return re.sub(r"\d+", "0", " ".join(text.split()))

    assert plain(printed) == plain(sample), "paste the new output into README.md"


@pytest.mark.parametrize("position", [0, 1])
def test_accuracies_are_those_of_the_demo(position):
    """Within a point: the last digit may depend on the machine."""
    result = run_demo()["results"][position]
    said = re.search(rf"^ {result['method']} +\d+ +([\d.]+)%", SAMPLES[0], flags=re.M)
    assert float(said[1]) / 100 == pytest.approx(result["accuracy"], abs=0.01)


def named(page):
    """The estimators in the first column of the tables of a page."""
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_every_method_is_in_a_table():
    assert set(ESTIMATORS) <= named(README) | named(read("docs/methods/others.md"))
    assert set(labelferry.methods.__all__) <= named(README)
    assert set(labelferry.baselines.__all__) <= named(read("docs/methods/others.md"))


def test_it_is_short():
    assert len(README.splitlines()) < 200
