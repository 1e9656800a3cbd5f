"""Large files: what is stored in a temporary file, counted in blocks and written in blocks equals what is in memory."""

import gc
import gzip
import io
import json
import os
import random
import sys
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import labelferry
from labelferry import cli
from labelferry.core.progress import Remaining, TimeLeft, listen
from labelferry.families.divergence import center, join_centers
from labelferry.inputs import features
from labelferry.labelling import evidence as word_evidence
from labelferry.labelling import model as saved_models
from labelferry.labelling.apply import apply
from labelferry.labelling.evidence import WordLists, evidence_columns
from labelferry.tables import from_frame, read_table, sequences, to_frame, write_table
from labelferry.tables.row_index import RowIndex
from labelferry.tables.sequences import (
    ROWS,
    GrowingColumns,
    Mapped,
    OnDemand,
    StoredColumn,
    TemporaryBlocks,
    blocks_of,
    chained,
    mapped,
    picked,
    zipped,
)
from labelferry.text import counting
from labelferry.text.counting import count_block, fit_tfidf
from labelferry.text.vectorize import tfidf_vectorizer

from .. import tickets

VALUES = [f"value {i}" if i % 3 else i for i in range(3 * ROWS + 17)]
METHOD = "emnaivebayes"


def stored(values):
    """The values in a temporary file."""
    column = StoredColumn(TemporaryBlocks())
    full = len(values) // ROWS * ROWS
    for block in blocks_of(values[:full], ROWS):
        column.add(block)
    column.rest = values[full:]
    return column


@pytest.fixture
def all_large(monkeypatch):
    """Every file is stored, every vocabulary is counted in blocks, and every list of words is made on demand."""
    monkeypatch.setattr(sequences, "IN_MEMORY", 0)
    monkeypatch.setattr(features, "LARGE", 0)
    monkeypatch.setattr(word_evidence, "MAX_LISTS", 0)
    monkeypatch.setattr(sys.modules["labelferry.labelling.apply"], "MAX_LISTS", 0)
    monkeypatch.setattr(saved_models, "TEXTS", 50)


# Sequences


def doubled(values):
    return [(value, value) for value in values]


ODD = range(1, len(VALUES), 2)
FAR = [0, 5, ROWS, 3 * ROWS + 2]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: stored(VALUES), VALUES),
        (lambda: mapped(stored(VALUES), doubled), doubled(VALUES)),
        (lambda: picked(stored(VALUES), ODD), [VALUES[i] for i in ODD]),
        (lambda: picked(stored(VALUES), FAR), [VALUES[i] for i in FAR]),
        (lambda: chained([VALUES[:7], stored(VALUES), stored(VALUES[:5])]), [*VALUES[:7], *VALUES, *VALUES[:5]]),
        (lambda: zipped([stored(VALUES), VALUES]), doubled(VALUES)),
        (lambda: mapped(picked(stored(VALUES), ODD), doubled), doubled(VALUES[1::2])),
    ],
)
def test_a_sequence_on_demand_equals_the_list(make, expected):
    values = make()
    assert isinstance(values, OnDemand)
    assert len(values) == len(expected)
    assert list(values) == expected
    rng = random.Random(0)
    for _ in range(50):
        a, b = sorted(rng.randrange(-5, len(expected) + 5) for _ in range(2))
        assert values[a:b] == expected[a:b]
        i = rng.randrange(-len(expected), len(expected))
        assert values[i] == expected[i]
    assert values[::2] == expected[::2]
    with pytest.raises(IndexError, match="out of range"):
        values[len(expected)]


def test_lists_stay_lists():
    assert mapped([1, 2], doubled) == [(1, 1), (2, 2)]
    assert picked(VALUES, ODD) == VALUES[1::2]
    assert chained([[1], [2]]) == [1, 2]
    assert zipped([[1], [2]]) == [(1, 2)]


def test_a_column_that_appears_late(monkeypatch):
    """In the rows before, also those that are stored already, it has no value."""
    monkeypatch.setattr(sequences, "IN_MEMORY", 0)
    growing = GrowingColumns(["a"])
    for i in range(2 * ROWS + 3):
        growing.rows["a"].append(i)
        if i == ROWS + 5:
            growing.rows["b"] = [None] * (i - growing.n_stored)
        if i >= ROWS + 5:
            growing.rows["b"].append(-i)
        if not (i + 1) % ROWS:
            growing.put_away()
    columns = growing.finish()
    assert list(columns["a"]) == list(range(2 * ROWS + 3))
    assert list(columns["b"]) == [None] * (ROWS + 5) + [-i for i in range(ROWS + 5, 2 * ROWS + 3)]


