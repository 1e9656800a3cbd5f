"""What a search has found, in sentences for people: functions of the plain values of `Find.as_dict`."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor
from typing import Any

from ...certificate.expected import rough
from ...certificate.interval import count, percent

Values = Mapping[str, Any]
ASSUMED = "Assumed: the answers are right."
MUCH = 0.85  # share of the file from which a sentence calls it most of the file


def sentences(values: Values) -> list[str]:
    """What was found, whether the goal is reached, what to expect, unclear answers, what is assumed."""
    lines = [claim(values), goal(values), *expected(values), unclear(values), ASSUMED if values["n_read"] else ""]
    return [line for line in lines if line]


def claim(values: Values) -> str:
    """What was found, and what is certain about the rest."""
    name, n, n_read = values["class"], values["n"], values["n_read"]
    if not n_read:
        return (
            f"Find all of class {name}: {count(n, 'document')}, by the labels about "
            f"{rough(round(values['expected_class'])):,} of this class. Nothing was read yet."
        )
    begin = f"Found: {values['n_found']:,} of class {name} in {n_read:,} of {count(n, 'document')} that were read."
    if values["at_most"] == values["n_found"]:
        return f"{begin} {'These are all.' if n_read == n else f'{sure(values)} these are all.'}"
    if not values["n_found"]:
        return f"{begin} {sure(values)} the file has at most {values['at_most']:,}."
    return (
        f"{begin} {sure(values)} these are at least {percent(values['recall_at_least'], floor)} of all: the file has "
        f"at most {values['at_most']:,}."
    )


def sure(values: Values) -> str:
    """The confidence."""
    return f"With {100 * values['level']:g}% confidence,"


def goal(values: Values) -> str:
    """Whether people may stop."""
    wanted, left = percent(values["recall"]), values["n"] - values["n_read"]
    if values["done"]:
        rest = f"{count(left, 'document')} ({percent(left / values['n'], floor)} of the file) need not be read."
        return f"The goal of {wanted} is reached: you may stop. {rest}" if left else f"The goal of {wanted} is reached."
    if not left:
        return f"The goal of {wanted} cannot be reached: everything was read."
    return ""


def expected(values: Values) -> list[str]:
    """How many documents people will have to read."""
    n, plans = values["n"], values["plans"]
    if not plans or values["n_read"] == n:
        return []
    parts = []
    for plan in plans:
        if plan["n_read"] > values["n_read"]:
            parts.append(f"{plan['n_read']:,} ({percent(plan['n_read'] / n)}) for {percent(plan['recall'])}")
    if not parts:
        return []
    lines = [f"Documents to read in all, an estimate and no promise: {', '.join(parts)}."]
    aim = next(plan for plan in plans if plan["recall"] == values["recall"])
    if aim["n_read"] > MUCH * n:
        why = "few documents of the class" if values["n_found"] < 100 else "a class that is hard to tell apart"
        lines.append(f"That is most of the file: with {why}, an exact statement needs it. A lower --recall needs less.")
    return lines


def unclear(values: Values) -> str:
    """What became of unclear answers."""
    n = values["n_unclear"]
    if not n:
        return ""
    return f"Unclear: {count(n, 'answer')}. They count as documents of the class that are not found."
