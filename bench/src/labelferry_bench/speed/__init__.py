"""The speed bench: seconds and memory of the methods at growing sizes, beside what scikit-learn has for it."""

from .run import SIZES, run_speed
from .runs import RUNS

__all__ = ["RUNS", "SIZES", "run_speed"]
