"""The disk: a file appears whole or not at all."""

from .whole import whole, write_text

__all__ = ["whole", "write_text"]
