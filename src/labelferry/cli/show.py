"""How commands print: a console of readable width, headings, tables, and escaped text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .streams import Messages, Results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MOST_CLASSES = 8  # in a short table
ROUTINE = ("texts: ", "language of the documents:", "vectors of the texts")  # messages that short outputs leave out
BY_NAME = "(its name)"  # the end of a message about a column that was not guessed
CLEANED = "words are counted without them"  # the end of a message about characters that change nothing
MAX_WIDTH = 120  # longer lines are hard to read
CONTROL = {*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")}
DIRECTION = {0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}  # change the order of letters
VISIBLE = {code: f"\\x{code:02x}" for code in CONTROL} | {code: f"\\u{code:04x}" for code in DIRECTION}


def new_console(*, stderr: bool = False, result: bool = False) -> Console:
    """A console; on standard error if standard output is the table. `result`: nothing else is asked for."""
    from rich.console import Console

    stream = (Results if result else Messages)(sys.stderr if stderr else sys.stdout)
    console = Console(file=stream, highlight=False)  # type: ignore[arg-type]
    console.width = min(console.width, MAX_WIDTH)
    return console


def print_messages(console: Console, messages: list[str]) -> None:
    for message in messages:
        console.print(escape(as_options(message)), soft_wrap=True)


def fill_in(path: object, what: str, classes: Sequence[str], several: Any = None) -> str:
    """What people write into a sample; `several`: if documents have several labels, with their form.

    >>> fill_in("sample.csv", "40 documents", ["bug", "question"])
    "Fill in the column 'answer' of sample.csv (40 documents): bug, question, none_of_these (no class fits) or unclear."
    """
    others = "none_of_these (no class fits)"
    if several is not None:
        others = f"several as in {several.form.text(several.form.names[:2])!r}, none"
    return f"Fill in the column 'answer' of {path} ({what}): {', '.join(classes)}, {others} or unclear."


def special(messages: Iterable[str]) -> list[str]:
    """The messages that a short output has: those with an option to decide about, and one line with the others."""
    found = [
        as_options(line) for line in messages if not (line.startswith(ROUTINE) or line.endswith((BY_NAME, CLEANED)))
    ]
    open_, told = [line for line in found if "--" in line], [line for line in found if "--" not in line]
    n_more = len(told) - 2
    more = f" ({n_more} more note{'s' * (n_more > 1)}: --verbose)" if n_more > 0 else ""
    return [*open_, *([f"{'. '.join(told[:2])}{more}"] if told else [])]


def as_options(text: str) -> str:
    """A message with the names of options instead of those of Python's parameters.

    >>> as_options("merge them with merge_labels=True (--merge-labels), or class_prior must have the sum 1")
    'merge them with --merge-labels, or --class-prior must have the sum 1'
    >>> as_options("If it is wrong, pass --encoding (encoding=). Omit embed='x': 'text_target', tcl(n_topics=4)")
    "If it is wrong, pass --encoding. Omit --embed x: 'text_target', tcl(n_topics=4)"
    >>> as_options("TCL has no parameter 'topics'; it has class_prior, n_topics")
    "TCL has no parameter 'topics'; it has class_prior, n_topics"
    """
    from .options import OPTION_NAMES

    value = r"(?:'[^']*'|[\w.]*)"
    text = re.sub(rf"\b[a-z_]+={value} \((--[a-z][^)]*)\)", r"\1", text)
    text = re.sub(r"(--[a-z-]+) \([a-z_]+=\)", r"\1", text)

    def option(match: re.Match[str]) -> str:
        name, given = match["name"], match["given"]
        listed = text[match.end() : match.end() + 1] == ","  # names of parameters of a method
        if name not in OPTION_NAMES or (given is None and (listed or "_" not in name)):
            return match[0]
        shown = f"--{name.replace('_', '-')}"
        given = "" if given in (None, "", "True") else given.strip("'")
        return f"{shown} {given.lower() if given in ('None', 'False') else given}".rstrip()

    return re.sub(rf"(?<![\w'\"(-])(?P<name>[a-z_]+)(?:=(?P<given>{value}))?(?![\w'\"=])", option, text)


def estimate_line(estimate: Mapping[str, float | None], n_answers: int = 0) -> str:
    """One number with its range: the estimated share of correct labels."""
    from ..certificate.interval import percent, span

    mean, low, high = (estimate[name] for name in ("mean", "low", "high"))
    if mean is None or low is None or high is None:
        return "Correct labels: these documents do not allow an estimate."
    origin = f"estimated from {n_answers} answers" if n_answers else "estimated"
    return f"Correct labels: about {percent(mean, digits=0)} ({span(low, high)}; {origin})."


def heading(console: Console, text: str) -> None:
    console.print(f"\n[bold cyan]{text}[/]")


def show_verdict(console: Console, verdict: dict[str, Any]) -> None:
    heading(console, "Verdict")
    show_level(console, verdict["level"], verdict["sentence"])
    show_reasons(console, verdict["reasons"], all_of_them=True)


def show_level(console: Console, level: str, sentence: str) -> None:
    """The verdict in one sentence."""
    from ..assessment.verdict import LEVELS

    console.print(f"[bold {LEVELS[level].color}]{level}[/]  {escape(sentence)}")


def show_reasons(console: Console, reasons: Sequence[str], *, all_of_them: bool = False) -> None:
    """What a person has to know beside the verdict: one sentence, and how many more reasons there are."""
    if all_of_them:
        for reason in reasons:
            console.print(f"- {escape(as_options(reason))}")
    elif reasons:
        more = f" ({len(reasons) - 1} more: --verbose)" if len(reasons) > 1 else ""
        console.print(f"- {escape(as_options(first_sentence(reasons[0])))}{more}")


def first_sentence(text: str) -> str:
    """The text up to its first full stop.

    >>> first_sentence("12.5% of v. 2 fail. Read them.")
    '12.5% of v. 2 fail.'
    """
    return re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)[0]


def new_table(*columns: str, numbers: int = 0, lines: bool = False, compact: bool = False) -> Table:
    """A table; its last `numbers` columns are right-aligned, `lines` draws lines between rows, `compact` no line."""
    from rich import box
    from rich.table import Table

    style = None if compact else box.SIMPLE_HEAD
    table = Table(box=style, pad_edge=False, header_style="bold", show_lines=lines, padding=(0, 2 if compact else 1))
    for position, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if position >= len(columns) - numbers else "left"
        table.add_column(column, justify=justify, overflow="fold")  # long names are wrapped, not cut
    return table


def escape(text: str) -> str:
    """Text that rich prints unchanged: brackets are not markup, and control characters are visible."""
    from rich import markup

    return markup.escape(printable(text))


def printable(text: str) -> str:
    """The text with control characters as \\x1b or \\u202e: they would move, hide or replace what a terminal shows."""
    return text.translate(VISIBLE)


def error_text(error: Exception) -> str:
    """The message of an error; that of the system with the name of its file, and without its number.

    >>> error_text(OSError(28, "No space left on device", "out.csv"))
    'out.csv: No space left on device.'
    """
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}."
    return str(error)
