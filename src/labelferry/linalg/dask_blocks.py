"""Blocks on a Dask cluster: the only file that imports Dask.

The tasks of a pass are one message to the scheduler. Blocks in files are opened by the tasks that visit them, one task
per thread, which gets what all visits of the pass share (a factor of the matrix): workers keep no state. Other blocks
are results of tasks, which Dask computes again if they are lost. Each is visited by a task of its own; what these share
is a task too, so that Dask makes it again if the worker that has it dies. Scattered data would be lost.

Sums have the order of `TreeSum`: groups of blocks are summed on workers, the sums of the groups by the client. So the
result is the same, bit by bit, as that of threads on the same blocks.
"""

from __future__ import annotations

import logging
import reprlib
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import current_process, resource_tracker
from threading import Lock
from typing import TYPE_CHECKING, Any

import scipy.sparse as sp

from .backends import Backend, Call, Sums, Visit, as_is, tree_sum

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from distributed import Client, LocalCluster

_GROUP = 16  # results of tasks that are joined on a worker; a power of two
_PACKAGE = "labelferry"
_TIMEOUT = 10  # seconds to find a scheduler, or a worker
_CONFIG = Lock()  # the configuration of Dask is that of all threads


class DaskBackend:
    """Blocks are visited by the workers of a Dask cluster.

    `client`: the client of the cluster. Make it with `connect`, which checks the workers.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.address: str = client.scheduler_info()["address"]
        self.n_threads = max(1, sum(client.nthreads().values()))

    def __repr__(self) -> str:
        return f"DaskBackend({self.address!r})"

    def map_reduce(self, function: Callable[..., Visit], calls: Sequence[Call], shared: Any) -> tuple[list[Any], Sums]:
        """See `Backend`."""
        n = len(calls)
        if all(hasattr(call.block, "open") for call in calls):  # every worker can visit every block: a task per thread
            size = _power_of_two(n // self.n_threads)
            parts = [calls[i : i + size] for i in range(0, n, size)]
            groups = self._submit(visit_group, [function] * len(parts), parts, [shared] * len(parts))
        else:
            common = self._submit(as_is, [shared])[0]
            visits = self._submit(function, *map(list, zip(*calls, strict=True)), [common] * n)
            groups = self._submit(join, [visits[i : i + _GROUP] for i in range(0, n, _GROUP)])
        rows, sums = join(self._gather(groups))
        return [row for group in rows for row in group], sums

    def keep(self, function: Callable[..., Any], calls: Iterable[Call], shared: Any) -> list[Any]:
        """See `Backend`. The blocks stay on the workers; an error of one of them is raised here."""
        common = self._submit(as_is, [shared])[0]
        blocks = [  # a message for each: only one part of the texts is in memory here
            self._submit(function, *([part] for part in call), [common])[0] for call in calls
        ]
        self._gather(self._submit(_nothing, blocks))
        return blocks

    def place(self, blocks: Sequence[Any]) -> list[Any]:
        """CSR arrays become results of tasks; their data is kept by the scheduler too, so only for small matrices."""
        return [self._submit(as_is, [b])[0] if sp.issparse(b) else b for b in blocks]

    def _submit(self, function: Callable[..., Any], *arguments: list[Any]) -> list[Any]:
        """One task per item of the arguments; one message to the scheduler, which costs as much as several tasks."""
        from dask import config

        if self.client.status != "running":
            raise _lost(self.address)
        # Rows of factors are meant to move: no advice about large messages.
        with _CONFIG, config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            futures: list[Any] = self.client.map(function, *arguments, pure=False)
            return futures

    def _gather(self, futures: list[Any]) -> list[Any]:
        from distributed.client import ClosedClientError
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker

        try:
            results: list[Any] = self.client.gather(futures)
        except (CancelledError, ClosedClientError, CommClosedError):
            raise _lost(self.address) from None
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"on a Dask worker {error} All workers need it under this name. Otherwise omit dask (--dask), or pass "
                "a CSV file."
            ) from None
        except KilledWorker as error:
            raise OSError(
                f"several workers died while they visited one block ({error}). They probably need more memory: use "
                "fewer threads per worker, or write smaller blocks (block_rows)."
            ) from None
        return results


def _lost(address: str) -> OSError:
    return OSError(
        f"the connection to the Dask scheduler {address} was lost or closed. Start the scheduler if it has ended, and "
        "fit again with a new connection."
    )


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


def connect(address: str | Client, *, n_workers: int = 2) -> Client:
    """The client of a Dask cluster whose workers have labelferry."""
    # `address`: address of the scheduler, such as "tcp://10.0.0.1:8786"; "local" for processes on this machine, with
    # one thread each, which end with the client; or a client.
    check_installed()
    from distributed import Client
    from distributed.comm import get_address_host_port

    if isinstance(address, Client):
        check_workers(address)
        return address
    if not (isinstance(address, str) and address):
        raise ValueError(
            "a Dask cluster is 'local', the address of a scheduler such as 'tcp://10.0.0.1:8786', or a "
            f"distributed.Client; got {type(address).__name__} {reprlib.repr(address)}."
        )
    if address == "local":
        client = Client(_local_cluster(n_workers), direct_to_workers=True)  # results do not pass the scheduler
    else:
        try:
            if not address.startswith("inproc:"):  # these have no port
                get_address_host_port(address)  # a client with a wrong address would need 20 seconds to close
            client = Client(address, timeout=_TIMEOUT)
        except (OSError, ValueError, TypeError) as error:
            raise OSError(
                f"no Dask scheduler answers at {address} ({type(error).__name__}). Start one with `dask scheduler` and "
                "workers with `dask worker`, or use local workers: 'local'."
            ) from None
    try:
        check_workers(client)
    except BaseException:
        close_client(client)
        raise
    return client


def _local_cluster(n_workers: int) -> LocalCluster:
    """Worker processes on this machine, which write no log: their errors are raised by the client."""
    from distributed import LocalCluster

    if getattr(current_process(), "_inheriting", False):  # a worker runs the user's script again, up to this call
        raise SystemExit(1)  # without a word: the process that waits for it says why
    here = "127.0.0.1"
    try:
        with _without_interrupts():
            return LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                host=here,
                dashboard_address=f"{here}:0",  # None would listen on all addresses
                worker_dashboard_address=f"{here}:0",
                silence_logs=logging.CRITICAL,
            )
    except RuntimeError:
        raise OSError(
            "local Dask workers could not start. In a script, put the call below: if __name__ == '__main__':"
        ) from None


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Threads and processes that are started inside never get Ctrl-C, which the main thread of this process handles."""
    # If it is pressed inside, it takes effect afterwards.
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def check_installed() -> None:
    """Raise a ValueError if Dask is not installed."""
    if find_spec("distributed") is None:
        raise ValueError("Dask is not installed. Install it: pip install '.[dask]' in a clone of labelferry")


