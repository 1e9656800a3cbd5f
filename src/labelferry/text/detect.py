"""Script and language of documents, detected offline.

Scripts are detected by Unicode ranges. Languages are detected by `py3langid` (BSD license, maintained, 4.5 MB with its
model, no download), text by text: each text of a sample has a vote if its language is clear. Few votes or no majority
mean that the language is unknown.

Single texts in a language that the labelled documents lack are marked. A short text is easily taken for another
language: so its language must be clear, and those of the labelled documents very improbable. Measured on the demo and
on 12 English corpora (99,149 new texts): 93 texts were marked. 81 of them are in another language or have parts in it,
12 are English (.012%; at most .4% of one corpus): names, song texts, letters with spaces between them. Of 55 sentences
of 2 to 13 words in German, French, Spanish, Dutch, Russian, Italian and Polish, 53 were marked.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

# Scripts without spaces between words, as ranges of a regular expression.
UNSEGMENTED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u109f"  # Tibetan, Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"  # Chinese characters
)
MARKS = "\u0300-\u036f\u200c\u200d" + "".join(  # accents, joiners, and the vowel signs of Hebrew to Sinhala
    chr(code) for code in range(0x0591, 0x0E00) if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
LETTER = re.compile(rf"[^\W\d_]|[{UNSEGMENTED}]")
UNSEGMENTED_LETTER = re.compile(f"[{UNSEGMENTED}]")
MARK = re.compile(f"[{MARKS}]")
NOT_LANGUAGE = re.compile(r"(?:https?://|www\.)\S+|\S*@\S+|#\w+|\d+|\bRT\b")  # the same in all languages
MIN_UNSEGMENTED = 0.1  # share of the letters from which character n-grams are counted
MIN_MARKS = 0.02  # vowel signs per letter from which they are parts of words

N_SAMPLED, N_CHARACTERS = 300, 600  # texts, and characters of each
MIN_CLEAR = 0.6  # probability of a language, for a vote
MIN_VOTES, MIN_VOTED, MIN_MAJORITY = 10, 0.2, 0.6  # votes, share of texts with a vote, share of the votes
MIN_OTHER = 0.1  # share of the votes of a second language that is mentioned

MAX_FOREIGN = 0.25  # a language is foreign if its share in the source is below this part of its share in the target
MIN_OWN = 0.01  # share of the votes from which a language is one of the labelled documents
MAX_OWN = 0.05  # probability that a foreign text is in one of these languages
FEW = 0.02  # share of the new documents below which their number is not told
MIN_BYTES = 12  # of letters in UTF-8: twelve Latin letters, six Cyrillic or four Chinese ones
LARGE, N_FIRST, MIN_FIRST = 20_000, 2_000, 2  # of this many texts, so many are first searched for so many in others

# The languages that are told apart: code of py3langid, English name.
NAMES = {
    **{"ar": "arabic", "bg": "bulgarian", "bn": "bengali", "ca": "catalan", "cs": "czech", "da": "danish"},
    **{"de": "german", "el": "greek", "en": "english", "es": "spanish", "et": "estonian", "fa": "persian"},
    **{"fi": "finnish", "fr": "french", "gu": "gujarati", "he": "hebrew", "hi": "hindi", "hr": "croatian"},
    **{"hu": "hungarian", "id": "indonesian", "is": "icelandic", "it": "italian", "ja": "japanese", "ka": "georgian"},
    **{"kk": "kazakh", "km": "khmer", "kn": "kannada", "ko": "korean", "lo": "lao", "lt": "lithuanian"},
    **{"lv": "latvian", "ml": "malayalam", "mr": "marathi", "my": "burmese", "ne": "nepali", "nl": "dutch"},
    **{"no": "norwegian", "pa": "punjabi", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian"},
    **{"sk": "slovak", "sl": "slovenian", "sq": "albanian", "sr": "serbian", "sv": "swedish", "sw": "swahili"},
    **{"ta": "tamil", "te": "telugu", "th": "thai", "tl": "tagalog", "tr": "turkish", "uk": "ukrainian"},
    **{"ur": "urdu", "vi": "vietnamese", "zh": "chinese"},
}


class Language(NamedTuple):
    """Language of a set of documents."""

    name: str | None  # None: unknown
    shares: dict[str, float]  # share of the votes per language, the largest first
    n_votes: int  # texts whose language is clear
    unsegmented: float  # share of the letters that are of a script without spaces between words
    marks: float  # vowel signs per letter

    @property
    def share(self) -> float:
        """Share of the votes of the language."""
        return self.shares.get(self.name or "", 0.0)

    @property
    def others(self) -> dict[str, float]:
        """Further languages with their shares, if they are not negligible."""
        return {name: share for name, share in self.shares.items() if name != self.name and share >= MIN_OTHER}

    @property
    def has_unsegmented(self) -> bool:
        """Whether a part of the texts has no spaces between words."""
        return self.unsegmented >= MIN_UNSEGMENTED

    @property
    def has_marks(self) -> bool:
        """Whether vowel signs are parts of the words, as in Hindi."""
        return self.marks >= MIN_MARKS


def detect_language(texts: Sequence[str]) -> Language:
    """Detect the language of documents from a sample of them."""
    # The name is None if there are fewer than 10 texts whose language is clear, or if less than 60% of them
    # have the same language.
    rows = np.linspace(0, len(texts) - 1, min(len(texts), N_SAMPLED)).astype(int)
    sample = [texts[row][:N_CHARACTERS] for row in rows.tolist()]
    joined = "".join(sample)
    n_letters = len(LETTER.findall(joined))
    counts = Counter(vote for vote in map(language_of, sample) if vote is not None)
    n_votes = counts.total()
    shares = {name: n / n_votes for name, n in counts.most_common()}
    top = next(iter(shares), None)
    clear = top is not None and n_votes >= max(MIN_VOTES, MIN_VOTED * len(sample)) and shares[top] >= MIN_MAJORITY
    return Language(
        top if clear else None,
        shares,
        n_votes,
        len(UNSEGMENTED_LETTER.findall(joined)) / max(n_letters, 1),
        len(MARK.findall(joined)) / max(n_letters, 1),
    )


def common_language(source: Language, target: Language) -> Language:
    """The language for the settings of all documents: unknown if those of source and target differ."""
    name = source.name if target.name in (source.name, None) else None
    return source._replace(
        name=name, unsegmented=max(source.unsegmented, target.unsegmented), marks=max(source.marks, target.marks)
    )


def foreign_share(source: Language, target: Language) -> float:
    """Share of the target's texts in languages that are hardly in the source; 0 if a side is too small to say."""
    if min(source.n_votes, target.n_votes) < MIN_VOTES:
        return 0.0
    shares = {name: share for name, share in target.shares.items() if share >= MIN_OTHER}
    return sum(share for name, share in shares.items() if source.shares.get(name, 0.0) < share * MAX_FOREIGN)


