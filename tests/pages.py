"""The pages of the documentation, and functions that run their examples."""

import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from labelferry import cli, load_demo

ROOT = Path(__file__).parents[1]
TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
GENERATED = ROOT / "docs" / "gallery"  # `make docs` writes it
PAGES = [
    *(ROOT / name for name in TOP),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if GENERATED not in page.parents),
]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(page, *languages):
    """(language, text) of the fenced blocks in these languages, from top to bottom."""
    return re.findall(rf"^```({'|'.join(languages)})\n(.*?)^```", page, flags=re.M | re.S)


def run_blocks(page):
    """Run the Python and shell blocks in the working folder; returns what each shell command printed, by command."""
    namespace, printed = {}, {}
    for language, text in blocks(page, "python", "sh"):
        if language == "python":
            exec(text, namespace)
            continue
        for line in text.splitlines():
            program, *arguments = shlex.split(line, comments=True)
            if program in ("make", "pip") or arguments[:1] == ["review"]:  # installs, or starts a server
                continue
            assert program == "labelferry", line
            result = CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "80", "NO_COLOR": "1"})
            assert result.exit_code == 0, f"{line}\n{result.output}"
            printed[shlex.join(arguments)] = result.stdout
    return printed


def write_demo_files():
    """Write labelled.csv and new.csv, which the examples of README.md read."""
    import pandas as pd

    demo = load_demo()
    pd.DataFrame({"text": demo.texts_source, "label": demo.y_source}).to_csv("labelled.csv", index=False)
    pd.DataFrame({"text": demo.texts_target}).to_csv("new.csv", index=False)
