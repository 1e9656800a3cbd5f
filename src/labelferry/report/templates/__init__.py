"""The pages' templates. Whatever is put into one is escaped."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


def percent(share: float | None, sign: bool = False) -> str:
    return "" if share is None else f"{100 * share:{'+' if sign else ''}.1f}"


@cache
def template(name: str) -> Template:
    loader = PackageLoader("labelferry.report", "templates")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["percent"] = percent
    return environment.get_template(name)
