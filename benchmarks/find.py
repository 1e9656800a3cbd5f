"""Find all documents of one class: reads until a recall is certified, and false claims, on real corpora.

    python -m benchmarks.find reads FOLDER [ORDERS]   200 random orders of each task; corpora are in $LABELFERRY_DATA
    python -m benchmarks.find pace FOLDER [ORDERS]    the constant PACE of the policy, chosen on the other corpora
    python -m benchmarks.find limit [PATHS]           planted files at the limit of the guarantee; 20,000 paths each
    python -m benchmarks.find size [N]                CPU seconds of one search of a large file

FOLDER has the fitted panels; those that it lacks are fitted first. A program answers with the true classes. `learning`:
the product. `fixed`: the order of the labels without answers, the same policy. `random`: all reads are draws. A claim
is false if fewer documents than claimed are found, at any look.
"""

from __future__ import annotations

import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tests.certificate.worst_search import POLICIES, READERS, false_claims

import labelferry
from labelferry.certificate import search as policy
from labelferry.certificate.search import Read, Search, search_order
from labelferry.certificate.search_plan import RECALLS, plan_search
from labelferry.ensemble.labelled_pool import PoolInputs
from labelferry.labelling.held_out import rows_in_panel
from labelferry.review.sample.find_rank import ClassChances, learned_from
from labelferry_bench.datasets.domains import load_domains

SEED, MOST_SOURCE, MOST_TARGET = 0, 2000, 3000
MEMBER = "member/"  # of the names of arrays
RIVALS = {"fixed": 4, "random": 10}  # an order of so many is measured
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


HARD = (  # documents, those of the class, policy and reader of `limit`
    (20, 1, "one draw after another", "a good order"),
    (20, 4, "one draw after another", "the worst order"),
    (20, 4, "after a miss", "the worst order"),
    (20, 4, "every second read", "the worst order"),
    (60, 3, "one draw after another", "draws of the class wait"),
    (60, 3, "all at the beginning", "all but one first"),
    (60, 3, "as the product", "the worst order"),
    (60, 20, "one draw after another", "all but one first"),
    (60, 20, "as the product", "the worst order"),
    (60, 40, "every second read", "draws backwards"),
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


def tasks(folder: Path) -> Iterator[Task]:
    """The tasks, one after the other."""
    folder.mkdir(parents=True, exist_ok=True)
    for files in FILES:
        path = folder / f"{files.corpus}-{files.new[0]}.npz"
        if not path.is_file():
            fit(files, path)
        with np.load(path, allow_pickle=False) as file:
            kept = dict(file)
        members = {name.removeprefix(MEMBER): P for name, P in kept.items() if name.startswith(MEMBER)}
        inputs = PoolInputs(kept["start"], members, kept["coordinates"])
        classes, codes = kept["classes"].tolist(), kept["codes"]
        for name in files.classes:
            code = classes.index(name)
            chances = ClassChances(code, inputs.start[:, code], inputs, np.arange(len(codes)))
            yield Task(files.corpus, f"{files.new[0]}: {name}", chances, codes, codes == code, {})


def fit(files: Files, path: Path) -> None:
    """Label the new documents, and write what a search needs of those with a known word."""
    corpus, rng = load_domains(files.corpus), random.Random(SEED)

    def draw(domains: tuple[str, ...], most: int) -> tuple[list[str], list[str]]:
        rows = [i for i, domain in enumerate(corpus.fields["domain"]) if domain in domains]
        rows = rng.sample(rows, min(most, len(rows)))
        return [corpus.texts[i] for i in rows], [str(corpus.fields["label"][i]) for i in rows]

    (texts, labels), (new, truth) = draw(files.labelled, MOST_SOURCE), draw(files.new, MOST_TARGET)
    result = labelferry.label(texts, new, label=labels, seed=SEED)
    inputs, classes = result.estimator.pool_inputs_, [str(name) for name in result.estimator.classes_]
    names = [truth[row] for row in rows_in_panel(result).rows]
    codes = [classes.index(name) if name in classes else len(classes) for name in names]
    members = {f"{MEMBER}{name}": P for name, P in inputs.members.items()}
    np.savez(path, start=inputs.start, coordinates=inputs.coordinates, classes=classes, codes=codes, **members)


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
    total, n = int(truth.sum()), len(truth)
    search = Search(order) if next_row else Search(order, policy=lambda hits, n: n)
    if next_row:
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


def measure(folder: Path, n_orders: int) -> None:
    """Print one line per task, and means over the corpora."""
    sums, planned = defaultdict(list), []
    for task in tasks(folder):
        n, total = len(task.truth), int(task.truth.sum())
        orders = [search_order(n, seed, 1) for seed in range(n_orders)]
        ways: dict[str, Any] = {"learning": by_learning, "fixed": by_start, "random": None}
        parts = []
        for way, ranker in ways.items():
            some = orders[:: RIVALS.get(way, 1)]
            runs = [run(task.truth, order, ranker and ranker(task)) for order in some]
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
        print(f"{way}: share of the file to read for 80 / 90 / 95%, false claims", np.mean(rows, axis=0).round(3))
    print("largest share of false claims:", max(row[-1] for rows in sums.values() for row in rows))
    print(f"planned minus real share for 95%: mean {np.mean(planned):+.3f}, absolute {np.mean(np.abs(planned)):.3f}")


def choose_pace(folder: Path, n_orders: int, grid: Iterable[float] = (0.015, 0.03, 0.06, 0.12)) -> None:
    """Share of the file to read for 95% with each PACE, and with the one that is best on the other corpora."""
    shares: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for task in tasks(folder):
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


def limit(n_paths: int = 20_000) -> None:
    """False claims on planted files, with policies and readers that try to make them."""
    shares = []
    for n, total, policy_name, reader_name in HARD:
        shares.append(false_claims(POLICIES[policy_name], READERS[reader_name], n, total, n_paths))
        print(f"N {n:3} M {total:2} {policy_name:22} {reader_name:23} false claims {shares[-1]:.4f}", flush=True)
    print(f"largest share of {n_paths} paths: {max(shares):.4f}")


def size(n: int = 100_000) -> None:
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
    what, *rest = sys.argv[1:]
    if what in ("reads", "pace"):
        function, usual = (measure, 200) if what == "reads" else (choose_pace, 20)
        function(Path(rest[0]), int(rest[1]) if rest[1:] else usual)
    else:
        {"limit": limit, "size": size}[what](*map(int, rest))
