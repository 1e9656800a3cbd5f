"""Exports of real programs through the command line: every row comes out, with the labels of the plain files."""

import csv
import gzip
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import cli
from labelferry.tables import read_table

from .. import tickets

EVERY = 6
METHOD = (
    "sourcelr(C=10)"  # a C that is chosen may differ if there are more documents: folds and weights of words change
)
OLD, LABELS = tickets.old(EVERY)["text"], tickets.old(EVERY)["label"]
NEW = tickets.new(EVERY)["text"]
N = len(NEW)


class Export(NamedTuple):
    arguments: list[Any]
    rows: Sequence[int] = range(N)  # of the new documents in the output
    n_rows: int = N
    names: Mapping[str, str] = MappingProxyType({})  # of the classes, if they have others
    messages: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # of the output
    changed: tuple[int, ...] = ()  # new documents whose labels are answers


def run(*arguments):
    return CliRunner().invoke(cli.app, [str(a) for a in arguments], env={"COLUMNS": "200", "NO_COLOR": "1"})


@pytest.fixture(scope="module")
def plain():
    return labelferry.label(OLD, NEW, label=LABELS, method=METHOD).labels.tolist()


def write(path, columns, delimiter=",", encoding="utf-8", newline="\r\n"):
    with path.open("w", encoding=encoding, newline="") as file:
        rows = csv.writer(file, delimiter=delimiter, lineterminator=newline)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return path


def subject(texts):
    return [" ".join(text.split()[:4]) for text in texts]


def body(texts):
    return [" ".join(text.split()[4:]) for text in texts]


def zendesk(folder):
    def columns(texts):
        dates = ["2026-03-01T10:00:00Z"] * N
        return {"Ticket ID": range(N), "Created at": dates, "Subject": subject(texts), "Description": body(texts)}

    source = write(folder / "solved.csv", {**columns(OLD), "Tags": LABELS})
    target = write(folder / "open.csv", columns(NEW))
    return Export(
        [source, target, "--text", "subject,description", "--label", "tags"], columns=("Ticket ID", "Subject")
    )


def zendesk_repeated_option(folder):
    arguments = zendesk(folder).arguments
    return Export([*arguments[:2], "--text", "Subject", "--text", "Description", "--label-source", "Tags"])


def german_excel(folder):
    names = {"billing": "Rechnung", "technical": "Störung", "account": "Übernahme"}
    source = {"Nr.": range(N), "Text": OLD, "Bemerkung": ["für Müller"] * N, "Kategorie": [names[n] for n in LABELS]}
    source = write(folder / "alt.csv", source, ";", "cp1252")
    target = write(folder / "neu.csv", {"Nr.": range(N), "Text": NEW, "Bemerkung": ["für Jäger"] * N}, ";", "cp1252")
    return Export([source, target, "--encoding", "cp1252"], names=names, columns=("Nr.", "Bemerkung"))


def half_labelled(folder):
    columns = {"id": range(2 * N), "text": [*NEW, *OLD], "label": [""] * N + LABELS}
    path = write(folder / "export.csv", columns)
    kept = f"column 'label' of {path} is kept as 'label_before'"
    return Export([path], n_rows=2 * N, messages=(kept,), columns=("id", "label_before", "origin"))


def half_labelled_with_two_text_columns(folder):
    texts = [text for pair in zip(OLD, NEW, strict=True) for text in pair]
    columns = {"subject": subject(texts), "body": body(texts), "queue": [v for n in LABELS for v in (n, " ")]}
    path = write(folder / "export.tsv", columns, "\t")
    return Export([path, "--text", "subject,body", "--label", "queue"], list(range(1, 2 * N, 2)), 2 * N)


def half_labelled_parquet(folder):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    path = folder / "export.parquet"
    pyarrow.parquet.write_table(pa.table({"text": [*OLD, *NEW], "class": [*LABELS, *[None] * N]}), path)
    return Export([path], list(range(N, 2 * N)), 2 * N, columns=("origin",))


def other_names(folder):
    source = write(folder / "old.csv", {"mail": OLD, "team": LABELS, "note": ["x"] * N})
    target = write(folder / "new.csv", {"key": range(N), "Request": NEW, "note": ["y"] * N})
    return Export([source, target, "--text", "mail", "--text-target", "request", "--label", "team"])


def usual_other_names(folder):
    source = write(folder / "old.csv", {"body": OLD, "category": LABELS})
    target = write(folder / "new.csv", {"id": range(N), "message": NEW})
    found = f"text column: 'body' of {source}, 'message' of {target} (their names)"
    return Export([source, target], messages=(found,))


def untidy_header(folder):
    source = write(folder / "old.csv", {" Text ": OLD, "LABEL": LABELS})
    target = write(folder / "new.csv", {"TEXT": NEW, "ID": range(N)})
    return Export(
        [source, target, "--text", "text", "--label", "label"],
        messages=(f"column ' Text ' of {source} is used as 'text'", f"column 'LABEL' of {source} is used as 'label'"),
    )


