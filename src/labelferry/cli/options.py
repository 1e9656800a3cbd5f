"""Options that several commands share, each defined once, and what their values mean."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..tables.formats import OUTPUT_SUFFIXES
from .streams import print_result

if TYPE_CHECKING:
    pass

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
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Method = Annotated[
    str,
    typer.Option(
        metavar="METHOD",
        help="'auto' (ten models combined), or one method, with parameters if you like: tcl, 'tcl(n_topics=4)'. "
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
Text = Annotated[
    list[str] | None,
    typer.Option(help="Text column (default: detected). Several are joined: --text subject,body."),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Go on after rows that cannot be read: they get no label, and are counted.")
]
Spreadsheet = Annotated[
    bool,
    typer.Option(
        "--spreadsheet", help="Put an apostrophe before cells of a CSV or TSV file that a spreadsheet would run."
    ),
]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of files that are not UTF-8, e.g. cp1252 (default: detected).")
]

# The fields of `workflows.options.TextOptions`: annotation and default per option.
TEXT_OPTIONS: dict[str, tuple[Any, Any]] = {
    "text": (Text, None),
    "text_target": (
        Annotated[list[str] | None, typer.Option(help="Text column of TARGET if it has another name there.")],
        None,
    ),
    "label": (
        Annotated[
            str | None,
            typer.Option("--label", "--label-source", help="Label column of the source files (default: detected)."),
        ],
        None,
    ),
    "label_target": (
        Annotated[str | None, typer.Option(help="Column of labels in TARGET if it has another name there.")],
        None,
    ),
    "merge_labels": (
        Annotated[
            bool,
            typer.Option("--merge-labels", help="Merge labels that differ only in case, blanks or Unicode form."),
        ],
        False,
    ),
    "use_target_labels": (
        Annotated[
            bool,
            typer.Option("--use-target-labels", help="Labels that TARGET has already are kept and learned from."),
        ],
        False,
    ),
    "domain": (
        Annotated[
            str | None,
            typer.Option(
                help="For files that contain several sources: column with the source of each row (default: domain)."
            ),
        ],
        None,
    ),
    "embed": (
        Annotated[
            str | None,
            typer.Option(
                metavar="MODEL",
                help="Use vectors of the texts beside their words: wordllama, minilm, a folder, a name such as "
                "sentence-transformers/all-MiniLM-L6-v2, or a .npy file with one row per document.",
            ),
        ],
        None,
    ),
    "features": (
        Annotated[
            Path | None, typer.Option(help="Feature matrix (.npz, .npy) instead of words; rows of the sources first.")
        ],
        None,
    ),
    "language": (
        Annotated[
            str,
            typer.Option(
                help="Language of the stop words to remove, e.g. german; 'none' keeps all words; 'auto': detected."
            ),
        ],
        "auto",
    ),
    "ngrams": (
        Annotated[
            int | None,
            typer.Option(min=1, max=5, help="Count sequences of up to this many words (default: 1 or 2, chosen)."),
        ],
        None,
    ),
    "analyzer": (
        Annotated[
            str,
            typer.Option(
                help="What is counted: words, characters (n-grams), or auto: words, and characters in scripts without "
                "spaces between words."
            ),
        ],
        "auto",
    ),
    "sublinear": (
        Annotated[
            bool | None,
            typer.Option("--sublinear/--no-sublinear", help="Count 1 + log(tf) instead of tf (default: yes)."),
        ],
        None,
    ),
    "min_documents": (
        Annotated[int | None, typer.Option(min=1, help="Drop words in fewer documents (default: 2).")],
        None,
    ),
    "stem": (Annotated[bool, typer.Option("--stem", help="Count stems instead of words.")], False),
    "headers": (Annotated[bool, typer.Option("--headers", help="Remove e-mail headers.")], False),
    "signatures": (Annotated[bool, typer.Option("--signatures", help="Remove e-mail signatures.")], False),
    "max_memory": (
        Annotated[
            str | None,
            typer.Option(help="Memory limit for fitting, e.g. 500M or 2G. Rare words are dropped to stay below it."),
        ],
        None,
    ),
    "skip_bad": (SkipBad, False),
    "encoding": (Encoding, None),
}

STRICT_EXIT = 3  # not safe with --strict
BYTES = {"k": 1e3, "m": 1e6, "g": 1e9}


def with_text_options(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: the command gets all TEXT_OPTIONS, and they reach it as one dict in its parameter `options`.

    Its parameters `sources` and `target` are one list of files on the command line: the last one is the target, and a
    file alone is a source without target.
    """
    own = inspect.signature(command, eval_str=True)
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in TEXT_OPTIONS.items()
    ]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        options = {name: given.pop(name) for name in TEXT_OPTIONS}
        options["max_memory"] = bytes_of(options["max_memory"])
        files = given.pop("files")
        sources, target = (files[:-1], files[-1]) if len(files) > 1 else (files, None)
        command(**given, sources=sources, target=target, options=options)

    files = inspect.Parameter("files", inspect.Parameter.KEYWORD_ONLY, annotation=Files)
    others = [p for p in own.parameters.values() if p.name not in ("sources", "target", "options")]
    parameters = [files, *(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in others)]
    with_options.__signature__ = own.replace(parameters=[*parameters, *shared])  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in [*parameters, *shared]}
    return with_options


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
