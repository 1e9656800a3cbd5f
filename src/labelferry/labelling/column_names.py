"""Names of the columns that labelferry writes, and of the values in them."""

from __future__ import annotations

from .marks import MARK

HELD_OUT = "held_out"  # labels of fits without the answer of the row; empty if it was not learned from
NOT_KNOWN = "?"  # in this column
PREDICTED_LABEL = "predicted_label"  # of a job's file, in which `label` is the answer if there is one
ACCEPT_RANK, ACCEPTED = "accept_rank", "accepted"
CHILD = ("child", "child_confidence")  # of a parent
PROBABILITIES = "probabilities"  # of several labels per document: one number per label, as JSON
GIVEN, PREDICTED = "given", "predicted"  # in the column origin
NEW_COLUMNS = (  # a user's column of such a name is always renamed, also if this run does not have the new one
    *("label", "confidence", "alternative", "evidence", "needs_review", "none_of_these", "source_only", "known_words"),
    *("other_language", HELD_OUT, PREDICTED_LABEL, "answer", "reason", "origin"),
    *(ACCEPT_RANK, ACCEPTED, PROBABILITIES, MARK),
)
