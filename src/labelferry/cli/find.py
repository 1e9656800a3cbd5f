"""`labelferry find`: find all documents of one class, and know when enough of them are found."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from .accept import check_places
from .app import app
from .audit import imported
from .options import AsJson, exit_unless, print_json
from .outputs import free_name
from .show import escape, fill_in, new_console, print_messages

N_READ = 50  # documents of a sample, if nobody asks for another number


@app.command()
def find(
    job: Annotated[str, typer.Argument(metavar="JOB", help="A review job (`labelferry label ... --store JOB`).")],
    samples: Annotated[
        list[Path] | None, typer.Argument(metavar="[SAMPLE]...", help="Samples of this command with answers.")
    ] = None,
    of_class: Annotated[str, typer.Option("--class", help="The class whose documents are searched.")] = "",
    recall: Annotated[str, typer.Option(help="Share of its documents to find.")] = "0.95",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the next documents to read here.")] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Number of these documents.")] = N_READ,
    found: Annotated[Path | None, typer.Option(help="Write the documents that were found here.")] = None,
    reviewer: Annotated[str, typer.Option(help="Who answered; recorded in the job.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 3 if the goal is not reached.")] = False,
    json: AsJson = False,
) -> None:
    """Find all documents of one class: with 95% confidence, at least 95% of them are found.

    Example: labelferry find job.ferry --class bug -o read.csv

    Fill in the column answer. Then: labelferry find job.ferry read.csv --class bug -o next.csv

    The most probable documents come first; the order learns from each sample. Some documents are chosen at random:
    they show how many are missing. The statement holds whenever you stop. Before the first answer the command says how
    many documents you will probably have to read. On the review page (labelferry review JOB) it is the page Find.
    """
    from ..review.job.files import import_answers, is_job
    from ..review.job.job import open_job

    if not is_job(job):
        raise ValueError(
            f"{job} is no review job. Start one: labelferry label LABELLED NEW -o OUT --store job.ferry."
            " Then: labelferry find job.ferry --class NAME."
        )
    check_places(out, None, [job, *(samples or [])])
    if found is not None and found in (out, Path(job), *(samples or ())):
        raise ValueError(f"--found {found} is the job or a sample, which would be lost. Choose another file.")
    messages = list[str]()
    with open_job(job) as opened:
        if not of_class:
            raise ValueError(f"which class? Name it with --class; the classes are {', '.join(opened.finding.classes)}.")
        result = opened.find(of_class, goal_of(recall))
        for sample in samples or []:
            counts = import_answers(opened, sample, reviewer)
            messages.append(imported(counts))
        result = opened.find(of_class, result.recall)
        name = shlex.quote(opened.store.name)  # without a password
        following = f"find {name} --class {shlex.quote(result.of_class)}"
        following += "" if recall == "0.95" else f" --recall {result.recall:g}"
        if found is not None:
            messages += [*opened.finding.write_found(result, found), f"{found}: {len(result.found):,} documents"]
        if out is not None:
            drawn = opened.finding.sample(result.of_class, n)
            messages += [*drawn.write(out), fill_in(out, f"{len(drawn)} documents", opened.classes, opened.several)]
            following = following.replace(f"find {name}", f"find {name} {shlex.quote(str(out))}", 1)
        else:
            following += " --found found.csv" if result.done else f" -o {free_name('read.csv')}"
        if result.done and found is not None and out is None:
            following = ""
    show(result, messages, following, as_json=json)
    if strict:
        exit_unless(safe=result.done)


def goal_of(recall: str) -> Any:
    """The goal as a number if it is one; `Job.find` checks it."""
    try:
        return float(recall)
    except ValueError:
        return recall


def show(result: Any, messages: list[str], following: str, *, as_json: bool) -> None:
    """Print what was found, and the next command."""
    command = f"labelferry {following}" if following else ""
    if as_json:
        text = result.text().splitlines()
        print_json({"find": {**result.as_dict(), "sentences": text}, "messages": messages, "next": command})
        return
    console = new_console(result=True)
    print_messages(console, messages)
    for sentence in result.text().splitlines():
        console.print(escape(sentence), soft_wrap=True)
    if command:
        console.print(f"Next: {escape(command)}", soft_wrap=True)