def empty_cells(folder):
    source = write(folder / "old.csv", {"text": ["", *OLD, "no label"], "label": ["billing", *LABELS, " "]})
    target = write(folder / "new.csv", {"id": range(N + 3), "text": ["", *NEW[:5], " ", *NEW[5:], ""]})
    rows = [row for row in range(N + 3) if row not in (0, 6, N + 2)]
    messages = (
        f"{source}: 1 row without a label, left out; line 63",
        f"{source}: 1 row without a text, left out; line 2",
        f"{target}: 3 rows without a text, not labelled; first: line 2",
    )
    return Export([source, target], rows, N + 3, messages=messages, columns=("reason",))


def nothing_to_label(folder):
    source = write(folder / "old.csv", {"text": OLD, "label": LABELS})
    target = write(folder / "new.csv", {"text": [*NEW, "???", "12"]})
    message = f"{target}: 2 rows without a known word, not labelled; first: line 62"
    return Export([source, target], n_rows=N + 2, messages=(message,), columns=("reason",))


def labels_by_many_hands(folder):
    labels = [name.upper() if i % 20 == 0 else f" {name}" if i % 20 == 1 else name for i, name in enumerate(LABELS)]
    source = write(folder / "old.csv", {"text": OLD, "label": labels})
    target = write(folder / "new.csv", {"text": NEW})
    stripped = f"{source}: 3 rows with blanks around the label, blanks removed; first: line 3"
    return Export([source, target, "--merge-labels"], messages=(stripped, "They are merged"))


def json_lines_with_nulls(folder):
    source = tickets.write_jsonl(folder / "old.jsonl", {"text": [*OLD, None, "x"], "label": [*LABELS, "billing", None]})
    lines = "".join(json.dumps({"text": text}) + "\n" for text in [*NEW[:7], None, *NEW[7:]])
    target = folder / "new.jsonl.gz"
    target.write_bytes(gzip.compress(lines.encode()))
    return Export([source, target], [row for row in range(N + 1) if row != 7], N + 1, columns=("reason",))


def a_comma_in_a_name(folder):
    source = write(folder / "old.csv", {"subject, body": OLD, "subject": subject(OLD), "y": LABELS})
    target = write(folder / "new.csv", {"Subject, Body": NEW, "subject": subject(NEW)})
    return Export([source, target, "--text", "subject, body"])


def sources_with_other_names(folder):
    first = write(folder / "a.csv", {"text": OLD[:30], "label": LABELS[:30]})
    second = write(folder / "b.csv", {"Description": OLD[30:], "Category": LABELS[30:]}, ";")
    target = write(folder / "new.csv", {"text": NEW})
    return Export([first, second, target], changed=tuple(range(N)))  # two domains: other labels


def labels_in_the_target(folder):
    source = write(folder / "old.csv", {"text": OLD, "label": LABELS})
    known = ["billing", "BILLING", "Sonstiges", *[""] * (N - 3)]
    target = write(folder / "new.csv", {"text": NEW, "checked": known})
    messages = ("2 labels of", "1 labels of", "'Sonstiges' (1)")
    arguments = [source, target, "--use-target-labels", "--label-target", "checked"]
    return Export(arguments, messages=messages, columns=("answer", "held_out"), changed=tuple(range(N)))


def labels_in_the_target_without_the_option(folder):
    source = write(folder / "old.csv", {"text": OLD, "label": LABELS})
    target = write(folder / "new.csv", {"text": NEW, "Label": ["billing"] * N})
    message = f"{N} rows of {target} have labels in column 'Label'; they are not used to predict. Use them as answers"
    return Export([source, target], messages=(message, "--use-target-labels"))


EXPORTS = (
    zendesk,
    zendesk_repeated_option,
    german_excel,
    half_labelled,
    half_labelled_with_two_text_columns,
    half_labelled_parquet,
    other_names,
    usual_other_names,
    untidy_header,
    empty_cells,
    nothing_to_label,
    labels_by_many_hands,
    json_lines_with_nulls,
    a_comma_in_a_name,
    sources_with_other_names,
    labels_in_the_target,
    labels_in_the_target_without_the_option,
)


@pytest.mark.parametrize("write_export", EXPORTS, ids=lambda export: export.__name__)
def test_exports(tmp_path, plain, write_export):
    export = write_export(tmp_path)
    out = tmp_path / "out.jsonl"
    result = run("label", *export.arguments, "-o", out, "--method", METHOD, "--verbose")
    assert result.exit_code == 0, result.output
    table = read_table(out)
    assert len(table) == export.n_rows
    labels = [table.columns["label"][row] for row in export.rows]
    expected = [export.names.get(name, name) for name in plain]
    unchanged = [i for i in range(N) if i not in export.changed]
    assert [labels[i] for i in unchanged] == [expected[i] for i in unchanged]
    assert all(label is not None for label in labels)
    others = sorted(set(range(export.n_rows)) - set(export.rows))
    if "origin" in table.columns:
        assert {table.columns["origin"][row] for row in others} == {"given"}
        assert {table.columns["origin"][row] for row in export.rows} == {"predicted"}
    else:
        assert {table.columns["label"][row] for row in others} <= {None}
        assert all(table.columns["needs_review"][row] and table.columns["reason"][row] for row in others)
    assert {*export.columns} <= {*table.columns}
    for message in export.messages:
        assert message in result.stdout


