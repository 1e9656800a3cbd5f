"""The second view: vectors of texts beside the words, from `label` to a saved model."""

import re
from zlib import crc32

import numpy as np
import pytest

import labelferry
from labelferry.core.progress import TimeLeft, listen
from labelferry.ensemble.panel import CO_TRAINING, VIEW_MEMBERS
from labelferry.families.linear import LinearModel
from labelferry.inputs.views import VARIABLE, Steps, is_matrix, view_name
from labelferry.labelling.view_student import ViewStudent
from labelferry.text import embed_texts, find_encoder
from labelferry.text.encoders import Encoder
from tests import tickets


def vectors(texts):
    """Counts of the beginnings of long words in 512 buckets: other features than words, which tell classes apart."""
    counts = np.zeros((len(texts), 512))
    for row, text in zip(counts, texts, strict=True):
        np.add.at(row, [crc32(word[:5].encode()) % 512 for word in re.findall(r"\w{4,}", text.lower())], 1)
    return np.sqrt(counts) + 0.001


class Buckets:
    def encode(self, texts):
        return vectors(texts)


def label(**settings):
    old, new = tickets.old(4), tickets.new(4)
    return labelferry.label(old["text"], new["text"], label=old["label"], **settings)


@pytest.fixture(scope="module")
def by_words():
    return label()


@pytest.fixture(scope="module")
def by_function():
    return label(embed=vectors)


@pytest.fixture
def named(monkeypatch, tmp_path):
    """A model with a name, without a package: `buckets`."""

    def find(model):
        assert model == "buckets"
        return Encoder(lambda: vectors, name="buckets", identity="buckets 1")

    monkeypatch.setattr("labelferry.inputs.views.find_encoder", find)
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path / "cache"))
    return "buckets"


def names(result):
    return [member["method"] for member in result.members]


def test_without_embed_there_is_no_view(by_words):
    assert CO_TRAINING not in names(by_words)
    assert "embed" not in by_words.settings
    assert by_words.features.view is None


def test_the_view_is_beside_the_words(by_words, by_function):
    assert names(by_function) == [*names(by_words), *VIEW_MEMBERS]
    assert by_function.settings["embed"] == "vectors of the user"
    assert by_function.features.words.tolist() == by_words.features.words.tolist()
    assert [sorted(words) for words in by_function.evidence][:3]  # words of the texts
    truth = tickets.demo().y_target[::4]
    assert (by_function.labels == truth).mean() >= (by_words.labels == truth).mean() - 0.03


@pytest.mark.parametrize("kind", ["object", "array", "tuple", "file"])
def test_all_kinds_of_views_give_the_same_labels(by_function, tmp_path, kind):
    old, new = tickets.old(4)["text"], tickets.new(4)["text"]
    Z = vectors([*old, *new]).astype(np.float32)
    np.save(tmp_path / "z.npy", Z)
    embed = {
        "object": Buckets(),
        "array": Z,
        "tuple": (Z[: len(old)], Z[len(old) :]),
        "file": str(tmp_path / "z.npy"),
    }[kind]
    assert label(embed=embed).labels.tolist() == by_function.labels.tolist()


def test_another_method_is_only_judged_with_the_view(by_function):
    plain, judged = label(method="tcl"), label(method="tcl", embed=vectors)
    assert judged.labels.tolist() == plain.labels.tolist()
    assert set(names(judged)) == set(names(by_function))


def test_compare_and_diagnose_use_the_view():
    old, new = tickets.old(4), tickets.new(4)
    rows = labelferry.compare(old["text"], new["text"], label=old["label"], embed=vectors)["rows"]
    assert CO_TRAINING in {row["method"] for row in rows}
    diagnosis = labelferry.diagnose(old["text"], new["text"], label=old["label"], embed=vectors)
    assert CO_TRAINING in diagnosis["agreement"]


def test_progress_names_the_texts(stages, named):
    with listen(stages):
        label(embed=named, method="sourcelr")
    assert "embedding 180 texts" in stages.begun


def test_progress_has_the_time_that_is_left():
    """Four characters per second: one stage, whose share says what is left."""
    texts = [f"{i} " + "x" * (i % 100) for i in range(2000)]
    now, shown = 0.0, []
    time_left = TimeLeft(lambda: now)

    def encode(some):
        nonlocal now
        shown.append((now, time_left.remaining()))
        now += sum(map(len, some)) / 4
        return np.ones((len(some), 2))

    with listen(time_left):
        embed_texts(texts, find_encoder(encode), batch=50, announce=Steps())
    assert len([None for _, left in shown if left.seconds]) > 20
    for then, left in shown:
        assert left.seconds is None or left.seconds == pytest.approx(now - then, rel=0.05, abs=60)


