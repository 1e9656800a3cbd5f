"""The pages' templates. Whatever is put into one is escaped."""

from __future__ import annotations

from collections.abc import Callable

from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined


def new_environment(
    filters: dict[str, Callable[..., str]], undefined: type[Undefined] = StrictUndefined
) -> Environment:
    """What a page is made with: its own filters, and what it does with a value that is not there."""
    environment = Environment(
        loader=PackageLoader("labelferry.report", "templates"),
        autoescape=True,
        undefined=undefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment
