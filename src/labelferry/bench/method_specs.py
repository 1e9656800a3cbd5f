"""Methods as a user writes them on the command line: `TCL`, `RSP(risk=0)`, `GCMF(n_topics=16, word_smoothness=1)`."""

from __future__ import annotations

import ast
import json
from typing import Any

from ..core.classifier import TransductiveClassifier
from ..core.registry import estimators, find

__all__ = ["SEED_PARAMETER", "all_parameters", "make_method", "parse_methods"]

SEED_PARAMETER = "random_state"


def parse_methods(text: str) -> list[str]:
    """Split a comma-separated list of methods and write each in its normal form, without repetitions.

    Parameters
    ----------
    text : str
        Names of methods, with parameters in brackets.

    Returns
    -------
    methods : list of str
        Names as registered, with one space after a comma.

    Examples
    --------
    >>> parse_methods("tcl, RSP( risk=0 ),cdsc,TCL")
    ['TCL', 'RSP(risk=0)', 'CDSC']
    """
    try:
        elements = ast.parse(f"[{text}]", mode="eval").body.elts  # type: ignore[attr-defined]
        return list(dict.fromkeys(_normal_form(*_read(element)) for element in elements))
    except (SyntaxError, AttributeError) as error:
        raise ValueError(
            f"methods must be names with commas between them, such as TCL,RSP(risk=0); got {text!r}."
        ) from error


def make_method(method: str, seed: int) -> TransductiveClassifier:
    """Make the estimator that `method` describes, with this seed if it has one."""
    name, parameters = _read(ast.parse(method, mode="eval").body)
    known = estimators()[name]().get_params()
    unknown = [parameter for parameter in parameters if parameter not in known]
    if unknown:
        raise ValueError(f"{name} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    seeded = {SEED_PARAMETER: seed} if SEED_PARAMETER in known else {}
    return estimators()[name](**{**seeded, **parameters})


def all_parameters(estimator: TransductiveClassifier) -> str:
    """Write all parameters as one line of JSON. A run with other settings, or other defaults, is another run."""
    return json.dumps({"name": type(estimator).__name__, **estimator.get_params()}, sort_keys=True, default=str)


def _read(node: ast.expr) -> tuple[str, dict[str, Any]]:
    call = node if isinstance(node, ast.Call) else ast.Call(func=node, args=[], keywords=[])
    if not isinstance(call.func, ast.Name) or call.args:
        raise ValueError(f"a method must be a name, or a name with name=value in brackets; got {ast.unparse(node)!r}.")
    name = find(call.func.id).__name__
    try:
        parameters = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except ValueError as error:
        raise ValueError(f"values in brackets must be numbers or quoted text; got {ast.unparse(node)!r}.") from error
    return name, parameters


def _normal_form(name: str, parameters: dict[str, Any]) -> str:
    inside = ", ".join(f"{parameter}={value!r}" for parameter, value in parameters.items())
    return f"{name}({inside})" if parameters else name
