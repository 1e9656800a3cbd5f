"""Rows that cannot be read: they are in the output, in their place, as they are in the file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelferry
from labelferry.inputs.inputs import read_inputs
from labelferry.inputs.options import TextOptions
from labelferry.labelling.apply import apply
from labelferry.review.job.job import Job
from labelferry.review.sample.population import population_of_file
from labelferry.tables import read_table, with_unreadable_rows, write_table

from .. import tickets

EVERY = 6
RAGGED = 'x1,"too, many",fields,here'
REASON = "line {}: 4 fields where the header has 2"


def all_rows(path):
    return with_unreadable_rows(read_table(path, skip_bad=True))


def put(folder, content, name="new.csv"):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def label(*arguments, **settings):
    return labelferry.label(*arguments, **{"method": "sourcelr", "skip_bad": True, **settings})


@pytest.fixture
def files(tmp_path):
    """Labelled documents, and new ones with a ragged row before the first, after the tenth and after the last."""
    source = tickets.write_csv(tmp_path / "old.csv", tickets.old(EVERY))
    columns = {"id": list(range(60)), "text": tickets.new(EVERY)["text"]}
    whole = tickets.write_csv(tmp_path / "whole.csv", columns)
    header, *lines = whole.read_text().splitlines()
    ragged = [header, RAGGED, *lines[:10], RAGGED, *lines[10:], RAGGED]
    return source, whole, put(tmp_path, "\n".join(ragged) + "\n")


PLACES = (0, 11, 62)


@pytest.mark.parametrize(
    ("name", "content", "places", "texts"),
    [
        ("a.csv", 'text,label\nc\na,b\n"d" e,f\n"h\ni",j\nk,l,m\n', [0, 2, 4], ["c", '"d" e,f', "k,l,m"]),
        ("a.csv", "text;label\r\na;b\r\nk;l;m\r\n", [1], ["k;l;m"]),
        ("a.csv", 'text,label\na,b\n"two\nlines",1,2\n', [1], ['"two\nlines",1,2']),
        ("a.csv", b"text,label\na,b\nnul\0,d\n", [1], ["nul\\x00,d"]),
        ("a.csv", "text,label\nGruß,b\nTür,c\n".encode() + b"caf\xe9,d\n", [2], ["caf\\xe9,d"]),
        ("a.tsv", "text\tlabel\nk\na\tb\n", [0], ["k"]),
        ("a.jsonl", '{"text": "a"}\n{"text": \n[1]\n{"text": "b"}\n', [1, 2], ['{"text": ', "[1]"]),
        ("a.json", '[{"text": "a"}, 5, {"text": "b"},\n[6]]', [1, 3], ["5", "[6]"]),
    ],
)
def test_a_row_is_kept_as_it_is_in_the_file(tmp_path, name, content, places, texts):
    table = all_rows(put(tmp_path, content, name))
    assert list(table.unreadable) == places
    assert [table.columns["unreadable"][row] for row in places] == texts
    others = [name for name in table.columns if name != "unreadable"]
    assert all(table.columns[name][row] is None for name in others for row in places)
    assert sum(value is not None for value in table.columns["unreadable"]) == len(places)
    assert list(table.lines) == sorted(table.lines)


@given(st.lists(st.lists(st.text("aé ", min_size=1, max_size=3), min_size=1, max_size=4), max_size=12))
def test_no_line_is_lost(tmp_path_factory, rows):
    """Every line of the file is a row: cells if it has two fields, otherwise the line."""
    lines = [",".join(row) for row in rows]
    path = put(tmp_path_factory.getbasetemp(), "\n".join(["text,label", "good,row", *lines]) + "\n", "lines.csv")
    table = all_rows(path)
    again = [
        ",".join([table.columns["text"][row], table.columns["label"][row]]) if row not in table.unreadable else raw
        for row, raw in enumerate(table.columns.get("unreadable", [None] * len(table)))
    ]
    assert again == ["good,row", *lines]


def test_a_file_without_bad_rows_is_unchanged(files):
    table = read_table(files[1], skip_bad=True)
    assert with_unreadable_rows(table) is table


def test_every_row_is_in_the_output(files, tmp_path):
    source, whole, ragged = files
    plain, result = label(source, whole), label(source, ragged)
    good = [row for row in range(63) if row not in PLACES]
    assert result.labels[good].tolist() == plain.labels.tolist()
    assert [result.labels[row] for row in PLACES] == [None] * 3
    assert result.needs_review[list(PLACES)].all()
    assert [result.reasons[row] for row in PLACES] == [REASON.format(line) for line in (2, 13, 64)]
    assert np.isnan(result.confidence[list(PLACES)]).all()
    assert f"{ragged}: 3 rows not labelled (4 fields where the header has 2); first: line 2" in result.messages
    assert not any("without a text" in message or "known word" in message for message in result.messages)
    assert result.documents.labels.tolist() == plain.labels.tolist()
    assert "unreadable" not in result.documents.inputs.target.columns
    for suffix in ("csv", "xlsx", "jsonl", "json", "parquet"):
        out = tmp_path / f"out.{suffix}"
        result.write(out)
        written = read_table(out).columns
        assert [str(value) for value in written["id"] if value not in (None, "")] == [str(i) for i in range(60)]
        assert [written["unreadable"][row] for row in PLACES] == [RAGGED] * 3
        assert [written["label"][row] or None for row in PLACES] == [None] * 3
        assert [written["reason"][row] for row in PLACES] == [result.reasons[row] for row in PLACES]
        assert len(population_of_file(out).texts) == 60
        assert set(population_of_file(out).own) == {"id"}
    sample = result.audit(30, seed=1)
    assert set(sample.columns["row"]).isdisjoint(row + 1 for row in PLACES)
    sample.columns["answer"] = sample.columns["label"]
    assert len(label(source, ragged, answers=sample).answers.rows) == 30


def test_bad_rows_of_the_labelled_documents_are_left_out(files, tmp_path):
    source, whole, _ = files
    old = put(tmp_path, source.read_text() + "one field\n", "ragged.csv")
    result = label(old, whole)
    assert result.labels.tolist() == label(source, whole).labels.tolist()
    assert f"{old}: 1 row skipped (1 field where the header has 2); line 62" in result.messages


def test_a_half_labelled_file(tmp_path):
    old, new = tickets.old(EVERY), tickets.new(EVERY)["text"]
    columns = {"text": [*old["text"], *new], "label": [*old["label"], *[""] * 60]}
    path = tickets.write_csv(tmp_path / "export.csv", columns)
    plain = label(path)
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, RAGGED, *lines]) + "\n")
    result = label(path)
    assert result.labels.tolist() == [None, *plain.labels.tolist()]
    assert result.reasons[:2] == [REASON.format(2), ""]
    assert result.columns()["origin"][:2] == [None, "given"]
    inputs = read_inputs(path, None, TextOptions(skip_bad=True))
    (Xs,), Xt = inputs.split_rows(np.arange(120)[:, None])
    assert (Xs.ravel().tolist(), Xt.ravel().tolist()) == (list(range(60)), list(range(60, 120)))


def test_features_have_rows_for_the_rows_that_can_be_read(files):
    source, _, ragged = files
    inputs = read_inputs(source, ragged, TextOptions(skip_bad=True))
    (Xs,), Xt = inputs.split_rows(np.arange(120)[:, None])
    assert (inputs.n_rows, Xs.ravel().tolist(), Xt.ravel().tolist()) == (120, list(range(60)), list(range(60, 120)))


def test_later_documents_and_jobs(files, tmp_path):
    source, _, ragged = files
    result = label(source, ragged)
    result.save(tmp_path / "model.npz")
    applied = apply(tmp_path / "model.npz", ragged, skip_bad=True)
    assert [applied.columns["reason"][row] for row in PLACES] == [result.reasons[row] for row in PLACES]
    assert sum(applied.columns["label"].count(c) for c in applied.classes) == 60
    assert not any("without a text" in message for message in applied.messages)
    applied.write(tmp_path / "applied.csv")
    assert tickets.read_csv(tmp_path / "applied.csv")["unreadable"][0] == RAGGED
    with Job.create(result.documents, tmp_path / "job.ferry", seed=0) as job:
        assert "unreadable" not in job.columns
        job.export(tmp_path / "job.csv")
    exported = tickets.read_csv(tmp_path / "job.csv")
    assert [exported["unreadable"][row] for row in PLACES] == [RAGGED] * 3
    assert [exported["reason"][row] for row in PLACES] == [result.reasons[row] for row in PLACES]
    assert [value for value in exported["id"] if value] == [str(i) for i in range(60)]
    assert exported["label"][1:11] == result.labels[1:11].tolist()


def test_an_output_can_be_read_again(files, tmp_path):
    """The rows of an earlier output stay in the column `unreadable`, also if there are new ones."""
    source, _, ragged = files
    label(source, ragged).write(tmp_path / "out.csv")
    path = put(tmp_path, (tmp_path / "out.csv").read_text() + "short\n", "again.csv")
    table = all_rows(path)
    assert [value for value in table.columns["unreadable"] if value] == [RAGGED] * 3 + ["short"]
    write_table(table, {}, tmp_path / "third.csv")
    assert tickets.read_csv(tmp_path / "third.csv")["unreadable"][-1] == "short"
