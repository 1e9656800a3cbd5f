"""The code behind a record of the bench: a hash of the modules of its method, and the commit of the checkout.

The modules are the method's own and all modules of labelferry that it imports, directly or not. Comments, docstrings
and the layout of the code do not change the hash.
"""

from __future__ import annotations

import ast
import importlib.util
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path

PACKAGE = "labelferry"


@cache
def commit() -> str:
    """Return the commit of the checkout that this code is in; empty if it is in none."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=10", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


@cache
def code_hash(module: str) -> str:
    """Return twelve hexadecimal digits for a module and the modules of labelferry that it imports."""
    code = modules_of(module)
    return sha256("\n".join(f"{name} {code[name]}" for name in sorted(code)).encode()).hexdigest()[:12]


def modules_of(module: str) -> dict[str, str]:
    """Return the code of a module and of the modules of labelferry that it imports, by their names."""
    found: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name], imported = _read(name)
            waiting += imported
    return found


@cache
def _read(module: str) -> tuple[str, tuple[str, ...]]:
    """Return the code of a module without docstrings, and the modules of labelferry that it imports."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return "", ()
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    package = module if spec.submodule_search_locations else module.rpartition(".")[0]
    imported = [name for node in ast.walk(tree) for name in _imported(node, package)]
    return without_docstrings(tree), tuple(dict.fromkeys(imported))


def without_docstrings(tree: ast.Module) -> str:
    """Return the code as text without comments, docstrings and layout."""
    return ast.dump(_WithoutDocstrings().visit(tree))


def _imported(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
        names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
    else:
        return []
    return [name for name in names if name.partition(".")[0] == PACKAGE and name != PACKAGE and _exists(name)]


@cache
def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the last part is a function or a class
        return False


class _WithoutDocstrings(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(body, list) and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [item for item in body if not _is_text(item)]
        return node


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
