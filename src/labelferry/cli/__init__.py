"""The command line: parse, call, print. One file per command; heavy imports are inside functions."""

# Each module adds its commands.
from . import accept, apply, ask, audit, certify, compare, demo, diagnose, explain, export, find, label, methods, review  # noqa: F401
from .app import app, load_commands

__all__ = ["app", "load_commands"]
