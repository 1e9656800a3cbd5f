"""Labels that the target has already, as answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..certificate.sampling import NO_CLASS, NONE_OF_THESE, UNCLEAR
from ..inputs.inputs import Inputs
from .cells import as_text, class_named, listed

MAX_NAMED = 5  # unknown labels in a message


def answers_of_target(inputs: Inputs, classes: Sequence[Any]) -> tuple[dict[int, str], list[str]]:
    """Answers from the labels of the target, and messages.

    Parameters
    ----------
    inputs : Inputs
        Documents; `own_labels` has the labels.
    classes : sequence
        The classes of the source.

    Returns
    -------
    answers : dict of int to str
        Row of the target to class. A label that is no class is not used, except "none of these" and "unclear".
    messages : list of str
        How many labels are used, and which are not.
    """
    names = [str(name) for name in classes]
    answers: dict[int, str] = {}
    unknown: Counter[str] = Counter()
    special = {NONE_OF_THESE, NO_CLASS, UNCLEAR}
    for row, label in inputs.own_labels.items():
        name = class_named(as_text(label), names)
        if name is None and as_text(label).casefold() in special:
            name = as_text(label).casefold()
        if name is None:
            unknown[as_text(label)] += 1
        else:
            answers[row] = name
    column, target = inputs.columns.label_target, inputs.all_rows.name
    if column is None or not inputs.own_labels:
        where = f"in column {column!r}" if column is not None else "of its own: name them with label_target="
        return {}, [f"no labels are used as answers: {target} has none {where}"]
    messages = [f"{len(answers)} labels of {target} in column {column!r} are used as answers"]
    if unknown:
        shown = ", ".join(f"{label!r} ({n})" for label, n in unknown.most_common(MAX_NAMED))
        more = f" and {len(unknown) - MAX_NAMED} more" if len(unknown) > MAX_NAMED else ""
        messages.append(
            f"{sum(unknown.values())} labels of {target} are no class of the source and are not used: {shown}{more}. "
            f"The classes are {listed(names)}; write {NO_CLASS!r} if none of them is correct"
        )
    return answers, messages
