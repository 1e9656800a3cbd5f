"""Estimates and verdicts on labels that are matched to given class proportions: python -m benchmarks.given_proportions.

    python -m benchmarks.given_proportions [FOLDER]      FOLDER: that of `labelferry bench trust` (default bench)

The answers of the trust bench are matched to the true class proportions of each target, of which a part is replaced by
proportions that are drawn without looking at it. Each answer is assessed with the members of the panel as they are, as
AutoTransfer does, and with members that are matched too. Coefficients are those of this version, which have seen the
corpora: compare the rows with each other only.

    drawn part   members      error of the estimate   safe   safe and below 80%   lowest safe
    0            as they are                    .063     18                     0          .886
    0            matched                        .063     20                     0          .886
    .25          as they are                    .070     11                     0          .849
    .25          matched                        .070     16                     0          .814
    .5           as they are                    .066      6                     0          .834
    .5           matched                        .072      8                     1          .795
    1            as they are                    .069      1                     0          .920
    1            matched                        .099      4                     2          .681

Members that are matched to wrong proportions agree with an answer that is matched to them: the estimate does not fall,
and wrong answers are called safe. With members as they are, wrong proportions lower the estimate. The price: fewer
answers with true proportions are called safe.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from labelferry.assessment.assessment import Assessment, PanelPredictions, assess
from labelferry.assessment.calibration import load_calibration
from labelferry.assessment.proportions import Prior
from labelferry.core.proportions import match_label_proportions
from labelferry.ensemble.pool import load_coefficients
from labelferry_bench.trust.calibrate import answer_task, prepare, score
from labelferry_bench.trust.records import Record, read_records
from labelferry_bench.trust.tasks import PLAIN, all_tasks


def true_proportions(record: Record) -> Any:
    """Proportions of the classes that the source has, none of them zero."""
    shares = np.maximum(np.bincount(record.yt[record.known], minlength=record.n_classes) / record.known.sum(), 1e-3)
    return shares / shares.sum()


def given_proportions(record: Record, wrong: float) -> Any:
    """The true proportions, with a part that is drawn without looking at the target."""
    drawn = np.random.default_rng(crc32(record.name.encode())).dirichlet(np.ones(record.n_classes))
    return (1 - wrong) * true_proportions(record) + wrong * np.maximum(drawn, 1e-3) / np.maximum(drawn, 1e-3).sum()


def matched(predictions: PanelPredictions, shares: Any) -> PanelPredictions:
    """The predictions, each matched to the proportions."""
    return predictions._replace(
        proba={name: match_label_proportions(P, shares) for name, P in predictions.proba.items()}
    )


def judge(record: Record, P: Any, predictions: PanelPredictions, shares: Any) -> Assessment:
    """The assessment of the answer P, which is matched to the proportions."""
    return assess(
        P,
        predictions,
        record.facts,
        classes=[str(c) for c in range(record.n_classes)],
        weights={},
        target_error=0.05,
        calibration=load_calibration(),
        prior=Prior(shares, "given"),
    )


def main(folder: str = "bench") -> None:
    """Print a row per kind of proportions and of members."""
    records = [r for r in read_records(all_tasks(), Path(folder) / "trust") if r.kind == PLAIN]
    answers = [answer_task(prepare(record), load_coefficients()).answer.proba for record in records]
    for wrong in (0.0, 0.25, 0.5, 1.0):
        for members in ("as they are", "matched"):
            errors: dict[str, list[float]] = {}
            safe = []
            for record, answer in zip(records, answers, strict=True):
                shares = given_proportions(record, wrong)
                P, p = match_label_proportions(answer, shares), record.predictions
                assessment = judge(record, P, matched(p, shares) if members == "matched" else p, shares)
                codes = P.argmax(axis=1)
                error = abs(assessment.balanced_accuracy.mean - score(record, codes))
                errors.setdefault(record.corpus, []).append(error)
                if assessment.level == "safe":
                    safe.append(float((codes == record.yt).mean()))
            error = np.mean([np.mean(values) for values in errors.values()])
            low = f"{min(safe):.3f}" if safe else ""
            print(
                f"{wrong:4.2f} {members:12} {error:.3f} {len(safe):4} {sum(a < 0.8 for a in safe):4} {low}", flush=True
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
