"""Limits of the threads of BLAS and OpenMP."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, Literal

from threadpoolctl import ThreadpoolController

# What scipy and scikit-learn say if the line search of Newton's method fails.
LINE_SEARCH = "The line search algorithm|Rounding errors prevent the line search|Line Search failed"


def single_thread(user_api: Literal["blas", "openmp"]) -> AbstractContextManager[Any]:
    """A context in which the libraries of this kind use one thread."""
    # k-means runs in such a context: in a fork of a process that used several threads of OpenMP, more than one would
    # wait forever.
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api=user_api)
    return limit


@contextmanager
def without_line_search_warnings() -> Iterator[None]:
    """A context without the warnings of Newton's method that rounding errors end a line search: the result is as good.

    Only in the main thread: the filters of Python's warnings belong to the whole process, and threads that change them
    would interfere with each other. Threads that start inside the context see its filters.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", LINE_SEARCH)
        yield


@cache
def _controller() -> ThreadpoolController:
    """The loaded libraries. They are searched once per process: a search takes longer than a small fit."""
    return ThreadpoolController()
