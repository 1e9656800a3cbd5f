"""TCL's Table 3 as a picture and its Figure 2 as two studies."""

import csv

from labelferry_bench.papers.figures import draw_figure
from labelferry_bench.papers.plots import plot_words
from labelferry_bench.papers.studies import studies
from labelferry_bench.papers.tasks import TASKS


def test_figure_2_has_one_curve_per_corpus_over_the_ranges_of_the_paper(corpus):
    for file in TASKS["tcl/rec vs sci"].needs:
        corpus(file)
    k, alpha = studies()["tcl-2a"], studies()["tcl-2b"]
    assert (k.values[0], k.values[-1]) == (10, 200)
    assert (alpha.values[0], alpha.values[-1]) == (0, 1)
    for study in (k, alpha):
        for curve in study.curves:
            assert {TASKS[task].corpus for task in curve.tasks} == {curve.label}


def test_table_3_has_common_source_and_target_words_of_both_classes(corpus, tmp_path):
    for file in TASKS["tcl/rec vs sci"].needs:
        corpus(file)
    draw_figure("tcl-t3", tmp_path)
    with open(tmp_path / "tcl-t3.csv") as file:
        header, *rows = csv.reader(file)
    assert len(header) == 3
    assert [(row[0], row[1]) for row in rows] == [
        (c, kind) for c in ("rec", "sci") for kind in ("common", "source", "target")
    ]
    words = {(row[0], row[1]): row[2].split(", ") for row in rows}
    assert all(len(line) == 5 for line in words.values())
    assert "space" in words["sci", "target"]


def test_a_table_of_words_has_one_cell_per_text():
    figure = plot_words([["a", "b"], ["one", "two"], ["three", "four"]], title="words")
    (table,) = figure.axes[0].tables
    assert sorted(cell.get_text().get_text() for cell in table.get_celld().values()) == sorted(
        ["a", "b", "one", "two", "three", "four"]
    )
