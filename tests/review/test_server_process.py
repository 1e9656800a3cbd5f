"""`labelferry review` as a process: its end, addresses, passwords and TLS."""

import shutil
import signal
import socket
import subprocess

import pytest
from typer.testing import CliRunner

from labelferry import cli

from ..browsing import starting
from ..review_jobs import write_job

httpx = pytest.importorskip("httpx", reason="needs httpx")
pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'labelferry[review]'")
pytestmark = pytest.mark.slow


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
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: pytest.fail("the server was started"))

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
