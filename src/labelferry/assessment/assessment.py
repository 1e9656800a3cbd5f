"""Everything that can be estimated about labels without knowing the true ones: of one method or of the ensemble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.sampling import MAX_COMPARED, MAX_FITTED
from ..linalg.matrix import Array
from .agreement import kappa, mean_kappas, set_top_probability
from .calibration import Calibration
from .confidence import confidence, confidence_features, needs_review
from .estimate import NO_ESTIMATE, Estimate, estimate
from .facts import TargetFacts
from .from_answers import FromAnswers
from .new_classes import NOT_MARKED, mark_documents, show_no_new_class
from .proportions import Prior, Proportions, estimate_proportions, matched_sentence
from .rules import Fact, Seen, few_answers, few_short_texts, find_facts, most_are_marked
from .signals import USUAL_AGREEMENT, Signals, read_signals
from .verdict import BETTER, LEVELS, UNKNOWN, VANISHED, WORSE, Verdict

MANY = 0.6  # share of the labels to review from which the mark does not help to choose


class WithView(NamedTuple):
    """Source-only classifiers of words and of the second view, multiplied with weights."""

    weight: float  # of the view; 0 if it is left out
    proba: Array  # target rows x classes
    held_out: Array  # labelled documents x classes; may have no rows
    agreement: float = USUAL_AGREEMENT  # kappa of self-training by words and by the view


class PanelPredictions(NamedTuple):
    """What the members predict, and what the source-only classifier predicts for held-out labelled documents."""

    proba: dict[str, Array]  # per member: target rows x classes, in row order; the source-only classifier first
    seconds: dict[str, float]
    held_out: Array  # labelled documents x classes; may have no rows
    source_codes: Array  # of the labelled documents
    with_view: WithView | None = None

    @property
    def codes(self) -> dict[str, Array]:
        """The labels of the members."""
        return {name: P.argmax(axis=1) for name, P in self.proba.items()}

    @property
    def source_only(self) -> Array:
        """Probabilities of the source-only classifier."""
        return next(iter(self.proba.values()))

    @property
    def view_weight(self) -> float | None:
        """The weight of the second view, 0 if it is left out; None without a second view."""
        return None if self.with_view is None else self.with_view.weight

    def signals(self, kappas: Array) -> Signals:
        """The signals of an answer with these kappas with the members."""
        best = self.with_view or WithView(0.0, self.source_only, self.held_out)
        return read_signals(kappas, best.held_out, self.source_codes, best.proba, self.views)

    @property
    def views(self) -> float:
        """v: how far words and vectors agree more than usual; 0 without a second view, or if it is left out."""
        return self.with_view.agreement - USUAL_AGREEMENT if self.with_view is not None else 0.0

    @property
    def source_proportions(self) -> Array:
        """Class proportions of the given labels."""
        n_classes = self.source_only.shape[1]
        return np.divide(np.bincount(self.source_codes, minlength=n_classes), len(self.source_codes))


class Members(NamedTuple):
    """The members of the panel, one entry per member."""

    names: tuple[str, ...]
    codes: Annotated[Array, "members x fitted < classes"]
    weights: Annotated[Array, "members"]  # in the answer
    agreement: Annotated[Array, "members or NaN"]  # mean kappa with the other members
    seconds: Annotated[Array, "members or NaN"]
    levels: tuple[str, ...]  # compared with SourceLR: "better", "worse" or "cannot tell"

    def rows(self) -> list[dict[str, Any]]:
        """One plain dict per member."""
        columns = (self.names, self.weights.tolist(), self.agreement.tolist(), self.levels, self.seconds.tolist())
        return [
            {"method": name, "weight": weight, "agreement": agreement, "level": level, "seconds": seconds}
            for name, weight, agreement, level, seconds in zip(*columns, strict=True)
        ]


class Assessment(NamedTuple):
    """Arrays and plain values only, so that it can be saved."""

    proba: Annotated[Array, "fitted x classes"]  # calibrated
    uncalibrated: Annotated[Array, "fitted x classes"]  # the same before calibration
    p_correct: Annotated[Array, "fitted"]  # probability of each label to be correct
    review: Annotated[Array, "fitted"]  # True for the labels to review
    groups: Annotated[Array, "fitted < any"]  # groups that no class explains: 0, 1, ...; -1 for all others
    balanced_accuracy: Estimate
    accuracy: Estimate
    proportions: Proportions
    members: Members
    class_precision: Annotated[Array, "classes or NaN"]  # mean of `p_correct` per class; NaN without labels
    class_levels: tuple[str, ...]
    facts: tuple[Fact, ...]
    signals: Signals
    changed: float  # share of labels that differ from the source-only classifier
    level: str
    n_corpora: int  # in the calibration
    matched: str = ""  # what the class proportions of the labels were matched to; empty if they were not
    n_answers: int = 0  # answers that the estimates are based on; 0: they are estimates without answers
    at_random: bool = True  # False: there are answers, but not to a random sample

    @property
    def can_estimate(self) -> bool:
        """Whether the estimates mean something."""
        return not any(fact.no_estimate for fact in self.facts)

    def estimated(self, name: str) -> dict[str, float | None]:
        """`mean`, `low` and `high` of "accuracy" or "balanced_accuracy"; None if it cannot be estimated."""
        value: Estimate = getattr(self, name)
        return {**value.as_dict()} if self.can_estimate else dict(NO_ESTIMATE)

    def verdict(self) -> Verdict:
        """The verdict in words."""
        s = self.signals
        reasons = [fact.advice for fact in self.facts]
        reasons.append(self._estimates() if self.can_estimate else "How many labels are correct cannot be estimated.")
        tested = (
            f", balanced accuracy of linear models on held-out labelled documents {s.held_out:.2f}"
            if s.held_out
            else ""
        )
        reasons.append(
            f"Agreement of {len(self.members.names)} methods with these labels {s.agreement:.2f}{tested} (0 is "
            "chance, 1 is perfect)."
        )
        if s.contradict and not self.n_answers:
            reasons.append("These two numbers contradict each other, so the intervals are wider than usual.")
        reasons.append(
            f"{self.changed:.0%} of the labels differ from those of SourceLR (trained on the labelled documents only)."
        )
        if self.matched:
            reasons.append(self.matched)
        if (n := len(self.p_correct)) > MAX_COMPARED:
            sample = f"Documents were compared with each other in a random sample of {MAX_COMPARED:,} new documents."
            if n > MAX_FITTED:
                fitted = f"The methods were fitted on a random sample of {MAX_FITTED:,} of the {n:,} new documents."
                sample = f"{fitted} {sample}"
            reasons.append(f"{sample} All new documents were labelled.")
        reasons.append(self._not_known())
        return Verdict(self.level, LEVELS[self.level].sentence, reasons)

    def _estimates(self) -> str:
        """The estimates with their origin."""
        b, a = self.balanced_accuracy, self.accuracy
        values = (
            f"About {a.mean:.0%} of the labels are correct (90% interval {a.low:.0%} to {a.high:.0%}). The verdict is "
            f"based on the mean over the classes, which is better known: {b.mean:.0%} ({b.low:.0%} to {b.high:.0%})."
        )
        if self.n_answers:
            return (
                f"{values} The estimates follow from {self.n_answers} answers, compared with labels of the same "
                "documents by fits without these answers. They suppose that the documents were drawn at random."
            )
        chosen = (
            ""
            if self.at_random
            else " The answered documents are no random sample, so the estimates do not use the answers: see `audit`."
        )
        return (
            f"{values} The intervals are as wide as the errors of such estimates on {self.n_corpora} corpora.{chosen}"
        )

    def _not_known(self) -> str:
        """What the estimates cannot tell, and how to find out."""
        if self.n_answers:
            return "These are estimates. A guarantee needs further answers: the labels have learned from these."
        unknown = "whether the new documents contain a class that the labelled documents lack"
        if not self.proportions.given:
            unknown = f"the class proportions of the new documents, and {unknown.replace('the new documents', 'they')}"
        return f"Not known without labels: {unknown}. Answers of people show it."


def assess(
    P: Array,
    predictions: PanelPredictions,
    facts: TargetFacts,
    *,
    classes: Sequence[str],
    weights: Mapping[str, float],
    target_error: float,
    calibration: Calibration,
    known: Sequence[int] | Array = (),
    prior: Prior | None = None,
    answered: FromAnswers | None = None,
) -> Assessment:
    """Assess the answer P.

    `target_error`: expected share of wrong labels that is allowed among those not marked for review.
    `prior`: class proportions that the answer was matched to. The members are not matched, so that proportions that
    contradict them lower the estimate (`python -m benchmarks.given_proportions`).
    `answered`: what answers tell about the answer P, which has learned from them. Its confidences are used, and its
    estimates if there are enough answers.
    """
    n_classes, codes = P.shape[1], P.argmax(axis=1)
    member_codes = predictions.codes
    kappas, signals = signals_of(codes, predictions)
    balanced = estimate(signals, n_classes, calibration.balanced)
    accuracy = estimate(signals, n_classes, calibration.accuracy)
    safe_without = balanced.lower >= calibration.levels.safe_from
    p_correct = confidence(confidence_features(P, member_codes, balanced.mean), calibration.confidence)
    p_correct[np.asarray(known, dtype=np.intp)] = 1
    review = needs_review(p_correct, target_error)
    proportions = estimate_proportions(codes, member_codes, predictions.source_proportions, prior)
    if answered is not None:
        p_correct, review = answered.confidence.copy(), needs_review(answered.cautious, target_error)
    if answered is not None and answered.enough:
        balanced, accuracy = answered.balanced_accuracy, answered.accuracy
        proportions = answered.proportions if prior is None else proportions
    few = few_short_texts(facts)  # their clusters differ by a few words
    groups = np.full(len(codes), NOT_MARKED)
    if not few:
        groups = mark_documents(facts.clusters, calibration.new_classes, len(codes))
    n_answers, n_none = (answered.n_answers, answered.n_none) if answered is not None and answered.enough else (0, 0)
    if show_no_new_class(n_answers, n_none, float(np.mean(groups != NOT_MARKED))):
        groups[:] = NOT_MARKED
    groups[np.asarray(known, dtype=np.intp)] = NOT_MARKED
    expected = prior.values if prior is not None and prior.known else None
    found = find_facts(
        Seen(facts, codes, predictions.source_codes, classes, groups, expected, n_answers=n_answers, n_none=n_none)
    )
    if not n_answers:
        found += few
    review |= groups != NOT_MARKED
    if any(fact.review_all for fact in found):
        review = p_correct < 1
    names, level = tuple(predictions.proba), judge(balanced, found, calibration)
    if level == "safe":
        n_given = 0 if answered is None else answered.n_answers
        vetoes = most_are_marked(review) + few_answers(n_given, safe_without=safe_without)
        found, level = found + vetoes, overrule(level, vetoes)
    return Assessment(
        proba=set_top_probability(P, np.clip(p_correct, 1 / n_classes, 1)),
        uncalibrated=P.astype(np.float32),
        p_correct=p_correct,
        review=review,
        groups=groups,
        balanced_accuracy=balanced,
        accuracy=accuracy,
        proportions=proportions,
        members=Members(
            names=names,
            codes=np.array(list(member_codes.values()), dtype=np.int32),
            weights=np.array([weights.get(name, 0.0) for name in names]),
            agreement=np.array(mean_kappas(list(member_codes.values()))),
            seconds=np.array([predictions.seconds[name] for name in names]),
            levels=judge_members(kappas, calibration),
        ),
        class_precision=np.array(
            [p_correct[codes == c].mean() if (codes == c).any() else np.nan for c in range(n_classes)]
        ),
        class_levels=judge_classes(p_correct, codes, n_classes, level, calibration),
        facts=found,
        signals=signals,
        changed=float((codes != predictions.source_only.argmax(axis=1)).mean()),
        level=level,
        n_corpora=len(calibration.corpora),
        matched=matched_sentence(proportions, classes),
        n_answers=n_answers,
        at_random=answered is None or answered.at_random,
    )


def signals_of(codes: Array, predictions: PanelPredictions) -> tuple[Array, Signals]:
    """The kappas of the labels with the members, and their signals."""
    kappas = np.array([kappa(codes, member) for member in predictions.codes.values()])
    return kappas, predictions.signals(kappas)


def estimate_balanced_accuracy(P: Array, predictions: PanelPredictions, calibration: Calibration) -> Estimate:
    """The estimate without answers that `assess` makes."""
    return estimate(signals_of(P.argmax(axis=1), predictions)[1], P.shape[1], calibration.balanced)


def judge(balanced: Estimate, facts: Sequence[Fact], calibration: Calibration) -> str:
    """The level of all labels: by the lower end of balanced accuracy, unless a fact overrules it."""
    if balanced.mean < calibration.levels.unsafe_below:
        return "unsafe"
    return overrule("safe" if balanced.lower >= calibration.levels.safe_from else "doubtful", facts)


def overrule(level: str, facts: Sequence[Fact]) -> str:
    """The level after the facts: never better than before, and not safe if there is a fact."""
    if any(fact.unsafe for fact in facts):
        return "unsafe"
    return "doubtful" if facts and level == "safe" else level


def judge_members(kappas: Array, calibration: Calibration) -> tuple[str, ...]:
    """Each member compared with SourceLR, the first one, by their kappas with the answer."""
    limits = calibration.members
    return tuple(
        BETTER if score > limits.better_above else WORSE if score < limits.worse_below else UNKNOWN
        for score in kappas - kappas[0]
    )


def judge_classes(
    p_correct: Array, codes: Array, n_classes: int, overall: str, calibration: Calibration
) -> tuple[str, ...]:
    """A level per class, from the confidence of its labels; "vanished" without labels.

    A class is not safe if the labels as a whole are not.
    """

    def level(c: int) -> str:
        if not (codes == c).any():
            return VANISHED
        precision = float(p_correct[codes == c].mean())
        limits = calibration.levels
        if precision < limits.unsafe_below:
            return "unsafe"
        return "safe" if precision >= limits.safe_from and overall == "safe" else "doubtful"

    return tuple(level(c) for c in range(n_classes))
