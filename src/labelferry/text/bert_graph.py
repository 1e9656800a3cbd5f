r"""A BERT encoder as an ONNX graph with weights of 8 bits, from the weights that a package has as safetensors.

    x_0 = LN(E[word] + E[position] + E[type 0])
    x   = LN(x + W_o attention(x W_q, x W_k, x W_v)),    x = LN(x + W_2 gelu(W_1 x))      for each layer

    x W = s_i t_j sum_k round(x_ik / s_i) round(W_kj / t_j)                                                          (1)
    s_i = max_k |x_ik| / 127,    t_j = max_k |W_kj| / 127

The sum in (1) is one of integers. Every word piece has its own scale s_i, so that the vector of a text does not depend
on the other texts of its batch, as it would with one scale per batch (`quantize_dynamic` of onnxruntime). The graph has
the inputs `input_ids` and `attention_mask` and the output `last_hidden_state`. Reading safetensors runs no code: the
file is a JSON header and plain arrays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..files import open_atomic

OPSET, IR = 17, 9  # of ONNX
HIDDEN = -1e4  # added to the scores of padding
TOP, ZERO = 127, 128  # largest integer, and the unsigned one that stands for 0
TINY = 1e-9  # least maximum in (1)
TYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a safetensors file, read when they are used."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header: dict[str, Any] = json.loads(file.read(size))
    raw = np.memmap(path, mode="r", offset=8 + size)
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = entry["data_offsets"]
            arrays[name] = raw[start:end].view(TYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def write_graph(folder: Path, to: Path) -> None:
    """Write the graph of the BERT model in a folder (config.json, model.safetensors)."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
        raise ValueError(f"{folder}: only BERT models with gelu can be converted; got {config.get('model_type')!r}.")
    graph = build_graph(read_safetensors(folder / "model.safetensors"), config)
    with open_atomic(to) as file:
        file.write(graph.SerializeToString())


def to_integers(W: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """round(W / t) and t in (1), with one t for each position that is not on `axis`."""
    t = np.maximum(np.abs(W).max(axis=axis, keepdims=True), TINY) / np.float32(TOP)
    return np.round(W / t).astype(np.int8), t


def build_graph(weights: Mapping[str, np.ndarray], config: Mapping[str, Any]) -> Any:
    """The graph, an `onnx.ModelProto`."""
    onnx = import_module("onnx")
    helper, numpy_helper, proto = onnx.helper, onnx.numpy_helper, onnx.TensorProto
    heads, width, epsilon = config["num_attention_heads"], config["hidden_size"], config["layer_norm_eps"]
    per_head = width // heads
    nodes: list[Any] = []
    constants: dict[str, Any] = {}
    scaled: dict[str, tuple[str, str]] = {}

    def constant(name: str, value: Any) -> str:
        if name not in constants:
            constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def number(value: float) -> str:
        return constant(f"{value!r}", np.float32(value))

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def weight(name: str) -> np.ndarray:
        return weights[name].astype(np.float32)

    def integers(x: str) -> tuple[str, str]:
        """Names of round(x / s) + ZERO and of s in (1)."""
        if x not in scaled:
            largest = node("Max", node("ReduceMax", node("Abs", x), axes=[-1], keepdims=1), number(TINY))
            s = node("Mul", largest, number(1 / TOP))
            rounded = node("Round", node("Mul", x, node("Reciprocal", s)))
            scaled[x] = node("Cast", node("Add", rounded, number(float(ZERO))), to=proto.UINT8), s
        return scaled[x]

    def linear(x: str, name: str) -> str:
        values, t = to_integers(weight(f"{name}.weight").T, axis=0)
        rounded, s = integers(x)
        zero = constant("zero of integers", np.uint8(ZERO))
        product = node("MatMulInteger", rounded, constant(f"{name}.weight", values), zero)
        product = node("Mul", node("Cast", product, to=proto.FLOAT), constant(f"{name}.scale", t))
        return node("Add", node("Mul", product, s), constant(f"{name}.bias", weight(f"{name}.bias")))

    def normalized(x: str, name: str) -> str:
        scale, shift = (constant(f"{name}.{part}", weight(f"{name}.{part}")) for part in ("weight", "bias"))
        return node("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)

    def split(x: str, order: tuple[int, ...]) -> str:
        return node("Transpose", node("Reshape", x, constant("heads", np.array([0, 0, heads, per_head]))), perm=order)

    types = weight("embeddings.token_type_embeddings.weight")
    positions = constant("positions", weight("embeddings.position_embeddings.weight") + types[0])
    length = node("Slice", node("Shape", "input_ids"), constant("one", np.array([1])), constant("two", np.array([2])))
    here = node("Slice", positions, constant("zero", np.array([0])), length, constant("rows", np.array([0])))
    words, t = to_integers(weight("embeddings.word_embeddings.weight"), axis=1)
    word = node("Cast", node("Gather", constant("words", words), "input_ids"), to=proto.FLOAT)
    word = node("Mul", word, node("Gather", constant("words.scale", t), "input_ids"))
    x = normalized(node("Add", word, here), "embeddings.LayerNorm")
    padding = node("Sub", number(1.0), node("Cast", "attention_mask", to=proto.FLOAT))
    padding = node("Unsqueeze", node("Mul", padding, number(HIDDEN)), constant("middle", np.array([1, 2])))
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        q = split(node("Mul", linear(x, f"{name}.attention.self.query"), number(per_head**-0.5)), (0, 2, 1, 3))
        k = split(linear(x, f"{name}.attention.self.key"), (0, 2, 3, 1))
        v = split(linear(x, f"{name}.attention.self.value"), (0, 2, 1, 3))
        p = node("Softmax", node("Add", node("MatMul", q, k), padding), axis=-1)
        mixed = node("Transpose", node("MatMul", p, v), perm=(0, 2, 1, 3))
        mixed = linear(
            node("Reshape", mixed, constant("width", np.array([0, 0, width]))), f"{name}.attention.output.dense"
        )
        x = normalized(node("Add", x, mixed), f"{name}.attention.output.LayerNorm")
        inner = linear(x, f"{name}.intermediate.dense")
        erf = node("Erf", node("Mul", inner, number(0.5**0.5)))
        inner = node("Mul", node("Mul", inner, number(0.5)), node("Add", erf, number(1.0)))
        x = normalized(node("Add", x, linear(inner, f"{name}.output.dense")), f"{name}.output.LayerNorm")
    nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    shape = ("documents", "pieces")
    inputs = [helper.make_tensor_value_info(n, proto.INT64, shape) for n in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("last_hidden_state", proto.FLOAT, (*shape, width))
    graph = helper.make_graph(nodes, "bert", inputs, [output], list(constants.values()))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
