"""The whole file: labels that need no look if people label the rest, after 60, 100 and 200 answers, on 15 tasks.

    LABELFERRY_DATA=data python -m benchmarks.whole_file FOLDER      FOLDER: labels of the tasks; missing ones are made

800 labelled and at most 1,500 new documents, drawn at random; `labelferry.label(..., seed=0)`. "rungs" asks inside the
rungs of the ladder (`certificate/finish.py`), "sample" a random sample of the file, with the same bounds; both after
learning from 0 or 20 answers, which are counted. Looks after every answer, N_ORDERS random orders. "false": share of
runs with any false claim at any look. "best": with known truth.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

import labelferry
from labelferry.certificate.ladder import Ladder, make_ladder
from labelferry.certificate.limits import allowed
from labelferry_bench.review.accept import file_sets
from labelferry_bench.trust.tasks import read_corpus

N_SOURCE, N_TARGET, N_ORDERS = 800, 1500, 100
LOOKS, ERRORS, LEARNED = (60, 100, 200), (0.05, 0.1), (0, 20)


class Pair(NamedTuple):
    """A source and a target; `classes` if only some of them are used."""

    corpus: str
    source: str
    target: str
    classes: tuple[str, ...] = ()


PAIRS = (
    Pair("newsgroups:0", "A", "B", ("comp", "sci")),
    Pair("newsgroups:0", "A", "B", ("rec", "talk")),
    Pair("crisislex_t6", "2013_Boston_Bombings", "2013_West_Texas_Explosion"),
    Pair("crisislex_t6", "2012_Sandy_Hurricane", "2013_Queensland_Floods"),
    Pair("crisislex_t6", "2013_Boston_Bombings", "2012_Sandy_Hurricane"),
    Pair("news_topics", "agnews", "web_snippets"),
    Pair("news_topics", "web_snippets", "bbc"),
    Pair("youtube_spam", "Psy", "Eminem"),
    Pair("satd_1to3", "apache-ant-1.7.0", "jruby-1.4.0"),
    Pair("fdu_mtl_reviews", "kitchen_housewares", "sports_outdoors"),
    Pair("fdu_mtl_reviews", "books", "toys_games"),
    Pair("amazon", "electronics", "kitchen"),
    Pair("amazon", "books", "kitchen"),
    Pair("amazon", "kitchen", "dvd"),
    Pair("github_issues", "bitcoin_bitcoin", "facebook_react"),
)


class Labelled(NamedTuple):
    """Labels of a task, of the documents that have one."""

    wrong: np.ndarray
    rank: np.ndarray
    p_wrong: np.ndarray
    known: np.ndarray  # rows that the labels learned from


def labels_of(pair: Pair, n_learned: int, folder: Path) -> Labelled:
    """The labels of a pair, kept in the folder."""
    path = folder / f"{crc32(repr((pair, n_learned)).encode()):08x}.npz"
    if not path.is_file():
        make_labels(pair, folder)
    with np.load(path, allow_pickle=False) as file:
        return Labelled(*(file[name] for name in Labelled._fields))


def make_labels(pair: Pair, folder: Path) -> None:
    """Label a pair, and learn."""
    corpus, rng = read_corpus(pair.corpus), np.random.default_rng(crc32(repr(pair).encode()))
    labels, domains = corpus.fields["label"], corpus.fields["domain"]
    kept = np.isin(labels, pair.classes or np.unique(labels))
    source = rng.permutation(np.flatnonzero((domains == pair.source) & kept))[:N_SOURCE]
    target = rng.permutation(np.flatnonzero((domains == pair.target) & kept))[:N_TARGET]
    texts = [[corpus.texts[i] for i in rows] for rows in (source, target)]
    result, truth = labelferry.label(texts[0], texts[1], label=labels[source].tolist(), seed=0), labels[target]
    for n in LEARNED:
        known = rng.permutation(len(truth))[:n]
        learned = result.update({int(row): str(truth[row]) for row in known}) if n else result
        kept = np.flatnonzero(learned.accept_rank)
        place = np.searchsorted(kept, known[np.isin(known, kept)])
        values = (np.asarray(learned.labels)[kept] != truth[kept], learned.accept_rank[kept])
        found = Labelled(*values, 1 - learned.confidence[kept], place)
        np.savez_compressed(folder / f"{crc32(repr((pair, n)).encode()):08x}.npz", **found._asdict())


def runs_of(labelled: Labelled, error: float, *, rungs: bool) -> Iterator[tuple[list[float], bool]]:
    """Per random order: shares of the file at LOOKS, and whether any claim is false."""
    n, n_known = len(labelled.wrong), len(labelled.known)
    for seed in range(N_ORDERS):
        ladder = make_ladder(-labelled.rank, labelled.p_wrong, error=error, seed=seed, known=labelled.known)
        sets = file_sets(ladder if rungs else one_rung(ladder), labelled.wrong, max(LOOKS) - n_known)
        by_place = np.append(0, np.cumsum(labelled.wrong[np.argsort(ladder.place, kind="stable")]))
        shares = [max((size for spent, size in sets if n_known + spent <= look), default=0) / n for look in LOOKS]
        yield shares, any(by_place[size] > allowed(n, error) for _, size in sets)


def one_rung(ladder: Ladder) -> Ladder:
    """The ladder of a random sample of the whole file."""
    return replace(ladder, sizes=ladder.sizes[-1:], at_most=ladder.at_most[-1:], expected=ladder.expected[-1:], start=0)


def main(folder: Path) -> None:
    """Measure all tasks and print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = [(n, error, rungs) for n in LEARNED for error in ERRORS for rungs in (False, True)]
    print("learned, limit, questions:", *(f"{n}, {e:g}, {'rungs' if r else 'sample'}" for n, e, r in columns), sep="  ")
    shares, false = [], []
    for pair in PAIRS:
        values, wrong = [], []
        for n, error, rungs in columns:
            runs = list(runs_of(labels_of(pair, n, folder), error, rungs=rungs))
            values.append(np.mean([share for share, _ in runs], axis=0))
            wrong.append(np.mean([flag for _, flag in runs]))
        shares.append(values)
        false.append(wrong)
        accuracy = 1 - labels_of(pair, 0, folder).wrong.mean()
        cells = "  ".join(" ".join(f"{x:.2f}" for x in value) for value in values)
        print(f"{f'{pair.corpus} {pair.source} > {pair.target}'[:60]:60} {accuracy:.2f}  {cells}", flush=True)
    means = np.mean(shares, axis=0)
    print(f"{'mean':60}      ", "  ".join(" ".join(f"{x:.2f}" for x in value) for value in means))
    print(
        "false, mean and worst task:", *(f"{np.mean(f):.3f} {max(f):.2f}" for f in zip(*false, strict=True)), sep="  "
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
