"""The answer of a panel after votes: labels, what is said about them, and what answers start from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..assessment.assessment import Assessment, PanelPredictions, signals_of
from ..assessment.calibration import Calibration
from ..assessment.estimate import estimate
from ..assessment.from_answers import FromAnswers
from ..assessment.voted import contradiction, not_confirmed, with_facts, without_answers
from ..linalg.matrix import Array
from .fitted_panel import VotedStart
from .votes import Voter, Weighed, calibrated, update, weigh


class VotedAnswer(NamedTuple):
    """Votes that were counted."""

    start: VotedStart
    proba: Array  # the answer after the votes, without answers
    weighed: tuple[Weighed, ...]

    def assess(
        self, a: Assessment, P: Array, target_error: float, calibration: Calibration, answered: FromAnswers | None
    ) -> Assessment:
        """What is said about labels P that lean on the votes, and perhaps on answers."""
        n_answers = 0 if answered is None else answered.n_answers
        used = [w.voter.name for w in self.weighed if w.voter.trust > 0 or n_answers]
        facts = not_confirmed(used, n_answers)
        if answered is None:
            facts += tuple(contradiction(w.voter.name, w.agreement, w.expected) for w in self.weighed if w.contradicts)
            if any(w.voter.trust > 0 for w in self.weighed):
                a = without_answers(a, P, target_error, calibration)
        return with_facts(a, facts, calibration) if facts else a


def count_votes(
    P: Array, predictions: PanelPredictions, voters: Sequence[Voter], calibration: Calibration
) -> VotedAnswer | None:
    """Weigh the voters and update the answer P of the panel; None without voters."""
    if not voters:
        return None
    labels = P.argmax(axis=1)
    signals, K = signals_of(labels, predictions)[1], P.shape[1]
    balanced = estimate(signals, K, calibration.balanced).mean
    weighed = tuple(weigh(voter, labels, balanced) for voter in voters)
    start = calibrated(P, estimate(signals, K, calibration.accuracy).mean)
    trusted = tuple(w.voter for w in weighed)
    proba = update(start, trusted) if any(voter.trust > 0 for voter in trusted) else P
    return VotedAnswer(VotedStart(start, trusted), proba, weighed)
