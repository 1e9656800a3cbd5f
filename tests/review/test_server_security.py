"""Who may use the review page, and what it sends: tokens, hosts, origins, forms, headers, passwords, hostile texts."""

import re

import pytest
from typer.testing import CliRunner

from ..review_jobs import hostile_texts, write_job

TestClient = pytest.importorskip("starlette.testclient", reason="needs starlette and httpx").TestClient

from labelferry.cli import app as cli  # noqa: E402
from labelferry.review.job.job import open_job  # noqa: E402
from labelferry.review.server import Address, Site, new_app, read_password  # noqa: E402
from labelferry.review.server.guard import MAX_BODY, host_name, is_same_origin  # noqa: E402
from labelferry.review.server.passwords import MAX_FAILURES, WINDOW, Attempts, Password  # noqa: E402
from labelferry.review.server.sessions import MAX_TOKENS, Sessions, Tokens  # noqa: E402
from labelferry.review.store.engine import database_url, shown_name  # noqa: E402

BASE = "http://127.0.0.1:8000"
SAME = {"Origin": BASE}


@pytest.fixture
def stranger(site):
    return TestClient(new_app(site), base_url=BASE)


@pytest.fixture
def client(site, stranger):
    """A browser with access."""
    assert stranger.get("/enter", params={"token": site.tokens.new()}).status_code == 200
    return stranger


def csrf(client):
    return re.search(r'name="csrf" value="([^"]+)"', client.get("/questions/audit").text)[1]


def fields(client, **changes):
    form = {"csrf": csrf(client), "document": "0", "purpose": "audit", "choice": "label:billing", "shown": ""}
    return {**form, **changes}


def test_the_token_becomes_a_cookie_and_leaves_the_url(site, stranger):
    token = site.tokens.new()
    response = stranger.get("/enter", params={"token": token}, follow_redirects=False)
    assert response.status_code == 303
    assert response.headers["location"] == "/"
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert token.lower() not in cookie
    assert token not in stranger.get("/").text


def test_a_token_works_once(site, stranger):
    token = site.tokens.new()
    assert stranger.head("/enter", params={"token": token}).status_code == 401  # a preview does not use it up
    assert stranger.get("/enter", params={"token": token}).status_code == 200
    second = TestClient(new_app(site), base_url=BASE)
    assert second.get("/enter", params={"token": token}).status_code == 401
    assert not second.cookies
    assert stranger.get("/enter", params={"token": token}).status_code == 200  # the same browser, with its cookie


def test_a_link_for_another_browser(site, client):
    assert client.post("/link", data={"csrf": "wrong"}, headers=SAME).status_code == 403
    page = client.post("/link", data={"csrf": csrf(client)}, headers=SAME).text
    link = re.search(r'value="(/enter[^"]+)"', page)[1]
    other = TestClient(new_app(site), base_url=BASE)
    assert other.post("/link", headers=SAME).status_code == 401
    assert other.get(link).status_code == 200
    assert TestClient(new_app(site), base_url=BASE).get(link).status_code == 401


def test_unused_links_are_limited():
    tokens = Tokens()
    first, *others = [tokens.new() for _ in range(MAX_TOKENS + 1)]
    assert not tokens.use(first)
    assert all(tokens.use(token) for token in others)
    assert not tokens.use(others[0])


@pytest.mark.parametrize("token", ["", "wrong", "ä", "\x00"])
def test_a_wrong_token_is_refused(stranger, token):
    assert stranger.get("/enter", params={"token": token}).status_code == 401
    assert not stranger.cookies
    assert stranger.get("/questions/audit").status_code == 401


@pytest.mark.parametrize(
    "path", ["/", "/questions/audit", "/documents/0", "/list", "/history", "/export", "/export/labelled.csv", "/refit"]
)
def test_without_a_cookie_nothing_is_shown(stranger, path):
    response = stranger.get(path)
    assert response.status_code == 401
    assert "invoice" not in response.text


@pytest.mark.parametrize("path", ["/answer", "/skip", "/undo", "/blind", "/list", "/refit", "/reviewer", "/logout"])
def test_without_a_cookie_nothing_is_written(stranger, job, path):
    form = {"csrf": "x", "document": "0", "choice": "label:billing", "purpose": "audit", "reviewer": "Eve"}
    assert stranger.post(path, data=form, headers=SAME).status_code == 401
    assert job.history() == []


@pytest.mark.parametrize("path", ["/answer", "/skip", "/undo", "/blind", "/list", "/refit", "/reviewer"])
@pytest.mark.parametrize("token", [None, "", "wrong"])
def test_a_form_needs_its_token(client, job, path, token):
    form = fields(client, csrf=token)
    if token is None:
        del form["csrf"]
    response = client.post(path, data=form, headers=SAME)
    assert response.status_code == 403
    assert job.history() == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "https://127.0.0.1:8000"},
        {"Origin": "http://127.0.0.1:9000"},
        {"Origin": "http://localhost:8000"},
        {"Origin": "null"},
        {"Origin": BASE, "Sec-Fetch-Site": "cross-site"},
        {"Origin": BASE, "Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {},
    ],
)
def test_a_write_from_another_origin_is_refused(client, job, headers):
    assert client.post("/answer", data=fields(client), headers=headers).status_code == 403
    assert job.history() == []


