"""`labelferry accept`: which labels may be used without looking, with what guarantee, and how few answers it needs."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from .app import app
from .audit import check_no_column, imported, reading_options
from .options import AsJson, Column, Confidence, Encoding, Text, columns_of, exit_unless, print_json
from .outputs import final_path, free_name
from .show import BY_NAME, escape, fill_in, new_console

FEW, OTHER_ERROR = 40, 0.1  # so few planned answers at this limit are not spent on learning


class Outcome(NamedTuple):
    """What there is to print."""

    usable: Any
    messages: list[str]
    following: str  # the next command without its first words; empty if there is none
    written: Sequence[str] = ()  # files, with what is in them
    learn: str = ""  # the next step in words: how the labels of a file learn from the answers
    use: str = ""  # the command that writes what can be used now, if it is not the next one
    fill: str = ""  # what to do with the next documents, if they were written; the rest was said before


class Reading(NamedTuple):
    """How a file is read."""

    text: list[str] | None
    encoding: str | None
    chosen: Any  # the columns of --column; None: those of labelferry


class Drawing(NamedTuple):
    """The limit, and the next sample."""

    limit: Any
    out: Path | None
    n: int | None
    learn: int = 0
    whole_file: bool = False
    usable: Path | None = None  # where to write the rows that can be used

    def size(self, usable: Any) -> int:
        """Documents of the sample: as asked, as many as the labels learn from, or as more labels need."""
        from ..review.sample.usable import N_LEARN

        if usable.learning is not None:
            return self.n or int(usable.learning.of)
        needs = self.needs(usable)
        return self.n or (max(needs[0], N_LEARN) if needs else 2 * N_LEARN)

    def needs(self, usable: Any) -> list[int]:
        """Further answers that certify more labels, if they all agree with the labels."""
        steps = usable.finished.needs if self.whole_file else usable.needs
        return [step[0] for step in steps]

    def raised(self) -> Drawing:
        """The same at the next usual limit."""
        return self._replace(limit=self.limit._replace(error=OTHER_ERROR))

    def has_rows(self, usable: Any, messages: list[str]) -> bool:
        """Whether there are rows to write; without them the next sample is still written, if one is asked for."""
        if any(usable.column()) or self.out is None:
            return True
        messages.append(f"{self.usable} was not written: no label can be used yet, and nothing was answered")
        return False

    def with_rows(self, usable: Any, n: int | None = None) -> str:
        """The file of the rows that can be used, with what is in it; `n` rows if the file has more than `usable`."""
        from ..review.sample.usable import YES

        column = usable.column()
        n_unseen, n = column.count(YES), n or sum(map(bool, column))
        return f"{self.usable} ({n:,} rows: {n - n_unseen:,} answered by people, {n_unseen:,} unread)"

    @property
    def option(self) -> str:
        """The limit as an option of the next command; nothing if it is the default."""
        from ..review.sample.usable import ERROR

        error, outside, per_class, name = self.limit
        flags = (("--outside", outside), ("--per-class", per_class), ("--whole-file", self.whole_file))
        named = f" --class {shlex.quote(name)}" if name else ""
        return ("" if error == ERROR else f" --error {error:g}") + "".join(f" {f}" for f, on in flags if on) + named


def share(text: str | float) -> float:
    """The value of --error; an error says how to write percentages."""
    number = str(text).strip().removesuffix("%").strip()
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if 0.001 <= value <= 0.5 and number == str(text).strip():
        return value
    hint = f" {value:g}% is {value / 100:g}." if 0.1 <= value <= 50 else ""
    raise typer.BadParameter(f"it must be a share from 0.001 to 0.5, such as 0.05 for 5%; got {text}.{hint}")


@app.command()
def accept(
    labelled: Annotated[
        str,
        typer.Argument(
            metavar="LABELLED",
            help="A review job (--store), a file written by `labelferry label`, or with --column any file.",
        ),
    ],
    samples: Annotated[
        list[Path] | None, typer.Argument(metavar="[SAMPLE]...", help="Samples of this command with answers.")
    ] = None,
    error: Annotated[
        float | None,
        typer.Option(
            parser=share,
            metavar="SHARE",
            help="Allowed share of wrong labels among those that can be used (default: 0.05, or that of a job so far).",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the next documents to answer here.")] = None,
    n: Annotated[
        int | None,
        typer.Option("-n", min=1, help="Number of these documents (default: what more labels need, at least 20)."),
    ] = None,
    learn: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Random answers that labels of a job learn from, without asking; 0: they do not learn (default: "
            "20; -n 200: 40; -n 40 at 10%: 0).",
        ),
    ] = None,
    relearn: Annotated[
        bool,
        typer.Option("--relearn", help="The labels of a job learn from all answers now. Accepted labels stay."),
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="With --relearn: accepted labels are replaced, too, and withdrawn.")
    ] = False,
    after: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="The labelled file before it learned, then its samples (--after FILE --after SAMPLE): "
            "what they accept stays.",
        ),
    ] = None,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="A claim for each class. It needs more answers.")
    ] = False,
    outside: Annotated[
        bool, typer.Option("--outside", help="The claim is about the labels outside the sample. It needs more answers.")
    ] = False,
    whole_file: Annotated[
        bool,
        typer.Option("--whole-file", help="Ask for the other promise: all labels delivered, people label a part."),
    ] = False,
    usable: Annotated[
        Path | None,
        typer.Option(
            help="Write the rows that can be used here, accepted or answered; with --whole-file by its promise."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--class", help="Of several labels per document: a claim about the documents with this label."),
    ] = None,
    reviewer: Annotated[str, typer.Option(help="Who answered; recorded in a job.")] = "",
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, help="Seed of the samples of a file (default: from its labels). Choosing among seeds is a new claim."
        ),
    ] = None,
    column: Column = None,
    confidence: Confidence = None,
    text: Text = None,
    encoding: Encoding = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 3 if no label can be used.")] = False,
    json: AsJson = False,
) -> None:
    """Find the labels that can be used without looking: with 95% confidence, at most 5% of them are wrong.

    Example: labelferry accept job.ferry -o sample.csv

    Fill in the column answer. Then: labelferry accept job.ferry sample.csv

    The answers are compared with the most certain labels. More labels can be used after more answers, and you may stop
    after any of them. Labels of a job first learn from 20 answers to random documents: as soon as there are 20, this
    command changes the labels, without asking. After that they stay as they are. --learn 0: they do not learn.
    Labels of a file stay as they are from the beginning.

    Choose --error before the first answer. Each limit holds with 95% confidence, two together
    with 90%.

    The answers are assumed to be right. Samples do not show the labels. A document whose answer contradicts its label
    comes again in the next sample, preferably for another person.

    Labels of any origin with their confidences: labelferry accept FILE --column llm --confidence COLUMN -o sample.csv
    """
    from ..review.job.files import is_job
    from ..review.sample.frozen import Limit

    chosen = columns_of(column, confidence)
    check_places(out, usable, [labelled, *(samples or []), *(after or [])])
    limit = Limit(default_error(labelled, name or "") if error is None else error, outside, per_class, name or "")
    if is_job(labelled):
        check_no_column(column)
        if seed is not None or after:
            raise ValueError("--seed and --after are for files: a job has its own seed and its own rounds. Omit them.")
        drawing = Drawing(limit, out, n, default_learn(n, limit.error) if learn is None else learn, whole_file, usable)
        outcome = of_job(labelled, samples or [], drawing, reviewer, relearn=relearn, everything=everything)
    else:
        if relearn or everything or learn is not None:
            raise ValueError(
                "labels of a file stay as they are. To learn from answers: labelferry label ... --answers SAMPLE, or "
                "start a job (--store)."
            )
        drawing = Drawing(limit, out, n, whole_file=whole_file, usable=usable)
        outcome = of_file(labelled, samples or [], drawing, seed, Reading(text, encoding, chosen), after or [])
    show(outcome, as_json=json)
    if strict:
        exit_unless(safe=outcome.usable.n > 0)


def check_places(sample: Path | None, other: Path | None, inputs: Sequence[str | Path]) -> None:
    """Raise an error if a new sample would overwrite answers, or if an output would overwrite an input or the other."""
    from ..review.sample.audit import check_no_answers

    if sample is not None:
        check_no_answers(sample)
    named = [path for path in (sample, other) if path is not None]
    places, known = [final_path(path) for path in named], {final_path(path) for path in inputs}
    for path, place in zip(named, places, strict=True):
        if place in known:
            raise ValueError(f"{path} is one of the inputs and would be overwritten. Write to another name.")
    if len(set(places)) < len(places):
        raise ValueError(f"--out and --usable are both {named[0]}. Give each a name of its own.")


def default_error(labelled: str, name: str) -> float:
    """The usual limit, or that of a job's earlier claims: to look at them is no second claim."""
    from ..review.job.files import is_job
    from ..review.job.job import open_job
    from ..review.sample.frozen import ERROR

    if not is_job(labelled):
        return ERROR
    with open_job(labelled) as job:
        earlier = job.questions.acceptance.strictest_limit(name)
    return ERROR if earlier is None else earlier.error


