"""Methods with which the papers compare; one file per method."""

from .cocc import CoCC
from .dkt import DKT
from .dtl import DTL
from .em_naive_bayes import EMNaiveBayes
from .itcc import ITCC
from .kde_weighting import KDEWeighting
from .lap_svm import LapSVM
from .msda import MSDA
from .mtrick import MTrick
from .nmf_clustering import NMFClustering
from .nmtf import NMTF
from .normalized_cut import NormalizedCut
from .self_training import SelfTraining
from .sgt import SGT
from .smoothed_lr import SmoothedLR
from .source_lr import SourceLR
from .source_nb import SourceNB
from .source_svm import SourceSVM
from .spectral_classifier import SpectralClassifier
from .spectral_coclustering import SpectralCoclustering
from .spherical_kmeans import SphericalKMeans
from .tsvm import TSVM

__all__ = [
    "DKT",
    "DTL",
    "ITCC",
    "MSDA",
    "NMTF",
    "SGT",
    "TSVM",
    "CoCC",
    "EMNaiveBayes",
    "KDEWeighting",
    "LapSVM",
    "MTrick",
    "NMFClustering",
    "NormalizedCut",
    "SelfTraining",
    "SmoothedLR",
    "SourceLR",
    "SourceNB",
    "SourceSVM",
    "SpectralClassifier",
    "SpectralCoclustering",
    "SphericalKMeans",
]
