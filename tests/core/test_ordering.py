"""Sorted domains, and the way back to the given order."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

from labelferry.core.domains import read_domains
from labelferry.core.ordering import sort_domains
from labelferry.families.linear import LinearModel
from labelferry.linalg.matrix import Array, to_array


class State(NamedTuple):
    """Every kind of axis."""

    X: tuple[Annotated[Array, "documents[d] x words"], ...]
    of_target: tuple[Annotated[Array, "documents[t] x words"], ...]
    stacked: Annotated[Array, "documents x words"]
    targets: Annotated[Array, "targets x words"]
    rows: Annotated[Array, "rows x words"]
    labelled: Annotated[Array, "labelled x words"]
    unlabelled: tuple[Annotated[Array, "unlabelled[t] x words"], ...]
    codes: Annotated[Array, "documents < classes"]
    words: Annotated[Array, "words < any"]
    by_class: Annotated[Array, "classes x words"]
    other: Annotated[Array, "k"]
    number: float


class Scores(NamedTuple):
    """One number per document of the targets."""

    F: Annotated[Array, "targets"]


def make_domains():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, (30, 9)) * rng.random(9)
    X[:, 4] = 0
    domain = rng.choice([1, 2, -3, -4], size=30)
    y = np.where(rng.random(30) < 0.5, -1, np.arange(30) % 3)
    y[domain > 0] = np.arange((domain > 0).sum()) % 3
    return read_domains(X, y, domain, use_target_labels=True, estimator="test")


def state_of(domains):
    """What is known of each axis, so that the state of the sorted domains restored is the state of the given ones."""
    X = [to_array(d.X) for d in domains]
    targets = [x for x, d in zip(X, domains, strict=True) if d.is_target]
    means = np.vstack([to_array(domains.labelled()[0])[domains.labelled()[1] == c].max(axis=0) for c in range(3)])
    return State(
        tuple(X),
        tuple(targets),
        np.vstack(X),
        np.vstack(targets),
        np.vstack(targets)[np.argsort(np.concatenate([d.rows for d in domains.targets]))],
        to_array(domains.labelled()[0]),
        tuple(x[~d.known] for x, d in zip(targets, domains.targets, strict=True)),
        np.concatenate([d.codes for d in domains]),
        np.where(np.vstack(X).any(axis=0), np.count_nonzero(np.vstack(X), axis=0), -1),
        means,
        np.arange(4.0),
        2.5,
    )


def test_a_restored_state_is_the_state_in_the_given_order():
    domains = make_domains()
    by_content, ordering = sort_domains(domains)
    assert by_content.n_words == 8
    assert not np.array_equal(ordering.words, np.arange(8))
    restored, expected = ordering.restore(state_of(by_content), {}), state_of(domains)
    for name in State._fields:
        given, wanted = getattr(restored, name), getattr(expected, name)
        pairs = zip(given, wanted, strict=True) if isinstance(given, tuple) else [(given, wanted)]
        for a, b in pairs:
            np.testing.assert_array_equal(a, b, err_msg=name)


def test_classes_keep_their_names():
    domains = make_domains()
    by_content, _ = sort_domains(domains)
    for d, before in zip(by_content, domains, strict=True):
        names = np.append(by_content.classes, -9)[d.codes], np.append(domains.classes, -9)[before.codes]
        assert sorted(names[0].tolist()) == sorted(names[1].tolist())


@pytest.mark.parametrize("swapped", [False, True])
def test_a_single_output_changes_its_sign_with_the_classes(swapped):
    X = np.array([[1.0, 0], [3, 1], [0, 2]])
    y = np.array([1, 0, -1]) if swapped else np.array([0, 1, -1])
    domains = read_domains(X, y, np.array([1, 1, -1]), estimator="test")
    by_content, ordering = sort_domains(domains)
    model = LinearModel(np.ones((1, 2)), np.ones(1))
    restored = ordering.restore(model, {"features": "words"})
    first_is_first = by_content.classes[0] == domains.classes[0]
    np.testing.assert_array_equal(restored.coef, np.ones((1, 2)) if first_is_first else -np.ones((1, 2)))
    np.testing.assert_array_equal(restored.intercept, restored.coef[:, 0])


def test_equal_documents_get_the_mean_of_their_rows():
    X = np.array([[1.0, 0], [0, 1], [2, 1], [2, 1], [1, 1]])
    domains = read_domains(X, np.array([0, 1, -1, -1, -1]), np.array([1, 1, -1, -1, -1]), estimator="test")
    _, ordering = sort_domains(domains)
    F = ordering.restore(Scores(np.array([1.0, 2.0, 4.0])), {}).F
    assert F[0] == F[1]
    assert F.sum() == pytest.approx(7)
