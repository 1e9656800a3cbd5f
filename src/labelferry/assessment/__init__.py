"""Is this transfer safe? How far apart are the domains? No labels of the target are needed."""

from .distance import divergence, gap, risk
from .words import carrier_words, carriers, changed_words, vocabulary_overlap

__all__ = ["carrier_words", "carriers", "changed_words", "divergence", "gap", "risk", "vocabulary_overlap"]