def close_client(client: Client) -> None:
    """Close a client, and its cluster if it is local."""
    cluster, loop = client.cluster, client.loop.asyncio_loop
    before = loop.get_exception_handler()
    loop.set_exception_handler(_report)
    try:
        client.close()
        if cluster is not None:
            cluster.close()
    finally:
        loop.set_exception_handler(before)


def _report(loop: AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report an error of the event loop, but not that results are missing which nobody awaits after Ctrl-C."""
    from distributed.client import AllExit

    if not isinstance(context.get("exception"), AllExit):
        loop.default_exception_handler(context)


def check_workers(client: Client) -> None:
    """Raise an error if the client is closed, if there is no worker, or one without labelferry."""
    if client.status != "running":
        raise OSError(f"the Dask client is {client.status}, not running. Make a new one: distributed.Client(ADDRESS).")
    try:
        client.wait_for_workers(1, timeout=_TIMEOUT)
    except TimeoutError:
        raise ValueError(
            f"the Dask scheduler {client.scheduler_info()['address']} has no workers. Start one: dask worker ADDRESS"
        ) from None
    found = client.run(find_spec, _PACKAGE)  # a function that every Python has
    without = sorted(worker for worker, spec in found.items() if spec is None)
    if without:
        raise ValueError(
            f"{len(without)} of {len(found)} Dask workers have no {_PACKAGE}, the first is {without[0]}. Install the "
            "version of this machine there: pip install . in a clone of labelferry"
        )


def _nothing(block: Any) -> None:
    """Waits for a block without moving it."""


def visit_group(function: Callable[..., Visit], calls: Sequence[Call], shared: Any) -> tuple[list[Any], Sums]:
    """Several visits in one task."""
    return join([function(*call, shared) for call in calls])


def _power_of_two(n: int) -> int:
    """The largest power of two that is at most n, or 1: groups of that size keep the order of `TreeSum`."""
    return 1 << max(n.bit_length() - 1, 0)


def join(results: Sequence[Visit]) -> tuple[list[Any], Sums]:
    """What belongs to the rows of each block, and the sums."""
    return [rows for rows, _ in results], tree_sum(sums for _, sums in results)
