"""Real corpora as tasks: (Xs, ys, Xt, yt). Nothing is tuned here: one protocol a corpus, stated in its docstring."""

from __future__ import annotations

import gzip
import itertools
import json
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from .planted import Task

GROUPS_A = {
    "comp": ("comp.graphics", "comp.os.ms-windows.misc"),
    "rec": ("rec.autos", "rec.motorcycles"),
    "sci": ("sci.crypt", "sci.electronics"),
    "talk": ("talk.politics.guns", "talk.politics.mideast"),
}
GROUPS_B = {
    "comp": ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    "rec": ("rec.sport.baseball", "rec.sport.hockey"),
    "sci": ("sci.med", "sci.space"),
    "talk": ("talk.politics.misc", "talk.religion.misc"),
}
SIX = list(itertools.combinations(GROUPS_A, 2))
AMAZON = list(itertools.permutations(("books", "dvd", "electronics", "kitchen"), 2))
WORD = r"(?u)\b[a-zA-Z]{2,}\b"


@cache
def _lines(path: Path) -> list[dict]:
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


@cache
def newsgroups(path: Path, classes: tuple[str, ...]) -> Task:
    """GCMF's Table 2: groups A are the source, groups B the target, full size. Headers stripped, words of two letters
    or more, English stop words, min_df 3, sublinear tf-idf, unit rows."""
    texts: dict[str, list[str]] = {}
    for line in _lines(path):
        texts.setdefault(line["group"], []).append(line["text"].partition("\n\n")[2] or line["text"])
    parts = [
        (domain, label, text)
        for domain, groups in enumerate((GROUPS_A, GROUPS_B))
        for label, name in enumerate(classes)
        for group in groups[name]
        for text in texts[group]
    ]
    vectorizer = TfidfVectorizer(token_pattern=WORD, stop_words="english", min_df=3, sublinear_tf=True)
    return _split(vectorizer, parts)


@cache
def amazon(path: Path, source: str, target: str) -> Task:
    """Title and text, words of two letters or more and pairs of them, min_df 3, no stop words, sublinear tf-idf."""
    parts = [
        (domain, int(line["label"] == "positive"), f"{line['title']} {line['text']}")
        for domain, name in enumerate((source, target))
        for line in _lines(path)
        if line["domain"] == name
    ]
    return _split(TfidfVectorizer(token_pattern=WORD, ngram_range=(1, 2), min_df=3, sublinear_tf=True), parts)


def _split(vectorizer: TfidfVectorizer, parts: list[tuple[int, int, str]]) -> Task:
    domain, y = np.array([part[:2] for part in parts]).T
    X = sp.csr_array(vectorizer.fit_transform([text for _, _, text in parts]))
    return Task(X[domain == 0], y[domain == 0], X[domain == 1], y[domain == 1])
