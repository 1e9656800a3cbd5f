"""Run the parameter studies: the mean over tasks and seeds for every curve and every value of the axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .best import best_rivals
from .kept import recorded
from .output import study_csv, write_json_and_csv
from .run import Begin, Cell, Done, Record, cells, ignore, run
from .studies import Study, studies
from .tabulate import recorded_table
from .tasks import table_of

FIELDS = ("source", "title", "axis", "measure", "log", "remark", "finding")


def measure_study(
    name: str,
    folder: Path,
    *,
    n_seeds: int | None = None,
    jobs: int = 1,
    begin: Begin = ignore,
    done: Done = ignore,
) -> dict[str, Any]:
    """Run the cells that `folder` has no record of, and write the numbers of the study there as .csv and .json.

    Parameters
    ----------
    name : str
        Name of the study.
    folder : Path
        Folder of records and results.
    n_seeds : int, default=None
        Number of seeds; None for one, as on the page of results.
    jobs : int, default=1
        Number of parallel processes; -1 uses all cores.
    begin : callable
        Called once with the number of cells.
    done : callable
        Called with each record when it is available.

    Returns
    -------
    study : dict
        Plain values: mean and standard deviation over tasks and seeds, one point per curve and value.
    """
    study = studies()[name]
    wanted = _cells_of(study, n_seeds or 1)
    every = dict.fromkeys(cell for group in wanted.values() for cell in group)
    begin(len(every))
    found, failures = run(list(every), folder / f"{name}.jsonl", jobs=jobs, done=done)
    if failures:
        raise ValueError(f"{failures[0].cell.task}, {failures[0].cell.method}: {failures[0].error}")
    records = dict(zip(every, found, strict=True))
    points = {key: [records[cell] for cell in group] for key, group in wanted.items()}
    result = _as_values(study, points, folder)
    write_json_and_csv(name, folder, result, study_csv(result))
    return result


def recorded_study(name: str, folder: Path) -> dict[str, Any] | None:
    """Make a study from its records, without running anything.

    Returns as `measure_study`, with the curves that have all values; None if there are none.
    """
    study = studies()[name]
    records = study_records(name, folder)
    wanted = _cells_of(study)
    points = {key: [records[cell] for cell in group] for key, group in wanted.items() if set(group) <= set(records)}
    complete = tuple(curve for curve in study.curves if all((curve.label, x) in points for x in study.values))
    return _as_values(study._replace(curves=complete), points, folder) if complete else None


def study_records(name: str, folder: Path) -> dict[Cell, Record]:
    """The records of a study on the page of results."""
    study = studies()[name]
    every = [cell for group in _cells_of(study).values() for cell in group]
    return recorded(every, folder / f"{name}.jsonl")


def _as_values(study: Study, points: Mapping[tuple[str, float], Sequence[Record]], folder: Path) -> dict[str, Any]:
    """Plain values of a study; the records of each curve and value of the axis are in `points`."""
    rivals = best_rivals(table_of(study.rivals), recorded_table(study.rivals, folder)) if study.rivals else {}
    return {
        **{field: getattr(study, field) for field in FIELDS},
        "values": list(study.values),
        "curves": [
            {
                "label": curve.label,
                "method": curve.method,
                "tasks": len(curve.tasks),
                "rival": rivals.get(curve.label),
                "points": [_point(points[curve.label, x], study.measure) for x in study.values],
            }
            for curve in study.curves
        ],
    }


def _cells_of(study: Study, n_seeds: int = 1) -> dict[tuple[str, float], list[Cell]]:
    """The cells of each curve and value of the axis."""
    return {
        (curve.label, x): cells([task.format(x=x) for task in curve.tasks], [curve.method.format(x=x)], n_seeds)
        for curve in study.curves
        for x in study.values
    }


def _point(records: Sequence[Record], measure: str) -> dict[str, float]:
    scores = np.array([record["score"] for record in records])
    values = 1 - scores if measure == "error" else scores
    return {"mean": float(values.mean()), "sd": float(values.std(ddof=1)) if len(values) > 1 else 0.0, "n": len(values)}
