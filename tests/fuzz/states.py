"""Steps in the use of a review job, in any order: the job and its page are those of a twin in plain Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from tests.jobs import CLASSES
from tests.review.store_states import KINDS, PAGES, PURPOSES, REVIEWERS, N, ReviewMachine

from .choices import Choices
from .rules import FINE, Finding

RULES: dict[str, dict[str, tuple[Any, ...]]] = {  # the steps, and the values of their arguments
    "answer": {
        "which": (0, 1),
        "document": tuple(range(N)),
        "label": tuple(CLASSES),
        "reviewer": REVIEWERS,
        "purpose": PURPOSES,
    },
    "answer_otherwise": {"which": (0, 1), "document": tuple(range(N)), "kind": KINDS, "reviewer": REVIEWERS},
    "answer_question": {"which": (0, 1), "reviewer": REVIEWERS, "purpose": PURPOSES[:3]},
    "answer_wrongly": {"which": (0, 1), "document": (-1, 0, N), "label": ("", "cats", None, "unclear")},
    "answer_on_the_page": {
        "document": tuple(range(-1, N + 1)),
        "choice": (*(f"label:{label}" for label in CLASSES), *KINDS, ""),
        "purpose": (*PURPOSES, "fun"),
    },
    "undo": {"which": (0, 1), "reviewer": REVIEWERS},
    "undo_on_the_page": {},
    "read_a_page": {"path": PAGES},
    "learn": {"which": (0, 1)},
    "accept": {"which": (0, 1)},
    "answer_accept": {"which": (0, 1), "label": (None, *CLASSES), "reviewer": REVIEWERS},
    "certify": {"which": (0, 1)},
    "export": {"which": (0, 1)},
    "list": {"which": (0, 1), "label": (None, *CLASSES), "answered": (None, True, False)},
    "open_again": {"which": (0, 1)},
}
MAX_STEPS = 20


class Step(NamedTuple):
    """One step."""

    name: str
    arguments: dict[str, Any]


def decode(choices: Choices) -> list[Step]:
    """Some steps."""
    steps = []
    for _ in range(1 + choices.below(MAX_STEPS)):
        name = choices.pick(tuple(RULES))
        steps.append(Step(name, {key: choices.pick(values) for key, values in RULES[name].items()}))
    return steps


def check(case: list[Step], folder: Path) -> str:
    """Run the steps on a new job; after each, it must be that of the twin."""
    machine = ReviewMachine()
    try:
        machine.create()
        for step in case:
            getattr(machine, step.name)(**step.arguments)
            machine.the_log_is_that_of_the_twin()
    except AssertionError as error:
        raise Finding("wrong", f"not that of the twin: {str(error)[:300]}") from error
    except Exception as error:
        raise Finding("traceback", f"{type(error).__name__}: {str(error)[:300]}") from error
    finally:
        machine.teardown()
    return FINE


def seeds() -> list[bytes]:
    """Every step, alone and after some answers."""
    return [bytes([0, i, 0, 0, 0, 0, 0]) for i in range(len(RULES))] + [
        bytes([3, 0, 0, 1, 0, 1, 0, 4, 2, 1, 3, i, 0, 0, 0, 0]) for i in range(len(RULES))
    ]


PAST = {
    "learning from nothing": [Step("learn", {"which": 0})],
    "an answer on the page, taken back in Python": [
        Step("answer_on_the_page", {"document": 1, "choice": "unclear", "purpose": "audit"}),
        Step("undo", {"which": 0, "reviewer": "Ada"}),
        Step("export", {"which": 1}),
    ],
}
