"""Names that moved to `linalg/multiplicative.py`."""

from .multiplicative import sq_residual

__all__ = ["sq_residual"]
