"""Choosing among methods, and judging an answer, without labels of the target."""

from .auto_transfer import AutoTransfer

__all__ = ["AutoTransfer"]
