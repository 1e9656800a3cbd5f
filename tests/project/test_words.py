"""Words and numbers have one form in all that people read: outputs, pages and comments."""

import io
import re
import subprocess
import tokenize

import pytest

from ..pages import ROOT

APART = re.compile(r"(?<=[0-9}]) %(?![%}])(?=$|[\s.,;:)\]\"'<|`?!/*\\-])")  # 5 % instead of 5%
QUAINT = re.compile(
    r"\b(foretold|warrant(ed|s)?|mends?|in place of|likewise|to be had|speaks? for|line a row|albeit|"
    r"hitherto|thereof|whereof|whilst|amongst|heretofore)\b",
    re.IGNORECASE,
)
TEXTS = (tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))


def files(*endings):
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if name.endswith(endings) and (ROOT / name).exists()]


def lines_of(path):
    """(number, line); of a Python file only what is in strings and comments, the rest blank."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return list(enumerate(text.splitlines(), 1))
    rows = text.splitlines()
    kept = [[" "] * len(row) for row in rows]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in TEXTS:
            (first, start), (last, stop) = token.start, token.end
            for row in range(first, last + 1):
                a, b = (start - 1 if row == first else 0), (stop if row == last else len(rows[row - 1]))
                kept[row - 1][max(a, 0) : b] = rows[row - 1][max(a, 0) : b]
    return [(i, "".join(row)) for i, row in enumerate(kept, 1) if ">>>" not in rows[i - 1]]


def found(pattern, endings, skipped=()):
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files(*endings)
        if path.name not in skipped
        for number, line in lines_of(path)
        if pattern.search(line)
    ]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a git checkout")
def test_percentages_have_one_form():
    """5%, as Python's own format writes it."""
    assert found(APART, (".py", ".md", ".html", ".js"), ("test_words.py",)) == []


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a git checkout")
def test_no_quaint_words():
    assert found(QUAINT, (".py", ".md", ".html", ".js"), ("test_words.py",)) == []


@pytest.mark.parametrize(
    ("text", "number"), [('x = f"{n} %"\n', 1), ('x = 5 % 3  # 5 %\n"a"\n', 1), ("y = (i + 1) % 3\n", 0), ("'5%'\n", 0)]
)
def test_the_test_can_fail(text, number, tmp_path):
    path = tmp_path / "some.py"
    path.write_text(text)
    assert sum(bool(APART.search(line)) for _, line in lines_of(path)) == number
