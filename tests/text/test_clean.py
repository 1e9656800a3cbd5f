"""Cleaning: visible text stays, and broken markup does not take long."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from labelferry.text import clean, strip_html, strip_quotes, strip_signature


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("a<b>b</b>c", "abc"),
        ("<script>if (a < b) run()</script>door<style>p {}</style>", "door"),
        ("AT&T &amp; caf&eacute; &#233; &lt;b&gt;", "AT&T & café é <b>"),
        ("a <!-- b < c --> d", "a d"),
        ("<!DOCTYPE html><?xml?><![if>door", "door"),
        ("3 < 5, I <3 doors", "3 < 5, I <3 doors"),
        ("<a href='x>y'>link</a>", "link"),
        ("", ""),
    ],
)
def test_html(text, visible):
    assert strip_html(text) == visible


@given(st.text("<>!?-/&;#[]='\" apxscrit\n", max_size=60))
@settings(max_examples=300, deadline=None)
def test_html_never_fails(text):
    assert "<script>" not in strip_html(text.replace("&", ""))


@pytest.mark.parametrize("markup", ["<", "<a ", "<!--", "</", "<![", "&", "<a x='", "wrote:\n", "> ", " \n"])
def test_broken_markup_is_fast(markup):
    clean([markup * 30_000], html=True, quotes=True, signatures=True)  # quadratic time would be minutes


def test_auto_does_not_change_plain_texts():
    plain = "if x <y and  z> w\n\n  then"
    assert clean([plain, "<br>door"]) == [plain, "door"]
    assert clean([plain], html=True) != [plain]
    assert clean(["<br>door"], html=False) == ["<br>door"]
    with pytest.raises(ValueError, match="html must be True, False or 'auto'; got 'yes'"):
        clean([""], html="yes")


def test_mail():
    mail = "From: me\nSubject: it\n\nAnn Example <ann@example.org> wrote:\n> red?\n>> blue?\n\nGreen.\n-- \nMe\nPhone"
    assert clean([mail], html=False, headers=True, quotes=True, signatures=True) == ["Green."]
    assert strip_signature("a\n--\n" + "long\n" * 30) == "a\n--\n" + "long\n" * 30
    assert strip_signature("-- \nonly this") == "-- \nonly this"
    assert strip_quotes("> only this") == "> only this"
    assert strip_quotes("a > b\nhe wrote:\nmore") == "a > b\nhe wrote:\nmore"
