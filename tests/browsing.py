"""A review server as a process of its own, and Chromium to use it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import labelferry

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SOURCE = str(Path(labelferry.__file__).parents[1])


@contextmanager
def starting(*default: str) -> Iterator[Callable[..., Server]]:
    """A function that starts a server with options, or with the default ones. All of them end with the block."""
    servers: list[Server] = []

    def start(path: Path, *options: str) -> Server:
        servers.append(Server(path, *(options or default)))
        return servers[-1]

    try:
        yield start
    finally:
        for server in servers:
            server.end(signal.SIGKILL)


class Server:
    """`labelferry review` on a free port.

    Parameters
    ----------
    path : Path
        The job.
    *options : str
        Options of the command.
    """

    def __init__(self, path: Path, *options: str) -> None:
        command = [sys.executable, "-m", "labelferry", "review", str(path), "--no-browser", *options]
        environment = {**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("Review: "):
            raise RuntimeError(f"no URL: {line}{self.process.communicate()}")
        self._printed = line.split()[1]
        self.base = self._printed.partition("/enter")[0].rstrip("/")
        self._opener: urllib.request.OpenerDirector | None = None

    @property
    def url(self) -> str:
        """A URL that nobody has opened; with a password, the address of the page."""
        if "token=" not in self._printed:
            return self._printed
        if self._opener is None:
            tls = urllib.request.HTTPSHandler(context=ssl._create_unverified_context())
            self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(), tls)
            self._opener.open(self._printed).close()
        csrf = re.search(r'name="csrf" value="([^"]+)"', self._read("/reviewer"))
        assert csrf is not None
        link = re.search(r'value="([^"]+/enter[^"]+)"', self._read("/link", {"csrf": csrf[1]}))
        assert link is not None
        return link[1]

    def _read(self, path: str, form: dict[str, str] | None = None) -> str:
        """A page, in a browser of the server's own."""
        assert self._opener is not None
        body = None if form is None else urllib.parse.urlencode(form).encode()
        request = urllib.request.Request(self.base + path, body, {"Origin": self.base})
        with self._opener.open(request) as response:
            return str(response.read().decode())

    def end(self, how: int = signal.SIGINT) -> int:
        """Send a signal and wait; returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.communicate(timeout=20)
        return self.process.returncode


class Person:
    """A browser window with what happens in it.

    Parameters
    ----------
    browser : Browser
        Chromium of playwright.
    server : Server
        The server; its URL is opened.
    width : int, default=1400
        Width of the window.
    **settings : Any
        Other settings of the window.
    """

    def __init__(self, browser: Any, server: Server, width: int = 1400, **settings: Any) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        self.page, self.events = self.context.new_page(), []
        self.page.on("console", lambda message: self.events.append(f"console {message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.events.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.events.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self._check(request.url, server.base))
        self.page.goto(server.url)

    def _check(self, url: str, base: str) -> None:
        if not url.startswith(base):
            self.events.append(f"request: {url}")

    @property
    def document(self) -> int:
        """Number of the document that is shown."""
        return int(self.page.locator("#question").get_attribute("data-document"))

    @property
    def message(self) -> str:
        """What the page announced last."""
        return str(self.page.locator("#message").text_content())

    def press(self, key: str) -> int:
        """Answer the question that is shown with a key, and wait for the next one; returns the document."""
        document = self.document
        self.page.keyboard.press(key)
        self.page.wait_for_selector(f"#question:not([data-document='{document}'])", timeout=15_000)
        return document
