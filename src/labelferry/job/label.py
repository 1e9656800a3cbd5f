"""The main job: old documents with labels, new ones without; out come labels, how sure they are, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import baselines, methods
from ..auto import Choice, choose, judge
from ..auto.choose import fit_all
from ..diagnosis import vocabulary_overlap
from ..linalg.matrix import stack_rows
from ..transfer.base import TransductiveClassifier
from ..transfer.registry import find
from .evidence import evidence, read_words, typical
from .features import Features, read_features, vectorize
from .inputs import Inputs, read_inputs
from .labelling import Labelling
from .stages import Stages

ROOMS = (methods, baselines)  # imported so that their estimators are registered
WITNESSES = ("SourceLR", "EMNaiveBayes")  # fast, and unlike each other: who else is asked when a method is named


def label(
    source: Any,
    target: Any,
    *,
    text: str | None = None,
    label: Any = None,
    domain: str | None = None,
    method: str = "auto",
    features: Any = None,
    language: str | None = "english",
    ngrams: int = 1,
    stem: bool = False,
    html: bool | str = "auto",
    headers: bool = False,
    signatures: bool = False,
    min_confidence: float = 0.6,
    max_memory: float | None = None,
    seed: int = 0,
    skip_bad: bool = False,
    encoding: str | None = None,
    begin: Callable[[str], None] = lambda _: None,
) -> Labelling:
    """Label the documents of `target` with the help of those of `source`.

    Parameters
    ----------
    source, target : paths (CSV, TSV, JSON lines, Parquet; gz allowed), pandas or polars frames, or lists of texts. A
        list of paths or frames as `source` is several sources.
    text, label, domain : names of columns, guessed where they are not given. For lists of texts `label` holds the
        labels of the source. Rows with different values in `domain` are different sources.
    method : the name of an estimator, such as "tcl", or "auto": the one of a panel that agrees most with the others.
    features : path of the documents' features in place of their words, rows of the source first (.npz or .npy).
    language, ngrams, stem, html, headers, signatures : how texts become words; see `labelferry.text`.
    min_confidence : labels that are less sure get `needs_review`.
    max_memory : in bytes; rare words are left out until a fit is likely to need no more.
    seed : of all that is random.
    skip_bad : leave out rows that cannot be read, and say so, in place of an error.
    encoding : of the files, where it is not UTF-8.
    begin : called with the name of each stage as it begins.

    Examples
    --------
    >>> import labelferry
    >>> demo = labelferry.load_demo()
    >>> result = labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source, method="tcl")
    >>> bool((result.labels == demo.y_target).mean() > 0.9)
    True
    """
    if not 0 <= min_confidence <= 1:
        raise ValueError(f"min_confidence must be from 0 to 1; got {min_confidence}.")
    named = None if method == "auto" else make(method, seed)  # a wrong name is told before an hour of reading
    stages = Stages(begin)
    with stages("reading"):
        inputs = read_inputs(
            source, target, text=text, label=label, domain=domain, skip_bad=skip_bad, encoding=encoding
        )
    with stages("counting words"):
        cleaning = {"html": html, "headers": headers, "signatures": signatures}
        settings = {"language": language, "ngrams": ngrams, "stem": stem}
        if features is None:
            found = vectorize(inputs, cleaning=cleaning, settings=settings, max_memory=max_memory)
        else:
            found = read_features(features, inputs)
    with stages("carrying labels across", quietly=True):
        choice = fit(inputs, found, named, seed, begin)
    with stages("looking for reasons"):
        return explain(
            inputs, found, choice, stages, min_confidence, {"method": method, "seed": seed, **settings, **cleaning}
        )


def make(method: str, seed: int) -> TransductiveClassifier:
    """The estimator of that name, with that seed where it has one."""
    estimator = find(method)()
    return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator


def fit(
    inputs: Inputs, found: Features, named: TransductiveClassifier | None, seed: int, begin: Callable[[str], None]
) -> Choice:
    """The panel with its medoid, or the named method with two witnesses."""
    ys = [source.labels for source in inputs.sources]
    if named is None:
        return choose(found.Xs, ys, found.Xt, seed=seed, begin=begin)
    panel = {type(named).__name__: named}
    panel |= {name: make(name, seed) for name in WITNESSES if name not in panel}
    return Choice(fit_all(panel, found.Xs, ys, found.Xt, begin), 0)


def explain(
    inputs: Inputs, found: Features, choice: Choice, stages: Stages, min_confidence: float, settings: dict[str, Any]
) -> Labelling:
    """What the chosen method answered, with the words that speak for it and what to think of it."""
    best = choice.best.estimator
    proba, classes = best.transduction_proba_, best.classes_
    order = np.argsort(-proba, axis=1, kind="stable")
    confidence = np.take_along_axis(proba, order[:, :1], axis=1).ravel()
    codes = [np.searchsorted(classes, source.labels) for source in inputs.sources]
    spoken = read_words(found.Xs, codes, found.Xt, proba)
    Xs = stack_rows(found.Xs)
    return Labelling(
        inputs=inputs,
        features=found,
        choice=choice,
        labels=best.transduction_,
        confidence=confidence,
        alternative=classes[order[:, 1]],
        evidence=evidence(found.Xt, order[:, 0], spoken.score, found.words),
        typical={str(c): words for c, words in zip(classes, typical(spoken, found.words), strict=True)},
        needs_review=(confidence < min_confidence) | best.transduction_empty_,
        verdict=judge(choice.best.name, choice.best.agreement, vocabulary_overlap(Xs, found.Xt)),
        settings={**settings, "min_confidence": min_confidence},
        seconds=stages.seconds,
    )
