"""Domains: the validated value that every solver takes.

`read_domains` makes it from (X, y, sample_domain) and is the only place that knows the rules of `sample_domain`:
integers, `>= 0` a source, `< 0` a target, one number per domain; or names, with `target=` naming the target.
`Domains.from_blocks` makes it from separate matrices of sources and target.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, Self

import numpy as np

from ..linalg.matrix import Array, Matrix, as_like_blocks, empty_rows, is_blocked, stack_rows, word_counts
from .labels import UNKNOWN, Labels, encode, join_labels, read_labels
from .warn import warn_user

RULE = "sample_domain marks a source by a number >= 0 and a target by a number < 0, one number per domain"


@dataclass(frozen=True)
class Domain:
    """Documents of one domain."""

    key: int | str  # as in sample_domain
    X: Matrix  # documents x words
    codes: Array  # index into Domains.classes, or UNKNOWN
    rows: Array  # positions of the documents in the input
    is_target: bool
    shares: Array | None = None  # class proportions that the predictions have to match, if there are any

    @property
    def name(self) -> str:
        if isinstance(self.key, str):
            return self.key
        return f"{'target' if self.is_target else 'source'} {abs(self.key)}"

    @property
    def known(self) -> Array:
        """True if the label is given."""
        return np.not_equal(self.codes, UNKNOWN)


@dataclass(frozen=True)
class Domains:
    """Sources, then targets, and the classes of their labels."""

    domains: tuple[Domain, ...]
    classes: Array
    by_content: bool = False  # are documents, words and classes in the order of `core.ordering`?

    @classmethod
    def from_blocks(
        cls,
        sources: Sequence[tuple[int | str, Matrix, Any]],
        target: tuple[int | str, Matrix],
        *,
        estimator: str = "Domains",
    ) -> Self:
        """Domains from one matrix per domain; rows are numbered source by source, the target last.

        Parameters
        ----------
        sources : list of (key, X, y)
            Name, documents x words and labels of each source.
        target : (key, X)
            Name and documents x words of the target.
        estimator : str, default="Domains"
            Name for error messages.

        Returns
        -------
        domains : Domains
            The blocks are not copied unless their types differ.
        """
        keys = [*(key for key, _, _ in sources), target[0]]
        if len(set(keys)) < len(keys):
            raise ValueError(f"every domain needs a name of its own; got {keys}.")
        blocks = as_like_blocks([*(X for _, X, _ in sources), target[1]])
        labels = read_labels(join_labels([y for _, _, y in sources], estimator), estimator)
        if labels.absent.any():
            raise ValueError(_missing_labels(int(labels.absent.sum()), int(np.flatnonzero(labels.absent)[0])))
        _warn_if_minus_one_is_a_class(labels, np.ones(len(labels.values), dtype=bool))
        classes, codes = encode(labels.values, ~labels.absent)
        _check_classes(classes)
        codes = np.append(codes, np.full(blocks[-1].shape[0], UNKNOWN))
        ends = np.cumsum([X.shape[0] for X in blocks])
        rows = np.split(np.arange(ends[-1]), ends[:-1])
        return cls(
            tuple(
                Domain(key, X, codes[r], r, is_target=d == len(sources))
                for d, (key, X, r) in enumerate(zip(keys, blocks, rows, strict=True))
            ),
            classes,
        )

    def __iter__(self) -> Iterator[Domain]:
        return iter(self.domains)

    @property
    def sources(self) -> tuple[Domain, ...]:
        """The source domains."""
        return tuple(d for d in self.domains if not d.is_target)

    @property
    def targets(self) -> tuple[Domain, ...]:
        """The target domains."""
        return tuple(d for d in self.domains if d.is_target)

    @property
    def X(self) -> tuple[Matrix, ...]:
        """The documents of each domain."""
        return tuple(d.X for d in self.domains)

    @property
    def known(self) -> tuple[Array, ...]:
        """Per domain, True for the documents whose label is given."""
        return tuple(d.known for d in self.domains)

    @property
    def shares(self) -> tuple[Array | None, ...]:
        """Per domain, the class proportions that its predictions have to match; None if there are none."""
        return tuple(d.shares for d in self.domains)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def n_words(self) -> int:
        """Number of words, the columns of every X."""
        return self.domains[0].X.shape[1]

    @property
    def n_entries(self) -> int:
        """Number of values other than 0 in all documents; of a dense X all values."""
        return sum(
            int(word_counts(X).sum()) if is_blocked(X) else int(getattr(X, "nnz", prod(X.shape))) for X in self.X
        )

    @property
    def dtype(self) -> Any:
        """Data type of the documents."""
        return self.domains[0].X.dtype

    @cached_property
    def target_rows(self) -> Array:
        """Rows of the input that belong to a target, in row order."""
        return np.sort(np.concatenate([d.rows for d in self.targets]))

    @cached_property
    def class_prior(self) -> Array:
        """Proportion of each class among the given labels."""
        codes = np.concatenate([d.codes[d.known] for d in self.domains])
        return np.bincount(codes, minlength=self.n_classes) / len(codes)

    @property
    def target_prior(self) -> Array | None:
        """The class proportions that the predictions have to match, over all targets; None if there are none."""
        pairs = [(d.shares, len(d.codes)) for d in self.targets if d.shares is not None]
        return np.average([s for s, _ in pairs], axis=0, weights=[n for _, n in pairs]) if pairs else None

    def labelled(self) -> tuple[Matrix, Array]:
        """All documents with a given label, of any domain, and their codes."""
        some = [d for d in self.domains if d.known.any()]
        blocks = [d.X if d.known.all() else d.X[d.known] for d in some]
        return stack_rows(blocks), np.concatenate([d.codes[d.known] for d in some])

    def one_hot(self, domain: Domain) -> Array:
        """Documents x classes: 1 at the given label, a row of zeros if there is none."""
        Y = np.zeros((len(domain.codes), self.n_classes), dtype=self.dtype)
        Y[domain.known, domain.codes[domain.known]] = 1
        return Y

    def target_documents(self) -> Matrix:
        """The documents of all targets, in row order."""
        if len(self.targets) == 1:
            return self.targets[0].X  # the rows of one domain are in row order
        X: Matrix = stack_rows([d.X for d in self.targets])[np.argsort(np.concatenate([d.rows for d in self.targets]))]
        return X

    def hide_target_labels(self) -> Domains:
        """The domains without the given labels of the targets, unless a class would lose its only labels."""
        hidden = tuple(replace(d, codes=np.full_like(d.codes, UNKNOWN)) if d.is_target else d for d in self.domains)
        left = np.concatenate([d.codes[d.known] for d in hidden])
        return replace(self, domains=hidden) if len(np.unique(left)) == self.n_classes else self

    def keep_sources(self, keys: Iterable[int | str]) -> Domains:
        """The targets, and the sources with these keys."""
        kept = set(keys)
        return replace(self, domains=tuple(d for d in self.domains if d.is_target or d.key in kept))

    def drop_empty_documents(self) -> Domains:
        """The documents with words. If a class or domain would become empty, all its documents are kept."""
        kept = []
        non_empty = [~empty_rows(d.X) for d in self.domains]
        labelled = [d.codes[d.known & rows] for d, rows in zip(self.domains, non_empty, strict=True)]
        classes_without_text = np.setdiff1d(np.arange(self.n_classes), np.concatenate(labelled))
        for d, rows in zip(self.domains, non_empty, strict=True):
            rows = rows | np.isin(d.codes, classes_without_text)
            if rows.all() or not rows.any():
                kept.append(d)
            else:
                kept.append(replace(d, X=d.X[rows], codes=d.codes[rows], rows=d.rows[rows]))
        return replace(self, domains=tuple(kept))

    def in_row_order(self, of_targets: Iterable[Array]) -> Array:
        """Join one array per target domain into one array in the row order of the input."""
        rows = np.concatenate([d.rows for d in self.targets])
        return np.concatenate(list(of_targets))[np.argsort(rows)]


def read_domains(
    X: Matrix,
    y: Any,
    sample_domain: Any = None,
    *,
    target: Any = None,
    use_target_labels: bool = False,
    needs_target: bool = True,
    estimator: str,
) -> Domains:
    """The domains in (X, y, sample_domain). A ValueError names the rule and the way out."""
    # Without `needs_target` every row may have a label; the target has no rows then.
    labels = read_labels(y, estimator)
    if len(labels.values) != X.shape[0]:
        raise ValueError(
            f"y must have one label per row: X has {X.shape[0]} rows (inconsistent numbers of samples), y has "
            f'{len(labels.values)}. Mark unlabelled rows by -1 (or None, NaN, ""), do not leave them out.'
        )
    targets: list[int | str] = ["target"]
    if sample_domain is None:
        keys, known = _domains_from_labels(labels, target, needs_target=needs_target)
    else:
        keys = _read_keys(sample_domain, X.shape[0])
        targets = _target_keys(keys, labels, target)
        known = _known_labels(keys, targets, labels, use_target_labels)
    classes, codes = encode(labels.values, known)
    _check_classes(classes)
    sources = [key for key in _unique(keys) if key not in targets]
    return Domains(
        tuple(_domain(key, X, codes, np.flatnonzero(keys == key), key in targets) for key in [*sources, *targets]),
        classes,
    )


def _check_classes(classes: Array) -> None:
    if len(classes) < 2:
        raise ValueError(
            f"the labelled rows must contain at least 2 classes; got 1 class, {classes.tolist()[0]!r}. "
            "Add labelled documents of another class."
        )


def _warn_if_minus_one_is_a_class(labels: Labels, in_source: Array) -> None:
    if (labels.minus_one & in_source).any() and len(np.unique(labels.values[in_source])) > 2:
        warn_user(
            "-1 on source rows is treated as a class, because sample_domain says which rows are labelled. "
            "If those rows are unlabelled, drop them or give them a target's sample_domain."
        )


def _missing_labels(n: int, first: int) -> str:
    return (
        f"{n} source rows have no label, the first is row {first}. "
        "Every row of a source needs one: label them, drop them, or give them a target's sample_domain."
    )


def _domain(key: int | str, X: Matrix, codes: Array, rows: Array, is_target: bool) -> Domain:
    return Domain(key, X[rows], codes[rows], rows, is_target)


def _domains_from_labels(labels: Labels, target: Any, *, needs_target: bool) -> tuple[Array, Array]:
    """Without sample_domain the unlabelled rows are the target."""
    if target is not None:
        raise ValueError(f"target={target!r} names a domain, but sample_domain is None. Pass sample_domain too.")
    known = ~(labels.absent | labels.minus_one)
    if labels.minus_one.any() and len(np.unique(labels.values[known])) == 1:
        other = labels.values[known][:1].tolist()[0]
        raise ValueError(
            f"y contains -1 and one other label, {other!r}: is -1 a class, or does it mean unlabelled? "
            f"If it is a class, pass sample_domain ({RULE}). If it means unlabelled, the labelled rows must "
            "contain at least 2 classes."
        )
    if known.all() and needs_target:
        raise ValueError(
            "there are no target rows: every row of y has a label. Pass the documents to label too, with -1, None, NaN "
            'or "" in y, and read transduction_; or call transfer(Xs, ys, Xt). SourceLR() needs no target.'
        )
    if not known.any():
        raise ValueError("there are no source rows: no row of y has a label. Give labels to the rows of the source.")
    return np.where(known, "source", "target").astype(object), known


def _read_keys(sample_domain: Any, n_rows: int) -> Array:
    given = np.asarray(sample_domain)
    if given.shape != (n_rows,):
        raise ValueError(
            f"sample_domain must have one entry per row, shape ({n_rows},); got shape {given.shape}. "
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
        f"sample_domain must contain integers or names; got {given.dtype} with values like {given[:3].tolist()}. "
        f"The rule: {RULE}; or names (strings) with target= naming the target."
    )


def _target_keys(keys: Array, labels: Labels, target: Any) -> list[int | str]:
    present = _unique(keys)
    if target is not None:
        wanted = list(target) if isinstance(target, list | tuple | set | np.ndarray) else [target]
        left_out = [key for key in present if isinstance(key, int) and key < 0 and key not in wanted]
        if left_out or not wanted:
            raise ValueError(
                f"target={target!r} does not name {left_out or 'any domain'}. The rule: {RULE}. "
                "Name all targets, or drop the rows of the others."
            )
        missing = [key for key in wanted if key not in present]
        if missing:
            raise ValueError(
                f"target={missing[0]!r} is not in sample_domain, which contains {present}. Name one of these."
            )
        targets = [key for key in present if key in wanted]
    elif isinstance(present[0], str):
        unlabelled = labels.absent | labels.minus_one
        targets = [key for key in present if unlabelled[keys == key].all()]
        if not targets:
            likely = max(present, key=lambda key: unlabelled[keys == key].mean())
            raise ValueError(
                f"sample_domain names {present}, and all of them have labels. Name the target, for example "
                f"target={likely!r}."
            )
    else:
        targets = [key for key in present if isinstance(key, int) and key < 0]
        if not targets:
            raise ValueError(
                f"sample_domain contains no target: all its values, {present[:5]}, are >= 0. The rule: {RULE}. "
                "If 1 marks your target, write np.where(domain == 1, -1, 1)."
            )
    if len(targets) == len(present):
        raise ValueError(
            f"sample_domain contains no source: all its values, {present[:5]}, are targets. The rule: {RULE}."
        )
    return targets


def _known_labels(keys: Array, targets: list[int | str], labels: Labels, use_target_labels: bool) -> Array:
    in_target: Array = np.logical_or.reduce([keys == key for key in targets])
    in_source = np.logical_not(in_target)
    without = in_source & labels.absent
    if without.any():
        raise ValueError(_missing_labels(int(without.sum()), int(np.flatnonzero(without)[0])))
    minus_one_is_class = bool((labels.minus_one & in_source).any())
    _warn_if_minus_one_is_a_class(labels, in_source)
    if not use_target_labels:
        return in_source
    if minus_one_is_class and (labels.minus_one & in_target).any():
        raise ValueError(
            "with use_target_labels=True, -1 is a class on source rows and ambiguous on target rows. "
            'Mark unlabelled target rows by NaN (or None, "").'
        )
    return np.logical_or(in_source, ~(labels.absent | labels.minus_one))


def _unique(keys: Array) -> list[int | str]:
    """Sorted keys: numbers of sources, then numbers of targets, each in ascending order; names alphabetically."""
    return sorted(set(keys.tolist()), key=lambda key: key if isinstance(key, str) else (key < 0, abs(key)))
