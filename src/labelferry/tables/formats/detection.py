"""The most probable encoding of bytes that are not UTF-8: the answer of chardet, and rules for its weak places.

It is asked only about encodings that files of texts have. Its models know words in small letters: words in capital
letters are compared as small ones. It does not recognize short texts in kana: they are recognized here. It takes signs
of Windows, such as dashes and quotes, for letters of DOS or of old Macs: they are such letters if the signs would be
inside words, and otherwise not.
"""

from __future__ import annotations

import codecs
import re

LATIN = ("cp1250", "cp1254", "cp1257", "cp1258", "iso8859_2")
CYRILLIC_AND_GREEK = ("cp1251", "koi8_r", "koi8_u", "iso8859_5", "cp1253", "iso8859_7")
DOS_AND_MAC = ("cp850", "cp866", "mac_roman")
JAPANESE = ("cp932", "euc_jis_2004")  # the second contains EUC-JP
OTHERS = ("cp1255", "cp1256", "cp874", "iso8859_6", "gb18030", "big5hkscs", "cp949", *JAPANESE)
WINDOWS = {"iso8859_2": "cp1250", "iso8859_6": "cp1256", "iso8859_7": "cp1253", "big5hkscs": "cp950"}
MOSTLY = 10  # times more capital letters than small ones
LOW, MANY = 0.1, 30  # of texts with 30 bytes beyond ASCII the confidence was 0.15 or more, of damaged ones 0.06 or less
DENSE = 1 / 3  # share of the bytes beyond ASCII in such texts; the confidence is lower in a text with a few signs

CONTROLS = bytes({*range(32)} - {*b"\t\n\r"})  # chardet takes text with such characters for binary data
DECLARED = bytes.maketrans(b"<#", b"  ")  # it believes the declarations of encodings in HTML, XML and Python
LONG = re.compile(rb"(?<=[\x00-\x7f]{30})[\x00-\x7f]+(?=[\x00-\x7f]{30})")  # only what is near other bytes tells
RUN = re.compile(rb"[\x80-\xff]+")
PAIR = re.compile(rb"[\x80-\xff]{2}")  # all alphabets but the Latin one have such pairs
WORD = re.compile(r"[^\W\d_]{2,}")
KANA = re.compile("[\u3041-\u30ff]")
ODD = re.compile(  # in cp1252: a sign in a word, a capital letter after a small one, a byte that means nothing
    r"(?<=[A-Za-z\x80-\uffff])[^\w\s\x00-\x7f–—…’](?=[A-Za-z\x80-\uffff])|(?<=[a-zß-ÿ])[À-ÖØ-ÞŠŽŒŸ]|\ufffd"  # noqa: RUF001
)
MANY_ODD = 0.2  # share of the bytes beyond ASCII; of texts in cp1252 it was 0


def detect(sample: bytes) -> str | None:
    """The most probable encoding of bytes that are not UTF-8, or None if they are no text in any encoding.

    >>> detect("Дверь сломана".encode("koi8_r")), detect("ДВЕРЬ СЛОМАНА".encode("cp1251"))
    ('koi8_r', 'cp1251')
    """
    # A new line comes first, because chardet takes a file that begins with "BM" for a picture.
    sample = LONG.sub(b"\n", b"\n" + sample.translate(DECLARED, CONTROLS))
    confidence, name = max(most_probable(sample), in_small_letters(sample))
    if confidence <= LOW and (japanese := next((other for other in JAPANESE if is_kana(sample, other)), None)):
        return japanese
    n_different = sum(map(len, {*RUN.findall(sample)}))  # a line that is repeated says nothing new
    if confidence <= LOW and n_different >= MANY and n_other(sample) >= DENSE * len(sample):
        return None
    return usual_name(sample, name)


def most_probable(sample: bytes) -> tuple[float, str]:
    """The confidence and the name of the encoding that chardet finds."""
    import chardet  # takes time, and is seldom needed

    names = candidates(sample)
    found = chardet.detect(sample, include_encodings=names, no_match_encoding=names[0], compat_names=False)
    return found["confidence"], (found["encoding"] or names[0]).replace("-", "_")


def candidates(sample: bytes) -> tuple[str, ...]:
    """The encodings that a sample may have."""
    n_odd = len(ODD.findall(sample.decode("cp1252", "replace")))
    others = (*CYRILLIC_AND_GREEK, *OTHERS) if PAIR.search(sample) else ()
    western = DOS_AND_MAC if n_odd >= MANY_ODD * n_other(sample) else ("cp1252",)
    return (*western, *LATIN, *others)


def in_small_letters(sample: bytes) -> tuple[float, str]:
    """The same for the small letters of a text in capital letters; a confidence of 0 for other texts."""
    best = 0.0, ""
    for name in ("cp1252", *LATIN, *CYRILLIC_AND_GREEK, *DOS_AND_MAC):
        text = decoded(sample, name) or ""
        words = "".join(word for word in WORD.findall(text) if not word.isascii())
        if sum(map(str.isupper, words)) > MOSTLY * sum(map(str.islower, words)):
            small = text.lower().encode(name, "ignore")
            confidence, found = most_probable(small)
            if confidence > best[0] and decoded(small, found) == decoded(small, name):
                best = confidence, name
    return best


def is_kana(sample: bytes, name: str) -> bool:
    """Whether half of the characters beyond ASCII are kana in this encoding."""
    text = decoded(sample, name) or ""
    return sum(not character.isascii() for character in text) <= 2 * len(KANA.findall(text)) > 0


def usual_name(sample: bytes, name: str) -> str:
    """The encoding of Windows in which the text is the same, or has the same letters; or the encoding of this name."""
    text, windows = decoded(sample, name), WINDOWS.get(name, name)
    if decoded(sample, "cp1252") == text:
        return "cp1252"
    return windows if letters_of(decoded(sample, windows)) == letters_of(text) else name


def decoded(sample: bytes, name: str) -> str | None:
    """The text of a sample, which may end within a character; None if it is not in this encoding."""
    try:
        return codecs.getincrementaldecoder(name)().decode(sample)
    except UnicodeDecodeError:
        return None


def letters_of(text: str | None) -> list[str]:
    """The letters of a text."""
    return [character for character in text or "" if character.isalpha()]


def n_other(sample: bytes) -> int:
    """The number of bytes beyond ASCII."""
    return sum(byte >= 0x80 for byte in sample)
