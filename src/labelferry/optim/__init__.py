"""The loop, written once. Knows callables, not matrices."""

from .iterate import Solution, best_of, iterate

__all__ = ["Solution", "best_of", "iterate"]
