"""Real corpora as tasks: (Xs, ys, Xt, yt). Nothing is tuned here: one protocol a corpus, stated in its docstring."""

from __future__ import annotations

import gzip
import itertools
import json
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

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
# CDSC's Table 1, newsgroups: (source, target) of the first class, then of the second.
CDSC_TABLE_1 = {
    "rec vs talk": (
        (("rec.autos", "rec.motorcycles"), ("rec.sport.baseball", "rec.sport.hockey")),
        (("talk.politics.guns", "talk.politics.misc"), ("talk.politics.mideast", "talk.religion.misc")),
    ),
    "rec vs sci": (
        (("rec.autos", "rec.sport.baseball"), ("rec.motorcycles", "rec.sport.hockey")),
        (("sci.med", "sci.space"), ("sci.crypt", "sci.electronics")),
    ),
    "comp vs talk": (
        (
            ("comp.graphics", "comp.windows.x", "comp.sys.mac.hardware"),
            ("comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware"),
        ),
        (("talk.politics.mideast", "talk.religion.misc"), ("talk.politics.guns", "talk.politics.misc")),
    ),
    "comp vs sci": (
        (
            ("comp.graphics", "comp.os.ms-windows.misc"),
            ("comp.sys.mac.hardware", "comp.windows.x", "comp.sys.ibm.pc.hardware"),
        ),
        (("sci.crypt", "sci.electronics"), ("sci.med", "sci.space")),
    ),
    "comp vs rec": (
        (
            ("comp.graphics", "comp.sys.mac.hardware", "comp.sys.ibm.pc.hardware"),
            ("comp.os.ms-windows.misc", "comp.windows.x"),
        ),
        (("rec.motorcycles", "rec.sport.hockey"), ("rec.autos", "rec.sport.baseball")),
    ),
    "sci vs talk": (
        (("sci.electronics", "sci.med"), ("sci.crypt", "sci.space")),
        (("talk.politics.misc", "talk.religion.misc"), ("talk.politics.guns", "talk.politics.mideast")),
    ),
}
# Table 3 of the hybrid graph's paper, in the same form. It has one group of talk in the target.
_HYBRID_GROUPS = {
    "comp": (
        ("comp.graphics", "comp.os.ms-windows.misc"),
        ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    ),
    "rec": (("rec.autos", "rec.motorcycles"), ("rec.sport.baseball", "rec.sport.hockey")),
    "sci": (("sci.crypt", "sci.med"), ("sci.electronics", "sci.space")),
    "talk": (("talk.politics.guns", "talk.politics.mideast"), ("talk.politics.misc",)),
}
HYBRID_TABLE_3 = {
    f"{a} vs {b}": (_HYBRID_GROUPS[a], _HYBRID_GROUPS[b]) for a, b in itertools.combinations(_HYBRID_GROUPS, 2)
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
    texts = _bodies(path)
    parts = [
        (domain, label, text)
        for domain, groups in enumerate((GROUPS_A, GROUPS_B))
        for label, name in enumerate(classes)
        for group in groups[name]
        for text in texts[group]
    ]
    return _split(_newsgroup_vectorizer(), parts)


@cache
def cdsc_sample(path: Path, name: str, seed: int, n_docs: int = 250) -> Task:
    """A task of CDSC's Table 1: `n_docs` documents a class and domain, drawn by seed from all its groups together.
    The words are those of `newsgroups`; documents with fewer than three of them are dropped."""
    rng = np.random.default_rng(seed)
    texts = _bodies(path)
    parts = []
    for label, groups_of_class in enumerate(CDSC_TABLE_1[name]):
        for domain, groups in enumerate(groups_of_class):
            pool = [text for group in groups for text in texts[group]]
            parts += [(domain, label, pool[i]) for i in rng.choice(len(pool), size=n_docs, replace=False)]
    return Task(*_without_short(_split(_newsgroup_vectorizer(), parts), n_words=3))


@cache
def hybrid_sample(path: Path, name: str, seed: int, n_docs: int = 500, *, cdsc: bool = False) -> Task:
    """A task of the hybrid graph's Table 3, or of CDSC's Table 1, as counts: `n_docs` documents a class and domain,
    drawn by seed. The words are those of `newsgroups`; documents with fewer than three of them are dropped."""
    rng = np.random.default_rng(seed)
    texts = _bodies(path)
    parts = []
    for label, groups_of_class in enumerate((CDSC_TABLE_1 if cdsc else HYBRID_TABLE_3)[name]):
        for domain, groups in enumerate(groups_of_class):
            pool = [text for group in groups for text in texts[group]]
            parts += [(domain, label, pool[i]) for i in rng.permutation(len(pool))[:n_docs]]
    counts = CountVectorizer(token_pattern=WORD, stop_words="english", min_df=3, dtype=np.float64)
    return Task(*_without_short(_split(counts, parts), n_words=3))


def _without_short(task: Task, n_words: int) -> tuple:
    s, t = (np.diff(X.indptr) >= n_words for X in (task.Xs, task.Xt))
    return task.Xs[s], task.ys[s], task.Xt[t], task.yt[t]


@cache
def _bodies(path: Path) -> dict[str, list[str]]:
    """Texts by group, headers stripped."""
    texts: dict[str, list[str]] = {}
    for line in _lines(path):
        texts.setdefault(line["group"], []).append(line["text"].partition("\n\n")[2] or line["text"])
    return texts


def _newsgroup_vectorizer() -> TfidfVectorizer:
    return TfidfVectorizer(token_pattern=WORD, stop_words="english", min_df=3, sublinear_tf=True)


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


def _split(vectorizer: CountVectorizer, parts: list[tuple[int, int, str]]) -> Task:
    domain, y = np.array([part[:2] for part in parts]).T
    X = sp.csr_array(vectorizer.fit_transform([text for _, _, text in parts]))
    return Task(X[domain == 0], y[domain == 0], X[domain == 1], y[domain == 1])