def language_messages(source: Language, target: Language) -> list[str]:
    """What people have to know about the languages; nothing if all texts are English."""
    messages = []
    names = {"labelled documents": source, "new documents": target}
    if source.name is not None and target.name is not None and source.name != target.name:
        messages.append(f"the labelled documents are in {source.name}, the new ones in {target.name}")
    elif source.name not in (None, "english"):
        messages.append(f"language of the documents: {source.name} (detected)")
    for what, language in names.items():
        if language.others and language.n_votes >= MIN_VOTES:
            parts = ", ".join(f"{share:.0%} {name}" for name, share in language.shares.items() if share >= MIN_OTHER)
            messages.append(f"the {what} are in several languages: {parts}")
    return messages


@lru_cache(maxsize=1024)  # a new document is looked at in the sample, and again for itself
def language_of(text: str) -> str | None:
    """The language of one text; None if it is not clear."""
    words = words_of(text)
    if not LETTER.search(words):
        return None
    code, probability = _identifier().classify(words)
    return NAMES[code] if probability >= MIN_CLEAR else None


def words_of(text: str) -> str:
    """A text without what is the same in all languages, such as addresses and numbers."""
    return NOT_LANGUAGE.sub(" ", text).strip()


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(NAMES))
    return identifier


def foreign_languages(source: Language, texts: Sequence[str]) -> list[str]:
    """The language of each text if the labelled documents lack it, such as "german"; otherwise empty.

    Empty also if it is not clear, or if that of fewer than MIN_VOTES labelled documents is. Of LARGE texts or more, all
    are looked at only if a sample of N_FIRST contains MIN_FIRST such texts.

    >>> english = Language("english", {"english": 1.0}, 100, 0.0, 0.0)
    >>> foreign_languages(english, ["My password does not work.", "Mein Passwort funktioniert nicht."])
    ['', 'german']
    """
    own = [name for name, share in source.shares.items() if share >= MIN_OWN]
    nothing = [""] * len(texts)
    if source.n_votes < MIN_VOTES:
        return nothing
    some = np.linspace(0, len(texts) - 1, N_FIRST).astype(int).tolist() if len(texts) >= LARGE else ()
    if some and sum(bool(foreign_language(texts[row], own)) for row in some) < MIN_FIRST:
        return nothing
    return [foreign_language(text, own) for text in texts]


def foreign_language(text: str, own: Collection[str]) -> str:
    """The language of a text if it is clear and the text is in none of these languages; otherwise empty."""
    beginning = text[:N_CHARACTERS]
    name = language_of(beginning)
    if name is None or name in own:  # most texts: the rest takes as long again
        return ""
    words = words_of(beginning)
    n_bytes = len("".join(LETTER.findall(words)).encode())
    probabilities = {NAMES[code]: float(probability) for code, probability in _identifier().rank(words)}
    return name if n_bytes >= MIN_BYTES and sum(probabilities[other] for other in own) <= MAX_OWN else ""


def foreign_message(languages: Sequence[str]) -> list[str]:
    """How many texts are in a language that the labelled documents lack; none if they are less than FEW of the texts.

    Each of these has its mark nevertheless.

    >>> foreign_message(["", "german", "german", "french"])
    ['3 of 4 new documents are in a language that the labelled documents lack (german 2, french 1)']
    """
    counts = count_languages(languages)
    n = sum(counts.values())
    if n == 0 or n < FEW * len(languages):
        return []
    names = ", ".join(name if len(counts) == 1 else f"{name} {count:,}" for name, count in counts.items())
    verb = "is" if n == 1 else "are"
    return [
        f"{n:,} of {len(languages):,} new documents {verb} in a language that the labelled documents lack ({names})"
    ]


def count_languages(languages: Sequence[str]) -> dict[str, int]:
    """The number of texts per language that the labelled documents lack, the most frequent first."""
    return dict(Counter(name for name in languages if name).most_common())
