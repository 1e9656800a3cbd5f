"""20 Newsgroups, the version "bydate": 18,846 articles of 20 groups, sorted by date into train and test."""

from __future__ import annotations

import gzip
import json
from os import PathLike
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import numpy as np

from .cache import Source, downloading, find, user_cache, whole_file
from .corpus import Corpus
from .reading import by_number, read_lines, read_members, reading

SOURCE = Source(
    name="newsgroups",
    title="20 Newsgroups",
    loader="load_newsgroups",
    folder="20news",
    files=("20news-bydate.jsonl.gz", "20news-bydate.tar.gz"),
    parts=("20news-bydate-train/*/*", "20news-bydate-test/*/*"),
    origin="http://qwone.com/~jason/20Newsgroups/, or with load_newsgroups(download=True).",
    licence="none stated; public Usenet articles of 1993, in general use for research.",
)


def load_newsgroups(path: str | PathLike[str] | None = None, *, download: bool = False) -> Corpus:
    """The articles, headers kept (`labelferry.text.strip_headers` takes them off). Fields: group, split, id.

    Reads the original archive or its two folders, or `20news-bydate.jsonl.gz` with one object a line: id, split, group,
    text. The order is that of split, group and id. A download is scikit-learn's, kept as the latter file.
    """
    place = find(SOURCE, path, download=download, fetch=fetch_newsgroups)
    if place.name.endswith(".jsonl.gz"):
        with reading(place):
            rows = [(line["split"], line["group"], line["id"], line["text"]) for line in read_lines(place)]
    else:
        rows = [(*whereabouts(name), text) for name, text in read_members(place, SOURCE.parts)]
        rows.sort(key=lambda row: row[0] == "test")  # train comes first; otherwise as they are
    splits, groups, ids, texts = zip(*rows, strict=True)
    return Corpus(SOURCE.name, list(texts), {"group": np.array(groups), "split": np.array(splits), "id": np.array(ids)})


def whereabouts(name: PurePosixPath | Path) -> tuple[str, str, str]:
    """Split, group and id of an article, from its place in the original folders."""
    folder, group, number = name.parts[-3:]
    return folder.removeprefix("20news-bydate-"), group, number


def fetch_newsgroups(source: Source) -> Path:
    """What scikit-learn downloads, as one file of ours in the user's cache. Its own copy, a pickle, is not kept."""
    from sklearn.datasets import fetch_20newsgroups

    to = user_cache() / source.folder / source.files[0]
    with (
        downloading(source),
        TemporaryDirectory() as folder,
        whole_file(to) as file,
        gzip.open(file, "wt", encoding="utf-8") as packed,
    ):
        for split in ("train", "test"):
            fetched = fetch_20newsgroups(data_home=folder, subset=split, shuffle=False)
            articles = zip(map(Path, fetched.filenames), fetched.data, strict=True)
            for name, text in sorted(articles, key=lambda article: by_number(article[0])):
                _, group, number = whereabouts(name)
                packed.write(json.dumps({"id": number, "split": split, "group": group, "text": text}) + "\n")
    return to
