"""SECURITY.md: every promise names a test that exists, and the limits are those of the code."""

import ast
import re

from labelferry.core.archive import MAX_BYTES, MAX_RATIO
from labelferry.review.server.guard import MAX_BODY
from labelferry.tables.formats.excel import MAX_UNZIPPED
from labelferry.tables.formats.json_array import MAX_CHARACTERS
from labelferry.tables.read import MAX_CELL

from ..pages import ROOT, read


def test_every_promise_names_a_test_that_exists():
    promises = [line for line in read("SECURITY.md").splitlines() if line.endswith("` |") and "tests/" in line]
    assert len(promises) > 10
    for line in promises:
        file, name = re.search(r"`(tests/[\w/]+\.py)::(\w+)` \|$", line).groups()
        tests = {node.name for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)}
        assert name in tests, line


def test_the_limits_are_those_of_the_code():
    page = read("SECURITY.md")
    for limit in (MAX_CELL, MAX_CHARACTERS, MAX_UNZIPPED, MAX_BYTES, MAX_RATIO, MAX_BODY):
        assert f"| {limit:,} |" in page
