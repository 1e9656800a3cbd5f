"""Blocks on a Dask cluster of two processes: the results of threads, bit by bit, also if a worker dies."""

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import labelferry
from labelferry import Blocks, cli, from_parquet, tfidf, write_blocks
from labelferry.core import ordering
from labelferry.inputs import features, text_blocks
from labelferry.linalg import dask_blocks
from labelferry.linalg.backends import Threads
from labelferry.linalg.dask_blocks import DaskBackend, close_client, connect
from labelferry.tables import sequences
from labelferry.tables.formats.parquet import ParquetColumn
from labelferry_bench.generated import generate_task

from .. import tickets

pytest.importorskip("distributed", reason="dask is not installed: pip install 'labelferry[dask]'")
pytest.importorskip("pyarrow")
psutil = pytest.importorskip("psutil")

pytestmark = pytest.mark.slow

TEXTS = ["a red door", "a green door", "the red house", "", "green house and door", "red red green", "house", "doors"]


@pytest.fixture(scope="module")
def client():
    made = connect("local")
    address = made.scheduler_info()["address"]
    yield made
    close_client(made)
    host, port = address.removeprefix("tcp://").split(":")
    assert host == "127.0.0.1"
    with socket.socket() as probe:
        assert probe.connect_ex((host, int(port))) != 0, "the scheduler's port is still open"


@pytest.fixture(scope="module")
def blocks(tmp_path_factory):
    task = generate_task(2000, part=1000, n_words=2000)
    folder = tmp_path_factory.mktemp("blocks")
    Xs, Xt = (write_blocks(folder / name, [X], block_rows=150) for name, X in (("s", task.Xs), ("t", task.Xt)))
    return Xs, task.ys, Xt


def test_local_workers_listen_on_this_machine_only(client):
    me = psutil.Process()
    listening = [
        connection.laddr.ip
        for process in (me, *me.children(recursive=True))
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert set(listening) == {"127.0.0.1"}


def on(client, *matrices):
    return [X.on(DaskBackend(client)) for X in matrices]


def test_products_are_those_of_threads_bit_by_bit(client):
    X = sp.random_array((200, 30), density=0.3, format="csr", rng=0, dtype=np.float32)
    V = np.random.default_rng(0).random((200, 2), dtype=np.float32)
    for rows in (100, 9):  # few blocks: summed by the client; many: in groups by workers
        Z = Blocks.of(X, block_rows=rows, backend=Threads(1))
        (D,) = on(client, Z)
        assert (D.T @ V == Z.T @ V).all()
        assert (D @ V[:30] == Z @ V[:30]).all()
        assert (D[20:90].to_csr() != X[20:90]).nnz == 0


@pytest.mark.filterwarnings("error")
def test_large_factors_are_sent_without_advice_of_dask(client):
    B = np.ones((2_000_000, 1))
    (X,) = on(client, Blocks.of(sp.eye_array(6, len(B), format="csr"), block_rows=3))
    assert (X @ B == 1).all()


@pytest.mark.parametrize("name", ["EMNaiveBayes", "SourceNB", "TCL", "NMTF", "CDSC"])
def test_estimators_give_the_same_bit_by_bit(client, blocks, name):
    settings = {"TCL": {"max_iter": 5}, "NMTF": {"max_iter": 5}}.get(name, {})
    if name in ("TCL", "NMTF", "CDSC"):
        settings["random_state"] = 0
    Xs, ys, Xt = blocks
    fits = []
    for A, Z in ((Xs, Xt), on(client, Xs, Xt)):
        model = getattr(labelferry, name)(**settings)
        model.transfer(A, ys, Z)
        fits.append(model.transduction_proba_)
    assert (fits[0] == fits[1]).all()


def test_a_killed_worker_changes_nothing(client, blocks):
    Xs, ys, Xt = blocks
    expected = labelferry.TCL(max_iter=20, random_state=0)
    expected.transfer(Xs, ys, Xt)
    in_memory = Blocks.of(Xt.to_csr(), block_rows=150)  # blocks that are results of tasks, not files
    Xs, Xt = on(client, Xs, in_memory)
    before = set(client.run(os.getpid).values())
    kill = threading.Timer(1.0, os.kill, (min(before), signal.SIGKILL))
    kill.start()
    model = labelferry.TCL(max_iter=20, random_state=0)
    model.transfer(Xs, ys, Xt)
    kill.join()
    client.wait_for_workers(2, timeout=60)
    assert set(client.run(os.getpid).values()) != before
    assert (model.transduction_proba_ == expected.transduction_proba_).all()


def parquet(path, row_group_size=3, **columns):
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=row_group_size)
    return path


@pytest.mark.parametrize("where", ["threads", "folder", "dask"])
def test_parquet_gives_the_matrix_of_tfidf(client, tmp_path, where):
    labels = ["x", "y", "x", None, "y"]
    old = parquet(tmp_path / "old.parquet", text=TEXTS[:5], label=labels)
    new = parquet(tmp_path / "new.parquet", row_group_size=10, text=TEXTS[5:])
    more = {"folder": tmp_path / "blocks"} if where == "folder" else {"client": client} if where == "dask" else {}
    X, y, vectorizer = from_parquet([old, new], text="text", label="label", block_rows=2, min_df=1, **more)
    (expected,), reference = tfidf(TEXTS, min_df=1)
    assert list(vectorizer.get_feature_names_out()) == list(reference.get_feature_names_out())
    np.testing.assert_allclose(X.to_csr().toarray(), expected.toarray(), rtol=1e-12)
    np.testing.assert_allclose(vectorizer.transform(TEXTS).toarray(), expected.toarray(), rtol=1e-12)
    assert y.tolist() == [*labels, None, None, None]
    assert set(labelferry.SourceNB().fit(X, y).transduction_) <= {"x", "y"}


@pytest.mark.parametrize(
    "settings", [{"max_features": 1}, {"ngrams": 2, "min_df": 2}, {"max_df": 0.4}, {"use_idf": False}]
)
def test_settings_are_those_of_tfidf(client, tmp_path, settings):
    path = parquet(tmp_path / "a.parquet", text=TEXTS, label=["x", "y"] * 4)
    settings = {"min_df": 1, **settings}
    (expected,), reference = tfidf(TEXTS, **settings)
    for more in ({}, {"client": client}, {"folder": tmp_path / "blocks"}):
        X, _, vectorizer = from_parquet(path, text="text", label="label", block_rows=3, **settings, **more)
        assert list(vectorizer.get_feature_names_out()) == list(reference.get_feature_names_out())
        np.testing.assert_allclose(X.to_csr().toarray(), expected.toarray(), rtol=1e-12)


def test_lost_blocks_of_texts_are_made_again(client, tmp_path):
    path = parquet(tmp_path / "a.parquet", text=TEXTS, label=["x", "y"] * 4)
    X = from_parquet(path, text="text", label="label", client=client, block_rows=2, min_df=1).X
    expected = X.to_csr()
    before = set(client.run(os.getpid).values())
    for pid in before:  # all blocks are lost
        os.kill(pid, signal.SIGKILL)
    assert (X.to_csr() != expected).nnz == 0
    client.wait_for_workers(2, timeout=60)
    assert not before & set(client.run(os.getpid).values())


@pytest.mark.parametrize("where", ["threads", "dask"])
def test_a_chunk_that_cannot_be_read_is_named(client, tmp_path, where):
    path = parquet(tmp_path / "a.parquet", text=[f"{i} red door {i}" * 50 for i in range(90)], label=["x", "y"] * 45)
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    path.write_bytes(data)
    with pytest.raises(OSError, match=r"a\.parquet cannot be read in row group \d+ .*write it again"):
        from_parquet(path, text="text", label="label", client=client if where == "dask" else None, block_rows=9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"text": "body"}, "no column 'body'"),
        ({"label": "class"}, "no file has a column 'class'"),
        ({"paths": "missing.parquet"}, "no file missing.parquet"),
        ({"min_df": 50}, "all in fewer documents than min_documents"),
        ({"text": "number"}, "must contain texts"),
        ({"client": "local", "folder": "x"}, "folder="),
    ],
)
def test_mistakes(tmp_path, settings, message):
    path = parquet(tmp_path / "a.parquet", text=TEXTS, label=["x", "y"] * 4, number=list(range(8)))
    with pytest.raises((ValueError, OSError), match=message):
        from_parquet(**{"paths": path, "text": "text", "label": "label", **settings})


