"""What the pages in docs/ say must be so: examples run, quoted code is there, links lead somewhere."""

import importlib.util
import re

import pytest

from .pages import PAGES, ROOT, read, run_blocks

LINK = re.compile(r"\]\((?!https?:)([^)#]+)[^)]*\)")
LATER = {ROOT / "docs" / "results.md"}  # `labelferry bench results` writes it, from corpora that are not here
METHODS = [page for page in PAGES if page.parent.name == "methods"]


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("docs/tutorial.md", ["16 of 360", "sure: 100%, to review: ", "['technical' 'billing']"]),
        ("docs/python.md", ["TCL safe", "['technical' 'billing']"]),
    ],
)
def test_examples_run_from_top_to_bottom(page, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shown = run_blocks(read(page))
    printed = capsys.readouterr().out
    for text in said:
        assert text in printed
    if page == "docs/tutorial.md":
        assert re.search(r"99% +of\s+the new documents", shown["diagnose old.csv new.csv"])
        assert "The sources, nearest first" in shown["diagnose first.csv second.csv new.csv"]


def test_command_line_reference_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_cli", ROOT / "docs" / "make_cli.py")
    make_cli = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_cli)
    assert read("docs/cli.md") == make_cli.reference(), "run python docs/make_cli.py"


def quotations(page):
    """(source file, quoted lines): every block of Python of a page, and the file of the link that stands before it."""
    text = page.read_text(encoding="utf-8")
    for block in re.finditer(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
        link = [path for path in LINK.findall(text[: block.start()]) if path.endswith(".py")][-1]
        yield page.parent / link, block[1].splitlines()


@pytest.mark.parametrize("page", METHODS, ids=lambda page: page.stem)
def test_quoted_code_is_in_the_source(page):
    quoted = list(quotations(page))
    assert bool(quoted) == (page.stem not in ("README", "others"))
    for path, lines in quoted:
        source = {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}
        assert [line for line in lines if line.strip() not in {"", *source}] == [], path.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    targets = {(page.parent / path).resolve() for path in LINK.findall(page.read_text(encoding="utf-8"))}
    assert {path for path in targets - LATER if not path.exists()} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_one_equation_has_one_number(page):
    """Mathematics with two numbers is not shown."""
    for equation in re.findall(r"^```math\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S):
        assert equation.count(r"\tag") <= 1


def test_picture_is_small():
    assert (ROOT / "docs" / "report.png").stat().st_size < 300_000
