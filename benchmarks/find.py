"""Find all documents of one class: reads until a recall is certified, and false claims, on real corpora.

    python -m benchmarks.find [ORDERS]        reads the corpora in $LABELFERRY_DATA; 200 random orders of each task
    python -m benchmarks.find limit [PATHS]   planted files at the limit of the guarantee; 20,000 paths of each policy
    python -m benchmarks.find pace [ORDERS]   the constant PACE of the policy, chosen on the other corpora
    python -m benchmarks.find size [N]        CPU seconds of one search of a large file

A program answers with the true classes. `learning`: the product. `fixed`: the order of the labels without answers, the
same policy. `random`: all reads are draws. A claim is false if fewer documents than claimed are found, at any look.
"""

from __future__ import annotations

import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

import labelferry
from labelferry.certificate import search as policy
from labelferry.certificate.search import Read, Search, search_order
from labelferry.certificate.search_plan import RECALLS, plan_search
from labelferry.review.sample.find_rank import ClassChances, learned_from
from labelferry.review.sample.find_result import chances_of
from labelferry_bench.datasets.domains import load_domains

SEED, MOST_SOURCE, MOST_TARGET = 0, 2000, 3000
Array = Any


class Files(NamedTuple):
    """Which domains of a corpus are labelled and which are new, and the classes to find in them."""

    corpus: str
    labelled: tuple[str, ...]
    new: tuple[str, ...]
    classes: tuple[str, ...]


FILES = (
    Files("crisislex_t6", ("2013_Oklahoma_Tornado", "2012_Sandy_Hurricane"), ("2013_Boston_Bombings",), ("on-topic",)),
    Files("crisislex_t6", ("2013_Alberta_Floods",), ("2013_Queensland_Floods",), ("on-topic",)),
    Files("satd_1to3", ("argouml",), ("jruby-1.4.0",), ("debt",)),
    Files("satd_1to3", ("hibernate-distribution-3.3.2.GA", "sql12"), ("apache-jmeter-2.10",), ("debt",)),
    Files("assistant_intents", ("clinc150",), ("hwu64",), ("music",)),
    Files("assistant_intents", ("hwu64",), ("clinc150",), ("time",)),
    Files(
        "crisislex_t26_type",
        ("2012_Italy_earthquakes", "2012_Colorado_wildfires"),
        ("2012_Philipinnes_floods", "2012_Guatemala_earthquake"),
        ("Donations and volunteering", "Affected individuals"),
    ),
    Files("news_topics", ("agnews",), ("bbc",), ("tech",)),
    Files("news_topics", ("bbc",), ("web_snippets",), ("sport",)),
    Files("dialogue_acts", ("meetings_Bed",), ("meetings_Bro",), ("question",)),
    Files("dialogue_acts", ("telephone",), ("meetings_Bmr",), ("question",)),
)


class Task(NamedTuple):
    """One class of one file."""

    corpus: str
    name: str
    chances: ClassChances
    codes: Array  # true classes of the documents
    truth: Array  # whether they belong to the class
    orders: dict[bytes, Array]  # learned orders, shared by runs with the same answers


class Run(NamedTuple):
    """Reads until each recall is certified, and whether any claim was false."""

    needs: list[int]
    false: bool


def tasks() -> Iterator[Task]:
    """Label the files, one after the other."""
    for files in FILES:
        corpus, rng = load_domains(files.corpus), random.Random(SEED)

        def draw(domains: tuple[str, ...], most: int) -> tuple[list[str], list[str]]:
            rows = [i for i, domain in enumerate(corpus.fields["domain"]) if domain in domains]  # noqa: B023
            rows = rng.sample(rows, min(most, len(rows)))  # noqa: B023
            return [corpus.texts[i] for i in rows], [str(corpus.fields["label"][i]) for i in rows]  # noqa: B023

        (texts, labels), (new, truth) = draw(files.labelled, MOST_SOURCE), draw(files.new, MOST_TARGET)
        result = labelferry.label(texts, new, label=labels, seed=SEED)
        classes = [str(name) for name in result.estimator.classes_]
        kept = np.flatnonzero(result.predicted & ~result.estimator.transduction_empty_)
        codes = np.array([classes.index(truth[row]) if truth[row] in classes else len(classes) for row in kept])
        for name in files.classes:
            code = classes.index(name)
            yield Task(files.corpus, f"{files.new[0]}: {name}", chances_of(result, code), codes, codes == code, {})


def by_learning(task: Task) -> Callable[[list[int]], int]:
    """The next document by rank; the order learns from the answers."""
    state: dict[str, Any] = {"learned": -1}

    def next_row(rows: list[int]) -> int:
        n = learned_from(len(rows))
        if n != state["learned"]:
            key = np.sort(np.array(rows[:n], dtype=np.int64)).tobytes()
            if key not in task.orders:
                p = task.chances.after(rows[:n], task.codes[rows[:n]].tolist())
                task.orders[key] = np.argsort(-p, kind="stable")
            state.update(learned=n, order=iter(task.orders[key].tolist()), read=set(rows))
        state["read"].update(rows[-1:])
        return next(row for row in state["order"] if row not in state["read"] and not state["search"].is_read(row))

    return with_search(next_row, state)


def by_start(task: Task) -> Callable[[list[int]], int]:
    """The next document by the probabilities without answers."""
    state: dict[str, Any] = {"order": iter(np.argsort(-task.chances.after([], []), kind="stable").tolist())}
    return with_search(lambda rows: next(row for row in state["order"] if not state["search"].is_read(row)), state)


def with_search(next_row: Any, state: dict[str, Any]) -> Any:
    """The function, with the place where a run puts its search."""
    next_row.state = state
    return next_row


