"""Passwords for a page that other computers can reach: a slow hash, and a limit on failed attempts."""

from __future__ import annotations

import hashlib
import hmac
import os
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Lock

VARIABLE = "LABELFERRY_PASSWORD"
MIN_LENGTH = 8
MAX_LENGTH = 1024
WINDOW = 60.0  # seconds
MAX_FAILURES = 5  # per address and window
MAX_FAILURES_TOTAL = 50  # of all addresses


def read_password(path: Path | None) -> str | None:
    """Read the password from a file, or else from the environment variable LABELFERRY_PASSWORD.

    Parameters
    ----------
    path : Path or None
        A text file; its first line is the password.

    Returns
    -------
    password : str or None
        None if neither exists.
    """
    if path is None:
        password = os.environ.get(VARIABLE)
    else:
        password = next(iter(path.read_text(encoding="utf-8").splitlines()), "")
    if password is not None and not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        place = str(path) if path is not None else VARIABLE
        raise ValueError(f"the password in {place} has {len(password)} characters; it needs {MIN_LENGTH} or more.")
    return password


class Password:
    """A password as a salted scrypt hash. The password itself is not kept."""

    def __init__(self, password: str) -> None:
        self._salt = os.urandom(16)
        self._hash = self._hashed(password)

    def __repr__(self) -> str:
        return "Password(...)"

    def _hashed(self, password: str) -> bytes:
        return hashlib.scrypt(password.encode("utf-8", "replace"), salt=self._salt, n=2**14, r=8, p=1)

    def matches(self, password: str) -> bool:
        """Whether this is the password, compared in constant time."""
        return len(password) <= MAX_LENGTH and hmac.compare_digest(self._hash, self._hashed(password))


class Attempts:
    """Failed attempts of the last minute, by address; `clock` returns the time in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: deque[tuple[float, str]] = deque()
        self._lock = Lock()

    def reserve(self, address: str) -> bool:
        """Count an attempt of this address. False if it has to wait.

        An attempt counts before its password is compared, so that parallel requests cannot exceed the limit.
        """
        with self._lock:
            now = self._clock()
            while self._failures and self._failures[0][0] <= now - WINDOW:
                self._failures.popleft()
            own = sum(failed == address for _, failed in self._failures)
            if own >= MAX_FAILURES or len(self._failures) >= MAX_FAILURES_TOTAL:
                return False
            self._failures.append((now, address))
            return True

    def clear(self, address: str) -> None:
        """Forget the attempts of an address, after a correct password."""
        with self._lock:
            self._failures = deque(entry for entry in self._failures if entry[1] != address)
