"""The papers' experiments: their tasks, their tables as data, and ours beside them."""

from .compare import compare_tables
from .results import write_results
from .studies import measure_study, studies
from .table import best_in_words, catalogue, run_table

__all__ = ["best_in_words", "catalogue", "compare_tables", "measure_study", "run_table", "studies", "write_results"]
