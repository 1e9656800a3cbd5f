"""The figures of the trust bench, from tasks that were judged by coefficients that have not seen their corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from labelferry.assessment.new_classes import NOT_MARKED
from labelferry.assessment.verdict import BETTER, LEVELS, WORSE

from ..papers.pools import Array
from .calibrate import GAIN, MIN_SAFE_ACCURACY, TARGET_ERROR, Judged, score

N_BINS = 10
MIN_UNMARKED = 20  # labels without review, for the ratio of errors to the promise


def report(judged: Sequence[Judged], by_words: Sequence[Judged] = ()) -> dict[str, Any]:
    """All figures as plain values; means are over corpora of the mean over their tasks.

    `by_words`: the ordinary tasks without their second view, for the figures of words alone.
    """
    plain = [j for j in judged if j.record.kind == "plain"]
    traps = [j for j in judged if j.record.kind != "plain"]
    return {
        "tasks": len(plain),
        "corpora": [_corpus_row(name, [j for j in plain if j.record.corpus == name]) for name in _corpora(plain)],
        "answer": _answer(plain),
        "by_words": _by_words(by_words) if by_words else None,
        "members": _members(plain),
        "groups": _groups(plain),
        "estimates": {name: _estimates(plain, name) for name in ("balanced_accuracy", "accuracy")},
        "verdicts": _verdicts(plain),
        "member_verdicts": _member_verdicts(plain),
        "review": _review(plain),
        "calibration_curve": _calibration_curve(plain),
        "risk_coverage": _risk_coverage(plain),
        "proportions": _proportions(plain),
        "new_classes": _new_classes(plain, [j for j in traps if j.record.kind == "missing class"]),
        "traps": [_trap(j) for j in traps],
        "seconds": _mean(plain, lambda j: sum(j.record.predictions.seconds.values())),
    }


def _by_words(judged: Sequence[Judged]) -> dict[str, Any]:
    return {
        "answer": _answer(judged),
        "groups": _groups(judged),
        "estimates": _estimates(judged, "balanced_accuracy"),
    }


def _corpora(judged: Sequence[Judged]) -> list[str]:
    return sorted({j.record.corpus for j in judged})


def _mean(judged: Sequence[Judged], value: Callable[[Judged], float]) -> float:
    """Mean over corpora of the mean over their tasks; tasks with NaN are left out."""
    means = []
    for corpus in _corpora(judged):
        values = [v for j in judged if j.record.corpus == corpus and not np.isnan(v := float(value(j)))]
        if values:
            means.append(np.mean(values))
    return float(np.mean(means)) if means else float("nan")


def _source(j: Judged) -> Array:
    codes: Array = j.record.predictions.source_only.argmax(axis=1)
    return codes


def _accuracy(j: Judged, codes: Array) -> float:
    return float((codes == j.record.yt).mean())


def gains(j: Judged) -> tuple[float, float]:
    """Gain over SourceLR in accuracy and balanced accuracy."""
    return j.accuracy - _accuracy(j, _source(j)), j.balanced - score(j.record, _source(j))


def _corpus_row(name: str, judged: Sequence[Judged]) -> dict[str, Any]:
    both = np.array([gains(j) for j in judged])
    return {
        "corpus": name,
        "tasks": len(judged),
        "source_only": [
            float(np.mean([_accuracy(j, _source(j)) for j in judged])),
            float(np.mean([score(j.record, _source(j)) for j in judged])),
        ],
        "answer": [float(np.mean([j.accuracy for j in judged])), float(np.mean([j.balanced for j in judged]))],
        "worst": both.min(axis=0).tolist(),
        "estimate": float(np.mean([j.assessment.balanced_accuracy.mean for j in judged if j.assessment])),
        "levels": {
            level: sum(j.assessment is not None and j.assessment.level == level for j in judged) for level in LEVELS
        },
    }


def _answer(judged: Sequence[Judged]) -> dict[str, Any]:
    both = np.array([gains(j) for j in judged])
    named = (("accuracy", 0), ("balanced_accuracy", 1))
    return {
        name: {
            "source_only": _mean(judged, lambda j, i=i: (_accuracy(j, _source(j)), score(j.record, _source(j)))[i]),  # type: ignore[misc]
            "answer": _mean(judged, lambda j, i=i: (j.accuracy, j.balanced)[i]),  # type: ignore[misc]
            "gain": _mean(judged, lambda j, i=i: gains(j)[i]),  # type: ignore[misc]
            "worst": float(both[:, i].min()),
            "losing_2": _mean(judged, lambda j, i=i: float(gains(j)[i] < -0.02)),  # type: ignore[misc]
            "losing_5": _mean(judged, lambda j, i=i: float(gains(j)[i] < -0.05)),  # type: ignore[misc]
        }
        for name, i in named
    }


def _members(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """Gain of each member alone, and of the best one chosen with the true labels."""
    names = list(dict.fromkeys(name for j in judged for name in j.record.predictions.proba))

    def gain(j: Judged, name: str) -> tuple[float, float]:
        P = j.record.predictions.proba.get(name)
        codes = _source(j) if P is None else P.argmax(axis=1)
        return _accuracy(j, codes) - _accuracy(j, _source(j)), score(j.record, codes) - score(j.record, _source(j))

    rows = [
        {"member": n, "gain": [_mean(judged, lambda j, n=n, i=i: gain(j, n)[i]) for i in (0, 1)]}  # type: ignore[misc]
        for n in names
    ]
    best = [_mean(judged, lambda j, i=i: max(gain(j, n)[i] for n in names)) for i in (0, 1)]  # type: ignore[misc]
    return [*rows, {"member": "best, chosen with labels", "gain": best}]


def _groups(judged: Sequence[Judged]) -> dict[str, float]:
    names = sorted({j.record.group for j in judged} - {""})
    return {name: float(np.mean([j.accuracy for j in judged if j.record.group == name])) for name in names}


def _estimates(judged: Sequence[Judged], name: str) -> dict[str, float]:
    def truth(j: Judged) -> float:
        return j.balanced if name == "balanced_accuracy" else j.accuracy

    def inside(j: Judged) -> float:
        e = getattr(j.assessment, name)
        return float(e.low <= truth(j) <= e.high)

    conflict = [j for j in judged if j.signals.contradict]
    covered = {c: np.mean([inside(j) for j in judged if j.record.corpus == c]) for c in _corpora(judged)}
    return {
        "error": _mean(judged, lambda j: abs(getattr(j.assessment, name).mean - truth(j))),
        "coverage": _mean(judged, inside),
        "worst_corpus": float(min(covered.values())),
        "width": _mean(judged, lambda j: getattr(j.assessment, name).high - getattr(j.assessment, name).low),
        "conflicts": float(len(conflict)),
        "coverage_in_conflict": float(np.mean([inside(j) for j in conflict])) if conflict else 1.0,
    }


def _verdicts(judged: Sequence[Judged]) -> dict[str, Any]:
    def rows(level: str) -> list[Judged]:
        return [j for j in judged if j.assessment is not None and j.assessment.level == level]

    called = [j.assessment is not None and j.assessment.level == "safe" for j in judged if j.accuracy >= 0.85]
    return {
        **{
            level: {
                "answers": len(rows(level)),
                "accuracy": float(np.mean([j.accuracy for j in rows(level)])) if rows(level) else None,
                "lowest": float(min(j.accuracy for j in rows(level))) if rows(level) else None,
                "below_80": float(np.mean([j.accuracy < MIN_SAFE_ACCURACY for j in rows(level)]))
                if rows(level)
                else None,
            }
            for level in LEVELS
        },
        "good_called_safe": float(np.mean(called)) if called else None,
    }


def _member_verdicts(judged: Sequence[Judged]) -> dict[str, float]:
    rows = []
    for j in judged:
        base = score(j.record, _source(j))
        assert j.assessment is not None
        pairs = zip(j.record.predictions.codes.values(), j.assessment.members.levels, strict=True)
        rows += [(score(j.record, codes) - base, level, j.record.corpus) for codes, level in pairs][1:]
    gain, corpus = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
    better, worse = (np.array([row[1] == level for row in rows]) for level in (BETTER, WORSE))

    def share(mask: Array, hit: Array) -> float:
        names = np.unique(corpus[mask])
        return float(np.mean([hit[mask & (corpus == c)].mean() for c in names])) if len(names) else 0.0

    return {
        "better_called_worse": share(gain > GAIN, worse),
        "worse_called_better": share(gain < -GAIN, better),
        "called_better": float(better.mean()),
        "called_worse": float(worse.mean()),
        "better_is_right": float((gain[better] > 0).mean()) if better.any() else 1.0,
        "worse_is_right": float((gain[worse] < 0).mean()) if worse.any() else 1.0,
    }


def _review(judged: Sequence[Judged]) -> dict[str, float]:
    """Error among labels without review, divided by the promised error."""
    ratios, shares = [], []
    for j in judged:
        assert j.assessment is not None
        kept = ~j.assessment.review
        shares.append(kept.mean())
        if kept.sum() >= MIN_UNMARKED:
            ratios.append((j.codes != j.record.yt)[kept].mean() / TARGET_ERROR)
    return {
        "without_review": float(np.mean(shares)),
        "tasks": len(ratios),
        "mean_ratio": float(np.mean(ratios)) if ratios else 0.0,
        "worst_ratio": float(np.max(ratios)) if ratios else 0.0,
    }


def _calibration_curve(judged: Sequence[Judged]) -> list[dict[str, float]]:
    """Confidence and share of correct labels in ten bins, every task with weight one."""
    edges = np.linspace(0, 1, N_BINS + 1)
    sums = np.zeros((N_BINS, 3))
    for j in judged:
        assert j.assessment is not None
        p, correct = j.assessment.p_correct, j.codes == j.record.yt
        bins = np.clip(np.digitize(p, edges) - 1, 0, N_BINS - 1)
        for column, values in enumerate((np.ones(len(p)), p, correct)):
            sums[:, column] += np.bincount(bins, weights=values, minlength=N_BINS) / len(p)
    return [
        {"documents": float(n / sums[:, 0].sum()), "confidence": float(p / n), "correct": float(c / n)}
        for n, p, c in sums
        if n > 0
    ]


def _risk_coverage(judged: Sequence[Judged]) -> list[dict[str, float]]:
    """Mean error among the most confident documents."""
    return [
        {"coverage": coverage, "error": _mean(judged, lambda j, c=coverage: _error_at(j, c))}  # type: ignore[misc]
        for coverage in (0.2, 0.4, 0.6, 0.8, 1.0)
    ]


def _error_at(j: Judged, coverage: float) -> float:
    assert j.assessment is not None
    order = np.argsort(-j.assessment.p_correct, kind="stable")[: max(1, int(coverage * len(j.codes)))]
    return float((j.codes != j.record.yt)[order].mean())


def _proportions(judged: Sequence[Judged]) -> dict[str, float]:
    """How often the range contains the true proportions of all classes, if it is not called unknown."""
    known = [j for j in judged if j.assessment is not None and j.assessment.proportions.known]

    def inside(j: Judged) -> float:
        assert j.assessment is not None
        true = np.bincount(j.record.yt[j.record.known], minlength=j.record.n_classes) / max(j.record.known.sum(), 1)
        p = j.assessment.proportions
        return float(((true >= p.low - 0.02) & (true <= p.high + 0.02)).all())

    return {"known": len(known) / len(judged), "coverage": float(np.mean([inside(j) for j in known])) if known else 0.0}


def _new_classes(complete: Sequence[Judged], incomplete: Sequence[Judged]) -> dict[str, Any]:
    """Documents marked as those of no class; `incomplete`: tasks with a class that the source lacks."""

    def marked(j: Judged) -> Array:
        assert j.assessment is not None
        return np.asarray(j.assessment.groups != NOT_MARKED)

    def mean(judged: Sequence[Judged], value: Callable[[Judged], float]) -> float | None:
        result = _mean(judged, value)
        return None if np.isnan(result) else result

    def row(judged: Sequence[Judged]) -> dict[str, Any]:
        return {
            "tasks": len(judged),
            "found": mean(judged, lambda j: marked(j)[~j.record.known].mean()),
            "precision": mean(judged, lambda j: (~j.record.known)[marked(j)].mean() if marked(j).any() else np.nan),
            "detected": mean(judged, lambda j: float(marked(j).any())),
        }

    return {
        "false_alarms": _mean(complete, lambda j: float(marked(j).any())),
        **row(incomplete),
        "corpora": {name: row([j for j in incomplete if j.record.corpus == name]) for name in _corpora(incomplete)},
    }


def _trap(j: Judged) -> dict[str, Any]:
    assert j.assessment is not None
    return {
        "task": j.record.name,
        "kind": j.record.kind,
        "accuracy": j.accuracy,
        "level": j.assessment.level,
        "estimate": j.assessment.balanced_accuracy.mean,
        "facts": [fact.name for fact in j.assessment.facts],
    }
