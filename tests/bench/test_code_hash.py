import ast

from labelferry_bench.papers.code_hash import code_hash, modules_of, without_docstrings


def test_modules_are_those_that_the_method_imports():
    modules = modules_of("labelferry.methods.tcl")
    assert {"labelferry.methods.tcl", "labelferry.families.trifactorization", "labelferry.linalg.matrix"} <= set(
        modules
    )
    assert "labelferry.methods.gcmf" not in modules
    assert not any(name.startswith("labelferry_bench.papers") for name in modules)
    assert all(modules[name] for name in modules)


def test_every_method_has_its_own_hash():
    assert len({code_hash(f"labelferry.methods.{name}") for name in ("tcl", "gcmf", "cdsc", "rsp")}) == 4
    assert code_hash("labelferry.methods.tcl") == code_hash("labelferry.methods.tcl")


def test_only_code_changes_the_hash():
    first = without_docstrings(ast.parse('"""a"""\ndef f(x):\n    """b"""\n    return x + 1  # c\n'))
    same = without_docstrings(ast.parse("def f(x):\n\n    return (x + 1)\n"))
    other = without_docstrings(ast.parse("def f(x):\n    return x + 2\n"))
    assert first == same != other
