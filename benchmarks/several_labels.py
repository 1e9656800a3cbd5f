"""Several labels per document on Reuters-21578: topics from stories about the USA to stories about other countries.

    python -m benchmarks.several_labels quality     balanced accuracy per topic, jointly and one by one
    python -m benchmarks.several_labels cost        CPU seconds of 20 topics divided by those of one
    python -m benchmarks.several_labels coverage    how often each statement of a certificate is false
    python -m benchmarks.several_labels learning    what random answers change for the documents without an answer
    python -m benchmarks.several_labels ladders     how often the claim of `accept` is false, per topic and per document

A story has 0 to 16 topics. The labelled documents are 2,000 stories whose only place is the USA, the new ones 2,000
whose places are others. Topics are the 20 most frequent ones of the labelled documents. `--weeks`: labelled stories are
those of the first half of the corpus, which is ordered by time, new ones those of the second. `--newsgroups`: every
second document of 20 newsgroups, one label per document, as yes and no for each group. One by one means `AutoTransfer`
for yes and no, with the same words and its own order of the documents. Answers are the true topics.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import balanced_accuracy_score, f1_score

import labelferry
from labelferry.api import MultiResult
from labelferry.certificate.interval import clopper_pearson
from labelferry.labelling.multi import RARE
from labelferry.labelling.multi_pool import learn_labels, pools_of
from labelferry.review.sample.accept_files import draw_accept
from labelferry.review.sample.audit import draw
from labelferry.review.sample.filled import read_sample
from labelferry.review.sample.frozen import Limit
from labelferry.review.sample.population import Population, population_of_several
from labelferry.review.sample.several import accept_several, certify_several
from labelferry_bench.datasets.newsgroups import load_newsgroups
from labelferry_bench.datasets.reuters import load_reuters

N_DOCUMENTS, N_TOPICS, MIN_LENGTH = 2000, 20, 200
N_DRAWS, N_ANSWERS = 200, 60
N_LADDERS, N_ROUNDS = 100, 4
N_LEARNING = 3  # draws of answers


class Task(NamedTuple):
    """Labelled and new stories with their topics."""

    texts: list[str]
    topics: list[list[str]]
    new_texts: list[str]
    new_topics: list[set[str]]
    name: str


def make_task(name: str, seed: int = 0) -> Task:
    """2,000 + 2,000 documents; only the most frequent topics are kept."""
    corpus = load_newsgroups() if name == "newsgroups" else load_reuters()
    long = np.array([len(text) > MIN_LENGTH for text in corpus.texts])
    numbers = np.arange(len(long))
    topics: Any = corpus.fields["topics"] if name != "newsgroups" else [(str(g),) for g in corpus.fields["group"]]
    if name == "places":
        places = corpus.fields["places"]
        first = np.array([tuple(names) == ("usa",) for names in places])
        long &= first | np.array([bool(names) and "usa" not in names for names in places])
    else:
        first = numbers < len(long) // 2 if name == "weeks" else numbers % 2 == 0
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(np.flatnonzero(long & side))[:N_DOCUMENTS].tolist() for side in (first, ~first)]
    kept = {topic for topic, _ in Counter(t for i in rows[0] for t in topics[i]).most_common(N_TOPICS)}
    own = [[[t for t in topics[i] if t in kept] for i in side] for side in rows]
    texts = [[corpus.texts[i] for i in side] for side in rows]
    return Task(texts[0], own[0], texts[1], [set(names) for names in own[1]], name)


def run(task: Task, topics: list[list[str]]) -> MultiResult:
    """The labels of all topics."""
    found: Any = labelferry.label(task.texts, task.new_texts, label=topics, multi=True, seed=0)
    return found


@cache
def all_topics(name: str) -> MultiResult:
    """`run` for all documents, once."""
    task = make_task(name)
    return run(task, task.topics)


def quality(task: Task) -> None:
    """Balanced accuracy per topic, jointly and one by one, and what was estimated."""
    result = all_topics(task.name)
    features = result.any_part.features
    print("topic           labelled  true  joint  alone  labels that differ  estimate")
    rows = []
    for j, name in enumerate(result.names):
        truth = np.array([name in names for names in task.new_topics])
        labelled = np.array([name in names for names in task.topics])
        alone = labelferry.AutoTransfer(random_state=0).transfer(features.Xs, [labelled], features.Xt)
        joint = result.indicator[:, j]
        scores = [balanced_accuracy_score(truth, labels) for labels in (joint, alone)]
        estimate = result[name].estimated_balanced_accuracy["mean"] or np.nan
        f1 = [f1_score(truth, labels, zero_division=0) for labels in (joint, alone)]
        rows.append([*scores, estimate, *f1, labelled.mean()])
        counts = f"{labelled.sum():8d} {truth.sum():5d}"
        print(
            f"{name:15} {counts}  {scores[0]:.3f}  {scores[1]:.3f}  {int((joint != alone).sum()):18d}  {estimate:.3f}"
        )
    scores = np.array(rows)
    rare = scores[:, -1] < RARE
    for what, chosen in (("all", rare | True), (f"labelled share below {RARE:g}", rare), ("others", ~rare)):
        if not chosen.any():
            continue
        mean = scores[chosen].mean(axis=0)
        print(
            f"mean of {chosen.sum()} ({what}): balanced accuracy {mean[0]:.3f} jointly, {mean[1]:.3f} alone; "
            f"F1 {mean[3]:.3f} jointly, {mean[4]:.3f} alone; estimate {mean[2]:.3f}",
            flush=True,
        )
    right = np.array([a == set(b or ()) for a, b in zip(task.new_topics, result.sets, strict=True)])
    truth = np.array([[name in names for name in result.names] for names in task.new_topics])
    brier = float(((result.proba - truth) ** 2).mean())
    print(f"all topics right: {right.mean():.3f}, expected {result.confidence.mean():.3f}; Brier score {brier:.4f}")


def cost(task: Task) -> None:
    """CPU seconds of all topics divided by those of one, the mean of three runs with one topic each."""
    names = sorted(Counter(t for names in task.topics for t in names), key=str)
    frequent = [name for name, _ in Counter(t for row in task.topics for t in row).most_common(6)][::2]
    run(task._replace(texts=task.texts[:300], new_texts=task.new_texts[:300]), task.topics[:300])  # loads everything
    start = time.process_time()
    run(task, task.topics)
    several = time.process_time() - start
    one = []
    for name in frequent:
        labels = ["yes" if name in row else "no" for row in task.topics]
        start = time.process_time()
        labelferry.label(task.texts, task.new_texts, label=labels, seed=0)
        one.append(time.process_time() - start)
    ratio = several / np.mean(one)
    print(f"{len(names)} topics: {several:.1f} CPU seconds; one: {np.mean(one):.2f}; ratio {ratio:.2f}")


def filled(population: Population, task: Task, sample: Any) -> dict[str, list[Any]]:
    """A sample with the true topics as answers."""
    form = population.several.form if population.several else None
    rows = [int(number) - 1 for number in sample.columns["row"]]
    answers = [form.text(task.new_topics[row] & set(form.names)) if form else "" for row in rows]
    return {**sample.columns, "answer": answers}


def coverage(task: Task) -> None:
    """How often the intervals of a certificate miss the truth, over random samples; at most 5% is promised."""
    result = all_topics(task.name)
    population = population_of_several(result)
    truth = np.array([[name in names for name in result.names] for names in task.new_topics])
    right = np.array([set(a or ()) == b for a, b in zip(result.sets, task.new_topics, strict=True)])
    missed: Counter[str] = Counter()
    stated: Counter[str] = Counter()

    def check(name: str, interval: Any, value: float) -> None:
        if interval is not None:
            stated[name] += 1
            missed[name] += not interval.low - 1e-12 <= value <= interval.high + 1e-12

    for seed in range(N_DRAWS):
        sample = draw(population, N_ANSWERS, seed=seed)
        found = certify_several(population, read_sample(filled(population, task, sample), population))
        check("documents: all labels right", found.documents.accuracy, float(right.mean()))
        for j, one in enumerate(found.labels):
            both = int((truth[:, j] & result.indicator[:, j]).sum())
            check(f"{one.label}: proportion", one.proportion, float(truth[:, j].mean()))
            check(f"{one.label}: precision", one.precision, both / max(1, int(result.indicator[:, j].sum())))
            check(f"{one.label}: recall", one.recall, both / max(1, int(truth[:, j].sum())))
    show_misses(missed, stated)


def show_misses(missed: Counter[str], stated: Counter[str]) -> None:
    """The most frequent misses, with the chance interval of their share."""
    shares = {name: missed[name] / n for name, n in stated.items()}
    worst = sorted(shares, key=lambda name: -shares[name])[:5]
    total = missed.total() / stated.total()
    print(f"{len(stated)} statements, {stated.total():,} intervals, {total:.2%} miss the truth; the worst:")
    for name in worst:
        low, high = clopper_pearson(missed[name], stated[name])
        print(f"  {name:40} {missed[name]:3d} of {stated[name]:4d}: {shares[name]:.1%} ({low:.1%} to {high:.1%})")


def ladders(task: Task) -> None:
    """How often more labels are wrong than `accept` says, per document and for the three topics with most labels."""
    result = all_topics(task.name)
    population = population_of_several(result)
    most = np.argsort(-result.indicator.sum(axis=0))[:3]
    right = {None: np.array([set(a or ()) == b for a, b in zip(result.sets, task.new_topics, strict=True)])}
    right |= {result.names[j]: np.array([result.names[j] in names for names in task.new_topics]) for j in most}
    missed: Counter[str] = Counter()
    stated: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for name, is_right in right.items():
        key, limit = name or "documents", Limit(0.2, name=name or "")
        for seed in range(N_LADDERS):
            samples: list[Any] = []
            for _ in range(N_ROUNDS):
                own_seed = None if samples else seed
                usable, _ = accept_several(population, samples, limit, seed=own_seed)
                wanted = max((n for n, _ in usable.needs[:1]), default=0)
                if not wanted:
                    break
                samples.append(filled(population, task, draw_accept(population, usable, min(wanted, N_ANSWERS))))
            usable, _ = accept_several(population, samples, limit, seed=None if samples else seed)
            wrong = int((~is_right[usable.rows]).sum())
            stated[key] += 1
            used[key] += usable.n
            missed[key] += wrong > usable.at_most_wrong
    show_misses(missed, stated)
    print({name: round(n / N_LADDERS) for name, n in used.items()}, "labels used on average")


def learning(task: Task) -> None:
    """Balanced accuracy, and documents with all labels right, after random answers; of those without an answer."""
    result = all_topics(task.name)
    pools, rows = pools_of(result), result.inputs.documents.rows
    documents = rows[pools.rows]
    truth = np.array([[name in task.new_topics[row] for name in result.names] for row in documents.tolist()])
    for n in (0, 20, 60, 120):
        found = []
        for seed in range(N_LEARNING):
            answered, rest = np.split(np.random.default_rng(seed).permutation(len(truth)), [n])
            P = learn_labels(pools, np.sort(answered), truth[np.sort(answered)].astype(int)).proba if n else pools.start
            labels = P[rest] > 0.5
            each = [balanced_accuracy_score(truth[rest, j], labels[:, j]) for j in range(truth.shape[1])]
            found.append((np.mean(each), (labels == truth[rest]).all(axis=1).mean()))
        balanced, right = np.mean(found, axis=0)
        print(f"{n:4d} answers: balanced accuracy {balanced:.3f}, all labels right {right:.3f}", flush=True)


def main(arguments: list[str]) -> None:
    task = make_task(next((name for name in ("weeks", "newsgroups") if f"--{name}" in arguments), "places"))
    work = {"quality": quality, "cost": cost, "learning": learning, "coverage": coverage, "ladders": ladders}
    for name in [name for name in arguments if name in work] or list(work):
        print(f"== {name}")
        work[name](task)


if __name__ == "__main__":
    main(sys.argv[1:])
