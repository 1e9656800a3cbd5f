"""The review bench: what answers of people prove about labels, and what can be learned from them."""

from .learning import run_learning
from .run import run_coverage

__all__ = ["run_coverage", "run_learning"]
