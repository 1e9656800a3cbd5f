"""`labelferry ask`: fill a column with the guesses of a large language model."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from .app import app
from .options import AsJson, Encoding, Quiet, Text, print_json
from .outputs import check_outputs, free_name
from .show import escape, new_console, print_messages

MILLION = 1e6


@app.command()
def ask(
    documents: Annotated[Path, typer.Argument(metavar="FILE", help="The documents.")],
    endpoint: Annotated[
        str, typer.Option(help="A server with the protocol of OpenAI, such as http://127.0.0.1:11434/v1 (Ollama).")
    ],
    model: Annotated[str, typer.Option(help="Name of the model on this server.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file: FILE with the guesses.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Send the texts without asking.")] = False,
    column: Annotated[str, typer.Option(help="Name of the new column; COLUMN_confidence has the confidences.")] = "llm",
    classes: Annotated[list[str] | None, typer.Option("--class", help="A class; may be repeated.")] = None,
    describe: Annotated[
        Path | None, typer.Option(help="Table with the columns class and description: one sentence per class.")
    ] = None,
    labelled: Annotated[
        Path | None, typer.Option(help="Labelled file: its classes, and examples for the model.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="Label column of the labelled file (default: detected).")] = None,
    examples: Annotated[int, typer.Option(min=0, max=20, help="Examples per class from the labelled file.")] = 1,
    price_in: Annotated[float, typer.Option(min=0, help="Price of a million tokens of the questions.")] = 0.0,
    price_out: Annotated[float, typer.Option(min=0, help="Price of a million tokens of the replies.")] = 0.0,
    key_variable: Annotated[
        str, typer.Option(help="Environment variable with the key of the server, if it needs one.")
    ] = "LABELFERRY_API_KEY",
    max_per_minute: Annotated[
        float | None, typer.Option(min=0.1, help="Largest number of questions per minute.")
    ] = None,
    parallel: Annotated[int, typer.Option(min=1, max=64, help="Questions at the same time.")] = 4,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds to wait for a reply.")] = 60.0,
    tries: Annotated[int, typer.Option(min=1, max=20, help="Tries per document; pauses between them double.")] = 6,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply; models that think aloud need more.")] = 64,
    max_characters: Annotated[int, typer.Option(min=20, help="Characters of a document that are sent.")] = 4000,
    cache: Annotated[Path | None, typer.Option(help="File of known replies (default: in the user's cache).")] = None,
    text: Text = None,
    encoding: Encoding = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Ask a large language model for the label of each document, and write its guesses to a column.

    Example: labelferry ask new.csv --endpoint http://127.0.0.1:11434/v1 --model llama3.2 --labelled old.csv -o llm.csv

    Without --yes one prompt, the number of questions and their cost are shown, and nothing is sent before you agree.
    Only the classes count as guesses: other replies leave the cell empty and are counted. Replies are kept, so that a
    command that was interrupted goes on where it stopped. THE TEXTS ARE SENT TO THE ENDPOINT.

    What the guesses are worth: labelferry accept OUT --column llm. To use them: labelferry label ... --opinion llm
    """
    from ..llm.front import cache_file, import_client, make_task
    from ..tables import choose_text, join_texts, read_table, write_table
    from ..tables.cells import as_text
    from ..tables.names import find_name
    from .progress import show_progress

    check_outputs(out, inputs=[path for path in (documents, labelled, describe) if path is not None], json=json)
    messages: list[str] = []
    table = read_table(documents, encoding=encoding)
    confidence = f"{column}_confidence"
    if taken := next((name for name in (column, confidence) if find_name(table.columns, name) is not None), None):
        raise ValueError(f"{documents} has a column {taken!r} already. Name the new one with --column.")
    texts = [as_text(value) for value in join_texts(table, choose_text(table, text, (), messages))]
    known = None if labelled is None else labelled_documents(labelled, label, text, encoding, messages)
    task = make_task(classes, describe, known, per_class=examples, max_characters=max_characters)
    module = import_client()
    from ..llm.ask import ask_model, plan

    key = os.environ.get(key_variable) or None
    limits: dict[str, Any] = {"timeout": timeout, "tries": tries, "max_per_minute": max_per_minute}
    place = cache_file(cache)
    console = new_console(stderr=json)
    with module.Client(endpoint, model, key=key, max_tokens=max_tokens, **limits) as client:
        planned = plan(texts, task, client, place)
        if not quiet:
            print_messages(console, messages)
            show_plan(console, planned, endpoint, is_here=module.is_loopback(endpoint), prices=(price_in, price_out))
        if planned.n_requests and not yes and not agreed(console):
            if json:
                print_json({"sent": False, **planned._asdict(), "cost": cost(planned, price_in, price_out)})
            return
        with show_progress(quiet=quiet or json):
            guesses = ask_model(texts, task, client, place, parallel=parallel, announce=Announced())
    new: dict[str, Any] = {column: guesses.labels}
    if any(value is not None for value in guesses.confidence):
        new[confidence] = [None if value is None else round(value, 4) for value in guesses.confidence]
    written = write_table(table, new, out)
    n = sum(value is not None for value in guesses.labels)
    spent = (guesses.n_prompt * price_in + guesses.n_reply * price_out) / MILLION
    if json:
        counts = {name: value for name, value in guesses._asdict().items() if name not in ("labels", "confidence")}
        print_json(
            {"sent": True, "n_guesses": n, "n_documents": len(texts), **counts, "cost": spent, "messages": written}
        )
        return
    if quiet:
        return
    print_messages(console, written)
    reasons = "".join(f"; {k}: {v:,}" for k, v in guesses.reasons.items())
    console.print(escape(f"{n:,} of {len(texts):,} documents have a guess{reasons}."), soft_wrap=True)
    console.print(
        f"{guesses.n_asked:,} questions were sent, {guesses.n_known:,} replies were known; {guesses.n_prompt:,} + "
        f"{guesses.n_reply:,} tokens{f', cost {spent:.2f}' if price_in or price_out else ''}.",
        soft_wrap=True,
    )
    console.print(f"Written: {escape(str(out))}", soft_wrap=True)
    command = f"accept {shlex.quote(str(out))} --column {shlex.quote(column)} -o {free_name('sample.csv')}"
    command = command if confidence in new else command.replace("accept", "audit", 1)
    console.print(f"Next, find out what they are worth: labelferry {escape(command)}", soft_wrap=True)


