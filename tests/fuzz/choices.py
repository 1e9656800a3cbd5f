"""Decisions that are read from bytes, so that a fuzzer that changes the bytes changes the decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")

TEXTS = (  # that programs stumble over
    *("", " ", "\n", "\t", "\x00", "\x1b[2J", "\x1b]0;title\x07", "\x7f", "\x9b31m", "\u202eabc", "\ufeff", "\ud800"),
    *("a\nb", "a\r\nb", '"', "'", "a,b", "a;b", "=1+1", "@x", "-", "--", "NULL", "nan", "NaN", "inf", "None", "true"),
    *(
        "1",
        "-1",
        "1.0",
        "1e400",
        "0x10",
        "9" * 400,
        "2" * 30,
        "ä",
        "ß",
        "日本語",
        "😀",
        "e\u0301",
        "<b>&amp;",
        "[red]x[/]",
    ),
    *("{}", "[]", "../x", "/", "%s", "{0}", "a" * 3000, "$(ls)", "label", "text", "confidence", "label_before"),
)
NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 1e-320, 1e-300, 1e-160, 1e-20, 1e20, 1e100, 1e154, 1e200, 1e308, -1e308),
    *(float("nan"), float("inf"), float("-inf"), 2.0**53, 2.0**63, 1 / 3),
)
JSON_VALUES = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**70, 0.5, 1e308, float("nan"), float("inf"), "", "x", "\x1b[2J", []),
    *(
        [None],
        [[]],
        [0],
        ["x"],
        {},
        {"kind": "array", "key": "array0"},
        {"kind": "csr"},
        {"kind": "tuple", "items": []},
    ),
    *({"kind": "state", "fields": {}}, {"kind": "objects", "items": [{}]}, "(a+)+$", [1] * 1000),
)


class Choices:
    """Decisions from bytes; after the last byte every decision is the first option.

    Parameters
    ----------
    data : bytes
        The bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1."""
        size = 1 if n <= 256 else 4
        part = self.data[self.position : self.position + size]
        self.position += size
        return int.from_bytes(part, "little") % n

    def flag(self, one_in: int = 2) -> bool:
        """True once in so many times."""
        return self.below(one_in) == one_in - 1

    def pick(self, options: Sequence[Item]) -> Item:
        """One of the options."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[Item], most: int) -> list[Item]:
        """Up to `most` options, possibly repeated."""
        return [self.pick(options) for _ in range(self.below(most + 1))]

    def text(self) -> str:
        """A text that programs stumble over, or a few letters of any kind."""
        if not self.flag(4):
            return self.pick(TEXTS)
        return self.take(self.below(12)).decode("utf-8", "replace")

    def take(self, n: int) -> bytes:
        """The next bytes."""
        part = self.data[self.position : self.position + n]
        self.position += n
        return part

    def rest(self) -> bytes:
        """All bytes that are left."""
        return self.take(len(self.data))

    @property
    def is_over(self) -> bool:
        """Whether all bytes are used."""
        return self.position >= len(self.data)