def default_learn(n: int | None, error: float) -> int:
    """Random answers to learn from, by the number of answers that are planned and the limit."""
    from ..review.sample.usable import MANY, N_LEARN, N_LEARN_MANY

    if n is not None and n <= FEW and error >= OTHER_ERROR:
        return 0
    return N_LEARN_MANY if n is not None and n >= MANY else N_LEARN


def of_job(
    place: str, samples: list[Path], drawing: Drawing, reviewer: str, *, relearn: bool, everything: bool
) -> Outcome:
    """Add the answers to a job, learn if it is time, and draw the next sample."""
    from ..review.job.files import draw_accept_open, import_answers
    from ..review.job.job import open_job
    from ..review.sample.audit import keeping_answers
    from ..review.sample.next_step import ASK, LEARN, RAISE, next_step

    learn, messages, limit, written = drawing.learn, list[str](), drawing.limit._asdict(), list[str]()
    with open_job(place) as job:
        for sample in samples:
            counts = import_answers(job, sample, reviewer)
            messages.append(imported(counts))
        usable = job.accept(**limit, learn=learn)
        if relearn or everything or (usable.learning is not None and usable.learning.now):
            by_itself = not (relearn or everything)
            messages.append(learned_message(job.refit(everything=everything), usable.n_documents, by_itself=by_itself))
            usable = job.accept(**limit, learn=learn)
        usable = usable.for_whole_file() if drawing.whole_file else usable
        if drawing.usable is not None and drawing.has_rows(usable, messages):
            messages += keeping_answers(
                drawing.usable,
                lambda path: job.export(path, accepted=True, whole_file=drawing.whole_file, **limit),
                labels=True,
            )
            written.append(drawing.with_rows(usable))
        name = shlex.quote(job.store.name)  # without a password
        following = f"accept {name}{drawing.option}"
        if drawing.out is not None:
            drawn = draw_accept_open(
                job, drawing.size(usable), drawing.limit, learn=learn, whole_file=drawing.whole_file
            )
            messages += drawn.write(drawing.out)
            fill = drawn_message(usable, drawn, drawing, job.classes, job.several)
            written.append(str(drawing.out))
            following += f" {shlex.quote(str(drawing.out))}"
        else:
            step = next_step(usable, can_learn=job.questions.acceptance.can_learn)
            raised = f"accept {name}{drawing.raised().option}"
            ways = {ASK: f"{following} -o {free_name('sample.csv')}", LEARN: f"{following} --relearn", RAISE: raised}
            following = ways.get(step, "")
        rows = free_name("usable.csv")
        use = f"accept {name}{drawing.option} --usable {rows}"
        use = use if drawing.limit.name or drawing.whole_file else f"export {name} -o {rows} --accepted"
        if drawing.out is not None:
            return Outcome(usable, messages, following, written, fill=fill)
        return finished(Outcome(usable, messages, following, written), use, drawing)


