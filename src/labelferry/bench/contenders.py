"""Methods as a user writes them on the command line: `TCL`, `RSP(risk=0)`, `GCMF(n_topics=16, word_smoothness=1)`."""

from __future__ import annotations

import ast
import json
from typing import Any

from ..core.classifier import TransductiveClassifier
from ..core.registry import estimators, find

__all__ = ["make", "parse", "settings"]


def parse(text: str) -> list[str]:
    """The methods of a list with commas, each once, in its plain form: names as registered, a space after a comma.

    >>> parse("tcl, RSP( risk=0 ),cdsc,TCL")
    ['TCL', 'RSP(risk=0)', 'CDSC']
    """
    try:
        elements = ast.parse(f"[{text}]", mode="eval").body.elts  # type: ignore[attr-defined]
        return list(dict.fromkeys(_plain(*_read(element)) for element in elements))
    except (SyntaxError, AttributeError) as error:
        raise ValueError(
            f"methods must be names with commas between them, such as TCL,RSP(risk=0); got {text!r}."
        ) from error


def make(method: str, seed: int) -> TransductiveClassifier:
    """The estimator that `method` names, with that seed where it has one."""
    name, given = _read(ast.parse(method, mode="eval").body)
    known = estimators()[name]().get_params()
    unknown = [parameter for parameter in given if parameter not in known]
    if unknown:
        raise ValueError(f"{name} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    seeded = {"random_state": seed} if "random_state" in known else {}
    return estimators()[name](**{**seeded, **given})


def settings(estimator: TransductiveClassifier) -> str:
    """All parameters in one line. Two runs with other settings, or other defaults, are two different runs."""
    return json.dumps({"name": type(estimator).__name__, **estimator.get_params()}, sort_keys=True, default=str)


def _read(node: ast.expr) -> tuple[str, dict[str, Any]]:
    call = node if isinstance(node, ast.Call) else ast.Call(func=node, args=[], keywords=[])
    if not isinstance(call.func, ast.Name) or call.args:
        raise ValueError(f"a method must be a name, or a name with name=value in brackets; got {ast.unparse(node)!r}.")
    name = find(call.func.id).__name__
    try:
        given = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except ValueError as error:
        raise ValueError(f"values in brackets must be numbers or quoted text; got {ast.unparse(node)!r}.") from error
    return name, given


def _plain(name: str, given: dict[str, Any]) -> str:
    inside = ", ".join(f"{parameter}={value!r}" for parameter, value in given.items())
    return f"{name}({inside})" if given else name
