"""The command line: parse, call, print. One file per command; heavy imports are inside functions."""

# Each module adds its commands.
from . import (  # noqa: F401
    apply,
    audit,
    bench,
    compare,
    data,
    demo,
    diagnose,
    explain,
    export,
    label,
    methods,
    review,
    review_bench,
    speed,
    trust,
)
from .app import app

__all__ = ["app"]
