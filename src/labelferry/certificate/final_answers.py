r"""Which labels are wrong by what people finally say, if documents may be asked about more than once.

One right label that is called wrong by mistake costs about 50 answers, so documents whose answer
contradicts the label may be asked about again, by other persons if there are any, who see neither the label nor the
earlier answers. The claim is then about what people finally say: the label of a document is right if the first answer
agrees with it, or if the first one does not but the next `agreeing` ones all do. This is a fixed property of each
document, whatever is asked and when, so the tests of `accept.py` are exact for it; as long as these answers are not all
there, the label counts as wrong, which is on the safe side.

About the true classes it says the same if *no answer agrees with a wrong label*. Right labels that are called wrong
only make the accepted set smaller. Wrong labels that are overlooked make claims false, and asking again adds to them:
if a person overlooks the share q of the wrong labels, people finally overlook q + (1 - q) q^agreeing. Therefore two
further answers must agree by default, not one. Asking again finds nothing that the first answer overlooked: hide the
labels. Measured on 85 tasks, limit 5%, 20 answers to learn from, accepted share after 120 / 200 answers (all answers
counted) and runs with any false claim about the true classes:

    mistakes of each person                      not again             1 agrees              2 agree
    2% of the right labels are called wrong     .078 / .136  .002     .186 / .260  .016     .177 / .254  .016
    20% of the wrong labels are overlooked      .211 / .289  .085     .228 / .317  .160     .213 / .292  .092
    both                                         .085 / .147  .020     .220 / .313  .154     .196 / .282  .085
    none                                         .195 / .264  .016
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..linalg.matrix import Array

AGREEING = 2


def wrong_labels(
    labels: Array, first: Mapping[int, int], again: Mapping[int, Sequence[int]] | None = None, agreeing: int = AGREEING
) -> dict[int, bool]:
    """Which answered labels are wrong, by what people finally say; codes that are no class are wrong.

    >>> import numpy as np
    >>> wrong_labels(np.array([0, 1, 1, 0]), {0: 0, 1: 0, 2: 0, 3: -1}, {1: [1, 1], 2: [1, 2], 3: [0]})
    {0: False, 1: False, 2: True, 3: True}
    """
    more = again or {}
    return {
        row: bool(code != labels[row] and not (agree(more.get(row, ()), agreeing) and more[row][0] == labels[row]))
        for row, code in first.items()
    }


def contradictions(
    labels: Array, first: Mapping[int, int], again: Mapping[int, Sequence[int]] | None = None, agreeing: int = AGREEING
) -> list[int]:
    """The documents to ask about once more: one more answer may still show that the label is right."""
    more = again or {}

    def is_open(row: int) -> bool:
        answers = more.get(row, ())
        return len(answers) < agreeing and all(answer == labels[row] for answer in answers)

    return [row for row, code in first.items() if code != labels[row] and is_open(row)]


def agree(answers: Sequence[object], agreeing: int = AGREEING) -> bool:
    """Whether the first answers to a question that was asked again are enough, and the same."""
    return len(answers) >= agreeing and len(set(answers[:agreeing])) == 1
