"""Texts as people see them: characters that nobody sees are dropped, and letters have their composed form (NFC).

A soft hyphen or a zero-width space inside a word makes another word of it, and an accent may be a part of its letter or
a character of its own. Two texts that look the same have the same normal form. Some of these characters stay beside
those that need them: in Arabic, Persian and Indian scripts joiners choose the form of a letter, in Thai and Khmer
zero-width spaces separate words, and in emoji joiners and selectors make one picture of several.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

# Ranges of regular expressions. The first four together are the default ignorable code points of Unicode.
NEVER_SEEN = (
    "\u00ad\u034f"  # soft hyphen, grapheme joiner
    "\u061c\u200e\u200f\u202a-\u202e"  # marks of direction
    "\u2060-\u206f\ufeff"  # word joiner, isolates of direction, byte order mark
    "\u3164\uffa0"  # fillers of Korean keyboards
)
SPACE = "\u200b"  # zero-width space
FILLERS = "\u115f\u1160"  # of Korean syllables
JOINERS = (
    "\u200c\u200d"  # zero-width non-joiner and joiner
    "\u17b4\u17b5\u180b-\u180f"  # vowels and selectors of one script
    "\ufe00-\ufe0f\U000e0000-\U000e0fff"  # selectors of variants, tags of flags
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # shorthand, music
)
WITHOUT_SPACES = "\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u1950-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"  # Thai to Tai Viet
JOINING = (
    "\u0600-\u061b\u061d-\u08ff\ufb50-\ufdff\ufe70-\ufefc"  # Arabic, Syriac, Thaana, N'Ko and others
    "\u0900-\u109f"  # Devanagari to Myanmar
    "\u1700-\u17b3\u17b6-\u180a\u1810-\u1cff"  # Philippine scripts, Khmer, Mongolian to Vedic signs
    "\ua800-\uabff\U00010a00-\U00011fff\U0001e900-\U0001e95f"  # other scripts of Asia, Adlam
    "\u00a9\u00ae\u203c\u2049\u20e3\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299"  # symbols of emoji
    "\U0001bc00-\U0001bc9f\U0001d100-\U0001d172\U0001d17b-\U0001d1ff\U0001f000-\U0001faff"
)
KOREAN = "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7fb"
ANY = re.compile(f"[{NEVER_SEEN}{SPACE}{FILLERS}{JOINERS}]")
DROPPED = (  # one after the other
    re.compile(f"[{NEVER_SEEN}]+"),
    re.compile(f"(?<![{WITHOUT_SPACES}{SPACE}]){SPACE}+(?![{WITHOUT_SPACES}{SPACE}])"),
    re.compile(f"(?<![{KOREAN}])[{FILLERS}]+(?![{KOREAN}])"),
    re.compile(f"(?<![{JOINING}{JOINERS}])[{JOINERS}]+(?![{JOINING}{JOINERS}])"),  # a run that joins nothing
)
SYLLABLE = re.compile("[\u1160-\u11ff]")  # vowels and final letters, which become parts of a Korean syllable


def normal_form(text: str) -> str:
    """A text as people see it.

    >>> normal_form("bil\\u00adling") == "billing", normal_form("cafe\\u0301") == "caf\\u00e9"
    (True, True)
    """
    if text.isascii():
        return text
    if ANY.search(text) is not None:
        for pattern in DROPPED:
            text = pattern.sub("", text)
    return unicodedata.normalize("NFC", text)


def is_normal(text: str) -> bool:
    """Whether a text is its normal form."""
    return text.isascii() or normal_form(text) == text


def with_places(text: str) -> tuple[str, list[int]]:
    """The normal form of a text, and where each of its characters begins in the text; the last place is the end.

    What is dropped belongs to the character before it, at the beginning to the first.

    >>> with_places("a\\u00adb")
    ('ab', [0, 2, 3])
    """
    kept, places = text, list(range(len(text)))
    for pattern in DROPPED:
        dropped = {i for match in pattern.finditer(kept) for i in range(*match.span())}
        places = [place for i, place in enumerate(places) if i not in dropped]
        kept = pattern.sub("", kept)
    is_part = [unicodedata.category(c) in ("Mn", "Mc") or SYLLABLE.match(c) for c in kept]  # of the letter before it
    starts = [i for i in range(len(kept)) if i == 0 or not is_part[i]]
    parts, begins = [], []
    for start, stop in pairwise([*starts, len(kept)]):
        part = unicodedata.normalize("NFC", kept[start:stop])
        parts.append(part)
        begins += [places[start]] * len(part)
    return "".join(parts), [0, *begins[1:], len(text)] if begins else [len(text)]
