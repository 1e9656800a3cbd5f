"""The statements of README.md are checked: its examples run, its numbers and its lists are up to date."""

import re

import pytest

import labelferry.methods
from labelferry.core.registry import estimators

from ..pages import blocks, differences, read, write_demo_files

README = read("README.md")


@pytest.fixture
def as_installed(monkeypatch, tmp_path):
    """The files of the demo, with the vectors that the install command installs."""
    pytest.importorskip("wordllama", reason="needs wordllama, which the install command of the pages installs")
    monkeypatch.delenv("LABELFERRY_EMBED")
    monkeypatch.chdir(tmp_path)
    write_demo_files()


@pytest.mark.slow
def test_the_comment_is_what_is_printed(as_installed):
    shown = re.search(r"# (<labelferry labels: .*>)", README)[1]
    assert not differences(shown, str(labelferry.label("labelled.csv", "new.csv")))


def named(page, column=0):
    """The estimators in a column of the tables of a page."""
    rows = [line for line in page.splitlines() if line.startswith(("| `", "| ["))]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[column + 1])}


def test_every_method_is_in_a_table():
    papers, others = named(read("docs/methods/README.md"), 1), named(read("docs/methods/others.md"))
    assert set(estimators()) <= papers | others
    assert set(labelferry.methods.__all__) <= papers
    assert set(labelferry.baselines.__all__) <= others


def test_install_commands_name_extras_that_exist():
    import tomllib

    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    assert set(re.search(r'`pip install "\.\[([\w,]+)\]"`', README)[1].split(",")) <= set(extras)
    listed = re.search(r"Extras: (.*?)\.\s", README, flags=re.S)[1]
    assert set(re.findall(r"`(\w+)`", listed)) == set(extras) - {"all"}


def test_a_fresh_clone_needs_one_command_to_run_and_one_to_test():
    (fresh,) = (text for _, text in blocks(README, "sh") if text.startswith("make"))
    commands = [line.split("#")[0].strip() for line in fresh.splitlines()]
    assert commands == ["make demo", "make test"]


def test_it_can_be_read_in_two_minutes():
    assert len(README.split()) <= 900
