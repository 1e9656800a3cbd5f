"""Documents of a class that the source lacks: how many are found, and how often a complete task is flagged.

Nothing is fitted except the limits, so it takes about a quarter of an hour:

    LABELFERRY_DATA=data python benchmarks/new_classes.py results/new_classes

Complete tasks are those of `labelferry bench trust`. Tasks with a new class, a third of the target: its 17 traps; for
every corpus with three classes or more, up to seven pairs of domains without one class of the source; for every English
corpus with two classes, two targets into which documents of another corpus are mixed. All figures are
leave-one-corpus-out.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from labelferry.assessment.new_classes import NOT_MARKED, Clusters, mark_documents, measure_clusters
from labelferry_bench.datasets.domains import domain_corpora, load_domains
from labelferry_bench.trust.calibrate import fit_new_classes
from labelferry_bench.trust.records import path_of
from labelferry_bench.trust.tasks import TaskData, TrustTask, all_tasks, draw, read_corpus, vectorize

CHINESE_CORPUS, OTHERS = "shopping_zh", ("news_topics", "github_issues")
TOPICS = ("news_topics", "newsgroups")  # corpora whose classes are topics
MIXED, N_PAIRS = "mixed", 7


class Measured(NamedTuple):
    """A task with the clusters of its target."""

    corpus: str
    kind: str
    clusters: Clusters
    new: np.ndarray  # True for documents of a class that the source lacks


def without_a_class(name: str) -> Iterator[TrustTask]:
    """Pairs of domains without one class of the source."""
    corpus = load_domains(name)
    labels, domains = corpus.fields["label"], corpus.fields["domain"]
    rng = np.random.default_rng(crc32(name.encode()) + 1)
    classes = np.unique(labels)
    pairs = rng.permutation(list(permutations(np.unique(domains).tolist(), 2))).tolist()
    seen: set[tuple[str, str, str]] = set()
    for a, b in pairs * 2:
        n_source, n_target = ({c: int(((domains == d) & (labels == c)).sum()) for c in classes} for d in (a, b))

        def possible(
            c: str, a: str = a, b: str = b, source: dict[str, int] = n_source, target: dict[str, int] = n_target
        ) -> bool:
            others = [k for k in classes if k != c]
            return (
                (a, b, c) not in seen
                and source[c] >= 10
                and target[c] >= 60
                and sum(source[k] for k in others if source[k] >= 10) >= 100
                and sum(source[k] >= 10 and target[k] >= 20 for k in others) >= 2
                and sum(target[k] for k in others if source[k]) >= 120
            )

        candidates = [c for c in classes if possible(c)]
        if not candidates:
            continue
        missing = str(candidates[rng.integers(len(candidates))])
        seen.add((a, b, missing))
        task = TrustTask(f"new/{name} {a} to {b}: {missing}", name, "new", data=name, sources=(a,), target=b)
        yield replace(task, n_source=1500, n_target=1500, missing_class=missing)
        if len(seen) == N_PAIRS:
            return


def tasks() -> Iterator[TrustTask]:
    """All tasks; `foreign` of a mixed one is the corpus that is mixed in."""
    bench = [task for task in all_tasks() if task.kind in ("plain", "missing class")]
    yield from sorted(bench, key=lambda task: (task.table_task, task.data))
    for name in domain_corpora():
        n_classes = len(np.unique(load_domains(name).fields["label"]))
        if n_classes > 2:
            yield from without_a_class(name)
        elif name != CHINESE_CORPUS:
            natural = [
                task
                for task in bench
                if task.corpus == name and len(task.sources) == 1 and task.n_source >= 1000
                if task.rare_source is None and task.rare_target is None
            ]
            for task, other in zip(natural[:2], OTHERS, strict=False):
                yield replace(task, name=f"mix/{task.name} + {other}", kind=MIXED, foreign=other)
    for seed in (3, 4, 5):
        for missing in ("rec", "sci", "talk"):
            task = TrustTask(f"new/newsgroups:{seed} {missing}", "newsgroups", "new", data=f"newsgroups:{seed}")
            yield replace(task, sources=("A",), target="B", n_source=1500, n_target=1500, missing_class=missing)


def mix(task: TrustTask) -> TaskData:
    """Two thirds of the target are its own documents, one third are documents of a domain of another corpus."""
    rng = np.random.default_rng(crc32(task.name.encode()))
    corpus, other = read_corpus(task.data), read_corpus(task.foreign)
    labels, domains = corpus.fields["label"], corpus.fields["domain"]
    classes = np.unique(labels[np.isin(domains, task.sources)])
    source, target = (np.flatnonzero(np.isin(domains, d)) for d in (task.sources, [task.target]))
    target = target[np.isin(labels[target], classes)]
    source = source[draw(rng, labels[source], classes, task.n_source, None)]
    target = target[draw(rng, labels[target], classes, 1000, None)]
    mixed_in = np.flatnonzero(other.fields["domain"] == rng.choice(np.unique(other.fields["domain"])))
    mixed_in = rng.permutation(mixed_in)[: len(target) // 2]
    texts = [corpus.texts[i] for i in target] + [other.texts[i] for i in mixed_in]
    Xs, Xt = vectorize([corpus.texts[i] for i in source], texts, pairs=False)
    yt = np.append(np.searchsorted(classes, labels[target]), np.full(len(mixed_in), len(classes)))
    ys = np.searchsorted(classes, labels[source])
    return TaskData(Xs, ys, np.zeros(len(ys), dtype=int), Xt, yt, classes)


def measure(task: TrustTask, folder: Path) -> Measured:
    """The clusters of a task, from the folder if it was measured before."""
    path = path_of(task, folder)
    if not path.is_file():
        data = mix(task) if task.kind == MIXED else task.load()
        clusters = measure_clusters(data.Xs, data.ys, data.Xt, len(data.classes))
        np.savez(path, cluster=clusters.cluster, contrasts=clusters.contrasts, yt=data.yt, K=len(data.classes))
    with np.load(path) as file:
        clusters = Clusters(file["cluster"], file["contrasts"])
        return Measured(task.corpus, task.kind, clusters, file["yt"] == file["K"])


def evaluate(measured: list[Measured]) -> dict[tuple[str, str], list[tuple[float, float, float]]]:
    """Per kind and corpus, of each task: flagged or not, share of new documents found, precision of the marks."""
    rows = defaultdict(list)
    for corpus in sorted({task.corpus for task in measured}):
        rest = [task for task in measured if task.corpus != corpus and task.kind == "plain"]
        c = fit_new_classes([task.clusters for task in rest], np.array([task.corpus for task in rest]))
        for task in measured:
            if task.corpus == corpus:
                marked = mark_documents(task.clusters, c, len(task.new)) != NOT_MARKED
                found = float(marked[task.new].mean()) if task.new.any() else np.nan
                precision = float(task.new[marked].mean()) if marked.any() else np.nan
                rows[task.kind, corpus].append((float(marked.any()), found, precision))
    return rows


def main(folder: Path) -> None:
    """Measure all tasks and print the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = evaluate([task for task in (measure(t, folder) for t in tasks()) if task.kind == "plain" or task.new.any()])
    mean = lambda values: np.array([np.nanmean(v) if np.isfinite(v).any() else np.nan for v in np.array(values).T])  # noqa: E731
    print(f"{'kind':15}{'corpus':20} tasks flagged found precision")
    for (kind, corpus), values in sorted(rows.items()):
        print(f"{kind:15}{corpus:20}{len(values):6}", *(f"{v:7.2f}" for v in mean(values)))
    for kind in ("plain", "missing class", "new", MIXED):
        means = [mean(values) for (k, _), values in rows.items() if k == kind]
        print(f"{kind:15}{'mean over corpora':26}", *(f"{v:7.3f}" for v in mean(means)))
    new = ("missing class", "new")
    for name, inside in (("classes are topics", True), ("other classes", False)):
        values = [v for (k, c), vs in rows.items() for v in vs if k in new and (c in TOPICS) == inside]
        print(f"{name:35}{len(values):6}", *(f"{v:7.2f}" for v in mean(values)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
