"""A small corpus in the layout of 20 Newsgroups, for tests of the bench."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np

from labelferry_bench.papers.tables.gcmf import GCMF_TABLE_2


def write_newsgroups(folder: Path) -> None:
    """Write a folder of data: 20 articles per group, with words of the class, of the group, and noise."""
    rng = np.random.default_rng(0)
    (folder / "20news").mkdir(parents=True)
    lines = []
    for label, domains in GCMF_TABLE_2.items():
        for group in (group for domain in domains for group in domain):
            own = [f"{group.replace('.', '')}{letter}" for letter in "abcdef"]
            for i in range(20):
                words = [
                    *rng.choice([f"{label}{letter}" for letter in "abcdefgh"], 4),
                    *rng.choice(own, 6),
                    *rng.choice([f"noise{a}{b}" for a in "abcde" for b in "abcde"], 6),
                ]
                text = f"Subject: x\n\n{' '.join(words)}"
                lines.append({"id": f"{group}/{i}", "split": "train", "group": group, "text": text})
    with gzip.open(folder / "20news" / "20news-bydate.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
