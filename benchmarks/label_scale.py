"""Time and peak memory of `labelferry label` and `apply` from file to file, by size: python -m benchmarks.label_scale.

    python -m benchmarks.label_scale [--sizes 50000 200000] [--formats csv parquet] [--method emnaivebayes]
                                     [--commands label dask apply] [--judge full] [--checkout FOLDER]
                                     [--folder FOLDER]

Tickets are generated: about 60 words of a Zipf distribution over 100,000 words, five classes that prefer some words,
and two domains that prefer others. There is one labelled ticket per ten new ones. Memory is the sum of the resident
sets of all processes, measured every 50 ms: pages that processes share count several times. Below each run are the
seconds and the peak of each stage. `--checkout` runs the code of another folder, to compare two versions.

The command `dask` is `label --dask local`; after `label` and `dask`, the values that differ between their outputs are
counted, column by column:

    python -m benchmarks.label_scale --sizes 500000 --formats parquet --commands label dask

`--judge small`, the default, measures the path of the texts: the panel that the labels are compared with has two naive
Bayes classifiers, and the new documents are not compared with each other. With `--judge full` the command runs as it
is.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO

import numpy as np
import psutil

from labelferry.tables import read_table

N_WORDS, N_CLASSES, LENGTH = 100_000, 5, 60
OF_CLASS, OF_DOMAIN = 3.0, 1.6  # how much more frequent a word is in the class, or in the domain, that prefers it
SYLLABLES = [a + b for a in "bcdfghklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "il")]
ROWS = 1000  # tickets per block
EVERY = 0.05  # seconds between two measurements
SMALL_JUDGE = """
import runpy, sys
import numpy as np
from labelferry.assessment.assessment import PanelPredictions
from labelferry.assessment.facts import TargetFacts
from labelferry.baselines import EMNaiveBayes, SourceNB
from labelferry.ensemble import assessed_fit

def fit_panel(domains, *args):
    members = {"SourceLR": SourceNB(), "EMNaiveBayes(smoothing=1)": EMNaiveBayes(smoothing=1.0)}
    proba = {name: np.asarray(e.fit_domains(domains).transduction_proba_) for name, e in members.items()}
    codes = domains.labelled()[1]
    return PanelPredictions(proba, dict.fromkeys(proba, 0.0), np.zeros((0, domains.n_classes)), codes)

def target_facts(domains, *args):
    codes, one = domains.labelled()[1], np.ones(1)
    n = sum(domain.X.shape[0] for domain in domains.targets)
    return TargetFacts(len(codes), n, int(np.bincount(codes).min()), 1.0, 1.0, 0.0, to_source=one, to_target=one)

