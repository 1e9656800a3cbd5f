"""Records of the trust bench: one file per task with the predictions of all members, so that answers and judges can be
compared without fitting again. A run that was stopped continues with the missing tasks.

The name of a file contains a checksum of the task and of the settings of the panel, so that stale records are not read.
Raise VERSION for changes of the code that the settings do not show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from labelferry.assessment.assessment import PanelPredictions, WithView
from labelferry.assessment.facts import TargetFacts, target_facts
from labelferry.core.domains import Domains
from labelferry.ensemble.panel import fit_panel, panel_settings
from labelferry.files import atomic_write, user_cache
from labelferry.text import embed_texts, find_encoder

from ..papers.pools import Array
from .tasks import TaskData, TrustTask

VERSION = 8
VIEW = "wordllama"  # the second view of tasks with texts: the default that everybody can install


@dataclass(frozen=True)
class Record:
    """One task, fitted: everything that the answer and its assessment need, and the true labels for scoring."""

    name: str
    corpus: str
    kind: str
    group: str
    predictions: PanelPredictions
    facts: TargetFacts
    yt: Array  # the number of classes for a class that the source lacks

    @property
    def n_classes(self) -> int:
        return int(self.predictions.source_only.shape[1])

    @property
    def known(self) -> Array:
        """True for documents of classes that the source has."""
        return np.less(self.yt, self.n_classes)


def fit_task(task: TrustTask) -> Record:
    """Fit the panel on a task."""
    data = task.load()
    domains = as_domains(data)
    predictions = fit_panel(domains, seed=0, second_view=view_of(data))
    return Record(task.name, task.corpus, task.kind, task.group, predictions, target_facts(domains), data.yt)


def view_of(data: TaskData, model: str = VIEW) -> Array | None:
    """Vectors of the documents in the order of `as_domains`; None without texts."""
    if data.texts is None:
        return None
    sources = [np.flatnonzero(data.source_of == s) for s in np.unique(data.source_of)]
    rows = np.concatenate([*sources, np.arange(len(data.ys), len(data.texts))])
    vectors = embed_texts(data.texts, find_encoder(model), cache=user_cache() / "embeddings")
    return np.asarray(vectors[rows])


def as_domains(data: TaskData) -> Domains:
    """The sources and the target of a task; the codes are the labels."""
    sources = [
        (f"source {s}", data.Xs[data.source_of == s], data.ys[data.source_of == s]) for s in np.unique(data.source_of)
    ]
    return Domains.from_blocks(sources, ("target", data.Xt), estimator="trust bench")


def path_of(task: TrustTask, folder: Path) -> Path:
    """The file of a task: its name in plain letters, and a checksum of the task, of its file and of the panel."""
    file = Path(task.data)
    changed = f" {file.stat().st_size} {file.stat().st_mtime_ns}" if file.is_file() else ""
    checksum = crc32(f"{VERSION} {task!r} {panel_settings(0)!r}{changed}".encode())
    return folder / f"{re.sub(r'[^A-Za-z0-9]+', '_', task.name)[:80]}_{checksum:08x}.npz"


def write_record(record: Record, path: Path) -> None:
    """Write a record; the file is complete or not there at all."""
    predictions = record.predictions
    meta = {
        "name": record.name,
        "corpus": record.corpus,
        "kind": record.kind,
        "group": record.group,
        "members": list(predictions.proba),
        "seconds": predictions.seconds,
        "view_weight": predictions.view_weight,  # None without a second view
        "views": predictions.with_view.agreement if predictions.with_view is not None else None,
        "facts": record.facts.as_dict(),
    }
    arrays: dict[str, Any] = {f"member{i}": P.astype(np.float32) for i, P in enumerate(predictions.proba.values())}
    arrays |= {"held_out": predictions.held_out.astype(np.float32), "codes": predictions.source_codes, "yt": record.yt}
    if (view := predictions.with_view) is not None:
        arrays |= {"view": view.proba.astype(np.float32), "view_held_out": view.held_out.astype(np.float32)}
    arrays |= {f"facts_{name}": values for name, values in record.facts.arrays().items()}
    with atomic_write(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, meta=np.array(json.dumps(meta)), **arrays)


def read_record(path: Path) -> Record:
    """Read a record."""
    with np.load(path, allow_pickle=False) as file:
        meta = json.loads(str(file["meta"]))
        proba = {name: file[f"member{i}"].astype(np.float64) for i, name in enumerate(meta["members"])}
        facts = TargetFacts.from_arrays(meta["facts"], {k[6:]: file[k] for k in file.files if k.startswith("facts_")})
        held_out, codes, yt = file["held_out"].astype(np.float64), file["codes"], file["yt"]
        view = None
        if meta["view_weight"] is not None:
            P, held_out_view = (file[name].astype(np.float64) for name in ("view", "view_held_out"))
            view = WithView(meta["view_weight"], P, held_out_view, meta["views"])
    predictions = PanelPredictions(proba, meta["seconds"], held_out, codes, view)
    return Record(meta["name"], meta["corpus"], meta["kind"], meta["group"], predictions, facts, yt)


def read_records(tasks: Iterable[TrustTask], folder: Path) -> list[Record]:
    """The records of all tasks that have one."""
    return [read_record(path) for task in tasks if (path := path_of(task, folder)).is_file()]
