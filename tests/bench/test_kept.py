"""The records behind the page of results: they are those of the page, and the code still gives them."""

import os
import re
import shutil
import subprocess
from datetime import date
from functools import cache
from itertools import zip_longest

import numpy as np
import pytest

from labelferry_bench.papers.figures import PICTURES
from labelferry_bench.papers.gallery import TABLES_OF_WORDS
from labelferry_bench.papers.kept import KEPT, PAGE, keep, kept
from labelferry_bench.papers.results import OWN_METHODS, write_results
from labelferry_bench.papers.run import Cell, cell_of, measure
from labelferry_bench.papers.table import Table
from labelferry_bench.papers.tasks import TABLES, TASKS

CHEAP = 1.0  # CPU seconds
N = int(os.environ.get("CELLS", "10"))


def test_what_is_kept_is_read_again(tmp_path):
    record = {**Cell("a/b", "TCL", 3, "{}", "0")._asdict(), "score": 0.5, "seconds": 1.0, "n_iter": 3, "commit": "abc"}
    keep([record], tmp_path / "x.gz")
    [again] = kept(tmp_path / "x.gz")
    assert cell_of(again) == cell_of(record)
    assert (again["score"], again["commit"], "n_iter" in again) == (0.5, "abc", False)
    first = (tmp_path / "x.gz").read_bytes()
    keep([record], tmp_path / "x.gz")
    assert (tmp_path / "x.gz").read_bytes() == first


@pytest.mark.skipif(not PAGE.exists(), reason="not a checkout")
def test_the_page_has_the_records():
    """The means of the methods of each paper, from the records."""
    page = PAGE.read_text(encoding="utf-8")
    for name, method in ((table, method) for table, own in OWN_METHODS.items() for method in own):
        scores: dict[str, list[float]] = {}
        for record in kept():
            if record["task"].startswith(f"{name}/") and record["method"] == method:
                scores.setdefault(record["task"], []).append(record["score"])
        mean = 100 * np.mean([np.mean(values) for values in scores.values()])
        section = page.partition(f"`labelferry bench table {name}`")[2]
        row = next(line for line in section.splitlines() if line.startswith(f"| `{Table.name_of(method)}` |"))
        assert f"**{mean:.1f}" in row


@pytest.mark.slow
@pytest.mark.skipif(not PAGE.exists(), reason="not a checkout")
def test_the_page_is_what_the_records_give(monkeypatch, tmp_path):
    """Word for word, but for the number of records of the present code; the pictures are not drawn.

    If it fails, run `labelferry bench results --no-run`.
    """
    figure = pytest.importorskip("matplotlib.figure").Figure
    present_code = re.compile(r"^In .* the code of the method is that of this page.*$", re.MULTILINE)
    page = present_code.sub("some", PAGE.read_text(encoding="utf-8"))
    absent = {task.missing() for table in TABLES.values() if table.on_page for task in table.tasks} - {None}
    if not_here := sorted(file for file in absent if f"needs `{file}`" not in page):
        pytest.skip(f"needs {not_here}")
    drawn = {
        name: picture if name in TABLES_OF_WORDS else picture._replace(draw=lambda _: (figure(), None))
        for name, picture in PICTURES.items()
    }
    monkeypatch.setattr("labelferry_bench.papers.gallery.PICTURES", drawn)
    monkeypatch.setattr("labelferry_bench.papers.gallery.plot_curves", lambda _: figure())
    monkeypatch.setattr("labelferry_bench.papers.kept.kept", cache(kept))
    write_results(tmp_path / "results.md", tmp_path / "records", run=False)
    again = present_code.sub("some", (tmp_path / "results.md").read_text(encoding="utf-8"))
    assert [(old, new) for old, new in zip_longest(page.splitlines(), again.splitlines()) if old != new][:3] == []
    assert again == page


@pytest.mark.skipif(not PAGE.exists(), reason="not a checkout")
def test_the_commits_of_the_records_are_in_the_history():
    def git(*arguments):
        command = ["git", "-C", str(PAGE.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)

    if not shutil.which("git") or git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("no git, or a clone without its history")
    names = {record["commit"] for record in kept()}
    assert all(names)
    assert not [name for name in sorted(names) if git("merge-base", "--is-ancestor", name, "HEAD").returncode]


@pytest.mark.skipif(not KEPT.exists(), reason="not a checkout")
def test_random_cells_of_the_page_are_the_same_today(corpus):
    """Ten cheap cells, others every day; CELLS=30 runs more. If one fails, run `labelferry bench results` again."""
    corpus("20news/20news-bydate.jsonl.gz")
    cheap = [
        record
        for record in kept()
        if record["seconds"] is not None and record["seconds"] < CHEAP and TASKS[record["task"]].missing() is None
    ]
    rng = np.random.default_rng(date.today().toordinal())
    for i in rng.choice(len(cheap), N, replace=False):
        record = cheap[i]
        again = measure(cell_of(record))
        assert again["score"] == pytest.approx(record["score"], abs=5e-4), cell_of(record)
