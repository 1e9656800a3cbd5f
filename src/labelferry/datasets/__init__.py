"""Corpora: one file each."""

from .demo import Demo, load_demo

__all__ = ["Demo", "load_demo"]
