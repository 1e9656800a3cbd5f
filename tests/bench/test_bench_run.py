"""The bench itself, on a small corpus in the layout of 20 Newsgroups that the tests write."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
from joblib import parallel_config
from typer.testing import CliRunner

from labelferry import cli
from labelferry.core.method_spec import make_method, parse_methods
from labelferry_bench.cli.bench import split_into_tables
from labelferry_bench.datasets import CorpusNotFound
from labelferry_bench.papers import best_in_words, compare_tables, run_table
from labelferry_bench.papers.output import table_csv
from labelferry_bench.papers.run import Cell, cells, measure, read_records
from labelferry_bench.papers.table import AS_PUBLISHED

from ..newsgroups import write_newsgroups

METHODS = "SourceLR,EMNaiveBayes,TCL(n_topics=4, max_iter=20)"
TASKS = ["comp vs rec", "rec vs sci"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    write_newsgroups(folder)
    monkeypatch.setenv("LABELFERRY_DATA", str(folder))
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path / "cache"))
    return folder


def without_times(table):
    """The table without the values that differ between two runs."""
    for cell in [cell for row in table["rows"] for cell in row["cells"] if cell] + table["means"]:
        cell.pop("seconds")
    return table


def test_a_killed_run_continues_to_the_same_table(data, tmp_path):
    arguments = ["bench", "table", "gcmf", "--methods", METHODS, "--tasks", ",".join(TASKS), "--seeds", "3"]
    command = [*arguments, "--out", str(tmp_path / "killed")]
    code = f"from labelferry.cli import app, load_commands; load_commands(); app({command!r})"
    path = tmp_path / "killed" / "gcmf.jsonl"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_bytes().count(b"\n") >= 2):
        assert child.poll() is None, child.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    before = path.read_bytes()
    path.write_bytes(before + b'{"task": "gcmf/rec')  # what an interrupted write leaves behind
    ran = []
    resumed = run_table("gcmf", tmp_path / "killed", methods=METHODS, tasks=TASKS, n_seeds=3, done=ran.append)
    assert path.read_bytes().startswith(before)
    n_kept, n_all = before.count(b"\n"), len(ran)
    assert 2 <= n_kept < n_all == len(list(read_records(path)))
    full = run_table("gcmf", tmp_path / "full", methods=METHODS, tasks=TASKS, n_seeds=3)
    assert without_times(resumed) == without_times(full)


def test_recorded_cells_are_not_run_again(data, tmp_path, monkeypatch):
    first = run_table("gcmf", tmp_path, methods=METHODS, tasks=TASKS[:1], n_seeds=2)
    monkeypatch.setattr("labelferry_bench.papers.run.measure", lambda cell: pytest.fail(f"{cell} ran again"))
    assert run_table("gcmf", tmp_path, methods=METHODS, tasks=TASKS[:1], n_seeds=2) == first


def test_another_setting_or_code_is_another_cell(data, tmp_path, monkeypatch):
    run_table("gcmf", tmp_path, methods="EMNaiveBayes", tasks=TASKS[:1])
    run_table("gcmf", tmp_path, methods="EMNaiveBayes(smoothing=0.2)", tasks=TASKS[:1])
    assert len(list(read_records(tmp_path / "gcmf.jsonl"))) == 2
    monkeypatch.setattr("labelferry_bench.papers.run.code_hash", lambda module: "9")
    run_table("gcmf", tmp_path, methods="EMNaiveBayes", tasks=TASKS[:1])
    assert len(list(read_records(tmp_path / "gcmf.jsonl"))) == 3


def test_a_run_with_another_recipe_is_another_cell(data, monkeypatch):
    [before] = cells(["gcmf/rec vs sci"], ["SourceLR"], 1)
    monkeypatch.setattr("labelferry_bench.papers.task.Recipe.describe", lambda recipe: "another")
    assert cells(["gcmf/rec vs sci"], ["SourceLR"], 1) != [before]


def test_a_cell_that_fails_is_named_and_the_others_are_shown(data, tmp_path, monkeypatch):
    def fails(cell):
        if cell.task.endswith("rec vs sci"):
            raise ValueError("no\n  such [thing]")
        return measure(cell)

    monkeypatch.setattr("labelferry_bench.papers.run.measure", fails)
    arguments = ["bench", "table", "gcmf", "--methods", "SourceLR", "--tasks", ",".join(TASKS), "--out", str(tmp_path)]
    shown = CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "100"})
    assert shown.exit_code == 1
    assert "Failed: rec vs sci, SourceLR, seed 0: ValueError: no such [thing]" in shown.stdout
    table = json.loads((tmp_path / "gcmf.json").read_text())
    cells_of = {row["task"]: row["cells"][0] for row in table["rows"]}
    assert cells_of["comp vs rec"]["mean"] > 0.5
    assert cells_of["rec vs sci"]["mean"] is None
    monkeypatch.setattr("labelferry_bench.papers.run.measure", measure)
    assert CliRunner().invoke(cli.app, arguments).exit_code == 0  # it has no record, so it runs again


def test_the_number_of_seeds_is_that_of_the_page(data, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "labelferry_bench.papers.tabulate.run", lambda wanted, *_, **__: (asked.append(wanted), ([], []))[1]
    )
    for n_seeds, numbers in ((None, {"TCL": 10, "MSDA": 1, "SourceLR": 1}), (2, {"TCL": 2, "MSDA": 2, "SourceLR": 1})):
        asked: list[list[Cell]] = []
        run_table("tcl", tmp_path, methods=",".join(numbers), tasks=TASKS[:1], n_seeds=n_seeds)
        assert Counter(cell.method for cell in asked[0]) == numbers


def test_two_jobs_give_the_table_of_one(data, tmp_path):
    """In threads here: two new processes would spend five seconds on imports."""
    with parallel_config("threading"):
        tables = [
            run_table("gcmf", tmp_path / str(jobs), methods=METHODS, tasks=TASKS, n_seeds=2, jobs=jobs)
            for jobs in (1, 2)
        ]
    assert without_times(tables[0]) == without_times(tables[1])


def test_seeds_are_run_only_if_they_matter():
    wanted = cells(["gcmf/rec vs sci", "shift/rec vs sci 9:1"], ["SourceLR", "TCL"], 3)
    count = {(task, method): 0 for task, method, *_ in wanted}
    for task, method, *_ in wanted:
        count[task, method] += 1
    assert list(count.values()) == [1, 3, 3, 3]


def test_the_table_has_our_results_those_of_the_paper_and_missing_corpora(data, tmp_path):
    table = run_table("gcmf", tmp_path, methods="SourceLR,EMNaiveBayes", n_seeds=1)
    rows = {row["task"]: row for row in table["rows"]}
    logistic, naive = rows["comp vs rec"]["cells"]
    assert logistic["paper"] == 0.8171
    assert logistic["difference"] == logistic["mean"] - 0.8171
    assert naive["paper"] is None
    assert rows["orgs vs people"]["missing"].startswith("reuters_crossdomain/")
    assert rows["orgs vs people"]["cells"][0]["mean"] is None
    assert rows["orgs vs people"]["cells"][1] is None
    six = [row["cells"][0] for row in table["rows"] if not row["missing"]]
    assert table["means"][0]["n"] == len(six) == 6
    assert table["means"][0]["paper"] == pytest.approx(np.mean([cell["paper"] for cell in six]))
    [best] = table["best"]
    assert (best["best_published"]["method"], best["tasks"]) == ("GCMF", 6)
    [own] = best["own"]
    assert (own["column"], own["default"], own["as_published"]) == ("GCMF", None, None)  # GCMF was not run
    assert best["best_here"]["method"] in ("SourceLR", "EMNaiveBayes")
    assert best_in_words(best).startswith("20 Newsgroups (6 tasks): GCMF in print 92.7. Best of all methods here: ")
    lines = table_csv(table).splitlines()
    assert lines[0].startswith("task,method,published_as,missing,mean")
    assert sum("reuters_crossdomain" in line for line in lines) == 6


def test_the_table_is_readable_in_80_columns(data, tmp_path):
    """Names are complete, numbers are not broken; tasks that do not fit are in a further table below."""
    methods = f"{AS_PUBLISHED['HybridSimilarityPropagation']},EMNaiveBayes"
    arguments = ["bench", "table", "gcmf", "--methods", methods, "--out", str(tmp_path)]
    text = CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "80", "NO_COLOR": "1"}).stdout
    assert "…" not in text
    assert max(len(line) for line in text.splitlines() if "Written" not in line and "missing" not in line) <= 80
    for words in ("EMNaiveBayes", "HybridSimilarityPropagation", "difference", "talk"):
        assert words in text
    assert re.search(r"EMNaiveBayes +\d+\.\d ", text.partition("ours, difference")[0])
    assert all((tmp_path / f"gcmf.{kind}").stat().st_size for kind in ("csv", "json", "html"))


def test_tasks_are_split_over_tables():
    rows = [{"task": name} for name in ("rec vs simulated", "a vs b", "c vs d")]
    assert split_into_tables(rows, 20) == [rows[:2], rows[2:]]
    assert split_into_tables(rows, 1) == [[row] for row in rows]
    assert split_into_tables([], 20) == []


def test_the_error_names_a_line_that_is_not_a_record(tmp_path):
    path = tmp_path / "gcmf.jsonl"
    path.write_text('{"task": 1}\n')
    with pytest.raises(ValueError, match=r"gcmf\.jsonl, line 1, is not a record"):
        list(read_records(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TLC", "got 'TLC'. Did you mean tcl"),
        ("TCL(", "a closing bracket is missing"),
        ("TCL] + [RSP", "methods must be names with commas"),
        ("TCL(10)", "name=value in brackets"),
        ("TCL(n_topics=open('x'))", "must be a number, quoted text"),
    ],
)
def test_errors_for_methods_that_cannot_be_read(text, message):
    with pytest.raises(ValueError, match=message):
        parse_methods(text)


def test_the_error_names_an_unknown_parameter():
    with pytest.raises(ValueError, match="TCL has no parameter 'topics'"):
        make_method("TCL(topics=3)", 0)


def test_the_seed_is_passed_to_methods_that_have_one():
    assert make_method("TCL", 7).random_state == 7
    assert make_method("TCL(random_state=3)", 7).random_state == 3
    assert "random_state" not in make_method("SourceLR", 7).get_params()


def test_the_error_names_an_unknown_task(tmp_path):
    with pytest.raises(ValueError, match="there is no task 'rec vs art' in the table 'gcmf'"):
        run_table("gcmf", tmp_path, tasks=["rec vs art"])


def test_compare_finds_what_got_worse(data, tmp_path):
    run_table("gcmf", tmp_path, methods="SourceLR,EMNaiveBayes", tasks=TASKS)
    before, after = tmp_path / "gcmf.json", tmp_path / "after.json"
    table = json.loads(before.read_text())
    table["rows"][1]["cells"][0]["mean"] -= 0.02
    table["rows"][0]["cells"][1]["mean"] -= 0.005
    after.write_text(json.dumps(table))
    rows = compare_tables(before, after)
    assert [(row["task"], row["method"]) for row in rows if row["worse"]] == [("gcmf/rec vs sci", "SourceLR")]
    assert CliRunner().invoke(cli.app, ["bench", "compare", str(before), str(before)]).exit_code == 0
    shown = CliRunner().invoke(cli.app, ["bench", "compare", str(before), str(after)])
    assert shown.exit_code == 1
    assert "1 of 4 cells got worse" in shown.output


def test_the_error_names_a_file_that_is_not_a_table(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[]")
    with pytest.raises(ValueError, match=r"x\.json is not a table"):
        compare_tables(path, path)


def test_without_data_the_error_names_all_corpora(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELFERRY_DATA", str(tmp_path))
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path))
    with pytest.raises(CorpusNotFound, match=r"sraa.*20news.*OrgsPeople.* `labelferry data` says where"):
        run_table("tcl", tmp_path / "out")
