import io
from itertools import combinations, pairwise

import numpy as np
import pytest

from labelferry_bench.papers import studies
from labelferry_bench.papers.plots import mean_similarity, plot_curves, plot_projection, plot_similarity

from ..planted import stacked, vocabulary_shift

pytest.importorskip("matplotlib")


@pytest.fixture
def task():
    planted = vocabulary_shift(n_docs=60)
    X, _, domain = stacked(planted)
    return X, np.append(planted.ys, planted.yt), np.where(domain < 0, "new", "old")


def test_projection_has_one_color_per_class_and_one_marker_per_domain(task):
    X, y, domain = task
    figure = plot_projection(X[:, [0, 1]].toarray(), y, domain, title="two words")
    groups = figure.axes[0].collections
    assert len(groups) == 4
    assert len({tuple(g.get_facecolor()[0]) for g in groups}) == 2
    assert sum(len(g.get_offsets()) for g in groups) == 120
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["0, new", "1, new", "0, old", "1, old"]


def test_pattern_is_the_mean_over_pairs(task):
    X, y, _ = task
    order = np.argsort(y, kind="stable")
    pattern, edges = mean_similarity(X, order, n_bins=7)
    Z = X.toarray()[order]
    slow = [[np.mean(Z[a:b] @ Z[c:d].T) for c, d in pairwise(edges)] for a, b in pairwise(edges)]
    np.testing.assert_allclose(pattern, slow)


def test_similarity_is_sorted_by_class_and_domain(task, tmp_path):
    X, y, domain = task
    figure = plot_similarity(X, y, domain)
    ticks = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert ticks == ["0\nnew", "0\nold", "1\nnew", "1\nold"]
    figure.savefig(tmp_path / "pattern.png")
    assert (tmp_path / "pattern.png").stat().st_size > 5000


def overlapping(figure, texts):
    """Pairs of texts of the drawn figure whose boxes overlap."""
    figure.savefig(io.BytesIO())
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_visible() and text.get_text()]
    return [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]


@pytest.mark.parametrize("name", sorted(studies()))
def test_texts_of_a_study_do_not_overlap(name):
    """Every study with all its curves and with invented numbers."""
    study = studies()[name]
    labels = [curve.label for curve in study.curves] or ["a vs b"]
    points = [{"mean": 0.8, "sd": 0.01, "n": 2} for _ in study.values]
    curves = [{"label": label, "tasks": 1, "points": points, "rival": 0.75} for label in labels]
    figure = plot_curves(study._asdict() | {"curves": curves})
    [axes], [legend] = figure.axes, figure.legends
    texts = [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels()]
    assert overlapping(figure, [*texts, *legend.get_texts()]) == []
    extents = [text.get_window_extent() for text in (*texts, *legend.get_texts())]
    assert min(box.x0 for box in extents) >= 0
    assert max(box.x1 for box in extents) <= figure.bbox.width


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((4, 3)), [0] * 4, [0] * 4), "two columns"),
        ((np.zeros((4, 2)), [0] * 3, [0] * 4), "labels must name each of the 4"),
        ((np.zeros((4, 2)), [0] * 4, [0] * 5), "domains must name each of the 4"),
        (
            (np.zeros((4, 2)), np.array([0, "a", 1, "b"], dtype=object), [0] * 4),
            "labels must be all strings or all",
        ),
        ((np.zeros((4, 2)), [0] * 4, [0.1, 0.2, 0.3, 0.4]), "continuous"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        plot_projection(*arguments)
