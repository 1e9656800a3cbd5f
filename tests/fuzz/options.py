"""Options of the command line: any combination ends with success or one line."""

from __future__ import annotations

import contextlib
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import numpy as np
from typer.testing import CliRunner

from labelferry.cli import app
from tests.tickets import new, old, write_csv

from .choices import Choices
from .rules import run_command

FILES = (
    "old.csv",
    "new.csv",
    "half.csv",
    "labelled.csv",
    "sample.csv",
    "model.npz",
    "job.ferry",
    "x.npy",
    "empty",
    "binary",
    ".",
)
BAD_FILES = (
    "missing.csv",
    "empty",
    "binary",
    "folder",
    "loop",
    "missing/x.csv",
    "a" * 300,
    "",
    "\x00",
    "-",
    "x.csv#y",
    "\x1b[2J",
)
VALUES = (
    "",
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "nan",
    "inf",
    "1e400",
    "x",
    "None",
    "a,b",
    "a=1",
    "a=0.5,b=0.5",
    "\x1b[2J",
    "auto",
    "source",
)
VALUES += (
    "9" * 30,
    "1G",
    "1e3K",
    "-1G",
    "text",
    "label",
    "id",
    "german",
    "none",
    "xx",
    "words",
    "characters",
    "utf-8",
    "\x00",
)
METHODS = (
    "sourcelr",
    "emnaivebayes",
    "tcl(n_topics=2,max_iter=2)",
    "sourcelr()",
    "TCL(**{'a':1})",
    "tcl(n_topics=0)",
    "x",
)
METHODS += (
    "tcl(n_topics=",
    "[" * 500,
    "-" * 500 + "1",
    "tcl(n_topics=__import__('os'))",
    "sourcelr,sourcenb",
    "\x1b[2J",
    "",
)
FLAGS = (
    "--json",
    "-q",
    "--strict",
    "--merge-labels",
    "--use-target-labels",
    "--skip-bad",
    "--stem",
    "--headers",
    "--no-texts",
)
FLAGS += (
    "--signatures",
    "--sublinear",
    "--no-sublinear",
    "--blind",
    "--corrections",
    "--spreadsheet",
    "--help",
    "--nothing",
)
NAMED = (
    "--text",
    "--label",
    "--text-target",
    "--label-target",
    "--domain",
    "--language",
    "--ngrams",
    "--analyzer",
    "--encoding",
)
NAMED += (
    "--min-documents",
    "--max-memory",
    "--target-error",
    "--min-confidence",
    "--class-prior",
    "--seed",
    "--format",
    "-n",
)
NAMED += (
    "--duel",
    "--truth",
    "--words",
    "--class",
    "--where",
    "--level",
    "--draws",
    "--jobs",
    "--limit",
    "--seeds",
    "--tasks",
)
PATHS = (
    "--features",
    "--embed",
    "--answers",
    "--extend",
    "--report",
    "--save",
    "--store",
    "-o",
    "--out",
    "--password-file",
)
OUT = ("out.csv", "out.jsonl", "out.parquet", "out.xlsx", "out.json", "out.html", "out.npz", "out.ferry")
BAD_OUT = (
    "out",
    "missing/out.csv",
    "folder",
    "loop/out.csv",
    "old.csv",
    "-",
    "/dev/full",
    "\x1b[2J.csv",
    "b" * 251 + ".csv",
    "",
)
COMMANDS = {  # positional arguments that may work
    "label": ("old.csv", "new.csv"),
    "apply": ("model.npz", "new.csv"),
    "explain": ("model.npz",),
    "diagnose": ("old.csv", "new.csv"),
    "compare": ("old.csv", "new.csv"),
    "audit": ("labelled.csv",),
    "certify": ("labelled.csv", "sample.csv"),
    "export": ("job.ferry",),
    "methods": ("tcl",),
    "data": (),
    "bench": ("list",),
}
USES = {  # options that a command has; others are tried now and then
    "label": (*FLAGS[:12], *NAMED[:15], *PATHS[:3], "--report", "--save", "--store"),
    "apply": ("--text", "--skip-bad", "--encoding", "--strict", "-q", "--json"),
    "explain": ("--words", "--json"),
    "diagnose": (*FLAGS[3:8], *NAMED[:11], "--json"),
    "compare": (*FLAGS[:8], *NAMED[:11], "--truth", "--class-prior", "--json"),
    "audit": ("-n", "--duel", "--blind", "--format", "--seed", "--extend", "--text", "--encoding"),
    "certify": ("--class", "--json", "--text", "--encoding"),
    "export": ("--corrections", "--spreadsheet"),
    "methods": ("--json",),
    "data": ("--json", "--where"),
    "bench": ("--json", "--help"),
}
WITH_METHOD, WITH_OUT = ("label", "diagnose"), ("label", "apply", "audit", "export")


