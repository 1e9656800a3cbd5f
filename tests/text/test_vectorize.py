"""Languages, stems and word pairs; and a vectorizer as plain arrays, exactly."""

import io
import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from labelferry.text import tfidf, tfidf_vectorizer, vectorizer_from, vectorizer_state

TEXTS = ["The red doors of 12 houses", "A door is painted red, and the house green", "painting green houses", "Doors!"]
GERMAN = ["die roten Türen der Häuser und Gärten", "eine rote Tür und ein Haus", "das Haus ist rot"]


def words(vectorizer):
    return list(vectorizer.get_feature_names_out())


def test_the_default_parameters():
    expected = {"sublinear_tf": True, "min_df": 2, "token_pattern": r"(?u)\b[^\W\d_]{2,}\b"}
    assert tfidf_vectorizer(language=None).get_params() == TfidfVectorizer(**expected).get_params()
    english = set(tfidf_vectorizer().stop_words)
    assert english < ENGLISH_STOP_WORDS
    missing = {word for word in ENGLISH_STOP_WORDS - english if len(word) > 1}
    assert missing == {
        *("cannot", "cant", "couldnt", "hasnt", "neither", "never", "no", "nobody", "none", "noone", "nor", "not"),
        *("nothing", "nowhere", "without"),
    }


def test_languages():
    (X,), vectorizer = tfidf(GERMAN, language="german", min_df=1)
    assert words(vectorizer) == ["gärten", "haus", "häuser", "rot", "rote", "roten", "tür", "türen"]
    assert X.shape == (3, 8)
    assert words(tfidf(GERMAN, language="de", min_df=1)[1]) == words(vectorizer)
    assert "und" in words(tfidf(GERMAN, language=None, min_df=1)[1])
    assert tfidf_vectorizer(language="en").stop_words == tfidf_vectorizer().stop_words
    for language in (None, "none", "None"):
        assert tfidf_vectorizer(language=language).stop_words is None
    with pytest.raises(ValueError, match="'klingon' has no stop words; known are: arabic"):
        tfidf_vectorizer(language="klingon")


@pytest.mark.filterwarnings("error")
def test_stop_words_are_words_of_the_pattern():
    tfidf(["l'acqua e il pane", "il pane"], language="italian", min_df=1)  # scikit-learn warns if they are not


def test_stems():
    pytest.importorskip("Stemmer")
    assert words(tfidf(TEXTS, stem=True, min_df=1)[1]) == ["door", "green", "hous", "paint", "red"]
    pairs = words(tfidf(TEXTS, stem=True, min_df=1, ngrams=2)[1])
    assert "red door" in pairs
    assert "door paint" in pairs  # "is" is removed before pairs are made
    vectorizer = tfidf_vectorizer(stem=True, min_df=1)
    assert (clone(vectorizer).fit_transform(TEXTS) != vectorizer.fit_transform(TEXTS)).nnz == 0
    for settings, message in [
        ({"language": None}, "needs a language; got None"),
        ({"language": "none"}, "needs a language; got 'none'"),
        ({"language": "klingon", "stop_words": None}, "'klingon' has no stems"),
        ({"analyzer": "char"}, "a tokenizer or analyzer also"),
    ]:
        with pytest.raises(ValueError, match=message):
            tfidf_vectorizer(stem=True, **settings)


def test_ngrams():
    assert "red doors" in words(tfidf(TEXTS, ngrams=2, min_df=1)[1])
    with pytest.raises(ValueError, match="ngrams must be a whole number, 1 or more; got 0"):
        tfidf_vectorizer(ngrams=0)


def test_a_missing_package_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "Stemmer", None)
    with pytest.raises(ValueError, match="pip install"):
        tfidf_vectorizer(stem=True, language="irish", stop_words=None)


def through_a_file(state):
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **state)
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return dict(arrays)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"stem": True},
        {"language": "german", "stem": True, "ngrams": 2},
        {"language": "german"},
        {"language": None, "use_idf": False},
        {"dtype": np.float32, "norm": None, "binary": True},
        {"analyzer": "mixed", "ngrams": 2},
        {"analyzer": "characters"},
        {"analyzer": "char_wb", "ngram_range": (2, 3), "stop_words": None, "token_pattern": None},
        {"vocabulary": ["red", "door"]},
        {"max_df": np.float64(0.9), "max_features": 3, "strip_accents": "unicode", "lowercase": False},
    ],
)
def test_a_vectorizer_is_rebuilt_exactly(settings):
    if settings.get("stem"):
        pytest.importorskip("Stemmer")
    texts = [*TEXTS, *GERMAN, "红色的门 red doors"]
    vectorizer = tfidf_vectorizer(**{"min_df": 1, **settings}).fit(texts)
    back = vectorizer_from(through_a_file(vectorizer_state(vectorizer)))
    assert words(back) == words(vectorizer)
    new = [*texts, "a new red house with café-doors"]
    before, after = vectorizer.transform(new), back.transform(new)
    assert after.dtype == before.dtype
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(after, part), getattr(before, part))
    same = {**vectorizer.get_params(), "vocabulary": None}  # the given vocabulary is the learned one
    assert back.get_params() == same
    again = vectorizer_state(back)
    assert all(np.array_equal(again[name], value) for name, value in vectorizer_state(vectorizer).items())


def test_one_long_word_needs_memory_of_its_own_length():
    state = vectorizer_state(tfidf_vectorizer(min_df=1).fit(["x" * 1_000_000, *TEXTS]))
    assert sum(array.nbytes for array in state.values()) < 1_100_000


def test_a_function_cannot_be_saved():
    vectorizer = tfidf_vectorizer(min_df=1, tokenizer=str.split, token_pattern=None).fit(TEXTS)
    with pytest.raises(ValueError, match="tokenizer is a function of your own"):
        vectorizer_state(vectorizer)
    with pytest.raises(ValueError, match="input must be 'content' to be saved; got 'filename'"):
        vectorizer_state(tfidf_vectorizer(min_df=1).fit(TEXTS).set_params(input="filename"))


@pytest.mark.parametrize(
    "damage",
    [
        {"settings": np.array("{")},
        {"settings": np.array("[]")},
        {"settings": np.array('{"format": 2}')},
        {"settings": lambda s: {**s, "preprocessor": "os.system"}},
        {"settings": lambda s: {**s, "tokenizer": "os.system"}},
        {"settings": lambda s: {**s, "input": "filename"}},
        {"settings": lambda s: {**s, "norm": "l3"}},
        {"settings": lambda s: {**s, "dtype": "object"}},
        {"words": np.zeros(3, np.uint8)},
        {"ends": np.array([], int)},
        {"idf": np.ones(1)},
        {"idf": np.array(["a"])},
    ],
)
def test_a_damaged_state_is_rejected(damage):
    state = vectorizer_state(tfidf_vectorizer(min_df=1).fit(TEXTS))
    ((name, value),) = damage.items()
    state[name] = np.array(json.dumps(value(json.loads(str(state[name]))))) if callable(value) else value
    with pytest.raises(ValueError, match="not the state of a vectorizer"):
        vectorizer_from(state)
