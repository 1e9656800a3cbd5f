"""Time of the spectral and hybrid-graph methods, compared with SpectralClustering of scikit-learn, at full size.

    python -m benchmarks.spectral_speed [ROUNDS]

SpectralClustering uses the dense cosine matrix of the target only, and its time includes computing the matrix; our
methods use both domains. Medians over the rounds of times and of ratios within a round, on comp vs sci and sci vs talk
of GCMF's Table 2 (tf-idf).
"""

from __future__ import annotations

import os
import statistics
import sys
from pathlib import Path

from sklearn.cluster import SpectralClustering
from tests.corpora import newsgroups
from tests.planted import Task

from benchmarks.timing import time_rounds
from labelferry import CDSC, RSP, HybridLabelPropagation, HybridSimilarityPropagation

NEWS = Path(os.environ.get("LABELFERRY_DATA", "../shared/data")) / "20news/20news-bydate.jsonl.gz"
REFERENCE = "SpectralClustering"


def spectral_clustering(task: Task) -> None:
    W = (task.Xt @ task.Xt.T).toarray().clip(0)
    SpectralClustering(2, affinity="precomputed", random_state=0).fit(W)


RUNS = {
    REFERENCE: spectral_clustering,
    "HybridLabelPropagation": lambda task: HybridLabelPropagation().transfer(*task[:3]),
    "HybridSimilarityPropagation": lambda task: HybridSimilarityPropagation().transfer(*task[:3]),
    "CDSC": lambda task: CDSC(random_state=0).transfer(*task[:3]),
    "RSP": lambda task: RSP(random_state=0).transfer(*task[:3]),
}


def main(rounds: int) -> None:
    """Print one line per method and task."""
    for pair in (("comp", "sci"), ("sci", "talk")):
        task = newsgroups(NEWS, pair)
        print(f"{' vs '.join(pair)}: {task.Xs.shape[0]} + {task.Xt.shape[0]} documents, {task.Xs.shape[1]} words")
        seconds = time_rounds(RUNS, task, rounds)
        for name, taken in seconds.items():
            ratio = statistics.median(a / b for a, b in zip(taken, seconds[REFERENCE], strict=True))
            print(f"  {name:28} {statistics.median(taken):6.2f} s   ratio {ratio:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
