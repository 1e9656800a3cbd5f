"""The statements of the pages in docs/ are checked: examples run, quoted code exists, links are not broken."""

import contextlib
import importlib.util
import json
import re
import runpy
import shutil
import sys
from tempfile import TemporaryDirectory

import pytest
import typer

import labelferry
from labelferry import cli

from .. import page_files, tickets
from ..pages import BLOCK, PAGES, ROOT, differences, read, rewrite, run_blocks

LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)[^)]*\)")
# Pages that commands write: `labelferry bench results`, and `make docs` from the examples.
LATER = {
    ROOT / "docs" / "results.md",
    ROOT / "docs" / "gallery" / "index.md",
    *(ROOT / "docs" / "gallery" / f"{path.stem}.md" for path in (ROOT / "examples").glob("*.py")),
}
METHODS = [page for page in PAGES if page.parent.name == "methods"]


@pytest.mark.slow
@pytest.mark.usefixtures("shared_panels")
@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("README.md", []),
        ("docs/index.md", []),
        ("docs/tutorial.md", ["0 of 360", "least confident: 86%, others: 99.7%", "['technical' 'billing']"]),
        ("docs/tutorial-review.md", []),
        ("docs/review.md", []),
        ("docs/python.md", ["TCL safe", "['technical' 'billing']", " None\n"]),
        ("docs/opinions.md", ["opinion 'descriptions': 360 of 360"]),
        ("docs/embeddings.md", []),
        ("docs/scale.md", ["(2000, 5000) (2000,)"]),
        ("docs/find.md", ["Documents to read in all", "found.csv: 100 documents"]),
        ("docs/several-labels.md", ["Written: usable.csv", "Written: bugs.csv"]),
        ("docs/tables.md", ["Read: 360 labelled and 360 new documents"]),
        ("docs/files.md", []),
    ],
)
def test_examples_run_from_top_to_bottom_and_print_what_the_page_shows(page, expected, tmp_path, monkeypatch):
    """Numbers, too. `python -m tests.project.test_docs PAGE ...` writes what is printed now into the pages."""
    pytest.importorskip("wordllama", reason="needs wordllama, which the install command of the pages installs")
    monkeypatch.delenv("LABELFERRY_EMBED")  # as users have it
    monkeypatch.chdir(tmp_path)
    outputs = run_page(page)
    for one in outputs:
        assert one.shown is None or not (found := differences(one.shown, one.printed)), f"{page}: {found}"
    printed = "".join(one.printed for one in outputs)
    for text in expected:
        assert text in printed


def run_page(page):
    """Run the examples of a page in the working folder."""
    if page == "docs/scale.md":
        pytest.importorskip("pyarrow", reason="needs pyarrow")
    if page == "docs/files.md" and shutil.which("gzip") is None:
        pytest.skip("needs gzip")
    page_files.FILES.get(page, lambda: None)()
    return run_blocks(read(page), page_files.before(page))


def test_every_page_with_commands_is_run():
    (marker,) = (
        m
        for m in test_examples_run_from_top_to_bottom_and_print_what_the_page_shows.pytestmark
        if m.name == "parametrize"
    )
    with_blocks = {str(p.relative_to(ROOT)) for p in PAGES if BLOCK.search(p.read_text("utf-8")) and p not in METHODS}
    assert with_blocks == {page for page, _ in marker.args[1]}


NOT_RUN = {  # commands in other blocks: page and beginning, with the reason
    ("docs/tutorial-review.md", "review job.ferry --reviewer Ada"): "a server, which does not end",
    ("docs/tutorial-review.md", "review job.ferry --host"): "a server, which does not end",
    ("docs/opinions.md", "ask new.csv"): "asks a language model",
    ("docs/review.md", "export job.ferry -o labels.csv"): "in a container",
    ("docs/scale.md", "label old.parquet new.parquet -o out.parquet --dask local"): "starts a cluster",
    ("docs/scale.md", "label old.parquet new.parquet -o out.parquet --dask tcp:"): "needs a cluster",
    ("docs/speed.md", "bench speed"): "takes minutes",
}


def not_run(text):
    """The commands in blocks of a page that `run_blocks` does not see: other fences, and indented lines."""
    blocks = BLOCK.sub("", text)
    fenced = re.findall(r"^```\w*\n(.*?)^```$", blocks, flags=re.M | re.S)
    indented = re.findall(r"^(?: {4}|\t).*\n", re.sub(r"^```.*?^```$", "", blocks, flags=re.M | re.S), flags=re.M)
    return re.findall(r"(?:^|\s)labelferry ([a-z]+ .*)", "".join([*fenced, *indented]))


