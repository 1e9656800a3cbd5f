"""Labels to use without a browser: samples of the most certain labels for people, and what their answers certify.

A sample does not show labels. A document whose answer contradicts its label comes again in the next sample, with the
purpose `again 1`, then `again 2` (`labelferry.certificate.final_answers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...certificate.final_answers import wrong_labels
from ...certificate.rounds import still_accepted
from ...certificate.sampling import UNCLEAR
from ...labelling.answers import Given, read_answers
from ...labelling.column_names import ACCEPT_RANK
from ...linalg.matrix import Array
from ...tables.spreadsheet import read_protected
from ..store.decisions import majority
from ..store.records import ACCEPT, AGAIN
from .audit import Sample, as_sample
from .chosen_columns import Chosen
from .filled import Filled, is_sample, read_sample
from .frozen import USUAL, Frozen, Limit, freeze, make_ladders
from .population import Population, population_of_file
from .same_labels import FINGERPRINT, check_fingerprint, seed_of_labels
from .usable import Further, Usable, usable_labels

RANKS = (
    "Labels and their ranks must stay as they are while people answer: pass the file from which it was drawn, or draw "
    "a new sample."
)


class AnsweredSamples(NamedTuple):
    """What people answered in samples of one file, by position in the population."""

    seed: int | None  # None without samples
    first: dict[int, int]
    again: dict[int, list[int]]
    n_empty: int


def usable_of_samples(
    population: Population,
    samples: Sequence[Any],
    limit: Limit = USUAL,
    *,
    seed: int | None = None,
    values: list[Any] | None = None,
    after: Usable | None = None,
) -> tuple[Usable, AnsweredSamples]:
    """The labels of a population that may be used by samples that people filled in.

    The seed is that of the samples. Without samples it follows from the labels and `seed`, so that everybody who has
    the labels draws the same documents. What was accepted in the round `after` which these labels were made stays.
    """
    answered = read_samples(population, samples)
    frozen = freeze(population, own_seed(population, answered.seed, seed), values)
    rows = population.rows.rows
    first = {int(rows[position]): code for position, code in answered.first.items()}
    places = frozen.places(first)
    again = {places[row]: codes for p, codes in answered.again.items() if (row := int(rows[p])) in places}
    given = Further({place: first[row] for row, place in places.items()}, again)
    return next_round(frozen, given, limit, after), answered


def rounds_before(
    files: Sequence[str | PathLike[str]],
    limit: Limit,
    *,
    text: str | Sequence[str] | None = None,
    encoding: str | None = None,
    chosen: Chosen | None = None,
) -> Usable | None:
    """What was accepted in earlier rounds: labelled files, each with its samples behind it, the first round first."""
    rounds: list[tuple[str, list[str]]] = []
    samples_of = samples_among(files, encoding)
    for file in [fspath(file) for file in files]:
        if file not in samples_of:
            rounds.append((file, []))
        elif rounds:
            rounds[-1][1].append(file)
        else:
            raise ValueError(f"{file} is a sample. Name the labelled file from which it was drawn first.")
    usable: Usable | None = None
    for file, samples in rounds:
        classes = () if usable is None else usable.frozen.classes
        population = population_of_file(file, text=text, classes=classes, encoding=encoding, chosen=chosen)
        usable = usable_of_samples(population, samples, limit, after=usable)[0]
    return usable


def samples_among(files: Sequence[str | PathLike[str]], encoding: str | None = None) -> list[str]:
    """Those of the files that are samples."""
    return [fspath(file) for file in files if FINGERPRINT in read_protected(file, encoding=encoding).columns]


def own_seed(population: Population, of_samples: int | None, seed: int | None) -> int:
    """The seed of the samples; without samples, that of the labels and the `seed` of the user."""
    if of_samples is None:
        return seed_of_labels(population, seed or 0)
    if seed is not None:
        raise ValueError(f"the samples have the seed {of_samples} already. Omit the seed.")
    return of_samples


def filled_samples(population: Population, samples: Sequence[Any]) -> list[Filled]:
    """Samples of one file that people filled in; an error if they were drawn for other labels, ranks or seeds."""
    paths = [Path(sample).resolve() for sample in samples if isinstance(sample, str | PathLike)]
    if len(set(paths)) < len(paths):
        raise ValueError("a sample is named twice. Name each one once.")
    filled = [read_sample(sample, population) for sample in samples]
    seeds = {sample.seed for sample in filled}
    if len(seeds) > 1:
        raise ValueError(
            f"the samples were drawn with different seeds ({', '.join(map(str, sorted(seeds)))}). Pass samples that "
            "follow each other: labelferry accept FILE SAMPLE... -o NEXT."
        )
    for sample in filled:
        changed = check_fingerprint(sample.name, sample.fingerprint, population, sample.labels)
        if ACCEPT_RANK in changed or "confidence" in changed:
            raise ValueError(f"{sample.name} was drawn for other ranks or confidences of {population.name}. {RANKS}")
    return filled


def read_samples(population: Population, samples: Sequence[Any]) -> AnsweredSamples:
    """Read samples of one file. Several persons: the majority counts; a disagreement is unclear."""
    filled = filled_samples(population, samples)
    votes: dict[tuple[int, int], dict[str, set[Given]]] = {}  # by row and times asked before, then by person
    for sample in filled:
        for (row, reviewer), answer in sample.by_reviewer.items():
            asked = votes.setdefault((row, times_asked(sample.purposes[row])), {})
            asked.setdefault(reviewer, set()).add(answer)
    codes = {key: decided(given.values()).code(population.classes) for key, given in sorted(votes.items())}
    again: dict[int, list[int]] = {}
    for (row, number), code in codes.items():
        if number:
            again.setdefault(row, []).append(code)
    return AnsweredSamples(
        filled[0].seed if filled else None,
        {row: code for (row, number), code in codes.items() if not number},
        again,
        sum(sample.n_empty for sample in filled),
    )


def decided(by_person: Iterable[set[Given]]) -> Given:
    """What more than half of the persons answered. A person who gave two answers to one question is unclear."""
    unclear = Given(UNCLEAR, None)
    return majority([given.pop() if len(given) == 1 else unclear for given in map(set, by_person)]) or unclear


def answers_of(filled: Filled) -> dict[tuple[int, str], Given]:
    """The answers by position and persons. Persons who were asked again in the same sample give one answer together."""
    together: dict[int, dict[str, Given]] = {}
    for (position, name), answer in filled.by_reviewer.items():
        if times_asked(filled.purposes[position]):
            together.setdefault(position, {})[name] = answer
    first = {key: answer for key, answer in filled.by_reviewer.items() if key[0] not in together}
    unclear = Given(UNCLEAR, None)
    again = {(p, ", ".join(given)): majority(list(given.values())) or unclear for p, given in together.items()}
    return {**first, **again}


def times_asked(purpose: str) -> int:
    """How often a document had been asked before, by its purpose in a sample: 0 for the first time.

    >>> [times_asked(purpose) for purpose in ("accept", "again 1", "again 2", "again")]
    [0, 1, 2, 1]
    """
    name, _, number = purpose.partition(" ")
    return 0 if name != AGAIN else int(number) if number.isdecimal() else 1


def draw_accept(population: Population, usable: Usable, n: int, *, whole_file: bool = False) -> Sample:
    """The next documents to answer: those that are asked again, then n more, in their random order.

    With `whole_file`, those that allow to use more labels if people label the rest.
    """
    given = {row: len(usable.given.again.get(place, ())) for row, place in usable.frozen.places(usable.again).items()}
    rows = [
        *((f"{AGAIN} {given[row] + 1}", row) for row in usable.again),
        *((ACCEPT, row) for row in usable.next_rows(n, whole_file=whole_file)),
    ]
    if not rows:
        raise ValueError(f"{population.name}: no question is left. Every label that can be accepted is.")
    positions = [(purpose, int(population.rows.positions(row))) for purpose, row in rows]
    return as_sample(population, positions, usable.frozen.seed, blind=True)


def next_round(frozen: Frozen, given: Further, limit: Limit, after: Usable | None) -> Usable:
    """The labels that may be used, with those that were accepted `after` which round these labels were made.

    Accepted labels stay as they were, also where the new labels differ, unless people named the class.
    """
    if after is None:
        return replace(usable_labels(frozen, given, limit), alone=len(frozen.known.rows) > 0)
    check_rounds(frozen, limit, after)
    rows = after.frozen.rows.rows[after.accepted.rows]
    places = frozen.rows.positions(rows)
    accepted = np.zeros(len(frozen.labels), dtype=bool)
    accepted[places] = True
    labels = frozen.labels.copy()
    names = {name: code for code, name in enumerate(frozen.classes)}
    old = [after.frozen.classes[code] for code in after.frozen.labels[after.accepted.rows].tolist()]
    if lost := sorted({name for name in old if name not in names}):
        raise ValueError(
            f"{frozen.name} has no class {lost[0]!r}, and labels of it were accepted before. Pass it with `classes`."
        )
    labels[places] = [names[name] for name in old]
    learned = frozen.known.rows[(frozen.known.codes >= 0) & (frozen.known.codes < len(frozen.classes))]
    labels[learned] = frozen.labels[learned]
    frozen = frozen._replace(labels=labels, fingerprints=(*after.frozen.fingerprints, *frozen.fingerprints))
    round_number = after.round_number + 1
    wrong = wrong_labels(labels, given.first, given.again)
    counted = after.counted_so_far
    at = {place: counted[row] for row, place in frozen.places(counted).items()}
    kept = still_accepted(after.accepted._replace(rows=accepted), wrong, at)
    usable = usable_labels(
        frozen,
        given,
        limit,
        earlier=() if kept is None else (kept,),
        round_number=round_number,
        before=after.tail,
        ladders=make_ladders(frozen, limit, round_number=round_number, among=~accepted),  # answers do not change them
    )
    return replace(usable, counted=counted)


def check_rounds(frozen: Frozen, limit: Limit, after: Usable) -> None:
    """Raise an error unless these are other labels of the same documents, with a limit that the earlier ones keep."""
    if not after.limit.error <= limit.error:
        raise ValueError(
            f"the earlier labels were accepted at {after.error:g}, not at {limit.error:g} as now. Pass the same limit."
        )
    if limit.outside and not after.limit.outside:
        raise ValueError(
            "the earlier claim is about all accepted labels, and this one is about those outside the sample "
            "(`outside`). Pass the same limit."
        )
    if frozen.fingerprints[-1] in after.frozen.fingerprints:
        raise ValueError(
            f"{frozen.name} has the same labels as an earlier round: nothing was learned, so there is no other round. "
            "Omit the earlier round (--after) and pass all its samples."
        )
    before, places = after.frozen, np.flatnonzero(after.accepted.rows)
    rows = before.rows.rows[places]
    same = len(before.rows) == len(frozen.rows) and bool(frozen.rows.contains(rows).all())
    if not same or any(
        before.words(old) != frozen.words(now)
        for old, now in zip(places.tolist(), frozen.rows.positions(rows).tolist(), strict=True)
    ):
        raise ValueError(
            f"{before.name} and {frozen.name} do not have the same documents in the same rows. Pass the file before, "
            "or restore the order of the rows."
        )


def usable_of_answers(
    population: Population,
    answers: Any,
    n_rows: int,
    values: Array,
    limit: Limit,
    *,
    seed: int | None,
    after: Usable | None = None,
    others: Mapping[int, int] = MappingProxyType({}),
) -> Usable:
    """As `usable_of_samples`, for answers of any form: samples, or rows of the file (from 0) with answers.

    A row that was asked again has a list of answers, the first one first. `others`: answers to documents without a
    predicted label that are known already.
    """
    samples = samples_in(answers)
    if samples:
        usable = usable_of_samples(population, samples, limit, seed=seed, values=values.tolist(), after=after)[0]
        return replace(usable, given=usable.given._replace(others=others))
    if seed and answers is not None and len(answers):
        raise ValueError(
            f"answers by row have no seed of their own, so they would fit the best of many seeds; got {seed}. Omit the "
            "seed, or pass samples (labelferry accept FILE --seed N -o SAMPLE)."
        )
    frozen = freeze(population, seed_of_labels(population, seed or 0), values.tolist())
    given = rows_with_answers(answers, frozen, n_rows, values)
    return next_round(frozen, given._replace(others={**others, **given.others}), limit, after)


def samples_in(answers: Any) -> list[Any]:
    """One sample, or a list of samples as paths (not as texts, which are labels), frames or columns; else nothing."""
    if is_sample(answers):
        return [answers]
    several = isinstance(answers, list | tuple)
    return list(answers) if several and all(is_sample(a) and not isinstance(a, str) for a in answers) else []


def rows_with_answers(answers: Any, frozen: Frozen, n_rows: int, values: Array) -> Further:
    """Answers to rows of the file by place; answers that the labels learned from are omitted."""
    pairs = {} if answers is None else answers
    if not isinstance(pairs, Mapping):
        pairs = dict(enumerate(pairs))
    lists = {row: list(value) if isinstance(value, list | tuple) else [value] for row, value in pairs.items()}
    codes: dict[int, list[int]] = {}
    others: dict[int, int] = {}
    for k in range(max(map(len, lists.values()), default=0)):
        read = read_answers({row: value[k] for row, value in lists.items() if len(value) > k}, values, n_rows)
        places = frozen.places(read.rows.tolist())
        for row, code in zip(read.rows.tolist(), read.codes.tolist(), strict=True):
            if row in places:
                codes.setdefault(places[row], []).append(code)
            elif not frozen.rows.contains(row):
                others[row] = code
    return Further({p: given[0] for p, given in codes.items()}, {p: given[1:] for p, given in codes.items()}, others)
