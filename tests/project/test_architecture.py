"""The allowed imports of ARCHITECTURE.md. An import that is not in the table fails here."""

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

import labelferry
import labelferry_bench

ROOT, BENCH = Path(labelferry.__file__).parent, Path(labelferry_bench.__file__).parent

# From top to bottom: a package imports from those below it that its line names. `api` is a module.
ALLOWED = {
    "cli": {
        "demo",
        "api",
        "llm",
        "review",
        "report",
        "labelling",
        "inputs",
        "assessment",
        "core",
        "certificate",
        "tables",
    },
    "demo": {"api", "labelling", "inputs", "baselines", "core", "text", "linalg"},
    "api": {
        *{"review", "report", "labelling", "inputs", "ensemble", "assessment", "families", "core", "certificate"},
        *{"tables", "linalg"},
    },
    "review": {"report", "labelling", "inputs", "ensemble", "assessment", "certificate", "tables", "linalg"},
    "llm": {"labelling", "inputs", "tables"},
    "report": {"labelling", "inputs", "assessment", "core", "certificate", "text", "tables", "linalg"},
    "labelling": {
        *{"inputs", "ensemble", "assessment", "families", "core", "certificate", "text", "tables", "linalg"},
    },
    "inputs": {"assessment", "core", "text", "tables", "linalg"},
    "ensemble": {"assessment", "methods", "baselines", "families", "core", "linalg"},
    "assessment": {"families", "core", "linalg"},
    "methods": {"families", "core", "linalg"},
    "baselines": {"families", "core", "linalg"},
    "families": {"core", "linalg"},
    "testing": {"core", "linalg"},
    "core": {"linalg"},
    "certificate": {"linalg"},
    "text": {"tables"},
    "tables": set(),
    "linalg": set(),
}
REVIEW = ("server", "job", "sample", "store")  # its rooms, from top to bottom
EVERYWHERE = {"files", "processes"}  # single modules at the top of the package that every package but these may import
WITHOUT_FILES = {"linalg", "report"}
THIRD_PARTY = {
    "linalg": {"numpy", "scipy", "sparse_dot_topn", "joblib", "dask", "distributed"},
    "certificate": {"numpy", "scipy"},
    "cli": {"typer", "rich"},
    "llm": {"httpx"},
    "review/server": {"starlette", "uvicorn", "jinja2", "markupsafe"},
    "review/job": {"numpy", "scipy"},
    "review/sample": {"numpy"},
    "review/store": {"numpy", "sqlalchemy", "psycopg", "lazy_loader"},
    "tables": {"numpy", "narwhals", "pyarrow", "openpyxl", "chardet", "lazy_loader"},
    "text": {"numpy", "scipy", "sklearn", "joblib", "py3langid", "stop_words", "Stemmer", "lazy_loader"},
    "report": {"numpy", "sklearn", "jinja2", "markupsafe", "altair", "matplotlib", "lazy_loader", "vl_convert"},
}
Name = tuple[str, ...]  # of a module, such as ("labelferry", "core", "domains")


def files() -> list[Path]:
    """The files of all packages, and `api.py`."""
    single = {f"{name}.py" for name in (*EVERYWHERE, "__init__", "__main__")}
    return sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.name not in single)


def parsed(path: Path) -> ast.Module:
    return parse_once(path.read_text(encoding="utf-8"))


parse_once = cache(ast.parse)


def place(path: Path) -> str:
    """A file for messages."""
    return path.relative_to(ROOT).as_posix()


def package_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[0]


def room_of(path: Path) -> str:
    """The package, or for a file of `review` the package in it."""
    parts = path.relative_to(ROOT).parent.parts
    return "/".join(parts[:2]) if parts[:1] == ("review",) else package_of(path)


