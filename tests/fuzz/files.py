"""Files of every format: they are read completely, row by row as written, or refused."""

from __future__ import annotations

import gzip
import io
import zipfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from labelferry.tables import read_table, write_table

from .choices import Choices
from .rules import REFUSED, attempt, require

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".txt", "")
OUTPUTS = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".csv.gz")
ENCODINGS = (
    None,
    "utf-8",
    "cp1252",
    "utf-16",
    "utf-7",
    "shift_jis",
    "iso2022_jp",
    "idna",
    "\x00",
    "rot13",
    "unicode_escape",
)
DELIMITED = (".csv", ".tsv", ".csv.gz")
LIMIT = 100_000  # characters of a cell
ROWS = [
    {"text": "a red door", "label": "a"},
    {"text": 'two\nlines, "quoted"', "label": "b"},
    {"text": "ß 日本", "label": None},
]
CSV = b'text,label\na red door,a\n"two\nlines, ""quoted""",b\nc\xc3\xa4t,\n'
JSON = b'{"text": "a red door", "label": "a", "n": 1}\n{"text": "b\\u00e4r", "label": 1.5, "x": [null]}\n'


class FileCase(NamedTuple):
    """A file and how it is read; then it is written with one more column, and read again."""

    name: str
    content: bytes
    encoding: str | None = None
    skip_bad: bool = False
    out: str = ".csv"


def decode(choices: Choices) -> FileCase:
    """A file of any format; of a workbook, one part is replaced."""
    suffix, out = choices.pick(SUFFIXES), choices.pick(OUTPUTS)
    encoding = choices.pick(ENCODINGS) if choices.flag(4) else None
    skip_bad, zipped, part = choices.flag(), choices.flag(8), choices.below(8)
    content = choices.rest()
    if suffix == ".xlsx" and part < len(workbook_parts()):
        content = with_part(sorted(workbook_parts())[part], content)
    return FileCase(f"in{suffix}", gzip.compress(content, 1, mtime=0) if zipped else content, encoding, skip_bad, out)


def check(case: FileCase, folder: Path) -> str:
    """Read the file, write it with one more column, and read that."""
    path, out = folder / case.name, folder / f"out{case.out}"
    path.write_bytes(case.content)
    out.unlink(missing_ok=True)
    outcome, table = attempt(lambda: read_table(path, skip_bad=case.skip_bad, encoding=case.encoding, limit=LIMIT))
    if outcome == REFUSED:
        return REFUSED
    n_rows = len(table)
    columns = {name: list(values) for name, values in table.columns.items()}
    require(all(len(values) == n_rows for values in columns.values()), "columns of different lengths")
    outcome, _ = attempt(lambda: write_table(table, {"n": list(range(n_rows))}, out))
    if outcome == REFUSED:
        require(not out.exists(), "refused, and the output is there")
        return REFUSED
    if case.out in DELIMITED and any("\0" in str(value) for values in columns.values() for value in values):
        return outcome  # NUL is written as it is; the reader of CSV names the line
    encoding = None if table.dialect is None else table.dialect.encoding
    outcome, again = attempt(lambda: read_table(out, encoding=encoding, limit=2 * LIMIT))
    require(outcome != REFUSED, "the output cannot be read")
    require(len(again) == n_rows, f"the output has {len(again)} rows of {n_rows}")
    numbers = [int(value) for value in again.columns["n"]]
    require(numbers == list(range(n_rows)), "the rows of the output have another order")
    if case.out in (".csv", ".tsv", ".jsonl") and case.name.endswith(case.out):
        for name, values in columns.items():
            kept = again.columns.get("n_before" if name == "n" else name, [])
            require(list(map(same, kept)) == list(map(same, values)), f"column {name!r} changed")
    return outcome


def same(value: Any) -> str:
    """A form in which NaN equals itself, and 1 and 1.0 differ."""
    return repr(value)


@cache
def workbook_parts() -> dict[str, bytes]:
    """The parts of a small workbook."""
    import openpyxl

    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in (["text", "label"], ["a red door", 1], ["two", True]):
        book.active.append(row)
    book.save(file)
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return {
        name: part for name, part in parts.items() if name.startswith(("xl/w", "xl/s", "[C")) and "theme" not in name
    }


def with_part(name: str, content: bytes) -> bytes:
    """The workbook with another part."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for part, before in workbook_parts().items():
            archive.writestr(part, content if part == name else before)
    return file.getvalue()


def parquet() -> bytes:
    """A small Parquet file."""
    import pyarrow
    import pyarrow.parquet

    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), file, compression="none")
    return file.getvalue()


def seeds() -> list[bytes]:
    """One valid file per format, and per part of a workbook."""

    def seed(suffix: str, content: bytes, part: int = 7) -> bytes:
        return bytes([SUFFIXES.index(suffix), 0, 0, 0, 0, part]) + content

    whole = [(".csv", CSV), (".csv", CSV.decode().encode("utf-16")), (".csv", "text;label\né;ü\n".encode("cp1252"))]
    whole += [
        (".tsv", CSV.replace(b",", b"\t")),
        (".jsonl", JSON),
        (".json", b"[" + JSON.strip().replace(b"\n", b",") + b"]"),
    ]
    whole += [(".parquet", parquet()), (".txt", b"a\nb\n")]
    parts = [seed(".xlsx", workbook_parts()[name], i) for i, name in enumerate(sorted(workbook_parts()))]
    return [*(seed(suffix, content) for suffix, content in whole), *parts]


PAST = {
    "an unclosed quote": FileCase("in.csv", b'text,label\na,b\n"c,d\ne,f\ng,h\n', skip_bad=True),
    "NUL as an encoding": FileCase("in.csv", b"text,label\nx\xff,y\n", encoding="\x00"),
    "an infinite number": FileCase("in.jsonl", b'{"text": "a", "n": 1e400, "m": NaN}\n', out=".jsonl"),
    "a large integer": FileCase("in.jsonl", b'{"text": "a", "n": 1180591620717411303424}\n', out=".parquet"),
    "several types": FileCase("in.jsonl", b'{"n": 1}\n{"n": "a"}\n{"n": [2]}\n', out=".parquet"),
    "half a character": FileCase("in.jsonl", b'{"text": "\\ud800"}\n', out=".csv"),
    "an integer of 5,000 digits": FileCase("in.jsonl", b'{"text": ' + b"9" * 5000 + b"}\n", out=".jsonl"),
    "nested too deeply": FileCase("in.jsonl", b'{"text": ' + b"[" * 3000 + b"}\n", skip_bad=True),
    "a damaged gzip file": FileCase("in.csv", gzip.compress(CSV, mtime=0)[:-12]),
    "bytes after a gzip file": FileCase("in.csv", gzip.compress(CSV, mtime=0) + b"junk"),
    "an empty file": FileCase("in.csv", b""),
    "only a byte order mark": FileCase("in.csv", b"\xff\xfe"),
    "an output that looks like UTF-8": FileCase(
        "in.csv", b"text,label\na\xe0\x8d\x9a" + b"\xba" * 90 + b",b,c\nc\xc3\xa4t,\n", skip_bad=True
    ),
    "a cut Parquet file": FileCase("in.parquet", b"PAR1\x15\x04PAR1"),
}