# Files


def many_rows(n=700):
    """Rows with quotes, line ends, other alphabets and empty cells."""
    texts = [f'The "door" {i} is\nred, é {"ж" * (i % 5)}' if i % 11 else "" for i in range(n)]
    return {"id": [str(i) for i in range(n)], "text": texts, "note": ["a;b" * (i % 3) for i in range(n)]}


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz"])
def test_a_stored_table_is_read_and_written_as_one_in_memory(tmp_path, monkeypatch, suffix):
    before = read_table(tickets.write_csv(tmp_path / "in.csv", many_rows()))
    extra = {"label": [i % 7 for i in range(len(before))]}
    write_table(before, extra, tmp_path / f"in{suffix}")
    plain = read_table(tmp_path / f"in{suffix}")
    write_table(plain, extra, tmp_path / f"plain{suffix}")
    monkeypatch.setattr(sequences, "IN_MEMORY", 0)
    large = read_table(tmp_path / f"in{suffix}")
    assert all(isinstance(column, OnDemand) for column in large.columns.values())
    assert {name: list(values) for name, values in large.columns.items()} == plain.columns
    assert list(large.lines) == list(plain.lines)
    write_table(large, {"label": Mapped(extra["label"], list)}, tmp_path / f"large{suffix}")
    assert (tmp_path / f"large{suffix}").read_bytes() == (tmp_path / f"plain{suffix}").read_bytes()


def test_keys_that_appear_late_in_json_lines(tmp_path, monkeypatch):
    rows = [{"text": f"t{i}", **({"late": [i, {"deep": None}]} if i > 400 else {})} for i in range(600)]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    plain = read_table(tmp_path / "in.jsonl").columns
    monkeypatch.setattr(sequences, "IN_MEMORY", 0)
    assert {name: list(values) for name, values in read_table(tmp_path / "in.jsonl").columns.items()} == plain


def test_types_of_parquet_are_those_of_all_blocks(tmp_path, monkeypatch):
    """A column that begins with whole numbers, or without values, may have other numbers later."""
    from labelferry.tables.formats import parquet

    monkeypatch.setattr(parquet, "GROUP", 2)
    table = labelferry.tables.from_texts(["a", "b", "c", "d"])
    write_table(table, {"n": [1, 2, 0.5, 3], "m": [None, None, "x", "y"]}, tmp_path / "out.parquet")
    columns = read_table(tmp_path / "out.parquet").columns
    assert columns["n"] == [1.0, 2.0, 0.5, 3.0]
    assert columns["m"] == [None, None, "x", "y"]
    with pytest.raises(ValueError, match=r"column 'n' has values of several types.*Write \.jsonl"):
        write_table(table, {"n": [1, 2, "x", "y"]}, tmp_path / "bad.parquet")
    assert not (tmp_path / "bad.parquet").exists()


def test_reading_needs_little_memory(tmp_path, monkeypatch):
    """A file of 12 MB is read with less than 3 MB; as lists it would need 15 MB."""
    monkeypatch.setattr(sequences, "IN_MEMORY", 1_000_000)
    with (tmp_path / "in.csv").open("w") as file:
        file.write("text,label\n")
        for i in range(12_000):
            file.write(f"{i} {'word ' * 200},yes\n")
    tracemalloc.start()
    table = read_table(tmp_path / "in.csv")
    lengths = sum(map(len, table.columns["text"]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lengths > 12_000_000
    assert peak < 3_000_000


def test_columns_on_demand_of_a_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["a", "b"]}, index=[7, 9])
    result = to_frame(from_frame(frame), {"label": Mapped([1, 2], list)}, like=frame)
    assert result.to_dict("list") == {"text": ["a", "b"], "label": [1, 2]}
    assert result.index.tolist() == [7, 9]


def test_a_full_temporary_folder_is_one_clear_line(tmp_path, monkeypatch):
    class Full(io.BytesIO):
        def write(self, content):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sequences, "IN_MEMORY", 0)
    monkeypatch.setattr("labelferry.tables.sequences.TemporaryFile", Full)
    tickets.write_csv(tmp_path / "in.csv", many_rows())
    with pytest.raises(ValueError, match=r"no room for the documents \(No space left on device\)\. Set TMPDIR"):
        read_table(tmp_path / "in.csv")


