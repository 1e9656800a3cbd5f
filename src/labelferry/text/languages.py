"""Stop words and stems.

English stop words are scikit-learn's. Those of other languages come from the package `stop-words`: BSD licence,
maintained, 59 kB, and its lists hold function words, where longer collections also have nouns and adjectives that tell
topics apart. It is an extra, since English needs nothing. Stems are Snowball's, by PyStemmer.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import Any

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

ENGLISH = ("english", "en")
_stemmers = threading.local()  # a stemmer must not be used by two threads


def stop_words(language: str | None, pattern: str) -> str | list[str] | None:
    """What scikit-learn takes for `stop_words`; where a word is split by the pattern, its parts are stop words too."""
    if language is None:
        return None
    if language.lower() in ENGLISH:
        return "english"
    try:
        import stop_words as lists
    except ImportError:
        raise ValueError(
            f"stop words of language={language!r} need a package: pip install 'labelferry[languages]'. "
            "Or pass stop_words= with a list of your own, or language=None."
        ) from None
    try:
        words = lists.get_stop_words(language.lower())
    except lists.StopWordError:
        known = ", ".join(sorted(lists.AVAILABLE_LANGUAGES))
        raise ValueError(
            f"language={language!r} has no stop words; languages that have: {known}. "
            "Pass stop_words= with a list of your own, or language=None."
        ) from None
    return sorted({part for word in words for part in re.findall(pattern, word.lower())})


@dataclass(frozen=True)
class Stems:
    """A tokenizer: the stems of the words that fit the pattern and are no stop words."""

    language: str
    pattern: str
    stop_words: frozenset[str]

    @classmethod
    def of(cls, language: str, pattern: str, words: Any) -> Stems:
        words = ENGLISH_STOP_WORDS if words == "english" else words or ()
        stems = cls(language.lower(), pattern, frozenset(words))
        stemmer(stems.language)  # a language without stems, or a missing package, is told now and not in `fit`
        return stems

    def __call__(self, text: str) -> list[str]:
        words = [word for word in re.findall(self.pattern, text) if word not in self.stop_words]
        return stemmer(self.language).stemWords(words)


def stemmer(language: str) -> Any:
    """This thread's stemmer of the language."""
    known = _stemmers.__dict__
    if language not in known:
        try:
            import Stemmer
        except ImportError:
            raise ValueError("stem=True needs PyStemmer: pip install 'labelferry[stemming]'.") from None
        try:
            known[language] = Stemmer.Stemmer(language)
        except KeyError:
            names = ", ".join(Stemmer.algorithms())
            raise ValueError(
                f"language={language!r} has no stems; languages that have: {names}. Pass stem=False."
            ) from None
    return known[language]
