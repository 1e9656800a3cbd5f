"""The page of results: what a table has besides accuracies, and how it is written."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from labelferry import cli
from labelferry.core.registry import estimators
from labelferry_bench.papers.extra_columns import METHODS, measure_within, within_cells
from labelferry_bench.papers.figures import PICTURES
from labelferry_bench.papers.gallery import ORDER, write_figures
from labelferry_bench.papers.kept import keep
from labelferry_bench.papers.measure_study import recorded_study
from labelferry_bench.papers.results import CHOSEN_ON, chosen_on, origin, summary
from labelferry_bench.papers.run import append_record, cells
from labelferry_bench.papers.sections import section
from labelferry_bench.papers.splits import Split
from labelferry_bench.papers.studies import studies
from labelferry_bench.papers.table import AS_PUBLISHED
from labelferry_bench.papers.tabulate import recorded_table, run_table, tabulate
from labelferry_bench.papers.task import find_repeated
from labelferry_bench.papers.tasks import TABLES, TASKS, tasks_of

from ..planted import vocabulary_shift

PROTOCOL = {
    "corpus": "a corpus",
    "preprocessing": "words",
    "n_words": 1234,
    "source": {"a": 5, "b": 4},
    "target": {"a": 3, "b": 6},
    "n_target": 9,
    "n_also_in_source": 2,
    "n_with_other_label": 1,
}


def cell_record(cell, score):
    return {
        **cell._asdict(),
        "score": score,
        "balanced": None,
        "seconds": 1.0,
        "protocol": PROTOCOL,
        "divergences": {"KLt": 0.5, "KLc": 2.0},
    }


@pytest.fixture
def everything_is_here(monkeypatch):
    monkeypatch.setattr("labelferry_bench.papers.task._is_available", lambda source: True)


@pytest.fixture
def nothing_is_kept(monkeypatch, tmp_path):
    keep([], tmp_path / "kept.gz")
    monkeypatch.setattr("labelferry_bench.papers.kept.KEPT", tmp_path / "kept.gz")


def test_a_recorded_table_uses_the_seeds_that_exist(everything_is_here, nothing_is_kept, tmp_path):
    """Those of other code too; of two records of a cell the later one, and one of a run before a kept one."""
    first, second, third = cells(["tcl/rec vs sci"], ["TCL"], 3)
    keep([cell_record(first, 0.1), cell_record(third._replace(code="of another version"), 0.92)], tmp_path / "kept.gz")
    other_form = first._replace(settings="another idf")
    for cell, score in ((first, 0.2), (first, 0.9), (second, 0.91), (other_form, 0.3)):
        append_record(tmp_path / "tcl.jsonl", cell_record(cell, score))
    table = recorded_table("tcl", tmp_path)
    row = next(row for row in table["rows"] if row["task"] == "rec vs sci")
    cell = row["cells"][[method["method"] for method in table["methods"]].index("TCL")]
    assert (cell["n"], cell["mean"]) == (3, pytest.approx(0.91))
    page = section(table)
    assert "| `TCL` | 91.0±1.0 (97.9) | **91.0±1.0 (97.9)** | 3 | 1.0 |" in page
    assert "| `GCMF` |  | not run | 0 |  |" in page
    assert "real vs simulated, comp vs rec, comp vs sci, comp vs talk, rec vs talk, " in page
    shown = CliRunner().invoke(cli.app, ["bench", "table", "tcl", "--no-run", "--out", str(tmp_path)])
    assert shown.exit_code == 0
    refused = CliRunner().invoke(cli.app, ["bench", "table", "tcl", "--no-run", "--seeds", "2"])
    assert "remove --methods, --tasks and --seeds" in refused.stderr
    assert re.search(r"TCL +91\.0 +1\.0 +97\.9 +-6\.9", shown.stdout)


def test_the_page_names_the_commits_and_how_many_records_are_of_the_present_code():
    first, second, third = cells(["cdsc/rec vs sci"], ["TCL"], 3)
    records = {
        first: {**cell_record(first, 0.9), "commit": "abc"},
        second: {**cell_record(second._replace(code="before"), 0.9), "commit": "abc"},
        third: {**cell_record(third, 0.9), "commit": "def"},
    }
    commits, code = origin(records).splitlines()
    assert commits == "2 at commit abc, 1 at commit def."
    assert code.startswith("In 2 of the 3 records the code of the method is that of this page;")


def test_the_summary_counts_what_is_below_print_and_what_is_near_it(everything_is_here):
    """A cell far above print is not below it, nor near it; a difference counts as it is shown, -2.04 as -2.0."""
    ours = dict(zip(("comp vs rec", "comp vs sci", "rec vs sci", "sci vs talk"), (5, -2.04, -2.06, 1.9), strict=True))
    published = dict(zip(ours, (2.04, 2.06, -2.04, -9), strict=True))
    printed = TABLES["gcmf"].printed[0]
    records = [
        cell_record(cell, printed.accuracy(task, "GCMF") + points / 100)
        for method, differences in (("GCMF", ours), (AS_PUBLISHED["GCMF"], published))
        for task, points in differences.items()
        for cell in cells([f"gcmf/{task}"], [method], 1)
    ]
    methods = ["GCMF", AS_PUBLISHED["GCMF"]]
    page = summary([tabulate(TABLES["gcmf"], [f"gcmf/{task}" for task in ours], methods, records)])
    assert "| `GCMF` | 92.3 | 93.0 | 3 of 4 | rec vs sci -2.1 | 90.6 | 2 of 4 | " in page
    assert "| `GCMF` | 92.3 | 93.0 | 3 of 4 | rec vs sci -2.1 |  |  | " in summary(
        [tabulate(TABLES["gcmf"], [f"gcmf/{task}" for task in ours], methods[:1], records)]
    )


def test_the_method_of_a_paper_is_tested_against_its_rivals(everything_is_here):
    tasks, methods = tasks_of("hybrid"), [*TABLES["hybrid"].default_methods()]
    other, own = TABLES["hybrid"].tested
    records = [
        cell_record(cell, (0.9 if cell.method == own else 0.8) + 0.01 * (cell.seed % 2) * (cell.method == "TSVM(C=1)"))
        for cell in cells(tasks, methods, 4)
    ]
    table = tabulate(TABLES["hybrid"], tasks, methods, records)
    tests = {test["method"]: test for test in table["tests"] if test["tested"] == own}
    assert {test["tested"] for test in table["tests"]} == {own, other}
    assert len(tests) == 14
    assert [method for method in tests if method.startswith("TSVM")] == ["TSVM(C=1)"]  # a rival counts once
    assert not [method for method in tests if method.startswith(own)]  # its form as published is no rival
    assert [method for method in tests if method.startswith(other)] == [other]
    assert tests["TSVM(C=1)"]["won"] == 6
    assert tests["TSVM(C=1)"]["draws"] == {"tasks": 6, "better": 6, "worse": 0}
    assert table["friedman"]["ranks"][own] == 1
    page = section(table)
    assert "| HybridSimilarityPropagation against | mean difference |" in page
    assert "| HybridLabelPropagation against | mean difference |" in page
    assert "| `TSVM`, as published | +9.5 | 6 | 0 | 0 |" in page
    assert "Friedman's test of the methods of the paper and their rivals: p = " in page
    sizes = "(1,234 words; source a 5, b 4; target a 3, b 6)"
    assert f"- a corpus: words. comp vs rec {sizes}, comp vs sci {sizes}, " in page
    assert page.count("- a corpus: words.") == 1


def test_repeated_rows_are_found_with_their_labels():
    counts = sp.csr_array(np.array([[1, 2, 0], [0, 0, 3], [1, 2, 0], [1, 1, 0], [0, 0, 3], [0, 0, 3]], dtype=float))
    split = Split(np.array([0, 1]), np.array(["a", "a"]), np.array([2, 3, 4, 5]), np.array(["a", "b", "b", "a"]))
    repeated = find_repeated(counts, split)
    assert repeated.in_source.tolist() == [True, False, True, True]
    assert repeated.other_label.tolist() == [False, False, True, False]


def test_the_page_states_how_many_rows_are_repeated(everything_is_here):
    wanted = cells(tasks_of("reuters-distinct")[:1], ["SourceLR"], 1)
    records = [cell_record(cell, 0.5) for cell in wanted]
    table = tabulate(TABLES["reuters-distinct"], tasks_of("reuters-distinct")[:1], ["SourceLR"], records)
    assert "of 9 target rows 2 are also rows of the source, 1 of them with another label" in section(table)


def test_errors_within_a_domain_are_beside_those_of_the_paper(everything_is_here, monkeypatch):
    planted = vocabulary_shift(n_docs=60)
    loaded = type("Loaded", (), {"Xs": planted.Xs, "ys": planted.ys, "Xt": planted.Xt, "yt": planted.yt})
    wanted = within_cells(TABLES["cdsc"].printed, ["cdsc/rec vs talk"], 1)
    assert [cell.method for cell in wanted] == [METHODS["Din-CV"], METHODS["Dout-CV"]]
    monkeypatch.setattr("labelferry_bench.papers.task._load", lambda *_: loaded)
    monkeypatch.setattr("labelferry_bench.papers.task.find", lambda *_: None)
    records = [measure_within(cell) for cell in wanted]
    assert all(record["score"] > 0.8 for record in records)
    records += [cell_record(cell, 0.7) for cell in cells(["cdsc/rec vs talk"], ["SourceSVM"], 1)]
    page = section(tabulate(TABLES["cdsc"], ["cdsc/rec vs talk"], ["SourceSVM"], records))
    assert "|  | Din-Dout | Dout-CV | Din-CV |" in page
    assert "| rec vs talk | 0.300 (0.316) |" in page
    assert within_cells(TABLES["gcmf"].printed, ["gcmf/rec vs talk"], 1) == []


def test_the_verification_columns_run_on_the_matrices_of_reuters(corpus, tmp_path):
    """They come from a reader of our own; scikit-learn's SVM accepts short indices only."""
    corpus("reuters_crossdomain/OrgsPeople_src.mat")
    settings = {"methods": "SourceNB", "tasks": ["orgs vs people"], "n_seeds": 1}
    table = run_table("cdsc", tmp_path, **settings)
    assert table["failed"] == []
    assert {row["column"] for row in table["within"]} == {"Dout-CV", "Din-CV"}
    assert all(abs(row["mean"] - row["paper"]) < 0.1 for row in table["within"])
    assert run_table("cdsc", tmp_path / "without", **settings, verification=False)["within"] == []


