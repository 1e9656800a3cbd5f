"""The main workflow: documents with labels and documents without; the result is labels, confidences and reasons."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import clone

from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.costs import n_entries
from ..core.domains import Domains
from ..core.method_spec import chosen_parameters, describe_method
from ..ensemble.assessed_fit import AssessedFit, fit_and_assess
from ..ensemble.auto_transfer import TARGET_ERROR, AutoTransfer
from ..ensemble.fitted_panel import ASSESSING, FittedPanel
from ..ensemble.panel import LINEAR, SOURCE_ONLY, make_estimators
from ..text import check_output
from .all_rows import join_answers, of_documents, with_all_rows, with_reasons
from .answers import AnsweredRows, read_answers, with_answers
from .dask_cluster import check_dask, dask_backend
from .evidence import characteristic_words, evidence, group_words, word_evidence
from .features import Features, make_features
from .filled import answers_of_sample, is_sample
from .inputs import Inputs, read_inputs
from .labelling import Labelling
from .methods import make_labeller
from .options import TextOptions, accept_options
from .prior import check_has_prior, read_class_prior
from .target_labels import answers_of_target
from .views import OWN_VECTORS, check_embed, view_name

STAGES = ("reading", "counting words", "finding evidence")  # of its own, beside those of the methods


@accept_options
def label(
    source: Any,
    target: Any = None,
    *,
    method: str | TransductiveClassifier = "auto",
    target_error: float = TARGET_ERROR,
    min_confidence: float | None = None,
    class_prior: Any = None,
    seed: int = 0,
    answers: Any = None,
    out: str | PathLike[str] | None = None,
    dask: Any = None,
    options: TextOptions,
) -> Labelling:
    """Predict labels for the documents of `target` from the labelled documents of `source`.

    Parameters
    ----------
    source, target : path, data frame or list of texts
        A path of a CSV, TSV, Excel, JSON, JSON lines or Parquet file, of a folder or a mailbox; a pandas or polars
        frame; or a list of texts. If `source` is a list of texts, pass its labels as `label=[...]`. A list of paths or
        frames as `source` means several sources. Without `target`, the rows of `source` that have a label are the
        source and those without one the target; the result has all of them.
    method : str or estimator, default="auto"
        Name of an estimator such as "tcl", with parameters if you like: "tcl(n_topics=4)"; or an estimator such as
        `TCL(n_topics=4)`, which is copied and not changed. "auto" combines ten models (`AutoTransfer`).
    target_error : float, default=0.05
        Labels get `needs_review`, the least confident first, until the expected share of wrong labels among the others
        is at most this value.
    min_confidence : float, default=None
        If given, it replaces `target_error`: labels with a lower confidence get `needs_review`. Regardless of their
        confidence, documents without known words, marked `none_of_these` or in a language that the labelled documents
        lack get it; if a warning about the data requires it (`AutoTransfer.facts_`, for example too few labelled
        documents), all labels get it.
    class_prior : dict, array or {"source", "uniform", "estimate"}, default=None
        Class proportions of the target, if you know them: `{"bug": 0.2, "question": 0.8}`, or an array in the order of
        the sorted classes. The labels are matched to them.
    seed : int, default=0
        Random seed.
    answers : mapping of int to label, sequence or sample, default=None
        What people said about target rows: row (from 0) to label, or one entry per row with None for unanswered ones,
        or a sample of `audit` that was filled in (a path, a frame or a dict of columns). The labels learn from them;
        answered rows keep their answers. "none of these" and "unclear" are answers too.
    out : path, default=None
        File to which you will write the result: an error if it cannot contain the rows comes before the fit.
    dask : {"local"}, str or distributed.Client, default=None
        A Dask cluster on which the words are counted and on which the documents stay: "local" for two processes of
        this machine, the address of a scheduler such as "tcp://10.0.0.1:8786", or a client. The method has to accept
        blocks of documents (docs/scale.md). `result.close()` ends a connection that was made here. In a script, a call
        with "local" has to be below `if __name__ == "__main__":`, because each process imports the script.

    Returns
    -------
    result : Labelling
        The labels, their confidences, the words that support each label, and the verdict. Write it with `write(path)`,
        `report(path)` or `save(path)`.

    Other Parameters
    ----------------
    text, text_target, label, label_target, merge_labels, use_target_labels : optional
        Columns and labels: see `labelferry.workflows.options.TextOptions`.
    domain, skip_bad, encoding, embed, features : optional
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
        if value is not None and not (isinstance(value, Real) and 0 <= value <= 1):
            raise ValueError(f"{name} must be from 0 to 1; got {value}.")
    estimator = make_labeller(method, seed)  # a wrong name or parameter is an error before the files are read
    if isinstance(estimator, AutoTransfer) and target_error == TARGET_ERROR:
        target_error = estimator.target_error
    check_has_prior([estimator], class_prior)
    class_prior = chosen_parameters(method).get("class_prior") if class_prior is None else class_prior
    check_embed(options.embed)
    settings: dict[str, Any] = {"seed": seed, "target_error": target_error, "min_confidence": min_confidence}
    settings["method"] = method if isinstance(method, str) else describe_method(method)
    settings |= options.cleaning
    if options.embed is not None:
        settings["embed"] = view_name(options.embed) or OWN_VECTORS
    check_dask(dask, estimator, options)
    with ExitStack() as opened:  # an error closes what was opened
        backend = opened.enter_context(dask_backend(dask))
        seconds: dict[str, float] = {}
        progress.expect(*STAGES, *(fit_stages(estimator) if options.features is None else ()))
        with _stage("reading", seconds):
            inputs = read_inputs(source, target, options)
            if out is not None:
                check_output(inputs.all_rows, out)
        with _stage("counting words", seconds):
            features = make_features(inputs, options, backend)
            domains = features.domains(inputs, estimator)
            progress.size(n_entries(domains), domains.n_classes)
            prior = read_class_prior(class_prior, domains.classes)
        settings |= {} if features.text_settings is None else features.text_settings._asdict()
        settings["class_prior"] = prior.tolist() if isinstance(prior, np.ndarray) else prior
        known: dict[int, str] = {}
        if options.use_target_labels and not inputs.is_half_labelled:
            known, messages = answers_of_target(inputs, domains.classes.tolist())
            inputs = inputs._replace(messages=[*inputs.messages, *messages])
            settings["use_target_labels"] = True
        read = _read(answers, inputs, domains, known)
        result = _finish(inputs, features, domains, estimator, read, settings, seconds)
        return replace(result, _opened=opened.pop_all())


