"""Run the server: the address, the URL for people, and a clean end."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import uvicorn

from ..job.job import Job
from .app import new_app
from .connections import Connections, LimitedSocket, OncePerError
from .guard import LOOPBACK_NAMES, is_address
from .guide import Part
from .passwords import VARIABLE, Password
from .sessions import Sessions
from .site import Site

LAST_SECONDS = 3  # for requests that run when the server ends


@dataclass(frozen=True)
class Address:
    """Where the server listens."""

    host: str = "127.0.0.1"  # name or IP address of this computer
    port: int = 0  # 0 is a free port
    certfile: Path | None = None  # for TLS
    keyfile: Path | None = None
    names: Sequence[str] = ()  # other names of this computer by which browsers reach it

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this computer can connect."""
        return self.host == "localhost" or (is_address(self.host) and ip_address(self.host).is_loopback)

    @property
    def scheme(self) -> str:
        """The scheme, http or https."""
        return "https" if self.certfile is not None else "http"

    def check(self, password: str | None) -> None:
        """Raise ValueError for settings that are not safe or not complete."""
        if (self.certfile is None) != (self.keyfile is None):
            raise ValueError("--certfile and --keyfile belong together. Give both, or neither.")
        if self.certfile is not None and self.keyfile is not None:
            check_tls_files(self.certfile, self.keyfile)
        if not self.is_loopback and password is None:
            raise ValueError(
                f"--host {self.host} lets other computers connect, so a password is needed: write it to a file and "
                f"give --password-file, or set {VARIABLE}."
            )

    def warning(self) -> str:
        """What a person should know before others connect; empty if nothing."""
        if self.is_loopback or self.certfile is not None:
            return ""
        return (
            "without TLS, everybody on the network can read the password and the documents. "
            "Give --certfile and --keyfile."
        )

    def all_names(self) -> list[str]:
        """Host names that requests may use."""
        own = [] if self.is_loopback else [socket.gethostname(), socket.getfqdn()]
        return [*LOOPBACK_NAMES, self.host, *own, *self.names]


def check_tls_files(certfile: Path, keyfile: Path) -> None:
    """Raise ValueError, with the names of the files, unless they are a certificate and its key."""
    for option, path in (("--certfile", certfile), ("--keyfile", keyfile)):
        try:
            path.open("rb").close()
        except OSError as error:
            raise ValueError(f"cannot read {option} {path}: {error.strerror}. Check the path.") from None

    def no_password() -> str:
        raise ValueError(
            f"--keyfile {keyfile} needs a password. Give a key without one: openssl pkey -in KEY -out NEW."
        )

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certfile, keyfile, no_password)
    except ssl.SSLError as error:
        what = (error.reason or "unknown").replace("_", " ").lower()
        raise ValueError(
            f"--certfile {certfile} and --keyfile {keyfile} are no certificate in PEM form and its key ({what}). Give "
            "the files of one certificate."
        ) from None


def open_address(address: Address) -> socket.socket:
    """Open the socket, so that the port is known before the server runs.

    Parameters
    ----------
    address : Address
        Where to listen.

    Returns
    -------
    sock : socket
        A listening socket.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family, backlog=128)
    except OSError as error:
        raise ValueError(f"cannot listen on {address.host} port {address.port}: {error.strerror or error}.") from None


def serve(
    job: Job,
    name: str,
    address: Address = Address(),
    *,
    reviewer: str = "",
    password: str | None = None,
    guide: Sequence[Part] = (),
    announce: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve the review page of a job until it is interrupted.

    Parameters
    ----------
    job : Job
        The job.
    name : str
        Name of the job for people.
    address : Address, default=Address()
        Where to listen.
    reviewer : str, default=""
        Name of the person; if it is empty, the page requests it.
    password : str or None, default=None
        Browsers need it instead of the token.
    guide : sequence of Part, default=()
        Guidelines beside the questions.
    announce : callable
        Called with the URL as soon as the port is open.
    """
    address.check(password)
    sock = open_address(address)
    port = sock.getsockname()[1]
    site = Site(
        job,
        name,
        Sessions(reviewer),
        password=None if password is None else Password(password),
        base=base_url(address, port),
        cookie=f"labelferry-{port}",
        secure=address.certfile is not None,
        guide=list(guide),
    )
    is_open_text = not address.is_loopback and address.certfile is None
    app = new_app(
        site,
        address.all_names(),
        any_address=not address.is_loopback,
        # Without TLS browsers send no Sec-Fetch-Site to other computers, so Origin must be there.
        referrer_policy="same-origin" if is_open_text else "no-referrer",
    )
    connections = Connections()
    config = uvicorn.Config(
        connections.watched(app),
        loop="asyncio",  # it accepts connections by the method of the socket
        http="h11",
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=LAST_SECONDS,
        ssl_certfile=address.certfile,
        ssl_keyfile=address.keyfile,
    )
    once = OncePerError()
    for log in ("uvicorn.error", "asyncio"):
        logging.getLogger(log).addFilter(once)
    with LimitedSocket.of(sock, connections) as limited:
        try:
            announce(site.link())
            asyncio.run(run(uvicorn.Server(config), limited, connections))
        except KeyboardInterrupt:  # uvicorn repeats Ctrl-C after its clean end
            sys.stdout.flush()


async def run(server: uvicorn.Server, sock: socket.socket, connections: Connections) -> None:
    """Run a server until it is interrupted."""
    watching = asyncio.create_task(connections.watch())
    try:
        await server.serve(sockets=[sock])
    finally:
        watching.cancel()


def base_url(address: Address, port: int) -> str:
    """Scheme, host and port by which browsers reach the server."""
    host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(address.host, address.host)
    shown = f"[{host}]" if ":" in host else host
    return f"{address.scheme}://{shown}:{port}"
