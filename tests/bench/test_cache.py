"""Finding and downloading corpora: the order of places, the error messages, complete files or none."""

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from labelferry.files import open_atomic
from labelferry_bench.datasets import CorpusNotFound, cache

SOURCE = cache.Source(
    name="letters",
    title="Letters to the Editor",
    loader="load_letters",
    folder="letters",
    files=("letters.tar.gz",),
    parts=("good/*", "bad/*"),
    origin="https://example.org/letters",
    license="for research.",
)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Folders for LABELFERRY_DATA, the cache and a path given by the caller; none exists yet."""
    monkeypatch.setenv("LABELFERRY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path / "cache"))
    return {name: tmp_path / name for name in ("mine", "data", "cache")}


def put(folder, name="letters.tar.gz", content=b"x"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_order_of_places(folders):
    in_cache = put(folders["cache"] / "letters")
    assert cache.find(SOURCE) == in_cache
    in_data = put(folders["data"] / "letters")
    assert cache.find(SOURCE) == in_data
    mine = put(folders["mine"])
    assert cache.find(SOURCE, folders["mine"]) == mine
    assert cache.find(SOURCE, str(mine)) == mine
    assert cache.find(SOURCE, folders["data"]) == in_data  # a folder of data is also a path


def test_a_given_path_is_the_only_place(folders):
    put(folders["data"] / "letters")
    with pytest.raises(CorpusNotFound, match="mine"):
        cache.find(SOURCE, folders["mine"])
    with pytest.raises(CorpusNotFound, match="mine"):
        cache.find(SOURCE, folders["mine"], download=True, fetch=lambda _: pytest.fail("downloaded"))


def test_all_parts_are_needed(folders):
    put(folders["data"] / "letters" / "good", "1")
    with pytest.raises(CorpusNotFound):
        cache.find(SOURCE)
    put(folders["data"] / "letters" / "bad", "1")
    assert cache.find(SOURCE) == folders["data"] / "letters"


def test_the_error_names_the_file_the_download_and_the_place(folders):
    with pytest.raises(FileNotFoundError) as caught:
        cache.find(SOURCE)
    text = str(caught.value)
    for part in (
        "Letters to the Editor",
        str(folders["data"] / "letters"),
        str(folders["cache"] / "letters"),
        "Put one of these into $LABELFERRY_DATA or into",
        "letters/letters.tar.gz\n",
        "letters/good/* and letters/bad/*",
        "load_letters",
        "Download: https://example.org/letters\n",
        "Terms: for research.",
    ):
        assert part in text
    assert "not set" not in text


def test_the_error_says_that_the_variable_is_not_set(folders, monkeypatch):
    monkeypatch.delenv("LABELFERRY_DATA")
    with pytest.raises(CorpusNotFound, match=r"into \$LABELFERRY_DATA \(not set\) or into"):
        cache.find(SOURCE)


def test_a_corpus_without_a_checksum_is_not_downloaded(folders):
    with pytest.raises(CorpusNotFound, match="It is not downloaded"):
        cache.find(SOURCE, download=True)


def test_user_cache(monkeypatch, tmp_path):
    monkeypatch.delenv("LABELFERRY_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.user_cache() == tmp_path / "labelferry"
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.user_cache() == tmp_path / ".cache" / "labelferry"
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path / "own"))
    assert cache.user_cache() == tmp_path / "own"


CUT = b"half a letter"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Print nothing."""

    def do_GET(self):
        if self.path.startswith("/cut"):  # announce more bytes than are sent, and close the connection
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.write(CUT)
        else:
            super().do_GET()


@pytest.fixture
def served(tmp_path):
    """A folder, and its address on this machine."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_download(folders, served, monkeypatch):
    folder, address = served
    content = bytes(range(256)) * 5000
    put(folder, content=content)
    source = SOURCE._replace(url=f"{address}/letters.tar.gz", sha256=hashlib.sha256(content).hexdigest())
    with pytest.raises(CorpusNotFound):
        cache.find(source, fetch=cache.fetch_url)  # not allowed
    path = cache.find(source, download=True, fetch=cache.fetch_url)
    assert path == folders["cache"] / "letters" / "letters.tar.gz"
    assert path.read_bytes() == content
    assert files(folders["cache"]) == [path]
    monkeypatch.setattr("pooch.HTTPDownloader", lambda *_, **__: pytest.fail("downloaded again"))
    assert cache.find(source, download=True, fetch=cache.fetch_url) == path


def test_a_wrong_checksum_leaves_nothing(folders, served):
    folder, address = served
    put(folder, content=CUT)
    source = SOURCE._replace(url=f"{address}/letters.tar.gz", sha256="0" * 64)
    with pytest.raises(ValueError, match=r"sha256 \w{64}, not 0000") as caught:
        cache.find(source, download=True, fetch=cache.fetch_url)
    assert hashlib.sha256(CUT).hexdigest() in str(caught.value)
    assert files(folders["cache"]) == []


@pytest.mark.parametrize("name", ["missing.tar.gz", "cut/letters.tar.gz"])  # no file, or half of one
def test_a_failed_download_names_the_place_and_leaves_nothing(folders, served, name):
    source = SOURCE._replace(url=f"{served[1]}/{name}", sha256="0" * 64)
    with pytest.raises(CorpusNotFound, match="failed") as caught:
        cache.find(source, download=True, fetch=cache.fetch_url)
    assert "letters/letters.tar.gz" in str(caught.value)
    assert files(folders["cache"]) == []


def test_an_interrupted_file_leaves_nothing_and_keeps_the_previous_one(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path / "cache"))
    path = cache.cache_path(SOURCE)
    with open_atomic(path) as file:
        file.write(b"previous")

    def interrupt():
        with open_atomic(path) as file:
            file.write(b"ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert path.read_bytes() == b"previous"
    assert files(tmp_path) == [path]
