"""From Domains to a Labelling: fit, assess, mark, and find the words behind each label."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ..assessment.words import group_words
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..ensemble.assessed_fit import AssessedFit, fit_and_assess
from ..ensemble.auto_transfer import AutoTransfer
from ..ensemble.fitted_panel import ASSESSING, FittedPanel
from ..ensemble.panel import LINEAR, SOURCE_ONLY, make_estimators
from ..inputs.features import Features
from ..inputs.inputs import Inputs
from ..inputs.views import view_message
from .accept_rank import accept_ranks
from .all_rows import with_all_rows, with_reasons
from .answers import AnsweredRows, of_documents, with_answers
from .evidence import characteristic_words, evidence, word_evidence
from .labelling import Labelling
from .opinions import NO_VOTES, Votes

STAGES = ("reading", "counting words", "finding evidence")  # of its own, beside those of the methods


def fit_stages(estimator: TransductiveClassifier) -> list[str]:
    """The stages of a fit to texts, so that the time left includes them while words are counted."""
    own = ASSESSING if isinstance(estimator, AutoTransfer) else type(estimator).__name__
    return [own, SOURCE_ONLY, *LINEAR, *make_estimators(0)]


def finish(
    inputs: Inputs,
    features: Features,
    domains: Domains,
    estimator: TransductiveClassifier,
    answers: AnsweredRows,
    settings: dict[str, Any],
    seconds: dict[str, float],
    panel: FittedPanel | None = None,
    votes: Votes = NO_VOTES,
) -> Labelling:
    """Fit the estimator and its panel, or only learn from the answers if there is a `panel`; then find the evidence."""
    start = time.perf_counter()
    own = of_documents(answers, inputs.documents)
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
        voters=votes.voters,
    )
    seconds["transferring labels"] = time.perf_counter() - start
    with stage("finding evidence", seconds):
        documents = mark_answered(build_result(inputs, features, domains, answer, settings, seconds), own)
        documents = replace(documents, accept_rank=accept_ranks(documents), votes=votes)
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
    if answer.view_weight is not None:
        messages = [*features.messages, view_message(features.view_name, answer.view_weight)]
        features = features._replace(messages=messages)
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
        source_only=answer.source_only,
        inputs=inputs,
        features=features,
        domains=domains,
    )


@contextmanager
def stage(name: str, seconds: dict[str, float]) -> Iterator[None]:
    """Announce the stage, and record the seconds that it takes."""
    progress.begin(name)
    start = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - start
