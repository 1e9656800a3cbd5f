"""The pages of the documentation, and functions that run their examples."""

import re
import shlex
import subprocess
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from labelferry import cli
from labelferry.demo.run import save_demo

ROOT = Path(__file__).parents[1]
TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
GENERATED = ROOT / "docs" / "gallery"  # `make docs` writes it
PAGES = [
    *(ROOT / name for name in TOP),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if GENERATED not in page.parents),
]

BLOCK = re.compile(r"^```(python|sh|console)\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", flags=re.M | re.S)
NUMBER = re.compile(r"\d[\d,]*\.?\d*(?<=\d)")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(page, *languages):
    """(language, text) of the fenced blocks in these languages, from top to bottom."""
    return re.findall(rf"^```({'|'.join(languages)})\n(.*?)^```", page, flags=re.M | re.S)


class Output(NamedTuple):
    """What a page says that a command prints, and what it printed."""

    command: str
    shown: str | None  # None: the page does not say
    printed: str


def run_blocks(page, before=lambda command, times: None):
    """Run the Python, shell and console blocks of a page in the working folder; what the commands printed, in order.

    A text block right after a Python or shell block is what its last command prints. `before(command, times)` is called
    before each command, with how often it ran.
    """
    namespace, outputs, times = {}, [], Counter()

    def command(line):
        first, piped, line = line.rpartition(" | ")
        line, _, place = line.partition(" > ")
        program, *arguments = shlex.split(line, comments=True)
        if program in ("make", "pip") or arguments[:1] == ["review"]:  # installs, or starts a server
            return None
        assert program == "labelferry", line
        before(name := shlex.join(arguments), times[name])
        times[name] += 1
        given = subprocess.run(shlex.split(first), check=True, capture_output=True).stdout if piped else None
        result = CliRunner().invoke(cli.app, arguments, given, env={"COLUMNS": "80", "NO_COLOR": "1"})
        if place:
            Path(place).write_text(result.stdout, encoding="utf-8")
        return Output(name, None, result.output if result.exit_code else result.stdout), result.exit_code

    for language, text, shown in BLOCK.findall(page):
        if language == "python":
            with redirect_stdout(StringIO()) as printed:
                exec(text, namespace)
            outputs.append(Output("python", None, printed.getvalue()))
        for part in re.split(r"^\$ ", text, flags=re.M)[1:] if language == "console" else []:
            line, _, expected = part.replace("\\\n", "").partition("\n")
            if done := command(line):
                outputs.append(done[0]._replace(shown=expected or None))
                assert done[1] == (2 if expected.startswith("labelferry: ") else 0), f"{line}\n{done[0].printed}"
        for line in text.splitlines() if language == "sh" else []:
            if done := command(line):
                outputs.append(done[0])
                assert done[1] == 0, f"{line}\n{done[0].printed}"
        if shown:
            outputs[-1] = outputs[-1]._replace(shown=shown)
    return outputs


def differences(shown, printed):
    """Where a page differs from what was printed: other words, or numbers that are not near; empty if nowhere.

    A line of three dots stands for anything that follows. Numbers may depend on the machine: they may differ
    by 2%, or by one in the last digit.

    >>> differences("about 230 of 360", "about 231 of 360")
    ''
    >>> differences("about 230 of 360", "about 210 of 360")
    '230 is shown, 210 is printed'
    """
    shown, dots, _ = shown.partition("\n...\n")
    words = [NUMBER.sub("0", " ".join(text.split())) for text in (shown, printed)]
    if words[0] != (words[1][: len(words[0])] if dots else words[1]):
        return f"shown:\n{shown}\nprinted:\n{printed}"
    for a, b in zip(*(NUMBER.findall(text) for text in (shown, printed)), strict=False):
        unit = 10.0 ** -len(a.partition(".")[2])
        x, y = (float(number.replace(",", "")) for number in (a, b))
        if abs(x - y) > max(0.02 * abs(x), unit) * (1 + 1e-9):
            return f"{a} is shown, {b} is printed"
    return ""


def rewrite(page, outputs):
    """The page with what is printed now, where it differs."""
    for one in outputs:
        if one.shown and differences(one.shown, one.printed) and "\n...\n" not in one.shown:
            page = page.replace(one.shown, "\n".join(line.rstrip() for line in one.printed.splitlines()) + "\n")
    return page


def write_demo_files():
    """Write labelled.csv and new.csv, which the examples of README.md read."""
    save_demo(Path())
