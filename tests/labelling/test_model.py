"""A saved model with its words is data: loading it runs nothing, and what is odd in it is refused."""

import json

import numpy as np
import pytest

import labelferry
from labelferry.labelling.apply import apply
from labelferry.labelling.model import Model

from .. import tickets


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    demo = tickets.demo()
    result = labelferry.label(
        demo.texts_source, demo.texts_target, label=demo.y_source, method="sourcelr", headers=True, signatures=True
    )
    path = tmp_path_factory.mktemp("model") / "model.npz"
    result.save(path)
    return path, result


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("loading ran code from the file",))


def arrays_of(path):
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def test_it_comes_back_whole(saved):
    path, result = saved
    model = labelferry.load(path)
    assert isinstance(model, Model)
    assert model.cleaning == {"html": "auto", "headers": True, "signatures": True}
    assert model.typical == result.typical
    assert model.words().tolist() == result.features.words.tolist()
    assert model.label(result.inputs.texts).tolist() == result.labels.tolist()
    np.testing.assert_allclose(model.proba(result.inputs.texts), result.estimator.transduction_proba_)
    page = "From: invoice\n\nThe password is wrong.\n-- \ninvoice invoice invoice"
    assert model.proba([page]).tolist() == model.proba(["The password is wrong."]).tolist()


def test_a_text_without_a_known_word_has_no_label(saved, tmp_path):
    model = labelferry.load(saved[0])
    texts = ["???", "The password is wrong.", "", "zzz qqq"]
    labels = model.label(texts)
    assert labels.tolist() == [None, "technical", None, None]
    tickets.write_csv(tmp_path / "later.csv", {"text": ["???", "The password is wrong.", "zzz qqq"]})
    applied = apply(saved[0], tmp_path / "later.csv")
    assert applied.columns["label"] == model.label(applied.table.columns["text"]).tolist()
    assert model.label(texts[1:2]).dtype == model.estimator.classes_.dtype


@pytest.mark.parametrize("name", ["model", "estimator/header", "estimator/array0", "vectorizer/settings"])
def test_a_pickle_in_the_file_is_not_opened(saved, tmp_path, name):
    arrays = {**arrays_of(saved[0]), name: np.array([Bomb()], dtype=object)}
    np.savez(tmp_path / "bomb.npz", **arrays)
    with pytest.raises(ValueError, match=r"not a model written by labelferry|Python objects"):
        labelferry.load(tmp_path / "bomb.npz")


def odd(name, change):
    def make(arrays):
        held = json.loads(str(arrays[name]))
        change(held)
        return {**arrays, name: np.array(json.dumps(held))}

    return make


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (odd("estimator/header", lambda h: h.update(estimator="os.system")), "which is none of"),
        (odd("estimator/header", lambda h: h["values"].update(predict="x")), "has no attribute 'predict'"),
        (odd("model", lambda h: h["cleaning"].update(html="__import__('os')")), "its setting html is"),
        (odd("model", lambda h: h["cleaning"].update(headers="auto")), "its setting headers is 'auto'"),
        (odd("model", lambda h: h["cleaning"].update(signatures=1)), "its setting signatures is 1"),
        (odd("model", lambda h: h["cleaning"].update(html=["auto"])), "its setting html is"),
        (odd("model", lambda h: h["cleaning"].pop("html")), "damaged: 'html'"),
        (odd("model", lambda h: h.update(cleaning=None)), "damaged"),
        (odd("model", lambda h: h.update(typical=[1])), "damaged"),
        (odd("model", lambda h: h["typical"].update(billing=3)), "damaged"),
        (odd("vectorizer/settings", lambda h: h.update(tokenizer="os.system")), "damaged"),
        (odd("vectorizer/settings", lambda h: h.update(preprocessor="os.system")), "damaged"),
        (lambda arrays: {**arrays, "model": np.array("no JSON")}, "damaged"),
        (lambda arrays: {**arrays, "model": np.array("[]")}, "damaged"),
        (lambda arrays: {name: a for name, a in arrays.items() if name != "vectorizer/words"}, "damaged"),
        (lambda arrays: {name: a for name, a in arrays.items() if name != "estimator/header"}, "not a model"),
    ],
)
def test_what_is_odd_is_refused(saved, tmp_path, make, message):
    path = tmp_path / "odd.npz"
    np.savez(path, **make(arrays_of(saved[0])))
    with pytest.raises(ValueError, match=message) as error:
        labelferry.load(path)
    assert str(path) in str(error.value)
    assert ".." not in str(error.value)
    assert "\n" not in str(error.value)


def test_words_of_another_model(saved, tmp_path):
    few = labelferry.label(
        ["red door", "red wall", "green tree", "green leaf"],
        ["red leaf"],
        label=["r", "r", "g", "g"],
        method="sourcelr",
    )
    few.save(tmp_path / "few.npz")
    arrays = arrays_of(saved[0])
    arrays |= {name: a for name, a in arrays_of(tmp_path / "few.npz").items() if name.startswith("vectorizer/")}
    np.savez(tmp_path / "mixed.npz", **arrays)
    with pytest.raises(ValueError, match="its words are not those of its estimator"):
        labelferry.load(tmp_path / "mixed.npz")


def test_cut_short(saved, tmp_path):
    (tmp_path / "cut.npz").write_bytes(saved[0].read_bytes()[:-300])
    with pytest.raises(ValueError, match="not a model written by labelferry"):
        labelferry.load(tmp_path / "cut.npz")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        labelferry.load(tmp_path / "none.npz")
