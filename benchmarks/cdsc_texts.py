"""CDSC's six newsgroup tasks under eight text preparations: the mean error of the printed setting and of the default.

    python -m benchmarks.cdsc_texts [DRAWS]     number of draws, by default 1

Headers are kept or removed, words or Porter stems are counted, tf or 1 + log tf is weighted by idf. All else is as in
the table cdsc of `labelferry.bench.tasks`: 250 documents per class and domain, the same for every preparation, English
stop words removed, words in three documents of the task or more.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import scipy.sparse as sp
import Stemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer

from labelferry import CDSC
from labelferry.bench.pools import WORD, Pool
from labelferry.bench.splits import by_groups, same_classes
from labelferry.bench.tables.cdsc import CDSC_TABLE_1, DRAW_250
from labelferry.datasets import load_newsgroups
from labelferry.text import strip_headers

SETTINGS = {
    "printed": CDSC(6, target_cut=0.025, degree_regularization=0, random_state=0),
    "printed, k = 3": CDSC(3, target_cut=0.025, degree_regularization=0, random_state=0),
    "default": CDSC(random_state=0),
}


def stemmed(words: list[str]) -> list[str]:
    """Porter stems of the words that are not stop words."""
    stems: list[str] = Stemmer.Stemmer("porter").stemWords([w for w in words if w not in ENGLISH_STOP_WORDS])
    return stems


def count(texts: list[str], groups: Any, *, stems: bool) -> Pool:
    """Count words or stems."""
    if stems:
        split = CountVectorizer(token_pattern=WORD).build_tokenizer()
        vectorizer = CountVectorizer(min_df=3, tokenizer=lambda text: stemmed(split(text)), token_pattern=None)
    else:
        vectorizer = CountVectorizer(min_df=3, token_pattern=WORD, stop_words="english")
    return Pool(sp.csr_array(vectorizer.fit_transform(texts)), groups, None, None, "")


def errors(pool: Pool, task: str, seed: int, *, sublinear: bool) -> list[float]:
    """The error of every setting on one draw of a task."""
    rows_s, ys, rows_t, yt = by_groups(pool, seed, parts=same_classes(CDSC_TABLE_1[task]), draw=DRAW_250)
    counts = pool.counts[np.concatenate([rows_s, rows_t])]
    counts = counts[:, np.bincount(counts.indices, minlength=counts.shape[1]) >= 3]
    X = TfidfTransformer(sublinear_tf=sublinear).fit_transform(counts)
    kept_s, kept_t = np.split(np.diff(counts.indptr) >= 3, [len(ys)])
    Xs, Xt = X[: len(ys)][kept_s], X[len(ys) :][kept_t]
    return [float((e.transfer(Xs, ys[kept_s], Xt) != yt[kept_t]).mean()) for e in SETTINGS.values()]


def main(n_draws: int = 1) -> None:
    """Print one line per preparation."""
    corpus = load_newsgroups()
    print(f"{'preparation':45}", *SETTINGS, sep=" | ")
    for headers, stems in itertools.product((False, True), repeat=2):
        texts = list(corpus.texts) if headers else [strip_headers(text) for text in corpus.texts]
        pool = count(texts, corpus.fields["group"], stems=stems)
        for sublinear in (True, False):
            cells = itertools.product(CDSC_TABLE_1, range(n_draws))
            mean = np.mean([errors(pool, task, seed, sublinear=sublinear) for task, seed in cells], axis=0)
            name = ", ".join(
                [
                    f"headers {'kept' if headers else 'removed'}",
                    "Porter stems" if stems else "words",
                    "1 + log tf" if sublinear else "tf",
                ]
            )
            print(f"{name:45}", *(f"{error:.3f}" for error in mean), sep=" | ", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
