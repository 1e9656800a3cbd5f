"""One file = one method that the papers compare with."""

from .dkt import DKT
from .dtl import DTL
from .em_naive_bayes import EMNaiveBayes
from .mtrick import MTrick
from .nmtf import NMTF
from .self_training import SelfTraining
from .source_lr import SourceLR
from .source_svm import SourceSVM

__all__ = ["DKT", "DTL", "NMTF", "EMNaiveBayes", "MTrick", "SelfTraining", "SourceLR", "SourceSVM"]
