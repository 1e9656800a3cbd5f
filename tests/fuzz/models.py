"""Model files: a file that somebody changed is refused, or gives probabilities."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelferry import label, load_demo
from labelferry.labelling.explain import explain
from labelferry.labelling.model import load_model

from .choices import JSON_VALUES, Choices
from .rules import REFUSED, attempt, require

METHODS = (
    "sourcelr",
    "tcl(n_topics=3, max_iter=5)",
    "gcmf(n_topics=8, max_iter=5)",
    "emnaivebayes",
    "sgt",
    "mtrick(n_topics=4)",
)
DELETE = "(delete)"
CHANGES = (
    "cut",
    "deeper",
    "flat",
    "text",
    "nan",
    "inf",
    "negative",
    "huge",
    "zero",
    "empty",
    "int",
    "float16",
    "bool",
    "delete",
)


class Edit(NamedTuple):
    """One change: of an array, or of the value at a path inside a JSON member."""

    member: str
    change: str = ""  # of CHANGES; empty: JSON
    path: tuple[str | int, ...] = ()
    value: Any = None


class ModelCase(NamedTuple):
    """A saved model with changes; `flips` are positions and values of bytes of the file, and `size` cuts it."""

    method: str
    edits: tuple[Edit, ...] = ()
    flips: tuple[tuple[int, int], ...] = ()
    size: int | None = None


def decode(choices: Choices) -> ModelCase:
    """A model of one method with up to three changes."""
    method = choices.pick(METHODS)
    arrays = members(method)
    if choices.flag(4):
        n = len(packed(arrays))
        flips = tuple((choices.below(n), choices.below(256)) for _ in range(1 + choices.below(4)))
        return ModelCase(method, flips=flips, size=choices.below(n) if choices.flag(8) else None)
    edits = []
    for _ in range(1 + choices.below(3)):
        name = choices.pick(sorted(arrays))
        if arrays[name].dtype.kind == "U" and not choices.flag(8):
            edits.append(Edit(name, path=path_in(json.loads(str(arrays[name])), choices), value=new_value(choices)))
        else:
            edits.append(Edit(name, choices.pick(CHANGES)))
    return ModelCase(method, tuple(edits))


def new_value(choices: Choices) -> Any:
    return DELETE if choices.flag(4) else choices.pick(JSON_VALUES)


def path_in(value: Any, choices: Choices) -> tuple[str | int, ...]:
    """A path to some value inside a JSON value."""
    path: list[str | int] = []
    while isinstance(value, dict | list) and value and not (path and choices.flag(4)):
        key: Any = choices.pick(sorted(value)) if isinstance(value, dict) else choices.below(len(value))
        path.append(key)
        value = value[key]
    return tuple(path)


def check(case: ModelCase, folder: Path) -> str:
    """Load the file and use what was loaded."""
    path = folder / "model.npz"
    content = bytearray(packed(edited(members(case.method), case.edits)))
    for position, value in case.flips:
        content[position % len(content)] = value
    path.write_bytes(content[: case.size])
    outcome, model = attempt(lambda: load_model(path))
    if outcome == REFUSED:
        return REFUSED
    texts = [*load_demo().texts_target[:3], "xyzzy"]
    outcome, proba = attempt(lambda: model.proba(texts))
    if outcome != REFUSED:
        require(proba.shape == (4, len(model.estimator.classes_)), f"probabilities of shape {proba.shape}")
        require(bool(np.isfinite(proba).all() and (proba >= 0).all()), "probabilities that are not finite or negative")
        require(bool((abs(proba.sum(axis=1) - 1) < 1e-3).all()), "probabilities that do not sum to one")
        if model.reference is not None:
            outcome, _ = attempt(lambda: model.assess(texts))
        codes = proba.argmax(axis=1)
        attempt(lambda: model.evidence(texts, codes))
    explained, _ = attempt(lambda: explain(path))
    return REFUSED if REFUSED in (outcome, explained) else outcome


def edited(arrays: dict[str, np.ndarray], edits: tuple[Edit, ...]) -> dict[str, np.ndarray]:
    """The members with changes; what no longer exists is not changed."""
    arrays = dict(arrays)
    for edit in edits:
        if edit.member not in arrays:
            continue
        if edit.change == "delete":
            del arrays[edit.member]
        elif edit.change:
            arrays[edit.member] = changed(arrays[edit.member], edit.change)
        elif (text := str(arrays[edit.member])).startswith(("{", "[")):  # still JSON after earlier changes
            arrays[edit.member] = np.array(json.dumps(replaced(json.loads(text), edit.path, edit.value)))
    return arrays


def replaced(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """A JSON value with another value at a path."""
    if not path:
        return new
    key, *rest = path
    if not isinstance(value, dict | list) or (isinstance(value, dict) != isinstance(key, str)):
        return value
    if isinstance(value, list) and int(key) >= len(value):
        return value
    copy: Any = value.copy()
    if not rest and new == DELETE:
        if not isinstance(copy, dict) or key in copy:
            del copy[key]
    else:
        copy[key] = replaced(copy.get(key) if isinstance(copy, dict) else copy[key], tuple(rest), new)
    return copy


def changed(array: np.ndarray, change: str) -> np.ndarray:
    """An array that does not fit."""
    numbers = array if array.dtype.kind in "biuf" else np.zeros(array.shape)
    if change == "cut":
        return array[1:] if array.ndim else array
    with np.errstate(all="ignore"):
        return {
            "deeper": lambda: array[None],
            "flat": lambda: array.ravel(),
            "text": lambda: array.astype(str),
            "nan": lambda: np.full(array.shape, np.nan),
            "inf": lambda: np.full(array.shape, np.inf),
            "negative": lambda: -1 - numbers.astype(float) if numbers.dtype.kind != "i" else -1 - numbers,
            "huge": lambda: np.full(array.shape, 1e300 if numbers.dtype.kind == "f" else 2**31 - 1),
            "zero": lambda: np.zeros_like(numbers),
            "empty": lambda: array[:0] if array.ndim else array,
            "int": lambda: numbers.astype(np.int64),
            "float16": lambda: numbers.astype(np.float16),
            "bool": lambda: numbers.astype(bool),
        }[change]()


@cache
def members(method: str) -> dict[str, np.ndarray]:
    """The members of a model of this method."""
    import tempfile

    demo = load_demo()
    fitted = label(demo.texts_source[::6], demo.texts_target[::6], label=demo.y_source[::6], method=method)
    with tempfile.TemporaryDirectory() as folder:
        fitted.save(Path(folder) / "model.npz")
        with np.load(Path(folder) / "model.npz") as file:
            return dict(file)


def packed(arrays: dict[str, np.ndarray]) -> bytes:
    """The bytes of an .npz file; not compressed, so that a changed byte changes a number."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def seeds() -> list[bytes]:
    """Some changes of every method."""
    return [bytes([i, 0, 0, j, 0, k, 3]) for i in range(len(METHODS)) for j in range(0, 40, 5) for k in range(4)]


