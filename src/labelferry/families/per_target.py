"""Names that moved to `families/clustering.py`."""

from .clustering import by_class, likelihood, targets_of
from .clustering import cosine_scores as shares
from .clustering import join_solutions as join

__all__ = ["by_class", "join", "likelihood", "shares", "targets_of"]
