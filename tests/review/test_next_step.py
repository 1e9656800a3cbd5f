"""The next step after answers, as a function of what they certify."""

import numpy as np
import pytest

from labelferry.review.sample.frozen import Limit
from labelferry.review.sample.next_step import ASK, LEARN, RAISE, STOP, next_step
from labelferry.review.sample.usable import Further, usable_labels

from .test_usable import freeze, population


def state(n, first, error=0.05):
    frozen = freeze(population(np.zeros(n, dtype=bool)), 3)
    return usable_labels(frozen, Further(first, {}), Limit(error))


def answered(n, n_answers, n_wrong, error=0.05):
    """The next documents are answered, and the first `n_wrong` answers contradict the labels."""
    first = {}
    while len(first) < n_answers and (row := (usable := state(n, first, error)).next_row()) is not None:
        code = int(usable.frozen.labels[row])
        first[row] = 1 - code if len(first) < n_wrong else code
    return state(n, first, error)


@pytest.mark.parametrize("can_learn", [False, True])
def test_before_the_first_answer_people_are_asked_also_about_few_documents(can_learn):
    assert next_step(state(2000, {}), can_learn=can_learn) == ASK
    assert next_step(state(20, {}), can_learn=can_learn) == ASK  # all of them: nothing else makes one usable


def test_labels_out_of_reach_learn_or_the_limit_is_raised():
    hopeless = answered(2000, 40, 40)
    assert hopeless.out_of_reach
    assert not hopeless.other_limit()
    assert next_step(hopeless, can_learn=True) == LEARN
    assert next_step(hopeless, can_learn=False) == STOP
    better = answered(2000, 40, 2)
    assert better.out_of_reach
    assert better.other_limit()
    assert next_step(better, can_learn=True) == RAISE


def test_if_most_labels_can_be_used_the_others_do_not_learn_for_it():
    first, frozen = {}, freeze(population(np.zeros(300, dtype=bool)), 3)
    place = usable_labels(frozen, Further({}, {})).ladder.place
    while (row := (usable := usable_labels(frozen, Further(first, {}))).next_row()) is not None:
        first[row] = int(frozen.labels[row]) if place[row] < 210 else 1 - int(frozen.labels[row])
        if usable.n >= 150 and usable.out_of_reach:
            break
    assert 150 <= usable.n < 300
    assert usable.out_of_reach
    assert next_step(usable, can_learn=True) == STOP


def test_a_contradiction_that_may_be_a_slip_is_asked_again_before_people_stop():
    usable = answered(300, 300, 0)
    assert usable.n == 300
    assert next_step(usable, can_learn=True) == STOP
    slip = next(iter(usable.given.first))
    contradicted = state(300, usable.given.first | {slip: 1 - usable.given.first[slip]})
    assert contradicted.again == [slip]
    assert next_step(contradicted, can_learn=True) == ASK
    assert "stop here" not in contradicted.text()


def test_labels_that_ten_percent_makes_usable_now_are_named_also_if_more_of_them_are_unlikely():
    rng = np.random.default_rng(0)
    frozen = freeze(population(np.zeros(1000, dtype=bool)), 0)._replace(p_wrong=np.linspace(0.02, 0.6, 1000))
    place = usable_labels(frozen, Further({}, {})).ladder.place
    wrong = rng.random(1000) < np.where(place < 250, 0.04, 0.6)
    first = {}
    for _ in range(84):
        row = usable_labels(frozen, Further(first, {})).next_row()
        first[row] = int(wrong[row])
    low, high = (usable_labels(frozen, Further(first, {}), Limit(error)) for error in (0.05, 0.1))
    assert not low.n
    assert high.n == 100
    assert high.out_of_reach
    assert low.other_limit() == {"error": 0.1, "more_answers": 0, "n": 100}
