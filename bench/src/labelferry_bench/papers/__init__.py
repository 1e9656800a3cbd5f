"""The experiments of the papers: their tasks, their printed tables as data, and our results compared with them."""

from .best import best_in_words
from .measure_study import measure_study
from .output import compare_tables, in_percent
from .results import write_results
from .studies import studies
from .tabulate import catalogue, run_table

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
