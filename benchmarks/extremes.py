"""Time and memory of extreme inputs: python -m benchmarks.extremes [CASE ...].

Every line is one run of `labelferry label` in a process of its own, with at most 8 GB and 600 seconds of
processor time. An input must be labelled within these limits, or refused in one line that names the way out. Without
CASE, all of them.
"""

from __future__ import annotations

import csv
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labelferry import load_demo

GB, SECONDS = 1e9, 600
MAX_BYTES = int(8 * GB)
RNG = np.random.default_rng(0)


class Case(NamedTuple):
    """Files to label: the sources, and the new documents."""

    write: Callable[[Path], list[Path]]
    methods: tuple[str, ...]


def write_csv(path: Path, rows: Iterable[tuple[str, ...]], *header: str) -> Path:
    """Write a table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def labelled(path: Path, texts: Iterable[str], labels: Iterable[str]) -> Path:
    """Write documents with labels."""
    return write_csv(path, zip(texts, labels, strict=True), "text", "label")


def new(path: Path, texts: Iterable[str]) -> Path:
    """Write documents without labels; the number of a row shows that none is lost."""
    return write_csv(path, ((str(i), text) for i, text in enumerate(texts)), "id", "text")


def demo_source(folder: Path) -> Path:
    """The labelled tickets of the demo."""
    demo = load_demo()
    return labelled(folder / "old.csv", demo.texts_source, demo.y_source.tolist())


def word(number: int, prefix: str) -> str:
    """A word of letters only: words with digits are not counted."""
    return prefix + "".join(chr(97 + number // 26**power % 26) for power in range(5))


def classes(n_classes: int, n_each: int = 3, n_new: int = 2_000) -> Callable[[Path], list[Path]]:
    """Documents of many classes: four words of the class, and ten of all classes."""

    def text(c: int) -> str:
        own = [word(c, f"own{letter}") for letter in "abcd"]
        return " ".join([*own, *(word(int(j), "common") for j in RNG.integers(2_000, size=10))])

    def write(folder: Path) -> list[Path]:
        codes = [c for c in range(n_classes) for _ in range(n_each)]
        old = labelled(folder / "old.csv", map(text, codes), (f"class {c:05d}" for c in codes))
        return [old, new(folder / "new.csv", (text(int(c)) for c in RNG.integers(n_classes, size=n_new)))]

    return write


def sources(folder: Path) -> list[Path]:
    """A hundred files of labelled tickets."""
    demo = load_demo()
    texts, labels = demo.texts_source, demo.y_source.tolist()
    rows = [RNG.permutation(len(texts))[:36] for _ in range(100)]
    files = [
        labelled(folder / f"old{i:03d}.csv", [texts[j] for j in r], [labels[j] for j in r]) for i, r in enumerate(rows)
    ]
    return [*files, new(folder / "new.csv", demo.texts_target)]


def words(folder: Path, n_words: int = 2_000_000, n_documents: int = 4_000) -> list[Path]:
    """Every word is in two documents of 1,000 words."""
    per_document = 2 * n_words // n_documents
    numbers = np.concatenate([RNG.permutation(n_words), RNG.permutation(n_words)]).reshape(n_documents, per_document)
    texts = [" ".join(word(int(j), "w") for j in row) + (" red" if i % 2 else " blue") for i, row in enumerate(numbers)]
    half = n_documents // 2
    labels = ["red" if i % 2 else "blue" for i in range(half)]
    return [labelled(folder / "old.csv", texts[:half], labels), new(folder / "new.csv", texts[half:])]


def long_document(n_characters: int) -> Callable[[Path], list[Path]]:
    """The tickets of the demo, and one that is much longer."""

    def write(folder: Path) -> list[Path]:
        texts = load_demo().texts_target
        joined = " ".join(texts)
        return [
            demo_source(folder),
            new(folder / "new.csv", [*texts, (joined * (n_characters // len(joined) + 1))[:n_characters]]),
        ]

    return write


def empty(folder: Path) -> list[Path]:
    """The tickets of the demo, and a million rows without a text."""
    return [demo_source(folder), new(folder / "new.csv", [*load_demo().texts_target, *[""] * 1_000_000])]


def equal(folder: Path) -> list[Path]:
    """Ten thousand new documents that are the same."""
    return [demo_source(folder), new(folder / "new.csv", [load_demo().texts_target[0]] * 10_000)]


def all_equal(folder: Path) -> list[Path]:
    """Ten thousand new documents and a thousand labelled ones, all the same."""
    text = load_demo().texts_target[0]
    old = labelled(folder / "old.csv", [text] * 1_000, ["a", "b"] * 500)
    return [old, new(folder / "new.csv", [text] * 10_000)]


CASES = {
    "1,000 classes": Case(classes(1_000), ("sourcelr", "emnaivebayes", "auto")),
    "5,000 classes": Case(classes(5_000), ("sourcelr", "emnaivebayes", "auto")),
    "100 sources": Case(sources, ("sourcelr", "tcl", "auto")),
    "2,000,000 words": Case(words, ("sourcelr", "auto", "auto --max-memory 1G")),
    "a document of 9.9 MB": Case(long_document(9_900_000), ("auto",)),
    "a document of 50 MB": Case(long_document(50_000_000), ("auto", "auto --skip-bad")),
    "1,000,000 empty documents": Case(empty, ("auto",)),
    "10,000 equal documents": Case(equal, ("auto",)),
    "10,000 equal documents, equal labelled ones": Case(all_equal, ("sourcelr", "auto")),
}


class Outcome(NamedTuple):
    """What one run did."""

    what: str
    seconds: float
    gigabytes: float
    line: str


def set_limits() -> None:
    """Called in the child: more memory is an error there, and more time ends it."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run(files: list[Path], method: str, folder: Path) -> Outcome:
    """Label the files; the time, the memory, and how it ended."""
    out, errors = folder / "out.csv", folder / "errors.txt"
    out.unlink(missing_ok=True)
    name, *options = method.split()
    command = [sys.executable, "-m", "labelferry", "label", *map(str, files), "-o", str(out), "-q"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with errors.open("w") as stderr:
        process = subprocess.Popen(
            [*command, "--method", name, *options], env=environment, stderr=stderr, preexec_fn=set_limits
        )
        _, status, usage = os.wait4(process.pid, 0)
    seconds = usage.ru_utime + usage.ru_stime
    process.returncode = code = os.waitstatus_to_exitcode(status)
    line = errors.read_text(errors="replace").strip()
    if seconds >= SECONDS - 1:
        what = f"not done after {SECONDS} s"
    elif code == 0:
        what = "labelled" if n_rows(out) == n_rows(files[-1]) else "ROWS ARE MISSING"
    else:
        what = "refused" if code == 2 and line.count("\n") == 0 and not out.exists() else f"FAILED with {code}"
    return Outcome(what, seconds, usage.ru_maxrss * 1024 / GB, line)


def n_rows(path: Path) -> int:
    """Number of rows of a table; a cell may be long."""
    csv.field_size_limit(2**31)
    with path.open(encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.reader(file))


def main(names: list[str]) -> None:
    """Run the cases and print a line for each."""
    print(f"{'input':44s} {'method':22s} {'result':20s} {'seconds':>8s} {'GB':>6s}")
    for name in names or CASES:
        case = CASES[name]
        with tempfile.TemporaryDirectory() as folder:
            files = case.write(Path(folder))
            for method in case.methods:
                outcome = run(files, method, Path(folder))
                numbers = f"{outcome.seconds:8.1f} {outcome.gigabytes:6.2f}"
                print(f"{name:44s} {method:22s} {outcome.what:20s} {numbers}  {outcome.line[-200:]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