assessed_fit.fit_panel, assessed_fit.target_facts = fit_panel, target_facts
assessed_fit.panel_stages = lambda domains: []
sys.argv = ["labelferry", *sys.argv[1:]]
runpy.run_module("labelferry", run_name="__main__")
"""


def word(number: int) -> str:
    """The word of this rank: two syllables for the frequent ones, three for the others.

    >>> word(0), word(99_999)
    ('baba', 'vuhicu')
    """
    first, rest = number % len(SYLLABLES), number // len(SYLLABLES)
    syllables = [SYLLABLES[first], SYLLABLES[rest % len(SYLLABLES)]]
    if rest >= len(SYLLABLES):
        syllables.append(SYLLABLES[rest // len(SYLLABLES)])
    return "".join(reversed(syllables))


def write_tickets(path: Path, n: int, domain: int, *, labelled: bool) -> None:
    """Write a CSV file of tickets: id, queue, text and, if labelled, label."""
    words = np.array([word(i) for i in range(N_WORDS)])
    fixed = np.random.default_rng(0)
    preferred, domains = fixed.integers(N_CLASSES, size=N_WORDS), fixed.integers(4, size=N_WORDS)
    share = 1 / np.arange(10, N_WORDS + 10) ** 1.05 * np.where(domains == domain, OF_DOMAIN, 1)
    cumulated = [np.cumsum(share * np.where(preferred == c, OF_CLASS, 1)) for c in range(N_CLASSES)]
    rng = np.random.default_rng(domain + 1)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["id", "queue", "text", "label"][: 3 + labelled])
        for start in range(0, n, ROWS):
            for i in range(start, min(start + ROWS, n)):
                c = int(rng.integers(N_CLASSES))
                drawn = rng.random(max(5, rng.poisson(LENGTH))) * cumulated[c][-1]
                text = " ".join(words[np.searchsorted(cumulated[c], drawn)])
                out.writerow([i, f"queue {i % 7}", text, f"class {c}"][: 3 + labelled])


def make_files(folder: Path, n: int, suffix: str) -> tuple[Path, Path]:
    """The labelled and the new tickets; files that exist already are used again."""
    paths = []
    for name, size, domain in (("old", n // 10, 0), ("new", n, 1)):
        path = folder / f"{name}{n}.csv"
        if not path.exists():
            draft = path.with_suffix(".part")
            write_tickets(draft, size, domain, labelled=name == "old")
            draft.rename(path)
        if suffix == "parquet":
            from pyarrow import csv as arrow_csv
            from pyarrow import parquet

            parquet.write_table(arrow_csv.read_csv(path), path.with_suffix(".parquet"))
        paths.append(path.with_suffix(f".{suffix}"))
    return paths[0], paths[1]


class Run:
    """A command that is running: its stages, and the peak memory of all its processes in each of them."""

    def __init__(self, checkout: Path, arguments: list[str], judge: str) -> None:
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
        self.peaks: dict[str, list[float]] = {"start": [0.0, 0.0]}  # GB and seconds per stage
        self.own = self.of_workers = 0.0  # peaks in GB
        self.stage = "start"
        self.last = ""
        self.process = subprocess.Popen(
            [sys.executable, *(["-c", SMALL_JUDGE] if judge == "small" else ["-m", "labelferry"]), *arguments],
            env={**os.environ, **threads, "PYTHONPATH": str(checkout.resolve() / "src")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def measure(self) -> tuple[float, float, float]:
        """Wait for the end; return seconds, CPU seconds of all processes, and GB."""
        assert self.process.stderr is not None
        reader = threading.Thread(target=self.follow, args=[self.process.stderr])
        reader.start()
        began = last = time.perf_counter()
        used = cpu_seconds()
        while self.process.poll() is None:
            time.sleep(EVERY)
            now = time.perf_counter()
            stage = self.peaks[self.stage]
            own, of_workers = memory(self.process.pid)
            self.own, self.of_workers = max(self.own, own), max(self.of_workers, of_workers)
            stage[0] = max(stage[0], own + of_workers)
            stage[1] += now - last
            last = now
        reader.join()
        if self.process.returncode:
            raise RuntimeError(f"code {self.process.returncode}: {self.last}")
        peak = max(gigabytes for gigabytes, _ in self.peaks.values())
        return time.perf_counter() - began, cpu_seconds() - used, peak

    def follow(self, lines: IO[str]) -> None:
        """Read the names of the stages from standard error."""
        for line in lines:
            self.last = line.strip()
            if line.startswith("labelferry: "):
                stage = line.removeprefix("labelferry: ").partition(" (")[0].strip()
                self.peaks.setdefault(stage, [0.0, 0.0])
                self.stage = stage


def cpu_seconds() -> float:
    """CPU seconds of all processes that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def memory(pid: int) -> tuple[float, float]:
    """GB of a process, and of all its children together."""
    found = []
    try:
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            found.append(one.memory_info().rss / 1e9)
    except psutil.NoSuchProcess:
        pass
    return sum(found[:1]), sum(found[1:])


def differences(first: Path, second: Path) -> str:
    """The columns in which two files have different values, and in how many rows."""
    columns, others = (read_table(path).columns for path in (first, second))
    assert list(columns) == list(others), "the columns are not the same"
    n = {name: sum(a != b for a, b in zip(columns[name], others[name], strict=True)) for name in columns}
    return ", ".join(f"{name} {count:,}" for name, count in n.items() if count) or "none"


def main() -> None:
    """Print one line per run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[50_000, 200_000, 500_000])
    parser.add_argument("--formats", nargs="+", default=["csv", "parquet"])
    parser.add_argument("--commands", nargs="+", default=["label", "apply"])
    parser.add_argument("--method", default="emnaivebayes")
    parser.add_argument("--judge", choices=["small", "full"], default="small")
    parser.add_argument("--checkout", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("more", nargs="*", help="further options of `labelferry label`, after --")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        heading = f"{'command':8} {'format':8} {'new rows':>9} {'input MB':>9} {'seconds':>8} {'CPU s':>7}"
        print(f"{heading} {'peak GB':>8} {'own':>6} {'workers':>8}", flush=True)
        for n in given.sizes:
            for suffix in given.formats:
                old, new = make_files(folder, n, suffix)
                outputs = {name: folder / f"{name}.{suffix}" for name in given.commands}
                model = folder / "model.npz"
                label = ["label", str(old), str(new), "--method", given.method, *given.more]
                save = ["--save", str(model)] if "apply" in given.commands else []
                commands = {
                    "label": [*label, *save],
                    "dask": [*label, "--dask", "local"],
                    "apply": ["apply", str(model), str(new)],
                }
                for name in given.commands:
                    run = Run(given.checkout, [*commands[name], "-o", str(outputs[name])], given.judge)
                    seconds, cpu, peak = run.measure()
                    size = sum(path.stat().st_size for path in (old, new)) / 1e6
                    line = f"{name:8} {suffix:8} {n:9,} {size:9.0f} {seconds:8.0f} {cpu:7.0f} {peak:8.2f}"
                    print(f"{line} {run.own:6.2f} {run.of_workers:8.2f}", flush=True)
                    stages = "; ".join(f"{stage} {s:.0f} s {gb:.2f} GB" for stage, (gb, s) in run.peaks.items())
                    print(f"         {stages}", flush=True)
                if {"label", "dask"} <= set(given.commands):
                    print(f"         differences: {differences(outputs['label'], outputs['dask'])}", flush=True)


if __name__ == "__main__":
    main()
