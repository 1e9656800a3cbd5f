"""Results as plain dicts, ready to be printed, templated or written as JSON."""

from .demo import run_demo

__all__ = ["run_demo"]
