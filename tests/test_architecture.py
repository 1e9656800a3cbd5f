"""The doors of ARCHITECTURE.md: who may import whom. A wall that is broken fails here."""

import ast
from pathlib import Path

import pytest

import labelferry

ROOT = Path(labelferry.__file__).parent

LABELFERRY_DOORS = {
    "cli": {"job", "report", "bench", "auto", "text", "datasets"},
    "job": {"report", "auto", "diagnosis", "methods", "baselines", "transfer", "linalg", "text"},
    "report": {"bench", "auto", "diagnosis", "methods", "baselines", "transfer", "datasets"},
    "bench": {"datasets", "methods", "baselines", "auto", "diagnosis", "transfer", "text"},
    "auto": {"methods", "baselines", "diagnosis", "transfer", "optim", "linalg"},
    "methods": {"transfer", "optim", "linalg"},
    "baselines": {"transfer", "optim", "linalg"},
    "diagnosis": {"transfer", "optim", "linalg"},
    "transfer": {"optim", "linalg"},
    "datasets": {"text"},
    "backends": {"linalg"},
    "text": set(),
    "optim": set(),
    "linalg": set(),
    "disk": set(),
}
FOR_ALL = {"disk"}  # rooms that every room may enter, but for linalg and optim
OUTSIDE = {
    "linalg": {"numpy", "scipy", "sparse_dot_topn", "joblib"},
    "optim": set(),
    "cli": {"typer", "rich"},
    "text": {"numpy", "sklearn", "narwhals", "pyarrow", "stop_words", "Stemmer"},
}
STANDARD = set(__import__("sys").stdlib_module_names)


def files():
    return sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)


def room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[str, ...]]:
    """Absolute names of all that a file imports, also inside functions."""
    package = ("labelferry", *path.relative_to(ROOT).parent.parts)
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module.split(".") if node.module else ()))
            found += [(*module, alias.name) for alias in node.names] if not node.module else [module]
    return found


def allowed(here: str) -> set[str]:
    return LABELFERRY_DOORS[here] | (set() if here in ("linalg", "optim") else FOR_ALL)


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_doors(path):
    for name in imports(path):
        if name[0] == "labelferry" and len(name) > 1 and not name[1].startswith("__"):
            assert name[1] == room(path) or name[1] in allowed(room(path)), f"{path} may not import {name}"
        elif name[0] != "labelferry" and name[0] not in STANDARD and room(path) in OUTSIDE:
            assert name[0] in OUTSIDE[room(path)], f"{room(path)} may not import {name[0]}"


@pytest.mark.parametrize("kind", ["methods", "baselines"])
def test_no_method_imports_another(kind):
    for path in (ROOT / kind).glob("*.py"):
        if path.name != "__init__.py":
            others = [name for name in imports(path) if name[:2] == ("labelferry", kind)]
            assert not others, f"{path.name} imports {others}: what two methods share belongs to transfer or linalg"


def test_rooms_are_all_in_the_plan():
    rooms = {room(path) for path in files()}
    assert rooms <= set(LABELFERRY_DOORS), rooms - set(LABELFERRY_DOORS)


def test_no_file_without_a_purpose():
    vague = {"utils", "helpers", "common", "misc", "tools"}
    assert not [path for path in files() if path.stem in vague]


def test_solvers_do_not_ask_what_kind_of_matrix_they_have():
    for kind in ("methods", "baselines", "optim"):
        for path in (ROOT / kind).glob("*.py"):
            assert "issparse" not in path.read_text(), f"{path}: the branch belongs to linalg"
