"""A real PostgreSQL server for tests: Debian's package, in a temporary folder, on a free loopback port."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "postgres"  # the server refuses to run as root


def find_programs() -> Path | None:
    """The folder with initdb and pg_ctl, None if it is missing."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if (on_path := shutil.which("pg_ctl")) is not None:
        folders.append(Path(on_path).parent)
    return next((folder for folder in reversed(folders) if (folder / "initdb").exists()), None)


def reason_to_skip() -> str | None:
    """Why there can be no server here, None if there can be one."""
    if find_programs() is None:
        return "needs a PostgreSQL server: apt-get install postgresql"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam(USER)
        except KeyError:
            return f"the PostgreSQL server refuses to run as root, and there is no user {USER}"
    return None


@contextmanager
def postgres_server() -> Iterator[str]:
    """URL of a running server, without a database name. The server is stopped and its files are removed at the end."""
    programs = find_programs()
    assert programs is not None
    folder = tempfile.mkdtemp(prefix="labelferry-postgres-")
    as_user = []
    if os.geteuid() == 0:
        shutil.chown(folder, USER)
        as_user = [shutil.which("runuser", path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or "runuser", "-u", USER, "--"]
    data = f"{folder}/data"
    port = free_port()

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=120)

    run(str(programs / "initdb"), "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
    options = f"-h 127.0.0.1 -p {port} -k {folder}"
    run(str(programs / "pg_ctl"), "-D", data, "-l", f"{folder}/log", "-o", options, "-w", "start")
    try:
        yield f"postgresql://{USER}@127.0.0.1:{port}"
    finally:
        run(str(programs / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])
