"""The second view: vectors of texts beside the words, from `label` to a saved model."""

import numpy as np
import pytest

import labelferry
from labelferry.core.progress import listen
from labelferry.ensemble.panel import CO_TRAINING
from labelferry.families.linear import LinearModel
from labelferry.inputs.views import is_matrix, view_name
from labelferry.labelling.view_student import ViewStudent
from tests import tickets


def vectors(texts):
    """Counts of the letters: other features than words."""
    return np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]) + 0.5


class Letters:
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
    """A model with a name, without a package: `letters`."""
    from labelferry.text.encoders import Encoder

    def find(model):
        assert model == "letters"
        return Encoder(lambda: vectors, name="letters", identity="letters 1")

    monkeypatch.setattr("labelferry.inputs.views.find_encoder", find)
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path / "cache"))
    return "letters"


def names(result):
    return [member["method"] for member in result.members]


def test_without_embed_there_is_no_view(by_words):
    assert CO_TRAINING not in names(by_words)
    assert "embed" not in by_words.settings
    assert by_words.features.view is None


def test_the_view_is_beside_the_words(by_words, by_function):
    assert names(by_function) == [*names(by_words), CO_TRAINING]
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
        "object": Letters(),
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
    assert "embedding texts (0 of 180)" in stages.begun


def test_a_saved_model_stores_the_name_and_labels_later_documents(tmp_path, named):
    result = label(embed=named)
    assert result.settings["embed"] == "letters"
    result.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as arrays:
        assert '"embed": "letters"' in str(arrays["model"])
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
    student = ViewStudent("letters", LinearModel(np.zeros((1, 7)), np.zeros(1)))
    with pytest.raises(ValueError, match="have the length 26; the model was fitted with 7"):
        student.combine(np.full((2, 2), 0.5), ["a", "b"])


@pytest.mark.parametrize(
    ("embed", "coef"), [(3, np.zeros((1, 7))), ("letters", np.zeros(7)), ("letters", np.zeros((3, 7)))]
)
def test_a_damaged_student(embed, coef):
    with pytest.raises(ValueError, match="its second view is"):
        ViewStudent.from_arrays(embed, {"coef": coef, "intercept": np.zeros(1)}, 2)


def test_what_is_a_matrix():
    assert is_matrix("vectors.npy")
    assert is_matrix(np.zeros((2, 2)))
    assert is_matrix([[1, 2]])
    assert not any(is_matrix(model) for model in ("wordllama", vectors, Letters()))
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
