"""One of several labels: the documents that have it, and what the answers of people say about it, in files and jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...certificate import UNCLEAR_CODE, Answers
from ...inputs.label_form import Form
from ...labelling.accept_rank import rank_by
from ...labelling.multi import NO, YES, SetColumns
from ...linalg.matrix import Array
from ...tables.sequences import picked
from ..store.records import AGAIN, LIST
from .accept_files import answers_of, times_asked
from .filled import Filled
from .frozen import Frozen, freeze
from .population import Population, Ranking
from .usable import Further


class Said(NamedTuple):
    """What people say about one label of a document, as `certificate.final_answers` takes it: 1 yes, 0 no, -1 unclear.

    The label is right if no answer denies it, or if one does, it was a first answer, and at least two agree that were
    given when the document was asked again. All answers count: of each person, for each purpose, before and after a
    correction; only undo takes one back. An answer that is unclear denies every label.

    **Why a claim about one label is valid.** All that is used of an answer is what its set says about this label. So
    people answer yes or no about the documents that were given the label, whose ranks and order were fixed before, and
    the proof of `certificate.accept` holds as it stands, whatever was asked and why: if people never say yes about a
    wrong label, no wrong label counts as right. An answer that was asked because of another label is an answer about
    this one like any other. If a person overlooks the share q of the wrong labels, people finally overlook
    q + (1 - q) q^2 of them at most, as in `certificate.final_answers`: the first answer is yes, or it is no and two
    others, which are all that were asked again, are yes.
    """

    first: int
    again: list[int]


def says(form: Form, name: str, answer: str | None) -> int:
    """What an answer, the text of a set of labels, says about one label: 1 yes, 0 no; -1 for any other answer."""
    return UNCLEAR_CODE if answer is None else int(name in (form.read(answer) or ()))


def said_of_label(answers: Iterable[tuple[int, str, int]]) -> dict[int, Said]:
    """Per document, what people say about a label, by documents, purposes and what the answers say (`says`).

    An answer that was given when the document was asked again is the first one if no other is before it.

    >>> said_of_label([(7, "accept", 0), (7, "again", 1), (7, "again", 1)])
    {7: Said(first=0, again=[1, 1])}
    >>> said_of_label([(7, "accept", 1), (7, "again", 0), (7, "again", 1)])  # asked again because of another label
    {7: Said(first=0, again=[0])}
    """
    first: dict[int, list[int]] = {}
    later: dict[int, list[int]] = {}
    final: dict[int, bool] = {}  # documents of which a denial was no first answer
    for document, purpose, code in answers:
        is_first = purpose != AGAIN or document not in first
        (first if is_first else later).setdefault(document, []).append(code)
        final[document] = final.get(document, False) or (code != 1 and (purpose == LIST or not is_first))
    said = {}
    for document, codes in first.items():
        again = later.get(document, [])
        worst = min([*codes, *again])
        closed = final[document] or sum(code != 1 for code in codes) > 1
        said[document] = Said(worst, [worst] if closed else again)
    return said


def said_in_samples(population: Population, filled: Sequence[Filled], name: str) -> dict[int, Said]:
    """What samples say about a label, by row of the file. Documents without a first answer have none.

    As in a job, a person who gives the same first answer in two samples gave it once, and one question that is answered
    again in several samples has one answer: yes if all of them say so.
    """
    form, answers = several_of(population).form, list[tuple[int, str, int]]()
    last: dict[tuple[int, str, bool], str | None] = {}
    again: dict[tuple[int, int], int] = {}
    for sample in filled:
        for (position, person), given in answers_of(sample).items():
            row, purpose = int(population.rows.rows[position]), sample.purposes[position]
            code, number = says(form, name, given.answer), times_asked(purpose)
            if number:
                again[row, number] = min(code, again.get((row, number), code))
            elif last.get(key := (row, person, purpose == LIST), "") != given.answer:
                last[key] = given.answer
                answers.append((row, purpose, code))
    rows = {row for row, _, _ in answers}
    return said_of_label([*answers, *((row, AGAIN, code) for (row, _), code in sorted(again.items()) if row in rows)])


def further(frozen: Frozen, said: Mapping[int, Said]) -> Further:
    """What people say by row of the file, by place."""
    places = frozen.places(said)
    return Further({p: said[row].first for row, p in places.items()}, {p: said[row].again for row, p in places.items()})


def freeze_label(population: Population, name: str, seed: int) -> Frozen:
    """The documents that have a label, frozen; their random order is drawn anew whenever the labels learn.

    The seed of the order depends on all documents that were learned from, not only on those with the label: the order
    in which these were drawn must not be that of a later claim.
    """
    known = np.sort(population.known.rows).tolist()
    entropy = np.random.SeedSequence([seed, len(known), *known, *name.encode("utf-8", "surrogatepass")])
    return freeze(of_label(population, name), seed, order=int(entropy.generate_state(1, np.uint32)[0]))


def of_label(population: Population, name: str) -> Population:
    """The documents that have a label, with the classes no and yes, ranked by the chance of the label."""
    sets = several_of(population)
    if name not in sets.learned:
        raise ValueError(
            f"{name!r} is no label that was learned; these are {', '.join(sets.learned)}. Name one of them."
        )
    j = sets.learned.index(name)
    has_label = sets.indicator(population.classes)[:, j]
    kept = np.flatnonzero(has_label[population.labels])
    if not len(kept):
        raise ValueError(f"no document of {population.name} has the label {name!r}: nothing can be accepted.")
    sure, inside = sets.proba[kept, j], np.isin(population.known.rows, kept)
    known, codes = population.known.rows[inside], population.known.codes[inside]
    return population._replace(
        texts=picked(population.texts, kept),
        rows=population.rows.then(kept),
        labels=np.ones(len(kept), dtype=int),
        source_only=None,
        needs_review=population.needs_review[kept],
        confidence=sure,
        classes=[NO, YES],
        known=Answers(np.searchsorted(kept, known), yes_or_no(codes, has_label)),
        ranking=Ranking(rank_by(sure, np.ones(len(kept), dtype=bool)), sure),
    )


def yes_or_no(codes: Array, has_label: Array) -> Array:
    """Codes of sets as codes of one label: 1 if the set has it, 0 if not; unclear ones, and no set at all, are -1."""
    return np.where((codes >= 0) & (codes < len(has_label)), has_label[np.clip(codes, 0, len(has_label) - 1)], -1)


def several_of(population: Population) -> SetColumns:
    """The sets of labels of a population that has several per document."""
    if population.several is None:
        raise ValueError(f"{population.name} has one label per document.")
    return population.several
