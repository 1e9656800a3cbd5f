"""All that can be said of an answer without labels of the target, whoever gave it: one method or the blend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .blend import MIXTURES, SOURCE, gate, is_clustered, mean_kappas, with_top
from .judgement import LEVELS, Verdict, judge, judge_classes, judge_members
from .panel import Answers
from .trust import neighbour_graph, to_review, trust


class Assessment(NamedTuple):
    """Arrays and plain values only, so that it can be saved."""

    proba: Array  # target rows x classes, in row order; calibrated
    blended: Array  # the same, before it was calibrated
    right: Array  # the chance of every label to be right
    review: Array  # the labels to be looked at
    accuracy: Array  # estimate, and the two ends of its interval
    shares: Array  # of the classes in the target
    members: tuple[str, ...]
    codes: Array  # members x target rows: what each says
    weights: Array  # of the members in the answer
    agreement: Array  # mean kappa of each member with the others
    seconds: Array
    member_levels: Array  # positions in LEVELS
    class_levels: Array
    stable: float  # see blend.py
    kept: float


def assess(
    P: Array,
    answers: Answers,
    X: Any,
    ceiling: float,
    weights: Mapping[str, float],
    target_error: float,
    known: Sequence[int] | Array = (),
) -> Assessment:
    """`P`: the answer, documents x classes. `answers`: of the panel, SourceLR among them. `X`: the documents.
    `ceiling`: accuracy of the source's classifier at home. `known`: rows with a given label, which is right."""
    judged = trust(P, neighbour_graph(X), answers.proba[SOURCE].argmax(axis=1), ceiling)
    right = judged.right.copy()
    right[np.asarray(known, dtype=np.intp)] = 1
    sure = with_top(P, right)
    codes, members = sure.argmax(axis=1), tuple(answers.proba)
    said = np.array([p.argmax(axis=1) for p in answers.proba.values()])
    levels = judge_members(answers.proba, codes)
    classes = judge_classes(right, codes, P.shape[1])
    stable, kept = gate(answers.proba)
    return Assessment(
        proba=sure.astype(X.dtype),
        blended=P.astype(np.float32),
        right=right,
        review=to_review(right, target_error),
        accuracy=np.array([judged.accuracy, *judged.interval]),
        shares=judged.shares,
        members=members,
        codes=said,
        weights=np.array([weights.get(name, 0.0) for name in members]),
        agreement=np.array(mean_kappas(list(said))),
        seconds=np.array(list(answers.seconds.values())),
        member_levels=np.array([LEVELS.index(levels[name]) for name in members]),
        class_levels=np.array([LEVELS.index(word) for word in classes]),
        stable=stable,
        kept=kept,
    )


def verdict(found: Any) -> Verdict:
    """In words."""
    mean, low, high = found.accuracy.tolist()
    clusters = is_clustered(found.stable, found.kept) if set(MIXTURES) <= set(found.members) else None
    return judge(mean, (low, high), clusters, found.stable, found.kept)


def member_rows(found: Any) -> list[dict[str, Any]]:
    """One plain dict a member."""
    columns = (
        found.members,
        found.weights.tolist(),
        found.agreement.tolist(),
        found.member_levels.tolist(),
        found.seconds.tolist(),
    )
    return [
        {"method": name, "weight": weight, "agreement": alike, "level": LEVELS[level], "seconds": seconds}
        for name, weight, alike, level, seconds in zip(*columns, strict=True)
    ]


def class_rows(found: Any, classes: Array) -> dict[Any, str]:
    """The level of every class."""
    return {c: LEVELS[level] for c, level in zip(classes.tolist(), found.class_levels.tolist(), strict=True)}
