from .cdsc import CDSC as CDSC
from .gcmf import GCMF as GCMF
from .label_propagation import HybridLabelPropagation as HybridLabelPropagation
from .rsp import RSP as RSP
from .similarity_propagation import HybridSimilarityPropagation as HybridSimilarityPropagation
from .tcl import TCL as TCL
