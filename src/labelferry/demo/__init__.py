"""The embedded tickets of two products, and the demonstration that labels them."""

from .tickets import Demo, load_demo

__all__ = ["Demo", "load_demo"]
