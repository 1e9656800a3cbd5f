"""Solving in an order that depends on content only: no answer depends on the order of rows, columns or class names.

`sort_domains` sorts documents, words and classes by content (see `labelferry.linalg.content`), drops words that no
document contains, and stores X as a sparse matrix if at most half of its entries are not zero, otherwise as an array,
whatever was given. The solver works on that; `Ordering.restore` brings its state back to the given order. Random
starts, folds, ties and rounding errors are then the same for any order of the input, without a line about it in a
solver. Equal documents of a domain get the mean of their rows in the state: ties between neighbors make them differ.

The state of a solver says in its type hints what the axes of its arrays are (see `labelferry.core.schema`):

    words, classes          columns of X, classes; "... < classes" are codes of classes
    documents               all documents, sources first
    documents[d]            in a tuple with one item per domain: the documents of that domain
    documents[t]            in a tuple with one item per target: the documents of that target
    unlabelled[t]           the same, only those without a given label, or all if all have one
    labelled                the documents with a label, as in `Domains.labelled`
    rows                    the documents of all targets, in row order
    targets                 the documents of all targets, target by target
    outputs                 classes; a single output is the second of two classes against the first

Other axes are left as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
import scipy.sparse as sp

from ..linalg.content import content_order
from ..linalg.matrix import Array, has_entries, is_sparse_enough, permute, stack_rows, to_array, to_csr
from ..linalg.shared import is_sharing
from .domains import Domain, Domains
from .labels import UNKNOWN
from .schema import Shape

MAX_SORTED = 50_000  # documents of all domains


class Axis(NamedTuple):
    """Position i of a sorted axis is position `places[i]` of the given one, which has `size` positions."""

    places: Array
    size: int
    copies: Array | None = None  # of documents, in the given order: equal numbers for equal documents

    def restore(self, A: Any, axis: int, fill: float = 0) -> Any:
        """A with the positions of this axis in the given order; positions that were dropped get `fill`."""
        if sp.issparse(A):
            to = sp.csr_array((np.ones(len(self.places), A.dtype), (self.places, np.arange(len(self.places)))))
            to.resize((self.size, len(self.places)))
            moved = to @ A if axis == 0 else A @ to.T
            return sp.csr_array(moved)
        shape = list(A.shape)
        shape[axis] = self.size
        full = np.full(shape, fill, dtype=A.dtype)
        full[(slice(None),) * axis + (self.places,)] = A
        return full if self.copies is None or axis > 0 or full.dtype.kind != "f" else _mean_of_copies(full, self.copies)


class Ordering(NamedTuple):
    """The places of documents (per domain), words and classes, and the domains in the given order."""

    given: Domains
    documents: tuple[Array, ...]
    copies: tuple[Array, ...]  # per domain, in the given order: equal numbers for equal documents
    words: Array
    classes: Array
    interchangeable: bool  # are there documents, words or classes that only the given order tells apart?

    def restore(self, state: Any, names: Mapping[str, str]) -> Any:
        """The state in the given order. `names` are other names of axes in the hints of this state."""
        return self._restore(state, type(state), 0, names)

    def _restore(self, value: Any, hint: Any, item: int, names: Mapping[str, str]) -> Any:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated and isinstance(arguments[1], str):
            return self._restore_array(value, Shape.parse(arguments[1]), item, names)
        if hasattr(value, "_fields"):  # the hint may be a union
            hints = get_type_hints(type(value), include_extras=True)
            return type(value)(*(self._restore(v, hints[f], item, names) for f, v in value._asdict().items()))
        if origin is tuple and isinstance(value, tuple):
            return tuple(self._restore(v, arguments[0], i, names) for i, v in enumerate(value))
        if origin is Union or type(hint).__name__ == "UnionType":
            some = [h for h in arguments if get_origin(h) is Annotated]
            return self._restore(value, some[0], item, names) if some and value is not None else value
        return value

    def _restore_array(self, A: Any, shape: Shape, item: int, names: Mapping[str, str]) -> Any:
        dimensions = [names.get(name, name) for name in shape.dimensions]
        below = shape.below and names.get(shape.below, shape.below)
        if below == "classes" and len(self.classes):
            A = np.where(A >= 0, self.classes[np.maximum(A, 0)], A)
        for axis, name in enumerate(dimensions):
            if name == "outputs" and A.shape[axis] == 1:
                A = A if self.classes[0] == 0 else -A
                continue
            places = self._axis(name, item)
            if places is not None and len(places.places) == A.shape[axis]:
                A = places.restore(A, axis, fill=UNKNOWN if below else 0)
            elif name == "words+":  # words, then others
                more = Axis(np.append(self.words, self.given.n_words + np.arange(A.shape[axis] - len(self.words))), 0)
                A = more._replace(size=self.given.n_words + A.shape[axis] - len(self.words)).restore(A, axis)
        return A

    def _axis(self, name: str, item: int) -> Axis | None:
        """The axis with that name, of the item of a tuple; None if it is not one of those that were sorted."""
        if name == "words":
            return Axis(self.words, self.given.n_words)
        if name in ("classes", "outputs"):
            return Axis(self.classes, len(self.classes))
        domains = list(enumerate(self.given))
        if name == "documents[d]":
            return self._axis_of_domain(item)
        targets = [d for d, domain in domains if domain.is_target]
        if name == "documents[t]":
            return self._axis_of_domain(targets[item])
        if name == "unlabelled[t]":
            d = targets[item]
            known = self.given.known[d]
            return self._some(~known if not known.all() else known, d)
        if name == "targets":
            return _stacked([self._axis_of_domain(d) for d in targets])
        if name == "documents":
            return _stacked([self._axis_of_domain(d) for d, _ in domains])
        if name == "labelled":
            return _stacked([self._some(domain.known, d) for d, domain in domains if domain.known.any()])
        if name == "rows":
            stacked = _stacked([self._axis_of_domain(d) for d in targets])
            row = np.argsort(np.argsort(np.concatenate([self.given.domains[d].rows for d in targets])))
            copies = np.concatenate([self.copies[d] for d in targets])[np.argsort(row)]
            return Axis(row[stacked.places], stacked.size, copies)
        return None

    def _some(self, chosen: Array, d: int) -> Axis:
        """The chosen documents of a domain."""
        numbers = np.cumsum(chosen) - 1
        places = self.documents[d]
        return Axis(numbers[places[chosen[places]]], int(chosen.sum()), self.copies[d][chosen])

    def _axis_of_domain(self, d: int) -> Axis:
        return Axis(self.documents[d], len(self.documents[d]), self.copies[d])


def _stacked(axes: list[Axis]) -> Axis:
    """One axis after the other; all of documents."""
    first = np.cumsum([0, *(axis.size for axis in axes)])
    places = [axis.places + n for axis, n in zip(axes, first[:-1], strict=True)]
    copies = [axis.copies for axis in axes if axis.copies is not None]
    return Axis(np.concatenate(places), int(first[-1]), np.concatenate(copies))


def _mean_of_copies(A: Array, copies: Array) -> Array:
    """Equal documents get the mean of their rows: no method may prefer one of them."""
    number, size = np.unique(copies, return_inverse=True, return_counts=True)[1:]
    if len(size) == len(A):
        return A
    member = sp.csr_array((np.ones(len(A), A.dtype), (number.ravel(), np.arange(len(A)))))
    means: Array = (member @ A) / size.astype(A.dtype).reshape(-1, *(1,) * (A.ndim - 1))
    return means[number.ravel()]


def can_sort(domains: Domains) -> bool:
    """Whether the domains are to be sorted: they are not yet, their entries can be read, and there are not too many."""
    # Sorting a million documents would copy them and take longer than most solvers. With so many documents, the answer
    # depends on the given order by rounding and random starts only; ties hardly matter.
    few = sum(len(d.codes) for d in domains) <= MAX_SORTED
    return few and not domains.by_content and all(map(has_entries, domains.X))


def sort_domains(domains: Domains, *, drop_words: bool = True) -> tuple[Domains, Ordering]:
    """The domains in an order that depends on content only, and the way back."""
    # `domains`: sources and targets. Their own order, which is that of `sample_domain`, stays.
    sizes = [len(d.codes) for d in domains]
    codes = np.concatenate([d.codes for d in domains])
    X = stack_rows(domains.X)
    form = to_csr if is_sparse_enough(X) else to_array
    kinds_of_rows = np.repeat(np.arange(len(sizes)), sizes)
    if is_sharing():  # fits with other labels get the same matrix: the classes are not sorted
        order = content_order(form(X), kinds_of_rows)._replace(groups=np.arange(domains.n_classes))
    else:
        order = content_order(form(X), kinds_of_rows, codes, n_groups=domains.n_classes)
    first = np.cumsum([0, *sizes])
    documents = tuple(np.split(order.rows, first[1:-1]))
    documents = tuple(rows - n for rows, n in zip(documents, first[:-1], strict=True))
    kinds = np.column_stack([order.fingerprints, np.repeat(first[:-1], sizes), codes]).astype(np.uint64)
    copies = tuple(np.split(np.unique(kinds, axis=0, return_inverse=True)[1].ravel(), first[1:-1]))
    words = order.columns
    if not drop_words or len(words) == 0:
        words = np.append(words, np.setdiff1d(np.arange(domains.n_words), words))
    code_of_class = np.append(np.argsort(order.groups), UNKNOWN)  # of the sorted order; the last is for UNKNOWN = -1

    def sort(d: Domain, rows: Array, n: int) -> Domain:
        return replace(
            d,
            X=permute(form(d.X), rows, words),
            codes=code_of_class[d.codes[rows]],
            rows=n + np.arange(len(rows)),
            shares=None if d.shares is None else d.shares[order.groups],
        )

    blocks = tuple(map(sort, domains, documents, first.tolist()))
    return (
        Domains(blocks, domains.classes[order.groups], by_content=True),
        Ordering(domains, documents, copies, words, order.groups, order.interchangeable),
    )
