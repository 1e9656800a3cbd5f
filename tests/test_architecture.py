"""The allowed imports of ARCHITECTURE.md. An import that is not in the table fails here."""

import ast
import sys
from pathlib import Path

import pytest

import labelferry

ROOT = Path(labelferry.__file__).parent

# From top to bottom: a package imports from those below it that its line names.
ALLOWED = {
    "cli": {"server", "workflows", "bench", "datasets", "text"},
    "server": {"workflows", "certificate", "store"},
    "bench": {
        *{"ensemble", "assessment", "methods", "baselines", "families", "certificate", "datasets", "report", "text"},
        *{"core", "linalg"},
    },
    "workflows": {
        *{"ensemble", "assessment", "methods", "baselines", "families", "certificate", "store", "datasets", "report"},
        *{"text", "core", "linalg"},
    },
    "ensemble": {"assessment", "methods", "baselines", "families", "core", "linalg"},
    "assessment": {"families", "core", "linalg"},
    "methods": {"families", "core", "linalg"},
    "baselines": {"families", "core", "linalg"},
    "families": {"core", "linalg"},
    "core": {"linalg"},
    "certificate": {"linalg"},
    "store": set(),
    "datasets": {"text"},
    "report": set(),
    "text": set(),
    "linalg": set(),
}
EVERYWHERE = {"files", "processes"}  # single modules at the top of the package that every package but these may import
WITHOUT_FILES = {"linalg", "report"}
THIRD_PARTY = {
    "linalg": {"numpy", "scipy", "sparse_dot_topn", "joblib", "dask", "distributed"},
    "cli": {"typer", "rich"},
    "server": {"starlette", "uvicorn", "jinja2", "markupsafe"},
    "store": {"numpy", "sqlalchemy", "psycopg", "lazy_loader"},
    "text": {
        *{"numpy", "scipy", "sklearn", "narwhals", "pyarrow", "py3langid", "stop_words", "Stemmer", "lazy_loader"},
        *{"openpyxl", "chardet", "joblib"},
    },
    "report": {
        "numpy",
        "scipy",
        "sklearn",
        "jinja2",
        "markupsafe",
        "altair",
        "matplotlib",
        "lazy_loader",
        "vl_convert",
    },
}


def files():
    return sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)


def package_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def imports(path: Path) -> list[tuple[str, ...]]:
    """Absolute names of everything that a file imports, also inside functions."""
    package = ("labelferry", *path.relative_to(ROOT).parent.parts)
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module.split(".") if node.module else ()))
            names += [(*module, alias.name) for alias in node.names] if not node.module else [module]
    return names


def allowed(package: str) -> set[str]:
    return ALLOWED[package] | {package} | (set() if package in WITHOUT_FILES else EVERYWHERE)


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_allowed_imports(path):
    package = package_of(path)
    for name in imports(path):
        if name[0] == "labelferry" and len(name) > 1 and not name[1].startswith("__"):
            assert name[1] in allowed(package), f"{path} may not import {name}"
        elif name[0] not in {"labelferry", *sys.stdlib_module_names} and package in THIRD_PARTY:
            assert name[0] in THIRD_PARTY[package], f"{package} may not import {name[0]}"


def test_imports_go_from_top_to_bottom():
    order = list(ALLOWED)
    upward = {(a, b) for a, below in ALLOWED.items() for b in below if order.index(b) <= order.index(a)}
    assert not upward


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_private_name_crosses_a_package(path):
    private = [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.level > 1
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert not private


@pytest.mark.parametrize("kind", ["methods", "baselines"])
def test_no_method_imports_another(kind):
    for path in (ROOT / kind).glob("*.py"):
        if path.name != "__init__.py":
            others = [name for name in imports(path) if name[:2] == ("labelferry", kind)]
            assert not others, f"{path.name} imports {others}: what two methods share belongs to families or linalg"


def test_all_packages_are_in_the_table():
    assert {package_of(path) for path in files()} == set(ALLOWED)


def test_no_file_without_a_purpose():
    vague = {"utils", "helpers", "common", "misc", "tools"}
    assert not [path for path in files() if path.stem in vague]


def test_solvers_do_not_ask_what_kind_of_matrix_they_have():
    for kind in ("methods", "baselines"):
        for path in (ROOT / kind).glob("*.py"):
            assert "issparse" not in path.read_text(), f"{path}: the branch belongs to linalg"


def test_dask_is_imported_in_one_file():
    users = {
        path.relative_to(ROOT).as_posix()
        for path in files()
        for name in imports(path)
        if name[0] in {"dask", "distributed"}
    }
    assert users <= {"linalg/dask_blocks.py"}


def test_private_scikit_learn_is_imported_in_one_file():
    private = {"_param_validation", "_safe_indexing", "_num_samples"}
    users = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("sklearn")
        and (private & {*(node.module or "").split("."), *(alias.name for alias in node.names)})
    }
    assert users <= {"core/params.py"}


PRIVATE = {  # names that other libraries keep private, by the files that use them
    "params.py": {"_num_samples", "_validate_params"},  # scikit-learn
    "sklearn_private.py": {"_tfidf", "_validate_params"},
    "excel.py": {"_value", "_worksheet_path"},  # openpyxl
    "fits.py": {"_mapping"},  # SQLAlchemy documents it
    "store.py": {"_mapping"},
    "warn.py": {"_getframe"},  # Python documents these two
    "processes.py": {"_exit"},
}
OF_NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}


def names_defined(tree: ast.AST) -> set[str]:
    """Functions, classes, variables, and the attributes that a class sets on itself."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            names.add(node.attr)
    return names


def test_private_attributes_of_other_libraries():
    """A private attribute that no file of labelferry defines belongs to another library."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.rglob("*.py")}
    own = OF_NAMED_TUPLES.union(*map(names_defined, trees.values()))
    used = {}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                used.setdefault(path.name, set()).update({node.attr} - own)
    assert {name: attributes for name, attributes in used.items() if attributes} == PRIVATE


def test_a_shared_function_has_a_name_of_its_own():
    """Two functions of `core` and `linalg` with one name would be two meanings of it; `step` is a word of methods."""
    defined = {}
    for package in ("core", "linalg"):
        for path in sorted((ROOT / package).glob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    defined.setdefault(node.name, []).append(f"{package}/{path.name}")
    assert {name: where for name, where in defined.items() if len(where) > 1 and name != "step"} == {}