def from_imports(tree: ast.AST, package: Name) -> list[tuple[Name, str]]:
    """Absolute names of the modules of `from module import name`, and the names."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module.split(".") if node.module else ()))
            found += [(module, alias.name) for alias in node.names]
    return found


def plain_imports(tree: ast.AST) -> list[Name]:
    """Names of the modules of `import module`."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    return [tuple(alias.name.split(".")) for node in nodes for alias in node.names]


def package_name(path: Path, root: Path = ROOT) -> Name:
    """The package of a file: that in which its relative imports begin."""
    return (root.name, *path.relative_to(root).parent.parts)


def imports(path: Path) -> list[Name]:
    """Absolute names of all modules that a file imports, also inside functions."""
    tree = parsed(path)
    found = from_imports(tree, package_name(path))
    names = {*plain_imports(tree), *((*module, name) if len(module) < 2 else module for module, name in found)}
    return sorted(names)


def modules(package: str, root: Path) -> dict[Name, Path]:
    """The files of a package by the names of their modules."""
    paths = [root / f"{package}.py"] if (root / f"{package}.py").is_file() else sorted((root / package).rglob("*.py"))
    names = ((root.name, *path.relative_to(root).with_suffix("").parts) for path in paths)
    return {name[:-1] if name[-1] == "__init__" else name: path for name, path in zip(names, paths, strict=True)}


def stub_of(path: Path) -> Path:
    """The file that says where a package has its names from: the stub of a lazy `__init__`."""
    stub = path.with_suffix(".pyi")
    return stub if path.name == "__init__.py" and stub.is_file() else path


def imported_modules(path: Path, known: dict[Name, Path], root: Path) -> set[Name]:
    """The modules of `known` that a file imports, anywhere in it; names of a lazy package are those of its modules."""
    tree = parsed(path)
    found = {name for name in plain_imports(tree) if name in known}
    for module, name in from_imports(tree, package_name(path, root)):
        if (*module, name) in known:
            found.add((*module, name))
        elif module in known:
            found.add(module)
            source = stub_of(known[module])
            if source != known[module]:
                stub = from_imports(parsed(source), package_name(source, root))
                found |= {origin for origin, exported in stub if exported == name and origin in known}
    return found


def cycles(package: str, root: Path = ROOT) -> list[list[str]]:
    """Files of a package that import each other, directly or through others: one list per knot.

    Imports inside functions and under TYPE_CHECKING count: most of them exist to hide a cycle.
    """
    known = modules(package, root)
    graph = {name: imported_modules(path, known, root) for name, path in known.items()}
    reached = {}
    for name in graph:
        waiting, seen = list(graph[name]), set()
        while waiting:
            other = waiting.pop()
            if other not in seen:
                seen.add(other)
                waiting += graph[other]
        reached[name] = seen
    knots = {frozenset(b for b in reached[a] if a in reached[b]) for a in graph if a in reached[a]}
    return sorted(sorted(".".join(name[1:]) for name in knot) for knot in knots)


def type_checking_imports(path: Path, root: Path) -> list[str]:
    """Modules of the own package that a file imports for types only."""
    blocks = [
        ast.Module(node.body, [])
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    ]
    names = [
        name
        for block in blocks
        for name in (*plain_imports(block), *(m for m, _ in from_imports(block, package_name(path, root))))
    ]
    return [".".join(name) for name in names if name[0] in {ROOT.name, root.name}]


def allowed(package: str) -> set[str]:
    return ALLOWED[package] | {package} | (set() if package in WITHOUT_FILES else EVERYWHERE)


def test_allowed_imports():
    wrong = []
    for path in files():
        package, third_party = package_of(path), THIRD_PARTY.get(room_of(path))
        for name in imports(path):
            if name[0] == ROOT.name and len(name) > 1 and not name[1].startswith("__"):
                if name[1] not in allowed(package):
                    wrong.append(f"{place(path)} imports {'.'.join(name)}: {package} may not import {name[1]}")
            elif third_party is not None and name[0] not in {ROOT.name, *sys.stdlib_module_names, *third_party}:
                wrong.append(f"{place(path)} imports {name[0]}: {room_of(path)} may not")
    assert not wrong, "\n".join(wrong)