def of_file(
    path: str, samples: list[Path], drawing: Drawing, seed: int | None, reading: Reading, after: list[Path]
) -> Outcome:
    """What the answers of samples of a file certify, the next sample, and the rows that can be used."""
    from ..review.sample.accept_files import draw_accept, rounds_before, samples_among, usable_of_samples
    from ..review.sample.accepted_columns import write_usable
    from ..review.sample.audit import keeping_answers
    from ..review.sample.next_step import ASK, LEARN, RAISE, next_step
    from ..review.sample.population import population_of_file
    from ..review.sample.several import accept_several, write_several

    text, encoding, chosen = reading
    written = list[str]()
    out, before = drawing.out, rounds_before(after, drawing.limit, text=text, encoding=encoding, chosen=chosen)
    classes = () if before is None else before.frozen.classes
    population = population_of_file(path, text=text, classes=classes, encoding=encoding, chosen=chosen)
    messages = [line for line in population.messages if not line.endswith(BY_NAME)]
    messages += population.warnings if chosen else ()
    several = population.several
    if several is None:
        if drawing.limit.name:
            raise ValueError("--class is for files with several labels per document. Omit it.")
        usable, answered = usable_of_samples(population, samples, drawing.limit, seed=seed, after=before)
        n_empty = answered.n_empty
    else:
        if before is not None:
            raise ValueError("--after is for files with one label per document. Omit it.")
        usable, n_empty = accept_several(population, samples, drawing.limit, seed=seed)
    if not drawing.limit.name and (n := len(population.texts) - usable.n_documents):
        messages.append(f"{'1 label has' if n == 1 else f'{n:,} labels have'} no accept_rank and cannot be accepted")
    usable = usable.for_whole_file() if drawing.whole_file else usable
    if n_empty:
        messages.append(f"{n_empty} rows of the samples have no answer yet")
    files = " ".join(shlex.quote(str(file)) for file in (path, *samples))
    others = reading_options(*reading) + named_files("--after", after)
    use = f"accept {files} --usable {free_name('usable.csv')}{drawing.option}{others}"
    if drawing.usable is not None and drawing.has_rows(usable, messages):
        if several is None:
            n_rows = keeping_answers(
                drawing.usable,
                lambda out: write_usable(path, usable, out, encoding=encoding, ours=chosen is None),
                labels=True,
            )
        else:
            n_rows = keeping_answers(
                drawing.usable, lambda out: write_several(path, population, usable, out, encoding=encoding), labels=True
            )
        written.append(drawing.with_rows(usable, n_rows))
    if out is not None:
        drawn = draw_accept(population, usable, drawing.size(usable), whole_file=drawing.whole_file)
        named = usable.frozen.classes if several is None else several.form.names
        messages += drawn.write(out)
        fill = drawn_message(usable, drawn, drawing, named, several)
        following = f"accept {files} {shlex.quote(str(out))}{drawing.option}{others}"
        return Outcome(usable, messages, following, [*written, str(out)], fill=fill)
    following, learn, next_name = "", "", free_name("next.csv" if samples else "sample.csv")
    step = next_step(usable, can_learn=bool(samples) and several is None and chosen is None)
    if step == LEARN:
        answered_in = [*samples_among(after, encoding), *samples]
        then = f" -o {next_name}{drawing.option}{others}{named_files('--after', [path, *samples])}"
        learn = learn_message(answered_in, then, more=usable.alone, applied=population.is_applied)
    elif step == RAISE:
        following = f"accept {files}{drawing.raised().option}{others}"
    elif step == ASK:
        own_seed = "" if seed is None or samples else f" --seed {seed}"
        following = f"accept {files} -o {next_name}{drawing.option}{others}{own_seed}"
    return finished(Outcome(usable, messages, following, written, learn), use, drawing)