@pytest.mark.parametrize(
    "headers", [SAME, {"Sec-Fetch-Site": "same-origin"}, {**SAME, "Sec-Fetch-Site": "same-origin"}]
)
def test_a_write_from_the_page_is_stored(client, job, headers):
    headers = {"Origin": "null", **headers} if "Origin" not in headers else headers
    response = client.post("/answer", data=fields(client), headers=headers, follow_redirects=False)
    assert response.status_code == 303
    assert [(row.document, row.answer, row.reviewer) for row in job.history()] == [(0, "billing", "Ada")]


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "10.0.0.5:8000", "", "127.0.0.1@evil", "[::1"],
)
def test_another_host_is_refused(client, host):
    response = client.get("/questions/audit", headers={"Host": host})
    assert response.status_code == 421
    assert "Which label" not in response.text


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST", "[::1]:8000", "localhost:9999"])
def test_names_of_this_computer_are_hosts(client, host):
    assert client.get("/static/base.css", headers={"Host": host}).status_code == 200


def test_host_names_without_ports():
    assert host_name("[::1]:80") == "::1"
    assert host_name("a.example:80") == "a.example"
    for malformed in ("a/b", "a?b", "u@a", "a:port", "[::1"):
        assert host_name(malformed) is None


def test_a_missing_origin_needs_the_fetch_header():
    assert is_same_origin({"host": "a", "sec-fetch-site": "same-origin"}, "http")
    assert not is_same_origin({"host": "a"}, "http")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/questions/audit", 200),
        ("/list", 200),
        ("/history", 200),
        ("/export", 200),
        ("/export/labelled.csv", 200),
        ("/static/review.js", 200),
        ("/static/../app.py", 404),
        ("/static/secret", 404),
        ("/nowhere", 404),
        ("/questions/nothing", 400),
        ("/documents/99999999", 400),
        ("/documents/-1", 400),
        ("/documents/abc", 400),
        ("/export/labelled.exe", 400),
        ("/list?page=0&label=none&sort=bad&state=bad", 200),
    ],
)
def test_every_response_has_the_headers(client, path, status):
    response = client.get(path)
    assert response.status_code == status
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["x-frame-options"] == "DENY"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["cache-control"] == "no-store"


def test_a_bug_shows_no_details(site, client, monkeypatch):
    monkeypatch.setattr(site.job.questions, "queues", lambda: 1 / 0)
    quiet = TestClient(new_app(site), base_url=BASE, raise_server_exceptions=False, cookies=dict(client.cookies))
    response = quiet.get("/questions/audit")
    assert response.status_code == 500
    assert "division" not in response.text
    assert response.headers["content-security-policy"]


def test_pages_have_no_inline_script_or_style(client):
    client.post("/answer", data=fields(client), headers=SAME)
    for path in ("/questions/audit", "/documents/3", "/list", "/history", "/export", "/reviewer"):
        page = client.get(path).text
        assert re.findall(r"<script[^>]*>", page) == ['<script src="/static/review.js" defer>']
        assert not re.search(r"<style|\sstyle=|\son\w+=", page)
        assert not re.search(r"https?://", page)


def test_large_bodies_are_refused(client, job):
    form = fields(client, note="x" * MAX_BODY)
    assert client.post("/answer", data=form, headers=SAME).status_code == 413
    body = iter([b"csrf=", *[b"x" * 65536] * 5])  # without a length
    headers = {**SAME, "Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/answer", content=body, headers=headers).status_code == 413
    assert job.history() == []


def test_files_are_refused(client, job):
    response = client.post("/answer", data=fields(client), files={"file": b"x"}, headers=SAME)
    assert response.status_code == 403
    assert job.history() == []


@pytest.mark.parametrize(
    "changes",
    [
        {"choice": "label:unknown"},
        {"choice": "undo"},
        {"choice": ""},
        {"document": "-1"},
        {"document": "99999999"},
        {"document": "1e3"},
        {"document": "٣"},
        {"purpose": "other"},
    ],
)
def test_wrong_values_are_refused(client, job, changes):
    assert client.post("/answer", data=fields(client, **changes), headers=SAME).status_code == 400
    assert job.history() == []


@pytest.mark.parametrize(
    "back", ["https://evil.example", "//evil.example", "/\\evil.example", "/list/../x", "/listing"]
)
def test_a_form_cannot_lead_to_another_site(client, back):
    response = client.post("/answer", data=fields(client, back=back), headers=SAME, follow_redirects=False)
    assert response.headers["location"] == "/questions/audit"


