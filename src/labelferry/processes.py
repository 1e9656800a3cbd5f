"""Worker processes that end with the process that started them, however that ends.

Idle workers of joblib wait for minutes for the next task, also if the process that started them was killed.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joblib import Parallel

SECONDS = 1.0  # between two looks at the parent


def parallel(**settings: Any) -> Parallel:
    """joblib's `Parallel` whose workers end if this process has ended."""
    from joblib import Parallel

    return Parallel(**settings, backend="loky", initializer=end_with, initargs=(os.getpid(),))


def end_with(parent: int) -> None:
    """End this process soon after its parent, which has this id."""
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # a process whose parent has ended gets another one, except on Windows
        time.sleep(SECONDS)
    os._exit(1)
