"""Stop words and stems.

English stop words are those of scikit-learn. Those of other languages come from the package `stop-words`: BSD license,
maintained, 59 kB; its lists contain function words, while longer collections also contain nouns and adjectives that
distinguish topics. Phrases of several words are left out of its lists: their parts are ordinary words. Negations are
never stop words: "not good" and "good" are different opinions. Stems are those of Snowball, by PyStemmer, an extra.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import Any

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

CODES = {"no": "nb"}  # codes that the package names differently
_stemmers = threading.local()  # a stemmer must not be used by two threads
NEGATIONS: dict[str, str] = {
    "arabic": "لا لم لن ليس ليست غير دون عدم ولا ولم ما",
    "bulgarian": "не ни нито никога никой нищо без",
    "catalan": "no ni mai cap res sense",
    "czech": "ne nic nikdy nikdo není nejsou nebyl nebyla nebylo nemá nemají ani bez",
    "danish": "ikke ingen intet aldrig uden hverken",
    "dutch": "niet geen niets nooit niemand zonder noch",
    "english": "not no nor never none nobody noone nothing neither nowhere cannot cant couldnt hasnt without "
    "don doesn didn isn wasn aren weren hasn haven hadn won wouldn couldn shouldn mustn needn ain",
    "finnish": "ei en et emme ette eivät eikä älä ilman koskaan",
    "french": "ne pas non ni jamais rien aucun aucune aucuns sans personne",
    "german": "nicht nichts nie niemals niemand kein keine keinem keinen keiner keines ohne weder noch",
    "greek": "δεν δε μη μην όχι χωρίς ούτε ποτέ",
    "gujarati": "નહીં નથી ના નહી નહિ",
    "hebrew": "לא אין בלי אף לאו מבלי",
    "hindi": "नहीं न ना मत बिना",
    "hungarian": "nem ne sem se soha nincs nincsenek nélkül",
    "indonesian": "tidak tak bukan belum jangan tanpa tiada enggak bukanlah bukannya tidaklah janganlah",
    "italian": "non no né mai niente nulla nessun nessuno nessuna senza",
    "korean": "안 못 아니 않다 아니다 없다 없이 아니라",
    "malaysian": "tidak tak bukan belum jangan tanpa tiada",
    "norwegian": "ikke ingen intet ingenting aldri uten verken ikkje",
    "persian": "نه نیست نمی بدون هیچ هرگز نیستند نبود ندارد",
    "polish": "nie nic nigdy nikt żaden żadna żadne bez ani",
    "portuguese": "não nem nunca nada nenhum nenhuma ninguém sem jamais",
    "romanian": "nu nici niciodată nimic nimeni niciun nicio fără",
    "russian": "не ни нет никогда ничего никто нельзя без ничто",
    "slovak": "nie ne nič nikdy nikto bez ani",
    "spanish": "no ni nunca nada ningún ninguna ninguno ningunos ningunas nadie sin jamás tampoco",
    "swedish": "inte icke ej ingen inget inga aldrig ingenting utan varken",
    "turkish": "değil hiç yok asla ne",
    "ukrainian": "не ні ані немає ніколи нічого ніхто без",
    "vietnamese": "không chẳng chưa đừng chả",
}


def language_or_none(language: str | None) -> str | None:
    """The language; None if it is None or "none"."""
    return None if language is None or language.lower() == "none" else language


def has_stop_words(language: str) -> bool:
    """Whether there are stop words of the language, an English name."""
    import stop_words as lists

    return language in lists.AVAILABLE_LANGUAGES


def stop_words(language: str | None, pattern: str) -> list[str] | None:
    """The value for scikit-learn's `stop_words`. If the pattern splits a word, its parts are stop words too."""
    language = language_or_none(language)
    if language is None:
        return None
    import stop_words as lists

    code = CODES.get(language.lower(), language.lower())
    name = lists.LANGUAGE_MAPPING.get(code, code)
    if name not in lists.AVAILABLE_LANGUAGES:
        known = ", ".join(sorted(lists.AVAILABLE_LANGUAGES))
        raise ValueError(
            f"language={language!r} has no stop words; known are: {known}. "
            "Pass language=None (--language none) to keep all words."
        )
    words = ENGLISH_STOP_WORDS if name == "english" else lists.get_stop_words(name)
    parts = {part for word in words if " " not in word for part in re.findall(pattern, word.lower())}
    return sorted(parts - {*NEGATIONS.get(name, "").split()})


@dataclass(frozen=True)
class Stems:
    """A tokenizer: the stems of the words that match the pattern and are not stop words."""

    language: str
    pattern: str
    stop_words: frozenset[str]

    @classmethod
    def of(cls, language: str, pattern: str, words: Any) -> Stems:
        """Make a tokenizer; `words` are the stop words, as in scikit-learn."""
        words = ENGLISH_STOP_WORDS if isinstance(words, str) and words == "english" else words or ()
        stems = cls(language.lower(), pattern, frozenset(words))
        stemmer(stems.language)  # an unknown language or a missing package is an error now, not in `fit`
        return stems

    def __call__(self, text: str) -> list[str]:
        words = [word for word in re.findall(self.pattern, text) if word not in self.stop_words]
        stems: list[str] = stemmer(self.language).stemWords(words)
        return stems


def stemmer(language: str) -> Any:
    """The stemmer of the language for this thread."""
    by_language = _stemmers.__dict__
    if language not in by_language:
        try:
            import Stemmer
        except ImportError:
            raise ValueError("stem=True needs PyStemmer: pip install '.[stemming]' in a clone of labelferry.") from None
        try:
            by_language[language] = Stemmer.Stemmer(language)
        except KeyError:
            names = ", ".join(Stemmer.algorithms())
            raise ValueError(f"language={language!r} has no stems; known are: {names}. Pass stem=False.") from None
    return by_language[language]
