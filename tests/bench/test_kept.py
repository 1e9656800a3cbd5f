"""The records behind the page of results: they are those of the page, and the code still gives them."""

import os
from datetime import date

import numpy as np
import pytest

from labelferry_bench.papers.kept import KEPT, PAGE, keep, kept
from labelferry_bench.papers.run import Cell, cell_of, measure
from labelferry_bench.papers.tasks import TASKS

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
    """The means of the method of each paper, from the records."""
    page = PAGE.read_text(encoding="utf-8")
    for name, method in (("cdsc", "CDSC"), ("gcmf", "GCMF"), ("tcl", "TCL")):
        scores: dict[str, list[float]] = {}
        for record in kept():
            if record["task"].startswith(f"{name}/") and record["method"] == method:
                scores.setdefault(record["task"], []).append(record["score"])
        mean = 100 * np.mean([np.mean(values) for values in scores.values()])
        section = page.partition(f"`labelferry bench table {name}`")[2]
        row = next(line for line in section.splitlines() if line.startswith(f"| `{method}` |"))
        assert f"**{mean:.1f}" in row


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