def test_every_block_with_a_command_is_run():
    """Or has a reason; docs/cli.md shows the forms of the commands."""
    pages = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in PAGES}
    found = [(name, line) for name, text in pages.items() if name != "docs/cli.md" for line in not_run(text)]
    known = {one: [e for e in NOT_RUN if e[0] == one[0] and one[1].startswith(e[1])] for one in found}
    assert [one for one, exceptions in known.items() if not exceptions] == []
    assert {e for exceptions in known.values() for e in exceptions} == set(NOT_RUN)  # the others are no exceptions


def test_blocks_that_are_not_run_are_noticed():
    block = "labelferry label a.csv b.csv -o c.csv"
    for text in (f"```\n{block}\n```\n", f"```bash\n$ {block}\n```\n", f"```text\n{block}\n```\n", f"    {block}\n"):
        assert not_run(f"Words.\n\n{text}\nMore `{block}`.\n") == [block.partition(" ")[2]], text
    assert not_run(f"```sh\n{block}\n```\n\n```text\nNext: labelferry accept c.csv\n```\n") == []


def commands_of(page):
    """The commands of a page, in blocks and in sentences."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    fenced = "".join(re.findall(r"^```.*?\n(.*?)^```", text, flags=re.M | re.S))
    in_blocks = re.findall(r"^(?:\$ )?(labelferry [a-z]+ .*)$", fenced, flags=re.M)
    indented = re.findall(r"^ {4}(labelferry [a-z]+ .*)$", text, flags=re.M)
    return [
        *in_blocks,
        *indented,
        *(" ".join(found.split()) for found in re.findall(r"`(labelferry [a-z]+ [^`]*)`", text)),
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_have_options_that_exist(page):
    """Also those that no test runs, because they need a network, a cluster or a paper's corpus."""
    program = typer.main.get_command(cli.app)
    for line in commands_of(page):
        name, *words = line.split("#")[0].split()[1:]
        command = program.commands.get(name)
        assert command is not None, line
        if hasattr(command, "commands"):  # a group
            command = command.commands.get(next(iter(words), ""))
        if command is not None:
            known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
            assert {word for word in words if re.match(r"--?[a-z]", word)} <= known, line


@pytest.mark.parametrize(
    ("shown", "printed", "fails"),
    [
        ("Usable: 230 of 360 labels", "Usable: 230  of\n360 labels", False),
        ("Usable: 230 of 360 labels", "Usable: 210 of 360 labels", True),
        ("99% to 100%, 0.86", "98% to 100%, 0.87", False),
        ("0.86", "0.83", True),
        ("1,386 labels", "1,180 labels", True),
        ("1 answer", "1 answers", True),
        ("first\n...\n", "first\nsecond 7", False),
        ("first 3\n...\n", "first 9\nsecond 7", True),
    ],
)
def test_stale_pages_are_noticed(shown, printed, fails):
    assert bool(differences(shown, printed)) == fails


EXAMPLES = {  # what they print
    "tickets": [r"source-only classifier: 0\.8\d\d", r"labelferry: +0\.9\d\d", r"\['technical' 'billing'\]"],
    "half_labelled": [r"6600 without", r"Usable now: [56],\d\d\d of 6,600", r"labels used, [0-4]\.\d% of them wrong"],
    "last_year": [
        r"february safe \[\]",
        r"march (doubtful|unsafe) \['",
        r"Correct: [789]\d% to \S+% of the 160 labels, with 95% confidence \(40 answers\)",
        r"correct: 0\.9\d\d",
    ],
    "certify_llm": [r"Correct: .* of the 3,600 labels", r"Usable now: [12],\d\d\d of 3,600 labels"],
    "find_class": [
        r"200 read, (19\d|200) found",
        r"at least 9\d% of all: the file",
        r"found (2[01]\d|220) of 220; .* 1?\d\d$",
    ],
    "pipeline": [r"new tickets: 0\.9\d\d, safe", r"source-only, new tickets: 0\.8\d\d", r"no target rows"],
    "hierarchy": [
        r"(doubtful|unsafe), about .*\n.* a hierarchy",
        r"correct: 0\.9\d\d\n.* safe, (.|\n)*correct: (0\.99\d|1\.000)",
        r"'home', 0\.\d+, 'home/",
    ],
    "when_it_fails": [r"EMNaiveBayes +0\.[45]\d\d", r"unsafe", r"before 0\.[67]\d\d, after 60 answers 0\.[89]\d\d"],
}
LARGE = ("half_labelled", "certify_llm")  # thousands of documents


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "embed"),
    [
        *(pytest.param(name, None, marks=pytest.mark.system if name in LARGE else ()) for name in EXAMPLES),
        ("hierarchy", "none"),
    ],
)
def test_examples_of_the_gallery_run(name, embed, capfd, monkeypatch, tmp_path):
    """Their data is part of labelferry or generated; what they print is checked, with vectors if they are installed."""
    if embed is None:
        monkeypatch.delenv("LABELFERRY_EMBED")  # as users have it
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    printed = capfd.readouterr().out
    for pattern in EXAMPLES[name]:
        assert re.search(pattern, printed), pattern


