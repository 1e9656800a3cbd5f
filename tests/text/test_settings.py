"""Text settings: the candidates, what users fix, the choice, and what `label` does with it."""

import numpy as np
import pytest

import labelferry
from labelferry.text import vectorizer_from, vectorizer_state
from labelferry.text.detect import Language, detect_language
from labelferry.text.request import TextRequest
from labelferry.text.settings import (
    Counted,
    TextSettings,
    candidates,
    choose_settings,
    sample_per_class,
    simplest,
)

from .. import tickets
from ..assessment.test_traps import BOOKS, GERMAN, HOTEL, chinese, german
from .test_detect import ARABIC, HINDI, THAI

ENGLISH = Language("english", {"english": 1.0}, 100, 0.0, 0.0)
UNKNOWN = Language(None, {}, 0, 0.0, 0.0)
CHINESE = Language("chinese", {"chinese": 1.0}, 100, 0.95, 0.0)


def opinions(n, seed=0):
    """Reviews in which only a negation or the order of two words shows the opinion."""
    rng = np.random.default_rng(seed)
    labels = np.array(["good", "bad"] * (n // 2))
    phrases = {"good": ("not bad", "bit expensive"), "bad": ("bad not", "expensive bit")}
    things = ("pan", "lamp", "door", "chair", "radio", "knife")
    return [f"{rng.choice(things)} {rng.choice(phrases[y])} {rng.choice(things)}" for y in labels], labels


def test_each_fixed_option_is_the_same_in_all_candidates():
    free = candidates(TextRequest(), ENGLISH)
    assert len(free) == len(set(free)) > 1
    fixed = TextRequest(ngrams=3, sublinear=False, min_documents=4, language="none")
    assert candidates(fixed, ENGLISH) == [TextSettings(None, 3, "words", False, 4, detected="english")]
    assert {s.ngrams for s in candidates(TextRequest(ngrams=2), ENGLISH)} == {2}
    assert {s.language for s in candidates(TextRequest(language="german"), ENGLISH)} == {"german"}
    assert {s.language for s in candidates(TextRequest(language=None), ENGLISH)} == {None}
    assert {s.sublinear for s in candidates(TextRequest(sublinear=False), ENGLISH)} == {False}
    assert {s.min_documents for s in candidates(TextRequest(min_documents=7), ENGLISH)} == {7}
    assert {s.analyzer for s in candidates(TextRequest(analyzer="characters"), ENGLISH)} == {"characters"}


def test_stop_words_only_of_a_known_language():
    assert {s.language for s in candidates(TextRequest(), ENGLISH)} == {None, "english"}
    assert {s.language for s in candidates(TextRequest(), UNKNOWN)} == {None}
    assert {s.language for s in candidates(TextRequest(), ENGLISH._replace(name="thai"))} == {None}


def test_scripts_without_spaces():
    assert {s.analyzer for s in candidates(TextRequest(), CHINESE)} == {"mixed"}
    assert {s.analyzer for s in candidates(TextRequest(analyzer="words"), CHINESE)} == {"words"}


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (TextRequest(analyzer="letters"), "analyzer must be one of auto, words, characters; got 'letters'"),
        (TextRequest(ngrams=0), "ngrams must be a whole number"),
        (TextRequest(min_documents=0), "min_documents must be a whole number, 1 or more; got 0"),
        (TextRequest(language="klingon"), "known are: arabic, .*german"),
    ],
)
def test_errors_of_users(request_, message):
    with pytest.raises(ValueError, match=message):
        candidates(request_, ENGLISH)


def test_the_simplest_within_one_standard_error():
    a, b, c = TextSettings(), TextSettings(ngrams=2), TextSettings(ngrams=3)
    right = np.arange(400) < 300
    much_better, hardly_better = np.arange(400) < 330, right.copy()
    hardly_better[300] = True
    assert simplest({a: right, b: hardly_better}) == a
    assert simplest({a: right, b: much_better}) == b
    assert simplest({a: right, b: much_better, c: much_better}) == b
    assert simplest({a: right}) == a


