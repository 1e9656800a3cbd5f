"""Labels of the parents of a hierarchy: sums over the children, with a verdict and a certificate of their own."""

import numpy as np
import pytest

import labelferry
from labelferry.labelling.parents import find_parents, sum_children

CHILDREN = ("dev/bug", "dev/idea", "sales/offer", "sales/refund")
N = 160


def word(start, number):
    """A word without digits, which would be a number."""
    return start + "abcdefghij"[number // 10] + "klmnopqrst"[number % 10]


def write_texts(prefix, seed):
    """Texts with words of the parent, and few of the child: parents are easier than children."""
    rng = np.random.default_rng(seed)
    labels = [CHILDREN[i % 4] for i in range(N)]
    texts = []
    for label in labels:
        parent, child = label.split("/")
        own = child if rng.random() < 0.4 else CHILDREN[rng.integers(4)].split("/")[1]  # often of another child
        sizes = ((parent, 30, 6), (own, 8, 3), (prefix, 60, 6))  # words to choose from, and how many
        texts.append(" ".join(word(start, rng.integers(size)) for start, size, n in sizes for _ in range(n)))
    return texts, labels


SOURCE, TARGET = write_texts("old", 0), write_texts("new", 1)


@pytest.fixture(scope="module")
def both():
    """The labels of the children, and of the parents."""
    children = labelferry.label(SOURCE[0], TARGET[0], label=SOURCE[1])
    return children, labelferry.label(SOURCE[0], TARGET[0], label=SOURCE[1], parents=True)


@pytest.mark.parametrize(
    ("labels", "parents"),
    [
        (["a > b", "a > c", "d > e"], {"a", "d"}),
        (["comp.graphics", "comp.sys.mac", "sci.med"], {"comp", "sci"}),
        (["a/b.c", "a/d.e", "f/g.h"], {"a", "f"}),
        (["a/b", "c/d"], set()),  # as many parents as children
        (["a/", "a/b", "c/d"], set()),
        ([1, 2, 3], set()),
        ([True, False], set()),
    ],
)
def test_which_labels_are_a_hierarchy(labels, parents):
    assert set(find_parents(labels).values()) == parents


def test_the_probability_of_a_parent_is_the_sum_over_its_children(both):
    children, parents = both
    codes = np.array([0, 0, 1, 1])
    panel, above = children.estimator.panel_, parents.estimator.panel_
    np.testing.assert_allclose(above.answer.proba, sum_children(panel.answer.proba, codes))
    np.testing.assert_allclose(above.answer.proba.sum(axis=1), 1)
    for name, P in panel.predictions.proba.items():
        np.testing.assert_allclose(above.predictions.proba[name], sum_children(P, codes))
    assert (parents.labels == np.array(["dev", "sales"])[above.answer.proba.argmax(axis=1)]).all()


def test_parents_are_easier_and_their_estimate_says_so(both):
    children, parents = both
    truth = np.array(TARGET[1])
    above = np.array([label.split("/")[0] for label in TARGET[1]])
    assert (parents.labels == above).mean() > (children.labels == truth).mean() + 0.1
    assert parents.estimated_accuracy["mean"] > children.estimated_accuracy["mean"]


def test_the_child_is_one_of_its_parent_and_the_most_probable_one(both):
    children, parents = both
    columns, P = parents.columns(), children.estimator.transduction_proba_
    for row, (label, child) in enumerate(zip(columns["label"], columns["child"], strict=True)):
        assert child.startswith(f"{label}/")
        inside = [i for i, name in enumerate(CHILDREN) if name.startswith(f"{label}/")]
        assert child == CHILDREN[inside[int(P[row, inside].argmax())]]
        assert columns["child_confidence"][row] == pytest.approx(P[row, inside].max(), abs=1e-4)


def test_children_that_are_not_safe_come_with_the_offer(both):
    children, parents = both
    assert children.verdict.level != "safe"
    assert any("--parents" in message for message in children.messages)
    assert not any("--parents" in message for message in parents.messages)


def test_parents_are_certified_and_learn_from_answers(both):
    _, parents = both
    sample = parents.audit(40, seed=0).columns
    above = [label.split("/")[0] for label in TARGET[1]]
    sample["answer"] = [above[row - 1] for row in sample["row"]]
    certificate = parents.certify(sample)
    accuracy = (parents.labels == np.array(above)).mean()
    assert certificate.accuracy.low <= accuracy <= certificate.accuracy.high
    learned = labelferry.label(SOURCE[0], TARGET[0], label=SOURCE[1], parents=True, answers=sample)
    rows = [row - 1 for row in sample["row"]]
    assert (learned.labels[rows] == np.array(above)[rows]).all()


def test_given_labels_of_a_half_labelled_file_become_parents():
    import pandas as pd

    frame = pd.DataFrame({"text": SOURCE[0] + TARGET[0], "label": SOURCE[1] + [None] * N})
    result = labelferry.label(frame, parents=True)
    assert set(result.labels.tolist()) == {"dev", "sales"}
    assert result.columns()["origin"].count("given") == N
    assert result.columns()["child"][0] is None


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (["a", "b"] * (N // 2), {}, "one separator"),
        (SOURCE[1], {"method": "tcl"}, "needs the method auto"),
        (SOURCE[1], {"class_prior": dict.fromkeys(CHILDREN, 0.25)}, "class_prior"),
    ],
)
def test_what_cannot_be_done_is_said(labels, options, message):
    with pytest.raises(ValueError, match=message):
        labelferry.label(SOURCE[0], TARGET[0], label=labels, parents=True, **options)
