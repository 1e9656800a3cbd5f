"""20 Newsgroups, the version "bydate": 18,846 articles of 20 groups, sorted by date into train and test."""

from __future__ import annotations

import gzip
import json
from os import PathLike
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import numpy as np

from labelferry.files import open_atomic

from .cache import Source, cache_path, downloading, find
from .corpus import Corpus, Counts, count_texts
from .reading import by_number, read_lines, read_members

SOURCE = Source(
    name="newsgroups",
    title="20 Newsgroups",
    loader="load_newsgroups",
    folder="20news",
    files=("20news-bydate.jsonl.gz", "20news-bydate.tar.gz"),
    parts=("20news-bydate-train/*/*", "20news-bydate-test/*/*"),
    origin="http://qwone.com/~jason/20Newsgroups/, or with load_newsgroups(download=True).",
    license="none stated; public Usenet articles of 1993, in general use for research.",
)


FIELDS = ("split", "group", "id", "text")


def load_newsgroups(path: str | PathLike[str] | None = None, *, download: bool = False) -> Corpus:
    """Load the articles with their headers (`labelferry.text.strip_headers` removes them).

    Reads the original archive or its two folders, or `20news-bydate.jsonl.gz` with one object per line: id, split,
    group, text. The articles are sorted by split, group and id.

    Parameters
    ----------
    path : path, default=None
        File or folder of the corpus. None: $LABELFERRY_DATA, then the user's cache.
    download : bool, default=False
        Whether to download the corpus with scikit-learn if it is not on this machine.

    Returns
    -------
    corpus : Corpus
        Fields: group, split, id.
    """
    place = find(SOURCE, path, download=download, fetch=fetch_newsgroups)
    if place.name.endswith(".jsonl.gz"):
        rows = [tuple(line[name] for name in FIELDS) for line in read_lines(place, *FIELDS)]
    else:
        rows = [(*split_group_id(name), text) for name, text in read_members(place, SOURCE.parts)]
        rows.sort(key=lambda row: row[0] == "test")  # train first; otherwise the order is kept
    splits, groups, ids, texts = zip(*rows, strict=True)
    return Corpus(SOURCE.name, list(texts), {"group": np.array(groups), "split": np.array(splits), "id": np.array(ids)})


def count() -> Counts:
    """Count the articles and groups."""
    return count_texts(load_newsgroups(), groups="group")


def split_group_id(name: PurePosixPath | Path) -> tuple[str, str, str]:
    """Split, group and id of an article, from its path in the original folders."""
    folder, group, number = name.parts[-3:]
    return folder.removeprefix("20news-bydate-"), group, number


def fetch_newsgroups(source: Source) -> Path:
    """Download with scikit-learn and save as one file in the cache. The copy of scikit-learn, a pickle, is deleted."""
    from sklearn.datasets import fetch_20newsgroups

    path = cache_path(source)
    with (
        downloading(source),
        TemporaryDirectory() as folder,
        open_atomic(path) as file,
        gzip.open(file, "wt", encoding="utf-8") as lines,
    ):
        for split in ("train", "test"):
            fetched = fetch_20newsgroups(data_home=folder, subset=split, shuffle=False)
            articles = zip(map(Path, fetched.filenames), fetched.data, strict=True)
            for name, text in sorted(articles, key=lambda article: by_number(article[0])):
                _, group, number = split_group_id(name)
                lines.write(json.dumps({"id": number, "split": split, "group": group, "text": text}) + "\n")
    return path
