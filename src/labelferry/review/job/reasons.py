"""Why a document is shown, in sentences for people."""

from __future__ import annotations

WHY = {
    "audit": "A random sample of all documents. It shows how many labels are correct.",
    "duel": "A random sample of the documents on which the label and the source-only classifier differ. It shows which "
    "of the two is better.",
    "group": "Typical documents of groups of similar documents. Together they cover all kinds of documents: the labels "
    "learn slightly more from them than from a random sample.",
    "new": "Documents that are like no class of the labelled documents.",
    "accept": "A random sample of the most certain labels. It shows which labels can be used without looking.",
    "again": "Documents whose answer contradicts the label. If two further answers agree with the label, it counts as "
    "right.",
    "find": "All documents of one class are searched: the most probable ones, and random ones.",
    "list": "Documents that were chosen in the list.",
}


def reason(purpose: str, label: str, source_only: str) -> str:
    """Why this document is shown, in one or two sentences."""
    if purpose == "duel":
        return (
            f"The label is {label!r}, the classifier trained on the labelled documents only gives {source_only!r}. "
            "Your answer shows which of the two is better."
        )
    return reason_without_labels(purpose)


def reason_without_labels(purpose: str) -> str:
    """Why a document is shown, for a person who must not see predictions.

    >>> reason_without_labels("group")
    'Typical of a group of similar documents. The labels of the whole group learn from your answer.'
    """
    return {
        "audit": "Chosen at random. Your answer helps to show how many labels are correct.",
        "duel": "The label differs from that of the classifier trained on the labelled documents only. Your answer "
        "shows which of the two is better.",
        "group": "Typical of a group of similar documents. The labels of the whole group learn from your answer.",
        "new": "It is like no class of the labelled documents: it may belong to a new class.",
        "accept": "Chosen at random. Your answer decides which labels can be used without looking.",
        "again": "Asked again on purpose, also the same person: one slip must not decide. Answer as if it were new.",
        "find": "Probable for the class, or chosen at random. Both are needed to say how many are found.",
    }.get(purpose, "You chose it in the list.")
