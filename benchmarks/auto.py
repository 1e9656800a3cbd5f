"""AutoTransfer beside the source's own classifier: labels of the target are used for scoring only.

    python -m benchmarks.auto [--jobs N] [--out FILE] [TABLE ...]    gcmf shift reuters amazon amazon-uneven hybrid four
    python -m benchmarks.auto --suggest [--out FILE]                 then: 20 questions on the worst tasks, five seeds

One line per task is written to FILE, so that an interrupted run can be continued. The constants of
`labelferry.ensemble` were chosen on the tables gcmf (newsgroups), shift 9:1, reuters and amazon, with a look at
amazon-uneven and shift 1:9.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed

from labelferry import AutoTransfer, SourceLR
from labelferry.assessment.agreement import margin
from labelferry.bench.tasks import TASKS, tasks_here

TABLES = ("gcmf", "shift", "reuters", "amazon", "amazon-uneven", "hybrid", "four")
WORST = 2  # of Reuters and of Amazon, for the questions


def balanced(labels: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean([(labels[y == c] == c).mean() for c in np.unique(y)]))


def measure(name: str) -> dict[str, Any]:
    data = TASKS[name].load(0)
    auto = AutoTransfer(random_state=0)
    began = time.perf_counter()
    labels = auto.transfer(data.Xs, data.ys, data.Xt)
    seconds = time.perf_counter() - began
    source = SourceLR().transfer(data.Xs, data.ys, data.Xt)
    right, state = labels == data.yt, auto.state_.assessment
    sure = np.argsort(-margin(auto.transduction_proba_), kind="stable")[: int(0.8 * len(right))]
    truth = np.array([(data.yt == c).mean() for c in auto.classes_])
    speaking = data.yt[~auto.transduction_empty_]
    said = (auto.classes_[state.members.codes] == speaking).mean(axis=1)
    return {
        "task": name,
        "auto": float(right.mean()),
        "source": float((source == data.yt).mean()),
        "auto_balanced": balanced(labels, data.yt),
        "source_balanced": balanced(source, data.yt),
        "estimate": list(state.accuracy),
        "review_gain": float(right[sure].mean() - right.mean()),
        "kept_error": float(1 - right[~auto.needs_review_].mean()) if (~auto.needs_review_).any() else None,
        "reviewed": float(auto.needs_review_.mean()),
        "shares_error": float(np.abs(auto.target_shares_ - truth).max()),
        "verdict": auto.verdict_.level,
        "members": {m["method"]: [float(a), m["level"]] for m, a in zip(auto.members_, said, strict=True)},
        "seconds": seconds,
    }


def show(records: list[dict[str, Any]]) -> None:
    print("table            tasks  source   auto  worst (acc, bal)  |estimate|  covered  review  shares<=.05  seconds")
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        table, _, rest = record["task"].partition("/")
        ratio = rest.rsplit(" ", 1)[-1] if table == "shift" else ""
        corpus = "reuters" if table == "gcmf" and ("orgs" in rest or "people" in rest) else ""
        groups.setdefault(" ".join(filter(None, (table, ratio, corpus))), []).append(record)
    for name, found in groups.items():
        print(f"{name:16} {line(found)}")
    core = [r for name in ("gcmf", "shift 9:1", "reuters", "amazon") for r in groups.get(name, [])]
    if core:
        print(f"{'the 30':16} {line(core)}")
        verdicts("the 30", core)
    verdicts("all", records)


def line(found: list[dict[str, Any]]) -> str:
    def mean(key: str) -> float:
        return float(np.mean([record[key] for record in found]))

    worst = min(r["auto"] - r["source"] for r in found), min(r["auto_balanced"] - r["source_balanced"] for r in found)
    off = np.mean([abs(r["estimate"][0] - r["auto"]) for r in found])
    covered = np.mean([r["estimate"][1] <= r["auto"] <= r["estimate"][2] for r in found])
    near = sum(r["shares_error"] <= 0.05 for r in found)
    return (
        f"{len(found):5}   {mean('source'):.3f}  {mean('auto'):.3f}    {worst[0]:+.3f}, {worst[1]:+.3f}       {off:.3f}"
        f"     {covered:.2f}   {mean('review_gain'):+.3f}   {near:3} of {len(found):2}     {mean('seconds'):.1f}"
    )


def verdicts(title: str, found: list[dict[str, Any]]) -> None:
    """How often a member that is 5 points worse, or better, than the source's classifier is called unsafe."""
    pairs = [(a - r["source"], word) for r in found for n, (a, word) in r["members"].items() if n != "SourceLR"]
    worse, better = [w for gain, w in pairs if gain < -0.05], [w for gain, w in pairs if gain > 0.05]
    print(
        f"{title}: members 5 points below SourceLR called unsafe {worse.count('unsafe')} of {len(worse)}, "
        f"5 points above {better.count('unsafe')} of {len(better)}"
    )


def questions(path: Path, n: int = 20, n_seeds: int = 5) -> None:
    """Answer the questions with the truth, fit again, and compare with as many random ones, on the worst tasks."""
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for table in ("reuters", "amazon"):
        scores = {record["task"]: record["auto"] for record in found if record["task"].startswith(f"{table}/")}
        for name in sorted(scores, key=scores.__getitem__)[:WORST]:
            gains = [gain_by_answers(name, n, seed) for seed in range(n_seeds)]
            chosen, drawn = np.mean(gains, axis=0)
            print(f"{name}: {scores[name]:.3f}, {n} questions {chosen:+.3f}, random ones {drawn:+.3f}", flush=True)


def gain_by_answers(name: str, n: int, seed: int) -> tuple[float, float]:
    """In accuracy, by n answers to questions and to random ones."""
    data = TASKS[name].load(0)
    X = sp.csr_array(sp.vstack([data.Xs, data.Xt]))
    rows = np.repeat([1, -2], [len(data.ys), len(data.yt)])
    y = np.concatenate([data.ys.astype(object), np.full(len(data.yt), "", dtype=object)])
    auto = AutoTransfer(random_state=seed).fit(X, y, rows)
    before = (auto.transduction_ == data.yt).mean()

    def gain(where: np.ndarray) -> float:
        answered = y.copy()
        answered[len(data.ys) + where] = data.yt[where]
        again = AutoTransfer(random_state=seed).fit(X, answered, rows, use_target_labels=True)
        return float((again.transduction_ == data.yt).mean() - before)

    return gain(auto.suggest(n)), gain(np.random.default_rng(seed).choice(len(data.yt), n, replace=False))


def main(arguments: list[str]) -> None:
    options = dict(pairwise(arguments))
    path, jobs = Path(options.get("--out", "auto.jsonl")), int(options.get("--jobs", 1))
    if "--suggest" in arguments:
        questions(path)
        return
    tables = [name for name in arguments if name in TABLES] or TABLES
    found = {r["task"]: r for r in map(json.loads, path.read_text().splitlines())} if path.exists() else {}
    wanted = [name for table in tables for name in tasks_here(table)]
    workers = Parallel(n_jobs=jobs, return_as="generator_unordered")
    with path.open("a") as file:
        for record in workers(delayed(measure)(name) for name in wanted if name not in found):
            file.write(json.dumps(record) + "\n")
            file.flush()
            found[record["task"]] = record
            print(
                f"{record['task']}: source {record['source']:.3f}, auto {record['auto']:.3f}",
                file=sys.stderr,
                flush=True,
            )
    show([found[name] for name in wanted])


if __name__ == "__main__":
    main(sys.argv[1:])
