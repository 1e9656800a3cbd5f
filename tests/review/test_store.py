"""The store on SQLite and on a real PostgreSQL server."""

import io
import shutil
import sqlite3
import subprocess
import sys
import threading
import tracemalloc
import zipfile
from enum import StrEnum
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from labelferry.review.store import AnswerRow, FitData, NewAnswer, Store, StoreError
from labelferry.review.store.decisions import current_answers, decide
from labelferry.review.store.packing import unpack
from tests.jobs import CLASSES, add_answer, answers_of, reseal, small_job

FIXTURE = Path(__file__).parents[1] / "fixtures" / "job_version1.sql"
HOSTILE = [
    'it\'s "quoted"; DROP TABLE answers; --',
    "NUL \x00 inside",
    "half a character \ud800 here",
    "an escape of our own \ufdd0d800",
    "<script>alert(1)</script>",
    "x" * 1_000_000,
    "many words " + " ".join(f"word{i}" for i in range(60_000)),
    "% _ \\ ? :name",
    "emoji \U0001f600, rtl \u202e, bom \ufeff",
    "\n\r\t",
]


@pytest.fixture
def store(place):
    with Store.create(place, small_job()) as store:
        yield store


def test_documents_have_their_labels_and_the_users_columns(store):
    row = store.documents.one(4)
    assert (row.number, row.line, row.own) == (4, 6, {"id": "t4", "answer": 4})
    assert row.text.startswith("document 4 about")
    assert row.label in CLASSES
    assert row.evidence == ["about", row.label]
    assert store.n_documents == 30
    assert store.settings["text"] == "text"
    assert sum(store.fits.counts()["labels"].values()) == 30


def test_an_answer_is_there_after_opening_again(place, store):
    number = add_answer(store, 3, "billing", "label", "audit", "ann", shown="account", fit=1)
    with Store.open(place) as again:
        (row,) = answers_of(again)
    assert (row.id, row.document, row.answer, row.kind, row.purpose) == (number, 3, "billing", "label", "audit")
    assert (row.reviewer, row.shown, row.fit, row.replaces) == ("ann", "account", 1, None)
    assert row.time.endswith("+00:00")


class Name(StrEnum):
    """A text with a type of its own."""

    ANN = "ann"


def test_an_answer_may_be_a_label_of_an_array(place, store):
    """Its checksum is that of the plain text which is read."""
    labels = np.array(CLASSES)
    add_answer(store, np.int64(3), labels[0], "label", "list", Name.ANN, shown=labels[1], fit=np.int64(1))
    add_answer(store, 4, labels[2], reviewer=np.str_("bob"), replaces=None)
    with Store.open(place) as again:
        rows = again.answers.history()
    assert [(row.document, row.answer, row.reviewer, row.shown, row.fit) for row in rows] == [
        (3, "billing", "ann", "technical", 1),
        (4, "account", "bob", None, None),
    ]


def test_the_last_answer_per_document_and_person_counts(store):
    first = add_answer(store, 3, "billing", "label", "audit", "ann")
    add_answer(store, 3, "account", "label", "audit", "bob")
    second = add_answer(store, 3, None, "unclear", "audit", "ann", replaces=first)
    assert [(row.reviewer, row.value) for row in answers_of(store)] == [("bob", "account"), ("ann", "unclear")]
    add_answer(store, 3, None, "undo", "audit", "ann", replaces=second)
    assert [(row.reviewer, row.value) for row in answers_of(store)] == [("ann", "billing"), ("bob", "account")]
    assert len(store.answers.history()) == 4
    assert [row.id for row in store.answers.history(after=second)] == [second + 1]