# Words

TEXTS = [*tickets.demo().texts_source, *tickets.demo().texts_target, "", "the"]


@pytest.mark.parametrize(
    "settings", [{}, {"ngrams": 2}, {"sublinear": False, "language": None}, {"analyzer": "characters"}]
)
def test_counting_in_blocks_equals_scikit_learn(monkeypatch, settings):
    monkeypatch.setattr("labelferry.text.counting.TEXTS", 50)
    plain = tfidf_vectorizer(**settings)
    expected = sp.csr_array(plain.fit_transform(TEXTS))
    matrices, vectorizer = fit_tfidf([TEXTS[:80], TEXTS[80:]], tfidf_vectorizer(**settings))
    found = sp.csr_array(sp.vstack(matrices))
    assert vectorizer.vocabulary_ == plain.vocabulary_
    np.testing.assert_allclose(vectorizer.idf_, plain.idf_, rtol=1e-15)
    np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-14)
    np.testing.assert_allclose(vectorizer.transform(TEXTS[:9]).toarray(), expected[:9].toarray(), rtol=1e-14)
    assert all(X.has_canonical_format for X in matrices)


def test_few_buckets_lose_no_word(monkeypatch):
    """Words that share a bucket are counted exactly in the second pass."""
    monkeypatch.setattr("labelferry.text.counting.MAX_BUCKETS", 64)
    vectorizer = fit_tfidf([TEXTS], tfidf_vectorizer(ngrams=2))[1]
    assert vectorizer.vocabulary_ == tfidf_vectorizer(ngrams=2).fit(TEXTS).vocabulary_


def test_most_buckets_of_rare_words_are_skipped(monkeypatch):
    """The vocabulary before pruning is much smaller than that of all pairs of words."""
    from labelferry.text import counting

    sizes = []
    weigh = counting.Merged.weigh
    monkeypatch.setattr(counting.Merged, "weigh", lambda m, *a: sizes.append(len(m.vocabulary)) or weigh(m, *a))
    _, vectorizer = fit_tfidf([TEXTS], tfidf_vectorizer(ngrams=2))
    everything = len(tfidf_vectorizer(ngrams=2, min_documents=1).fit(TEXTS).vocabulary_)
    assert len(vectorizer.vocabulary_) <= sizes[0] < 0.6 * everything


@pytest.mark.system
@pytest.mark.slow
def test_the_result_does_not_depend_on_the_number_of_processes(monkeypatch):
    monkeypatch.setattr("labelferry.text.counting.TEXTS", 40)
    (one,), first = fit_tfidf([TEXTS], tfidf_vectorizer(), processes=1)
    (two,), second = fit_tfidf([TEXTS], tfidf_vectorizer(), processes=2)
    assert first.vocabulary_ == second.vocabulary_
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def end_the_process(texts):
    os._exit(1)


@pytest.mark.slow
def test_a_process_that_is_killed_is_one_clear_line():
    with pytest.raises(ValueError, match="the system ended a process that counts words, probably because"):
        fit_tfidf([TEXTS], tfidf_vectorizer(), prepare=end_the_process, processes=2)


def test_a_limit_keeps_the_most_frequent_words():
    matrices, vectorizer = fit_tfidf([TEXTS], tfidf_vectorizer(), limit=lambda documents, n: 30)
    counts = tfidf_vectorizer(use_idf=False, norm=None, sublinear=False)
    totals = np.asarray(counts.fit_transform(TEXTS).sum(axis=0)).ravel()
    kept = [totals[counts.vocabulary_[word]] for word in vectorizer.vocabulary_]
    assert matrices[0].shape[1] == len(kept) == 30
    assert sorted(kept) == sorted(totals)[-30:]


def test_a_bit_per_bucket():
    frequent = np.random.default_rng(0).random(800) < 0.5
    packed = np.packbits(frequent)
    assert packed.nbytes == 100
    np.testing.assert_array_equal(counting.bits_at(packed, np.arange(800)), frequent)


def test_nothing_of_a_counted_block_stays_in_memory():
    gc.collect()
    gc.disable()
    try:
        count_block(TEXTS, tfidf_vectorizer(), list)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_counts_are_not_in_memory(monkeypatch):
    monkeypatch.setattr(counting, "TEXTS", 100)
    words = [a + b + c for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]
    texts = [" ".join(words[i % 50 : i % 50 + 100]) for i in range(400)]
    merged = counting.Merged()
    blocks = [count_block(block, tfidf_vectorizer(), list) for block in blocks_of(texts, 100)]
    merged.add(blocks[0])  # all words are in it
    tracemalloc.start()
    for block in blocks[1:] * 3:
        merged.add(block)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < sum(block.columns.nbytes for block in blocks) / 4


