"""How much memory a fit needs, and how much there is."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from ..linalg.matrix import Array

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# What a fit needs beside the matrix: a copy in another order, and the factors of some 64 topics in double precision.
COPIES = 3
ENTRY = 12  # bytes of an entry of the matrix: a value in double precision, and its column
COLUMNS = 64
CLASS_COPIES = 10  # of the weights of all classes: logistic regression keeps its last steps and gradients
MIN_WORDS = 1000  # with fewer words an error is better than a result
MEMINFO, STATM = Path("/proc/meminfo"), Path("/proc/self/statm")
GROUPS = Path("/sys/fs/cgroup")
CONTAINER = (  # limit and use, in the two versions of control groups
    (GROUPS / "memory.max", GROUPS / "memory.current"),
    (GROUPS / "memory/memory.limit_in_bytes", GROUPS / "memory/memory.usage_in_bytes"),
)


def bytes_of_words(
    documents: Array, n_documents: int, n_classes: int, *, copies: int = COPIES, columns: int = COLUMNS
) -> Array:
    """Bytes that a fit needs with the 1, 2, ... most frequent words."""
    per_word = 8 * max(columns * COPIES, n_classes * CLASS_COPIES)
    entries = np.sort(documents)[::-1].astype(np.int64)
    return np.asarray(np.cumsum(entries * ENTRY * copies + per_word) + 8 * max(columns, n_classes) * n_documents)


def words_within(documents: Array, n_documents: int, max_memory: float, n_classes: int, *, copies: int = COPIES) -> int:
    """How many words, the most frequent first, allow a fit to stay below so many bytes; see `bytes_of_words`."""
    needed, n_words = bytes_of_words(documents, n_documents, n_classes, copies=copies), len(documents)
    keep = int(np.searchsorted(needed, max_memory, side="right"))
    least = min(MIN_WORDS, n_words)
    if keep < least:
        megabytes = math.ceil(needed[least - 1] / 1e6)
        raise ValueError(
            f"max_memory is {max_memory / 1e6:.4g} MB, and a fit of {n_documents:,} documents and {least:,} words, the "
            f"fewest possible here, needs {megabytes} MB. Pass at least max_memory={megabytes}e6 "
            f"(--max-memory {megabytes}M), or fewer documents or classes."
        )
    return keep


def check_memory(documents: Array, n_documents: int, n_classes: int, *, on_workers: bool = False) -> None:
    """Raise an error before a fit that needs more memory than there is."""
    # The estimate holds for every method: it counts the matrix once, or not at all if it stays on Dask workers.
    there = free_memory()
    copies = 0 if on_workers else 1
    needed = bytes_of_words(documents, n_documents, n_classes, copies=copies, columns=0).max(initial=0)
    if there is None or needed <= there:
        return
    ways = []
    with suppress(ValueError):  # too few words would be left
        words_within(documents, n_documents, there / 2, n_classes, copies=COPIES * copies)
        ways.append(f"pass max_memory (--max-memory {max(there / 2e9, 0.1):.1f}G) to keep the most frequent words")
    of_classes = 8 * n_classes * (CLASS_COPIES * len(documents) + n_documents)
    ways.append("merge classes" if of_classes > needed / 2 else "pass fewer documents")
    raise ValueError(
        f"a fit of {n_documents:,} documents, {len(documents):,} words and {n_classes:,} classes needs about "
        f"{needed / 1e9:.1f} GB, and {there / 1e9:.1f} GB are free. To go on, {' or '.join(ways)}."
    )


def free_memory() -> float | None:
    """Bytes that this process can still use: of the machine, its container or its limit; None if unknown."""
    free = []
    if MEMINFO.is_file():
        lines = dict(line.split(":", 1) for line in MEMINFO.read_text().splitlines())
        free += [float(lines["MemAvailable"].split()[0]) * 1024] if "MemAvailable" in lines else []
    elif hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        free.append(float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    for limit, used in CONTAINER:
        if limit.is_file() and used.is_file() and (most := limit.read_text().strip()).isdigit():
            free.append(max(float(most) - float(used.read_text()), 0.0))
    if resource is not None and STATM.is_file():
        bytes_allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
        mapped = int(STATM.read_text().split()[0]) * resource.getpagesize()
        free += [float(max(bytes_allowed - mapped, 0))] if bytes_allowed != resource.RLIM_INFINITY else []
    return min(free, default=None)
