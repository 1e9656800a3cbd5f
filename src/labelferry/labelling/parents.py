"""A hierarchy of labels, such as dev/bug: the labels of the parents, its first parts, from those of the children.

The probability of a parent is the sum over its children, for every member of the panel. The parents have a verdict,
estimates, ranks and columns of their own, as if they were the classes; nothing is fitted again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.labels import UNKNOWN
from ..ensemble.auto_transfer import AutoTransfer
from ..ensemble.fitted_panel import FittedPanel
from ..ensemble.votes import merge_classes
from ..inputs.inputs import Inputs
from ..linalg.matrix import Array
from ..tables.cells import as_number
from .answers import AnsweredRows
from .labelling import Labelling
from .transfer import finish

SEPARATORS = ("/", ">", "::", ":", ".")


def find_parents(classes: Sequence[Any]) -> dict[str, str]:
    """Child to parent, if a separator is in all labels and there are two parents or more; else nothing.

    >>> find_parents(["dev/bug", "dev/idea", "sales/quote"])
    {'dev/bug': 'dev', 'dev/idea': 'dev', 'sales/quote': 'sales'}
    >>> find_parents(["bug", "sales/quote"]), find_parents(["dev/bug", "dev/idea"]), find_parents(["1.0", "1.5", "2.0"])
    ({}, {}, {})
    """
    if not all(isinstance(name, str) and as_number(name) is None for name in classes):
        return {}
    for separator in SEPARATORS:
        parts = {name: tuple(part.strip() for part in name.partition(separator)) for name in classes}
        if all(before and after for before, _, after in parts.values()):
            parents = {name: before for name, (before, _, _) in parts.items()}
            if 2 <= len(set(parents.values())) < len(parents):
                return parents
    return {}


def check_parents(classes: Sequence[Any], estimator: TransductiveClassifier, class_prior: Any) -> None:
    """Raise an error if there are no parents to label."""
    if not find_parents(classes):
        raise ValueError(
            "parents needs labels such as dev/bug and dev/idea: one separator (/, >, ::, : or .) in all of them, and "
            f"at least two parents; got {', '.join(map(repr, classes[:3]))}. Omit it (--parents)."
        )
    if not isinstance(estimator, AutoTransfer):
        raise ValueError(f"parents needs the method auto; got {type(estimator).__name__}. Omit one of them.")
    if class_prior is not None and not isinstance(class_prior, str):
        raise ValueError("class_prior has the proportions of the children; with parents it must be a name. Omit it.")


def to_parents(children: Labelling) -> Labelling:
    """The labelling of the parents, with the most probable child of each; `check_parents` was called before the fit."""
    domains, auto = children.domains, cast(AutoTransfer, children.estimator)
    parents = find_parents(domains.classes.tolist())
    names, codes = np.unique([parents[name] for name in domains.classes.tolist()], return_inverse=True)
    names = names.astype(object)
    none = AnsweredRows(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    answers = _answers_of_parents(children.answers or none, codes, len(names))
    inputs, above = _inputs_of_parents(children.inputs, parents), _domains_of_parents(domains, names, codes)
    panel = _panel_of_parents(auto.panel_, codes, above)
    estimator = AutoTransfer(**auto.get_params(deep=False))
    votes = children.votes._replace(voters=tuple(merge_classes(voter, codes) for voter in children.votes.voters))
    settings, seconds = children.settings, children.seconds
    found = finish(inputs, children.features, above, estimator, answers, settings, seconds, panel, votes)
    return _with_children(found, children.documents, codes)


def sum_children(P: Array, codes: Array) -> Array:
    """Probabilities of the parents: rows x parents.

    >>> sum_children(np.array([[0.2, 0.3, 0.5]]), np.array([0, 0, 1])).tolist()
    [[0.5, 0.5]]
    """
    return np.stack([P[:, codes == parent].sum(axis=1) for parent in range(int(codes.max()) + 1)], axis=1)


def _panel_of_parents(panel: FittedPanel, codes: Array, domains: Domains) -> FittedPanel:
    """What the members and the panel predict about the parents."""
    predictions, answer, view = panel.predictions, panel.answer, panel.predictions.with_view
    above = predictions._replace(
        proba={name: sum_children(P, codes) for name, P in predictions.proba.items()},
        held_out=sum_children(predictions.held_out, codes),
        source_codes=codes[predictions.source_codes],
        with_view=view
        and view._replace(proba=sum_children(view.proba, codes), held_out=sum_children(view.held_out, codes)),
    )
    P, free = sum_children(answer.proba, codes), sum_children(answer.before_budget, codes)
    changed = float((P.argmax(axis=1) != above.source_only.argmax(axis=1)).mean())
    least = int(np.bincount(domains.labelled()[1], minlength=domains.n_classes).min())
    return panel._replace(
        predictions=above,
        answer=answer._replace(proba=P, changed=changed, before_budget=free),
        facts=panel.facts._replace(least_class=least),
    )


def _domains_of_parents(domains: Domains, names: Array, codes: Array) -> Domains:
    def above(given: Array) -> Array:
        return np.where(given == UNKNOWN, UNKNOWN, codes[np.maximum(given, 0)])

    return replace(domains, domains=tuple(replace(d, codes=above(d.codes)) for d in domains), classes=names)


def _inputs_of_parents(inputs: Inputs, parents: Mapping[str, str]) -> Inputs:
    """The inputs with the parents as labels of the documents."""

    def above(labels: Array) -> Array:
        return np.array([parents[label] for label in labels.tolist()], dtype=object)

    own = {row: parents.get(str(label), label) for row, label in inputs.own_labels.items()}
    sources = tuple(source._replace(labels=above(source.labels)) for source in inputs.sources)
    line = f"the labels are those of the {len(set(parents.values()))} parents; the column child has the children"
    return inputs._replace(sources=sources, own_labels=own, messages=[*inputs.messages, line])


def _answers_of_parents(answers: AnsweredRows, codes: Array, n_parents: int) -> AnsweredRows:
    named = answers.named(len(codes))
    above = np.where(answers.codes == len(codes), n_parents, answers.codes)
    above[named] = codes[answers.codes[named]]
    return AnsweredRows(answers.rows, above)


def _with_children(found: Labelling, children: Labelling, codes: Array) -> Labelling:
    """The parents with the most probable child of each, and its probability."""
    P, above = children.estimator.transduction_proba_, found.documents
    own = np.searchsorted(found.estimator.classes_, above.labels)
    inside = np.where(codes[np.newaxis, :] == own[:, np.newaxis], P, -1)
    best = inside.argmax(axis=1)
    child = children.estimator.classes_[best], np.round(inside.max(axis=1).astype(float), 4)
    if found.of_documents is None:
        return replace(found, children=child)
    return replace(found, of_documents=replace(above, children=child))
