"""Jobs of strangers and of broken disks: refused in one line, or the same data."""

import json
import shutil
import sqlite3
import time

import numpy as np
import pytest

from labelferry.review.store import Store
from labelferry.review.store.records import NewAnswer
from labelferry.review.store.schema import SQLITE_TRIGGERS
from tests.damaged_jobs import arrays_with, flip_bits, random_bits, read_everything, reviewed_job, tamper
from tests.jobs import add_answer, small_job

N_BITS = 20  # flipped per copy


def outcome(path, folder, intact):
    """ "same" or "refused"; an assertion fails if other data are read without a word."""
    try:
        found = read_everything(path, folder)
    except ValueError as error:
        message = str(error)
    else:
        assert found == intact
        return "same"
    assert "\n" not in message
    assert len(message) < 700
    return "refused"


def count_outcomes(tmp_path, n, kinds, seed=0):
    """How many of so many damaged copies are refused, and how many give the same data."""
    path, folder = tmp_path / "job.ferry", tmp_path / "out"
    folder.mkdir()
    reviewed_job(path)
    copy = tmp_path / "copy.ferry"
    shutil.copy(path, copy)
    intact = read_everything(copy, folder)
    content, rng = path.read_bytes(), np.random.default_rng(seed)
    counts = {"refused": 0, "same": 0}
    for i in range(n):
        for left in tmp_path.glob("copy.ferry*"):
            left.unlink()
        kind = kinds[i % len(kinds)]
        if kind in ("bits", "bit"):
            damaged = flip_bits(content, random_bits(content, rng, N_BITS if kind == "bits" else 1))
        elif kind == "page":  # of other bytes
            start = 4096 * int(rng.integers(len(content) // 4096))
            damaged = content[:start] + rng.bytes(4096) + content[start + 4096 :]
        else:
            damaged = content[: int(rng.integers(100, len(content)))]
        copy.write_bytes(damaged)
        counts[outcome(copy, folder, intact)] += 1
    return counts


def test_a_damaged_job_is_refused_or_gives_the_same_data(tmp_path):
    counts = count_outcomes(tmp_path, 60, ("bits", "bit", "page", "cut"))
    assert counts["refused"] > 20
    assert counts["same"] > 0


@pytest.mark.system
@pytest.mark.timeout(900)
def test_a_thousand_jobs_with_flipped_bits(tmp_path):
    counts = count_outcomes(tmp_path, 1000, ("bits", "bit"), seed=1)
    assert sum(counts.values()) == 1000
    assert min(counts.values()) > 100


N = 60
HOSTILE = {
    "own columns with other names": ("documents", "own", '{"x": 1}'),
    "own columns that are a list": ("documents", "own", "[1]"),
    "a text of bytes": ("documents", "text", b"\xff\xfe"),
    "a text that is a number": ("documents", "line", "abc"),
    "evidence that is no words": ("documents", "evidence", "[1, null]"),
    "evidence that is an object": ("documents", "evidence", "{}"),
    "an answer to no document": ("answers", "document", 99999),
    "an answer to a name": ("answers", "document", "abc"),
    "an answer that is no class": ("answers", "answer", "q"),
    "a kind that does not exist": ("answers", "kind", "perhaps"),
    "a purpose that does not exist": ("answers", "purpose", "fun"),
    "a reviewer of bytes": ("answers", "reviewer", b"\xff"),
    "the highest number": ("answers", "id", 2**63 - 1),
    "an answer that replaces itself": ("answers", "replaces", 10**6),
    "no settings": ("settings", "settings", "{}"),
    "an error that is a text": ("settings", "settings", '{"target_error": "x"}'),
    "an error that is no number": ("settings", "settings", '{"target_error": NaN}'),
    "other rows that are none": ("settings", "other_rows", '{"rows": [1e400]}'),
    "other rows that are a text": ("settings", "other_rows", '"x"'),
    "documents without a label that do not exist": ("settings", "without_label", '{"documents": [1e400], "reason": 1}'),
    "languages that are no numbers": ("settings", "other_languages", '{"german": [null]}'),
    "columns that documents lack": ("settings", "columns", '["nothing"]'),
    "200,000 classes": ("settings", "classes", json.dumps([f"class {i}" for i in range(200_000)])),
    "classes of another type": ("settings", "classes", "[null, {}]"),
    "a seed that is too large": ("settings", "question_seed", "-1"),
    "fits that learned from words": ("fits", "answers", '["a"]'),
    "a summary that is a list": ("fits", "summary", "[]"),
    "a summary with wrong parts": ("fits", "summary", '{"accepted": [1], "statements": 1e400}'),
    "a method of bytes": ("fits", "method", b"\xff"),
    "labels that are no classes": ("fits", "labels", arrays_with(labels=np.full(N, 7))),
    "labels of another shape": ("fits", "labels", arrays_with(labels=np.zeros((N, 2), dtype=int))),
    "confidences that are no numbers": ("fits", "labels", arrays_with(confidence=np.full(N, np.nan))),
    "held-out rows out of range": ("fits", "labels", arrays_with(held_out__rows=np.full(19, 10**6))),
    "seen rows of another shape": ("fits", "labels", arrays_with(held_out__seen=np.zeros((2, 2), dtype=int))),
    "a certificate without a limit": ("certificates", "content", '{"kind": "accept"}'),
    "a certificate of level 7": ("certificates", "level", 7.0),
    "a certificate that is a list": ("certificates", "content", "[]"),
    "pool rows out of range": ("pool", "data", arrays_with(rows=np.arange(N) + 10**6)),
    "pool rows twice": ("pool", "data", arrays_with(rows=np.zeros(N, dtype=int))),
    "a pool of another shape": ("pool", "data", arrays_with(start=np.zeros((3, 3), dtype=np.float32))),
    "a start of another shape": ("pool", "data", arrays_with(unlimited=np.zeros((3, 3), dtype=np.float32))),
    "coordinates that are no numbers": ("pool", "data", arrays_with(coordinates=np.full((N, 4), np.inf))),
    "members of another shape": ("members", "data", arrays_with(GCMF=np.zeros((5, 9), dtype=np.float32))),
    "members that are texts": ("members", "data", arrays_with(GCMF=np.array(["x"] * N))),
    "an order of documents that do not exist": ("job", "data", arrays_with(group=np.array([10**9]))),
    "an order that is a matrix": ("job", "data", arrays_with(new=np.zeros((2, 2), dtype=int))),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_job_with_right_checksums_is_refused_in_one_line(what, tmp_path):
    path = tmp_path / "job.ferry"
    reviewed_job(path, N)
    tamper(path, *HOSTILE[what])
    start = time.process_time()
    with pytest.raises(ValueError, match="job") as error:
        read_everything(path, tmp_path)
    assert "\n" not in str(error.value)
    assert "not in list" not in str(error.value)
    assert time.process_time() - start < 5


def test_a_row_that_was_changed_is_found_in_every_table(place):
    """On both databases, whoever changed it."""
    with Store.create(place, small_job()) as store:
        for number in range(3):
            add_answer(store, number, "billing", "label", "audit", "ann")
        store.certificates.add({"n_answers": 3}, level=0.95, fit=1, last_answer=3)
        changes = {
            "documents": "UPDATE documents SET line = line + 1 WHERE number = 7",
            "fits": "UPDATE fits SET method = 'x'",
            "certificates": "UPDATE certificates SET last_answer = 2",
            "settings": "UPDATE settings SET value = '6' WHERE name = 'question_seed'",
        }
        for table, sql in changes.items():
            with store.database.write() as connection:
                connection.exec_driver_sql(f"CREATE TABLE kept AS SELECT * FROM {table}")
                connection.exec_driver_sql(sql)
            with pytest.raises(ValueError, match=f"a row of the table '{table}' has changed"):
                Store.open(place)
            undo = {
                "documents": "UPDATE documents SET line = line - 1 WHERE number = 7",
                "fits": "UPDATE fits SET method = (SELECT method FROM kept)",
                "certificates": "UPDATE certificates SET last_answer = 3",
                "settings": "UPDATE settings SET value = '5' WHERE name = 'question_seed'",
            }[table]
            with store.database.write() as connection:
                connection.exec_driver_sql(undo)
                connection.exec_driver_sql("DROP TABLE kept")
            Store.open(place).close()


def test_the_answers_are_a_chain(tmp_path):
    path = tmp_path / "job.ferry"
    with Store.create(path, small_job()) as store:
        store.answers.add([NewAnswer(number, "billing", reviewer="ann") for number in range(5)])
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER answers_no_delete")
        connection.execute("DELETE FROM answers WHERE id = 3")
        connection.execute(SQLITE_TRIGGERS["answers_no_delete"])
    connection.close()
    with pytest.raises(ValueError, match="a row of the table 'answers' has changed"):
        Store.open(path)


@pytest.mark.parametrize("table", ["answers", "fits", "certificates"])
def test_rows_that_are_missing_at_the_end_are_found(table, tmp_path):
    """As after a write that never reached the disk: what is left holds together."""
    path = tmp_path / "job.ferry"
    reviewed_job(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("DROP TRIGGER answers_no_delete")
        connection.execute(f"DELETE FROM {table} WHERE id = (SELECT max(id) FROM {table})")
        connection.execute(SQLITE_TRIGGERS["answers_no_delete"])
    connection.close()
    with pytest.raises(ValueError, match=r"are missing\. Restore it"):
        Store.open(path)


def test_many_classes_for_few_documents_are_refused_before_anything_is_written(tmp_path):
    job = small_job()
    many = type(job)(**{**vars(job), "classes": [f"class {i}" for i in range(1001)]})
    with pytest.raises(ValueError, match="1,001 classes and 30 documents"):
        Store.create(tmp_path / "job.ferry", many)
    assert list(tmp_path.iterdir()) == []
