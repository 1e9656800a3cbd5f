"""The loop, written once. Knows callables, not matrices."""

from .iterate import Solution, iterate, restart

__all__ = ["Solution", "iterate", "restart"]
