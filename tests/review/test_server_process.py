"""`labelferry review` as a process: its end, addresses, passwords and TLS. Those that wait long are system tests."""

import resource
import shutil
import signal
import socket
import subprocess
import time

import pytest
from typer.testing import CliRunner

from labelferry import cli

from ..browsing import starting
from ..review_jobs import write_job

httpx = pytest.importorskip("httpx", reason="needs httpx")
pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'labelferry[review]'")
pytestmark = pytest.mark.slow

from labelferry.review.server.connections import FEWEST, REQUEST_SECONDS, RESERVED  # noqa: E402


@pytest.fixture
def job(tmp_path):
    path = tmp_path / "job.ferry"
    write_job(path)
    return path


@pytest.fixture
def start():
    with starting() as start:
        yield start


def test_interrupt_ends_cleanly(job, start):
    server = start(job)
    assert httpx.get(server.url, follow_redirects=True).status_code == 200
    assert server.end(signal.SIGINT) == 0


@pytest.fixture
def refusal(monkeypatch):
    """The one line with which the command refuses to start, in this process."""
    monkeypatch.setattr("uvicorn.Server.serve", lambda *_, **__: pytest.fail("the server was started"))

    def refusal(path, *options):
        result = CliRunner().invoke(cli.app, ["review", str(path), "--no-browser", *options])
        assert result.exit_code == 2, result.output
        (line,) = result.stderr.splitlines()
        return line

    return refusal


def test_a_network_address_without_a_password_is_refused(job, refusal, monkeypatch):
    monkeypatch.delenv("LABELFERRY_PASSWORD", raising=False)
    assert "a password is needed" in refusal(job, "--host", "0.0.0.0")


def test_a_network_address_with_one_name_for_all_is_refused(job, refusal, monkeypatch):
    monkeypatch.setenv("LABELFERRY_PASSWORD", "correct horse")
    assert "the page asks each person" in refusal(job, "--host", "0.0.0.0", "--reviewer", "Ada")


def test_a_network_address_with_a_password(job, start, tmp_path):
    (tmp_path / "password").write_text("correct horse\n")
    server = start(job, "--host", "0.0.0.0", "--password-file", str(tmp_path / "password"))
    assert "token" not in server.url
    base = f"http://127.0.0.1:{server.url.rpartition(':')[2].strip('/')}"
    with httpx.Client(base_url=base, headers={"Origin": base}, follow_redirects=True) as client:
        assert client.get("/").url.path == "/login"
        assert client.post("/login", data={"password": "wrong horse"}).status_code == 401
        assert client.post("/login", data={"password": "correct horse"}).url.path == "/reviewer"
        assert client.get("/list").headers["referrer-policy"] == "same-origin"
        assert client.get("/", headers={"Host": "evil.example"}).status_code == 421
    server.process.send_signal(signal.SIGINT)
    _, errors = server.process.communicate(timeout=20)
    assert "without TLS" in errors
    assert "horse" not in errors


@pytest.mark.system
def test_tls(job, start, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    )
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    server = start(job, "--certfile", str(certificate), "--keyfile", str(key), "--reviewer", "Ada")
    assert server.url.startswith("https://127.0.0.1:")
    with httpx.Client(verify=False, follow_redirects=True) as client:
        response = client.get(server.url)
        assert response.status_code == 200
        assert "secure" in response.history[0].headers["set-cookie"].lower()


def test_a_port_in_use_is_an_error_in_one_line(job, refusal):
    with socket.create_server(("127.0.0.1", 0)) as other:
        assert "cannot listen on 127.0.0.1" in refusal(job, "--port", str(other.getsockname()[1]))


def test_a_missing_job_is_an_error_in_one_line(tmp_path, refusal):
    assert refusal(tmp_path / "missing.ferry").startswith("labelferry: ")


