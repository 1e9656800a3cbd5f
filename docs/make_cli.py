"""Write docs/cli.md from the program's own commands and options: python docs/make_cli.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from labelferry.cli import app

PAGE = Path(__file__).parent / "cli.md"
HEAD = """\
# The command line

Made by `python docs/make_cli.py` from the program itself. `labelferry COMMAND --help` says the same in the terminal.

## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | `bench compare`: something got worse, or the tables have no cell in common; elsewhere a bug, with its traceback |
| 2 | wrong input or usage; one line on stderr says what and how to put it right |
| 3 | `label --strict`: the verdict is unsafe; the files are written all the same |
| 130 | interrupted |

What a command found goes to stdout, the stages of its work and errors go to stderr.
"""


def reference() -> str:
    """The whole page."""
    program = typer.main.get_command(app)
    return "\n".join([HEAD, *_group("labelferry", program)]).rstrip() + "\n"


def _group(path: str, group: Any) -> Iterator[str]:
    """A group of commands: what it is for, its own options, then each command in the program's order."""
    yield from _command(path, group)
    for name in group.list_commands(None):
        command = group.commands[name]
        if not command.hidden:
            yield from (_group if hasattr(command, "commands") else _command)(f"{path} {name}", command)


def _command(path: str, command: Any) -> Iterator[str]:
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    arguments = [p for p in shown if p.param_type_name == "argument"]
    options = [p for p in shown if p.param_type_name == "option" and "--help" not in p.opts]
    yield f"## {path}\n"
    needed = [f"{p.opts[0]} {(p.metavar or p.name).upper()}" for p in options if p.required]
    rest = ["COMMAND"] * hasattr(command, "commands") + ["[OPTIONS]"] * any(not p.required for p in options)
    yield f"    {' '.join([path, *map(_name, arguments), *needed, *rest])}\n"
    yield from (f"{' '.join(paragraph.split())}\n" for paragraph in (command.help or "").split("\n\n"))
    if arguments or options:
        yield "| argument or option | what | default |\n|---|---|---|"
        yield from (f"| {_name(p)} | {_cell(p.help)} | {_default(p)} |" for p in (*arguments, *options))
        yield ""


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return parameter.metavar or parameter.name.upper()
    return ", ".join(f"`{name}`" for name in parameter.opts)


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    # Flags are off, and versions of click differ in what stands for no default.
    told = isinstance(parameter.default, str | int | float | Path) and not isinstance(parameter.default, bool)
    return f"`{parameter.default}`" if told and str(parameter.default) else ""


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
