"""What nobody sees is dropped; what a script or an emoji needs stays."""

import unicodedata

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from labelferry.report.highlight import pieces
from labelferry.tables.invisible import ANY, is_normal, normal_form, with_places
from labelferry.tables.labels import find_spellings, is_missing, strip_label

DROPPED = ["\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2060", "\u2066", "\u202e", "\ufeff", "\ufe0f"]
NEEDED = [
    "می\u200cخو\u0627\u0647م",  # Persian: the letters before and after it are not joined
    "\u0647ـ\u200d",  # Arabic: a letter in its joined form
    "क्\u200dष",  # Hindi: half a letter
    "क्\u200cष",
    "ශ්\u200dරී",  # Sinhala
    "নির্\u200dমাণ",  # Bengali
    "ന്\u200d",  # Malayalam
    "สวัสดี\u200bครับ",  # Thai: between two words
    "ភាសា\u200bខ្មែរ",  # Khmer
    "👩\u200d👩\u200d👧",  # a family
    "🏳\ufe0f\u200d🌈",
    "❤\ufe0f",
    "1\ufe0f\u20e3",
    "\u1112\u1160\u11ab",  # Korean: a syllable without a vowel
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of England
    "ᠮᠣᠩᠭᠣᠯ\u180eᠤᠨ",  # Mongolian
]
IGNORABLE = [  # Default_Ignorable_Code_Point, without reserved ones
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
]
LETTERS = st.sampled_from(
    [*"aeé한ᄒ", "\u0301", "\u0323", "\u1161", "\u11ab", "क", "क\u093c", "\u0627", "ก", "👩", *DROPPED]
)


@pytest.mark.parametrize("character", DROPPED)
def test_what_nobody_sees_is_dropped_in_words(character):
    assert normal_form(f"bil{character}ling") == "billing"
    assert normal_form(f"{character}счёт{character}") == "счёт"
    assert not is_normal(f"bil{character}ling")
    assert strip_label(f" {character}billing{character} ") == "billing"


@pytest.mark.parametrize("text", NEEDED)
def test_what_a_script_or_an_emoji_needs_stays(text):
    text = unicodedata.normalize("NFC", text)
    assert ANY.search(text)
    assert normal_form(text) == text
    assert normal_form(f"a {text} b") == f"a {text} b"


def test_every_ignorable_code_point_of_unicode_is_dropped_between_latin_letters():
    for first, last in IGNORABLE:
        for code in range(first, last + 1):
            assert normal_form(f"a{chr(code)}b") == "ab", hex(code)


@given(st.lists(LETTERS, max_size=12).map("".join))
@settings(max_examples=400, deadline=None)
def test_the_normal_form_has_one_form_and_places(text):
    form, places = with_places(text)
    assert form == normal_form(text)
    assert normal_form(form) == form
    assert is_normal(text) == (form == text)
    assert len(places) == len(form) + 1
    assert places == sorted(places)
    assert places[-1] == len(text)
    assert normal_form(unicodedata.normalize("NFD", text)) == form


def test_an_ascii_text_is_the_same_object():
    text = "plain text"
    assert normal_form(text) is text


@pytest.mark.parametrize(
    "text", ["\ufeffThe bil\u00adling was late", "The cafe\u0301 bi\u200blli\u200bng \u200f", "\u200b"]
)
def test_marked_words_are_found_and_the_text_is_shown_as_it_is(text):
    found = pieces(text, ["billing", "café"])
    assert "".join(piece.text for piece in found) == text
    marked = [normal_form(piece.text).strip() for piece in found if piece.is_evidence]
    assert marked == [word for word in ("café", "billing") if word in normal_form(text)]


def test_labels_that_look_the_same_are_one():
    assert find_spellings(["billing", "bil\u200bling", "tech"])  # as merge_labels compares them
    assert is_missing("\u200b\ufeff")
    assert strip_label("cafe\u0301") == "café"
    assert strip_label(3) == 3
