r"""Numbers that tell something about labels without knowing the true ones. 1 is good, 0 is as good as chance.

    held_out    h: balanced accuracy of SourceLR on held-out labelled documents, corrected for chance
    agreement   k: median kappa of the answer with the members of the panel
    confident   average thresholded confidence: share of the target documents whose SourceLR confidence is above a
                threshold t, corrected for chance; the share of held-out labelled documents below t is their error
    views       v: kappa of self-training by words and by vectors, which share no feature, minus USUAL_AGREEMENT; 0
                without a second view

With a second view, SourceLR stands for its product with a classifier of the view (`ensemble/view_members.py`).

Paper of `confident`: Garg et al., Leveraging Unlabeled Data to Predict Out-of-Distribution Performance, ICLR 2022.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .agreement import chance_corrected_recall, correct_for_chance

USUAL_AGREEMENT = 0.3  # of two views
CONFLICT = 0.35  # difference of held_out and agreement from which they contradict each other


class Signals(NamedTuple):
    """The signals of one answer."""

    held_out: float
    agreement: float
    confident: float
    views: float = 0.0

    @property
    def contradict(self) -> bool:
        """Whether held-out accuracy and agreement contradict each other."""
        return abs(self.held_out - self.agreement) > CONFLICT


def read_signals(
    kappas: Array, held_out: Array, source_codes: Array, source_proba: Array, views: float = 0.0
) -> Signals:
    """The signals of an answer.

    `held_out`: probabilities of the labelled documents by models that have not seen them; may have no rows.
    """
    return Signals(
        held_out=chance_corrected_recall(held_out, source_codes),
        agreement=float(np.median(kappas)),
        confident=thresholded_confidence(held_out, source_codes, source_proba),
        views=views,
    )


def thresholded_confidence(held_out: Array, codes: Array, P: Array) -> float:
    """`confident`, at least 0; 0 without held-out documents."""
    if len(held_out) == 0:
        return 0.0
    threshold = np.quantile(held_out.max(axis=1), float((held_out.argmax(axis=1) != codes).mean()))
    return max(0.0, correct_for_chance(float((P.max(axis=1) >= threshold).mean()), P.shape[1]))
