"""Threads for operations that release the interpreter's lock: large numpy operations and scipy's sparse products.

A result never depends on the number of threads: every call computes a part of its own, and sums have a fixed order.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar

import joblib

Result = TypeVar("Result")

_forked = False  # is this process a fork of one in which this module was loaded?
_busy: set[object] = set()  # what the threads of the pool do now; changes of a set are atomic


def _mark_fork() -> None:
    global _forked
    _forked = True
    _busy.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_mark_fork)


def n_threads() -> int:
    """Threads of one operation: all cores, at most OMP_NUM_THREADS; one in a fork, which has no threads to wait for."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    limit = int(given) if given.isdigit() and int(given) > 0 else _n_cores()
    return 1 if _forked else min(limit, _n_cores())


def each(function: Callable[..., Result], *arguments: Iterable[Any]) -> list[Result]:
    """`list(map(function, *arguments))` with `n_threads()` threads, this one among them."""
    # This thread makes the first call, and a thread that is free takes the next one. If the other threads get no time,
    # this one makes all calls; it never waits for a thread that has not begun. So a call may use `each` itself: threads
    # that have nothing else to do help it.
    calls = list(zip(*arguments, strict=True))
    n_helpers = min(n_threads(), len(calls)) - 1
    if n_helpers < 1:
        return [function(*call) for call in calls]
    results: dict[int, Result] = {}
    numbers = iter(range(len(calls)))  # `next` is atomic
    stop = threading.Event()  # after an error or Ctrl-C no further call begins

    def help_out() -> None:
        _busy.add(token := object())
        try:
            work()
        finally:
            _busy.discard(token)

    def work(*first: int) -> None:
        try:
            for number in itertools.chain(first, numbers):
                if stop.is_set():
                    return
                results[number] = function(*calls[number])
        except BaseException:
            stop.set()
            raise

    first = next(numbers)
    pool = _pool(n_threads())
    helpers = [pool.submit(copy_context().run, help_out) for _ in range(n_helpers)]  # the context has numpy's errstate
    try:
        work(first)
    finally:
        begun = [helper for helper in helpers if not helper.cancel()]
        errors = [helper.exception() for helper in begun]  # waits
    for error in errors:
        if error is not None:
            raise error
    return [results[number] for number in range(len(calls))]


def each_quickly(function: Callable[..., Result], *arguments: Iterable[Any]) -> list[Result]:
    """`each` for calls that take milliseconds: no thread is asked for help unless one is free now."""
    return (
        each(function, *arguments) if has_free_thread() else [function(*call) for call in zip(*arguments, strict=True)]
    )


def has_free_thread() -> bool:
    """Whether a second thread would begin a call at once."""
    return n_threads() - 1 > len(_busy)


def once(function: Callable[[], Result]) -> Callable[[], Result]:
    """A function that calls the given one the first time, and returns that result, or raises its error, ever after."""
    # Other threads wait for the first call.
    lock = threading.Lock()
    first: Future[Result] = Future()

    def result() -> Result:
        with lock:
            if not first.done():
                try:
                    first.set_result(function())
                except BaseException as error:  # not only for this thread
                    first.set_exception(error)
        return first.result()

    return result


@cache
def _n_cores() -> int:
    """Cores that this process may use. They are counted once: joblib reads several files for it."""
    return int(joblib.cpu_count())


@cache
def _pool(n: int) -> ThreadPoolExecutor:
    """The threads; they are kept, since starting one takes longer than most operations."""
    return ThreadPoolExecutor(max(1, n - 1), thread_name_prefix="labelferry")
