"""Files, options and models that people and programs spoil: one line, bounded time and memory, nothing lost."""

import gzip
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

import labelferry
import labelferry_bench.papers
from labelferry import cli
from labelferry.files import atomic_write, locked
from labelferry.inputs import memory
from labelferry.inputs.memory import words_within
from labelferry.labelling.model import load
from labelferry.tables import from_texts, read_table, write_table
from labelferry.tables.write import check_place
from labelferry_bench.datasets import load_reuters
from labelferry_bench.papers.run import run

OLD = [f"the train number {i} was late again today" for i in range(6)] + [f"a good meal of soup {i}" for i in range(6)]
NEW = ["my bus and the train was late", "good soup and a meal", "late train today", "the soup was good again"]
LABELS = ["travel"] * 6 + ["food"] * 6


def command(*arguments):
    return CliRunner().invoke(cli.app, arguments)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_table(from_texts(OLD, LABELS), {}, tmp_path / "old.csv")
    write_table(from_texts(NEW), {}, tmp_path / "new.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def label(new=NEW, labels=LABELS, **options):
    return labelferry.label(OLD, new, label=labels, method="sourcelr", min_documents=1, **options)


def test_a_loop_of_links_is_one_line(folder):
    (folder / "a.csv").symlink_to("b.csv")
    (folder / "b.csv").symlink_to("a.csv")
    for arguments in (["a.csv", "new.csv", "-o", "x.csv"], ["old.csv", "new.csv", "-o", "a.csv"]):
        done = command("label", *arguments)
        assert done.exit_code == 2
        assert done.stderr.startswith(
            ("labelferry: cannot read 'a.csv'", "labelferry: cannot write a.csv: it is a link")
        )
        assert done.stderr.count("\n") == 1
    (folder / "c.csv").symlink_to("nowhere/out.csv")
    with pytest.raises(ValueError, match=r"there is no folder .*nowhere"):
        check_place(folder / "c.csv")


@pytest.mark.parametrize("name", ["a\0b", "undefined", "utf-8\ud800", "zlib", "x" * 5000, ""])
def test_names_of_encodings_that_are_none(folder, name):
    with pytest.raises(ValueError, match=r"encoding='.* is unknown. Pass one such as utf-8") as error:
        read_table(folder / "old.csv", encoding=name)
    assert len(str(error.value)) < 200


STRANGE = ['{"rows": 5, "methods": 5, "table": "x"}', "[" * 100_000, "[]", '{"rows": [{}], "methods": [], "table": 1}']


@pytest.mark.parametrize("content", STRANGE, ids=range(len(STRANGE)))
def test_json_that_is_no_table_of_the_bench(folder, content):
    (folder / "x.json").write_text(content)
    with pytest.raises(ValueError, match="is not a table that `labelferry bench table` wrote"):
        labelferry_bench.papers.compare_tables(folder / "x.json", folder / "x.json")


def test_written_json_has_no_nan_and_no_infinity(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"text": "a", "n": 1e400, "m": [NaN, -Infinity, 1.5]}\n')
    table = read_table(tmp_path / "x.jsonl")
    assert table.columns == {"text": ["a"], "n": ["1e400"], "m": [[None, "-Infinity", 1.5]]}
    given = from_texts(["a"])
    for name in ("y.jsonl", "y.json", "y.csv"):
        write_table(given, {"x": [float("inf")], "y": [[float("nan"), {"z": float("-inf")}]]}, tmp_path / name)
    row = json.loads((tmp_path / "y.jsonl").read_text(), parse_constant=pytest.fail)
    assert row == {"text": "a", "x": "Infinity", "y": [None, {"z": "-Infinity"}]}
    assert json.loads((tmp_path / "y.json").read_text(), parse_constant=pytest.fail) == [row]
    assert "NaN" not in (tmp_path / "y.csv").read_text()


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([2**70, 2**70 + 1], {str(2**70), str(2**70 + 1)}),
        ([2**63, -1], {str(2**63), "-1"}),
        ([2**53 + 1, 0.5], {str(2**53 + 1), "0.5"}),
        ([2**62 + 1, 2**62 + 2], {2**62 + 1, 2**62 + 2}),
        ([1e300, 0.1], {"1e+300", "0.1"}),
        (["a", 7], {"a", "7"}),
    ],
)
def test_labels_keep_their_exact_form(labels, expected):
    result = label(labels=[labels[0]] * 6 + [labels[1]] * 6)
    assert set(result.labels.tolist()) == expected


def test_estimators_refuse_integers_that_do_not_fit():
    (Xs, Xt), _ = labelferry.tfidf(OLD, NEW, min_df=1)
    for y in ([2**70] * 6 + [2**70 + 1] * 6, [2**63] * 6 + [-5] * 6):
        with pytest.raises(ValueError, match=r"integers of 64 bits; one is \d+\. Convert them: y.astype\(str\)"):
            labelferry.SourceLR().transfer(Xs, y, Xt)


