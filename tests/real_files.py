"""Files as people have them, made from the demo tickets: encodings, dialects, workbooks, folders.

`python -m tests.real_files FOLDER` writes all of them, labels them with the command line and prints a table.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from labelferry import cli
from labelferry.tables import read_table

from . import tickets, workbooks

Columns = dict[str, list[Any]]
EVERY = 10
GERMAN, POLISH, RUSSIAN, EMOJI = "Grüße aus München", "Dziękuję, źle działa", "Спасибо большое", "😀 „danke“"


def columns(greeting: str = "regards") -> Columns:
    """Tickets of the new product; every text ends with a greeting, and cells have quotes and line ends."""
    new = tickets.new(EVERY)
    texts = [f'{text}\n"{greeting}"' for text in new["text"]]
    return {"id": [str(i) for i in new["id"]], "text": texts, "note": ["a;b,c|d\te", ""] * (len(texts) // 2)}


def true_labels() -> list[str]:
    return tickets.demo().y_target[::EVERY].tolist()


def csv_bytes(
    table: Columns, encoding: str = "utf-8", delimiter: str = ",", newline: str = "\n", **options: Any
) -> bytes:
    out = io.StringIO(newline="")
    rows = csv.writer(out, delimiter=delimiter, lineterminator=newline, **options)
    rows.writerow(table)
    rows.writerows(zip(*table.values(), strict=True))
    return out.getvalue().encode(encoding)


def rows_of(table: Columns) -> list[dict[str, Any]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def sheet(table: Columns, **options: Any) -> bytes:
    return workbooks.workbook([list(table), *zip(*table.values(), strict=True)], **options)


def file(name: str, content: Callable[[], bytes]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content())
        return folder / name

    return make


def folder_of(
    name: str, suffix: str, contents: Callable[[], list[bytes]], labels: bool = False
) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        for i, (content, label) in enumerate(zip(contents(), true_labels(), strict=True)):
            place = folder / name / label if labels else folder / name
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{i:04}{suffix}").write_bytes(content)
        return folder / name

    return make


def texts(greeting: str = "regards", encoding: str = "utf-8") -> Callable[[], list[bytes]]:
    return lambda: [text.encode(encoding) for text in columns(greeting)["text"]]


GOOD: dict[str, tuple[str, Callable[[Path], Path]]] = {  # the greeting in the texts, and how to make the file
    "comma, UTF-8": ("regards", file("a.csv", lambda: csv_bytes(columns()))),
    "UTF-8 with byte order mark": (GERMAN, file("b.csv", lambda: csv_bytes(columns(GERMAN), "utf-8-sig"))),
    "Excel in Germany": (GERMAN, file("c.csv", lambda: csv_bytes(columns(GERMAN), "cp1252", ";", "\r\n"))),
    "Excel in Poland": (POLISH, file("d.csv", lambda: csv_bytes(columns(POLISH), "cp1250", ";", "\r\n"))),
    "Excel in Russia": (RUSSIAN, file("e.csv", lambda: csv_bytes(columns(RUSSIAN), "cp1251", ";", "\r\n"))),
    "Excel, Unicode text": (EMOJI, file("f.txt", lambda: csv_bytes(columns(EMOJI), "utf-16", "\t", "\r\n"))),
    "UTF-16 without mark": (GERMAN, file("g.csv", lambda: csv_bytes(columns(GERMAN), "utf-16-le", ",", "\r\n"))),
    "old Macintosh": (GERMAN, file("h.csv", lambda: csv_bytes(columns(GERMAN), "mac_roman", ",", "\r"))),
    "DOS": (GERMAN, file("i.csv", lambda: csv_bytes(columns(GERMAN), "cp850", ";", "\r\n"))),
    "bar": ("regards", file("j.csv", lambda: csv_bytes(columns(), delimiter="|"))),
    "all quoted": (EMOJI, file("k.csv", lambda: csv_bytes(columns(EMOJI), quoting=csv.QUOTE_ALL))),
    "TSV": (GERMAN, file("l.tsv", lambda: csv_bytes(columns(GERMAN), delimiter="\t"))),
    "gzip": (GERMAN, file("m.csv.gz", lambda: gzip.compress(csv_bytes(columns(GERMAN), "cp1252", ";"), mtime=0))),
    "empty lines": ("regards", file("n.csv", lambda: b"\n\n" + csv_bytes(columns()) + b"\n\n")),
    "workbook": (EMOJI, file("o.xlsx", lambda: sheet(columns(EMOJI)))),
    "workbook, second sheet is other": (
        GERMAN,
        file("p.xlsx", lambda: sheet(columns(GERMAN), others=[("Notes", [["Owner"], ["Ann"]])])),
    ),
    "workbook called .csv": (GERMAN, file("q.csv", lambda: sheet(columns(GERMAN)))),
    "JSON array": (EMOJI, file("r.json", lambda: json.dumps(rows_of(columns(EMOJI)), indent=1).encode())),
    "JSON array, gzip": (EMOJI, file("s.json.gz", lambda: gzip.compress(json.dumps(rows_of(columns(EMOJI))).encode()))),
    "JSON lines": (EMOJI, file("t.jsonl", lambda: "\n".join(map(json.dumps, rows_of(columns(EMOJI)))).encode())),
    "JSON lines called .json": (
        "regards",
        file("u.json", lambda: "\n".join(map(json.dumps, rows_of(columns()))).encode()),
    ),
    "folder": (GERMAN, folder_of("v", ".txt", texts(GERMAN))),
    "folder, cp1252": (GERMAN, folder_of("w", ".txt", texts(GERMAN, "cp1252"))),
    "folder per class": (GERMAN, folder_of("x", "", texts(GERMAN), labels=True)),
}
BAD: dict[str, tuple[str, Callable[[Path], Path]]] = {  # a part of the message, and how to make the file
    "no header": (
        "the first row looks like a document",
        file("A.csv", lambda: b"The door bell is broken again.,technical\nI want my money back.,billing\n" * 3),
    ),
    "only numbers": ("has numbers where the names", file("B.csv", lambda: b"1,0.5\n2,0.7\n")),
    "two fields too many": ("3 fields where the header has 1", file("C.csv", lambda: b'text\n"a"\n"b"\n"c","d","e"\n')),
    "one field too few": ("1 field where the header has 2", file("D.csv", lambda: b"text,label\na,b\nc\n")),
    "quote never closed": ("a quote is opened and never closed", file("E.csv", lambda: b'text,label\na,b\n"c,d\n')),
    "two encodings in one file": (
        "is not UTF-8, as most of the file is",
        file("F.csv", lambda: "text,label\nTür,a\nläutet,b\n".encode() + "Grüße,c\n".encode("cp1252")),
    ),
    "old .xls": ("in the old format .xls", file("G.xls", lambda: workbooks.OLE + b"\0" * 1000)),
    "password": (
        "protected by a password",
        file("H.xlsx", lambda: workbooks.OLE + b"\0" * 500 + "EncryptedPackage".encode("utf-16-le")),
    ),
    "workbook cut short": ("a damaged Excel workbook", file("I.xlsx", lambda: sheet(columns())[:3000])),
    "JSON cut short": ("no JSON (Expecting ',' delimiter)", file("J.json", lambda: b'[{"text": "a"}, {"text": "b"')),
    "JSON object": ("Write only the array 'rows'", file("K.json", lambda: b'{"rows": [{"text": "a"}]}')),
    "gzip cut short": ("cut short or damaged", file("L.csv.gz", lambda: gzip.compress(csv_bytes(columns()))[:-50])),
    "empty": ("is empty", file("M.csv", lambda: b"")),
    "picture": ("is a binary file", file("N.png", lambda: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0")),
}


def label(source: Path, target: Path, out: Path) -> Result:
    """Run `labelferry label` as on the command line."""
    arguments = ["label", str(source), str(target), "-o", str(out), "--method", "sourcelr"]
    return CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "200", "NO_COLOR": "1"})


def predicted_labels(out: Path, encoding: str | None = None) -> dict[str, str]:
    """The predicted label of each text in the output."""
    written = read_table(out, encoding=encoding).columns
    return dict(zip((text.strip("\n") for text in written["text"]), written["label"], strict=True))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    source = tickets.write_csv(folder / "labelled.csv", tickets.old(3))
    for name, (greeting, make) in {**GOOD, **BAD}.items():
        path, out = make(folder), folder / "out" / "labels.csv"
        out.parent.mkdir(exist_ok=True)
        result = label(source, path, out)
        if result.exit_code:
            outcome = result.stderr.splitlines()[-1].replace(str(folder), "")
        else:
            truth = dict(zip(columns(greeting)["text"], true_labels(), strict=True))
            labels = predicted_labels(out)
            outcome = f"accuracy {sum(truth.get(text) == labels[text] for text in labels) / len(labels):.3f}"
        print(f"| {name} | {path.name} | {outcome} |")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
