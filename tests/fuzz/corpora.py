"""Files of corpora: they are read, or `CorpusDamaged` names them."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.io
import scipy.sparse as sp

from labelferry_bench.datasets import (
    load_amazon,
    load_domains,
    load_newsgroups,
    load_office_caltech,
    load_reuters,
    load_reuters_crossdomain,
    load_sraa,
)

from .choices import JSON_VALUES, Choices
from .rules import REFUSED, attempt, require

STORY = (
    '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" NEWID="%d">\n<TOPICS><D>grain</D></TOPICS><PLACES></PLACES>\n'
    "<TEXT>\n<TITLE>A title</TITLE>\n<BODY>The body &lt;1&gt;</BODY></TEXT>\n</REUTERS>\n"
)
REVIEW = (
    "<review>\n<unique_id>1:%d</unique_id>\n<rating>4.0</rating>\n<title>good</title>\n"
    "<review_text>works</review_text>\n</review>\n"
)
NEWS = {"id": "1", "split": "train", "group": "sci.space", "text": "the moon"}
LINE = {"domain": "books", "label": "positive", "unique_id": "1", "rating": 4.0, "title": "good", "text": "read it"}
ROW = {"text": "a red door", "label": "a", "domain": "x"}
LINES = {"20news-bydate.jsonl.gz": NEWS, "reviews.jsonl.gz": LINE, "own.jsonl.gz": ROW}
MEMBERS = {
    "20news-bydate.tar.gz": ("20news-bydate-train/sci.space/1", b"the moon"),
    "domain_sentiment_data.tar.gz": ("sorted_data_acl/books/positive.review", (REVIEW % 1).encode()),
    "reuters21578.tar.gz": ("reut2-000.sgm", (STORY % 1 + STORY % 2).encode()),
    "sraa.tar.gz": ("sraa/simauto/1", b"a wheel"),
}
MATRICES = {
    "dslr_SURF_L10.mat": ("fts", "labels"),
    "OrgsPeople_src.mat": ("OrgsPeople_src_data", "OrgsPeople_src_label"),
}
NAMES = (*LINES, *MEMBERS, *MATRICES)
LOADERS: dict[str, Callable[[Path], Any]] = {
    "20news-bydate.jsonl.gz": load_newsgroups,
    "20news-bydate.tar.gz": load_newsgroups,
    "reviews.jsonl.gz": load_amazon,
    "domain_sentiment_data.tar.gz": load_amazon,
    "own.jsonl.gz": load_domains,
    "reuters21578.tar.gz": load_reuters,
    "sraa.tar.gz": load_sraa,
    "dslr_SURF_L10.mat": lambda path: load_office_caltech("dslr", path.parent),
    "OrgsPeople_src.mat": lambda path: load_reuters_crossdomain("orgs vs people", path.parent),
}
SHAPES = (  # of members of an archive
    *("file", "link to itself", "link", "hard link", "folder", "device", "pipe", "absolute", "above", "large"),
)


class CorpusCase(NamedTuple):
    """A file of a corpus with changes: of a value of a line, of a member, and of bytes."""

    name: str
    key: str = ""  # of a line
    value: Any = None
    shape: str = "file"  # of one more member
    content: bytes | None = None  # of that member, or one more line
    flips: tuple[tuple[int, int], ...] = ()  # positions and values of bytes, before the file is packed with gzip
    size: int | None = None  # of the file


def decode(choices: Choices) -> CorpusCase:
    """A file with one or two changes."""
    name = choices.pick(NAMES)
    n = len(plain(CorpusCase(name)))
    case = CorpusCase(name)
    if name in LINES and choices.flag():
        case = case._replace(key=choices.pick(sorted(LINES[name])), value=choices.pick(JSON_VALUES))
    if name in MEMBERS:
        case = case._replace(shape=choices.pick(SHAPES))
    if choices.flag():
        case = case._replace(flips=tuple((choices.below(n), choices.below(256)) for _ in range(1 + choices.below(4))))
    if choices.flag(8):
        case = case._replace(size=choices.below(n))
    return case._replace(content=choices.rest()) if choices.flag() else case


def check(case: CorpusCase, folder: Path) -> str:
    """Load the corpus."""
    path = folder / case.name
    content = bytearray(plain(case))
    for position, value in case.flips:
        content[position % len(content)] = value
    packed = bytes(content) if case.name in MATRICES else gzip.compress(bytes(content), 1, mtime=0)
    path.write_bytes(packed[: case.size])
    if case.name.endswith("_src.mat"):
        scipy.io.savemat(folder / "OrgsPeople_tar.mat", matrices("OrgsPeople_tar_data", "OrgsPeople_tar_label"))
    outcome, corpus = attempt(lambda: LOADERS[case.name](path))
    if outcome == REFUSED:
        return REFUSED
    if case.name in MATRICES:
        X, y = (corpus.X, corpus.labels) if hasattr(corpus, "X") else (corpus.Xs, corpus.ys)
        require(X.shape[0] == len(y), "another number of labels than rows")
        X.check_format(full_check=True)
        return outcome
    require(all(isinstance(text, str) for text in corpus.texts), "a text that is none")
    fields = corpus.fields.values()
    require(all(values.shape == (len(corpus.texts),) for values in fields), "a field of another shape")
    return outcome


def plain(case: CorpusCase) -> bytes:
    """The file before it is packed."""
    if case.name in LINES:
        good = LINES[case.name]
        changed = {**good, case.key: case.value} if case.key else good
        return "".join(json.dumps(line) + "\n" for line in (good, changed, changed)).encode() + (case.content or b"")
    if case.name in MATRICES:
        return written(*MATRICES[case.name])
    return archive(case)


def archive(case: CorpusCase) -> bytes:
    """A tar file with a good member and another of some kind."""
    name, good = MEMBERS[case.name]
    file = io.BytesIO()
    kinds = {"link to itself": tarfile.SYMTYPE, "link": tarfile.SYMTYPE, "hard link": tarfile.LNKTYPE}
    kinds |= {"folder": tarfile.DIRTYPE, "device": tarfile.CHRTYPE, "pipe": tarfile.FIFOTYPE}
    with tarfile.open(fileobj=file, mode="w") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = len(good)
        tar.addfile(entry, io.BytesIO(good))
        other = tarfile.TarInfo({"absolute": f"/{name}2", "above": f"../../{name}2"}.get(case.shape, f"{name}2"))
        other.name = other.name.replace(".sgm2", "2.sgm").replace("positive.review2", "negative.review")
        other.type = kinds.get(case.shape, tarfile.REGTYPE)
        other.linkname = other.name if case.shape != "link" else name
        content = good if case.content is None else case.content
        other.size = len(content) if other.type == tarfile.REGTYPE else 0
        if case.shape == "large":  # than the archive
            other.size = 3 << 30
            file.write(other.tobuf())
        else:
            tar.addfile(other, io.BytesIO(content))
    return file.getvalue()


@cache
def written(data: str, labels: str) -> bytes:
    """A MATLAB file."""
    file = io.BytesIO()
    scipy.io.savemat(file, matrices(data, labels))
    return file.getvalue()


def matrices(data: str, labels: str) -> dict[str, Any]:
    """Four documents with labels; sparse for Reuters."""
    X = np.arange(12.0).reshape(4, 3)
    return {data: sp.csc_matrix(X) if "Orgs" in data else X, labels: np.array([[1], [2], [1], [2]])}


def seeds() -> list[bytes]:
    """Every file, unchanged and with every kind of member."""
    return [bytes([i, j, 0]) for i in range(len(NAMES)) for j in range(len(SHAPES))]


PAST = {
    **{f"{name}: a link to itself": CorpusCase(name, shape="link to itself") for name in MEMBERS},
    **{f"{name}: a large member": CorpusCase(name, shape="large") for name in MEMBERS},
    **{f"{name}: nested": CorpusCase(name, content=b"[" * 100_000) for name in LINES},
    "a list as group": CorpusCase("20news-bydate.jsonl.gz", "group", ["x"]),
    "a text as rating": CorpusCase("reviews.jsonl.gz", "rating", {}),
    "reviews that are not closed": CorpusCase("domain_sentiment_data.tar.gz", content=b"<review><unique_id>" * 20_000),
    "tags that are not closed": CorpusCase("reuters21578.tar.gz", content=b'<REUTERS LEWISSPLIT="' * 20_000),
    "a number of 5,000 digits": CorpusCase(
        "reuters21578.tar.gz", content=(STORY % 1).encode().replace(b'"1"', b'"' + b"1" * 5000 + b'"')
    ),
    "a MATLAB file with another type": CorpusCase("dslr_SURF_L10.mat", flips=((144, 255), (145, 255))),
}
