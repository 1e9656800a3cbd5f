"""Work that several fits to the same documents share: what depends on the documents alone is computed once.

Inside `sharing()`, a function with the decorator `shared` is called once per content of its arguments; another call
with equal arguments gets the first result. Outside of it, the decorator does nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from typing import Any, ParamSpec, TypeVar

import numpy as np
import scipy.sparse as sp

P = ParamSpec("P")
R = TypeVar("R")

_results: ContextVar[dict[bytes, Any] | None] = ContextVar("labelferry_shared", default=None)


@contextmanager
def sharing() -> Iterator[None]:
    """Share work among the fits inside this block; its threads share it too (`threads.each`)."""
    token = _results.set({})
    try:
        yield
    finally:
        _results.reset(token)


def is_sharing() -> bool:
    """Whether this is inside `sharing()`."""
    return _results.get() is not None


def shared(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator of a pure function whose result nobody changes. Arguments without a digest are never shared."""

    @functools.wraps(function)
    def once(*args: P.args, **keywords: P.kwargs) -> R:
        results = _results.get()
        key = None if results is None else digest((function.__qualname__, args, sorted(keywords.items())))
        if results is None or key is None:
            return function(*args, **keywords)
        if key not in results:
            results[key] = function(*args, **keywords)
        found: R = results[key]
        return found

    return once


def digest(value: Any) -> bytes | None:
    """A number that only equal values have; None if a part is no plain value, array or sparse matrix in memory."""
    if value is None or isinstance(value, bool | int | float | str):
        return sha256(repr(value).encode()).digest()
    if isinstance(value, np.ndarray) and value.dtype != object:
        head = sha256(f"{value.dtype} {value.shape}".encode())
        head.update(np.ascontiguousarray(value).data)
        return head.digest()
    if sp.issparse(value) and value.format in ("csr", "csc"):
        return digest((value.format, str(value.shape), value.data, value.indices, value.indptr))
    if not isinstance(value, list | tuple):
        return None
    parts = [digest(part) for part in value]
    return None if any(part is None for part in parts) else sha256(b"".join(filter(None, parts))).digest()