class OptionCase(NamedTuple):
    """A command line; names of files are relative to the folder of the files."""

    arguments: tuple[str, ...]


def decode(choices: Choices) -> OptionCase:
    """A command that may work, with a few options of its own and sometimes others."""
    command = choices.pick(sorted(COMMANDS))
    positional = [choices.pick((*FILES, *BAD_FILES)) if choices.flag(6) else name for name in COMMANDS[command]]
    positional += choices.some(FILES, 2) if choices.flag(8) else []
    options: list[str] = []
    for _ in range(choices.below(5)):
        options += one_option(choices.pick((*FLAGS, *NAMED, *PATHS) if choices.flag(8) else USES[command]), choices)
    if command in WITH_METHOD:
        options += ["--method", choices.pick(METHODS) if choices.flag(4) else "sourcelr"]
    if command == "compare":
        options += ["--methods", choices.pick(METHODS)]
    if command in WITH_OUT and not choices.flag(16):
        options += ["-o", choices.pick(BAD_OUT if choices.flag(4) else OUT)]
    return OptionCase((command, *positional, *options))


def one_option(name: str, choices: Choices) -> list[str]:
    """An option with a value, if it needs one."""
    if name in PATHS:
        place = choices.pick((*OUT, *BAD_OUT) if name in ("--report", "--save", "--store", "-o", "--out") else FILES)
        return [name, choices.pick(BAD_FILES) if choices.flag(6) else place]
    if name in NAMED:
        return [name, choices.pick(VALUES) if not choices.flag(8) else choices.text()]
    return [name]


def check(case: OptionCase, folder: Path) -> str:
    """Run the command in a folder with good and bad files."""
    place = files(folder)
    with contextlib.chdir(place):
        return run_command(case.arguments, place, [place / name for name in OUT])


@cache
def prepared() -> Path:
    """A folder with all kinds of files; it is copied for every place of work."""
    folder = Path(mkdtemp(prefix="labelferry-fuzz-"))
    write_csv(folder / "old.csv", old(10))
    write_csv(folder / "new.csv", new(20))
    both = {"text": [*old(10)["text"], *new(20)["text"]], "label": [*old(10)["label"], *[""] * len(new(20)["text"])]}
    write_csv(folder / "half.csv", both)
    np.save(folder / "x.npy", np.random.default_rng(0).random((len(both["text"]), 5)))
    (folder / "empty").touch()
    (folder / "binary").write_bytes(bytes(range(256)))
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    with contextlib.chdir(folder):
        for line in (
            "label old.csv new.csv -o labelled.csv --method sourcelr --save model.npz --store job.ferry -q",
            "audit labelled.csv -o sample.csv -n 5 --text text",
        ):
            result = CliRunner().invoke(app, line.split())
            assert result.exit_code == 0, result.output
    return folder


def files(folder: Path) -> Path:
    """A copy of the prepared files below a folder. It is made again if a run changed one of them."""
    place = folder / "files"
    wanted = signature(prepared())
    if not place.is_dir() or signature(place) != wanted:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(prepared(), place, symlinks=True)
    return place


def signature(folder: Path) -> list[tuple[str, int]]:
    """Names and sizes, without the outputs."""
    return sorted((path.name, path.lstat().st_size) for path in folder.iterdir() if not path.name.startswith("out"))


def seeds() -> list[bytes]:
    """Every command with some options."""
    rng = np.random.default_rng(0)
    return [bytes([i]) + rng.bytes(24) for i in range(len(COMMANDS)) for _ in range(3)]


PAST = {
    "a link loop": OptionCase(("label", "loop", "new.csv", "-o", "out.csv")),
    "a long name": OptionCase(("label", "old.csv", "new.csv", "-o", "b" * 251 + ".csv", "--method", "sourcelr")),
    "no room for the name": OptionCase(
        ("label", "old.csv", "new.csv", "-o", "b" * 300 + ".csv", "--method", "sourcelr")
    ),
    "a device as output": OptionCase(("label", "old.csv", "new.csv", "-o", "/dev/full", "--method", "sourcelr")),
    "two stars": OptionCase(("compare", "old.csv", "new.csv", "--methods", "TCL(**{'a':1})")),
    "some minus signs": OptionCase(("compare", "old.csv", "new.csv", "--methods", "-" * 500 + "1")),
    "many minus signs": OptionCase(("compare", "old.csv", "new.csv", "--methods", "-" * 50_000 + "1")),
    "a limit that is no number": OptionCase(("label", "old.csv", "new.csv", "-o", "out.csv", "--max-memory", "nan")),
    "a sequence as a name": OptionCase(("label", "\x1b]0;t\x07.csv", "new.csv", "-o", "out.csv")),
    "NUL as an encoding": OptionCase(("label", "old.csv", "new.csv", "-o", "out.csv", "--encoding", "\x00")),
}
