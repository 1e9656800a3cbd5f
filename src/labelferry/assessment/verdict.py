"""The verdict in words, with the numbers behind it: on all labels, on the members of the panel, and on classes."""

from __future__ import annotations

from typing import Any, NamedTuple


class Level(NamedTuple):
    """A level: what is said after labelling and before it (`diagnose`), and its color on a terminal."""

    name: str
    sentence: str
    before: str
    color: str


LEVELS = {
    level.name: level
    for level in (
        Level(
            "safe",
            "Most new labels are probably correct, if no class is new or has changed its meaning. Answer questions "
            "for a guarantee.",
            "Labels can be transferred.",
            "green",
        ),
        Level(
            "doubtful",
            "Labels may be wrong. Answer questions to see which to use.",
            "Labels can be transferred, but many may be wrong: check some before use.",
            "yellow",
        ),
        Level(
            "unsafe",
            "Do not use the new labels. Answer questions: some labels may be usable.",
            "Labels can hardly be transferred: label some of the new documents by hand.",
            "red",
        ),
    )
}
BETTER, WORSE, UNKNOWN = "better", "worse", "cannot tell"  # of a member, compared with SourceLR
VANISHED = "vanished"  # of a class


class Verdict(NamedTuple):
    """The verdict on all labels."""

    level: str
    sentence: str
    reasons: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return self._asdict()
