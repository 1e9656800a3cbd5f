"""Text settings, and the candidates that are left to choose from what the user fixes and what is detected."""

from __future__ import annotations

from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from .detect import Language
from .languages import has_stop_words, language_or_none, stop_words
from .request import AUTO, TextRequest
from .vectorize import LETTERS, WITH_MARKS, tfidf_vectorizer

ANALYZERS = (AUTO, "words", "characters")
MIN_DOCUMENTS = 2
NOT_VECTORIZER = ("marks", "detected")  # settings that are no parameters of the vectorizer


class TextSettings(NamedTuple):
    """All settings of the vectorizer."""

    language: str | None = None  # of the stop words
    ngrams: int = 1
    analyzer: str = "words"
    sublinear: bool = True
    min_documents: int = MIN_DOCUMENTS
    stem: bool = False
    marks: bool = False  # whether vowel signs are parts of words
    detected: str | None = None  # language of the documents; its stop words are counted or not, but never shown

    @property
    def pattern(self) -> str:
        """Regular expression of a word."""
        return WITH_MARKS if self.marks else LETTERS

    def vectorizer(self, **more: Any) -> TfidfVectorizer:
        """The vectorizer, not yet fitted; `more` are parameters of `tfidf_vectorizer`."""
        settings = {name: value for name, value in self._asdict().items() if name not in NOT_VECTORIZER}
        return tfidf_vectorizer(**settings, token_pattern=self.pattern, **more)

    def shown(self, words: np.ndarray) -> np.ndarray:
        """Which of the words are shown to people as typical: not those that consist of stop words."""
        language = self.language or self.detected
        stop = frozenset(stop_words(language, self.pattern) or ())
        return np.array([not stop.issuperset(word.split(" ")) for word in words], dtype=bool)

    def describe(self) -> str:
        """The settings in words."""
        if self.analyzer == "characters":
            units = "n-grams of characters"
        else:
            units = {1: "words", 2: "words and pairs of words"}.get(
                self.ngrams, f"sequences of 1 to {self.ngrams} words"
            )
            if self.analyzer == "mixed":
                units = f"n-grams of characters; {units} where there are spaces"
        stop = f"stop words of {self.language} removed" if self.language else "no stop words removed"
        return f"{units}, {stop}, " + ("1 + log(count)" if self.sublinear else "plain counts")


def candidates(request: TextRequest, language: Language) -> list[TextSettings]:
    """The settings to compare, the simplest first. What the user fixes is the same in all of them."""
    check_request(request)
    fixed = TextSettings(
        analyzer=analyzer_of(request, language),
        min_documents=MIN_DOCUMENTS if request.min_documents is None else request.min_documents,
        stem=request.stem,
        marks=language.has_marks,
        detected=language.name if language.name is not None and has_stop_words(language.name) else None,
    )
    if fixed.analyzer == "characters":
        return [fixed._replace(sublinear=request.sublinear is not False)]
    languages = [_language_of(request, language)]
    if request.language == AUTO and languages[0] is not None and not request.stem:
        languages = [None, *languages] if fixed.analyzer == "words" else [None]
    free = (1, 2) if fixed.analyzer == "words" else (1,)
    ngrams = free if request.ngrams is None else (request.ngrams,)
    sublinear = (True,) if request.sublinear is None else (request.sublinear,)
    options = [
        fixed._replace(language=stop, ngrams=n, sublinear=log) for n, log, stop in product(ngrams, sublinear, languages)
    ]
    return [settings for settings in options if settings.language is None or settings.ngrams == 1] or options


def check_request(request: TextRequest) -> None:
    """Errors of the user."""
    if request.analyzer not in ANALYZERS:
        raise ValueError(f"analyzer must be one of {', '.join(ANALYZERS)}; got {request.analyzer!r}.")
    name = language_or_none(request.language)
    tfidf_vectorizer(
        language=None if name == AUTO else name,
        ngrams=1 if request.ngrams is None else request.ngrams,
        min_documents=MIN_DOCUMENTS if request.min_documents is None else request.min_documents,
    )


def analyzer_of(request: TextRequest, language: Language) -> Literal["words", "mixed", "characters"]:
    """The analyzer: the user's, or by the script."""
    if request.analyzer == "characters":
        return "characters"
    return "mixed" if request.analyzer == AUTO and language.has_unsegmented and not request.stem else "words"


def _language_of(request: TextRequest, language: Language) -> str | None:
    """The language of the stop words; None if there are none."""
    name = language_or_none(request.language)
    if name != AUTO:
        return name
    if language.name is None or not has_stop_words(language.name):
        if request.stem:
            raise ValueError(f"stem=True needs a language; detected: {language.name}. Name it with language=.")
        return None
    return language.name
