"""What is being done, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stages:
    """`with stages("reading"): ...` tells that it begins, and keeps the seconds it took."""

    def __init__(self, begin: Callable[[str], None] = lambda _: None) -> None:
        self.begin = begin
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str, *, quietly: bool = False) -> Iterator[None]:
        """`quietly`: what is inside tells of its own beginnings."""
        if not quietly:
            self.begin(name)
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began
