"""What users do: label documents, check a transfer before it, compare methods, label later documents, review labels."""

from ..assessment.verdict import LEVELS
from ..core.progress import TimeLeft, begin, expect, listen
from .apply import Applied, apply
from .compare import compare
from .diagnose import diagnose
from .explain import explain
from .job import Job, check_new_job, open_job
from .label import label
from .labelling import Labelling
from .model import Model, load
from .parquet_blocks import ParquetDocuments, from_parquet

__all__ = [
    "LEVELS",
    "Applied",
    "Job",
    "Labelling",
    "Model",
    "ParquetDocuments",
    "TimeLeft",
    "apply",
    "begin",
    "check_new_job",
    "compare",
    "diagnose",
    "expect",
    "explain",
    "from_parquet",
    "label",
    "listen",
    "load",
    "open_job",
]
