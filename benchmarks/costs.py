"""Seconds of every method and every stage of `label`, as a function of the size of the task; writes `core/costs.json`.

    python -m benchmarks.costs [RECORDS]
    python -m benchmarks.costs --stages      only the stages of `label`, two minutes; the methods stay as they are

The tasks are parts of 20 Newsgroups: documents of the same groups from the older and the newer half of the corpus. The
stages are also measured on half of the corpus and on 20,160 short made-up tickets. The seconds are those of the
processor, with one thread, so that other work on the machine hardly changes them. Per stage

    log seconds = log s + b log(entries / 100,000) + c log(classes / 2)                                              (1)

is fitted by least squares with b and c from 0 to 2; entries are the values other than 0 in the matrices of all
documents. Methods that need more than LIMIT seconds are not measured on larger tasks. RECORDS, a JSON lines file,
contains the measured seconds; measurements that it contains are not repeated.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

import labelferry
from labelferry.core import costs
from labelferry.core.domains import Domains
from labelferry.core.progress import listen
from labelferry.core.registry import estimators
from labelferry.text import strip_headers
from labelferry_bench.datasets import load_newsgroups

SIZES = ((300, 2), (300, 10), (1000, 3), (2000, 2), (2000, 10))  # documents per domain, and classes
LARGE = (10_000, 10)  # half of the corpus, for the stages only
TICKETS = 28  # times the tickets of the demo, for the stages only
LIMIT = 30.0
AROUND = ("reading", "counting words", "finding evidence", "writing")  # stages that do not depend on the method
SIZE = ("entries", "classes", "documents")  # fields of a record
RECORDS = "build/costs.jsonl"


class Seconds:
    """A listener that measures the stages."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, float]] = []

    def expect(self, *_: Any) -> None:
        """Ignore what is expected."""

    def size(self, *_: Any) -> None:
        """Ignore the size."""

    def step(self, *_: Any) -> None:
        """Ignore shares of a stage."""

    def begin(self, stage: str) -> None:
        """Note when the stage begins."""
        self.stages.append((stage, time.process_time()))

    def seconds(self) -> dict[str, float]:
        """Seconds per stage; a stage that was announced again counts once more."""
        ends = [began for _, began in self.stages[1:]] + [time.process_time()]
        total: dict[str, float] = {}
        for (stage, began), end in zip(self.stages, ends, strict=True):
            total[stage] = total.get(stage, 0) + end - began
        return total


def texts_of(n_documents: int, n_classes: int) -> tuple[list[str], list[str], list[str]]:
    """Texts and labels of the source, and texts of the target."""
    corpus = load_newsgroups()
    groups, splits = corpus.fields["group"], corpus.fields["split"]
    chosen = np.isin(groups, np.unique(groups)[:: 20 // n_classes][:n_classes])
    rng = np.random.default_rng(0)
    source, target = (rng.permutation(np.flatnonzero(chosen & (splits == s)))[:n_documents] for s in ("train", "test"))
    texts = [strip_headers(text) for text in corpus.texts]
    return [texts[i] for i in source], groups[source].tolist(), [texts[i] for i in target]


def measure_stages(
    n_documents: int, n_classes: int, texts: tuple[list[str], list[str], list[str]] | None = None
) -> tuple[Domains, list[dict[str, Any]]]:
    """The documents of a task, and the seconds of each stage of `label`."""
    source, labels, target = texts_of(n_documents, n_classes) if texts is None else texts
    seconds = Seconds()
    with listen(seconds):
        result = labelferry.label(source, target, label=labels, skip_bad=True)
        seconds.begin("writing")
        with TemporaryDirectory() as folder:
            result.write(Path(folder) / "out.csv")
    domains: Domains = result.domains
    size = dict(zip(SIZE, (domains.n_entries, n_classes, n_documents), strict=True))
    stages = seconds.seconds().items()
    return domains, [{"kind": "stages", "name": stage, "seconds": value, **size} for stage, value in stages]


def measure(known: dict[tuple[Any, ...], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Measure what is not known."""
    too_slow: set[str] = set()
    for n_documents, n_classes in SIZES:
        if all(("methods", name, n_documents, n_classes) in known for name in estimators()):
            yield from (r for k, r in known.items() if k[2:] == (n_documents, n_classes))
            continue
        domains, stages = measure_stages(n_documents, n_classes)
        yield from stages
        size = {field: stages[0][field] for field in SIZE}
        auto = sum(record["seconds"] for record in stages if record["name"] not in AROUND)
        yield {"kind": "methods", "name": "AutoTransfer", "seconds": auto, **size}
        for name, cls in estimators().items():
            if name == "AutoTransfer" or name in too_slow:
                continue
            record = known.get(("methods", name, n_documents, n_classes))
            if record is None:
                estimator = cls()
                began = time.process_time()
                estimator.fit_domains(domains)
                record = {"kind": "methods", "name": name, "seconds": time.process_time() - began, **size}
            yield record
            if record["seconds"] > LIMIT:
                too_slow.add(name)


def key(record: dict[str, Any]) -> tuple[Any, ...]:
    """What identifies a measurement."""
    return record["kind"], record["name"], record["documents"], record["classes"]


def fit(records: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Fit (1) per name: s, b and c."""
    table = {}
    for name in dict.fromkeys(record["name"] for record in records):
        own = [record for record in records if record["name"] == name]
        A = np.array([[1, np.log(r["entries"] / costs.ENTRIES), np.log(r["classes"] / costs.CLASSES)] for r in own])
        y = np.log([max(r["seconds"], 1e-3) for r in own])
        log_s, b, c = lsq_linear(A, y, bounds=([-np.inf, 0, 0], [np.inf, 2, 2])).x
        table[name] = [float(f"{value:.3g}") for value in (np.exp(log_s), b, c)]
    return dict(sorted(table.items()))


def main(path: Path) -> None:
    """Measure, fit and write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text().splitlines() if path.exists() else []
    known = {key(record): record for record in map(json.loads, lines)}
    with path.open("a") as file:
        for record in measure(dict(known)):
            if key(record) not in known:
                file.write(json.dumps(record) + "\n")
                file.flush()
                known[key(record)] = record
            print(f"{record['name']:35s} {record['documents']:5d} {record['classes']:3d} {record['seconds']:8.2f} s")
    tables = {kind: fit([r for r in known.values() if r["kind"] == kind]) for kind in ("methods", "stages")}
    costs.PATH.write_text(json.dumps(tables, indent=1) + "\n")


def main_stages() -> None:
    """Measure the stages, fit and write."""
    tables = json.loads(costs.PATH.read_text())
    records = [record for size in (*SIZES, LARGE) for record in measure_stages(*size)[1]]
    demo = labelferry.load_demo(times=TICKETS)
    texts = list(demo.texts_source), list(demo.y_source), list(demo.texts_target)
    records += measure_stages(len(demo.texts_target), len(set(demo.y_source)), texts)[1]
    tables["stages"] = fit(records)
    costs.PATH.write_text(json.dumps(tables, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--stages"]:
        main_stages()
    else:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else RECORDS))