def test_a_gzip_file_that_fills_the_memory(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"text,label\n" + b"a,b\n" * 250_000))
    with pytest.raises(ValueError, match=r"may have 500,000 bytes and this one has more. Unpack it yourself"):
        read_table(path, max_unpacked=500_000)
    assert len(read_table(path, max_unpacked=2_000_000)) == 250_000


def test_a_word_of_a_million_letters_is_cut():
    long = "x" * 1_000_000
    texts = [text + (f" {long}" if "train" in text else "") for text in OLD]
    result = labelferry.label(texts, [*NEW, f"the train {long}"], label=LABELS, method="sourcelr", min_documents=1)
    assert max(map(len, result.columns()["evidence"])) < 500
    assert max(len(word) for words in result.typical.values() for word in words) <= 61


def test_a_model_has_only_patterns_of_labelferry(tmp_path):
    label().save(tmp_path / "model.npz")
    arrays = dict(np.load(tmp_path / "model.npz"))
    settings = json.loads(str(arrays["vectorizer/settings"]))
    for change in ({"token_pattern": "(a+)+$"}, {"token_pattern": "("}, {"ngram_range": [1, 10**9]}):
        arrays["vectorizer/settings"] = np.array(json.dumps(settings | change))
        np.savez(tmp_path / "bad.npz", **arrays)
        with pytest.raises(ValueError, match=r"damaged: its (token_pattern|n-grams)"):
            load(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    "part", ['<REUTERS LEWISSPLIT="', '<REUTERS LEWISSPLIT="TRAIN" NEWID="1"><TEXT', "<D>", "<REUTERS "]
)
def test_a_damaged_reuters_file_takes_linear_time(tmp_path, part):
    (tmp_path / "reut2-000.sgm").write_text(part * 20_000)
    began = time.perf_counter()
    with pytest.raises(ValueError, match=r"is damaged: reut2-000\.sgm has"):
        load_reuters(tmp_path)
    assert time.perf_counter() - began < 10


def test_cells_that_a_spreadsheet_would_run(folder):
    write_table(from_texts(["=1+1 the train was late", *NEW[1:]]), {}, folder / "new.csv")
    common = ["old.csv", "new.csv", "--method", "sourcelr", "--min-documents", "1", "-q"]
    assert command("label", *common, "-o", "plain.csv", "--save", "m.npz").exit_code == 0
    assert command("label", *common, "-o", "safe.csv", "--spreadsheet").exit_code == 0
    assert command("apply", "m.npz", "new.csv", "-o", "later.csv", "--spreadsheet", "-q").exit_code == 0
    texts = [read_table(folder / f"{name}.csv").columns["text"][0] for name in ("plain", "safe", "later")]
    assert texts == ["=1+1 the train was late", *["'=1+1 the train was late"] * 2]


def test_an_error_of_the_disk_names_the_file_and_what_was_written_before(folder, monkeypatch):
    with pytest.raises(OSError, match=r"No space left on device: '.*out\.csv'$"), atomic_write(folder / "out.csv"):
        raise OSError(28, "No space left on device")
    assert not list(folder.glob(".labelferry-*"))
    if os.path.exists("/dev/full"):
        done = command("label", "old.csv", "new.csv", "-o", "o.csv", "--method", "sourcelr", "--min-documents", "1",
                       "--report", "/dev/full")  # fmt: skip
        assert "is a folder or a device" in done.stderr


