"""What to do after answers: one rule for files and jobs."""

from __future__ import annotations

from .frozen import OTHER_ERROR
from .usable import Usable
from .usable_text import saves_reading

ASK, LEARN, RAISE, STOP = "ask", "learn", "raise", "stop"  # ask for answers, learn from them, allow more wrong labels


def next_step(usable: Usable, *, can_learn: bool) -> str:
    """The next step. `can_learn`: there are answers that the labels have not learned from.

    If no (more) labels will be usable at this limit, it is raised if that may make the first ones usable; otherwise the
    labels learn, unless most of them can be used already. Answers are asked for as long as they make more labels usable
    than people read for it, if nothing can be used without them, and where an answer may have been a slip.
    """
    if usable.learning is not None:
        return ASK
    if usable.whole_file:
        return ASK if usable.finished.needs else STOP
    if usable.out_of_reach or not (usable.n or usable.needs):
        if usable.other_limit():
            return RAISE
        if 2 * usable.n >= usable.n_documents:
            return STOP
        return LEARN if can_learn else RAISE if usable.n and usable.error < OTHER_ERROR else STOP
    if usable.again or (usable.needs and (not usable.n or saves_reading(usable.as_dict()))):
        return ASK
    return STOP
