"""What the user fixes of the text settings. The command line reads it without the packages that count words."""

from __future__ import annotations

from typing import NamedTuple

AUTO = "auto"


class TextRequest(NamedTuple):
    """Settings that the user fixes; None and "auto" are chosen."""

    language: str | None = AUTO
    ngrams: int | None = None
    analyzer: str = AUTO
    sublinear: bool | None = None
    min_documents: int | None = None
    stem: bool = False
