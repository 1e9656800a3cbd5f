"""The templates of the pages. All values are escaped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined


def new_environment(
    filters: dict[str, Callable[..., Any]], undefined: type[Undefined] = StrictUndefined
) -> Environment:
    """Make the jinja environment of a page.

    Parameters
    ----------
    filters : dict of str to callable
        The filters that the template uses.
    undefined : type of Undefined, default=StrictUndefined
        How the template handles missing values.

    Returns
    -------
    environment : Environment
        It loads the templates of this package.
    """
    environment = Environment(
        loader=PackageLoader("labelferry.report", "templates"),
        autoescape=True,
        undefined=undefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment
