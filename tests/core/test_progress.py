"""Progress: which share of the work is done, and how long the rest takes."""

import pytest

from labelferry.core import costs, progress
from labelferry.core.costs import Cost, Costs, seconds_of
from labelferry.core.progress import Remaining, TimeLeft
from labelferry.core.registry import estimators
from labelferry.ensemble.panel import make_estimators, panel_stages

from ..planted import as_domains, vocabulary_shift

SIZE = (200_000, 4)


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def table(monkeypatch):
    """Costs that are easy to compute: for SIZE, A takes 4 seconds and B takes 20."""
    stages = {"A": Cost(2.0, 1.0, 0.0), "B": Cost(5.0, 1.0, 1.0), "C": Cost(0.0, 0.0, 0.0)}
    monkeypatch.setattr(costs, "load_costs", lambda: Costs({"TCL": Cost(3.0, 0.0, 0.0)}, stages))


def test_costs_by_hand(table):
    assert seconds_of("A", *SIZE) == 4
    assert seconds_of("B", *SIZE) == 20
    assert seconds_of("TCL(n_topics=4)", *SIZE) == 3
    assert seconds_of("something new", *SIZE) == 8, "the mean of the stages"


def test_it_starts_at_zero_and_without_a_time_before_the_size(table):
    clock = Clock()
    time_left = TimeLeft(clock)
    assert str(time_left.remaining()) == "0%"
    time_left.expect("A", "B")
    time_left.begin("A")
    clock.now += 3
    assert time_left.remaining() == Remaining(0.0, None)
    time_left.size(*SIZE)
    assert time_left.remaining() == Remaining(3 / 24, 21.0)


def test_a_stage_alone_needs_no_size(table):
    clock = Clock()
    time_left = TimeLeft(clock)
    time_left.begin("asking 100 questions")
    clock.now += 10
    time_left.step(0.01)
    assert time_left.remaining() == Remaining(0.0, None)
    time_left.step(0.25)
    assert time_left.remaining() == Remaining(0.25, 30.0)


def test_the_share_and_the_rest_by_hand(table):
    clock = Clock()
    time_left = TimeLeft(clock)
    time_left.expect("A", "B")
    time_left.size(*SIZE)
    time_left.begin("A")
    assert time_left.remaining() == Remaining(0.0, 24.0)
    clock.now += 1
    assert time_left.remaining() == Remaining(1 / 24, 23.0)
    clock.now += 7  # A takes 8 seconds instead of 4
    assert time_left.remaining() == Remaining(4 / 24, None)
    time_left.begin("B")
    share, seconds = time_left.remaining()
    assert seconds == pytest.approx(20 * (8 + 1) / (4 + 1))
    assert share == 4 / 24
    time_left.step(0.5)
    clock.now += 9
    assert time_left.remaining() == Remaining(14 / 24, 9.0)
    clock.now += 90
    time_left.step(0)
    assert time_left.remaining() == Remaining(0.99, None)


@pytest.mark.parametrize(("took", "factor"), [(0, 1 / 20), (1000, 20)])
def test_a_cost_that_is_very_wrong_changes_the_estimate_by_twenty_at_most(table, took, factor):
    clock = Clock()
    time_left = TimeLeft(clock)
    time_left.expect("A", "B", "B")
    time_left.size(*SIZE)
    time_left.begin("B")
    clock.now += took
    time_left.begin("A")
    assert time_left.remaining().seconds == pytest.approx(24 * factor)


def test_stages_that_are_expected_twice_count_once(table):
    time_left = TimeLeft(Clock())
    time_left.expect("A", "B")
    time_left.size(*SIZE)
    time_left.expect("B", "B")
    time_left.begin("A")
    assert time_left.remaining().seconds == pytest.approx(4 + 20 + 20)


def test_stages_before_the_size_count_too(table):
    clock = Clock()
    time_left = TimeLeft(clock)
    time_left.expect("A", "B")
    time_left.begin("A")
    clock.now += 9
    time_left.size(*SIZE)
    time_left.begin("B")
    assert time_left.remaining() == Remaining(4 / 24, 40.0)


def test_what_comes_before_the_size_is_no_step(table):
    clock = Clock()
    time_left = TimeLeft(clock)
    time_left.expect("A", "B")
    time_left.begin("A")
    clock.now += 100  # A chooses its settings
    time_left.size(*SIZE)
    clock.now += 1
    time_left.step(0.5)
    share, seconds = time_left.remaining()
    assert share == 2 / 24
    assert seconds == pytest.approx(1 + 20 * 20), "the rest of A, and B on a machine that is 20 times as slow or more"


def test_stages_that_were_not_expected_and_stages_that_come_twice(table):
    time_left = TimeLeft(Clock())
    time_left.size(*SIZE)
    time_left.expect("A", "A")
    time_left.begin("D")
    time_left.begin("A")
    assert time_left.remaining().seconds == pytest.approx(8 / 9), "D took no time instead of 8 seconds"
    time_left.begin("A")
    time_left.begin("A")
    assert time_left.remaining().seconds > 0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (7.4, "7 s"), (12, "10 s"), (33, "35 s"), (100, "2 min"), (1000, "17 min")],
)
def test_the_rest_in_words(seconds, text):
    assert str(Remaining(0.354, seconds)) == f"35%, about {text} left"
    assert str(Remaining(0.354, None)) == "35%"


def test_the_table_has_every_method_and_every_stage():
    measured = costs.load_costs()
    assert set(measured.methods) == set(estimators())
    domains = as_domains(vocabulary_shift(n_docs=60))
    assert set(panel_stages(domains)) <= set(measured.stages)
    assert set(make_estimators(0)) <= set(panel_stages(domains))
    for stage in ("counting words", "assessing the answer", "finding evidence", "writing"):
        assert stage in measured.stages
    for cost in (*measured.methods.values(), *measured.stages.values()):
        assert cost.seconds > 0
        assert 0 <= cost.by_entries <= 2
        assert 0 <= cost.by_classes <= 2


def test_without_a_listener_nothing_happens():
    progress.expect("A")
    progress.size(1, 2)
    progress.begin("A")
