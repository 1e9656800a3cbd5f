"""Several labels per document, certified by the answers of people: each label, and all labels of a document together.

One random sample serves all statements: it is a random sample of the documents, whatever is asked about them. An answer
is the set of labels of a document. For a label it is yes or no; for the document it is right if the whole set is. Each
statement is one of `labelferry.certificate`, exact on its own. The ladder of a label is about the documents that have
it, that of the documents about whole sets; each has its own order, in which any answer counts when its turn comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ...certificate import LEVEL, Answers, Certificate, ClassCertificate, certify
from ...certificate.certificate import certificate_sentences, class_sentence
from ...certificate.interval import between
from ...certificate.sampling import LABEL, NO_CLASS, NONE_OF_THESE
from ...labelling.accept_rank import rank_by
from ...labelling.answers import Given
from ...labelling.column_names import ACCEPTED, NEW_COLUMNS
from ...labelling.multi import NO, YES, SetColumns
from ...linalg.matrix import Array
from ...tables import take_rows
from ...tables.spreadsheet import read_protected, write_labelled
from .accept_files import read_samples, usable_of_samples
from .audit import sample_orders
from .filled import Filled, checked_answers, same_labels
from .frozen import USUAL, Limit, freeze
from .population import Population, Ranking
from .same_labels import seed_of_labels
from .usable import Further, Usable, usable_labels

RIGHT, BY_RIVAL = "all labels right", "as the source-only classifier"  # of a document: what its answer is


class MultiCertificate(NamedTuple):
    """What the answers prove about several labels per document. Each interval holds with the given level.

    Attributes
    ----------
    documents : Certificate
        About whole documents: `accuracy` is the share of them with all labels right.
    labels : tuple of ClassCertificate
        Per label its precision, recall and proportion.
    """

    documents: Certificate
    labels: tuple[ClassCertificate, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        values = {k: v for k, v in self.documents.as_dict().items() if k != "classes"}
        return {**values, "labels": [one.as_dict() for one in self.labels], "sentences": self.sentences()}

    def sentences(self) -> list[str]:
        """The certificate in plain sentences: documents first, then each label."""
        whole = self.documents
        plain = whole._replace(classes=(), error_not_reviewed=None)
        lines = certificate_sentences(plain, "documents have all labels right")
        if not whole.n_answers:
            return lines
        error = whole.error_not_reviewed
        review = [] if error is None else [
            f"Of the documents that are not marked for review, {between(error)} have a wrong or missing label."
        ]  # fmt: skip
        labels = [class_sentence(one, "Label") for one in self.labels]
        return [lines[0], *review, *labels, *lines[1:]]

    def text(self) -> str:
        """The sentences, one per line."""
        return "\n".join(self.sentences())


def certify_several(population: Population, filled: Filled, level: float = LEVEL) -> MultiCertificate:
    """What a filled sample proves about each label, and about all labels of a document."""
    population = same_labels(population, filled)
    sets, texts = several_of(population), np.array(population.classes, dtype=object)
    own, n = texts[population.labels], len(population.labels)
    rival = own if population.source_only is None else texts[population.source_only]
    orders = sample_orders(population, filled.seed)

    def about_document(row: int, answer: str) -> str:
        return RIGHT if answer == own[row] else BY_RIVAL if answer == rival[row] else NO_CLASS

    whole = population._replace(labels=np.zeros(n, dtype=int), classes=[RIGHT, BY_RIVAL])
    by_document = with_answers(filled, about_document)
    documents = certify(
        whole.labels,
        (own != rival).astype(int),
        population.needs_review,
        checked_answers(whole, by_document, "audit", orders["audit"]),
        checked_answers(whole, by_document, "duel", orders["duel"]),
        classes=whole.classes,
        level=level,
        confidence=population.confidence,
        rival=population.rival if population.source_only is not None else "",
    )
    has_label, nothing = sets.indicator(population.classes)[population.labels], Answers(*np.zeros((2, 0), dtype=int))
    labels = []
    for j, name in enumerate(sets.learned):
        one = population._replace(labels=has_label[:, j].astype(int), classes=[NO, YES])
        answers = with_answers(
            filled, lambda _, answer, name=name: YES if name in (sets.form.read(answer) or ()) else NO
        )
        certificate = certify(
            one.labels,
            one.labels,
            np.ones(n, dtype=bool),
            checked_answers(one, answers, "audit", orders["audit"]),
            nothing,
            classes=one.classes,
            level=level,
            confidence=None if population.confidence is None else chance_right(sets.proba[:, j], has_label[:, j]),
            rival="",
        )
        labels.append(certificate.classes[1]._replace(label=name))
    return MultiCertificate(documents, tuple(labels))


def several_of(population: Population) -> SetColumns:
    """The sets of labels of a population that has several per document."""
    if population.several is None:
        raise ValueError(f"{population.name} has one label per document.")
    return population.several


def chance_right(proba: Array, has_label: Array) -> Array:
    """The chance of yes or no to be right."""
    return np.clip(np.where(has_label, proba, 1 - proba), 0, 1)


def with_answers(filled: Filled, meaning: Any) -> Filled:
    """The sample with another meaning of its answers, by row and text of the set; unclear ones stay."""

    def changed(row: int, given: Given) -> Given:
        if given.answer is None:
            return given
        found = meaning(row, given.answer)
        return Given(NONE_OF_THESE, None) if found == NO_CLASS else Given(LABEL, found)

    return filled._replace(by_reviewer={key: changed(key[0], given) for key, given in filled.by_reviewer.items()})


def accept_several(
    population: Population,
    samples: Sequence[Any],
    limit: Limit = USUAL,
    *,
    name: str | None = None,
    seed: int | None = None,
) -> tuple[Usable, int]:
    """The documents that may be used with all their labels, or those with the label `name`; and rows without an answer.

    The answers are those of samples of `labelferry accept`. Those of one ladder count for the others, too.
    """
    if limit.per_class:
        raise ValueError(
            "several labels per document: name the label of a claim (--class NAME) instead of --per-class."
        )
    population = with_answered_sets(population, samples)
    if name is None:
        usable, answered = usable_of_samples(population, samples, limit, seed=seed)
        return usable, answered.n_empty
    sets = several_of(population)
    if name not in sets.learned:
        raise ValueError(
            f"{name!r} is no label that was learned; these are {', '.join(sets.learned)}. Name one of them."
        )
    answered = read_samples(population, samples)
    if seed is not None and answered.seed is not None:
        raise ValueError(f"the samples have the seed {answered.seed} already. Omit the seed.")
    own_seed = seed_of_labels(population, seed or 0) if answered.seed is None else answered.seed
    j, known = sets.learned.index(name), sets.indicator(population.classes)[:, sets.learned.index(name)]
    kept = np.flatnonzero(known[population.labels])
    if not len(kept):
        raise ValueError(f"no document of {population.name} has the label {name!r}: nothing can be accepted.")
    sure = sets.proba[kept, j]
    one = population._replace(
        texts=[population.texts[row] for row in kept.tolist()],
        rows=population.rows.then(kept),
        labels=np.ones(len(kept), dtype=int),
        source_only=None,
        needs_review=population.needs_review[kept],
        confidence=sure,
        classes=[NO, YES],
        ranking=Ranking(rank_by(sure, np.ones(len(kept), dtype=bool)), sure),
    )
    frozen = freeze(one, own_seed)
    place = {int(row): i for i, row in enumerate(kept.tolist())}

    def code(answer: int) -> int:
        return answer if answer < 0 else int(known[answer])

    given = Further(
        {place[row]: code(answer) for row, answer in answered.first.items() if row in place},
        {place[row]: [code(a) for a in again] for row, again in answered.again.items() if row in place},
    )
    return usable_labels(frozen, given, limit), answered.n_empty


def with_answered_sets(population: Population, samples: Sequence[Any]) -> Population:
    """The population with the sets of labels that people answered among its classes."""
    from .filled import read_sample

    texts = {a.answer for s in samples for a in read_sample(s, population).by_reviewer.values() if a.answer is not None}
    return population._replace(classes=[*population.classes, *sorted(texts - set(population.classes))])


def write_several(
    path: str | PathLike[str],
    population: Population,
    usable: Usable,
    out: str | PathLike[str],
    *,
    name: str | None = None,
    encoding: str | None,
) -> int:
    """Write the rows of a labelled file that can be used, accepted or answered, with the column accepted.

    For whole documents `label` is the answer of people if there is one; for one label (`name`) it is this label, as the
    others were not tested. Returns the number of rows.
    """
    sets, table = several_of(population), read_protected(path, encoding=encoding)
    marks, texts = usable.column(), usable.labels
    rows = [row for row, mark in enumerate(marks) if mark and (name is None or texts[row] == YES)]
    if not rows:
        raise ValueError(f"{table.name}: no label can be used yet, and nothing was answered. Answer a sample first.")
    label = [
        sets.form.cell([name]) if name else cell if text is None else sets.form.cell(sets.form.read(text) or ())
        for text, cell in zip(texts, table.columns["label"], strict=True)
    ]
    new: dict[str, Sequence[Any]] = {column: table.columns[column] for column in NEW_COLUMNS if column in table.columns}
    new |= {"label": label, ACCEPTED: marks}
    kept = take_rows(replace(table, columns={c: cells for c, cells in table.columns.items() if c not in new}), rows)
    write_labelled(kept, {column: [cells[row] for row in rows] for column, cells in new.items()}, out, reserved=())
    return len(rows)
