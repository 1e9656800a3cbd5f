"""Domains: the one validated value that every solver takes.

`read_domains` turns (X, y, sample_domain) into it and is the only place that knows the rules of `sample_domain`:
integers, `>= 0` a source, `< 0` a target, one number a domain; or names, with `target=` naming the target.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..linalg.matrix import Array, Matrix, empty_rows, stack_rows, take_rows
from .labels import UNKNOWN, Labels, encode, read_labels

RULE = "sample_domain marks a source by a number >= 0 and a target by a number < 0, one number a domain"


@dataclass(frozen=True)
class Domain:
    """Documents of one kind."""

    key: int | str  # as it stands in sample_domain
    X: Matrix  # documents x words
    codes: Array  # index into Domains.classes, or UNKNOWN
    rows: Array  # where the documents stood in the input
    is_target: bool
    shares: Array | None = None  # of the classes among the documents without a label, where an answer has to meet them

    @property
    def name(self) -> str:
        if isinstance(self.key, str):
            return self.key
        return f"{'target' if self.is_target else 'source'} {abs(self.key)}"

    @property
    def known(self) -> Array:
        """True where the label is given."""
        return self.codes != UNKNOWN


@dataclass(frozen=True)
class Domains:
    """Sources, then targets, and the classes of their labels."""

    domains: tuple[Domain, ...]
    classes: Array

    def __iter__(self):
        return iter(self.domains)

    @property
    def targets(self) -> tuple[Domain, ...]:
        return tuple(d for d in self.domains if d.is_target)

    @property
    def X(self) -> tuple[Matrix, ...]:
        return tuple(d.X for d in self.domains)

    @property
    def known(self) -> tuple[Array, ...]:
        return tuple(d.known for d in self.domains)

    @property
    def shares(self) -> tuple[Array | None, ...]:
        return tuple(d.shares for d in self.domains)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def n_words(self) -> int:
        return self.domains[0].X.shape[1]

    @property
    def dtype(self) -> Any:
        return self.domains[0].X.dtype

    @cached_property
    def target_rows(self) -> Array:
        """Rows of the input that belong to a target, in row order."""
        return np.sort(np.concatenate([d.rows for d in self.targets]))

    @cached_property
    def class_prior(self) -> Array:
        """Share of every class among the given labels."""
        codes = np.concatenate([d.codes[d.known] for d in self.domains])
        return np.bincount(codes, minlength=self.n_classes) / len(codes)

    @property
    def target_prior(self) -> Array | None:
        """The shares that the answers have to meet, over all targets; None where there are none."""
        told = [d for d in self.targets if d.shares is not None]
        return np.average([d.shares for d in told], axis=0, weights=[len(d.codes) for d in told]) if told else None

    def labelled(self) -> tuple[Matrix, Array]:
        """All documents with a given label, of whatever domain, and their codes."""
        some = [d for d in self.domains if d.known.any()]
        blocks = [d.X if d.known.all() else take_rows(d.X, d.known) for d in some]
        return stack_rows(blocks), np.concatenate([d.codes[d.known] for d in some])

    def one_hot(self, domain: Domain) -> Array:
        """Documents x classes: 1 at the given label, a row of zeros where there is none."""
        Y = np.zeros((len(domain.codes), self.n_classes), dtype=self.dtype)
        Y[domain.known, domain.codes[domain.known]] = 1
        return Y

    def with_words(self) -> Domains:
        """The documents that have words. A class or a domain that would be left without any keeps all it has."""
        kept = []
        speaking = [~empty_rows(d.X) for d in self.domains]
        labelled = [d.codes[d.known & rows] for d, rows in zip(self.domains, speaking, strict=True)]
        mute_classes = np.setdiff1d(np.arange(self.n_classes), np.concatenate(labelled))
        for d, rows in zip(self.domains, speaking, strict=True):
            rows = rows | np.isin(d.codes, mute_classes)
            rows = rows if rows.any() else np.ones_like(rows)
            kept.append(
                d
                if rows.all()
                else Domain(d.key, take_rows(d.X, rows), d.codes[rows], d.rows[rows], d.is_target, d.shares)
            )
        return Domains(tuple(kept), self.classes)

    def in_row_order(self, of_targets: Iterable[Array]) -> Array:
        """One array a target domain, documents first, as one array in the row order of the input."""
        rows = np.concatenate([d.rows for d in self.targets])
        return np.concatenate(list(of_targets))[np.argsort(rows)]


def read_domains(
    X: Matrix, y: Any, sample_domain: Any = None, *, target: Any = None, use_target_labels: bool = False, estimator: str
) -> Domains:
    """The domains in (X, y, sample_domain). Raises ValueError with the rule and the way out."""
    labels = read_labels(y, estimator)
    if len(labels.values) != X.shape[0]:
        raise ValueError(
            f"y must have one label a row: X has {X.shape[0]} rows (inconsistent numbers of samples), y has "
            f'{len(labels.values)}. Mark unlabelled rows by -1 (or None, NaN, ""), do not leave them out.'
        )
    targets: list[int | str] = ["target"]
    if sample_domain is None:
        keys, known = _domains_from_labels(labels, target)
    else:
        keys = _read_keys(sample_domain, X.shape[0])
        targets = _target_keys(keys, labels, target)
        known = _known_labels(keys, targets, labels, use_target_labels)
    classes, codes = encode(labels.values, known)
    if len(classes) < 2:
        raise ValueError(
            f"the labelled rows must hold at least 2 classes; got 1 class, {classes.tolist()[0]!r}. "
            "There is nothing to tell apart: add labelled documents of another class."
        )
    sources = [key for key in _unique(keys) if key not in targets]
    return Domains(
        tuple(_domain(key, X, codes, np.flatnonzero(keys == key), key in targets) for key in [*sources, *targets]),
        classes,
    )


def _domain(key: int | str, X: Matrix, codes: Array, rows: Array, is_target: bool) -> Domain:
    return Domain(key, take_rows(X, rows), codes[rows], rows, is_target)


def _domains_from_labels(labels: Labels, target: Any) -> tuple[Array, Array]:
    """Without sample_domain the unlabelled rows are the target."""
    if target is not None:
        raise ValueError(f"target={target!r} names a domain, but sample_domain is None. Pass sample_domain too.")
    known = ~(labels.absent | labels.minus_one)
    if labels.minus_one.any() and len(np.unique(labels.values[known])) == 1:
        other = labels.values[known][:1].tolist()[0]
        raise ValueError(
            f"y holds -1 and one other label, {other!r}: is -1 a class, or does it mean unlabelled? "
            f"If it is a class, pass sample_domain ({RULE}). If it means unlabelled, the labelled rows must "
            "hold at least 2 classes."
        )
    if known.all():
        raise ValueError(
            "there are no target rows: every row of y has a label. Mark the rows to be labelled by -1 "
            f'(or None, NaN, ""), or pass sample_domain: {RULE}.'
        )
    if not known.any():
        raise ValueError("there are no source rows: no row of y has a label. Give labels to the rows of the source.")
    return np.where(known, "source", "target").astype(object), known


def _read_keys(sample_domain: Any, n_rows: int) -> Array:
    given = np.asarray(sample_domain)
    if given.shape != (n_rows,):
        raise ValueError(
            f"sample_domain must have one entry a row, shape ({n_rows},); got shape {given.shape}. "
            "Build it beside y, in the same order."
        )
    if given.dtype.kind == "O" and all(isinstance(key, int | np.integer) for key in given.tolist()):
        given = given.astype(np.intp)
    if given.dtype.kind in "iu":
        return given.astype(object)
    if given.dtype.kind == "f" and np.isfinite(given).all() and (given == np.rint(given)).all():
        return given.astype(np.intp).astype(object)
    if given.dtype.kind in "UO" and all(isinstance(key, str) for key in given.tolist()):
        return given.astype(object)
    raise ValueError(
        f"sample_domain must hold integers or names; got {given.dtype} with values like {given[:3].tolist()}. "
        f"The rule: {RULE}; or names (strings) with target= naming the target."
    )


def _target_keys(keys: Array, labels: Labels, target: Any) -> list[int | str]:
    present = _unique(keys)
    if target is not None:
        wanted = list(target) if isinstance(target, list | tuple | set | np.ndarray) else [target]
        left_out = [key for key in present if isinstance(key, int) and key < 0 and key not in wanted]
        if left_out or not wanted:
            raise ValueError(
                f"target={target!r} leaves out {left_out or 'every domain'}. The rule: {RULE}. "
                "Name all targets, or drop the rows of those you do not want."
            )
        missing = [key for key in wanted if key not in present]
        if missing:
            raise ValueError(
                f"target={missing[0]!r} is not in sample_domain, which holds {present}. Name one of these."
            )
        targets = [key for key in present if key in wanted]
    elif isinstance(present[0], str):
        unlabelled = labels.absent | labels.minus_one
        targets = [key for key in present if unlabelled[keys == key].all()]
        if not targets:
            likely = max(present, key=lambda key: unlabelled[keys == key].mean())
            raise ValueError(
                f"sample_domain names {present}, and none of them is without labels. Say which is the target: "
                f"target={likely!r}, say."
            )
    else:
        targets = [key for key in present if isinstance(key, int) and key < 0]
        if not targets:
            raise ValueError(
                f"sample_domain holds no target: all its values, {present[:5]}, are >= 0. The rule: {RULE}. "
                "If 1 marks your target, write np.where(domain == 1, -1, 1)."
            )
    if len(targets) == len(present):
        raise ValueError(
            f"sample_domain holds no source: all its values, {present[:5]}, are targets. The rule: {RULE}."
        )
    return targets


def _known_labels(keys: Array, targets: list[int | str], labels: Labels, use_target_labels: bool) -> Array:
    in_target = np.logical_or.reduce([keys == key for key in targets])
    without = ~in_target & labels.absent
    if without.any():
        raise ValueError(
            f"{int(without.sum())} source rows have no label, the first is row {int(np.flatnonzero(without)[0])}. "
            "Every row of a source needs one: label them, drop them, or give them a target's sample_domain."
        )
    minus_one_is_class = bool((labels.minus_one & ~in_target).any())
    if minus_one_is_class and len(np.unique(labels.values[~in_target])) > 2:
        warnings.warn(
            "-1 on source rows is taken as a class, because sample_domain says which rows are labelled. "
            "If those rows are unlabelled, drop them or give them a target's sample_domain.",
            UserWarning,
            stacklevel=4,
        )
    if not use_target_labels:
        return ~in_target
    if minus_one_is_class and (labels.minus_one & in_target).any():
        raise ValueError(
            "with use_target_labels=True, -1 is a class on source rows and ambiguous on target rows. "
            'Mark unlabelled target rows by NaN (or None, "").'
        )
    return ~in_target | ~(labels.absent | labels.minus_one)


def _unique(keys: Array) -> list[int | str]:
    """Sorted keys: sources in the order of their number, then targets in the order of theirs; names by alphabet."""
    return sorted(set(keys.tolist()), key=lambda key: key if isinstance(key, str) else (key < 0, abs(key)))
