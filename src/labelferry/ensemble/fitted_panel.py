"""The fitted panel with its combined answer: what AutoTransfer keeps, so that it can learn from answers without a new
fit of the members."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..assessment.assessment import PanelPredictions
from ..assessment.coordinates import coordinates
from ..assessment.facts import TargetFacts, target_facts
from ..core import progress
from ..core.domains import Domains
from ..core.sampling import MAX_FITTED, sample_domains
from ..core.threads import single_thread, without_line_search_warnings
from ..linalg.matrix import Array
from ..linalg.normalize import normalize_rows_l2
from ..linalg.threads import each
from .labelled_pool import PoolInputs, keep_inputs
from .panel import fit_panel, panel_stages
from .pool import PooledAnswer, combine, load_coefficients
from .queries import query_coordinates
from .sources import SourceScores, drop_harmful_source, score_sources
from .student import rows_of
from .view_members import with_view
from .votes import Voter

ASSESSING = "assessing the answer"


class VotedStart(NamedTuple):
    """The answer of the panel, calibrated, and the voters that change it."""

    start: Array
    voters: tuple[Voter, ...]


class FittedPanel(NamedTuple):
    """What does not depend on labels of the target."""

    predictions: PanelPredictions
    answer: PooledAnswer
    sources: SourceScores
    coordinates: Array  # of the target documents, in row order: by words, and by the second view if it is used
    facts: TargetFacts  # without languages
    voted: VotedStart | None = None  # what answers start from if there are votes

    @property
    def pool_inputs(self) -> PoolInputs:
        """What labels that learn from answers start from, in single precision."""
        if self.voted is not None:
            return keep_inputs(self.voted.start, self.predictions.proba, self.coordinates, self.voted.voters)
        answer = self.answer
        return keep_inputs(answer.proba, self.predictions.proba, self.coordinates, unlimited=answer.before_budget)

    def used_domains(self, domains: Domains) -> Domains:
        """The domains without a source that was dropped."""
        if self.sources.used.all():
            return domains
        dropped = {name for name, used in zip(self.sources.names, self.sources.used, strict=True) if not used}
        return domains.keep_sources(d.key for d in domains.sources if d.name not in dropped)


def fit_and_combine(domains: Domains, rng: np.random.Generator, second_view: Any = None) -> FittedPanel:
    """Fit the panel, drop a harmful source and fit again, and combine the members.

    The documents are measured while the panel is fitted: both take long, and a second core may be free.
    """
    seed = int(rng.integers(2**31 - 1))
    progress.expect(*panel_stages(domains, second_view), ASSESSING)
    predictions: PanelPredictions
    measured: tuple[TargetFacts, Array]
    work: tuple[Callable[[], Any], ...] = (partial(fit_panel, domains, seed, second_view), partial(_measure, domains))
    with single_thread("blas"), without_line_search_warnings():
        predictions, measured = each(lambda run: run(), work)
    facts, Z = measured
    answer = combine(predictions, load_coefficients())
    some = sample_domains(domains, MAX_FITTED)
    rows = rows_of(some, domains)
    sources = score_sources(
        some, answer.before_budget[rows].argmax(axis=1), predictions.source_only[rows].argmax(axis=1)
    )
    domains, sources = drop_harmful_source(domains, sources)
    if not sources.used.all():
        progress.expect(*panel_stages(domains, second_view))
        predictions = fit_panel(domains, seed, second_view)
        answer, facts = combine(predictions, load_coefficients()), target_facts(domains, Z)
    progress.begin(ASSESSING)
    z = pool_coordinates(Z, domains, second_view if predictions.view_weight else None)  # 0: the view was left out
    return FittedPanel(predictions, answer, sources, z, facts)


def pool_coordinates(Z: Array, domains: Domains, second_view: Any = None) -> Array:
    """What answers are learned by: the coordinates Z of the words, and those of the second view beside them."""
    z = query_coordinates(Z)
    if second_view is None:
        return z
    by_view = coordinates(with_view(domains, second_view).target_documents())
    both: Array = normalize_rows_l2(np.hstack([z, query_coordinates(by_view)]))
    return both


def _measure(domains: Domains) -> tuple[TargetFacts, Array]:
    """The facts, and the coordinates of the target documents."""
    Z = coordinates(domains.target_documents())
    return target_facts(domains, Z), Z
