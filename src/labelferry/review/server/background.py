"""Work beside the requests: the certificate of the answers so far, and learning from them."""

from __future__ import annotations

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Any, NamedTuple

from ...certificate.interval import percent
from ..job.job import Job

WAIT = 0.02  # seconds that a page waits for a certificate before it shows the previous one
PAUSE = 0.1  # seconds before a slow certificate is computed, so that the page of the answer is sent first
log = logging.getLogger(__name__)


class Shown(NamedTuple):
    """A certificate for a page."""

    certificate: dict[str, Any] | None  # None before the first one is computed, or if it could not be computed
    is_current: bool  # whether it contains all answers


class LiveCertificate:
    """The certificate, computed again after each change in one worker thread.

    Changes are seen in the store, so answers that another process adds count too.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="certificate")
        self._lock = Lock()
        self._computed: tuple[int, int] | None = None  # version of the last certificate
        self._last: dict[str, Any] | None = None
        self._running: Future[None] | None = None
        self._seconds = 0.0  # that the last certificate took

    def version(self) -> tuple[int, int]:
        """What the certificate depends on: the labels and the answers."""
        return self._job.store.fits.last(), len(self._job.log.history())

    def show(self, wait: float = WAIT) -> Shown:
        """The current certificate if it is ready within `wait` seconds, else the previous one."""
        deadline = time.monotonic() + wait
        version = self.version()
        while True:
            with self._lock:
                if self._computed is not None and self._computed >= version:
                    return Shown(self._last, True)
                if self._running is None or self._running.done():
                    self._running = self._worker.submit(self._compute)
                running = self._running
                if wait <= WAIT < self._seconds:  # it will not be ready
                    return Shown(self._last, False)
            try:
                running.result(max(0.0, deadline - time.monotonic()))
            except NotYet:
                return Shown(self._last, False)

    def _compute(self) -> None:
        if self._seconds > WAIT:
            time.sleep(PAUSE)
        version, began = self.version(), time.monotonic()
        try:
            certificate = self._job.certificate().as_dict()
        except Exception:  # a bug; answers are more important than the certificate
            log.exception("the certificate could not be computed")
            certificate = None
        with self._lock:
            self._last, self._computed = certificate, version
            self._seconds = time.monotonic() - began


@dataclass(frozen=True)
class RefitState:
    """What happens with the labels."""

    status: str = "idle"  # or "running", "done", "failed"
    seconds: float = 0.0  # since the start, or for the whole work
    result: dict[str, Any] | None = None  # the summary of the fit
    error: str = ""  # the message, if it failed

    @property
    def lines(self) -> list[str]:
        """The result in sentences."""
        result = self.result or {}
        before, after = result.get("accuracy_before"), result.get("accuracy_after")
        changed = result.get("changed", 0)
        what = "1 label" if changed == 1 else f"{changed:,} labels"
        lines = [f"Learned from {result.get('answers', 0):,} answers. {what} changed."]
        if before is not None and after is not None:
            change = f"{percent(before)} before, {percent(after)} now"
            lines.append(f"Tested on these documents, each without its own answer: {change}.")
        return lines

    @property
    def warning(self) -> str:
        """Whether the labels may have become worse, in a sentence; empty if not."""
        return str((self.result or {}).get("warning", ""))


class Refit:
    """Learning from the answers in a thread, one at a time."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._lock = Lock()
        self._state = RefitState()
        self._began = 0.0

    @property
    def state(self) -> RefitState:
        """The current state."""
        with self._lock:
            if self._state.status == "running":
                return RefitState("running", time.monotonic() - self._began)
            return self._state

    def start(self) -> bool:
        """Start; False if it runs already."""
        with self._lock:
            if self._state.status == "running":
                return False
            self._state, self._began = RefitState("running"), time.monotonic()
        Thread(target=self._run, name="refit", daemon=True).start()
        return True

    def _run(self) -> None:
        try:
            result, status, error = dict(self._job.refit()), "done", ""
        except ValueError as problem:
            result, status, error = None, "failed", str(problem)
        except Exception as problem:  # a bug: the log has the details, the page says that it failed
            log.exception("learning from the answers failed")
            result, status, error = None, "failed", f"{type(problem).__name__}: see the terminal."
        with self._lock:
            self._state = RefitState(status, time.monotonic() - self._began, result, error)
