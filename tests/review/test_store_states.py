"""Random use of a job, in any order, against a twin in plain Python: on SQLite and on PostgreSQL."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.review.store_states import STEPS, ReviewMachine, new_database

N_RULES = 15  # each of them was used
RELAXED = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None, "derandomize": False}


def run(examples, steps):
    before = sum(STEPS.values())
    run_state_machine_as_test(
        ReviewMachine, settings=settings(max_examples=examples, stateful_step_count=steps, **RELAXED)
    )
    return sum(STEPS.values()) - before


def test_a_job_is_that_of_the_twin():
    assert run(5, 30) >= 60


def test_a_job_on_a_server_is_that_of_the_twin(postgres, monkeypatch):
    monkeypatch.setattr(ReviewMachine, "place", lambda: new_database(postgres))
    assert run(3, 20) >= 20


@pytest.mark.system
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_ten_thousand_steps(kind, request, monkeypatch):
    if kind == "postgresql":
        server = request.getfixturevalue("postgres")
        monkeypatch.setattr(ReviewMachine, "place", lambda: new_database(server))
    n_steps = 0
    while n_steps < 10_000:
        n_steps += run(20, 100)
    assert len(STEPS) == N_RULES
