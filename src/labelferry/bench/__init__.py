"""The papers' experiments: their tasks, their tables as data, and ours beside them."""

from .compare import compare_tables
from .results import write_results
from .studies import measure_study, studies
from .table import best_in_words, catalogue, run_table
from .write import in_percent

__all__ = [
    "best_in_words",
    "catalogue",
    "compare_tables",
    "in_percent",
    "measure_study",
    "run_table",
    "studies",
    "write_results",
]
