"""Labels to use without a browser: samples of the most certain labels for people, and what their answers certify.

A sample does not show labels. A document whose answer contradicts its label comes again in the next sample, with the
purpose `again 1`, then `again 2` (`labelferry.certificate.final_answers`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np

from ...certificate.sampling import UNCLEAR
from ...labelling.answers import Given, read_answers
from ...linalg.matrix import Array
from ...tables.cells import as_text
from ..store.decisions import majority
from ..store.records import ACCEPT, AGAIN
from .audit import Sample, as_sample
from .filled import as_table, is_sample, read_sample
from .frozen import Frozen, freeze
from .population import Population
from .usable import ERROR, Further, Usable, usable_labels

FINGERPRINT = "labels"  # column of a sample: checksum of the labels for which it was drawn


class AnsweredSamples(NamedTuple):
    """What people answered in samples of one file, by position in the population."""

    seed: int | None  # None without samples
    first: dict[int, int]
    again: dict[int, list[int]]
    n_empty: int


def usable_of_samples(
    population: Population,
    samples: Sequence[Any],
    *,
    error: float = ERROR,
    strict: bool = False,
    seed: int | None = None,
    values: list[Any] | None = None,
) -> tuple[Usable, AnsweredSamples]:
    """The labels of a population that may be used by samples that people filled in."""
    answered = read_samples(population, samples)
    if seed is not None and answered.seed not in (None, seed):
        raise ValueError(f"the samples were drawn with the seed {answered.seed}; got {seed}. Omit the seed.")
    frozen = freeze(population, seed if answered.seed is None else answered.seed, values)
    for sample in samples:
        check_fingerprint(sample, frozen, population.encoding)
    places = frozen.places(answered.first)
    known = set(frozen.known.rows.tolist())
    first = {place: answered.first[row] for row, place in places.items() if place not in known}
    again = {places[row]: codes for row, codes in answered.again.items() if row in places}
    return usable_labels(frozen, Further(first, again), error=error, strict=strict), answered


def read_samples(population: Population, samples: Sequence[Any]) -> AnsweredSamples:
    """Read samples of one file. Several persons: the majority counts; a disagreement is unclear."""
    paths = [fspath(sample) for sample in samples if isinstance(sample, str | PathLike)]
    if len(set(paths)) < len(paths):
        raise ValueError("a sample is named twice. Name each one once.")
    filled = [read_sample(sample, population) for sample in samples]
    seeds = {sample.seed for sample in filled}
    if len(seeds) > 1:
        raise ValueError(
            f"the samples were drawn with different seeds ({', '.join(map(str, sorted(seeds)))}). Pass samples that "
            "follow each other: labelferry accept FILE SAMPLE... -o NEXT."
        )
    first: dict[int, list[Given]] = {}
    again: dict[int, list[tuple[int, Given]]] = {}
    for sample in filled:
        for (row, _), answer in sample.by_reviewer.items():
            if number := times_asked(sample.purposes[row]):
                again.setdefault(row, []).append((number, answer))
            else:
                first.setdefault(row, []).append(answer)
    classes = population.classes
    return AnsweredSamples(
        seeds.pop() if seeds else None,
        {row: (majority(answers) or Given(UNCLEAR, None)).code(classes) for row, answers in first.items()},
        {row: [a.code(classes) for _, a in sorted(more, key=lambda one: one[0])] for row, more in again.items()},
        sum(sample.n_empty for sample in filled),
    )


def times_asked(purpose: str) -> int:
    """How often a document had been asked before, by its purpose in a sample: 0 for the first time.

    >>> [times_asked(purpose) for purpose in ("accept", "again 1", "again 2", "again")]
    [0, 1, 2, 1]
    """
    name, _, number = purpose.partition(" ")
    return 0 if name != AGAIN else int(number) if number.isdecimal() else 1


def check_fingerprint(sample: Any, frozen: Frozen, encoding: str | None) -> None:
    """Raise an error if a sample was drawn for other labels; one without the column is accepted."""
    table = as_table(sample, encoding)
    found = {as_text(value) for value in table.columns.get(FINGERPRINT, ())}
    if "sample_seed" in table.columns and found and found != {str(frozen.fingerprint)}:
        raise ValueError(
            f"{table.name} was drawn for other labels than those of {frozen.name}: labels must stay as they are while "
            "people answer. Pass the file from which it was drawn, or draw a new sample."
        )


def draw_accept(population: Population, usable: Usable, n: int) -> Sample:
    """The next documents to answer: those that are asked again, then n more, in their random order."""
    frozen = usable.frozen
    again = [
        (f"{AGAIN} {len(usable.given.again.get(place, ())) + 1}", place)
        for place in frozen.rows.positions(np.array(usable.again, dtype=np.int64)).tolist()
    ]
    new = frozen.rows.positions(np.array(usable.next_rows(n), dtype=np.int64)).tolist()
    rows = [*again, *((ACCEPT, place) for place in new)]
    if not rows:
        raise ValueError(f"{population.name}: no question is left. Every label that can be accepted is.")
    positions = [(purpose, int(frozen.positions[place])) for purpose, place in rows]
    return with_fingerprint(as_sample(population, positions, frozen.seed, blind=True), frozen)


def with_fingerprint(sample: Sample, frozen: Frozen) -> Sample:
    """The sample with the checksum of the labels for which it was drawn."""
    return replace(sample, columns={**sample.columns, FINGERPRINT: [frozen.fingerprint] * len(sample)})


def usable_of_answers(
    population: Population, answers: Any, n_rows: int, values: Array, *, error: float, strict: bool, seed: int | None
) -> Usable:
    """As `usable_of_samples`, for answers of any form: samples, or rows of the file (from 0) with answers.

    A row that was asked again has a list of answers, the first one first.
    """
    samples = samples_in(answers)
    if samples:
        options = {"error": error, "strict": strict, "seed": seed, "values": values.tolist()}
        return usable_of_samples(population, samples, **options)[0]
    frozen = freeze(population, seed, values.tolist())
    return usable_labels(frozen, rows_with_answers(answers, frozen, n_rows, values), error=error, strict=strict)


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
    known, codes = set(frozen.known.rows.tolist()), dict[int, list[int]]()
    for k in range(max(map(len, lists.values()), default=0)):
        read = read_answers({row: value[k] for row, value in lists.items() if len(value) > k}, values, n_rows)
        inside = frozen.rows.contains(read.rows)
        places = frozen.rows.positions(read.rows[inside]).tolist()
        for place, code in zip(places, read.codes[inside].tolist(), strict=True):
            if place not in known:
                codes.setdefault(place, []).append(code)
    return Further({place: given[0] for place, given in codes.items()}, {p: given[1:] for p, given in codes.items()})
