"""Texts on a page: shortened, or in pieces with the words behind a label. All are plain; the template escapes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from ..tables.invisible import is_normal, with_places

MAX_SEARCHED = 100_000  # characters of a text in which words are marked
MAX_WORDS = 50  # words that are marked
MAX_TOKENS = 6  # tokens of a sequence of words
MAX_TOKEN = 100  # characters of a token
SEPARATOR = r"\W{1,5}"  # between the tokens of a sequence; bounded, so that the time of a search is linear
ENDING = r"\w{0,40}"  # after a stem


class Piece(NamedTuple):
    """A part of a text."""

    text: str  # the characters, unchanged
    is_evidence: bool  # whether it is one of the words behind the label


def clip(text: str, length: int) -> str:
    """Shorten a text to this length, with an ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def pieces(text: str, words: Iterable[str]) -> list[Piece]:
    """Split a text at the given words, in upper or lower case.

    A word that does not occur as a whole is a stem, and matches the words that begin with it. Words are found in the
    normal form of the text, in which they were counted, and the pieces are those of the text as it is.

    >>> [piece.text for piece in pieces("The invoice is wrong.", ["invoice"]) if piece.is_evidence]
    ['invoice']
    """
    begin, rest = text[:MAX_SEARCHED], text[MAX_SEARCHED:]
    searched, places = (begin, range(len(begin) + 1)) if is_normal(begin) else with_places(begin)
    longest_first = sorted(islice(words, MAX_WORDS), key=len, reverse=True)
    patterns = [pattern for word in longest_first if (pattern := word_pattern(word, searched))]
    if not patterns or not searched:
        return [Piece(text, False)] if text else []
    parts = re.split(f"({'|'.join(patterns)})", searched, flags=re.IGNORECASE)
    ends = [0, *accumulate(map(len, parts))]
    marked = [
        Piece(begin[places[start] : places[stop]], i % 2 == 1)
        for i, (start, stop) in enumerate(pairwise(ends))
        if start < stop
    ]
    return [*marked, Piece(rest, False)] if rest else marked


def word_pattern(word: str, text: str) -> str:
    """A pattern for a word, or for the words that begin with it if it does not occur as a whole.

    Every token contains a letter or digit, which no separator matches: there is one way to match a token after another.
    """
    tokens = [re.escape(token) for token in word.split() if any(c.isalnum() for c in token)]
    if not tokens or len(tokens) > MAX_TOKENS or max(map(len, tokens)) > MAX_TOKEN:
        return ""
    whole = r"(?<!\w)" + SEPARATOR.join(tokens) + r"(?!\w)"
    if re.search(whole, text, flags=re.IGNORECASE):
        return whole
    return r"(?<!\w)" + (ENDING + SEPARATOR).join(tokens) + ENDING
