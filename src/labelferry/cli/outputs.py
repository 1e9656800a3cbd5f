"""Checks of the files that a command reads and writes, before its work begins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path

from ..tables.formats import STANDARD, format_of, is_table_file, split_sheet
from ..tables.formats.folder import find_documents
from .show import error_text


def check_outputs(out: Path, *others: Path | None, inputs: list[Path], json: bool = False) -> None:
    """Errors that would occur after the work are raised before it."""
    from ..tables import check_place

    format_, _ = format_of(out)
    format_.check({}, str(out))
    if json and is_standard(out):
        raise ValueError("--json and --out - both write to standard output. Name a file with --out.")
    if sum(map(is_standard, inputs)) > 1:
        raise ValueError("only one input can be - (standard input). Name files for the others.")
    if any(path is not None and is_standard(path) for path in others):
        raise ValueError("only --out can be - (standard output). Name files for --report and --save.")
    outputs = [path for path in (out, *others) if path is not None]
    places = [check_place(path) for path in outputs]
    known = {final_path(split_sheet(str(path))[0]) for path in inputs if not is_standard(path)}
    for path, place in zip(outputs, places, strict=True):
        if place in known:
            raise ValueError(f"{path} is one of the inputs and would be overwritten. Give the output another name.")
    if len(set(places)) < len(places):
        raise ValueError("--out, --report and --save must be different files. Give each a name of its own.")


def tables_in(path: Path) -> list[Path]:
    """The table files of a folder that has no text files; any other path itself, also a folder of texts."""
    if not path.is_dir() or find_documents(path, str(path))[0]:
        return [path]
    return sorted(p for p in path.iterdir() if p.is_file() and is_table_file(p.name)) or [path]


def output_files(inputs: list[Path], out: Path, *, of_folder: bool = False) -> list[Path]:
    """One file per input in the folder OUT, with its name; OUT itself if it is a file, for one input.

    OUT is a folder if it is one already, if its name has no suffix, or if the inputs are the files of a folder: however
    many there are today.
    """
    to_folder = out.is_dir() or not (out.suffix or is_standard(out))
    if len(inputs) == 1 and not of_folder and not to_folder:
        return [out]
    if not to_folder:
        many = "the files of a folder" if of_folder else f"{len(inputs)} files"
        raise ValueError(f"{many} need a folder for their outputs; got --out {out}. Name a folder, without a suffix.")
    if any(map(is_standard, inputs)):
        raise ValueError("- (standard input) has no name for its output. Pass it alone, with a file as --out.")
    outputs = [out / output_name(path) for path in inputs]
    if double := [path.name for path in outputs if outputs.count(path) > 1]:
        raise ValueError(
            f"two inputs have the output {double[0]}. Run the command for each of them, with another folder as --out."
        )
    if not out.is_dir():
        from ..tables import check_place

        check_place(out)
        out.mkdir()
    return outputs


def output_name(path: Path) -> str:
    """The name of an input for its output, with .csv if its format cannot be written."""
    file = split_sheet(str(path))[0]
    name = final_path(file).name if path.is_dir() else Path(file).name  # of the folder . too
    try:
        format_of(Path(name))
    except ValueError:
        return f"{name}.csv"
    return name


@contextmanager
def naming_written(written: list[Path | str]) -> Iterator[None]:
    """An error inside the block, such as a full disk, names the files that were written before it."""
    try:
        yield
    except (OSError, ValueError, MemoryError) as error:
        if not written:
            raise
        names = ", ".join("standard output" if is_standard(Path(path)) else str(path) for path in written)
        raise ValueError(
            f"{error_text(error).rstrip('.') or type(error).__name__}. Written before: {names}."
        ) from error


@contextmanager
def naming_interrupted(*outputs: Path | str | None) -> Iterator[None]:
    """After Ctrl-C inside the block, say which of the files were written: these are other files than before.

    Nothing is said if one of the outputs is a database, whose state is not known here.
    """
    before = [file_number(path) for path in outputs]
    try:
        yield
    except KeyboardInterrupt:
        written = [str(path) for path, number in zip(outputs, before, strict=True) if file_number(path) != number]
        if any("://" in str(path) for path in outputs):
            raise
        raise KeyboardInterrupt(f"written: {', '.join(written)}" if written else "no file was written") from None


def file_number(path: Path | str | None) -> int | None:
    """The number of a file in its file system; another one after the file was replaced, None if there is no file."""
    try:
        return None if path is None else os.stat(path).st_ino
    except (OSError, ValueError):
        return None


def final_path(path: str | Path) -> Path:
    """The path without symbolic links. A loop of links stays as it is: reading it is an error."""
    return Path(os.path.realpath(path))


def free_name(name: str) -> str:
    """The name, or if there is such a file, with the first number that is free: a filled-in sample must not be lost."""
    path = Path(name)
    names = (f"{path.stem}{number}{path.suffix}" for number in count(2))
    return next(one for one in chain([name], names) if not Path(one).exists())


def is_standard(path: Path) -> bool:
    """Whether a path is "-": standard input or output."""
    return str(path) == STANDARD
