"""All tables and tasks by name, from `labelferry_bench.papers.tables`: `TASKS["gcmf/rec vs sci"].load(seed=0)`."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from . import tables
from .table import Table
from .task import Loaded, Task

__all__ = ["TABLES", "TASKS", "Loaded", "Table", "Task", "table_of", "tasks_here", "tasks_of"]


def _find_tables() -> dict[str, Table]:
    """Import every file of `labelferry_bench.papers.tables` and sort the tables by position."""
    modules = [import_module(f"{tables.__name__}.{module.name}") for module in pkgutil.iter_modules(tables.__path__)]
    ordered: list[Table] = sorted((module.TABLE for module in modules), key=lambda table: (table.position, table.name))
    return {table.name: table for table in ordered}


TABLES = _find_tables()
TASKS: dict[str, Task] = {task.name: task for table in TABLES.values() for task in table.tasks}


def table_of(name: str) -> Table:
    """Return the table of that name."""
    if name not in TABLES:
        raise ValueError(f"table must be one of {', '.join(TABLES)}; got {name!r}.")
    return TABLES[name]


def tasks_of(table: str) -> list[str]:
    """List the names of the tasks of a table, in its order."""
    return [task.name for task in table_of(table).tasks]


def tasks_here(table: str) -> list[str]:
    """List the tasks of a table whose corpora are on this machine."""
    return [name for name in tasks_of(table) if TASKS[name].missing() is None]
