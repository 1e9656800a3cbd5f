"""One file = one method that the papers compare with."""

from .dkt import DKT
from .dtl import DTL
from .em_naive_bayes import EMNaiveBayes
from .mtrick import MTrick
from .nmtf import NMTF
from .normalized_cut import NormalizedCut
from .self_training import SelfTraining
from .sgt import SGT
from .source_lr import SourceLR
from .source_svm import SourceSVM
from .spectral_classifier import SpectralClassifier
from .spectral_coclustering import SpectralCoclustering
from .spherical_kmeans import SphericalKMeans

__all__ = [
    "DKT",
    "DTL",
    "NMTF",
    "SGT",
    "EMNaiveBayes",
    "MTrick",
    "NormalizedCut",
    "SelfTraining",
    "SourceLR",
    "SourceSVM",
    "SpectralClassifier",
    "SpectralCoclustering",
    "SphericalKMeans",
]
