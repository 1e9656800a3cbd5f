"""Pictures of a transfer as matplotlib figures: documents as points, their similarities, and curves of studies."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils.multiclass import check_classification_targets

from .pools import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = "o^sDvP*X"  # one per domain
MAX_LETTERS = 90  # that fit into the width of a figure of curves
N_BINS = 200  # rows and columns of the similarity pattern; finer patterns look the same


def plot_projection(points: Any, labels: Any, domains: Any, *, title: str = "") -> Figure:
    """Draw documents as points on two axes. Colors are classes, markers are domains.

    CDSC places all documents of a source class at one point.

    `points`: coordinates, for example two columns of the eigenvectors of CDSC or SpectralClassifier, sources first:
    `est.state_.vectors[:, 1:3]`.
    """
    points = np.asarray(points)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"points must have two columns, one per axis; got shape {points.shape}. Select two columns.")
    classes, class_of = _codes(labels, len(points), "labels")
    names, domain_of = _codes(domains, len(points), "domains")
    figure, (axes,) = _figure(width=6.5)
    colors = _colors(len(classes))
    for d, name in enumerate(names):
        for c, label in enumerate(classes):
            shown = (domain_of == d) & (class_of == c)
            if not shown.any():
                continue
            axes.scatter(
                *points[shown].T,
                color=colors[c],
                marker=MARKERS[d % len(MARKERS)],
                s=18,
                alpha=0.6,
                linewidths=0,
                label=f"{label}, {name}",
            )
    axes.legend(frameon=False, markerscale=1.6, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.locator_params(nbins=5)
    axes.ticklabel_format(scilimits=(-2, 3))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set(xlabel="first axis", ylabel="second axis", title=title)
    return figure


def plot_similarity(X: Any, labels: Any, domains: Any, *, title: str = "") -> Figure:
    """Draw the cosine similarities of documents, sorted by class and then by domain. Classes appear as bright blocks.

    A cell is the mean over the pairs of two groups of adjacent documents, so no matrix of size documents x documents
    is formed.
    """
    figure, (axes,) = _figure(width=5.5)
    _pattern(figure, axes, X, labels, domains, title)
    return figure


def plot_similarities(
    spaces: dict[str, Any], labels: Any, domains: Any, *, threshold: bool = False
) -> tuple[Figure, Array]:
    """Draw `plot_similarity` of the same documents in several spaces next to each other.

    `threshold`: if True, a pair of documents is black if it is more similar than the mean of all pairs, and white
    otherwise. The whole matrix of documents x documents is drawn, so this is for small samples.
    Returns the mean similarities of all spaces, stacked by rows; with `threshold`, what is drawn.
    """
    figure, axes = _figure(width=5.0 * len(spaces), n=len(spaces))
    patterns = [
        _pattern(figure, ax, X, labels, domains, title, threshold)
        for ax, (title, X) in zip(axes, spaces.items(), strict=True)
    ]
    return figure, np.vstack(patterns)


def plot_words(table: Any, *, title: str = "") -> Figure:
    """Draw a table of texts."""
    header, *rows = np.asarray(table).tolist()
    figure, (axes,) = _figure(width=7.5, height=0.5 + 0.35 * len(rows))
    axes.axis("off")
    cells = axes.table(rows, colLabels=header, loc="center", cellLoc="left", colLoc="left", edges="horizontal")
    cells.auto_set_column_width(range(len(header)))
    axes.set_title(title)
    return figure


def plot_curves(study: dict[str, Any]) -> Figure:
    """Draw a parameter study: one line per curve, with bars of one standard deviation; its best rival is dashed."""
    figure, (axes,) = _figure(width=7.0)
    for curve, color in zip(study["curves"], _colors(len(study["curves"])), strict=True):
        means, sds = (np.array([point[key] for point in curve["points"]]) for key in ("mean", "sd"))
        bars = sds if curve["tasks"] == 1 and sds.any() else None  # of one task, over its seeds
        axes.errorbar(study["values"], means, yerr=bars, label=curve["label"], color=color, marker="o", ms=5, capsize=2)
        if curve["rival"] is not None:
            axes.axhline(curve["rival"], color=color, linestyle="--", linewidth=1)
    axes.set(xlabel="\n".join([study["axis"], *wrap(study["remark"], MAX_LETTERS)]), ylabel=study["measure"])
    axes.set_title(f"{study['source']}: {study['title']}", loc="left", fontsize="medium")
    if study["log"]:
        axes.set_xscale("log")
    axes.set_xticks(study["values"], [f"{x:g}" for x in study["values"]], minor=False)
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    longest = max((len(curve["label"]) for curve in study["curves"]), default=0)
    n_columns = max(1, MAX_LETTERS // (longest + 8))  # a label with its line
    figure.legend(frameon=False, loc="outside lower center", ncols=min(n_columns, len(study["curves"]) or 1))
    return figure


def mean_similarity(X: Any, order: Array, n_bins: int) -> tuple[Array, Array]:
    """Return the mean cosine between groups of documents that are adjacent in `order`.

    With the sums S of the unit rows of each group, the means are S S' divided by the numbers of pairs: groups x groups.
    """
    edges = np.linspace(0, len(order), n_bins + 1).round().astype(int)
    sizes = np.diff(edges)
    group = np.repeat(np.arange(n_bins), sizes)
    member = sp.csr_array((np.ones(len(order)), (group, order)), shape=(n_bins, len(order)))
    S = member @ normalize(X)
    products = S @ S.T
    return (products.toarray() if sp.issparse(products) else products) / np.outer(sizes, sizes), edges


def _pattern(
    figure: Figure, axes: Any, X: Any, labels: Any, domains: Any, title: str, threshold: bool = False
) -> Array:
    classes, class_of = _codes(labels, X.shape[0], "labels")
    names, domain_of = _codes(domains, X.shape[0], "domains")
    order = np.lexsort((domain_of, class_of))
    pattern, edges = mean_similarity(X, order, n_bins=X.shape[0] if threshold else min(N_BINS, X.shape[0]))
    if threshold:
        pattern = (pattern > pattern.mean()).astype(float)
        axes.pcolormesh(edges, edges, pattern, cmap="Greys", vmin=0, vmax=1, rasterized=True)
    else:
        # A few near-duplicates would make all other cells dark.
        image = axes.pcolormesh(edges, edges, pattern, cmap="viridis", vmax=np.quantile(pattern, 0.99), rasterized=True)
        figure.colorbar(image, cax=axes.inset_axes((1.03, 0, 0.05, 1)), label="mean cosine")  # as high as the pattern
    group = class_of[order] * len(names) + domain_of[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    middles = (starts + np.append(starts[1:], len(group))) / 2
    ticks = [f"{classes[code // len(names)]}\n{names[code % len(names)]}" for code in group[starts]]
    axes.set_yticks(middles, ticks)
    axes.set_xticks([])
    for start in starts[1:]:
        axes.axhline(start, color="tab:red" if threshold else "white", linewidth=0.8)
        axes.axvline(start, color="tab:red" if threshold else "white", linewidth=0.8)
    axes.invert_yaxis()
    axes.set(aspect="equal", title=title)
    return pattern


def _codes(names: Any, n_documents: int, what: str) -> tuple[Array, Array]:
    """Return the distinct names, and the index of the name of every document."""
    names = np.asarray(names)
    if names.shape != (n_documents,):
        raise ValueError(f"{what} must name each of the {n_documents} documents; got shape {names.shape}.")
    try:
        distinct, codes = np.unique(names, return_inverse=True)
    except TypeError:
        kinds = sorted({type(name).__name__ for name in names})
        raise ValueError(
            f"{what} must be all strings or all integers; got values of the types {', '.join(kinds)}. Convert them "
            f"with {what}.astype(str)."
        ) from None
    check_classification_targets(names)
    return distinct, codes


def _figure(width: float, n: int = 1, height: float = 4.5) -> tuple[Figure, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, list(figure.subplots(1, n, squeeze=False)[0])


def _colors(n: int) -> list[Any]:
    from matplotlib import colormaps

    return [colormaps["tab10" if n <= 10 else "turbo"](i if n <= 10 else i / (n - 1)) for i in range(n)]