def test_more_than_half_of_the_reviewers_decide():
    def row(number, reviewer, answer):
        return AnswerRow(number, 0, answer, "label", "list", reviewer, "", None, None, None)

    a, b, c = row(1, "x", "spam"), row(2, "y", "ham"), row(3, "z", "spam")
    assert decide([]) is None
    assert decide([a]) == a
    assert decide([a, b]) is None
    assert decide([a, b, c]) == a
    assert decide([a, b, c, row(4, "w", "ham")]) is None
    assert current_answers([a, b, row(5, "x", "ham")])[-1].answer == "ham"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"document": 30}, "document must be from 0 to 29"),
        ({"document": -1}, "document must be"),
        ({"answer": "cats"}, "answer must be one of billing"),
        ({"answer": None}, "answer must be one of"),
        ({"kind": "perhaps"}, "kind must be"),
        ({"kind": "unclear"}, "answer must be"),
        ({"purpose": "fun"}, "purpose must be"),
        ({"replaces": 99}, "does not accept"),
    ],
)
def test_wrong_answers_are_refused(store, change, message):
    given = {"document": 0, "answer": "billing", "kind": "label", "purpose": "audit", **change}
    with pytest.raises(ValueError, match=message):
        add_answer(store, **given)
    assert store.answers.history() == []


@pytest.mark.parametrize("wrong", [NewAnswer(30, "billing"), NewAnswer(3, "billing", replaces=99)])
def test_several_answers_are_added_together_or_not_at_all(store, wrong):
    with pytest.raises(ValueError, match=r"document must be|does not accept"):
        store.answers.add([NewAnswer(0, "billing"), NewAnswer(1, None, "unclear"), wrong])
    assert store.answers.history() == []
    ids = store.answers.add([NewAnswer(0, "billing", reviewer="ann"), NewAnswer(1, None, "unclear")])
    assert [(row.id, row.document, row.value) for row in store.answers.history()] == [
        (ids[0], 0, "billing"),
        (ids[1], 1, "unclear"),
    ]


def test_answers_are_only_added(store):
    statements = []
    sa.event.listen(
        store.database.engine, "before_cursor_execute", lambda c, cursor, sql, *_: statements.append(sql.upper())
    )
    first = add_answer(store, 0, "billing", "label", "audit", "ann")
    add_answer(store, 0, None, "undo", "audit", "ann", replaces=first)
    store.fits.add(FitData("again", *[np.zeros(30, dtype=int)] * 3, np.zeros(30, dtype=bool), answers=[first]))
    assert not [sql for sql in statements if sql.lstrip().startswith(("UPDATE", "DELETE", "REPLACE"))]


@pytest.mark.parametrize("sql", ["UPDATE answers SET answer = 'x'", "DELETE FROM answers"])
def test_the_database_refuses_to_change_an_answer(store, sql):
    add_answer(store, 0, "billing", "label", "audit", "ann")
    with pytest.raises(sa.exc.DBAPIError, match="only added"), store.database.engine.begin() as connection:
        connection.exec_driver_sql(sql)
    assert answers_of(store)[0].answer == "billing"


def test_lists_search_filter_and_sort(store):
    every = list(store.documents.page(limit=100))
    assert [row.number for row in every] == list(range(30))
    rising = list(store.documents.page(sort="confidence", limit=100))
    assert [row.confidence for row in rising] == sorted(row.confidence for row in every)
    assert [row.number for row in store.documents.page(sort="-confidence", limit=100)] == [
        row.number for row in reversed(rising)
    ]
    for label in CLASSES:
        page = store.documents.page(label=label, limit=3)
        assert page.total == sum(row.label == label for row in every)
        assert len(page) == min(3, page.total)
        assert {row.label for row in page} == {label}
    assert {row.needs_review for row in store.documents.page(needs_review=True)} == {True}
    assert [row.number for row in store.documents.page(offset=28)] == [28, 29]
    page = store.documents.page(search="TECHN document", sort="confidence")
    assert page.total == sum("technical" in row.text for row in every) > 0
    assert all("technical" in row.text for row in page)
    assert not page.more
    assert store.documents.page(search="7").total == 1  # a short word is a whole word
    assert store.documents.page(search="zebra").total == 0
    assert store.documents.page(search='"* OR (').total == 0
    with pytest.raises(ValueError, match="sort must be"):
        store.documents.page(sort="text")
    with pytest.raises(ValueError, match="label must be"):
        store.documents.page(label="cats")


