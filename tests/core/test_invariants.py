"""Invariants of every registered estimator on random problems, with hypothesis.

HYPOTHESIS_PROFILE=long runs 1,000 problems per estimator. `python -m tests.core.test_invariants SGT TCL` prints the
counts.
"""

import collections
import os
import sys

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from labelferry.core.registry import estimators
from labelferry.testing.invariants import violations
from labelferry.testing.problems import KINDS, make_problem

from ..estimators import small

SLOW = ("AutoTransfer", "KDEWeighting", "NMFClustering")  # `make test` has one problem: `check_invariants`
N_EXAMPLES = 1000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 5
PROFILE = settings(
    max_examples=N_EXAMPLES,
    deadline=None,
    derandomize=N_EXAMPLES < 1000,
    suppress_health_check=list(HealthCheck),
    database=None,
    phases=[Phase.generate],  # a smaller example is searched only by hand: it takes many fits
)
NAMES = [pytest.param(name, marks=pytest.mark.system) if name in SLOW else name for name in estimators()]

PROBLEMS = st.builds(
    make_problem,
    seed=st.integers(0, 2**32 - 1),
    n_documents=st.integers(3, 40),
    n_words=st.integers(3, 60),
    n_classes=st.integers(2, 5),
    n_sources=st.integers(1, 2),
    kind=st.sampled_from(KINDS),
    density=st.sampled_from([0.05, 0.15, 0.4, 1.0]),
    n_duplicates=st.integers(0, 6),
    n_empty=st.integers(0, 3),
    n_single=st.integers(0, 5),
    follows_classes=st.booleans(),
)


@pytest.mark.parametrize("name", NAMES)
def test_only_documented_exceptions(name):
    estimator = small(name)

    @PROFILE
    @given(problem=PROBLEMS, seed=st.integers(0, 2**32 - 1))
    def holds(problem, seed):
        assert {*violations(estimator, problem, seed)} <= {*estimator.exceptions, "symmetry"}

    holds()


PAST = [  # an estimator, and a problem on which it broke an invariant
    (
        "SGT",
        {"seed": 39407891, "n_documents": 23, "n_words": 5, "n_classes": 4, "n_duplicates": 5, "n_single": 3}
        | {"kind": "tf-idf", "density": 0.4},
        186,
    ),
    (
        "SGT",
        {"seed": 2736786404, "n_documents": 29, "n_words": 34, "n_classes": 4, "n_duplicates": 5}
        | {"density": 1.0, "follows_classes": False},
        553,
    ),
    (
        "SGT",
        {"seed": 3719337527, "n_documents": 10, "n_words": 31, "n_duplicates": 5, "n_single": 1, "n_empty": 1}
        | {"density": 0.05, "follows_classes": False},
        536,
    ),
]


@pytest.mark.parametrize(("name", "settings", "seed"), PAST)
def test_a_past_violation_is_none(name, settings, seed):
    """Equal documents of several domains, or with other classes, and documents that differ in length only."""
    assert {*violations(small(name), make_problem(**settings), seed)} <= {"symmetry"}


def counts(name: str) -> collections.Counter:
    """How many problems break each invariant, "problems" is their number."""
    estimator, counter = small(name), collections.Counter()

    @PROFILE
    @given(problem=PROBLEMS, seed=st.integers(0, 2**32 - 1))
    def count(problem, seed):
        try:
            broken = violations(estimator, problem, seed)
        except Exception as error:  # count it and go on
            broken = [f"{type(error).__name__}: {error}"[:80]]
        counter.update({"problems", *broken})

    count()
    return counter


if __name__ == "__main__":
    for name in sys.argv[1:] or estimators():
        sys.stdout.write(f"{name}: {dict(counts(name))}\n")
        sys.stdout.flush()
