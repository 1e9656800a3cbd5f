"""The pages of the documentation, and functions that run their code."""

import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from labelferry import cli, load_demo

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(page, *languages):
    """Return (language, text) of the fenced blocks in these languages, from top to bottom."""
    return re.findall(rf"^```({'|'.join(languages)})\n(.*?)^```", page, flags=re.M | re.S)


def run_blocks(page):
    """Run the Python and shell blocks in the working folder; return the output per shell command."""
    namespace, printed = {}, {}
    for language, text in blocks(page, "python", "sh"):
        if language == "python":
            exec(text, namespace)
            continue
        for line in text.splitlines():
            program, *arguments = shlex.split(line, comments=True)
            assert program == "labelferry", line
            result = CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "80", "NO_COLOR": "1"})
            assert result.exit_code == 0, f"{line}\n{result.output}"
            printed[shlex.join(arguments)] = result.stdout
    return printed


def write_demo_files():
    """Write old.csv and new.csv, which README.md uses."""
    import pandas as pd

    demo = load_demo()
    pd.DataFrame({"text": demo.texts_source, "label": demo.y_source}).to_csv("old.csv", index=False)
    pd.DataFrame({"text": demo.texts_target}).to_csv("new.csv", index=False)