def test_tutorials_need_no_package_that_the_install_command_lacks():
    for page in ("docs/tutorial.md", "docs/tutorial-review.md"):
        assert not re.search(r"^\s*(import|from) (pandas|polars)", read(page), flags=re.M)


def test_every_example_is_tested_and_the_gallery_has_eight():
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == set(EXAMPLES)
    assert len(EXAMPLES) == 8


def test_command_line_reference_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_cli", ROOT / "docs" / "make_cli.py")
    make_cli = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_cli)
    assert read("docs/cli.md") == make_cli.reference(), "run python docs/make_cli.py"


def documented_fields(heading):
    """The names in the first column of the table under this heading of docs/json.md."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", read("docs/json.md"), flags=re.M | re.S)[1]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}


@pytest.mark.slow
def test_fields_of_the_json_output_are_documented(tmp_path):
    demo = labelferry.load_demo()
    source, target, label = demo.texts_source, demo.texts_target, demo.y_source
    result = labelferry.label(source, target, label=label, method="tcl")
    result.save(tmp_path / "model.npz")
    summary = result.summary()
    tickets.write_csv(tmp_path / "later.csv", {"text": target})
    outputs = {
        "label": summary,
        "apply": labelferry.apply(tmp_path / "model.npz", tmp_path / "later.csv").summary(),
        "changed_words": summary["changed_words"][0],
        "diagnose": labelferry.diagnose(source, target, label=label),
        "compare": labelferry.compare(source, target, label=label, methods=["tcl"]),
        "explain": labelferry.explain(tmp_path / "model.npz"),
    }
    for heading, output in outputs.items():
        json.dumps(output, allow_nan=False)
        assert documented_fields(heading) == set(output), heading


def quotations(page):
    """(source file, quoted lines) per Python block of a page; the file is the last one linked before the block."""
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
def test_links_are_not_broken(page):
    targets = {(page.parent / path).resolve() for path in LINK.findall(page.read_text(encoding="utf-8"))}
    assert {path for path in targets - LATER if not path.exists()} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_one_equation_has_one_number(page):
    """An equation with two numbers is not displayed."""
    for equation in re.findall(r"^```math\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S):
        assert equation.count(r"\tag") <= 1


def test_equations_become_mathml_and_the_site_loads_nothing_from_elsewhere():
    pytest.importorskip("latex2mathml", reason="needs latex2mathml: lock/docs.txt")
    pytest.importorskip("mkdocs", reason="needs mkdocs: lock/docs.txt")
    hooks = runpy.run_path(str(ROOT / "docs" / "site_hooks.py"))
    convert = hooks["on_page_content"]
    shown = convert(r'<div class="arithmatex">\[ A &lt; B_1 \tag{2} \]</div>', None, None, None)
    assert 'display="block"' in shown
    assert '<span class="number">(2)</span>' in shown
    assert "arithmatex" not in shown
    assert "\\" not in shown
    with pytest.raises(Exception, match="cannot be converted"):
        convert(r'<span class="arithmatex">\(\nosuchcommand x\)</span>', None, None, None)
    assert not re.search(r"extra_javascript|cdn", read("mkdocs.yml"))


def test_every_page_is_in_the_navigation():
    navigation = read("mkdocs.yml")
    for page in PAGES:
        if (ROOT / "docs") in page.parents:
            assert page.relative_to(ROOT / "docs").as_posix() in navigation


def test_picture_is_small():
    assert (ROOT / "docs" / "report.png").stat().st_size < 300_000


def main(pages):
    """Write what the commands of pages print now into them."""
    for page in pages:
        with TemporaryDirectory() as folder, contextlib.chdir(folder):
            (ROOT / page).write_text(rewrite(read(page), run_page(page)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