def fit_stages(estimator: TransductiveClassifier) -> list[str]:
    """The stages of a fit to texts, so that the time left includes them while words are counted."""
    own = ASSESSING if isinstance(estimator, AutoTransfer) else type(estimator).__name__
    return [own, SOURCE_ONLY, *LINEAR, *make_estimators(0)]


def learn_from_answers(result: Labelling, answers: Any) -> Labelling:
    """New labels that learned from answers; see `Labelling.update`. The panel of AutoTransfer is not fitted again."""
    domains = result._domains
    uses_labels = result.settings.get("use_target_labels", False)
    known = answers_of_target(result._inputs, domains.classes.tolist())[0] if uses_labels else {}
    read = _read(answers, result._inputs, domains, known)
    panel = result.estimator.panel_ if isinstance(result.estimator, AutoTransfer) else None
    progress.expect(STAGES[-1])
    updated = _finish(
        result._inputs, result._features, domains, clone(result.estimator), read, result.settings, {}, panel=panel
    )
    return replace(updated, _opened=result._opened)


def _read(answers: Any, inputs: Inputs, domains: Domains, known: dict[int, str]) -> AnsweredRows:
    """Checked answers to rows of the target: of a sample that was filled in, or rows with labels; and known labels."""
    n_rows = len(inputs.all_rows)
    if is_sample(answers):
        classes = [str(c) for c in domains.classes]
        numbers = (inputs.new_rows + 1).tolist()  # also rows without a known word: an answer is their label
        text = inputs.columns.text_name
        dialect = inputs.target.dialect
        answers = answers_of_sample(
            answers,
            inputs.target.name,
            inputs.texts,
            classes,
            text=text,
            numbers=numbers,
            encoding=None if dialect is None else dialect.other_encoding,
        )
    read = read_answers({} if answers is None else answers, domains.classes, n_rows)
    if not known:
        return read
    others = {row: label for row, label in known.items() if row not in set(read.rows.tolist())}
    return join_answers(read, read_answers(others, domains.classes, n_rows))


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
    own = of_documents(answers, inputs.new_rows)
    labelled = with_answers(domains, own) if len(own.rows) else domains
    transfer_settings = {name: settings[name] for name in ("seed", "target_error", "class_prior")}
    answer = fit_and_assess(
        estimator,
        labelled,
        **transfer_settings,
        panel=panel,
        second_view=features.view,
        languages=features.languages,
        none_of_these=domains.target_rows[own.rows[own.codes == domains.n_classes]],
    )
    seconds["transferring labels"] = time.perf_counter() - start
    with _stage("finding evidence", seconds):
        documents = mark_answered(build_result(inputs, features, domains, answer, settings, seconds), own)
        return with_all_rows(with_reasons(documents), answers)


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
    answer: AssessedFit,
    settings: dict[str, Any],
    seconds: dict[str, float],
) -> Labelling:
    """The answer as labels of the target rows, with the words behind them."""
    classes, P = domains.classes, answer.proba
    order = np.argsort(-P, axis=1, kind="stable")
    confidence = answer.confidence
    shown, word_domains = features.for_evidence(domains)
    words = word_evidence(word_domains, answer.estimator.transduction_proba_, shown.shown)
    min_confidence = settings["min_confidence"]
    empty = answer.estimator.transduction_empty_
    review_all = any(fact.review_all for fact in answer.assessment.facts)
    review = answer.review
    if min_confidence is not None:
        review = (confidence < min_confidence) | empty | review_all | (answer.groups >= 0)
    other_language = list(features.other_language) or [""] * len(P)
    return Labelling(
        labels=classes[order[:, 0]],
        confidence=confidence,
        alternative=classes[order[:, 1]],
        evidence=evidence(shown.Xt, order[:, 0], words.score, shown.words),
        typical={str(c): best for c, best in zip(classes, characteristic_words(words, shown.words), strict=True)},
        needs_review=review | np.array([bool(name) for name in other_language]),
        groups=answer.groups,
        group_words=group_words(word_domains, answer.groups, shown.words, shown=shown.shown),
        estimator=answer.estimator,
        assessment=answer.assessment,
        settings=settings,
        seconds=seconds,
        other_language=other_language,
        _source_only=answer.source_only,
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
