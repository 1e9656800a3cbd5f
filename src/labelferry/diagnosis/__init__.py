"""Is this transfer safe? How far apart are the domains? No labels of the target are needed."""

from .divergence import divergence, gap, risk

__all__ = ["divergence", "gap", "risk"]