def test_lists_of_answered_documents(store):
    number = add_answer(store, 7, "billing", "label", "list", "ann")
    add_answer(store, 9, None, "unclear", "list", "ann")
    assert [row.number for row in store.documents.page(answered=True)] == [7, 9]
    assert store.documents.page(answered=False).total == 28
    add_answer(store, 7, None, "undo", "list", "ann", replaces=number)
    assert [row.number for row in store.documents.page(answered=True)] == [9]


def test_any_text_survives(place):
    job = small_job(len(HOSTILE), texts=HOSTILE)
    job = type(job)(
        **{
            **vars(job),
            "own": {"id": HOSTILE, 'a "column"': [None, 1, 2.5, True, [1], {"a": 1}, "", *"abc"]},
            "settings": {**job.settings, "columns": ["id", "text", 'a "column"']},
        }
    )
    with Store.create(place, job) as store:
        rows = list(store.documents.page())
        assert [row.text for row in rows] == HOSTILE
        assert [row.own["id"] for row in rows] == HOSTILE
        assert [row.own['a "column"'] for row in rows] == [None, 1, 2.5, True, [1], {"a": 1}, "", *"abc"]
        for name in HOSTILE[:5]:
            add_answer(store, 0, "billing", "label", "list", name, shown=name)
        assert [row.reviewer for row in answers_of(store)] == HOSTILE[:5]
        assert store.documents.page(search="DROP TABLE").total == 1
        assert store.documents.page(search="emoji").total == 1
        assert store.documents.page(search="%").total == 1
        assert store.documents.page(search="NUL \x00").total == 1


def test_fits_and_certificates(place, store):
    labels, confidence = np.arange(30) % 3, np.linspace(0, 1, 30)
    number = add_answer(store, 0, "billing", "label", "audit", "ann", fit=store.fits.last())
    held_out = {"rows": np.array([0]), "labels": np.array([2]), "needs_review": np.array([True])}
    fit = FitData("pool", labels, confidence, (labels + 1) % 3, confidence < 0.5, [number], held_out, {"changed": 5})
    assert store.fits.add(fit) == store.fits.last() == 2
    assert [store.documents.one(i).label for i in range(3)] == CLASSES
    assert store.fits.counts()["needs_review"] == 15
    first, second = store.fits.all()
    assert (first.method, first.answers) == ("AutoTransfer", [])
    assert (second.method, second.answers, second.summary) == ("pool", [number], {"changed": 5})
    assert store.fits.arrays(2)["held_out/labels"].tolist() == [2]
    assert store.fits.arrays(1)["labels"].tolist() == small_job().fit.labels.tolist()
    members = store.database.arrays("members")
    assert list(members) == ["SourceLR", "GCMF", "SourceNB"]
    assert members["GCMF"].dtype == np.float32
    store.certificates.add({"level": 0.95, "sentences": ["a"]}, level=0.95, fit=2, last_answer=number)
    with Store.open(place) as again:
        (certificate,) = again.certificates.all()
        assert certificate.content["sentences"] == ["a"]
        assert again.documents.one(2).label == CLASSES[2]


def test_another_process_sees_a_new_fit(place, store):
    with Store.open(place) as other:
        assert other.documents.one(0).label == store.documents.one(0).label
        zeros = np.zeros(30, dtype=int)
        store.fits.add(FitData("pool", zeros, zeros + 1.0, zeros + 1, zeros > 0))
        assert {row.label for row in other.documents.page()} == {CLASSES[0]}


WRITER = """
import sys
from labelferry.review.store import NewAnswer, Store
store = Store.open(sys.argv[1])
for i in range(int(sys.argv[3])):
    row = NewAnswer(i % store.n_documents, "billing", "label", "audit", sys.argv[2])
    print(*store.answers.add([row]), flush=True)
"""


