"""Which labels may be used without looking, with what guarantee, and how few answers are needed for more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...certificate import UNCLEAR_CODE
from ...certificate.accept import Step, waiting
from ...certificate.accepted import Accepted, accept_labels
from ...certificate.expected import N_LEARN as N_LEARN
from ...certificate.final_answers import agree, contradictions, wrong_labels
from ...certificate.finish import Finished, finish_file, finish_questions
from ...certificate.ladder import Ladder
from ...certificate.rounds import accept_several, next_of_several, round_tail, union
from ...linalg.matrix import Array
from .frozen import ERROR as ERROR
from .frozen import OTHER_ERROR, USUAL, Frozen, Ladders, Limit, make_ladders
from .usable_text import sentences

N_LEARN_MANY, MANY = 40, 200  # if so many answers are planned
YES, ANSWER = "yes", "answer"  # in the column accepted


class Learning(NamedTuple):
    """Random answers that the labels learn from first: how many there are, of how many."""

    answers: int
    of: int

    @property
    def now(self) -> bool:
        """Whether there are enough: learn now."""
        return self.answers >= self.of


class Further(NamedTuple):
    """Answers of people by place: the first ones, and those that were given when the document was asked again."""

    first: Mapping[int, int]  # class codes; K for none of these, -1 for unclear and for a disagreement
    again: Mapping[int, Sequence[int]]
    others: Mapping[int, int] = MappingProxyType({})  # by row of the file: of documents without a predicted label
    decided: Mapping[int, int] | None = None  # of a job: what people say now about all answered places

    def said(self, place: int) -> int:
        """What people say about a place, if its label is wrong. Corrections count here, but test no label."""
        again = self.again.get(place, ())
        first = again[0] if agree(again) else self.first[place]
        return first if self.decided is None else self.decided.get(place, first)

    def known(self, frozen: Frozen) -> dict[int, int]:
        """What people say about the places that the labels learned from."""
        pairs = zip(frozen.known.rows.tolist(), frozen.known.codes.tolist(), strict=True)
        now = self.decided
        return {row: code if now is None else now.get(row, UNCLEAR_CODE) for row, code in pairs}


@dataclass(frozen=True, eq=False, repr=False)
class Usable:
    """The labels that may be used, for all rows of the user's file.

    Rows count from 0; in files and messages, the column `row` counts from 1.
    """

    frozen: Frozen  # the labels
    limit: Limit
    ladders: Ladders  # what was fixed before the first answer
    given: Further  # the answers
    current: Accepted  # what they certify in this round of learning
    earlier: tuple[Accepted, ...]  # what was certified in earlier rounds and stays as it was
    finished: Finished  # the other promise: how many labels to use if people label all other documents
    round_number: int = 1  # 1, or the number of this round if there were others with labels that had learned less
    before: float = 0.0  # probability that any statement of earlier rounds is false
    # if the labels are to learn from random answers first: nothing is certified before
    learning: Learning | None = None
    whole_file: bool = False  # whether rows, labels, columns and text are those of the other promise
    # rows of the file with an answer in earlier rounds, and whether the label of then was wrong
    counted: Mapping[int, bool] = field(default_factory=dict)
    alone: bool = False  # whether the labels learned from answers, and it is unknown what was accepted before

    @cached_property
    def accepted(self) -> Accepted:
        """The claim about the labels of all rounds, by place."""
        if not self.earlier:
            return self.current
        together = union([*self.earlier, self.current])
        return together._replace(tail=self.tail, rungs=self.current.rungs, chance=self.current.chance)

    @property
    def ladder(self) -> Ladder:
        """The ladder; the first one if each class has its own."""
        return self.ladders.current[0]

    @property
    def error(self) -> float:
        """Allowed share of wrong labels."""
        return self.limit.error

    @property
    def tail(self) -> float:
        """Probability that any statement so far is false."""
        return self.before + round_tail(self.round_number)

    @property
    def level(self) -> float:
        """Confidence of the statement."""
        return 1 - self.tail

    @property
    def n(self) -> int:
        """Number of labels that may be used."""
        return self.accepted.n

    @property
    def n_documents(self) -> int:
        """Number of documents with a label."""
        return len(self.frozen.labels)

    @property
    def n_learned(self) -> int:
        """Documents whose answers the labels learned from."""
        return len(self.frozen.known.rows)

    @property
    def at_most_wrong(self) -> int:
        """With the confidence `level`, at most this many of them are wrong."""
        return self.accepted.at_most_wrong

    @property
    def unseen_at_most(self) -> float:
        """The largest share of wrong labels among those that nobody looked at, by the claim."""
        return self.accepted.unseen_at_most

    def for_whole_file(self) -> Usable:
        """The same with the rows, labels, columns and text of the other promise: people label the rest."""
        if self.limit.name:
            raise ValueError(
                f"documents with the label {self.limit.name!r} are not the whole file. Omit --class, or --whole-file."
            )
        return replace(self, whole_file=True)

    @property
    def used(self) -> Array:
        """True for the labels that may be used, by place."""
        return self.finished.rows if self.whole_file else self.accepted.rows

    @property
    def rows(self) -> Array:
        """True for the rows of the file whose labels may be used."""
        return self.frozen.rows.widen_array(self.used, False)

    @property
    def needs(self) -> list[tuple[int, int]]:
        """Further answers, and the labels that may be used then, if they all agree with the labels."""
        before = sum(part.n for part in self.earlier)
        return [(step.more_answers, before + step.n) for step in self.current.needs]

    @property
    def out_of_reach(self) -> bool:
        """Whether answers show that more labels will hardly be certified: allow more errors, or learn from them."""
        return self.current.out_of_reach and any(self.wrong.values())

    @property
    def n_waiting(self) -> int:
        """Answers that do not count yet: a document before them in the random order has none."""
        ladders = (*self.ladders.current, self.ladders.whole)
        among = np.logical_or.reduce([ladder.place < ladder.n_labels for ladder in self.ladders.current])
        return waiting(ladders, self.wrong, among)

    @property
    def again(self) -> list[int]:
        """Rows of the file to ask once more, if possible another person: an answer contradicts the label."""
        places = contradictions(self.frozen.labels, self.given.first, self.given.again)
        return self.frozen.rows_of(place for place in places if self.ladders.have(place))

    @cached_property
    def wrong(self) -> dict[int, bool]:
        """Per answered place, whether the label is wrong."""
        return wrong_labels(self.frozen.labels, self.given.first, self.given.again)

    @property
    def counted_so_far(self) -> dict[int, bool]:
        """Rows of the file with an answer in any round so far, and whether the label was wrong."""
        return {**self.counted, **dict(zip(self.frozen.rows_of(self.wrong), self.wrong.values(), strict=True))}

    def next_rows(self, n: int, *, whole_file: bool = False) -> list[int]:
        """The next n rows of the file to ask about, if the answers agree with the labels.

        With `whole_file`, those that allow to use more labels if people label the rest (`finished`).
        """
        if whole_file:
            return self.frozen.rows_of(finish_questions(self.ladders.whole, self.wrong, n))
        return self.frozen.rows_of(next_of_several(self.ladders.current, self.wrong, n))

    def next_row(self, *, whole_file: bool = False) -> int | None:
        """The row of the file to ask about next; None if nothing is left to certify."""
        return next(iter(self.next_rows(1, whole_file=whole_file)), None)

    @cached_property
    def decided(self) -> dict[int, int]:
        """Per answered place, the class code by people: also answers that the labels learned from."""
        final = {
            place: self.given.said(place) if is_wrong or self.given.decided else int(self.frozen.labels[place])
            for place, is_wrong in self.wrong.items()
        }
        return {**self.given.known(self.frozen), **final}

    def column(self) -> list[str]:
        """The column accepted, per row of the file: yes, answer (a person's), or empty."""
        marks = np.where(self.used, YES, "").tolist()
        for place, code in self.decided.items():
            marks[place] = marks[place] if code < 0 else ANSWER
        return self._with_others(self.frozen.rows.widen(marks, ""), lambda _: ANSWER)

    @property
    def labels(self) -> list[Any]:
        """Per row of the file, the label that may be used: accepted or answered; None for the others."""
        codes = np.where(self.used, self.frozen.labels, -1).tolist()
        for place, code in self.decided.items():
            codes[place] = code if code >= 0 else codes[place]
        names = [*self.frozen.values, None, None]  # none of these; unclear and not accepted are -1
        return self._with_others(self.frozen.rows.widen([names[code] for code in codes]), lambda code: names[code])

    def _with_others(self, values: list[Any], value: Callable[[int], Any]) -> list[Any]:
        """The values of all rows, with those of answered documents that have no predicted label."""
        for row, code in self.given.others.items():
            values[row] = values[row] if code < 0 else value(code)
        return values

    def per_class(self) -> dict[str, int]:
        """Number of accepted labels of each class."""
        counts = np.bincount(self.frozen.labels[self.accepted.rows], minlength=len(self.frozen.classes))
        return dict(zip(self.frozen.classes, counts.tolist(), strict=True))

    def missing_classes(self) -> list[str]:
        """Classes of which no label is accepted, although some documents have it."""
        codes = np.unique(self.frozen.labels).tolist()
        per_class = self.per_class()
        return [self.frozen.classes[code] for code in codes if not per_class[self.frozen.classes[code]]]

    def other_limit(self) -> dict[str, Any] | None:
        """What 10% needs, if nothing can be used yet: `error`, `more_answers` and `n`; None if that is no help.

        That is so if 10% is unlikely, too, or needs as many answers as this limit and this one is not unlikely: labels
        that are certified at a lower limit can almost always be used at 10%.
        """
        if self.n or self.learning or self.error >= OTHER_ERROR:
            return None
        limit = self.limit._replace(error=OTHER_ERROR)
        ladders = make_ladders(self.frozen, limit, round_number=self.round_number, among=self.ladders.among)
        found = certified_by(ladders, self.wrong)
        steps = [Step(0, found.n)] if found.n else found.needs[:1]
        is_unlikely = not found.n and found.out_of_reach and any(self.wrong.values())
        if not steps or is_unlikely:
            return None
        if self.needs and not self.out_of_reach and self.needs[0][0] <= steps[0].more_answers:
            return None
        return {"error": OTHER_ERROR, **steps[0]._asdict()}

    def by_class(self) -> list[dict[str, Any]]:
        """One claim per class, if each class has its own ladder; all of them hold together. Of this round only."""
        if not self.limit.per_class:
            return []
        found = []
        for ladder in self.ladders.current:
            if not ladder.n_labels:  # every label was accepted before
                continue
            part = accept_labels(ladder, self.wrong)
            name = self.frozen.classes[int(self.frozen.labels[ladder.order[0]])]
            kept = {key: getattr(part, key) for key in ("n", "at_most_wrong", "n_answers", "n_wrong", "out_of_reach")}
            found.append({"class": name, **kept, "needs": [step._asdict() for step in part.needs]})
        return found

    def __repr__(self) -> str:
        return f"<labelferry usable labels: {self.n:,} of {self.n_documents:,}, at most {self.error:.0%} wrong>"

    def text(self, *, terminal: bool = False, brief: bool = False) -> str:
        """What may be used, in sentences; in a `terminal` they name options of the command. `brief`: the first ones."""
        found = sentences(
            self.as_dict(),
            whole_first=self.whole_file,
            alone=self.alone,
            one_limit=bool(self.given.first) and self.given.decided is None,  # a job knows all its limits
            terminal=terminal,
            brief=brief,
        )
        return "\n".join(found)

    def as_dict(self) -> dict[str, Any]:
        """Plain values without the rows."""
        part = self.accepted
        answered = sum(code >= 0 and not part.rows[place] for place, code in self.decided.items())
        values = part.as_dict()
        kept = (
            "outside", "at_most_wrong", "n_answers", "n_wrong", "unseen", "unseen_wrong", "unseen_at_most", "n_sample",
            "sample_wrong", "rest_at_most",
        )  # fmt: skip
        return {
            **{name: values[name] for name in kept},
            "name": self.limit.name,
            "error": self.error,
            "tail": self.tail,
            "level": self.level,
            "round_number": self.round_number,
            "n_documents": self.n_documents,
            "n_accepted": self.n,
            "n_learned": self.n_learned,
            "n_answered": answered,
            "n_waiting": self.n_waiting,
            "n_not_usable": self.n_documents - self.n - answered,
            "per_class": self.per_class(),
            "missing_classes": self.missing_classes(),
            "by_class": self.by_class(),
            "rungs": values["rungs"],
            "needs": [Step(*step)._asdict() for step in self.needs],
            "out_of_reach": self.out_of_reach,
            "other_limit": self.other_limit(),
            "ask_again": len(self.again),
            "learning": None if self.learning is None else self.learning._asdict(),
            "finish": self.finished.as_dict(),
        }


def usable_labels(
    frozen: Frozen,
    given: Further,
    limit: Limit = USUAL,
    *,
    earlier: Sequence[Accepted] = (),
    round_number: int = 1,
    before: float = 0.0,
    learning: Learning | None = None,
    ladders: Ladders | None = None,
) -> Usable:
    """The labels that may be used after some answers.

    `ladders`, if they are known, are those of the labels that were not accepted in `earlier` rounds.
    """
    if ladders is None:
        free = ~np.logical_or.reduce([part.rows for part in earlier]) if earlier else None
        ladders = make_ladders(frozen, limit, round_number=round_number, among=free)
    given = Further({}, {}) if learning else given
    wrong = wrong_labels(frozen.labels, given.first, given.again)
    current = certified_by(ladders, wrong)
    unclear = [place for place, is_wrong in wrong.items() if is_wrong and given.said(place) < 0]
    unclear += [place for place, code in given.known(frozen).items() if code < 0]
    finished = finish_file(ladders.whole, wrong, unclear=unclear)
    finished = finished._replace(tail=before + round_tail(round_number))  # there was one such statement in each round
    return Usable(frozen, limit, ladders, given, current, tuple(earlier), finished, round_number, before, learning)


def certified_by(ladders: Ladders, wrong: Mapping[int, bool]) -> Accepted:
    """What is certified by the ladders of the limit, or by the one that begins earlier if these are more labels."""
    current = accept_several(ladders.current, wrong)
    early = None if ladders.early is None else accept_labels(ladders.early, wrong)
    if early is None or early.n <= current.n:
        return current
    more = tuple(step for step in current.needs if step.n > early.n)
    return early._replace(needs=more, chance=current.chance)
