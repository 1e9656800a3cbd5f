"""The encoding of letters that are not Latin: the one in which the bytes are most probable.

Each language has a plain model of its letters. If they are sorted by frequency, the letter of rank r of n has the
probability log((n + 1) / r) / n approximately (Gusein-Zade 1988). Capital letters are less frequent, and hardly ever
follow a small one. Chinese, Japanese and Korean have frequent characters and common ones, and the common ones of each
are in a few rows of its character set. All models explain the same bytes, so their likelihoods can be compared. Ten
letters are usually enough; three Chinese ones are not. charset-normalizer needs more: it takes short Hebrew for
Cyrillic letters, and short Russian in KOI8-R for Japanese.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from functools import cache
from itertools import product
from math import log

# ruff: noqa: RUF001
RUSSIAN = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё"
UKRAINIAN = "оаинвтеріскдулпмязьбгчхйжїцєюшщґф"
BULGARIAN = "аиоетнрсвлкдпмъзяубгчжщцйхшюфь"
SERBIAN = "аоиентрсјвукдмплзгбчњхшцжћђљфџ"
GREEK = "αοιετνσηυρπκμλςωγόδίέάήχύώθφβξζψϊϋΐΰ"
HEBREW = "יוהלאתרשבמנםחפקדעצטןזסכגךףץ"
ARABIC = "اليمنوترهبدعسفكقحةجأىشصخطضذءزثغئظإآؤًٌٍَُِّْ"
THAI = "านรกอเง่มยล้วดทสตะัีปบคหแิำใจพช์ไขุ็ึูโถผธซศณฟญฐฉภฤษฮฎฏฒฌฆฬ๊๋ฝๆฯ"
HANZI = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用"
HANZI_TAIWAN = "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用"
KANA = "いのんしたるとてにかなはをがでこまりきすうあくもらつれさっせどけだおえみよちそろばわめやじひずぎごふべ"
HANGUL = "이다는을의에가고하은를로기지사어한서나인아도시자해리정대수있그보전일상습니것들과들면"
LANGUAGES = {
    "cp1251": (RUSSIAN, UKRAINIAN, BULGARIAN, SERBIAN),
    "koi8_r": (RUSSIAN,),
    "koi8_u": (UKRAINIAN,),
    "cp866": (RUSSIAN, BULGARIAN),
    "iso8859_5": (RUSSIAN, UKRAINIAN, BULGARIAN, SERBIAN),
    "cp1253": (GREEK,),
    "iso8859_7": (GREEK,),
    "cp1255": (HEBREW,),
    "cp1256": (ARABIC,),
    "iso8859_6": (ARABIC,),
    "cp874": (THAI,),
    "gb18030": (HANZI,),
    "big5": (HANZI_TAIWAN,),
    "cp932": (KANA,),
    "euc_jp": (KANA,),
    "cp949": (HANGUL,),
}  # the first of equals is used
ROWS = {  # a character set with two bytes, and the first bytes of its common characters
    HANZI: ("gb2312", range(0xB0, 0xD8)),
    HANZI_TAIWAN: ("big5", range(0xA4, 0xC7)),
    KANA: ("euc_jp", (0xA4, 0xA5, *range(0xB0, 0xD0))),
    HANGUL: ("euc_kr", range(0xB0, 0xC9)),
}
SIGNS = "«»“”„‘’–—…№€°·•،؟؛。，、！？：；「」（）《》・ー\xa0\u3000"
LETTERS, COMMON, SIGN, OTHER = 0.7, 0.25, 0.04, 0.01  # probabilities; without common characters LETTERS has theirs too
N_OTHER = 10_000  # characters that are none of these
ASCII_CHARACTER = log(1 / 40)
CAPITALS = {  # of words as "C" and "s": capital letters, and the logarithm of their probability
    re.compile("(?<![sC])C(?!C)"): log(0.2),  # at the beginning
    re.compile("(?<![sC])CC"): log(0.7),  # a word in capital letters
    re.compile("(?<=s)C"): log(0.002),
}
ENOUGH = -4.9  # mean log-likelihood per byte beyond ASCII; of text it was -4.8 or more, of random bytes it is lower


def likely_encoding(sample: bytes) -> str | None:
    """The encoding in which the bytes are most probable as text of a language that is not written in Latin letters.

    Parameters
    ----------
    sample : bytes
        Lines with bytes that are not ASCII.

    Returns
    -------
    encoding : str or None
        None if the bytes are improbable in every encoding.

    Examples
    --------
    >>> likely_encoding("Дверь сломана".encode("koi8_r")), likely_encoding("Дверь сломана".encode("cp1251"))
    ('koi8_r', 'cp1251')
    >>> likely_encoding("הדלת שבורה".encode("cp1255"))
    'cp1255'
    """
    n_bytes = sum(byte >= 0x80 for byte in sample)
    best, name = ENOUGH * n_bytes + ASCII_CHARACTER * (len(sample) - n_bytes), None
    for encoding, languages in LANGUAGES.items():
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(sample)  # the sample may end within a character
        except UnicodeDecodeError:
            continue
        counts = Counter(text)
        for language in languages:
            if (likelihood := log_likelihood(text, counts, language)) > best:
                best, name = likelihood, encoding
    return name


def log_likelihood(text: str, counts: Counter[str], language: str) -> float:
    """The log-likelihood of a text in a language, which is given by its letters; `counts` are those of the text."""
    model, cases, total = probabilities(language), {}, 0.0
    other = log(OTHER / N_OTHER)
    for character, n in counts.items():
        if character.isascii():
            cases[ord(character)] = "-"
            total += n * ASCII_CHARACTER
            continue
        small = character.lower()
        cases[ord(character)] = "C" if small != character else "s" if character.upper() != character else "-"
        total += n * model.get(small, other)
    words = text.translate(cases)
    return total + sum(len(place.findall(words)) * value for place, value in CAPITALS.items())


@cache
def probabilities(language: str) -> dict[str, float]:
    """Logarithms of the probabilities of characters."""
    rows = ROWS.get(language)
    model = {sign: log(SIGN / len(SIGNS)) for sign in SIGNS}
    letters = LETTERS + COMMON
    if rows is not None:
        letters = LETTERS if language == KANA else LETTERS / 2
        encoding, first_bytes = rows
        pairs = (bytes(pair) for pair in product(first_bytes, range(0x40, 0xFF)))
        characters = {pair.decode(encoding, "ignore") for pair in pairs}
        common = {character for character in characters if len(character) == 1 and not character.isascii()}
        model |= dict.fromkeys(common, log((LETTERS + COMMON - letters) / len(common)))
    n = len(language)
    ranks = [log((n + 1) / rank) for rank in range(1, n + 1)]
    return model | {letter: log(letters * share / sum(ranks)) for letter, share in zip(language, ranks, strict=True)}