def test_answers_in_the_target_are_kept(tmp_path):
    export = labels_in_the_target(tmp_path)
    out = tmp_path / "out.csv"
    assert run("label", *export.arguments, "-o", out, "--method", "sourcelr", "-q").exit_code == 0
    written = tickets.read_csv(out)
    assert written["label"][:2] == ["billing", "billing"]
    assert written["confidence"][:2] == ["1.0", "1.0"]
    assert written["answer"][:3] == ["billing", "billing", ""]


def test_the_next_command_names_the_text_columns(tmp_path):
    export = zendesk(tmp_path)
    out = tmp_path / "out.csv"
    result = run("label", *export.arguments, "-o", out, "--method", METHOD, "--verbose")
    command = f"labelferry accept {out} -o sample.csv --text subject,description"
    assert command in result.stdout
    drawn = run("audit", out, "-o", tmp_path / "sample.csv", "--text", "subject,description", "-n", 3)
    assert drawn.exit_code == 0, drawn.output
    texts = tickets.read_csv(tmp_path / "sample.csv")["Subject + Description"]
    assert all("\n\n" in text for text in texts)
    following = f"labelferry certify {out} {tmp_path / 'sample.csv'} --text subject,description"
    assert f"Next: {following}" in drawn.stdout
    sample = tickets.read_csv(tmp_path / "sample.csv")
    tickets.write_csv(tmp_path / "sample.csv", sample | {"answer": sample["label"]})
    certified = run(*following.split()[1:])
    assert certified.exit_code == 0, certified.output


def test_a_detected_text_column_is_that_of_the_sample(tmp_path):
    columns = {"Subject": subject(NEW), "Description": body(NEW), "label": ["billing", "technical"] * (N // 2)}
    out = write(tmp_path / "out.csv", columns)
    drawn = run("audit", out, "-o", tmp_path / "sample.csv", "-n", 3)
    assert drawn.exit_code == 0, drawn.output
    assert "text column" not in drawn.stdout  # its name tells it, and the sample shows it
    assert set(tickets.read_csv(tmp_path / "sample.csv")["Description"]) <= set(columns["Description"])
    assert drawn.stdout.endswith(f"Next: labelferry certify {out} {tmp_path / 'sample.csv'}\n")
    named = run("audit", out, "-o", tmp_path / "sample.csv", "-n", 3, "--text", "Subject", "--encoding", "utf-8")
    assert "text column" not in named.stdout
    assert named.stdout.endswith("sample.csv --text Subject --encoding utf-8\n")


def test_a_saved_model_knows_its_text_columns(tmp_path):
    export = zendesk(tmp_path)
    model, later = tmp_path / "model.npz", tmp_path / "later.csv"
    out = ("-o", tmp_path / "out.csv")
    assert run("label", *export.arguments, *out, "--method", "sourcelr", "-q", "--save", model).exit_code == 0
    columns = {"Subject": [*subject(NEW[:5]), ""], "Description": [*body(NEW[:5]), " "], "text": ["unused text"] * 6}
    result = run("apply", model, write(tmp_path / "more.csv", columns), "-o", later)
    assert result.exit_code == 0, result.output
    written = tickets.read_csv(later)
    assert written["reason"] == ["", "", "", "", "", "no text"]
    assert written["label"][:5] == tickets.read_csv(tmp_path / "out.csv")["label"][:5]
    assert (written["label"][5], written["needs_review"][5]) == ("", "true")


@pytest.mark.parametrize("command", ["compare", "diagnose"])
def test_other_commands_take_a_half_labelled_file(tmp_path, command):
    export = half_labelled(tmp_path)
    arguments = ["--methods", "sourcelr"] if command == "compare" else []
    result = run(command, *export.arguments, *arguments, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["n_target"] == N
    refused = run(command, *export.arguments, *arguments, "--use-target-labels")
    assert refused.exit_code == 2
    assert f"{command} never uses labels of the target" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old.csv", "new.csv", "--text", "text"], "new.csv has no column 'text'; it has 'request', 'id'"),
        (["old.csv", "new.csv", "--text", "text"], "pass --text-target."),
        (["old.csv", "new.csv"], "no column in common"),
        (["old.csv", "new.csv", "--text", "text,nothing"], "old.csv has no column 'nothing'"),
        (["old.csv", "new.csv", "--text-target", "zzz"], "Name one of them with --text-target."),
        (["old.csv", "new.csv", "--text-target", "request", "--label-target", "zz"], "with --label-target."),
        (["new.csv"], "which column is the label?"),
        (["old.csv"], "every row of old.csv has a label in column 'label'"),
    ],
)
def test_one_line_errors(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "old.csv", {"text": OLD, "label": LABELS})
    write(tmp_path / "new.csv", {"request": NEW, "id": range(N)})
    result = run("label", *arguments, "-o", "out.csv")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
    assert not (tmp_path / "out.csv").exists()