def test_pairs_of_words_if_their_order_matters():
    texts, labels = opinions(200)
    choice = choose_settings(texts, labels, TextRequest(), ENGLISH)
    assert choice.settings.ngrams == 2
    assert choice.accuracies[choice.settings] > 0.9 > choice.accuracies[choice.settings._replace(ngrams=1)]
    assert choice.messages[0].startswith("texts: words and pairs of words, no stop words removed")
    correct = f"{choice.accuracies[choice.settings]:.1%} correct"
    assert choice.messages[0].endswith(f" (chosen by a test on your labelled documents: {correct})")
    assert len(choice.accuracies) == 3
    assert choose_settings(texts, labels, TextRequest(ngrams=1), ENGLISH).settings.ngrams == 1


def test_nothing_is_compared_with_few_documents_or_one_candidate():
    few = choose_settings(["good pan", "bad pan"] * 9, ["y", "n"] * 9, TextRequest(), ENGLISH)
    assert few.settings == candidates(TextRequest(), ENGLISH)[0]
    assert few.accuracies == {}
    one = choose_settings(["good pan", "bad pan"] * 9, ["y", "n"] * 9, TextRequest(ngrams=1, language=None), ENGLISH)
    assert one.messages == []


def test_nothing_is_compared_if_no_text_has_words():
    options = candidates(TextRequest(), ENGLISH)
    assert Counted.of(["!", "?"] * 10, options) is None
    counted = Counted.of(["!", "good pan"] * 10, options)
    assert counted is not None
    assert counted.counts.shape[0] == 20
    choice = choose_settings(["!", "?"] * 10, ["y", "n"] * 10, TextRequest(), ENGLISH)
    assert (choice.settings, choice.accuracies) == (options[0], {})


def test_each_source_is_held_out_in_turn():
    """A word that names the class in one source only is of no use in another."""
    texts, labels = opinions(180)
    sources = np.repeat([0, 1, 2], 60)
    names = {"good": ("alpha", "beta", "gamma"), "bad": ("delta", "epsilon", "zeta")}
    named = [f"{text} {names[y][s]}" for text, y, s in zip(texts, labels, sources, strict=True)]
    random = choose_settings(named, labels, TextRequest(language=None), ENGLISH)
    across = choose_settings(named, labels, TextRequest(language=None), ENGLISH, sources=sources)
    assert random.settings.ngrams == 1
    assert across.settings.ngrams == 2


def test_the_sample_keeps_rare_classes():
    codes = np.repeat([0, 1], [9000, 20])
    rows = sample_per_class(codes, 1000)
    assert 990 <= len(rows) <= 1020
    assert (codes[rows] == 1).sum() >= 10
    assert sample_per_class(codes[:10], 1000).tolist() == list(range(10))


def test_words_with_vowel_signs_are_not_split():
    language = detect_language(HINDI * 10)
    vectorizer = candidates(TextRequest(language=None), language)[0].vectorizer(min_df=1).fit(HINDI)
    assert {"नहीं", "ऑर्डर"} <= set(vectorizer.get_feature_names_out())
    hindi = candidates(TextRequest(language="hindi"), language)[0].vectorizer(min_df=1).fit(HINDI)
    assert "नहीं" in hindi.get_feature_names_out()  # a negation
    assert "अभी" not in hindi.get_feature_names_out()


def test_a_mixed_text_has_characters_and_words():
    settings = TextSettings(analyzer="mixed", min_documents=1, ngrams=2)
    vectorizer = settings.vectorizer().fit(["我的iPhone 很好, really good", *THAI])
    words = set(vectorizer.get_feature_names_out())
    assert {"我的", "很好", "iphone", "really good"} <= words
    assert not {"我的iphone", "的i"} & words
    assert all(not word.startswith("\u0e48") for word in words)  # a tone belongs to its consonant
    again = vectorizer_from(vectorizer_state(vectorizer))
    assert set(again.get_feature_names_out()) == words


@pytest.mark.parametrize("language", [None, "none"])
def test_no_language_in_python(language):
    d = tickets.demo()
    result = labelferry.label(
        d.texts_source[::4], d.texts_target[::4], label=d.y_source[::4].tolist(), method="sourcelr", language=language
    )
    assert result.settings["language"] is None


def german_task(n, seed=0):
    """German tickets of another department: the same words of the class, other words around them."""
    texts, labels = german(n, seed)
    around = ("im Werk", "in der Filiale") if seed else ("im Büro", "in der Zentrale")
    rng = np.random.default_rng(seed)
    return [f"{text} {rng.choice(around)}" for text in texts], labels