def writer(place, name, n):
    command = [sys.executable, "-c", WRITER, str(place), name, str(n)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_no_acknowledged_answer_is_lost_when_the_process_is_killed(place, store):
    process = writer(place, "ann", 100)
    acknowledged = [int(process.stdout.readline()) for _ in range(37)]
    process.kill()
    acknowledged += [int(line) for line in process.stdout.read().split()]
    process.wait()
    with Store.open(place) as again:
        written = [row.id for row in again.answers.history()]
    assert set(acknowledged) <= set(written)
    assert len(acknowledged) >= 37


def test_two_processes_never_overwrite_each_other(place, store):
    processes = [writer(place, name, 40) for name in ("ann", "bob")]
    numbers = [[int(line) for line in process.communicate()[0].split()] for process in processes]
    log = store.answers.history()
    assert len(log) == 80
    assert sorted(numbers[0] + numbers[1]) == [row.id for row in log]
    assert [row.id for row in log if row.reviewer == "bob"] == numbers[1]


def test_threads_share_a_store(store):
    def work(name):
        for i in range(10):
            add_answer(store, i, "billing", "label", "list", name)

    threads = [threading.Thread(target=work, args=(f"r{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers_of(store)) == 40


def test_who_was_shown_what(store):
    store.answers.add_shown(3, "ann", time="2026-01-01T00:00:00.000+00:00")
    store.answers.add_shown(4, "bob")
    store.answers.add_shown(5, "bob")
    assert store.answers.shown_since("2026-01-02") == {"bob": 5}


def test_an_existing_job_is_never_replaced(place, store):
    with pytest.raises(StoreError, match="already"):
        Store.create(place, small_job())


def test_sqlite_settings(tmp_path):
    with Store.create(tmp_path / "job.ferry", small_job()) as store, store.database.read() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")
        }
        assert connection.exec_driver_sql("PRAGMA trusted_schema").scalar() == 0
        assert pragmas == {"journal_mode": "wal", "synchronous": 2}
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_copy_of_an_open_job_has_all_answers(tmp_path):
    """Of the file alone, without those that SQLite writes beside it."""
    with Store.create(tmp_path / "job.ferry", small_job()) as store:
        for number in range(5):
            add_answer(store, number, "billing", reviewer="ann")
        shutil.copy(tmp_path / "job.ferry", tmp_path / "copy.ferry")
        with Store.open(tmp_path / "copy.ferry") as copy:
            assert copy.answers.history() == store.answers.history()


def test_version_1_is_migrated(tmp_path):
    path = tmp_path / "old.ferry"
    with sqlite3.connect(path) as connection:
        connection.executescript(FIXTURE.read_text())
    connection.close()
    with Store.open(path) as store:
        assert [row.value for row in answers_of(store)] == ["billing", "none_of_these"]
        assert store.documents.one(1).text == "please refund me"
        assert store.documents.page(search="REFUND").total == 1  # no full-text index: the text contains it
        store.answers.add_shown(1, "ann")
        add_answer(store, 0, "technical", "label", "audit", "ann")
    with Store.open(path) as store, store.database.read() as connection:
        assert connection.exec_driver_sql("SELECT value FROM labelferry WHERE name = 'version'").scalar() == "3"


def test_files_that_are_no_job(tmp_path):
    with pytest.raises(StoreError, match=r"there is no file .*--store"):
        Store.open(tmp_path / "missing.ferry")
    with pytest.raises(StoreError, match="is a folder"):
        Store.open(tmp_path)
    (tmp_path / "text.ferry").write_text("a,b\n1,2\n")
    with pytest.raises(StoreError, match="is no labelferry job"):
        Store.open(tmp_path / "text.ferry")
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE labelferry (name, value)")
    connection.close()
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(StoreError, match="is no labelferry job"):
        Store.open(tmp_path / "other.db")
    assert (tmp_path / "other.db").read_bytes() == before
    with pytest.raises(StoreError, match="no folder"):
        Store.create(tmp_path / "no" / "job.ferry", small_job())


def test_damaged_file(tmp_path):
    path = tmp_path / "job.ferry"
    Store.create(path, small_job()).close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\x99" * (len(content) - 4096))
    with pytest.raises(StoreError, match=r"damaged|no labelferry job"):
        Store.open(path).answers.history()


def test_newer_version(place, store):
    with store.database.write() as connection:
        connection.exec_driver_sql("UPDATE labelferry SET value = '99' WHERE name = 'version'")
    with pytest.raises(StoreError, match=r"has version 99; this labelferry reads up to 3\. Update"):
        Store.open(place)


def test_locked_file(tmp_path, monkeypatch):
    monkeypatch.setattr("labelferry.review.store.engine.BUSY_SECONDS", 0.2)
    path = tmp_path / "job.ferry"
    store = Store.create(path, small_job())
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"locked by another program .* Close the other program"):
        add_answer(store, 0, "billing", "label", "audit")
    assert store.documents.page().total == 30  # reading goes on
    other.execute("ROLLBACK")
    assert add_answer(store, 0, "billing", "label", "audit") == 1


def test_read_only_file(tmp_path, monkeypatch):
    path = tmp_path / "job.ferry"
    Store.create(path, small_job()).close()
    monkeypatch.setattr("os.access", lambda place, mode: False)
    with pytest.raises(StoreError, match=r"read-only. Copy it"):
        Store.open(path)


def test_read_only_database_is_one_line(tmp_path):
    with Store.create(tmp_path / "job.ferry", small_job()) as store:
        with store.database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA query_only=ON")
            connection.rollback()
        with pytest.raises(StoreError, match="read-only"):
            add_answer(store, 0, "billing", "label", "audit")


def test_places_that_cannot_be_reached():
    with pytest.raises(StoreError, match="no database URL"):
        Store.open("://job")
    with pytest.raises(StoreError, match=r"cannot use postgresql.*127.0.0.1:1/x.*Check the address"):
        Store.open("postgresql://someone:secret@127.0.0.1:1/x")
    with pytest.raises(StoreError) as error:
        Store.open("postgresql://someone:secret@127.0.0.1:1/x")
    assert "secret" not in str(error.value)
    for place in (
        "postgresql://127.0.0.1:1/x?user=someone&password=secret",
        "postgresql://someone:secret@127.0.0.1:port/x",
        "://secret",
    ):
        with pytest.raises(StoreError) as error:
            Store.open(place)
        assert "secret" not in str(error.value)
    with pytest.raises(StoreError, match="no known database"):
        Store.open("nosuchdb://x/y")


def test_an_interrupted_creation_leaves_nothing(tmp_path):
    job = small_job()
    broken = type(job)(**{**vars(job), "texts": job.texts[:10]})
    with pytest.raises(ValueError, match="zip"):
        Store.create(tmp_path / "job.ferry", broken)
    assert list(tmp_path.iterdir()) == []


def test_arrays_with_pickled_objects_are_refused(tmp_path):
    file = io.BytesIO()
    np.savez(file, names=np.array('["a"]'), array0=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="damaged"):
        unpack(file.getvalue())


def zipped(*entries, compression=zipfile.ZIP_DEFLATED):
    """An npz of the given entries: pairs of a name and the bytes of the npy file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def npy(array, shape=None):
    """Bytes of an npy file; its header may claim another shape."""
    file = io.BytesIO()
    if shape is None:
        np.save(file, array)
    else:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
        file.write(array.tobytes())
    return file.getvalue()


NAMES = ("names", npy(np.array('["a"]')))


@pytest.mark.parametrize(
    "data",
    [
        zipped(NAMES, ("array0", npy(np.zeros(3), shape=(1 << 40,)))),  # a header that demands memory
        zipped(NAMES, ("array0", npy(np.zeros(300_000)))),  # zeros that need little space in the file
        zipped(NAMES, ("array0", npy(np.zeros(3), shape=(-3,)))),
        zipped(NAMES, ("array0", npy(np.zeros(3))), compression=zipfile.ZIP_BZIP2),
        zipped(NAMES, ("array0", npy(np.zeros(3)))).replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x01\x00\x08\x00"),
        zipped(("names", npy(np.array("[" * 100_000))), ("array0", npy(np.zeros(3)))),
        zipped(("names", npy(np.array("3"))), ("array0", npy(np.zeros(3)))),
        zipped(NAMES),
        zipped(NAMES, ("array0", b"")),
        zipped(*[(f"array{i}", npy(np.zeros(1))) for i in range(1001)]),
        zipped(*[(f"array{i}", npy(np.zeros(200_000))) for i in range(90)]),
        b"",
        b"PK",
    ],
)
def test_arrays_that_do_not_fit_are_refused_before_they_are_read(data):
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"job\.ferry is damaged"):
        unpack(data, 2_000_000, "job.ferry")
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("DROP TRIGGER answers_no_delete", "triggers"),
        ("CREATE TRIGGER t AFTER INSERT ON answers BEGIN INSERT INTO shown VALUES (9, 1, 'x', ''); END", "triggers"),
        ("CREATE VIEW v AS SELECT 1", "triggers"),
        ("UPDATE labelferry SET value = '0' WHERE name = 'version'", "no labelferry job"),
        ("UPDATE labelferry SET value = '-1' WHERE name = 'version'", "no labelferry job"),
        ("DELETE FROM settings WHERE name = 'classes'", "'classes' is missing"),
        ("DELETE FROM settings WHERE name = 'question_seed'", "'question_seed' is missing"),
        ("UPDATE settings SET value = '{}' WHERE name = 'classes'", "'classes' has a wrong type"),
        ("UPDATE settings SET value = '[[1]]' WHERE name = 'classes'", "different labels"),
        ("UPDATE settings SET value = 'true' WHERE name = 'question_seed'", "wrong type"),
        ("UPDATE settings SET value = '-5' WHERE name = 'question_seed'", "seed"),
        ("UPDATE settings SET value = '{' WHERE name = 'own'", "no JSON"),
        (f"UPDATE settings SET value = '{'[' * 200_000}' WHERE name = 'own'", "no JSON"),
        ("UPDATE settings SET value = '[\"billing\"]' WHERE name = 'classes'", "no classes"),
        ("DELETE FROM arrays WHERE name = 'job'", "'source_only' has a wrong"),
        ("UPDATE arrays SET data = 'x' WHERE name = 'job'", "damaged"),
        ("UPDATE fits SET labels = x'00'", "damaged"),
        ("DELETE FROM fits", "the last rows of the table 'fits' are missing"),
        ("DELETE FROM arrays WHERE name = 'members'", "members are missing"),
        ("DELETE FROM documents WHERE number = 4", "gaps"),
        ("DROP TABLE settings", "no such table"),
    ],
)
def test_a_changed_file_is_an_error_of_one_line(tmp_path, sql, message):
    path = tmp_path / "job.ferry"
    Store.create(path, small_job()).close()
    with sqlite3.connect(path) as connection:
        connection.execute(sql)
    connection.close()
    if "DROP TABLE" not in sql:
        reseal(path)
    with pytest.raises(ValueError, match=message) as error:
        Store.open(path)
    assert "job.ferry" in str(error.value)
    assert "\n" not in str(error.value)


def test_words_in_most_documents(tmp_path, monkeypatch):
    monkeypatch.setattr("labelferry.review.store.search.MAX_MATCHES", 10)
    with Store.create(tmp_path / "job.ferry", small_job()) as store:
        page = store.documents.page(search="document")
    assert (page.total, page.more) == (10, True)
