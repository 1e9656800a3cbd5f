"""The papers' figures from the bench's numbers: curves of their parameter studies, and pictures of single fits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..baselines import SpectralClassifier
from ..files import atomic_write
from ..methods import CDSC, RSP
from ..methods.rsp import extend
from ..report.plots import plot_curves, plot_projection, plot_similarities
from . import measure_study, studies
from .tasks import TASKS, Loaded

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Picture = tuple["Figure", np.ndarray]  # the figure and its numbers


def projection_cdsc(seed: int) -> Picture:
    """CDSC, Figure 1: documents on the eigenvectors that part the domains and the classes."""
    data = TASKS["cdsc/rec vs talk"].load(seed)
    estimator = CDSC(random_state=seed)
    estimator.transfer(data.Xs, data.ys, data.Xt)
    return _projected(estimator.state_.vectors[:, 1:3], data, "CDSC on rec vs talk")


def projection_rsp(seed: int) -> Picture:
    """RSP, Figure 3: the eigenspace that three classes of a source give to two of the target."""
    data = TASKS["rsp/orgs vs people from places + people + orgs"].load(seed)
    estimator = RSP(n_clusters=3, random_state=seed)
    estimator.transfer(data.Xs, data.ys, data.Xt)
    points = extend(sp.csr_array(sp.vstack([data.Xs, data.Xt])), estimator.state_)
    return _projected(points[:, 1:3], data, "RSP on orgs vs people from three classes")


def similarity_cdsc(seed: int) -> Picture:
    """CDSC, Figure 6: who resembles whom, in the words, in SC's eigenvectors and in CDSC's."""
    data = TASKS["cdsc/rec vs talk"].load(seed)
    spaces = {"words": sp.csr_array(sp.vstack([data.Xs, data.Xt]))}
    for method in (SpectralClassifier, CDSC):
        estimator = method(random_state=seed)
        estimator.transfer(data.Xs, data.ys, data.Xt)
        spaces[method.__name__] = estimator.state_.vectors
    return plot_similarities(spaces, *_named(data))


PICTURES: dict[str, Callable[[int], Picture]] = {
    "cdsc-1": projection_cdsc,
    "cdsc-6": similarity_cdsc,
    "rsp-3": projection_rsp,
}


def _projected(points: np.ndarray, data: Loaded, title: str) -> Picture:
    return plot_projection(points, *_named(data), title=title), points


def _named(data: Loaded) -> tuple[np.ndarray, np.ndarray]:
    """Class and domain of every document."""
    return np.concatenate([data.ys, data.yt]), np.repeat(["source", "target"], [len(data.ys), len(data.yt)])


def figure_names() -> list[str]:
    """The names that `draw_figure` knows."""
    return sorted({*studies(), *PICTURES})


def draw_figure(name: str, folder: Path, **how: Any) -> list[Path]:
    """Write the figure as PNG and SVG, and its numbers as CSV; `how` goes to `bench.measure_study`."""
    if name not in figure_names():
        raise ValueError(f"there is no figure {name!r}; there are {', '.join(figure_names())}.")
    folder.mkdir(parents=True, exist_ok=True)
    if name in PICTURES:
        drawn, numbers = PICTURES[name](how.get("n_seeds", 1) - 1)
        with atomic_write(folder / f"{name}.csv") as draft:
            np.savetxt(draft, numbers, delimiter=",", fmt="%.6g")
    else:
        drawn = plot_curves(measure_study(name, folder, **how))
    written = [folder / f"{name}.csv"]
    for kind in ("png", "svg"):
        with atomic_write(folder / f"{name}.{kind}") as draft:
            drawn.savefig(draft, format=kind, dpi=160, bbox_inches="tight")
        written.append(folder / f"{name}.{kind}")
    return written
