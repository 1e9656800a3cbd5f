"""Limits of the threads of BLAS and OpenMP."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Literal

from threadpoolctl import ThreadpoolController


def single_thread(user_api: Literal["blas", "openmp"]) -> AbstractContextManager[Any]:
    """A context in which the libraries of this kind use one thread.

    Parameters
    ----------
    user_api : {"blas", "openmp"}
        The kind of libraries.

    Returns
    -------
    context : context manager
        Sets the limit on entry and restores the previous one on exit.
    """
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api=user_api)
    return limit


@cache
def _controller() -> ThreadpoolController:
    """The loaded libraries. They are searched once per process: a search takes longer than many a fit."""
    return ThreadpoolController()
