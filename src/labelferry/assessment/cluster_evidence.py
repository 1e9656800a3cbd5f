r"""Are the classes clusters of the target? Evidence from two mixture models.

Where the classes are clusters of the target's documents, naive Bayes by EM finds them. Where they are not, such as
positive and negative reviews, EM moves to the topics, and the source-only classifier is the better guide. EM alone
shows which case it is:

    em_stability = kappa(EM with little smoothing, EM with much smoothing)
    em_agreement = share of the most confident documents of the source-only classifier, per class, that EM labels
                   equally, corrected for chance; the smaller value of the two EM models
    classes are clusters  if  em_stability >= 2/3 and em_agreement >= 1/5                                            (1)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .agreement import kappa, most_confident

SOURCE_ONLY = "SourceLR"
MIXTURES = ("EMNaiveBayes", "EMNaiveBayes(smoothing=1)")
MIN_STABILITY, MIN_AGREEMENT = 2 / 3, 1 / 5


class ClusterEvidence(NamedTuple):
    """The two numbers in (1)."""

    em_stability: float
    em_agreement: float

    @property
    def classes_are_clusters(self) -> bool:
        return self.em_stability >= MIN_STABILITY and self.em_agreement >= MIN_AGREEMENT  # (1)


def cluster_evidence(proba: Mapping[str, Array]) -> ClusterEvidence | None:
    """The evidence from the probabilities of the panel; None if the mixture models were not fitted."""
    if any(name not in proba for name in MIXTURES):
        return None
    little, much = (proba[name].argmax(axis=1) for name in MIXTURES)
    confident = most_confident(proba[SOURCE_ONLY])
    labels, n_classes = proba[SOURCE_ONLY].argmax(axis=1)[confident], proba[SOURCE_ONLY].shape[1]

    def agreement(codes: Array) -> float:
        equal = np.mean([(codes[confident][labels == c] == c).mean() for c in np.unique(labels)])
        return float((equal * n_classes - 1) / (n_classes - 1))

    return ClusterEvidence(kappa(little, much), min(agreement(little), agreement(much)))
