"""The command line: parse, call, print. One file a command; heavy imports stand inside, so --help is fast."""

from . import demo  # noqa: F401  (adds its command)
from .app import app

__all__ = ["app"]
