"""labelferry carries labels from one domain of documents to another, and says whether to believe them."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from typing import Any

__version__ = "0.1.0"

# Where each public name lives. Looked up on first use, so that `import labelferry` and the command line start fast.
_HOME = {
    "AutoTransfer": "auto",
    "TCL": "methods",
    "GCMF": "methods",
    "CDSC": "methods",
    "RSP": "methods",
    "HybridLabelPropagation": "methods",
    "HybridSimilarityPropagation": "methods",
    "NMTF": "baselines",
    "MTrick": "baselines",
    "DTL": "baselines",
    "DKT": "baselines",
    "CoCC": "baselines",
    "EMNaiveBayes": "baselines",
    "SelfTraining": "baselines",
    "SpectralClassifier": "baselines",
    "NormalizedCut": "baselines",
    "SGT": "baselines",
    "TSVM": "baselines",
    "LapSVM": "baselines",
    "KDEWeighting": "baselines",
    "MSDA": "baselines",
    "NMFClustering": "baselines",
    "SmoothedLR": "baselines",
    "SourceLR": "baselines",
    "SourceNB": "baselines",
    "SourceSVM": "baselines",
    "ITCC": "baselines",
    "SpectralCoclustering": "baselines",
    "SphericalKMeans": "baselines",
    "compare": "job",
    "diagnose": "job",
    "label": "job",
    "load_demo": "datasets",
    "tfidf": "text",
}
_ROOMS = ("diagnosis",)  # packages that are public as they are

__all__ = ["__version__", "load", *_ROOMS, *sorted(_HOME)]


def load(path: str | PathLike[str]) -> Any:
    """What `save(path)` wrote: a fitted estimator, or a model with its words that `label` made. Runs no code."""
    for room in ("methods", "baselines"):
        import_module(f"{__name__}.{room}")  # an estimator is known once its file is imported
    return import_module(f"{__name__}.job.model").load(path)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'labelferry' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