PAST = {
    "no change": ModelCase(METHODS[0]),
    "half a file": ModelCase(METHODS[0], size=2000),
    "a catastrophic expression": ModelCase(
        METHODS[0], (Edit("vectorizer/settings", path=("token_pattern",), value="(a+)+$"),)
    ),
    "negative factors": ModelCase("gcmf(n_topics=8, max_iter=5)", (Edit("estimator/array15", "negative"),)),
    "weights of words that are zero": ModelCase("tcl(n_topics=3, max_iter=5)", (Edit("estimator/array8", "int"),)),
    "no target": ModelCase("tcl(n_topics=3, max_iter=5)", (Edit("estimator/array11", "zero"),)),
    "no pattern of words": ModelCase(METHODS[0], (Edit("vectorizer/settings", path=("token_pattern",), value=None),)),
    "infinite idf": ModelCase(METHODS[0], (Edit("vectorizer/idf", "inf"),)),
    "negative idf": ModelCase(METHODS[0], (Edit("vectorizer/idf", "negative"),)),
    "words that are numbers": ModelCase(METHODS[0], (Edit("vectorizer/words", "inf"),)),
    "evidence that is text": ModelCase(METHODS[0], (Edit("word_scores", "text"),)),
    "evidence that is not finite": ModelCase(METHODS[0], (Edit("word_scores", "nan"),)),
    "positions that are not finite": ModelCase(
        "sgt", (Edit("estimator/array2", "inf"), Edit("estimator/array3", "inf"))
    ),
    "no documents": ModelCase(METHODS[2], (Edit("estimator/array4", "empty"),)),
    "ends of words that decrease": ModelCase(METHODS[0], (Edit("vectorizer/ends", "negative"),)),
}