def test_no_words_are_left():
    with pytest.raises(ValueError, match="vocabulary"):
        fit_tfidf([["the", "and"]], tfidf_vectorizer())


# Evidence


def test_evidence_equals_a_loop_over_documents():
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 40), density=0.2, rng=rng, format="csr")
    X.data = np.round(X.data, 1)  # so that some support is equal
    scores, codes = np.round(rng.normal(size=(40, 3)), 1), rng.integers(3, size=300)
    found = evidence_columns(X, codes, scores, 4)
    for i in range(300):
        columns = X[[i]].indices
        support = X[[i]].data * scores[columns, codes[i]]
        best = [columns[j] for j in np.argsort(-support, kind="stable")[:4] if support[j] > 0]
        assert found[i].tolist() == [*best, *[-1] * (4 - len(best))]
    np.testing.assert_array_equal(evidence_columns(X.toarray(), codes, scores, 4), found)
    words = np.array([f"w{j}" for j in range(40)])
    lists = WordLists(found, words)
    assert lists[5] == [f"w{j}" for j in found[5] if j >= 0]
    wide = lists.widen(np.array([5, 7]), RowIndex([1, 3], 5))
    assert list(wide) == [[], lists[5], [], lists[7], []]


def test_the_center_of_parts():
    X = sp.random_array((50, 20), density=0.3, rng=np.random.default_rng(0), format="csr")
    joined, whole = join_centers([center(X[:13]), center(X[13:])]), center(X)
    np.testing.assert_allclose(joined.total, whole.total)
    assert (joined.n, joined.squared_length) == (whole.n, pytest.approx(whole.squared_length))


# The whole way


