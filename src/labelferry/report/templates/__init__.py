"""The templates of the pages. All values are escaped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined


def new_environment(
    filters: dict[str, Callable[..., Any]],
    undefined: type[Undefined] = StrictUndefined,
    package: str = "labelferry.report",
) -> Environment:
    """The jinja environment of a page, with the templates of `package`."""
    environment = Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=undefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment
