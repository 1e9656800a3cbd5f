"""Blocks on a Dask cluster of two processes: the results of threads, bit by bit, also if a worker dies."""

import os
import signal
import socket
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import labelferry
from labelferry import Blocks, from_parquet, tfidf, write_blocks
from labelferry.bench.generated import generate_task
from labelferry.linalg import dask_blocks
from labelferry.linalg.backends import Threads
from labelferry.linalg.dask_blocks import DaskBackend, close_client, connect

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
        ({"max_features": 3}, "max_features"),
        ({"min_df": 50}, "no word is left"),
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


def test_a_worker_without_the_package(client, monkeypatch):
    monkeypatch.setattr(dask_blocks, "_PACKAGE", "labelferry_is_not_there")
    with pytest.raises(ValueError, match="2 of 2 Dask workers have no labelferry_is_not_there"):
        connect(client)