def test_the_rooms_of_review_import_downwards():
    wrong = []
    for path in sorted((ROOT / "review").rglob("*.py")):
        room = path.relative_to(ROOT).parts[1]
        found = from_imports(parsed(path), package_name(path))
        names = [(*module, name)[2] for module, name in found if module[:2] == (ROOT.name, "review")]
        if room in REVIEW:
            above = REVIEW[: REVIEW.index(room)]
            wrong += [f"{place(path)} imports {name}, which is above {room}" for name in names if name in above]
    assert {path.name for path in (ROOT / "review").iterdir() if (path / "__init__.py").is_file()} == set(REVIEW)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", list(ALLOWED))
def test_no_files_of_a_package_import_each_other(package):
    assert cycles(package) == []


def test_a_cycle_is_found_in_functions_for_types_and_through_a_lazy_package(tmp_path):
    contents = {
        "a.py": "from .b import f",
        "b.py": "def f():\n    from .deep import g",
        "deep/__init__.py": "",
        "deep/__init__.pyi": "from .c import g as g",
        "deep/c.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..a import x",
        "alone.py": "from .a import x\nfrom . import deep",
    }
    for name, text in contents.items():
        path = tmp_path / "house" / "room" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert cycles("room", tmp_path / "house") == [["room.a", "room.b", "room.deep.c"]]
    (tmp_path / "house" / "room" / "b.py").write_text("from . import deep")
    assert cycles("room", tmp_path / "house") == []


def test_no_file_imports_labelferry_for_types_only():
    wrong = {
        path.relative_to(root).as_posix(): names
        for root in (ROOT, BENCH)
        for path in sorted(root.rglob("*.py"))
        if (names := type_checking_imports(path, root))
    }
    assert not wrong, "import it as usual, or move what both files need: " + str(wrong)


def test_the_product_imports_nothing_of_the_bench():
    wrong = [place(path) for path in ROOT.rglob("*.py") for name in imports(path) if name[0] == BENCH.name]
    assert not wrong


def test_the_page_has_this_table():
    """ARCHITECTURE.md lists the same rooms in the same order, with the same imports."""
    page = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    listed = {
        cells[0].strip("`"): set() if cells[2].startswith("nothing") else set(cells[2].split(", "))
        for cells in rows
        if len(cells) == 3
    }
    assert listed == ALLOWED
    assert list(listed) == list(ALLOWED)


def test_imports_go_from_top_to_bottom():
    order = list(ALLOWED)
    upward = {(a, b) for a, below in ALLOWED.items() for b in below if order.index(b) <= order.index(a)}
    assert not upward


def test_no_private_name_crosses_a_package():
    wrong = [
        f"{place(path)} imports {alias.name} of {node.module}"
        for path in files()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.level > 1
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert not wrong, "\n".join(wrong)


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
    users = {place(path) for path in files() for name in imports(path) if name[0] in {"dask", "distributed"}}
    assert users <= {"linalg/dask_blocks.py"}


def test_private_scikit_learn_is_imported_in_one_file():
    private = {"_param_validation", "_safe_indexing", "_num_samples"}
    users = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("sklearn")
        and (private & {*(node.module or "").split("."), *(alias.name for alias in node.names)})
    }
    assert users <= {"core/params.py"}


PRIVATE = {  # names that other libraries keep private, by the files that use them
    "params.py": {"_num_samples"},  # scikit-learn
    "sklearn_private.py": {"_tfidf", "_validate_params"},
    "excel.py": {"_value", "_worksheet_path"},  # openpyxl
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
    trees = {path: parsed(path) for path in ROOT.rglob("*.py")}
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
            for node in parsed(path).body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    defined.setdefault(node.name, []).append(f"{package}/{path.name}")
    assert {name: where for name, where in defined.items() if len(where) > 1 and name != "step"} == {}
