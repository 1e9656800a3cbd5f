"""Run the trust bench: fit what has no record, then judge every task with coefficients from other corpora.

These are fitted without the corpus of the task, or they are those of this version, which has not seen new corpora.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from joblib import delayed

from labelferry.assessment.calibration import Calibration, load_calibration
from labelferry.files import write_text
from labelferry.processes import parallel

from .calibrate import Judged, calibrate, judge_task, prepare
from .records import Record, fit_task, path_of, read_records, write_record
from .report import report
from .tasks import TrustTask, all_tasks


def run_trust(
    folder: Path,
    *,
    corpora: Sequence[str] | None = None,
    as_shipped: bool = False,
    jobs: int = 1,
    show: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Run the bench.

    `corpora`: "newsgroups", "reuters", "amazon", and corpora with domains (names or files). None: all on this
    machine.
    `as_shipped`: whether to judge by the coefficients of this version; all corpora must be new to it.
    """
    if not as_shipped:
        return report(*_calibrate(folder, corpora, jobs, show)[1:])
    tasks, shipped = all_tasks(corpora), load_calibration()
    if seen := sorted({task.corpus for task in tasks} & {*shipped.corpora}):
        raise ValueError(
            f"the coefficients of this version were fitted on {', '.join(seen)}: figures on corpora that a fit has "
            "seen are too good. Pass new corpora (--corpus), or omit as_shipped (--as-shipped)."
        )
    return report([judge_task(prepare(record), shipped) for record in _records(tasks, folder, jobs, show)])


def run_calibration(
    folder: Path,
    file: Path,
    *,
    corpora: Sequence[str] | None = None,
    jobs: int = 1,
    show: Callable[[str], None] = lambda _: None,
) -> Calibration:
    """Fit all coefficients and write them to a file; the parameters are those of `run_trust`."""
    calibration, *judged = _calibrate(folder, corpora, jobs, show)
    figures = report(*judged)
    kept = {
        name: figures[name]
        for name in (
            "tasks",
            "answer",
            "by_words",
            "groups",
            "estimates",
            "verdicts",
            "member_verdicts",
            "review",
            "new_classes",
        )
    }
    calibration = calibration._replace(report=rounded(kept))
    write_text(file, json.dumps(rounded(calibration.as_dict()), indent=1) + "\n")
    return calibration


def _calibrate(
    folder: Path, corpora: Sequence[str] | None, jobs: int, show: Callable[[str], None]
) -> tuple[Calibration, list[Judged], list[Judged]]:
    records = _records(all_tasks(corpora), folder, jobs, show)
    if len({record.corpus for record in records}) < 3:
        raise ValueError(
            "at least three corpora are needed: one to test, two to fit. Pass more with --corpus, or judge new corpora "
            "by the coefficients of this version with --as-shipped."
        )
    return calibrate(records)


def _records(tasks: Sequence[TrustTask], folder: Path, jobs: int, show: Callable[[str], None]) -> list[Record]:
    folder.mkdir(parents=True, exist_ok=True)
    missing = [task for task in tasks if not path_of(task, folder).is_file()]
    show(f"{len(tasks)} tasks, {len(missing)} to fit")
    for record in parallel(n_jobs=jobs, return_as="generator_unordered")(delayed(_fit)(t, folder) for t in missing):
        show(f"{record.name}: {sum(record.predictions.seconds.values()):.1f} s")
    show("judging")
    return read_records(tasks, folder)


def _fit(task: TrustTask, folder: Path) -> Record:
    record = fit_task(task)
    write_record(record, path_of(task, folder))
    return record


def rounded(value: Any) -> Any:
    """The same plain values with five digits."""
    if isinstance(value, dict):
        return {name: rounded(v) for name, v in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(v) for v in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