def test_of_two_runs_of_the_bench_in_one_folder_one_is_refused(tmp_path):
    holder = "import sys, time; from pathlib import Path; from labelferry.files import locked\n"
    holder += "with locked(Path(sys.argv[1])): print('locked', flush=True); time.sleep(60)"
    path = tmp_path / "tcl.jsonl"
    with subprocess.Popen([sys.executable, "-c", holder, path], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(ValueError, match=r"another run writes to .*tcl\.jsonl. Wait until it ends"):
            run([], path)
        other.kill()
    assert run([], path) == ([], [])  # the lock ends with the process
    with locked(path) as is_locked:
        assert is_locked


def test_the_memory_limit_counts_the_classes():
    X = labelferry.load_demo().X_source
    documents = np.diff(X.tocsc().indptr)
    limit = 64 * 8 * 4 * sum(X.shape) + 1e6 * 3
    assert words_within(documents, X.shape[0], limit, 3) == X.shape[1]
    with pytest.raises(ValueError, match=r"max_memory is .* MB, and a fit of .* needs"):
        words_within(documents, X.shape[0], limit, 5_000)


def test_a_fit_that_needs_more_memory_than_there_is_is_refused_before_it(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 100.0)
    with pytest.raises(ValueError, match=r"2 classes needs about .* GB, and 0\.0 GB are free\. To go on"):
        label()
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    assert len(label().labels) == len(NEW)


def test_documents_on_workers_do_not_count(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 1e9)
    documents = np.full(1000, 1_000_000)  # 12 GB
    with pytest.raises(ValueError, match=r"needs about 12\.0 GB, and 1\.0 GB are free"):
        memory.check_memory(documents, 2_000_000, 2)
    memory.check_memory(documents, 2_000_000, 2, on_workers=True)


def test_the_way_out_of_too_little_memory_works(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 1e9)
    documents = np.full(50_000, 10)
    with pytest.raises(ValueError, match=r"--max-memory 0\.5G\) to keep the most frequent words or merge classes"):
        memory.check_memory(documents, 1000, 500)
    assert words_within(documents, 1000, 0.5e9, 500) >= memory.MIN_WORDS
    with pytest.raises(ValueError, match=r"are free\. To go on, pass fewer documents"):
        memory.check_memory(np.full(3000, 10_000_000), 10_000_000, 2)


def test_free_memory_is_that_of_the_limit_if_it_is_lower(monkeypatch):
    resource = pytest.importorskip("resource")
    assert memory.free_memory() > 1e7
    monkeypatch.setattr(resource, "getrlimit", lambda which: (5_000_000, -1))
    assert memory.free_memory() == 0, "more is mapped already"
    mapped = int(memory.STATM.read_text().split()[0]) * resource.getpagesize()
    monkeypatch.setattr(resource, "getrlimit", lambda which: (mapped + 50_000_000, -1))
    assert 0 < memory.free_memory() <= 50_000_000


def test_free_memory_is_that_of_the_container_if_it_is_lower(monkeypatch, tmp_path):
    (tmp_path / "max").write_text("7000000\n")
    (tmp_path / "current").write_text("4000000\n")
    monkeypatch.setattr(memory, "CONTAINER", ((tmp_path / "max", tmp_path / "current"),))
    assert memory.free_memory() == 3_000_000
    (tmp_path / "max").write_text("max\n")
    assert memory.free_memory() > 1e7


def test_words_that_help():
    with pytest.raises(ValueError, match="max_memory must be a number of bytes from 1e6, such as 5e9; got '5G'"):
        label(max_memory="5G")
    with pytest.raises(ValueError, match="such as 5e9; got 5"):
        label(max_memory=5)
    with pytest.raises(ValueError, match="method must be a name"):
        labelferry.label(OLD, NEW, label=LABELS, method=None)
    X = np.ones((4, 3))
    X[1, 1] = np.nan
    with pytest.raises(ValueError, match=r"contains NaN\. Replace it by a number, or drop these documents\.$"):
        labelferry.SourceLR().transfer(X, [0, 1, 0, 1], X)


@pytest.mark.parametrize("texts", [[None], ["a", None], [5], [b"a"], [], None, 5])
def test_texts_that_a_model_cannot_label(tmp_path, texts):
    label().save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="texts must be a list of one text or more; got"):
        load(tmp_path / "model.npz").label(texts)


def test_parquet_with_texts_that_are_not_utf8(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    ends = pyarrow.py_buffer(np.array([0, 2, 4], dtype=np.int32).tobytes())
    texts = pyarrow.Array.from_buffers(pyarrow.string(), 2, [None, ends, pyarrow.py_buffer(b"\xff\xfeab")])
    parquet.write_table(pyarrow.table({"text": texts}), tmp_path / "bad.parquet")
    with pytest.raises(ValueError, match=r"bad\.parquet.*(not UTF-8|UTF8)"):
        read_table(tmp_path / "bad.parquet")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("vectorizer/ends", lambda ends: ends[::-1], "ends of its words must be integers that increase"),
        ("vectorizer/ends", lambda ends: ends * 1.0, "ends of its words must be integers that increase"),
        ("vectorizer/idf", lambda idf: -idf, "idf must be finite numbers above 0"),
        ("vectorizer/idf", lambda idf: idf * np.nan, "idf must be finite numbers above 0"),
        ("center/size", lambda size: size.astype("U8"), "its mean document is not that of its words"),
        ("center/total", lambda total: total * np.nan, "its mean document is not that of its words"),
        (
            "vectorizer/settings",
            lambda settings: np.array(json.dumps(json.loads(str(settings)) | {"stop_words": ["a", 5]})),
            "stop_words must be texts",
        ),
    ],
)
def test_a_changed_field_of_a_model_is_named(tmp_path, name, change, message):
    label().save(tmp_path / "model.npz")
    arrays = dict(np.load(tmp_path / "model.npz"))
    np.savez(tmp_path / "bad.npz", **{**arrays, name: change(arrays[name])})
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "bad.npz")


@pytest.mark.parametrize("n_columns", [2**62, 2**31 - 1])
def test_features_with_an_absurd_number_of_columns(tmp_path, n_columns):
    n = len(OLD) + len(NEW)
    indptr, shape = np.arange(n + 1), np.array([n, n_columns])
    parts = {"indices": np.zeros(n, dtype=int), "indptr": indptr, "data": np.ones(n), "shape": shape}
    np.savez(tmp_path / "x.npz", **parts, format=np.array(b"csr"))
    with pytest.raises(ValueError, match=r"may have 10,000,000 columns; x\.npz has"):
        label(features=tmp_path / "x.npz")
