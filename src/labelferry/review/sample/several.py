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
from ...labelling.column_names import ACCEPTED, NEW_COLUMNS
from ...labelling.multi import NO, YES
from ...linalg.matrix import Array
from ...tables import take_rows
from ...tables.spreadsheet import read_protected, write_labelled
from .accept_files import filled_samples, next_round, own_seed, usable_of_samples
from .audit import sample_orders
from .filled import Filled, checked_answers, read_sample, same_labels
from .frozen import USUAL, Limit
from .one_label import freeze_label, further, said_in_samples, several_of, yes_or_no
from .population import Population
from .usable import Usable

NOT_PER_CLASS = "several labels per document have no claim per class (--per-class). Name one label: --class NAME."
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

    @property
    def n_answers(self) -> int:
        """Answers of the random sample."""
        return self.documents.n_answers

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
    population = with_answered_sets(same_labels(population, filled), [filled])
    orders = sample_orders(population, filled.seed)
    audit, duel = (checked_answers(population, filled, purpose, orders[purpose]) for purpose in ("audit", "duel"))
    return certify_sets(population, audit, duel, level)


def certify_sets(population: Population, audit: Answers, duel: Answers, level: float = LEVEL) -> MultiCertificate:
    """What answers prove, whose codes are those of sets of labels; both samples are prefixes of their orders."""
    sets, own, n = several_of(population), population.labels, len(population.labels)
    rival = own if population.source_only is None else population.source_only

    def about_documents(answers: Answers) -> Answers:  # 0 all labels right, 1 as the rival, 2 neither, -1 unclear
        rows, codes = answers
        return Answers(rows, np.where(codes < 0, codes, np.where(codes == own[rows], 0, 2 - (codes == rival[rows]))))

    documents = certify(
        np.zeros(n, dtype=int),
        (own != rival).astype(int),
        population.needs_review,
        about_documents(audit),
        about_documents(duel),
        classes=[RIGHT, BY_RIVAL],
        level=level,
        confidence=population.confidence,
        known=about_documents(population.known),
        rival=population.rival if population.source_only is not None else "",
    )
    has_label, nothing = sets.indicator(population.classes), Answers(*np.zeros((2, 0), dtype=int))
    labels = []
    for j, name in enumerate(sets.learned):
        predicted = has_label[own, j]
        certificate = certify(
            predicted.astype(int),
            predicted.astype(int),
            np.ones(n, dtype=bool),
            Answers(audit.rows, yes_or_no(audit.codes, has_label[:, j])),
            nothing,
            classes=[NO, YES],
            level=level,
            confidence=None if population.confidence is None else chance_right(sets.proba[:, j], predicted),
            known=Answers(population.known.rows, yes_or_no(population.known.codes, has_label[:, j])),
            rival="",
        )
        labels.append(certificate.classes[1]._replace(label=name))
    return MultiCertificate(documents, tuple(labels))


def chance_right(proba: Array, has_label: Array) -> Array:
    """The chance of yes or no to be right."""
    return np.clip(np.where(has_label, proba, 1 - proba), 0, 1)


def accept_several(
    population: Population, samples: Sequence[Any], limit: Limit = USUAL, *, seed: int | None = None
) -> tuple[Usable, int]:
    """The documents that may be used with all their labels, or those with the label of the limit (`name`).

    Also the number of rows without an answer. The answers are those of samples of `labelferry accept`. Those of one
    ladder count for the others, too.
    """
    if limit.per_class:
        raise ValueError(NOT_PER_CLASS)
    if not limit.name:
        population = with_answered_sets(population, [read_sample(sample, population) for sample in samples])
        usable, answered = usable_of_samples(population, samples, limit, seed=seed)
        return usable, answered.n_empty
    filled = filled_samples(population, samples)
    own = own_seed(population, filled[0].seed if filled else None, seed)
    frozen, said = freeze_label(population, limit.name, own), said_in_samples(population, filled, limit.name)
    return next_round(frozen, further(frozen, said), limit, None), sum(sample.n_empty for sample in filled)


def with_answered_sets(population: Population, samples: Sequence[Filled]) -> Population:
    """The population with the sets of labels that people answered among its classes."""
    texts = {given.answer for sample in samples for given in sample.by_reviewer.values() if given.answer is not None}
    return population._replace(classes=[*population.classes, *sorted(texts - set(population.classes))])


def write_several(
    path: str | PathLike[str],
    population: Population,
    usable: Usable,
    out: str | PathLike[str],
    *,
    encoding: str | None,
) -> int:
    """Write the rows of a labelled file that can be used, accepted or answered, with the column accepted.

    For whole documents `label` is the answer of people if there is one; for one label it is this label, as the others
    were not tested. Returns the number of rows.
    """
    name, sets, table = usable.limit.name, several_of(population), read_protected(path, encoding=encoding)
    marks, texts = usable.column(), usable.labels
    rows = [row for row, mark in enumerate(marks) if mark and (not name or texts[row] == YES)]
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
