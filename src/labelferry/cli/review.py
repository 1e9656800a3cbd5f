"""`labelferry review`: a page to check labels, with a certificate that every answer makes narrower."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .show import printable


@app.command()
def review(
    job: Annotated[str, typer.Argument(metavar="JOB", help="The file of `labelferry label --store`, or its URL.")],
    reviewer: Annotated[str, typer.Option(help="Your name, for the log of answers (default: the page asks).")] = "",
    guide: Annotated[Path | None, typer.Option(help="Text file with guidelines, shown beside the questions.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 is a free port.")] = 0,
    host: Annotated[
        str, typer.Option(help="Address of this computer. Other than the loopback address needs a password.")
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name of this computer that browsers may use; repeatable.")
    ] = None,
    password_file: Annotated[
        Path | None, typer.Option(help="File with the password (or set LABELFERRY_PASSWORD).")
    ] = None,
    certfile: Annotated[Path | None, typer.Option(help="Certificate for TLS.")] = None,
    keyfile: Annotated[Path | None, typer.Option(help="Key of the certificate.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Review labels on a page in the browser.

    The page shows one document at a time and a certificate of the labels that every answer makes narrower. Only this
    computer can open it, with the printed URL. Every answer is stored before it is confirmed; Ctrl-C loses nothing.
    """
    from ..review.job.job import open_job

    try:
        from ..review.server import Address, read_guide, read_password, serve
    except ImportError as error:
        raise ValueError(
            f"the review page needs {error.name}: pip install '.[review]' in a clone of labelferry."
        ) from None

    address = Address(host, port, certfile, keyfile, tuple(allow_host or ()))
    password = read_password(password_file)
    address.check(password)
    if reviewer and not address.is_loopback:
        raise ValueError(
            f"--reviewer {reviewer} with --host {host} would give the answers of everybody this name. Omit --reviewer: "
            "the page asks each person."
        )
    parts = [] if guide is None else read_guide(guide)
    if warning := address.warning():
        typer.echo(f"labelferry: {printable(warning)}", err=True)
    opened = open_job(job)

    def announce(url: str) -> None:
        typer.echo(f"Review: {printable(url)}")
        if password is None:
            typer.echo("The URL works once. For another browser: your name on the page, New link; or start again.")
        typer.echo("Ctrl-C ends the server; all answers are in the job.")
        if not no_browser:
            open_browser(url)

    name = Path(opened.store.name).name
    serve(opened, name, address, reviewer=reviewer, password=password, guide=parts, announce=announce)


def open_browser(url: str) -> None:
    """Open the page in a thread: the server answers as soon as it runs."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
