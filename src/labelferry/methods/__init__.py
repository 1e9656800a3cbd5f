"""The methods of the five papers, one file per method."""

from .cdsc import CDSC
from .gcmf import GCMF
from .label_propagation import HybridLabelPropagation
from .rsp import RSP
from .similarity_propagation import HybridSimilarityPropagation
from .tcl import TCL

__all__ = ["CDSC", "GCMF", "RSP", "TCL", "HybridLabelPropagation", "HybridSimilarityPropagation"]
