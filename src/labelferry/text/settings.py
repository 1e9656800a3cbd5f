"""How texts become words: settings that are given, detected, or chosen by cross-validation on the labelled documents.

The candidates are few, in an order from simple to complex. The first one is chosen whose held-out accuracy is at most
one standard error below the best: the standard error of the difference, document by document. So a more complex setting
needs evidence, and the choice does not depend on a few documents. Equal documents are compared once: a copy of a
document that was learned from would be labelled correctly with any setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold
from sklearn.svm import LinearSVC

from .detect import Language
from .languages import has_stop_words, language_or_none, stop_words
from .request import AUTO, TextRequest
from .vectorize import LETTERS, WITH_MARKS, tfidf_vectorizer

ANALYZERS = (AUTO, "words", "characters")
MIN_DOCUMENTS = 2
NOT_VECTORIZER = ("marks", "detected")  # settings that are no parameters of the vectorizer
MAX_DOCUMENTS, MAX_CHARACTERS = 2000, 2000  # that are compared; of more, a sample, and the beginning of each
N_FOLDS = 5
MIN_PER_CLASS = 10  # labelled documents of a class; smaller classes are not compared


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
    analyzer = "characters" if request.analyzer == "characters" else "words"
    if request.analyzer == AUTO and language.has_unsegmented and not request.stem:
        analyzer = "mixed"
    fixed = TextSettings(
        analyzer=analyzer,
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


class Choice(NamedTuple):
    """The chosen settings."""

    settings: TextSettings
    accuracies: dict[TextSettings, float]  # held-out accuracy per candidate; empty if none was compared

    @property
    def messages(self) -> list[str]:
        """What was chosen, and why; nothing if there was no choice and words are counted."""
        if not self.accuracies:
            return [f"texts: {self.settings.describe()}"] if self.settings.analyzer == "mixed" else []
        return [
            f"texts: {self.settings.describe()} (chosen by a test on your labelled documents: "
            f"{self.accuracies[self.settings]:.1%} correct)"
        ]


def choose_settings(
    texts: Sequence[str],
    labels: Sequence[Any] | np.ndarray,
    request: TextRequest,
    language: Language,
    *,
    sources: Sequence[int] | np.ndarray | None = None,
) -> Choice:
    """Choose the text settings by cross-validation on the labelled documents."""
    # `sources`: the source of each document. With several sources, each one is held out in turn, because the new
    # documents are another source too.
    options = candidates(request, language)
    if len(options) == 1:
        return Choice(options[0], {})
    codes = np.unique(np.asarray([str(label) for label in labels]), return_inverse=True)[1]
    first = {texts[i][:MAX_CHARACTERS]: i for i in reversed(sample_per_class(codes, MAX_DOCUMENTS).tolist())}
    rows = np.sort(np.fromiter(first.values(), dtype=np.intp))
    frequent = np.bincount(codes[rows]) >= MIN_PER_CLASS
    rows = rows[frequent[codes[rows]]]
    if frequent.sum() < 2:
        return Choice(options[0], {})
    groups = np.zeros(len(rows), dtype=int) if sources is None else np.asarray(sources)[rows]
    counted = Counted.of([texts[i][:MAX_CHARACTERS] for i in rows], options)
    if counted is None:
        return Choice(options[0], {})
    correct = {settings: held_out_correct(counted.tfidf(settings), codes[rows], groups) for settings in options}
    return Choice(simplest(correct), {settings: float(right.mean()) for settings, right in correct.items()})


def sample_per_class(codes: np.ndarray, size: int) -> np.ndarray:
    """All rows if there are at most `size`; otherwise a sample with the same class proportions, always the same."""
    if len(codes) <= size:
        return np.arange(len(codes))
    rng = np.random.default_rng(0)
    parts = []
    for c in range(codes.max() + 1):
        rows = np.flatnonzero(codes == c)
        n = max(min(MIN_PER_CLASS, len(rows)), round(len(rows) * size / len(codes)))
        parts.append(rng.choice(rows, min(n, len(rows)), replace=False))
    return np.sort(np.concatenate(parts))


class Counted(NamedTuple):
    """The texts, counted once for all candidates."""

    counts: Any  # documents x words
    size: np.ndarray  # number of words in the sequence of each column
    words: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str], options: Sequence[TextSettings]) -> Counted | None:
        """Count with all words and the longest sequences; None if no text has words that are counted."""
        languages, ngrams = {settings.language for settings in options}, max(settings.ngrams for settings in options)
        every = options[0]._replace(language=None if None in languages else options[0].language, ngrams=ngrams)
        vectorizer = every._replace(sublinear=False).vectorizer(use_idf=False, norm=None)
        try:
            counts = sp.csr_array(vectorizer.fit_transform(texts))
        except ValueError:
            return None
        words = vectorizer.get_feature_names_out()
        return cls(counts, np.array([word.count(" ") + 1 for word in words]), words)

    def tfidf(self, settings: TextSettings) -> Any:
        """tf-idf with these settings. A sequence that contains a stop word is dropped with it."""
        keep = self.size <= settings.ngrams
        if settings.language is not None:
            stop = frozenset(stop_words(settings.language, settings.pattern) or ())
            keep &= [stop.isdisjoint(word.split(" ")) for word in self.words]
        return TfidfTransformer(sublinear_tf=settings.sublinear).fit_transform(self.counts[:, np.flatnonzero(keep)])


def held_out_correct(X: Any, codes: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Whether each document is labelled correctly by a linear classifier that has not seen it."""
    correct = np.zeros(len(codes), dtype=bool)
    for train, test in _folds(codes, groups):
        correct[test] = LinearSVC(random_state=0).fit(X[train], codes[train]).predict(X[test]) == codes[test]
    return correct


def _folds(codes: np.ndarray, groups: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Each source in turn if every other one has all classes; otherwise random folds."""
    n_classes = len(np.unique(codes))
    names = np.unique(groups)
    if len(names) > 1 and all(len(np.unique(codes[groups != name])) == n_classes for name in names):
        yield from LeaveOneGroupOut().split(codes, codes, groups)
    else:
        yield from StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(codes, codes)


def simplest(correct: dict[TextSettings, np.ndarray]) -> TextSettings:
    """The first settings that are at most one standard error worse than the best."""
    # `correct`: for each candidate, the simplest first, which documents it labels correctly.
    best = max(correct.values(), key=lambda right: right.mean())
    for settings, right in correct.items():
        difference = best.astype(float) - right
        if difference.sum() - 1 <= np.sqrt((difference**2).sum()):  # 1: continuity correction, for few documents
            return settings
    raise AssertionError("the best settings are among the candidates")
