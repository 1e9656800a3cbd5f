"""Public classes and functions have docstrings in numpydoc form: summary, parameters with types, returns.

The public names are those of the `__init__` files and stubs that the API reference shows. The rules are those of
`numpydoc.validate`; see https://numpydoc.readthedocs.io/en/latest/validation.html for the codes.
"""

import ast
import importlib
import inspect
import re
from types import FunctionType

import pytest
from numpydoc.validate import validate

from labelferry.core.registry import estimators

PACKAGES = (
    *("ensemble", "methods", "baselines", "assessment", "text", "report", "certificate", "demo"),
    *("review.store", "review.server"),
)
BENCH = ("labelferry_bench.datasets", "labelferry_bench.papers")
MODULES = ("labelferry", *(f"labelferry.{name}" for name in PACKAGES), *BENCH)
OTHERS = (
    "labelferry.testing.check_transductive",
    "labelferry.core.classifier.TransductiveClassifier",
    "labelferry.core.domains.Domains",
    "labelferry.inputs.options.TextOptions",
)

# Checked everywhere.
RULES = {
    "GL06": "unknown section",
    "GL07": "sections in the wrong order",
    "GL08": "no docstring",
    "GL10": "a directive needs two colons",
    "SS01": "no summary",
    "SS02": "the summary does not start with a capital letter",
    "SS03": "the summary does not end with a period",
    "SS04": "the summary has leading spaces",
    "SS06": "the summary is longer than one line",
    "PR01": "parameters are not documented",
    "PR02": "documented parameters do not exist",
    "PR03": "parameters in the wrong order",
    "PR04": "a parameter has no type",
    "PR05": "the type of a parameter ends with a period",
    "PR06": "the type of a parameter has another name",
    "PR07": "a parameter has no description",
    "PR09": "the description of a parameter does not end with a period",
    "PR10": "no space before the colon",
    "RT01": "no section Returns",
    "RT03": "the return value has no description",
    "RT05": "the description of the return value does not end with a period",
    "YD01": "no section Yields",
}
# Methods and properties of a class: those of scikit-learn's interface are short, and an attribute is its summary.
METHOD_RULES = set(RULES) - {"PR01", "RT01", "YD01"}
# A NamedTuple or dataclass documents its fields as attributes, which numpydoc does not count as parameters.
RECORD_RULES = set(RULES) - {"PR01", "PR02"}


def is_record(value):
    return inspect.isclass(value) and (hasattr(value, "_fields") or hasattr(value, "__dataclass_fields__"))


def public_names():
    """Full name of each public class or function: where it is defined."""
    values = [getattr(module, name) for module in map(importlib.import_module, MODULES) for name in exported(module)]
    own = [value for value in values if inspect.isclass(value) or inspect.isfunction(value)]
    names = {f"{value.__module__}.{value.__qualname__}" for value in own if value.__module__.startswith("labelferry")}
    return sorted(names | {f"{cls.__module__}.{name}" for name, cls in estimators().items()} | set(OTHERS))


def exported(module):
    """Names in `__all__`; packages are not documented as values."""
    return [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]


def public_members(name):
    """Full names of the public methods and properties that the class itself defines."""
    value = load(name)
    if not inspect.isclass(value):
        return []
    documented = re.findall(r"^(\w+)(?: : .*)?$", inspect.getdoc(value).partition("Attributes\n----------\n")[2], re.M)
    kinds = (property, classmethod, FunctionType)  # `solve = staticmethod(solve)` is documented in its module
    return [
        f"{name}.{key}"
        for key, member in vars(value).items()
        if isinstance(member, kinds) and not key.startswith("_") and key not in documented
    ]


def load(name):
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


NAMES = public_names()
MEMBERS = [member for name in NAMES for member in public_members(name)]


def problems(name, rules):
    """What numpydoc objects to, one line per problem."""
    return [f"{code}: {text}" for code, text in validate(name)["errors"] if code in rules]


@pytest.mark.parametrize("name", NAMES)
def test_docstring(name):
    assert problems(name, RECORD_RULES if is_record(load(name)) else set(RULES)) == []


@pytest.mark.parametrize("name", MEMBERS)
def test_docstring_of_a_method(name):
    assert problems(name, METHOD_RULES) == []


@pytest.mark.parametrize("name", sorted(estimators()))
def test_defaults_of_an_estimator_are_documented(name):
    """`name : type, default=value` for each parameter that has a default."""
    cls = estimators()[name]
    documented = {
        name: default
        for names, default in re.findall(r"^(\w+(?:, \w+)*) : .*?default=(.*)$", inspect.getdoc(cls), flags=re.M)
        for name in names.split(", ")
    }
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.default is not inspect.Parameter.empty:
            assert parameter.name in documented, parameter.name
            assert ast.literal_eval(documented[parameter.name]) == parameter.default, parameter.name
