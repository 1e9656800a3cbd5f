"""Find all documents of one class in a result of `label`, with answers by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...certificate import LEVEL
from ...ensemble.auto_transfer import AutoTransfer
from ...labelling.held_out import rows_in_panel
from ...labelling.labelling import Labelling
from ...linalg.matrix import Array
from .find import RECALL, Find, answers_in_order, checked_class, checked_level, checked_recall, find_class, reads_of
from .find_rank import ClassChances, chances_by_label
from .population import population_of_result
from .same_labels import seed_of_labels


def find_in_result(
    result: Labelling,
    of_class: Any,
    recall: float = RECALL,
    answers: Any = None,
    *,
    level: float = LEVEL,
    seed: int | None = None,
) -> Find:
    """As `Result.find`. Answers that the labels learned from are read first."""
    population = population_of_result(result)
    name = checked_class(of_class, population.classes, population.name)
    code, goal = population.classes.index(name), checked_recall(recall)
    known = list(zip(population.known.rows.tolist(), population.known.codes.tolist(), strict=True))
    log = [*known, *answers_in_order(answers, population, len(result.inputs.all_rows))]
    reads, codes = reads_of(log, dict(log), code)
    if known and seed is not None:
        raise ValueError("seed: these labels learned from answers, maybe in the order of this seed. Omit it.")
    seed = seed_of_labels(population, 0) if seed is None else seed
    return find_class(name, population.rows, seed, goal, checked_level(level), reads, codes, chances_of(result, code))


def chances_of(result: Labelling, code: int) -> ClassChances:
    """What the probabilities of a class are made from, by position among the documents with a predicted label."""
    documents = result.documents
    classes: Array = documents.estimator.classes_
    kept = np.flatnonzero(documents.predicted & ~documents.estimator.transduction_empty_)
    labels, second = (np.searchsorted(classes, values[kept]) for values in (documents.labels, documents.alternative))
    without = chances_by_label(labels, second, documents.confidence[kept], code, len(classes))
    if not isinstance(documents.estimator, AutoTransfer):
        return ClassChances(code, without)
    place = np.full(len(documents.labels), -1)
    place[kept] = np.arange(len(kept))
    return ClassChances(code, without, documents.estimator.pool_inputs_, place[rows_in_panel(documents).rows])
