"""The encoding of Latin letters, from the alphabets of languages. A few accented letters per file are enough.

If two encodings give letters of some alphabet, the language of the text decides: "Dziękuję" in cp1250 is Polish with
Polish letters, "Dziêkujê" in cp1252 Polish with French ones.
"""

from __future__ import annotations

import re
from functools import cache

LATIN = ("cp1252", "cp1250", "cp1254", "cp1257", "iso8859_2", "cp850", "mac_roman")  # of equals see `coherent`
ALPHABETS = {
    "german": "äöüß",
    "french": "àâæçéèêëîïôœùûü",
    "spanish": "áéíñóúüºª",
    "portuguese": "ãáâàçéêíóôõúºª",
    "italian": "àèéìòù",
    "danish, norwegian": "æøåé",
    "swedish, finnish": "åäöé",
    "icelandic": "áéíóúýþæöð",
    "dutch": "éëïöüè",
    "polish": "ąćęłńóśźż",
    "czech, slovak": "áäčďéěíĺľňóôŕřšťúůýž",
    "hungarian": "áéíóöőúüű",
    "croatian, slovenian": "čćđšž",
    "romanian": "ăâîşţ",
    "turkish": "çğıöşüâîİ",
    "lithuanian": "ąčęėįšųūž",
    "latvian": "āčēģīķļņšūž",
    "estonian": "äõöüšž",
}
SIGNS = frozenset("€£§°«»‘’‚“”„–—…•·´¡¿©®™×\xa0")  # noqa: RUF001
RUN = re.compile(rb"[\x80-\xff]{3,}")  # in Latin words, accented letters stand between others
MAX_RUNS = 0.1  # share of the bytes beyond ASCII in such runs
CLEAR, N_CHARACTERS = 0.8, 600  # probability of a language that decides, and the characters that are looked at
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
    best, equal = 0.0, [""]
    for encoding in LATIN:
        try:
            lines = sample.decode(encoding).splitlines()
        except UnicodeDecodeError:
            continue
        if (share := covered(lines)) > best:
            best, equal = share, [encoding]
        elif share == best:
            equal.append(encoding)
    return coherent(sample, equal) if best >= ENOUGH else None


def coherent(sample: bytes, encodings: list[str]) -> str:
    """Of equally good encodings, the first in which the letters are those of the detected language; or the first.

    >>> coherent("Dziękuję bardzo".encode("cp1250"), ["cp1252", "cp1250"])
    'cp1250'
    """
    texts = [sample.decode(encoding)[:N_CHARACTERS] for encoding in encodings]
    if len(set(texts)) == 1 or not letters_of(texts[0]):
        return encodings[0]
    return next((name for name, text in zip(encodings, texts, strict=True) if fits_language(text)), encodings[0])


def fits_language(text: str) -> bool:
    """Whether the language of a text is clear, and its alphabet has all letters of the text beyond ASCII."""
    from ...text.detect import language_probabilities  # takes time to import, and is seldom needed

    probabilities, letters = language_probabilities(text), letters_of(text)
    language = max(probabilities, key=lambda name: probabilities[name])
    alphabet = next((own for names, own in ALPHABETS.items() if language in names.split(", ")), "")
    return probabilities[language] >= CLEAR and bool(letters) and letters <= set(alphabet + alphabet.upper())


def letters_of(text: str) -> set[str]:
    """The different letters of a text beyond ASCII."""
    return {character for character in text if character.isalpha() and not character.isascii()}


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
    return tuple(frozenset(alphabet + alphabet.upper()) for alphabet in ALPHABETS.values())
