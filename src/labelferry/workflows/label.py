"""The main workflow: documents with labels and documents without; the result is labels, confidences and reasons."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.registry import make
from ..ensemble.answer import Answer, transfer
from ..ensemble.auto_transfer import TARGET_ERROR, AutoTransfer
from ..ensemble.fitted_panel import FittedPanel
from .answers import AnsweredRows, read_answers, with_answers
from .evidence import characteristic_words, evidence, group_words, word_evidence
from .features import Features, make_features
from .filled import answers_of_sample, is_sample
from .inputs import Inputs, read_inputs
from .labelling import Labelling
from .options import TextOptions, accept_options
from .prior import check_has_prior, read_class_prior

N_STAGES = 3  # of its own: reading, counting words, evidence


@accept_options
def label(
    source: Any,
    target: Any,
    *,
    method: str = "auto",
    target_error: float = TARGET_ERROR,
    min_confidence: float | None = None,
    class_prior: Any = None,
    seed: int = 0,
    answers: Any = None,
    options: TextOptions,
) -> Labelling:
    """Predict labels for the documents of `target` from the labelled documents of `source`.

    Parameters
    ----------
    source, target : path, data frame or list of texts
        A path of a CSV, TSV or JSON lines file (also gzipped) or a Parquet file, a pandas or polars frame, or a list of
        texts. If `source` is a list of texts, pass its labels as `label=[...]`. A list of paths or frames as `source`
        means several sources.
    method : str, default="auto"
        Name of an estimator such as "tcl", or "auto", which combines ten models (`AutoTransfer`).
    target_error : float, default=0.05
        Labels get `needs_review`, the least confident first, until the expected share of wrong labels among the others
        is at most this value.
    min_confidence : float, default=None
        If given, it replaces `target_error`: labels with a lower confidence get `needs_review`. Regardless of their
        confidence, documents without known words or marked `none_of_these` get it; if a warning about the data requires
        it (`AutoTransfer.facts_`, for example too few labelled documents), all labels get it.
    class_prior : dict, array or {"source", "uniform", "estimate"}, default=None
        Class proportions of the target, if you know them: `{"bug": 0.2, "question": 0.8}`, or an array in the order of
        the sorted classes. The labels are matched to them.
    seed : int, default=0
        Random seed.
    answers : mapping of int to label, sequence or sample, default=None
        What people said about target rows: row (from 0) to label, or one entry per row with None for unanswered ones,
        or a sample of `audit` that was filled in (a path, a frame or a dict of columns). The labels learn from them;
        answered rows keep their answers. "none of these" and "unclear" are answers too.

    Returns
    -------
    result : Labelling
        The labels, their confidences, the words that support each label, and the verdict. Write it with `write(path)`,
        `report(path)` or `save(path)`.

    Other Parameters
    ----------------
    text, label, domain, skip_bad, encoding, features : optional
        How documents are read: see `labelferry.workflows.options.TextOptions`.
    language, ngrams, analyzer, sublinear, min_documents, stem, html, headers, signatures, max_memory : optional
        How texts become words: see `labelferry.workflows.options.TextOptions`.

    Examples
    --------
    >>> import labelferry
    >>> demo = labelferry.load_demo()
    >>> result = labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source, method="tcl")
    >>> bool((result.labels == demo.y_target).mean() > 0.9)
    True
    """
    for name, value in (("min_confidence", min_confidence), ("target_error", target_error)):
        if value is not None and not 0 <= value <= 1:
            raise ValueError(f"{name} must be from 0 to 1; got {value}.")
    estimator = make(method, seed)  # an unknown name is an error before the files are read
    check_has_prior([estimator], class_prior)
    settings = {"method": method, "seed": seed, "target_error": target_error, "min_confidence": min_confidence}
    settings |= options.cleaning
    seconds: dict[str, float] = {}
    progress.expect(N_STAGES)
    with _stage("reading", seconds):
        inputs = read_inputs(source, target, options)
    with _stage("counting words", seconds):
        features = make_features(inputs, options)
        domains = features.domains(inputs, estimator)
        prior = read_class_prior(class_prior, domains.classes)
    settings |= {} if features.text_settings is None else features.text_settings._asdict()
    settings["class_prior"] = prior.tolist() if isinstance(prior, np.ndarray) else prior
    read = _read(answers, inputs, domains)
    return _finish(inputs, features, domains, estimator, read, settings, seconds)


def learn_from_answers(result: Labelling, answers: Any) -> Labelling:
    """New labels that learned from answers; see `Labelling.update`. The panel of AutoTransfer is not fitted again."""
    domains = result._domains
    read = _read(answers, result._inputs, domains)
    panel = result.estimator.panel_ if isinstance(result.estimator, AutoTransfer) else None
    progress.expect(1)
    return _finish(
        result._inputs, result._features, domains, clone(result.estimator), read, result.settings, {}, panel=panel
    )


def _read(answers: Any, inputs: Inputs, domains: Domains) -> AnsweredRows:
    """Checked answers: of a sample that was filled in, or rows with labels."""
    if is_sample(answers):
        classes = [str(c) for c in domains.classes]
        answers = answers_of_sample(answers, inputs.target.name, inputs.texts, classes)
    return read_answers({} if answers is None else answers, domains.classes, len(domains.target_rows))


def _finish(
    inputs: Inputs,
    features: Features,
    domains: Domains,
    estimator: TransductiveClassifier,
    answers: AnsweredRows,
    settings: dict[str, Any],
    seconds: dict[str, float],
    panel: FittedPanel | None = None,
) -> Labelling:
    start = time.perf_counter()
    labelled = with_answers(domains, answers) if len(answers.rows) else domains
    transfer_settings = {name: settings[name] for name in ("seed", "target_error", "class_prior")}
    answer = transfer(estimator, labelled, **transfer_settings, panel=panel, languages=features.languages)
    seconds["transferring labels"] = time.perf_counter() - start
    with _stage("finding evidence", seconds):
        return mark_answered(build_result(inputs, features, domains, answer, settings, seconds), answers)


def mark_answered(result: Labelling, answers: AnsweredRows) -> Labelling:
    """Answered rows need no review. If the answer is none of the classes, the label is wrong and needs review."""
    n_classes = len(result.estimator.classes_)
    confidence, review, named = result.confidence.copy(), result.needs_review.copy(), answers.named(n_classes)
    confidence[answers.rows[named]], review[answers.rows[named]] = 1, False
    wrong = answers.rows[answers.codes == n_classes]
    confidence[wrong], review[wrong] = 0, True
    return replace(result, confidence=confidence, needs_review=review, answers=answers)


def build_result(
    inputs: Inputs,
    features: Features,
    domains: Domains,
    answer: Answer,
    settings: dict[str, Any],
    seconds: dict[str, float],
) -> Labelling:
    """The answer as labels of the target rows, with the words behind them."""
    classes, P = domains.classes, answer.proba
    order = np.argsort(-P, axis=1, kind="stable")
    confidence = answer.confidence
    words = word_evidence(domains, answer.estimator.transduction_proba_, features.shown)
    min_confidence = settings["min_confidence"]
    empty = answer.estimator.transduction_empty_
    review_all = any(fact.review_all for fact in answer.assessment.facts)
    return Labelling(
        labels=classes[order[:, 0]],
        confidence=confidence,
        alternative=classes[order[:, 1]],
        evidence=evidence(features.Xt, order[:, 0], words.score, features.words),
        typical={str(c): best for c, best in zip(classes, characteristic_words(words, features.words), strict=True)},
        needs_review=answer.review
        if min_confidence is None
        else (confidence < min_confidence) | empty | review_all | (answer.groups >= 0),
        groups=answer.groups,
        group_words=group_words(domains, answer.groups, features.words, shown=features.shown),
        estimator=answer.estimator,
        assessment=answer.assessment,
        settings=settings,
        seconds=seconds,
        _inputs=inputs,
        _features=features,
        _domains=domains,
    )


@contextmanager
def _stage(name: str, seconds: dict[str, float]) -> Iterator[None]:
    """Announce the stage, and record the seconds that it takes."""
    progress.begin(name)
    start = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - start
