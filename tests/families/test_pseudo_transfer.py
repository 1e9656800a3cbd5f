import numpy as np
import pytest

from labelferry import TCL
from labelferry.core.domains import Domains
from labelferry.families.pseudo_transfer import pseudo_transfers, second_topic

from ..planted import two_sources, vocabulary_shift


def two_topics_per_class(seed=0):
    """Two classes of two topics of ten words each; the topic and the class of every document."""
    rng = np.random.default_rng(seed)
    topic, codes = np.arange(80) % 2, np.arange(80) // 2 % 2
    X = rng.poisson(0.1, (80, 40)).astype(float)
    for row in range(80):
        first = 20 * codes[row] + 10 * topic[row]
        X[row, first : first + 10] += rng.poisson(3, 10)
    return X, codes, topic


def test_the_halves_of_a_class_are_its_topics():
    X, codes, topic = two_topics_per_class()
    far = second_topic(X, codes)
    for code in (0, 1):
        agree = (far == topic)[codes == code].mean()
        assert max(agree, 1 - agree) > 0.95


def test_the_halves_do_not_depend_on_the_names_of_the_classes():
    X, codes, _ = two_topics_per_class()
    np.testing.assert_array_equal(second_topic(X, codes), second_topic(X, 1 - codes))


def test_a_single_source_gives_two_transfers_without_labels_in_the_target():
    X, codes, _ = two_topics_per_class()
    transfers = pseudo_transfers(Domains.from_blocks([("a", X, codes)], ("new", X)))
    assert len(transfers) == 2
    for domains, true in transfers:
        (target,) = domains.targets
        assert not target.known.any()
        assert len(true) == target.X.shape[0] == 40
    rows = np.concatenate([domains.targets[0].rows for domains, _ in transfers])
    assert sorted(rows) == list(range(80))


def test_several_sources_are_the_target_in_turn():
    Xs, ys, Xt, _ = two_sources(seed=1)
    transfers = pseudo_transfers(Domains.from_blocks(list(zip("ab", Xs, ys, strict=True)), ("new", Xt)))
    assert [len(true) for _, true in transfers] == [X.shape[0] for X in Xs]


def test_a_class_with_one_document_gives_no_transfer():
    X, codes, _ = two_topics_per_class()
    rows = np.append(np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)[0])
    assert len(pseudo_transfers(Domains.from_blocks([("a", X[rows], codes[rows])], ("new", X)))) < 2


@pytest.mark.parametrize("seed", [0, 1])
def test_tcl_with_cross_validation_is_tcl_with_the_chosen_weight(seed):
    task = vocabulary_shift(seed=seed)
    chosen = TCL(common_weight="cv", max_iter=20, random_state=seed)
    labels = chosen.transfer(task.Xs, task.ys, task.Xt)
    alpha = chosen.state_.alpha
    assert 0 <= alpha <= 1
    fixed = TCL(common_weight=alpha, max_iter=20, random_state=seed)
    np.testing.assert_array_equal(labels, fixed.transfer(task.Xs, task.ys, task.Xt))
