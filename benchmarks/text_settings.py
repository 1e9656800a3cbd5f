"""Text settings through `labelferry.label` on files: the default settings and settings chosen by hand.

    python -m benchmarks.text_settings amazon --settings default "language=none ngrams=2"
    python -m benchmarks.text_settings newsgroups crisislex_t6 shopping_zh

One task per line: accuracy, estimated accuracy, verdict, the settings that were used, seconds for reading languages and
choosing ("words") and for everything ("all"). Corpora are read from $LABELFERRY_DATA. Tasks: the 12 pairs of Amazon,
the six newsgroup tasks of GCMF (headers stripped), the six neighboring pairs of crisis tweets and the first six of
Chinese reviews (2,000 documents per side), and up to four neighboring pairs of every other corpus with domains.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from itertools import combinations, permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import labelferry
from labelferry.text import strip_headers
from labelferry_bench.datasets import load_amazon, load_newsgroups
from labelferry_bench.datasets.domains import load_domains
from labelferry_bench.papers.tables.gcmf import GCMF_TABLE_2

N_DOCUMENTS = 2000
MIN_PER_CLASS = 5
N_PAIRS = {"crisislex_t6": 6, "shopping_zh": 6}


class Side(NamedTuple):
    texts: list[str]
    labels: np.ndarray


def tasks(group: str) -> Iterator[tuple[str, Side, Side]]:
    """Name, source and target of the tasks of a group."""
    if group == "newsgroups":
        yield from newsgroup_tasks()
        return
    corpus = load_amazon() if group == "amazon" else load_domains(group)
    domain, label = corpus.fields["domain"], corpus.fields["label"]
    for a, b in pairs(group, np.unique(domain).tolist()):
        sides = []
        for seed, name in enumerate((a, b)):
            rows = np.flatnonzero(domain == name)
            if len(rows) > N_DOCUMENTS:
                rows = np.sort(np.random.default_rng(seed).choice(rows, N_DOCUMENTS, replace=False))
            sides.append(rows)
        names, counts = np.unique(label[sides[0]], return_counts=True)
        kept = [rows[np.isin(label[rows], names[counts >= MIN_PER_CLASS])] for rows in sides]
        yield f"{a} to {b}", *(Side([corpus.texts[i] for i in rows], label[rows]) for rows in kept)


def pairs(group: str, domains: list[str]) -> list[tuple[str, str]]:
    """Pairs of domains."""
    if group == "amazon" or len(domains) == 2:
        return list(permutations(domains, 2))
    neighbors = list(zip(domains, [*domains[1:], domains[0]], strict=True))
    if group in N_PAIRS:
        return neighbors[: N_PAIRS[group]]
    return [neighbors[i] for i in np.linspace(0, len(neighbors) - 1, min(4, len(neighbors))).astype(int)]


def newsgroup_tasks() -> Iterator[tuple[str, Side, Side]]:
    """The six tasks of GCMF. Articles without text are dropped."""
    corpus = load_newsgroups()
    groups, texts = corpus.fields["group"], [strip_headers(text) for text in corpus.texts]
    for a, b in combinations(GCMF_TABLE_2, 2):
        sides = []
        for side in range(2):
            class_of = {group: c for c in (a, b) for group in GCMF_TABLE_2[c][side]}
            rows = [i for i, group in enumerate(groups.tolist()) if group in class_of and texts[i].strip()]
            sides.append(Side([texts[i] for i in rows], np.array([class_of[groups[i]] for i in rows])))
        yield f"{a} vs {b}", *sides


def run(source: Side, target: Side, settings: dict[str, Any]) -> dict[str, Any]:
    """Label files with these settings."""
    with TemporaryDirectory() as folder:
        old, new = Path(folder) / "old.csv", Path(folder) / "new.csv"
        write(old, {"text": source.texts, "label": source.labels.tolist()})
        write(new, {"text": target.texts})
        start = time.perf_counter()
        result = labelferry.label(old, new, **settings)
    return {
        "accuracy": float((result.labels == target.labels).mean()),
        "estimated": result.assessment.accuracy.mean,
        "level": result.verdict.level,
        "settings": " ".join(str(result.settings[name]) for name in ("language", "ngrams", "analyzer")),
        "words": result.seconds["counting words"],
        "all": time.perf_counter() - start,
    }


def write(path: Path, columns: dict[str, list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))


def read_settings(text: str) -> dict[str, Any]:
    """The keywords of "language=none ngrams=2"; "default" has none."""
    parts = [part.split("=") for part in text.split() if part != "default"]
    values = {"True": True, "False": False}
    return {name: int(value) if value.isdigit() else values.get(value, value) for name, value in parts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="+")
    parser.add_argument("--settings", nargs="+", default=["default"])
    parser.add_argument("--only", default="", help="tasks whose name contains this")
    given = parser.parse_args()
    for group in given.groups:
        accuracies: dict[str, list[float]] = {}
        for name, source, target in tasks(group):
            for settings in given.settings if given.only in name else ():
                row = run(source, target, read_settings(settings))
                accuracies.setdefault(settings, []).append(row["accuracy"])
                numbers = f"{row['accuracy']:.4f} estimated {row['estimated']:.3f} {row['level']:8}"
                seconds = f"words {row['words']:.1f} s, all {row['all']:.0f} s"
                print(f"{group}/{name} | {settings} | {numbers} | {row['settings']} | {seconds}", flush=True)
        for settings, values in accuracies.items():
            print(f"{group} | {settings} | mean of {len(values)}: {np.mean(values):.4f}", flush=True)


if __name__ == "__main__":
    main()