def test_an_unreachable_scheduler(monkeypatch):
    monkeypatch.setattr(dask_blocks, "_TIMEOUT", 1)
    with pytest.raises(OSError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9 .*dask scheduler"):
        connect("tcp://127.0.0.1:9")


@pytest.mark.parametrize("value", [5, True, ["local"], "", b"local"])
def test_a_cluster_of_another_type(value):
    with pytest.raises(ValueError, match=r"a Dask cluster is 'local', the address .*, or a distributed\.Client; got"):
        labelferry.label(["a"], ["b"], label=["x"], method="sourcenb", dask=value)


def test_an_address_that_is_none_makes_no_client(monkeypatch):
    monkeypatch.setattr("distributed.Client.start", lambda *_, **__: pytest.fail("a client was made"))
    for address in ("auto", "foo://host:1", "tcp://host"):
        with pytest.raises(OSError, match=f"no Dask scheduler answers at {address} "):
            connect(address)


def test_a_lost_connection_is_an_error_that_says_so(blocks):
    made = connect("local", n_workers=1)
    (X,) = on(made, blocks[0])
    close_client(made)
    with pytest.raises(OSError, match=r"connection to the Dask scheduler tcp://127\.0\.0\.1:\d+ was lost or closed"):
        X.to_csr()
    with pytest.raises(OSError, match="the Dask client is closed, not running"):
        connect(made)


def test_ctrl_c_while_many_results_are_awaited_logs_nothing(caplog):
    made = connect("local", n_workers=1)
    backend = DaskBackend(made)
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        backend._gather(backend._submit(time.sleep, [30] * 20))
    close_client(made)
    gc.collect()  # tasks whose errors nobody has seen are reported when they are deleted
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


def test_threads_leave_the_configuration_of_dask_as_it_was(client):
    import dask

    name = "distributed.admin.large-graph-warning-threshold"
    before = dask.config.get(name)
    (X,) = on(client, Blocks.of(sp.eye_array(6, format="csr"), block_rows=3))
    threads = [threading.Thread(target=lambda: [X.backend._submit(abs, [1]) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dask.config.get(name) == before


def test_a_worker_without_the_package(client, monkeypatch):
    monkeypatch.setattr(dask_blocks, "_PACKAGE", "labelferry_is_not_there")
    with pytest.raises(ValueError, match="2 of 2 Dask workers have no labelferry_is_not_there"):
        connect(client)


# -- label ------------------------------------------------------------------------------------------------------------
def run(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], env={"NO_COLOR": "1"})


@pytest.fixture
def files(tmp_path):
    """Tickets as Parquet and as CSV; the new ones have a row without a text and one without a known word."""
    old, new = tickets.old(3), tickets.new(3)
    new["text"] = [*new["text"][:7], "", "xyzzy", *new["text"][9:]]
    made = {
        "parquet": [
            parquet(tmp_path / f"{name}.parquet", row_group_size=20, **columns)
            for name, columns in (("old", old), ("new", new))
        ],
        "csv": [tickets.write_csv(tmp_path / "old.csv", old), tickets.write_csv(tmp_path / "new.csv", new)],
    }
    return made


@pytest.fixture
def in_blocks(monkeypatch):
    """Few documents are treated as many: they are not sorted by content, stay in blocks, and cells are in files."""
    monkeypatch.setattr(ordering, "MAX_SORTED", 0)
    monkeypatch.setattr(features, "MAX_SORTED", 0)
    monkeypatch.setattr(text_blocks, "MIN_ROWS", 10)
    monkeypatch.setattr(sequences, "IN_MEMORY", 0)
    monkeypatch.setattr(sequences, "ROWS", 8)


@pytest.mark.usefixtures("in_blocks")
@pytest.mark.parametrize(
    ("suffix", "more"),
    [
        ("parquet", ["--method", "auto"]),
        ("csv", ["--method", "emnaivebayes"]),
        ("parquet", ["--method", "cdsc"]),
        ("parquet", ["--method", "hybridlabelpropagation", "--ngrams", "2"]),
    ],
)
def test_label_writes_the_same_file(client, files, tmp_path, suffix, more):
    address = client.scheduler_info()["address"]
    old, new = files[suffix]
    outputs = [tmp_path / f"{name}.{suffix}" for name in ("one", "two")]
    page, model = tmp_path / "page.html", tmp_path / "model.npz"
    for out, cluster in zip(outputs, ([], ["--dask", address, "--report", page, "--save", model]), strict=True):
        result = run("label", old, new, "-o", out, *more, *cluster)
        assert result.exit_code == 0, result.output
    tables = [labelferry.tables.read_table(out) for out in outputs]
    assert list(tables[0].columns) == list(tables[1].columns)
    for name, values in tables[0].columns.items():
        assert list(values) == list(tables[1].columns[name]), name
    assert {"label", "confidence", "alternative", "evidence", "needs_review", "source_only", "reason"} < set(
        tables[1].columns
    )
    assert page.exists()
    assert model.exists()


@pytest.mark.usefixtures("in_blocks")
def test_documents_of_label_stay_on_the_workers(client, files):
    old, new = files["parquet"]
    result = labelferry.label(old, new, method="sourcenb", dask=client)
    assert isinstance(result.features.Xt, Blocks)
    assert not any(sp.issparse(part.block) for part in result.features.Xt.parts)
    result.close()
    assert client.status == "running", "a client of the user is not closed"


@pytest.mark.usefixtures("in_blocks")
def test_a_result_and_its_update_close_what_label_opened(files):
    old, new = files["parquet"]
    with labelferry.label(old, new, method="sourcenb", dask="local") as result:
        updated = result.update({0: str(result.labels[0])})
    workers = result.features.Xt.backend.client
    assert workers.status == "closed"
    assert updated._opened is result._opened
    assert str(result.labels[0]) in str(updated.labels[0])
    assert "labelferry labels" in result._repr_html_()
    for use in (result.summary, lambda: result.save(new.with_name("model.npz"))):
        with pytest.raises(OSError, match="was lost or closed"):
            use()


@pytest.mark.usefixtures("in_blocks")
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_workers_read_parquet_files_themselves(files, suffix):
    table = labelferry.tables.read_table(files[suffix][1])
    part = sequences.part_of(table.columns["text"], 3, 21)
    assert list(part[:]) == list(table.columns["text"][3:21])
    assert isinstance(part, ParquetColumn if suffix == "parquet" else list)


def test_a_method_that_needs_one_matrix_is_refused_before_files_are_read():
    for method, way_out in (("rsp", "use TCL"), ("gcmf", "set word_smoothness=0 and doc_smoothness=0")):
        result = run("label", "missing.csv", "new.csv", "-o", "out.csv", "--dask", "local", "--method", method)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert "Omit dask (--dask), or" in result.stderr
        assert way_out in result.stderr


def test_errors_of_a_cluster_are_one_line(client, files, tmp_path, monkeypatch):
    (old, new), out = files["csv"], tmp_path / "out.csv"
    address = client.scheduler_info()["address"]
    monkeypatch.setattr(dask_blocks, "_TIMEOUT", 1)
    errors = [("no Dask scheduler answers", run("label", old, new, "-o", out, "--dask", "tcp://127.0.0.1:9", "-q"))]
    with monkeypatch.context() as patch:
        patch.setattr(dask_blocks, "_PACKAGE", "labelferry_is_not_there")
        errors.append(("workers have no", run("label", old, new, "-o", out, "--dask", address, "-q")))
    with monkeypatch.context() as patch:
        patch.setattr(dask_blocks, "find_spec", lambda name: None)
        errors.append(("pip install '.[dask]'", run("label", old, new, "-o", out, "--dask", "local", "-q")))
    damaged = files["parquet"][1]
    data = damaged.read_bytes()
    damaged.write_bytes(data[: len(data) // 3] + bytes(len(data) // 3) + data[2 * len(data) // 3 :])
    errors.append(("damaged", run("label", old, damaged, "-o", out, "--dask", address, "-q")))
    for message, result in errors:
        assert result.exit_code == 2, result.output
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert not out.exists()


def test_local_workers_end_with_the_command_and_with_ctrl_c(files, tmp_path):
    old, new = files["parquet"]
    for is_interrupted in (False, True):
        out = tmp_path / f"{is_interrupted}.parquet"
        arguments = ["label", old, new, "-o", out, "--method", "auto" if is_interrupted else "sourcenb"]
        process = subprocess.Popen(
            [sys.executable, "-m", "labelferry", *map(str, arguments), "--dask", "local"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a terminal sends Ctrl-C to all processes of the group
        )
        first = process.stderr.readline()
        workers = psutil.Process(process.pid).children(recursive=True)
        assert "reading" in first
        assert len(workers) >= 2
        if is_interrupted:
            os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        assert process.returncode == (130 if is_interrupted else 0), errors
        assert "Traceback" not in errors
        if is_interrupted:
            assert errors.splitlines()[-1] == "labelferry: interrupted; no file was written"
        assert out.exists() != is_interrupted
        assert not psutil.wait_procs(workers, timeout=20)[1]


REMOVE_BEFORE_COUNTING = """
import os, sys
from importlib import import_module
from labelferry.__main__ import main
from labelferry.tables import sequences

label = import_module("labelferry.api")

def make_features(*arguments, count=label.make_features):
    os.remove(sys.argv[3])
    return count(*arguments)

label.make_features = make_features
sequences.IN_MEMORY = 0
sequences.ROWS = 8
main()
"""


def test_an_error_of_a_local_worker_is_one_line(files, tmp_path):
    (old, new), out = files["parquet"], tmp_path / "out.parquet"
    arguments = ["label", old, new, "-o", out, "--method", "sourcenb", "--dask", "local", "-q"]
    done = subprocess.run(
        [sys.executable, "-c", REMOVE_BEFORE_COUNTING, *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert f"on a Dask worker there is no file {new}. All workers need it under this name" in done.stderr
    assert not out.exists()


def test_a_script_without_a_guard_is_an_error_that_shows_it(tmp_path):
    script = tmp_path / "script.py"
    call = "labelferry.label(['a', 'b'], ['a'], label=['x', 'y'], method='sourcenb', dask='local')"
    script.write_text(f"import labelferry\n{call}\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "put the call below: if __name__ == '__main__':" in done.stderr.splitlines()[-1]
    assert done.stderr.count("Traceback") == 1, done.stderr
