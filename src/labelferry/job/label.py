"""The main job: old documents with labels, new ones without; out come labels, how sure they are, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import baselines, methods
from ..auto.auto_transfer import TARGET_ERROR
from .evidence import evidence, read_words, typical
from .features import Features, read_features, vectorize
from .inputs import Inputs, read_inputs
from .labelling import Labelling
from .panel import Outcome, answer, make
from .stages import Stages

ROOMS = (methods, baselines)  # imported so that their estimators are registered


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
    target_error: float = TARGET_ERROR,
    min_confidence: float | None = None,
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
    method : the name of an estimator, such as "tcl", or "auto": a panel of methods, blended (`AutoTransfer`).
    features : path of the documents' features in place of their words, rows of the source first (.npz or .npy).
    language, ngrams, stem, html, headers, signatures : how texts become words; see `labelferry.text`.
    target_error : share of wrong labels that is allowed among those that do not get `needs_review`.
    min_confidence : labels that are less sure than this get `needs_review`, in place of that rule.
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
    for name, share in (("min_confidence", min_confidence), ("target_error", target_error)):
        if share is not None and not 0 <= share <= 1:
            raise ValueError(f"{name} must be from 0 to 1; got {share}.")
    named = None if method.lower() == "auto" else make(method, seed)  # a wrong name is told before an hour of reading
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
        outcome = answer(inputs, found, named, seed, target_error, begin)
    with stages("looking for reasons"):
        told = {"method": method, "seed": seed, "target_error": target_error, "min_confidence": min_confidence}
        return explain(inputs, found, outcome, stages, {**told, **settings, **cleaning})


def explain(inputs: Inputs, found: Features, outcome: Outcome, stages: Stages, settings: dict[str, Any]) -> Labelling:
    """What was answered, with the words that speak for it."""
    classes, P = outcome.estimator.classes_, outcome.proba
    order = np.argsort(-P, axis=1, kind="stable")
    confidence = np.take_along_axis(P, order[:, :1], axis=1).ravel()
    codes = [np.searchsorted(classes, source.labels) for source in inputs.sources]
    spoken = read_words(found.Xs, codes, found.Xt, outcome.estimator.transduction_proba_)
    least = settings["min_confidence"]
    empty = outcome.estimator.transduction_empty_
    return Labelling(
        inputs=inputs,
        features=found,
        outcome=outcome,
        labels=classes[order[:, 0]],
        confidence=confidence,
        alternative=classes[order[:, 1]],
        evidence=evidence(found.Xt, order[:, 0], spoken.score, found.words),
        typical={str(c): words for c, words in zip(classes, typical(spoken, found.words), strict=True)},
        needs_review=outcome.review if least is None else (confidence < least) | empty,
        settings=settings,
        seconds=stages.seconds,
    )
