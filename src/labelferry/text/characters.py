"""Features of texts without spaces between words: character n-grams of such runs, words of all other parts.

"我的 iPhone 很好" has the features 我的, 很好 and iphone. One analyzer does both, so that texts of mixed scripts need
no decision.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .detect import UNSEGMENTED

IDEOGRAPHS, LETTERS = (1, 2), (2, 3)  # characters of an n-gram, of Chinese and Japanese and of all other scripts
FIRST_IDEOGRAPH = "\u3000"
_RUNS = re.compile(f"([{UNSEGMENTED}]+)")
_SIGNS = "".join(chr(c) for c in range(0x0E00, 0x1800) if unicodedata.category(chr(c)) in ("Mn", "Mc"))
_CHARACTERS = re.compile(f".[{_SIGNS}]*")  # with the vowel signs and tones of Thai and others


@dataclass(frozen=True)
class MixedAnalyzer:
    """An analyzer for scikit-learn: character n-grams of runs without spaces, n-grams of all other words."""

    pattern: str  # regular expression of a word
    ngrams: int  # largest number of words in a sequence
    stop_words: tuple[str, ...]  # words to skip. They do not apply to characters

    def __call__(self, text: str) -> list[str]:
        return list(self._features(unicodedata.normalize("NFC", text).lower()))

    @cached_property
    def _skipped(self) -> frozenset[str]:
        return frozenset(self.stop_words)

    def _features(self, text: str) -> Iterator[str]:
        for i, part in enumerate(_RUNS.split(text)):  # parts with an odd number are runs
            if i % 2:
                characters = _CHARACTERS.findall(part)
                for size in LETTERS if part < FIRST_IDEOGRAPH else IDEOGRAPHS:
                    for start in range(len(characters) - size + 1):
                        yield "".join(characters[start : start + size])
            elif part:
                words = [word for word in re.findall(self.pattern, part) if word not in self._skipped]
                for size in range(1, self.ngrams + 1):
                    for start in range(len(words) - size + 1):
                        yield " ".join(words[start : start + size])
