"""The command line: parse, call, print. One file a command; heavy imports stand inside, so --help is fast."""

from . import apply, bench, compare, data, demo, diagnose, explain, label, trust  # noqa: F401  (each adds its commands)
from .app import app

__all__ = ["app"]
