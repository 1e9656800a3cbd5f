"""The command line: parse, call, print. One file per command; heavy imports are inside functions."""

# Each module adds its commands.
from . import apply, audit, bench, compare, data, demo, diagnose, explain, label, methods, review, review_bench, trust  # noqa: F401
from .app import app

__all__ = ["app"]
