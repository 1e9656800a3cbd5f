"""Options that several commands share, each defined once, and what their values mean."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable
from dataclasses import Field, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from ..inputs.options import HINTS, ON_COMMAND_LINE, TextOptions
from ..tables.formats import OUTPUT_SUFFIXES
from .streams import print_result

Sources = list[Path]
Target = Path | None
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE... TARGET",
        help="Files with a text and a label column, then the file of new documents. One file alone is half labelled: "
        "its rows without a label are the new documents.",
    ),
]
Out = Annotated[Path, typer.Option("--out", "-o", help=f"Output file: {OUTPUT_SUFFIXES}; - is standard output (CSV).")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print everything that is known.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Method = Annotated[
    str,
    typer.Option(
        metavar="METHOD",
        help="'auto' (several models combined), or one method, with parameters if you like: tcl, 'tcl(n_topics=4)'. "
        "`labelferry methods` lists them.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with code 3 unless the verdict is safe.")]
ClassPrior = Annotated[
    str | None,
    typer.Option(
        metavar="PROPORTIONS",
        help="Class proportions of TARGET if you know them, e.g. 'bug=0.2,question=0.8'; or source, uniform, estimate.",
    ),
]
Spreadsheet = Annotated[
    bool,
    typer.Option(
        "--spreadsheet", help="Put an apostrophe before cells of a CSV or TSV file that a spreadsheet would run."
    ),
]

Column = Annotated[
    str | None,
    typer.Option(help="Column of labels that labelferry did not write, such as those of an LLM, in any file."),
]
Confidence = Annotated[
    str | None, typer.Option(help="With --column: column of its confidences, from 0 to 1 (default: COLUMN_confidence).")
]
Against = Annotated[
    str | None, typer.Option(help="With --column: column of other labels that they are compared with (--duel).")
]

STRICT_EXIT = 3  # not safe with --strict
BYTES = {"k": 1e3, "m": 1e6, "g": 1e9}
HTML: dict[str, bool | str] = {"auto": "auto", "yes": True, "no": False}


def option_of(name: str) -> Any:
    """The option of the command line for a field of TextOptions."""
    given, flag = ON_COMMAND_LINE[name], f"--{name.replace('_', '-')}"
    names = given.names or {bool: (flag,), bool | None: (f"{flag}/--no-{flag[2:]}",)}.get(HINTS[name], ())
    return typer.Option(*names, help=given.help, metavar=given.metavar, min=given.least, max=given.most)


def parameter_of(field: Field[Any]) -> inspect.Parameter:
    """The parameter of a command for a field of TextOptions."""
    kind = ON_COMMAND_LINE[field.name].type
    hint = HINTS[field.name] if kind is None else kind if field.default is not None else kind | None
    annotation = Annotated[hint, option_of(field.name)]  # type: ignore[valid-type]
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=annotation)


TEXT_OPTIONS = {field.name: parameter_of(field) for field in fields(TextOptions)}
# Parameters of Python that are options of the same name.
OPTION_NAMES = frozenset({*TEXT_OPTIONS, "class_prior", "target_error", "min_confidence"})
# Those that other commands have, too.
Text = Annotated[list[str] | None, option_of("text")]
SkipBad = Annotated[bool, option_of("skip_bad")]
Encoding = Annotated[str | None, option_of("encoding")]


def with_text_options(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: the command gets all TEXT_OPTIONS, and they reach it as one dict in its parameter `options`.

    Its parameters `sources` and `target` are one list of files on the command line: the last one is the target, and a
    file alone is a source without target.
    """
    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        options = {name: given.pop(name) for name in TEXT_OPTIONS}
        options["max_memory"], options["html"] = bytes_of(options["max_memory"]), html_of(options["html"])
        files = given.pop("files")
        sources, target = (files[:-1], files[-1]) if len(files) > 1 else (files, None)
        command(**given, sources=sources, target=target, options=options)

    files = inspect.Parameter("files", inspect.Parameter.KEYWORD_ONLY, annotation=Files)
    others = [p for p in own.parameters.values() if p.name not in ("sources", "target", "options")]
    parameters = [files, *(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in others), *TEXT_OPTIONS.values()]
    with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_options


def next_label(
    sources: list[Path], target: Path | None, options: dict[str, Any], *, method: str = "", others: bool = False
) -> str:
    """The last line of a command that shows what `label` would do; `others`: it had more options that `label` has."""
    files = shlex.join(str(path) for path in (*sources, target) if path is not None)
    same = others or any(value != TEXT_OPTIONS[name].default for name, value in options.items() if name != "html")
    also, chosen = ", with the same options" if same else "", f" --method {shlex.quote(method)}" if method else ""
    return f"Next{also}: labelferry label {files} -o out.csv{chosen}"


def html_of(answer: str) -> bool | str:
    """The value of `html`: yes, no or auto."""
    if answer.lower() not in HTML:
        raise ValueError(f"--html must be auto, yes or no; got {answer!r}.")
    return HTML[answer.lower()]


def bytes_of(size: str | None) -> float | None:
    """500M, 2G, 100k, or a plain number of bytes."""
    if size is None:
        return None
    number, unit = (size[:-1], size[-1:].lower()) if size[-1:].lower() in BYTES else (size, "")
    try:
        n_bytes = float(number) * BYTES.get(unit, 1)
    except ValueError:
        n_bytes = 0.0
    if not 0 < n_bytes < float("inf"):
        raise ValueError(f"--max-memory must be a number with K, M or G, such as 500M; got {size!r}.")
    if n_bytes < BYTES["m"]:
        meant = "" if unit else f" Did you mean {number}G?"
        raise ValueError(f"--max-memory must be at least 1M; got {size!r}.{meant}")
    return n_bytes


def columns_of(column: str | None, confidence: str | None, against: str | None = None) -> Any:
    """The columns that --column and its companions name; None without --column."""
    from ..review.sample.chosen_columns import Chosen

    if column is None:
        if confidence is not None or against is not None:
            raise ValueError("--confidence and --against belong to --column. Name the column of the labels with it.")
        return None
    return Chosen(column, confidence, against)


def exit_unless(*, safe: bool) -> None:
    """Exit with the code of --strict unless the labels are safe."""
    if not safe:
        raise typer.Exit(STRICT_EXIT)


def proportions_of(class_prior: str | None) -> dict[str, float] | str | None:
    """bug=0.2,question=0.8 as a dict; a single name such as source stays as it is."""
    if class_prior is None or "=" not in class_prior:
        return class_prior
    proportions: dict[str, float] = {}
    for part in class_prior.split(","):
        name, equals, number = (piece.strip() for piece in part.rpartition("="))
        try:
            value = float(number) if equals and name not in proportions else None
        except ValueError:
            value = None
        if value is None:
            raise ValueError(
                f"--class-prior must be CLASS=NUMBER for each class once, separated by commas, e.g. "
                f"'bug=0.2,question=0.8'; got {part!r}."
            )
        proportions[name] = value
    return proportions


def print_json(result: dict[str, Any]) -> None:
    import json

    print_result(json.dumps(result, allow_nan=False))  # ASCII: any terminal or pipe can print it
