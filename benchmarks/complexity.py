"""How the time of the methods of the five papers grows with the number of documents n and of words m.

    python -m benchmarks.complexity

CPU seconds of one fit on generated documents of about 61 words, for doubling n with m fixed and the other way round,
and the exponent of the growth between the smallest and the largest: 1 is linear. The papers state O(k N nnz) for CDSC
and O(k m n + m n^2 + m^2 n) for GCMF.
"""

from __future__ import annotations

import math
import time

from labelferry.core.method_spec import make_method
from labelferry_bench.generated import generate_task

METHODS = ("CDSC", "GCMF", "HybridLabelPropagation", "HybridSimilarityPropagation", "RSP", "TCL")
DOCUMENTS, WORDS = (4_000, 8_000, 16_000, 32_000), (10_000, 20_000, 40_000, 80_000)
FIXED = {"documents": 8_000, "words": 20_000}


def seconds(method: str, documents: int, words: int) -> float:
    """CPU seconds of one fit."""
    task = generate_task(documents, n_words=words)
    began = time.process_time()
    make_method(method, 0).transfer(task.Xs, task.ys, task.Xt)
    return time.process_time() - began


def main() -> None:
    seconds("TCL", 200, 1_000)  # imports
    for axis, sizes in (("documents", DOCUMENTS), ("words", WORDS)):
        print(f"\n{axis}".ljust(32), *(f"{size:>8,}" for size in sizes), "  exponent")
        for method in METHODS:
            taken = [seconds(method, **{**FIXED, axis: size}) for size in sizes]
            exponent = math.log(taken[-1] / taken[0]) / math.log(sizes[-1] / sizes[0])
            print(method.ljust(31), *(f"{t:8.2f}" for t in taken), f"{exponent:10.2f}", flush=True)


if __name__ == "__main__":
    main()