def test_a_grouped_table_has_one_line_per_group(everything_is_here):
    tasks = tasks_of("cdsc-text")
    records = [cell_record(cell, 0.8) for cell in cells(tasks, ["CDSC"], 1)]
    page = section(tabulate(TABLES["cdsc-text"], tasks, ["CDSC"], records))
    assert page.count("Porter stems, tf, plain idf | 80.0 |\n") == 2
    assert page.count(" | 80.0 |\n") == 16
    assert "| mean | **80.0** |\n| seeds | 1 |" in page


def test_the_command_prints_the_divergences_of_the_paper(everything_is_here, monkeypatch, tmp_path):
    monkeypatch.setattr("labelferry_bench.papers.run.measure", lambda cell: cell_record(cell, 0.8))
    task = "orgs vs people from orgs + people"
    arguments = ["bench", "table", "rsp", "--tasks", task, "--out", str(tmp_path)]
    shown = CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "100"})
    assert "2.00 (0.24)" in shown.stdout


def test_no_transfer_is_one_number_per_target(everything_is_here):
    """The target of a task is drawn first and counted alone: it does not depend on the source."""
    tasks = [TASKS[name] for name in tasks_of("rsp") if name.startswith("rsp/comp vs rec")]
    assert {task.recipe.over for task in tasks} == {"target"}
    assert {task.split.keywords["parts"][0].domain for task in tasks} == {"target"}