def learn_message(samples: Sequence[object], then: str, *, more: bool, applied: bool) -> str:
    """How labels of a file learn from samples, and the command after it.

    `more`: they learned from others before. `applied`: they are those of a saved model, which does not learn.
    """
    learned, others = free_name("learned.csv"), " and the earlier answers" if more else ""
    command = "repeat your command labelferry label"
    if applied:
        command = "run labelferry label LABELLED NEW (NEW: the file that you gave to apply)"
    return (
        f"{command} with{named_files('--answers', samples)}{others} -o {learned}. Then: labelferry accept "
        f"{learned}{then}"
    )


def finished(outcome: Outcome, use: str, drawing: Drawing) -> Outcome:
    """The outcome with the command that writes what can be used: the next one if there is no other."""
    if drawing.usable is not None or not (outcome.usable.finished.n if drawing.whole_file else outcome.usable.n):
        return outcome
    return outcome._replace(use=use) if outcome.following or outcome.learn else outcome._replace(following=use)


def named_files(option: str, files: Iterable[object]) -> str:
    """An option once per file."""
    return "".join(f" {option} {shlex.quote(str(file))}" for file in files)


def learned_message(done: dict[str, Any], n: int, *, by_itself: bool) -> str:
    """What learning did to n labels; `by_itself`: nobody asked for it."""
    why, then = (" (--learn)", " They stay as they are from now on.") if by_itself else ("", "")
    message = (
        f"The labels have learned from {done['answers']} answers{why}: {done['changed']:,} of {n:,} changed.{then}"
    )
    if done["kept"]:
        message += f" {done['kept']:,} accepted labels stay as they were."
    if done["withdrawn"]:
        message += f" {done['withdrawn']:,} accepted labels are withdrawn; their answers are kept as answers."
    return message