@pytest.mark.system
def test_idle_connections_cannot_keep_a_browser_out(job, start):
    """More connections than files may be open, none of which sends anything; then slow headers."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, limits[1]))
    try:
        server = start(job, "--reviewer", "Ada")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    url, address = server.url, server.base.removeprefix("http://").split(":")
    idle = [socket.create_connection((address[0], int(address[1]))) for _ in range(150)]
    for i, sock in enumerate(idle):
        if i % 2:
            sock.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
    assert httpx.get(url, follow_redirects=True, timeout=10).status_code == 200
    more = [socket.create_connection((address[0], int(address[1]))) for _ in range(150)]
    assert httpx.get(server.base, timeout=10).status_code == 401  # the page for a browser without a link
    server.process.send_signal(signal.SIGINT)
    _, errors = server.process.communicate(timeout=30)
    assert len(errors) < 10_000, errors[:2000]
    assert server.process.returncode == 0
    for sock in (*idle, *more):
        sock.close()


FORM = "Content-Type: application/x-www-form-urlencoded"
SLOW = {  # requests that the server cannot finish
    "body": "POST /login HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\n" + FORM + "\r\nContent-Length: 9\r\n\r\nx",
    "reader": "GET /static/review.js HTTP/1.1\r\nHost: {0}\r\n\r\n" * 1000,
}


@pytest.mark.system
@pytest.mark.parametrize("what", SLOW)
def test_slow_bodies_and_readers_cannot_keep_a_browser_out(job, start, what, monkeypatch):
    """As many connections as are allowed, each with a request that the server cannot finish."""
    monkeypatch.setenv("LABELFERRY_PASSWORD", "correct horse")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (RESERVED + FEWEST, limits[1]))
    try:
        server = start(job)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    name = server.base.removeprefix("http://")
    host, port = name.split(":")
    slow = []
    for _ in range(FEWEST):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect((host, int(port)))
        sock.setblocking(False)
        sock.send(SLOW[what].format(name).encode())
        slow.append(sock)
    time.sleep(4)
    assert httpx.get(server.base, timeout=10).status_code == 303
    for sock in slow:
        sock.close()


@pytest.mark.system
def test_a_slow_download_is_complete(tmp_path, start):
    """It takes longer than a connection may wait for its first request, and the server has sent all of it before."""
    write_job(tmp_path / "job.ferry", [f"word{i} " * 2000 for i in range(1000)])
    server = start(tmp_path / "job.ferry", "--reviewer", "Ada")
    with httpx.Client(follow_redirects=True) as client:
        client.get(server.url)
        complete = client.get(f"{server.base}/export/labelled.csv", timeout=60).content
        cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    host, port = server.base.removeprefix("http://").split(":")
    head = f"GET /export/labelled.csv HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookies}\r\nConnection: close\r\n\r\n"
    parts, began = [], time.monotonic()
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        sock.connect((host, int(port)))
        sock.sendall(head.encode())
        while part := sock.recv(1 << 20):
            parts.append(part)
            wait = REQUEST_SECONDS + 4 - (time.monotonic() - began)
            time.sleep(min(0.2, max(0.0, wait)))
    assert time.monotonic() - began > REQUEST_SECONDS + 3
    assert b"".join(parts).partition(b"\r\n\r\n")[2] == complete


def test_a_request_with_two_lengths_ends_the_connection(job, start):
    """A proxy that believes the other length would take the second request for a part of the first."""
    server = start(job)
    name = server.base.removeprefix("http://")
    host, port = name.split(":")
    second = f"GET /static/review.js HTTP/1.1\r\nHost: {name}\r\n\r\n"
    lengths = "Content-Length: 6\r\nTransfer-Encoding: chunked"
    with socket.create_connection((host, int(port)), timeout=10) as sock:
        sock.sendall(f"POST /login HTTP/1.1\r\nHost: {name}\r\n{lengths}\r\n\r\n0\r\n\r\n{second}".encode())
        received = b"".join(iter(lambda: sock.recv(1 << 16), b""))
    assert received.startswith(b"HTTP/1.1 400 ")
    assert received.count(b"HTTP/1.1 ") == 1


@pytest.mark.system
@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHo"])
def test_a_connection_that_sends_no_request_is_closed(job, start, sent):
    server = start(job)
    host, port = server.base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=REQUEST_SECONDS + 10) as sock:
        sock.sendall(sent)
        began = time.monotonic()
        assert sock.recv(100) == b""
        assert REQUEST_SECONDS - 1 < time.monotonic() - began < REQUEST_SECONDS + 8


@pytest.mark.system
def test_interrupt_with_open_requests_is_silent(job, start):
    server = start(job)
    host, port = server.base.removeprefix("http://").split(":")
    slow = [socket.create_connection((host, int(port))) for _ in range(20)]
    for sock in slow:
        head = f"POST /login HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: {server.base}\r\nContent-Length: 1000\r\n"
        sock.sendall(f"{head}Content-Type: application/x-www-form-urlencoded\r\n\r\npass".encode())
    assert httpx.get(server.base).status_code == 401  # the slow ones have begun
    server.process.send_signal(signal.SIGINT)
    _, errors = server.process.communicate(timeout=30)
    assert "Traceback" not in errors
    assert len(errors) < 1000
    assert server.process.returncode == 0
    for sock in slow:
        sock.close()


def test_tls_files_are_checked_before_the_address_is_printed(job, tmp_path, refusal):
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    files = ("--certfile", str(certificate), "--keyfile", str(key))
    assert refusal(job, *files).startswith(f"labelferry: cannot read --certfile {certificate}: No such file")
    certificate.write_text("no certificate")
    key.write_text("no key")
    assert f"{certificate} and --keyfile {key} are no certificate" in refusal(job, *files)


@pytest.mark.system
def test_the_password_of_the_environment_counts_on_the_loopback_address(job, start, monkeypatch):
    monkeypatch.setenv("LABELFERRY_PASSWORD", "correct horse")
    server = start(job)
    assert "token" not in server.url
    with httpx.Client(base_url=server.base, headers={"Origin": server.base}, follow_redirects=True) as client:
        assert client.get("/").url.path == "/login"
        assert client.post("/login", data={"password": "correct horse"}).url.path == "/reviewer"