def record_first_curve(name, folder):
    """Write the records of the first curve of a study, and return the curve."""
    study = studies()[name]
    first = study.curves[0]
    for x in study.values:
        [cell] = cells(first.tasks, [first.method.format(x=x)], 1)
        append_record(folder / f"{name}.jsonl", cell_record(cell, 0.9))
    return first


def test_a_recorded_study_has_the_curves_that_are_complete(everything_is_here, nothing_is_kept, tmp_path):
    first = record_first_curve("gcmf-p", tmp_path)
    assert [curve["label"] for curve in recorded_study("gcmf-p", tmp_path)["curves"]] == [first.label]
    assert recorded_study("gcmf-2a", tmp_path) is None


def test_the_dashed_line_of_a_task_is_its_best_rival_in_print(everything_is_here, nothing_is_kept, tmp_path):
    first = record_first_curve("gcmf-2a", tmp_path)
    for method, score in {"GCMF": 0.99, "TCL": 0.98, "MTrick": 0.8, "SourceSVM(C=1)": 0.85, "DKT": 0.7}.items():
        [cell] = cells(first.tasks, [method], 1)
        append_record(tmp_path / "gcmf.jsonl", cell_record(cell, score))
    [curve] = recorded_study("gcmf-2a", tmp_path)["curves"]
    assert curve["rival"] == 0.85  # TCL is no column of the paper, GCMF is its own


def test_every_figure_has_a_finding():
    assert not [name for name, study in studies().items() if not study.finding]
    assert not [name for name, drawn in PICTURES.items() if not drawn.finding]
    assert {name.partition("-")[0] for name in (*studies(), *PICTURES)} == set(ORDER)


def test_the_page_shows_the_figures_that_were_run(everything_is_here, nothing_is_kept, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("labelferry_bench.papers.gallery.PICTURES", {})
    study = studies()["gcmf-p"]
    for curve in study.curves:
        for x in study.values:
            [cell] = cells(curve.tasks, [curve.method.format(x=x)], 1)
            append_record(tmp_path / "gcmf-p.jsonl", cell_record(cell, 0.9))
    page = write_figures(tmp_path / "figures", tmp_path, run=False)
    assert "](figures/gcmf-p.svg)" in page
    assert page.count("Not run for this page.") == len(studies()) - 1
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["gcmf-p.svg"]


def test_defaults_that_were_chosen_are_of_estimators():
    names = {name for method, *_ in CHOSEN_ON for name in method.split(", ")}
    assert names <= set(estimators())
    assert chosen_on().count("\n") == len(CHOSEN_ON) + 2