def test_german(tmp_path):
    source, y = german_task(120)
    target, truth = german_task(80, seed=1)
    result = labelferry.label(source, target, label=y.tolist())
    assert "language of the documents: german (detected)" in result.messages
    assert (result.labels == truth).mean() > 0.95
    stopped = labelferry.label(source, target, label=y.tolist(), method="sourcelr", language="german")
    words = set(stopped.features.words)
    assert {"nicht", "rechnung"} <= words
    assert not {"die", "der", "und"} & words
    auto = candidates(TextRequest(), detect_language(source))
    assert {settings.language for settings in auto} == {None, "german"}
    assert set(GERMAN) == set(np.unique(result.labels))


def test_arabic():
    classes = ("refund", "billing", "technical")
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=120)
    texts = [f"{ARABIC[c]} {rng.choice(['شكرا', 'من فضلك', 'مرحبا'])} {i}" for i, c in enumerate(codes)]
    result = labelferry.label(
        texts[:80], texts[80:], label=[classes[c] for c in codes[:80]], method="sourcelr", language="arabic"
    )
    assert (result.labels == np.array(classes)[codes[80:]]).all()
    assert "لم" in result.features.words
    assert "language of the documents: arabic (detected)" in result.messages


def test_chinese_by_default():
    source, y = chinese(HOTEL, 120, 0)
    target, truth = chinese(BOOKS, 120, 1)
    result = labelferry.label(source, target, label=y.tolist())
    assert (result.labels == truth).mean() > 0.95
    assert result.settings["analyzer"] == "mixed"
    assert any(message.startswith("texts: n-grams of characters") for message in result.messages)
    assert {len(word) for words in result.typical.values() for word in words} <= {1, 2, 3}


def test_a_saved_model_uses_the_chosen_settings(tmp_path):
    source, y = chinese(HOTEL, 120, 0)
    target, _ = chinese(BOOKS, 120, 1)
    result = labelferry.label(source, target, label=y.tolist(), method="sourcelr")
    result.save(tmp_path / "model.labelferry")
    later, later_truth = chinese(BOOKS, 60, 2)
    path = tickets.write_csv(tmp_path / "later.csv", {"text": later})
    applied = labelferry.apply(tmp_path / "model.labelferry", path)
    assert (np.array(applied.columns["label"]) == later_truth).mean() > 0.9


def test_stop_words_are_not_shown():
    settings = TextSettings(detected="english")
    words = np.array(["the", "not", "of the", "waste of", "printer"])
    assert settings.shown(words).tolist() == [False, True, False, True, True]
    assert TextSettings().shown(words).all()
    d = tickets.demo()
    result = labelferry.label(
        d.texts_source, d.texts_target, label=d.y_source.tolist(), method="sourcelr", language=None, ngrams=1
    )
    assert "the" in result.features.words
    summary = result.summary()
    diagnosis = labelferry.diagnose(d.texts_source, d.texts_target, label=d.y_source.tolist(), language=None, ngrams=1)
    rows = [*summary["changed_words"], *diagnosis["changed_words"]]
    rows += [row for own in diagnosis["carriers"]["classes"] for row in own["words"]]
    lists = [*result.typical.values(), *result.evidence, *(row["words"] for row in summary["classes"])]
    shown = {word for words in lists for word in words} | {row["word"] for row in rows}
    assert {"printer", "password", "subscription"} <= shown
    assert not {"the", "my", "in", "it", "at", "do", "when", "was"} & shown


def test_stop_words_are_not_shown_by_a_saved_model(tmp_path):
    d = tickets.demo()
    result = labelferry.label(
        d.texts_source, d.texts_target, label=d.y_source.tolist(), method="tcl(max_iter=20)", language=None, ngrams=1
    )
    result.save(tmp_path / "model.npz")
    topics = labelferry.explain(tmp_path / "model.npz")["topics"]
    lists = [words for topic in topics for words in (topic["common"], *topic["domains"].values())]
    lists += [words for topic in result.summary()["topics"] for words in (topic["common"], *topic["domains"].values())]
    model = labelferry.load(tmp_path / "model.npz")
    lists += model.evidence(d.texts_target, np.searchsorted(model.estimator.classes_, result.labels))
    shown = {word for words in lists for word in words}
    assert {"password", "subscription"} <= shown
    assert not {"the", "my", "in", "it", "at", "do", "when", "was", "is", "on"} & shown