class Available:
    """The default models of a machine without packages: each turns texts into buckets, or is broken."""

    def __init__(self, monkeypatch, tmp_path):
        self.models = {}
        monkeypatch.delenv(VARIABLE, raising=False)
        monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr("labelferry.inputs.views.is_installed", lambda name: name in self.models)
        monkeypatch.setattr("labelferry.inputs.views.find_encoder", self.find)

    def find(self, name):
        if name not in self.models:
            raise ValueError(f"embed={name!r} needs the package {name}: pip install {name}.")
        return Encoder(lambda: self.models[name], name=name, identity=f"{name} of the tests")


@pytest.fixture
def available(monkeypatch, tmp_path):
    return Available(monkeypatch, tmp_path)


def broken(texts):
    raise ValueError("embed='minilm': onnxruntime cannot load this model (damaged).")


def test_the_default_is_wordllama_and_is_named(available):
    available.models = {"wordllama": vectors}
    result = label()
    assert CO_TRAINING in names(result)
    assert result.settings["embed"] == "wordllama"
    (line,) = [message for message in result.summary()["messages"] if "wordllama" in message]
    assert re.fullmatch(r"vectors of the texts \(wordllama\) were used beside the words, with \d+% of the .*", line)


def test_minilm_comes_first(available):
    available.models = {"wordllama": broken, "minilm": vectors}
    assert label(method="sourcelr").features.view_name == "minilm"


def test_without_a_model_words_are_used_alone_and_it_is_said(available, by_words):
    result = label()
    assert result.labels.tolist() == by_words.labels.tolist()
    assert "embed" not in result.settings
    said = "words alone were used: no model of vectors is installed; pip install wordllama adds one"
    assert sum(said in message for message in result.summary()["messages"]) == 1


def test_a_default_that_does_not_work_is_no_error(available):
    available.models = {"minilm": broken, "wordllama": vectors}
    result = label(method="sourcelr")
    assert result.features.view_name == "wordllama"
    assert "embed='minilm': onnxruntime cannot load this model (damaged)." in result.summary()["messages"]
    available.models = {"minilm": broken}
    result = label(method="sourcelr")
    assert result.features.view is None
    assert any("words alone were used: no model of vectors works" in line for line in result.summary()["messages"])


@pytest.mark.parametrize("embed", [None, "none"])
def test_none_switches_the_default_off(available, embed):
    available.models = {"wordllama": broken}
    result = label(embed=embed, method="sourcelr")
    assert result.features.view is None
    assert not any("words alone" in line or "vectors" in line for line in result.summary()["messages"])


def test_the_variable_has_another_default(available, monkeypatch):
    available.models = {"wordllama": broken, "mine": vectors}
    monkeypatch.setenv(VARIABLE, "mine")
    assert label(method="sourcelr").features.view_name == "mine"
    monkeypatch.setenv(VARIABLE, "none")
    assert label(method="sourcelr").features.view is None
    available.models = {"wordllama": vectors}
    for nothing in ("", "auto"):
        monkeypatch.setenv(VARIABLE, nothing)
        assert label(method="sourcelr").features.view_name == "wordllama"
    monkeypatch.setenv(VARIABLE, "other")
    with pytest.raises(ValueError, match="LABELFERRY_EMBED: embed='other' needs the package other"):
        label(method="sourcelr")


def test_what_is_named_must_work(available):
    available.models = {"minilm": broken, "wordllama": vectors}
    with pytest.raises(ValueError, match="cannot load this model"):
        label(embed="minilm", method="sourcelr")


def test_many_documents_and_features_have_no_default(available, monkeypatch):
    available.models = {"wordllama": broken}
    monkeypatch.setattr("labelferry.inputs.views.MAX_BY_DEFAULT", 100)
    said = label(method="sourcelr").summary()["messages"]
    assert any("words alone were used: more than 100,000 documents get vectors only if you name" in m for m in said)
    old, new = tickets.old(4)["text"], tickets.new(4)["text"]
    result = label(features=vectors([*old, *new]), method="sourcelr")
    assert result.features.view is None
    assert not any("alone" in line for line in result.summary()["messages"])


