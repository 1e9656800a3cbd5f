"""Vectorizing: one vocabulary for the texts of all domains, so that a column means the same word everywhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer

from .detect import MARKS, UNSEGMENTED
from .languages import Stems, language_or_none, stop_words

LETTERS = r"(?u)\b[^\W\d_]{2,}\b"  # words without digits: numbers, amounts and dates do not show a topic
WITH_MARKS = rf"(?<!\w)(?:[^\W\d_][{MARKS}]*){{2,}}(?!\w)"  # the same, with the vowel signs of Hindi and others
CHARACTER_NGRAMS = (2, 4)
OF_MARKS = re.compile(r"[^\]\[\\]+")  # the vowel signs, of which every version of Unicode has more
IDEOGRAPHS, OTHERS = (1, 2), (2, 3)  # characters of an n-gram, of Chinese and Japanese and of all other scripts
FIRST_IDEOGRAPH = "\u3000"
_RUNS = re.compile(f"([{UNSEGMENTED}]+)")
_SIGNS = "".join(chr(c) for c in range(0x0E00, 0x1800) if unicodedata.category(chr(c)) in ("Mn", "Mc"))
_CHARACTERS = re.compile(f".[{_SIGNS}]*")  # with the vowel signs and tones of Thai and others


@dataclass(frozen=True)
class MixedAnalyzer:
    """An analyzer for scikit-learn: character n-grams of runs without spaces, n-grams of all other words.

    "我的 iPhone 很好" has the features 我的, 很好 and iphone: texts of mixed scripts need no decision.
    """

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
                for size in OTHERS if part < FIRST_IDEOGRAPH else IDEOGRAPHS:
                    for start in range(len(characters) - size + 1):
                        yield "".join(characters[start : start + size])
            elif part:
                words = [word for word in re.findall(self.pattern, part) if word not in self._skipped]
                for size in range(1, self.ngrams + 1):
                    for start in range(len(words) - size + 1):
                        yield " ".join(words[start : start + size])


def is_own_pattern(pattern: str) -> bool:
    """Whether a pattern of words is one of labelferry, of any version: others may take forever to match.

    >>> is_own_pattern(LETTERS), is_own_pattern(WITH_MARKS), is_own_pattern("(a+)+$")
    (True, True, False)
    """
    begin, _, end = WITH_MARKS.partition(MARKS)
    inside = pattern.removeprefix(begin).removesuffix(end)
    return pattern == LETTERS or (pattern == f"{begin}{inside}{end}" and OF_MARKS.fullmatch(inside) is not None)


def tfidf_vectorizer(
    *,
    language: str | None = "english",
    stem: bool = False,
    ngrams: int = 1,
    analyzer: Any = "words",
    sublinear: bool = True,
    min_documents: int = 2,
    **settings: Any,
) -> TfidfVectorizer:
    """Make a TfidfVectorizer, not yet fitted, with the defaults of labelferry.

    It counts words of two letters or more that occur in two documents or more and are not stop words; 1 + log(tf); rows
    of unit length.

    Parameters
    ----------
    language : str, default="english"
        Language of the stop words to remove, as a name ("german") or a code ("de"); None or "none" keeps all words.
        English stop words are those of scikit-learn. Negations are never stop words.
    stem : bool, default=False
        Whether to count stems instead of words (extra `stemming`). Stop words are removed before.
    ngrams : int, default=1
        Count sequences of up to this many words.
    analyzer : {"words", "mixed", "characters"}, default="words"
        "mixed": words, and character n-grams of text without spaces between words, such as Chinese. "characters":
        n-grams of 2 to 4 characters inside words. Other values are those of TfidfVectorizer.
    sublinear : bool, default=True
        Whether a word that occurs tf times in a document counts 1 + log(tf) instead of tf.
    min_documents : int, default=2
        Words in fewer documents are dropped.
    **settings : dict
        Parameters of scikit-learn's TfidfVectorizer, which replace the defaults.

    Returns
    -------
    vectorizer : TfidfVectorizer
        The vectorizer.
    """
    for name, value in (("ngrams", ngrams), ("min_documents", min_documents)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            hint = " Pass 2 to count pairs of words also." if name == "ngrams" else ""
            raise ValueError(f"{name} must be a whole number, 1 or more; got {value!r}.{hint}")
    chosen: dict[str, Any] = {
        "sublinear_tf": sublinear,
        "norm": "l2",
        "min_df": min_documents,
        "token_pattern": LETTERS,
        "ngram_range": (1, ngrams),
        **settings,
    }
    if analyzer == "characters":
        chosen |= {"analyzer": "char_wb", "ngram_range": CHARACTER_NGRAMS, "token_pattern": None, "stop_words": None}
    elif analyzer not in ("words", "mixed"):
        chosen["analyzer"] = analyzer
    if "stop_words" not in chosen and chosen["token_pattern"] is not None:
        chosen["stop_words"] = stop_words(language, chosen["token_pattern"])
    if stem:
        if chosen.get("tokenizer") is not None or chosen.get("analyzer", "word") != "word" or analyzer == "mixed":
            raise ValueError(
                "stem=True splits texts into words itself; got a tokenizer or analyzer also. Pass only one."
            )
        stem_language = language_or_none(language)
        if stem_language is None:
            raise ValueError(
                f"stem=True needs a language; got {language!r}. Name it, and pass stop_words=None to keep all words."
            )
        chosen["tokenizer"] = Stems.of(stem_language, chosen["token_pattern"], chosen["stop_words"])
        chosen |= {"token_pattern": None, "stop_words": None}
    if analyzer == "mixed":
        words = tuple(chosen["stop_words"] or ())
        chosen["analyzer"] = MixedAnalyzer(chosen["token_pattern"], ngrams, words)
        chosen |= {"token_pattern": None, "stop_words": None, "ngram_range": (1, 1)}
    return TfidfVectorizer(**chosen)


def tfidf(*domains: Iterable[str], **settings: Any) -> tuple[list[Any], TfidfVectorizer]:
    """Make one tf-idf matrix per domain, with one vocabulary for all of them.

    By default English stop words, numbers and words in only one document are removed. For another language pass
    `language=`, or `stop_words=` with a list of your own; for a language without spaces pass `analyzer="mixed"`.

    Parameters
    ----------
    *domains : iterable of str
        The texts of each domain.
    **settings : dict
        Parameters of `labelferry.text.tfidf_vectorizer` and of scikit-learn's TfidfVectorizer.

    Returns
    -------
    matrices : list of CSR matrix
        Documents x words, one per domain.
    vectorizer : TfidfVectorizer
        Fitted on the texts of all domains.

    Examples
    --------
    >>> (old, new), vectorizer = tfidf(["a red door", "a red house"], ["a green house"], min_df=1)
    >>> old.shape, new.shape, list(vectorizer.get_feature_names_out())
    ((2, 4), (1, 4), ['door', 'green', 'house', 'red'])
    """
    corpora = [list(texts) for texts in domains]
    vectorizer = tfidf_vectorizer(**settings).fit([text for texts in corpora for text in texts])
    return [vectorizer.transform(texts) for texts in corpora], vectorizer
