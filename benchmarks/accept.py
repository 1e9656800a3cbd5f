"""Which labels may be used: accepted shares and false claims on all corpora.

python -m benchmarks.accept FOLDER [CORPUS ...]      FOLDER: fitted panels; those that it lacks are fitted first
"""

from __future__ import annotations

import sys
from pathlib import Path

from labelferry_bench.review.accept import run_accept, table

if __name__ == "__main__":
    result = run_accept(Path(sys.argv[1]), corpora=sys.argv[2:] or None, show=lambda line: print(line, file=sys.stderr))
    for name, designs in result["designs"].items():
        print(name, table(designs), sep="\n")
    for name, rows in result["planner"].items():
        print(name, *(rows if isinstance(rows, list) else [rows]), sep="\n    ")