class Announced:
    """Announces the share of the questions that are answered."""

    def __init__(self) -> None:
        self.begun = False

    def __call__(self, done: int, total: int) -> None:
        from ..core import progress

        if not self.begun:
            progress.expect(stage := f"asking {total:,} questions")
            progress.begin(stage)
            self.begun = True
        progress.step(done / total)


def labelled_documents(
    path: Path, label: str | None, text: list[str] | None, encoding: str | None, messages: list[str]
) -> tuple[list[str], list[str]]:
    """Texts and labels of a labelled file; rows without one of them are left out."""
    from ..tables import choose_columns, join_texts, read_table
    from ..tables.cells import as_text

    table = read_table(path, encoding=encoding)
    columns = choose_columns(table, table, text=text, label=label)
    messages += columns.messages
    rows = zip(join_texts(table, columns.text), table.columns[columns.label], strict=True)
    pairs = [(as_text(body), as_text(name)) for body, name in rows if as_text(body) and as_text(name)]
    return [body for body, _ in pairs], [name for _, name in pairs]


def cost(planned: Any, price_in: float, price_out: float) -> float:
    """The cost of a plan, rather too high."""
    return float((planned.n_tokens * price_in + planned.n_reply_tokens * price_out) / MILLION)


def show_plan(console: Any, planned: Any, endpoint: str, *, is_here: bool, prices: tuple[float, float]) -> None:
    """One prompt, how much is sent, and where to."""
    if planned.prompt:
        console.print(f"The first question:\n{escape(planned.prompt)}\n", soft_wrap=True)
    price = f", at most about {cost(planned, *prices):.2f}" if any(prices) else " (cost: --price-in, --price-out)"
    console.print(
        f"{planned.n_requests:,} questions about {planned.n_documents:,} documents, about {planned.n_tokens:,} tokens, "
        f"and at most {planned.n_reply_tokens:,} tokens of replies{price}.",
        soft_wrap=True,
    )
    if not is_here:
        console.print(f"WARNING: the texts leave this computer: they are sent to {escape(endpoint)}.", soft_wrap=True)


def agreed(console: Any) -> bool:
    """Ask on a terminal; elsewhere say how to agree."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return typer.confirm("Send?", default=False)
    console.print("Nothing was sent. To send: add --yes.")
    return False
