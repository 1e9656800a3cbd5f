"""The command line: parse, call, print. One file per command; heavy imports are inside functions."""

from . import apply, bench, compare, data, demo, diagnose, explain, label, review, trust  # noqa: F401  (each adds its commands)
from .app import app

__all__ = ["app"]