def run(truth: Array, order: Array, next_row: Any = None) -> Run:
    """One search; without `next_row` all reads are draws."""
    search, total, n = Search(order), int(truth.sum()), len(truth)
    if next_row is None:
        search = all_draws(order)
    else:
        next_row.state["search"] = search
    rows, needs, false = list[int](), list[int](), False
    while len(needs) < len(RECALLS) and search.n_read < n:
        row = next(iter(search.waiting), None)
        row = next_row(rows) if row is None else row
        rows.append(row)
        search.add(Read(row, bool(truth[row]), bool(truth[row])))
        false |= search.at_most < total
        while len(needs) < len(RECALLS) and search.found().recall_at_least >= RECALLS[len(needs)]:
            needs.append(search.n_read)
    return Run(needs + [n] * (len(RECALLS) - len(needs)), false)


def all_draws(order: Array) -> Search:
    """A search in which the whole file is one round of draws."""
    search = Search(order)
    search._draws = [(row, 0, i) for i, row in enumerate(order.tolist())]
    search.waiting = dict.fromkeys(order.tolist())
    return search


def measure(n_orders: int) -> None:
    """Print one line per task, and means over the corpora."""
    sums, planned = defaultdict(list), []
    for task in tasks():
        n, total = len(task.truth), int(task.truth.sum())
        orders = [search_order(n, seed, 1) for seed in range(n_orders)]
        ways: dict[str, Any] = {"learning": by_learning, "fixed": by_start, "random": None}
        parts = []
        for way, ranker in ways.items():
            runs = [run(task.truth, order, ranker and ranker(task)) for order in orders]
            reads = np.mean([one.needs for one in runs], axis=0)
            worst = np.quantile([one.needs[-1] for one in runs], 0.95)
            false = np.mean([one.false for one in runs])
            parts.append(f"{way} {' / '.join(f'{x:.0f}' for x in reads)} (q95 {worst:.0f}, false {false:.3f})")
            sums[way].append((*(reads / n), false))
        plans = plan_search(Search(orders[0]), task.chances.after([], []))
        planned.append(plans[-1].n_read / n - sums["learning"][-1][2])
        said = " / ".join(str(plan.n_read) for plan in plans)
        print(f"{task.corpus:19} {task.name:55} N {n} M {total} | {' | '.join(parts)} | planned {said}", flush=True)
    for way, rows in sums.items():
        print(f"{way}: share of the file to read for 80 / 90 / 95 %, false claims", np.mean(rows, axis=0).round(3))
    print("largest share of false claims:", max(row[-1] for rows in sums.values() for row in rows))
    print(f"planned minus real share for 95 %: mean {np.mean(planned):+.3f}, absolute {np.mean(np.abs(planned)):.3f}")


def choose_pace(n_orders: int, grid: Iterable[float] = (0.015, 0.03, 0.06, 0.12)) -> None:
    """Share of the file to read for 95 % with each PACE, and with the one that is best on the other corpora."""
    shares: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for task in tasks():
        for pace in grid:
            policy.PACE = pace
            runs = [run(task.truth, search_order(len(task.truth), s, 2), by_learning(task)) for s in range(n_orders)]
            shares[task.corpus][pace].append(np.mean([one.needs[-1] for one in runs]) / len(task.truth))
    means = {corpus: {pace: float(np.mean(values)) for pace, values in row.items()} for corpus, row in shares.items()}
    for pace in grid:
        print(f"PACE {pace}: {np.mean([row[pace] for row in means.values()]):.4f}")
    left_out = []
    for corpus, row in means.items():
        others = [other for name, other in means.items() if name != corpus]
        best = min(grid, key=lambda pace: np.mean([other[pace] for other in others]))
        left_out.append(row[best])
        print(f"  without {corpus}: PACE {best}, there {row[best]:.4f}")
    print(f"leave one corpus out: {np.mean(left_out):.4f}")


def limit(n_paths: int) -> None:
    """False claims on planted files, with policies that try to make them."""
    from tests.certificate.worst_search import POLICIES, false_claims

    for n, total in ((20, 1), (20, 4), (60, 3), (60, 20), (60, 40), (200, 10)):
        for name in POLICIES:
            share = false_claims(name, n, total, n_paths)
            print(f"N {n:4} M {total:3} {name:28} false claims {share:.4f}", flush=True)


def size(n: int) -> None:
    """CPU seconds of a whole search of n documents, a tenth of them of the class, with a good ranking."""
    rng = np.random.default_rng(SEED)
    truth = rng.random(n) < 0.1
    p = 1 / (1 + np.exp(-rng.normal(np.where(truth, 2.0, -4.0), 1.5)))
    began = time.process_time()
    search, ranking = Search(search_order(n, SEED, 3)), iter(np.argsort(-p).tolist())
    while search.found().recall_at_least < 0.95:
        row = next(iter(search.waiting), None)
        row = next(row for row in ranking if not search.is_read(row)) if row is None else row
        search.add(Read(row, bool(truth[row]), bool(truth[row])))
    print(f"{n} documents, {search.n_read} read, {search.n_draws} draws: {time.process_time() - began:.2f} s")
    began = time.process_time()
    plans = plan_search(Search(search_order(n, SEED, 3)), p)
    print(f"planned {plans[-1].n_read}: {time.process_time() - began:.2f} s")


if __name__ == "__main__":
    what, number = [*sys.argv[1:], "", ""][:2]
    if what in ("", *map(str, range(100_000))):
        measure(int(what or 200))
    else:
        work = {"limit": (limit, 20_000), "pace": (choose_pace, 20), "size": (size, 100_000)}
        function, usual = work[what]
        function(int(number or usual))
