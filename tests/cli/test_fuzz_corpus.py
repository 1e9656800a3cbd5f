"""Inputs that once failed, and some that a fuzzer would try first; `make fuzz` searches for new ones."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labelferry.cli.app import message_of

from ..fuzz.__main__ import KINDS
from ..fuzz.choices import Choices
from ..fuzz.rules import FINE, MAX_LINE, REFUSED, Finding, attempt, check_message

pytest.importorskip("openpyxl")
pytest.importorskip("pyarrow")
pytest.importorskip("starlette.testclient")

QUICK = {
    "files": 40,
    "tables": 3,
    "options": 6,
    "features": 40,
    "matrices": 20,
    "models": 20,
    "requests": 30,
    "states": 10,
    "jobs": 60,
    "corpora": 60,
    "arguments": 20,
    "roundtrips": 60,
}


def past_failures():
    """One parameter per case."""
    for kind in KINDS:
        for name, case in import_module(f"tests.fuzz.{kind}").PAST.items():
            yield pytest.param(kind, case, id=f"{kind}: {name}")


@pytest.mark.parametrize(("kind", "case"), list(past_failures()))
def test_a_past_failure_is_fine_or_refused(kind, case, tmp_path):
    assert import_module(f"tests.fuzz.{kind}").check(case, tmp_path) in (FINE, REFUSED)


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_are_valid(kind):
    module = import_module(f"tests.fuzz.{kind}")
    assert all(module.decode(Choices(seed)) == module.decode(Choices(seed)) for seed in module.seeds())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_random_inputs(kind, tmp_path):
    module = import_module(f"tests.fuzz.{kind}")

    @settings(max_examples=QUICK[kind], deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.one_of(st.binary(max_size=200), st.sampled_from(module.seeds())))
    def run(data):
        assert module.check(module.decode(Choices(data)), tmp_path) in (FINE, REFUSED)

    run()


@pytest.mark.parametrize("error", [TypeError("x"), KeyError("x"), RecursionError(), ValueError("")])
def test_the_rules_find_what_is_not_allowed(error):
    with pytest.raises(Finding):
        check_message(error)


def test_a_long_error_is_shortened_and_keeps_its_end():
    message = message_of(ValueError("x" * 5000 + " Pass 1."))
    assert len(message) < MAX_LINE
    assert message.endswith("x Pass 1.")


def test_the_rules_allow_one_line():
    def refuse():
        raise ValueError("x must be 1; got 2. Pass 1.")

    assert attempt(refuse) == (REFUSED, None)
    assert attempt(lambda: 3) == (FINE, 3)
