"""The encoding of Latin letters, from the alphabets of languages. A few accented letters per file are enough."""

from __future__ import annotations

import re
from functools import cache

LATIN = ("cp1252", "cp1250", "cp1254", "cp1257", "iso8859_2", "cp850", "mac_roman")  # the first of equals is used
ALPHABETS = (
    "äöüß",  # German
    "àâæçéèêëîïôœùûü",  # French
    "áéíñóúüºª",  # Spanish
    "ãáâàçéêíóôõúºª",  # Portuguese
    "àèéìòù",  # Italian
    "æøåé",  # Danish, Norwegian
    "åäöé",  # Swedish, Finnish
    "áéíóúýþæöð",  # Icelandic
    "éëïöüè",  # Dutch
    "ąćęłńóśźż",  # Polish
    "áäčďéěíĺľňóôŕřšťúůýž",  # Czech, Slovak
    "áéíóöőúüű",  # Hungarian
    "čćđšž",  # Croatian, Slovenian
    "ăâîşţ",  # Romanian
    "çğıöşüâîİ",  # Turkish
    "ąčęėįšųūž",  # Lithuanian
    "āčēģīķļņšūž",  # Latvian
    "äõöüšž",  # Estonian
)
SIGNS = frozenset("€£§°«»‘’‚“”„–—…•·´¡¿©®™×\xa0")  # noqa: RUF001
RUN = re.compile(rb"[\x80-\xff]{3,}")  # in Latin words, accented letters stand between others
MAX_RUNS = 0.1  # share of the bytes beyond ASCII in such runs
ENOUGH = 0.5  # share of the characters beyond ASCII that belong to one alphabet per line


def latin_encoding(sample: bytes) -> str | None:
    """The encoding in which most characters belong to the alphabet of a language.

    Parameters
    ----------
    sample : bytes
        Lines with bytes that are not ASCII. Each line may have a language of its own.

    Returns
    -------
    encoding : str or None
        None if the text is probably not written with Latin letters.

    Examples
    --------
    >>> latin_encoding("Türklingel".encode("cp1252")), latin_encoding("Türklingel".encode("cp850"))
    ('cp1252', 'cp850')
    >>> latin_encoding("Дверь сломана".encode("cp1251")) is None
    True
    """
    n_bytes = sum(byte >= 0x80 for byte in sample)
    if sum(map(len, RUN.findall(sample))) > MAX_RUNS * n_bytes:
        return None
    best, name = 0.0, None
    for encoding in LATIN:
        try:
            lines = sample.decode(encoding).splitlines()
        except UnicodeDecodeError:
            continue
        if (share := covered(lines)) > best:
            best, name = share, encoding
    return name if best >= ENOUGH else None


def covered(lines: list[str]) -> float:
    """The share of the characters beyond ASCII that belong to one alphabet per line, less signs in words."""
    n_letters = n_signs = score = 0
    for line in lines:
        letters = []
        for position, character in enumerate(line):
            if character.isascii():
                continue
            before, after = line[position - 1 : position], line[position + 1 : position + 2]
            if character in SIGNS and (character == "’" or not (before.isalpha() and after.isalpha())):  # noqa: RUF001
                n_signs += 1
            elif character.isalpha() and not (character.isupper() and before.islower()):
                letters.append(character)
            else:  # in the middle of a word
                n_letters += 1
                score -= 1
        n_letters += len(letters)
        score += max(sum(letter in alphabet for letter in letters) for alphabet in alphabets())
    return score / n_letters if n_letters else float(n_signs > 0)


@cache
def alphabets() -> tuple[frozenset[str], ...]:
    """The letters of each language, small and capital."""
    return tuple(frozenset(alphabet + alphabet.upper()) for alphabet in ALPHABETS)
