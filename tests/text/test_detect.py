"""Languages and scripts of documents; what is said about them."""

import numpy as np
import pytest

from labelferry.text.detect import (
    Language,
    common_language,
    detect_language,
    foreign_share,
    language_messages,
    language_of,
)

from .. import tickets
from ..assessment.test_traps import HOTEL, chinese, german

FRENCH = [
    "Le colis n'est pas arrivé",
    "La facture est fausse et le montant a été débité deux fois",
    "Je voudrais annuler ma commande",
]
ARABIC = [
    "لم يصل طلبي حتى الآن وأريد استرداد المبلغ",
    "الفاتورة غير صحيحة وتم خصم المبلغ مرتين",
    "التطبيق لا يعمل بعد التحديث الأخير",
]
HINDI = ["मेरा ऑर्डर अभी तक नहीं आया है", "बिल गलत है और पैसे दो बार कट गए", "ऐप अपडेट के बाद नहीं चलता"]
THAI = ["คำสั่งซื้อของฉันยังไม่มาถึง", "ใบแจ้งหนี้ไม่ถูกต้อง", "แอปไม่ทำงานหลังจากอัปเดต"]
UNKNOWN = Language(None, {}, 0, 0.0, 0.0)


def of(name, share=1.0, **others):
    return Language(name, {name: share, **others}, 100, 0.0, 0.0)


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (tickets.demo().texts_source, "english"),
        (german(60)[0], "german"),
        (FRENCH * 10, "french"),
        (ARABIC * 10, "arabic"),
        (HINDI * 10, "hindi"),
        (THAI * 10, "thai"),
        (chinese(HOTEL, 60, 0)[0], "chinese"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_languages_of_short_tickets(texts, name):
    language = detect_language(texts)
    assert language.name == name
    assert language.share > 0.9
    assert language.has_unsegmented == (name in ("thai", "chinese"))
    assert language.has_marks == (name == "hindi")
    assert not language.others


def test_uncertain_texts_are_unknown():
    for texts in ([], ["12345", "!!!"] * 50, ["hub", "wifi"] * 50, tickets.demo().texts_source[:5]):
        assert detect_language(texts).name is None
    assert language_of("http://example.org @someone #tag 123") is None


def test_two_languages():
    mixed = detect_language([*tickets.demo().texts_source[:60], *german(40)[0]])
    assert mixed.name == "english"
    assert mixed.others == {"german": pytest.approx(0.4, abs=0.05)}
    half = detect_language([*tickets.demo().texts_source[:50], *german(50)[0]])
    assert half.name is None


def test_a_language_that_the_source_lacks():
    english = of("english")
    assert foreign_share(english, of("german")) == 1
    assert foreign_share(english, of("english", 0.7, german=0.3)) == pytest.approx(0.3)
    assert foreign_share(of("english", 0.8, german=0.2), of("english", 0.6, german=0.4)) == 0
    few = {f"language {i}": 0.02 for i in range(20)}
    assert foreign_share(english, of("english", 0.6, **few)) == 0  # votes for many languages are noise
    assert foreign_share(english, UNKNOWN) == 0
    assert foreign_share(UNKNOWN, english) == 0


def test_the_common_language():
    assert common_language(of("german"), of("german")).name == "german"
    assert common_language(of("german"), UNKNOWN).name == "german"
    assert common_language(of("german"), of("english")).name is None
    assert common_language(UNKNOWN, of("english")).name is None
    mixed = common_language(of("english"), of("chinese")._replace(unsegmented=0.9, marks=0.1))
    assert mixed.has_unsegmented
    assert mixed.has_marks


def test_messages():
    assert language_messages(of("english"), of("english")) == []
    assert language_messages(UNKNOWN, UNKNOWN) == []
    assert language_messages(of("german"), of("german")) == ["language of the documents: german (detected)"]
    assert language_messages(of("english"), of("german")) == [
        "the labelled documents are in english, the new ones in german"
    ]
    assert language_messages(of("english"), of("english", 0.7, german=0.3)) == [
        "the new documents are in several languages: 70% english, 30% german"
    ]


def test_long_inputs_are_sampled():
    texts = np.array(german(50)[0] * 200)
    assert detect_language(texts.tolist()).n_votes <= 310
