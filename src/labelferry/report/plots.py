"""Pictures of a transfer, as matplotlib figures: where the documents lie, and who resembles whom."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import encode
from ..linalg.mean_similarity import mean_similarity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = "o^sDvP*X"  # one a domain
LETTERS = 90  # that find room in the width of a figure of curves
N_BINS = 200  # rows and columns of the similarity pattern: as many as the eye can tell apart


def plot_projection(points: Any, labels: Any, domains: Any, *, title: str = "") -> Figure:
    """Documents as points on two axes, coloured by class and marked by domain.

    `points` is documents x 2, such as two columns of the coordinates that CDSC or SpectralClassifier found, sources
    first: `est.state_.vectors[:, 1:3]`. `labels` and `domains` name the class and the domain of every document. CDSC
    puts the documents of a source class on one point.
    """
    points = np.asarray(points)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"points must have two columns, one an axis; got shape {points.shape}. Pick two columns.")
    classes, class_of = _codes(labels, len(points), "labels")
    names, domain_of = _codes(domains, len(points), "domains")
    figure, (axes,) = _figure(width=6.5)
    colours = _colours(len(classes))
    for d, name in enumerate(names):
        for c, label in enumerate(classes):
            here = (domain_of == d) & (class_of == c)
            if not here.any():
                continue
            axes.scatter(
                *points[here].T,
                color=colours[c],
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
    """Cosine similarity of the documents, ordered by class and then by domain: classes show as bright blocks.

    A cell is the mean over the pairs of two groups of neighbouring documents, so that nothing of size documents x
    documents is formed, however many there are.
    """
    figure, (axes,) = _figure(width=5.5)
    _pattern(figure, axes, X, labels, domains, title)
    return figure


def plot_similarities(spaces: dict[str, Any], labels: Any, domains: Any) -> tuple[Figure, np.ndarray]:
    """`plot_similarity` of the same documents in several spaces, side by side; and the patterns, one below another."""
    figure, axes = _figure(width=5.0 * len(spaces), n=len(spaces))
    patterns = [
        _pattern(figure, ax, X, labels, domains, title) for ax, (title, X) in zip(axes, spaces.items(), strict=True)
    ]
    return figure, np.vstack(patterns)


def plot_curves(study: dict[str, Any]) -> Figure:
    """A parameter study as `bench.measure_study` gives it: one line a curve, bars of one standard deviation."""
    figure, (axes,) = _figure(width=7.0)
    for curve, colour in zip(study["curves"], _colours(len(study["curves"])), strict=True):
        means, sds = (np.array([point[key] for point in curve["points"]]) for key in ("mean", "sd"))
        bars = sds if curve["tasks"] == 1 and sds.any() else None  # over several tasks: the spread of the tasks
        axes.errorbar(
            study["values"], means, yerr=bars, label=curve["label"], color=colour, marker="o", ms=5, capsize=2
        )
    axes.set(xlabel="\n".join([study["axis"], *wrap(study["remark"], LETTERS)]), ylabel=study["measure"])
    axes.set_title(f"{study['source']}: {study['title']}", loc="left", fontsize="medium")
    if study["log"]:
        axes.set_xscale("log")
    axes.set_xticks(study["values"], [f"{x:g}" for x in study["values"]], minor=False)
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    longest = max((len(curve["label"]) for curve in study["curves"]), default=0)
    beside = max(1, LETTERS // (longest + 8))  # a label with its line
    figure.legend(frameon=False, loc="outside lower center", ncols=min(beside, len(study["curves"]) or 1))
    return figure


def _pattern(figure: Figure, axes: Any, X: Any, labels: Any, domains: Any, title: str) -> np.ndarray:
    classes, class_of = _codes(labels, X.shape[0], "labels")
    names, domain_of = _codes(domains, X.shape[0], "domains")
    order = np.lexsort((domain_of, class_of))
    pattern, edges = mean_similarity(X, order, n_bins=min(N_BINS, X.shape[0]))
    # A few near-duplicates would leave all the rest dark.
    image = axes.pcolormesh(edges, edges, pattern, cmap="viridis", vmax=np.quantile(pattern, 0.99), rasterized=True)
    figure.colorbar(image, cax=axes.inset_axes((1.03, 0, 0.05, 1)), label="mean cosine")  # as high as the pattern
    group = class_of[order] * len(names) + domain_of[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    middles = (starts + np.append(starts[1:], len(group))) / 2
    ticks = [f"{classes[code // len(names)]}\n{names[code % len(names)]}" for code in group[starts]]
    axes.set_yticks(middles, ticks)
    axes.set_xticks([])
    for start in starts[1:]:
        axes.axhline(start, color="white", linewidth=0.8)
        axes.axvline(start, color="white", linewidth=0.8)
    axes.invert_yaxis()
    axes.set(aspect="equal", title=title)
    return pattern


def _codes(names: Any, n_documents: int, what: str) -> tuple[np.ndarray, np.ndarray]:
    names = np.asarray(names)
    if names.shape != (n_documents,):
        raise ValueError(f"{what} must name each of the {n_documents} documents; got shape {names.shape}.")
    return encode(names, np.ones(n_documents, dtype=bool))


def _figure(width: float, n: int = 1) -> tuple[Figure, list[Any]]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "pictures need matplotlib: pip install 'labelferry[plots]', or '.[plots]' in a checkout"
        ) from None
    figure = Figure(figsize=(width, 4.5), layout="constrained")
    return figure, list(figure.subplots(1, n, squeeze=False)[0])


def _colours(n: int) -> list[Any]:
    from matplotlib import colormaps

    return [colormaps["tab10" if n <= 10 else "turbo"](i if n <= 10 else i / (n - 1)) for i in range(n)]
