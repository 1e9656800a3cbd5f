"""Results as plain dicts, ready to be printed, templated or written as JSON; and pictures of them."""

from .demo import run_demo
from .plots import plot_projection, plot_similarity

__all__ = ["plot_projection", "plot_similarity", "run_demo"]
