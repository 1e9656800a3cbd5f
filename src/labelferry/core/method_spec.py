"""Methods as users write them: `tcl`, `RSP(risk=0)`, `auto`, `gcmf(n_topics=16, word_smoothness=1)`, or an estimator.

The same spelling is used by `label`, `compare`, `demo`, the command line and the bench. Values in brackets are read as
constants of Python; no code is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from inspect import signature
from typing import Any, NamedTuple

from sklearn.base import clone

from .classifier import TransductiveClassifier
from .params import check_params
from .registry import find

SEED_PARAMETER = "random_state"
EXAMPLE = 'such as tcl, auto or "tcl(n_topics=4)"'


class MethodSpec(NamedTuple):
    """A method and the parameters that the user set."""

    name: str  # as registered
    parameters: Mapping[str, Any]

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.name}({inside})" if self.parameters else self.name

    def make(self, seed: int) -> TransductiveClassifier:
        """The estimator, with this seed if it has one and the user set none."""
        return _ready(find(self.name)(**self.parameters), seed)


def parse_method(text: str) -> MethodSpec:
    """Read one method.

    `text`: name of a method in upper or lower case, with parameters in brackets if there are any.

    >>> str(parse_method("tcl( n_topics=4 )"))
    'TCL(n_topics=4)'
    """
    specs = _parse(text)
    if len(specs) != 1:
        raise ValueError(f"method must be one method, {EXAMPLE}; got {text!r}.")
    return specs[0]


def parse_methods(text: str) -> list[str]:
    """Split a comma-separated list of methods and write each in its normal form, without repetitions.

    >>> parse_methods("tcl, RSP( risk=0 ),cdsc,TCL")
    ['TCL', 'RSP(risk=0)', 'CDSC']
    """
    return list(dict.fromkeys(map(str, _parse(text))))


def make_method(method: str | TransductiveClassifier, seed: int) -> TransductiveClassifier:
    """Make the estimator that the user described."""
    # `method`: what `parse_method` reads, or an estimator. An estimator is copied and not changed.
    if isinstance(method, str):
        return parse_method(method).make(seed)
    if not isinstance(method, TransductiveClassifier):
        what = f"the class {method.__name__}" if isinstance(method, type) else repr(method)
        raise ValueError(
            f"method must be a name, {EXAMPLE}, or an estimator of labelferry such as TCL(n_topics=4); got {what}."
        )
    return _ready(clone(method), seed)


def describe_method(estimator: TransductiveClassifier) -> str:
    """The estimator as `parse_method` reads it: its name, and the parameters that differ from their defaults."""
    # Arrays are shown by their shape.
    shown = {
        name: _Shape(value.shape) if hasattr(value, "shape") else value
        for name, value in chosen_parameters(estimator).items()
    }
    return str(MethodSpec(type(estimator).__name__, shown))


def chosen_parameters(method: str | TransductiveClassifier) -> Mapping[str, Any]:
    """The parameters that the user set: those in brackets; of an estimator, those that differ from their defaults.

    >>> chosen_parameters("emnaivebayes(class_prior='uniform')")
    {'class_prior': 'uniform'}
    >>> chosen_parameters("emnaivebayes")
    {}
    """
    if isinstance(method, str):
        return parse_method(method).parameters
    values = method.get_params(deep=False)
    parameters = signature(type(method)).parameters.items()
    return {name: values[name] for name, p in parameters if not _is_same(values[name], p.default)}


class _Shape(NamedTuple):
    shape: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<array of shape {self.shape}>"


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and not hasattr(value, "shape") and value == default)


def _ready(estimator: TransductiveClassifier, seed: int) -> TransductiveClassifier:
    """With a seed, and with values that are checked."""
    if estimator.get_params(deep=False).get(SEED_PARAMETER, seed) is None:
        estimator.set_params(**{SEED_PARAMETER: seed})
    check_params(estimator)
    return estimator


def _parse(text: str) -> list[MethodSpec]:
    try:
        elements = ast.parse(f"[{text}]", mode="eval").body.elts  # type: ignore[attr-defined]
    except (SyntaxError, AttributeError, ValueError, MemoryError, RecursionError):
        raise _no_methods(text) from None
    try:
        return [_read(element) for element in elements]
    except RecursionError:  # nested too deeply to be read or shown
        raise _no_methods(text) from None


def _no_methods(text: str) -> ValueError:
    if text.count("(") > text.count(")"):
        return ValueError(f"a closing bracket is missing in {text!r}. Write a method like this: tcl(n_topics=4).")
    return ValueError(f"methods must be names with commas between them, such as TCL,RSP(risk=0); got {text!r}.")


def _read(node: ast.expr) -> MethodSpec:
    call = node if isinstance(node, ast.Call) else ast.Call(func=node, args=[], keywords=[])
    if not isinstance(call.func, ast.Name) or call.args or any(keyword.arg is None for keyword in call.keywords):
        raise ValueError(f"a method must be a name, or a name with name=value in brackets; got {ast.unparse(node)!r}.")
    cls = find(call.func.id)
    known = cls().get_params(deep=False)
    parameters = {}
    for keyword in call.keywords:
        name = str(keyword.arg)
        if name not in known:
            raise ValueError(_unknown(cls.__name__, name, known))
        try:
            parameters[name] = ast.literal_eval(keyword.value)
        except ValueError:
            raise ValueError(
                f"the value of {name} must be a number, quoted text, None, True, False or a list of these; got "
                f"{ast.unparse(keyword.value)!r} in {ast.unparse(node)!r}."
            ) from None
    return MethodSpec(cls.__name__, parameters)


def _unknown(method: str, name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]}?" if near else ""
    listed = f"it has {', '.join(sorted(known))}" if known else "it has none"
    return f"{method} has no parameter {name!r}; {listed}.{hint}"