def drawn_message(usable: Any, sample: Any, drawing: Drawing, classes: Sequence[str], several: Any = None) -> str:
    """What is in a sample, and what to write into it."""
    from ..review.sample.accept_files import times_asked

    what = "random documents to learn from" if usable.learning is not None else "documents"
    n_again = sum(times_asked(purpose) > 0 for purpose in sample.columns["purpose"])
    needs = [] if usable.learning is not None or drawing.n else drawing.needs(usable)
    if needs and needs[0] < len(sample) - n_again:
        what += f", {needs[0]} {'is' if needs[0] == 1 else 'are'} needed"
    if n_again:
        what += f", {n_again} asked again because an answer contradicts the label"
    return fill_in(drawing.out, f"{len(sample)} {what}", classes, several)


def show(outcome: Outcome, *, as_json: bool) -> None:
    """Print what may be used, and the next command."""
    usable, messages, following, files, learn, use, fill = outcome
    command = f"labelferry {following}" if following else ""
    text, written = usable.text(terminal=True).splitlines(), [f"Written: {', '.join(files)}"] if files else []
    if as_json:
        values, told = {**usable.as_dict(), "sentences": text}, [*messages, *written, *([fill] if fill else [])]
        print_json({"accept": values, "messages": told, "next": learn or command})
        return
    console = new_console(result=True)
    for sentence in [*messages, *(usable.text(terminal=True, brief=True).splitlines() if fill else text)]:
        console.print(escape(sentence))
    writing = [f"To write the usable rows: labelferry {use}"] if use else []
    steps = [
        *written,
        *writing,
        *([fill] if fill else []),
        *([f"Next: {learn or command}"] if learn or command else []),
    ]
    for line in steps:
        console.print(escape(line), soft_wrap=line != fill)