@pytest.fixture(autouse=True)
def words_in_order(monkeypatch):
    """Of words with equal support the first column is listed first; scikit-learn does not sort the columns of a row."""
    fit_small = features.fit_small

    def fit_sorted(*args):
        matrices, vectorizer = fit_small(*args)
        for X in matrices:
            X.sort_indices()
        return matrices, vectorizer

    monkeypatch.setattr(features, "fit_small", fit_sorted)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Labelled and new tickets; some new rows have no text, one no known word."""
    folder, demo = tmp_path_factory.mktemp("large"), tickets.demo()
    tickets.write_csv(folder / "old.csv", tickets.old())
    texts = [text if i % 50 else "" for i, text in enumerate(demo.texts_target)]
    texts[7] = "zzzz qqqq"
    tickets.write_csv(folder / "new.csv", {"id": [str(i) for i in range(len(texts))], "text": texts})
    new = read_table(folder / "new.csv")
    for suffix in ("parquet", "jsonl"):
        write_table(new, {}, folder / f"new.{suffix}")
    return folder


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_label_of_large_files_writes_the_same_file(folder, tmp_path, suffix, request):
    old, new = folder / "old.csv", folder / f"new.{suffix}"
    labelferry.label(old, new, method=METHOD).write(tmp_path / f"plain.{suffix}")
    request.getfixturevalue("all_large")
    result = labelferry.label(old, new, method=METHOD)
    assert isinstance(result.evidence, WordLists)
    assert isinstance(result.inputs.texts, OnDemand)
    result.write(tmp_path / f"large.{suffix}")
    assert (tmp_path / f"large.{suffix}").read_bytes() == (tmp_path / f"plain.{suffix}").read_bytes()


def test_a_half_labelled_large_file(folder, tmp_path, request):
    old, new = tickets.read_csv(folder / "old.csv"), tickets.read_csv(folder / "new.csv")
    texts, labels = [*old["text"], *new["text"]], [*old["label"], *[""] * len(new["text"])]
    order = random.Random(0).sample(range(len(texts)), len(texts))
    tickets.write_csv(tmp_path / "half.csv", {"text": [texts[i] for i in order], "label": [labels[i] for i in order]})
    labelferry.label(tmp_path / "half.csv", method=METHOD).write(tmp_path / "plain.csv")
    request.getfixturevalue("all_large")
    labelferry.label(tmp_path / "half.csv", method=METHOD).write(tmp_path / "large.csv")
    assert (tmp_path / "large.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()


def test_report_and_model_of_large_files(folder, tmp_path, request):
    pytest.importorskip("jinja2")
    plain = labelferry.label(folder / "old.csv", folder / "new.csv", method=METHOD)
    plain.save(tmp_path / "plain.npz")
    apply(tmp_path / "plain.npz", folder / "new.csv").write(tmp_path / "plain.csv")
    request.getfixturevalue("all_large")
    large = labelferry.label(folder / "old.csv", folder / "new.csv", method=METHOD)
    for name in ("review", "typical_words", "none_of_these", "classes", "sources", "messages"):
        assert large.summary()[name] == plain.summary()[name], name
    large.report(tmp_path / "page.html")
    assert large.audit(20, seed=1).columns == plain.audit(20, seed=1).columns
    large.save(tmp_path / "large.npz")
    apply(tmp_path / "large.npz", folder / "new.csv").write(tmp_path / "large.csv")
    assert (tmp_path / "large.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()


def test_progress_says_how_much_is_counted(folder, stages, all_large):
    with listen(stages):
        labelferry.label(folder / "old.csv", folder / "new.csv", method=METHOD)
    assert stages.shares[-1] == 1
    assert len(stages.sizes) == 2, "estimated before the words are counted, then known"
    estimated, known = (entries for entries, _ in stages.sizes)
    assert 0.5 < estimated / known < 2


def test_the_remaining_time_of_a_stage_by_its_share():
    now = [0.0]
    time_left = TimeLeft(lambda: now[0])
    time_left.size(100_000, 2)
    time_left.begin("counting words")
    now[0] = 30.0
    time_left.step(0.25)
    assert time_left.remaining() == Remaining(0.25, 90.0)


# Bad input in the middle of the file


def bad_bytes(path: Path) -> Path:
    content = (path / "new.csv").read_bytes()
    lines = content.splitlines(keepends=True)
    lines[200] = b"200,a text with \xff\xfe\xfd bytes\n"
    lines[201] = "201,été été été été été\n".encode()
    (path / "bad.csv").write_bytes(b"".join(lines))
    return path / "bad.csv"


def ragged(path: Path) -> Path:
    lines = (path / "new.csv").read_bytes().splitlines(keepends=True)
    lines[200] = b"200,one,two,three,four\n"
    (path / "ragged.csv").write_bytes(b"".join(lines))
    return path / "ragged.csv"


def cut_gzip(path: Path) -> Path:
    content = gzip.compress((path / "new.csv").read_bytes() * 20)
    (path / "cut.csv.gz").write_bytes(content[: len(content) // 2])
    return path / "cut.csv.gz"


def broken_parquet(path: Path) -> Path:
    pytest.importorskip("pyarrow")
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table(dict(read_table(path / "new.csv").columns))
    pyarrow.parquet.write_table(table, path / "broken.parquet", row_group_size=100, use_dictionary=False)
    start = pyarrow.parquet.ParquetFile(path / "broken.parquet").metadata.row_group(2).column(1).data_page_offset
    content = bytearray((path / "broken.parquet").read_bytes())
    content[start : start + 400] = b"\xff" * 400
    (path / "broken.parquet").write_bytes(bytes(content))
    return path / "broken.parquet"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (bad_bytes, "bad.csv line 201: byte 0xff at character 17 is not UTF-8"),
        (ragged, "ragged.csv line 201: 5 fields where the header has 2"),
        (cut_gzip, "cut.csv.gz cannot be read beyond line"),
        (broken_parquet, "broken.parquet"),
    ],
)
@pytest.mark.parametrize("command", ["label", "apply"])
def test_a_part_that_cannot_be_read(folder, tmp_path, monkeypatch, make, message, command):
    """One line on standard error, nothing written, and no file left in the temporary folder."""
    new = make(folder)
    out, temporary = tmp_path / "out.csv", tmp_path / "temporary"
    temporary.mkdir()
    first = folder / "old.csv"
    if command == "apply":
        first = folder / "model.npz"
        if not first.exists():
            labelferry.label(folder / "old.csv", folder / "new.csv", method=METHOD).save(first)
    monkeypatch.setattr(sequences, "IN_MEMORY", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    done = CliRunner().invoke(cli.app, [command, str(first), str(new), "-o", str(out)])
    assert done.exit_code == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr
    assert done.stdout == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["temporary"]
    assert not list(temporary.iterdir())
