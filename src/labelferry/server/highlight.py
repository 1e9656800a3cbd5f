"""The words behind a label, found in the text. The result is plain pieces of text; the template escapes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Piece(NamedTuple):
    """A part of a text.

    Attributes
    ----------
    text : str
        The characters, unchanged.
    is_evidence : bool
        Whether it is one of the words behind the label.
    """

    text: str
    is_evidence: bool


def pieces(text: str, words: Iterable[str]) -> list[Piece]:
    """Split a text at the given words, in upper or lower case.

    A word that does not occur as a whole is a stem, and matches the words that begin with it.

    Parameters
    ----------
    text : str
        The document.
    words : iterable of str
        Words, stems, or sequences of words with spaces.

    Returns
    -------
    pieces : list of Piece
        Together they are the text.

    Examples
    --------
    >>> [piece.text for piece in pieces("The invoice is wrong.", ["invoice"]) if piece.is_evidence]
    ['invoice']
    """
    patterns = [pattern for word in sorted(words, key=len, reverse=True) if (pattern := word_pattern(word, text))]
    if not patterns:
        return [Piece(text, False)] if text else []
    parts = re.split(f"({'|'.join(patterns)})", text, flags=re.IGNORECASE)
    return [Piece(part, i % 2 == 1) for i, part in enumerate(parts) if part]


def word_pattern(word: str, text: str) -> str:
    """A pattern for a word, or for the words that begin with it if it does not occur as a whole."""
    tokens = [re.escape(token) for token in word.split()]
    if not tokens:
        return ""
    whole = r"(?<!\w)" + r"\W+".join(tokens) + r"(?!\w)"
    if re.search(whole, text, flags=re.IGNORECASE):
        return whole
    return r"(?<!\w)" + r"\w*\W+".join(tokens) + r"\w*"