def test_texts_are_shown_as_text(tmp_path):
    texts = hostile_texts()
    classes = ["<b onclick=alert(6)>technical</b>", "x" * 120, '"><script>alert(8)</script>']
    write_job(tmp_path / "job.ferry", texts, classes)
    with open_job(tmp_path / "job.ferry") as job:
        site = Site(job, "<script>alert(9)</script>.ferry", Sessions("<i>Eve</i>"))
        client = TestClient(new_app(site), base_url=BASE)
        client.get("/enter", params={"token": site.tokens.new()})
        for document in range(len(texts)):
            form = fields(client, document=str(document), choice=f"label:{classes[document % 3]}")
            page = client.post("/answer", data=form, headers=SAME).text
            pages = [page, client.get(f"/documents/{document}").text]
            for page in [*pages, client.get("/list").text, client.get("/history").text]:
                assert "<script>alert" not in page
                assert not re.search(r"<(img|svg onload|b |i>|textarea)", page)
                assert len(re.findall("<script", page)) == 1
        search = client.get("/list", params={"search": '"><script>alert(1)</script>'}).text
        assert "<script>alert" not in search


def test_a_network_address_needs_a_password():
    with pytest.raises(ValueError, match="password"):
        Address("0.0.0.0").check(None)
    with pytest.raises(ValueError, match="belong together"):
        Address(certfile="a.pem").check(None)
    Address("0.0.0.0").check("long enough")
    assert "TLS" in Address("0.0.0.0").warning()
    for host in ("127.0.0.1", "localhost", "::1", "127.0.0.2"):
        assert Address(host).is_loopback
        assert not Address(host).warning()
    for host in ("0.0.0.0", "192.168.1.5", "::", "example.org", "localhost.evil.example"):
        assert not Address(host).is_loopback


def test_passwords_come_from_a_file_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("LABELFERRY_PASSWORD", raising=False)
    assert read_password(None) is None
    path = tmp_path / "password"
    path.write_text("correct horse\nsecond line\n")
    assert read_password(path) == "correct horse"
    monkeypatch.setenv("LABELFERRY_PASSWORD", "from the environment")
    assert read_password(None) == "from the environment"
    path.write_text("short\n")
    with pytest.raises(ValueError, match="5 characters"):
        read_password(path)


def test_password_page(job):
    site = Site(job, "job.ferry", Sessions("Ada"), password=Password("correct horse"))
    client = TestClient(new_app(site, any_address=True), base_url=BASE)
    assert client.get("/").url.path == "/login"
    assert client.get("/enter", params={"token": site.tokens.new()}).url.path == "/login"  # the token is not enough
    assert client.post("/login", data={"password": "correct horse"}).status_code == 403  # no origin
    assert client.post("/login", data={"password": "wrong"}, headers=SAME).status_code == 401
    assert client.post("/login", data={"password": "correct horse"}, headers=SAME).url.path == "/questions/accept"
    assert client.get("/list", headers={"Host": "192.168.1.5:8000"}).status_code != 421
    assert client.get("/list", headers={"Host": "evil.example"}).status_code == 421


def test_wrong_passwords_are_limited(job):
    site = Site(job, "job.ferry", Sessions("Ada"), password=Password("correct horse"))
    client = TestClient(new_app(site), base_url=BASE)
    codes = [client.post("/login", data={"password": "wrong"}, headers=SAME).status_code for _ in range(MAX_FAILURES)]
    assert codes == [401] * MAX_FAILURES
    assert client.post("/login", data={"password": "correct horse"}, headers=SAME).status_code == 429


def test_attempts_are_forgotten_after_a_minute():
    now = [0.0]
    attempts = Attempts(lambda: now[0])
    assert all(attempts.reserve("a") for _ in range(MAX_FAILURES))
    assert not attempts.reserve("a")
    assert attempts.reserve("b")
    now[0] = WINDOW
    assert attempts.reserve("a")


def test_a_password_is_not_kept():
    password = Password("correct horse")
    assert password.matches("correct horse")
    assert not password.matches("correct horsf")
    assert not password.matches("x" * 5000)
    assert "horse" not in repr(vars(password))


def test_the_page_shows_no_password_of_the_database(job, monkeypatch):
    names = []
    job.store.name = shown_name(database_url("postgresql://ann:pw@host/tickets?password=secret"))
    monkeypatch.setattr("labelferry.review.job.job.open_job", lambda place: job)
    monkeypatch.setattr("labelferry.review.server.serve", lambda job, name, *_, **__: names.append(name))
    place = "postgresql://ann:pw@host/tickets?password=secret"
    assert CliRunner().invoke(cli, ["review", place, "--no-browser"]).exit_code == 0
    assert names == ["tickets"]


def test_sessions_end(client):
    assert client.post("/logout", data={"csrf": csrf(client)}, headers=SAME).status_code == 200
    assert client.get("/list").status_code == 401


def test_sessions_end_after_a_time():
    now = [0.0]
    sessions = Sessions("Ada", clock=lambda: now[0])
    idle, busy = sessions.start(), sessions.start()
    for _ in range(13):
        now[0] += 3600
        assert sessions.find(busy) is not None
    assert sessions.find(idle) is None
    for _ in range(7 * 24):
        now[0] += 3600
        sessions.find(busy)
    assert sessions.find(busy) is None
    assert sessions.find("") is None
