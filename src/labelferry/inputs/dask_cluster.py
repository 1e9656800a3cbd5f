"""The Dask cluster of a workflow: what can run on it, and the connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.classifier import TransductiveClassifier
from ..core.documents import check_takes_blocks
from ..linalg.backends import Backend
from ..linalg.dask_blocks import DaskBackend, check_installed, close_client, connect
from .options import TextOptions


def check_dask(cluster: Any, estimator: TransductiveClassifier, options: TextOptions) -> None:
    """Raise an error, before anything is read, if this cannot run on a cluster; `cluster` may be None."""
    if cluster is None:
        return
    check_installed()
    for name in ("features", "embed"):
        if getattr(options, name) is not None:
            raise ValueError(
                f"dask (--dask) counts the words of texts, and {name} (--{name}) replaces the words. Omit one of them."
            )
    check_takes_blocks(estimator, "dask (--dask) keeps the documents in blocks on workers", "Omit dask (--dask)")


@contextmanager
def dask_backend(cluster: Any) -> Iterator[Backend | None]:
    """The backend of a cluster: a client, an address or "local"; None for None. What was opened here is closed."""
    if cluster is None:
        yield None
        return
    client = connect(cluster)
    try:
        yield DaskBackend(client)
    finally:
        if client is not cluster:
            close_client(client)
