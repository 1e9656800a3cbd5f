"""Certificates of several rounds of learning are several statements, and how often all of them hold."""

from __future__ import annotations

from collections.abc import Sequence

from ..store.records import CertificateRow


def several_rounds(issued: Sequence[CertificateRow]) -> list[str]:
    """A line that says how often all certificates of a job hold together; none if only one round was certified.

    Certificates of one fit are one statement, because its intervals hold after every answer. `issued` ends with the
    certificate of now; those without an answer say nothing and do not count.
    """
    issued = [row for row in issued if "kind" not in row.content]  # not those about labels that may be used
    levels: dict[int, float] = {}  # per fit, the lowest: the intervals of higher levels contain those of lower ones
    for row in issued:
        if row.content.get("n_answers"):
            levels[row.fit] = min(row.level, levels.get(row.fit, 1.0))
    n = len(levels)
    if n < 2 or issued[-1].fit not in levels:
        return []
    together = 1 - sum(1 - level for level in levels.values())
    alone = 1 - (1 - issued[-1].level) / n
    return [
        f"certificate {n} of this job: labels were certified after {n} rounds of learning. Each statement alone holds "
        f"with its own confidence, the {n} statements about the accuracy together with at least "
        f"{max(0, 100 * together):.4g}%; for {100 * issued[-1].level:g}% together, use --level {alone:.4g} each time"
    ]