def test_vectors_that_say_nothing_are_left_out_and_it_is_said(tmp_path, named, monkeypatch):
    """As those of a language that the model does not know: the held-out labelled documents decide."""

    def noise(texts):
        return np.random.default_rng(0).normal(size=(len(texts), 5))

    monkeypatch.setattr("labelferry.inputs.views.find_encoder", lambda model: Encoder(lambda: noise, name="buckets"))
    result = label(embed=named)
    said = "vectors of the texts (buckets) were left out: your labelled documents are told apart better without them"
    assert said in result.summary()["messages"]
    assert result.documents.confidence.tolist() == label(embed=None).documents.confidence.tolist()
    result.save(tmp_path / "model.npz")
    assert labelferry.load(tmp_path / "model.npz").view is None  # later documents are not labelled by them either


@pytest.mark.slow
def test_wordllama_is_the_default_view_of_an_installation_with_it(monkeypatch, tmp_path):
    pytest.importorskip("wordllama")
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path))
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr("labelferry.inputs.views.DEFAULTS", ("wordllama",))
    result = label()
    assert result.settings["embed"] == "wordllama"
    assert result.features.view.shape == (180, 256)
    assert any("(wordllama) were used beside the words" in line for line in result.summary()["messages"])
    truth = tickets.demo().y_target[::4]
    assert (result.labels == truth).mean() >= (label(embed=None).labels == truth).mean() - 0.03


def test_a_saved_model_stores_the_name_and_labels_later_documents(tmp_path, named):
    result = label(embed=named)
    assert result.settings["embed"] == "buckets"
    result.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as arrays:
        assert '"embed": "buckets"' in str(arrays["model"])
    model = labelferry.load(tmp_path / "model.npz")
    later = tickets.demo().texts_target[1::4]
    P = model.proba(later)
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-5)
    assert not np.allclose(P, model.estimator.predict_proba(model._features(later)))
    assert (model.label(later) == tickets.demo().y_target[1::4]).mean() > 0.85
    assert model.assess(later).p_correct.shape == (len(later),)


def test_the_model_of_another_method_needs_no_vectors(tmp_path):
    label(method="tcl", embed=vectors).save(tmp_path / "model.npz")
    assert labelferry.load(tmp_path / "model.npz").view is None


def test_a_function_cannot_be_saved(by_function, tmp_path):
    with pytest.raises(ValueError, match="cannot be saved: only a name can be stored"):
        by_function.save(tmp_path / "model.npz")
    assert not (tmp_path / "model.npz").exists()


def test_vectors_of_another_length_are_an_error(named):
    student = ViewStudent("buckets", LinearModel(np.zeros((1, 7)), np.zeros(1)))
    with pytest.raises(ValueError, match="have the length 512; the model was fitted with 7"):
        student.combine(np.full((2, 2), 0.5), ["a", "b"])


@pytest.mark.parametrize(
    ("embed", "coef"), [(3, np.zeros((1, 7))), ("buckets", np.zeros(7)), ("buckets", np.zeros((3, 7)))]
)
def test_a_damaged_student(embed, coef):
    with pytest.raises(ValueError, match="its second view is"):
        ViewStudent.from_arrays(embed, {"coef": coef, "intercept": np.zeros(1)}, 2)


def test_what_is_a_matrix():
    assert is_matrix("vectors.npy")
    assert is_matrix(np.zeros((2, 2)))
    assert is_matrix([[1, 2]])
    assert not any(is_matrix(model) for model in ("wordllama", vectors, Buckets()))
    assert view_name("wordllama") == "wordllama"
    assert view_name("vectors.npy") is view_name(vectors) is view_name(None) is None


@pytest.mark.parametrize(
    ("embed", "message"),
    [
        (np.zeros((3, 2)), "embed must have one row for each of the 180 documents"),
        (lambda texts: np.full((len(texts), 2), np.nan), "embed: the model returned NaN"),
        (lambda texts: np.zeros(len(texts)), "one row per text"),
        (3, "embed must be the name of a model"),
        ("vectors.npy", "cannot read embed from vectors.npy"),
    ],
)
def test_one_line_errors(embed, message):
    with pytest.raises(ValueError, match=message) as error:
        label(embed=embed, method="sourcelr")
    assert "\n" not in str(error.value)
