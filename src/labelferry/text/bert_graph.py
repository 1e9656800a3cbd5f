r"""A BERT encoder as an ONNX graph with integer weights, from the weights that a package has as safetensors.

    x_0 = LN(E[word] + E[position] + E[type 0])
    x   = LN(x + W_o attention(x W_q, x W_k, x W_v)),    x = LN(x + W_2 gelu(W_1 x))      for each layer

The graph has the inputs `input_ids` and `attention_mask` and the output `last_hidden_state`. It is built once, because
packages have the weights but no graph, and quantized: matrices of 8 bits, activations scaled at run time. Reading
safetensors runs no code: the file is a JSON header and plain arrays.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..files import atomic_write

OPSET = 17
HIDDEN = -1e4  # added to the scores of padding
TYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a safetensors file."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header: dict[str, Any] = json.loads(raw[8 : 8 + size])
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = entry["data_offsets"]
            values = np.frombuffer(raw[8 + size + start : 8 + size + end], TYPES[entry["dtype"]])
            arrays[name] = values.reshape(entry["shape"])
    return arrays


def write_quantized(folder: Path, to: Path) -> None:
    """Write the graph of the BERT model in a folder (config.json, model.safetensors), quantized."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
        raise ValueError(f"{folder}: only BERT models with gelu can be converted; got {config.get('model_type')!r}.")
    graph = build_graph(read_safetensors(folder / "model.safetensors"), config)
    quantize = import_module("onnxruntime.quantization").quantize_dynamic
    with TemporaryDirectory() as temporary, atomic_write(to) as draft:
        exact = Path(temporary) / "exact.onnx"
        exact.write_bytes(graph.SerializeToString())
        quantize(exact, draft, op_types_to_quantize=["MatMul", "Gather"], per_channel=True)


def build_graph(weights: dict[str, np.ndarray], config: dict[str, Any]) -> Any:
    """The graph in single precision, an `onnx.ModelProto`."""
    onnx = import_module("onnx")
    helper, numpy_helper, proto = onnx.helper, onnx.numpy_helper, onnx.TensorProto
    heads, width, epsilon = config["num_attention_heads"], config["hidden_size"], config["layer_norm_eps"]
    per_head = width // heads
    nodes: list[Any] = []
    constants: dict[str, Any] = {}

    def constant(name: str, value: Any) -> str:
        constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def weight(name: str, factor: float = 1.0, turned: bool = False) -> str:
        value = weights[name].astype(np.float32) * np.float32(factor)
        return constant(name, value.T if turned else value)

    def linear(x: str, name: str, factor: float = 1.0) -> str:
        product = node("MatMul", x, weight(f"{name}.weight", factor, turned=True))
        return node("Add", product, weight(f"{name}.bias", factor))

    def normalized(x: str, name: str) -> str:
        scale, shift = weight(f"{name}.weight"), weight(f"{name}.bias")
        return node("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)

    def split(x: str, order: tuple[int, ...]) -> str:
        return node("Transpose", node("Reshape", x, constant("heads", np.array([0, 0, heads, per_head]))), perm=order)

    table = "embeddings.position_embeddings.weight"
    positions = constant("positions", weights[table] + weights["embeddings.token_type_embeddings.weight"][0])
    length = node("Slice", node("Shape", "input_ids"), constant("one", np.array([1])), constant("two", np.array([2])))
    here = node("Slice", positions, constant("zero", np.array([0])), length, constant("rows", np.array([0])))
    words = node("Gather", weight("embeddings.word_embeddings.weight"), "input_ids")
    x = normalized(node("Add", words, here), "embeddings.LayerNorm")
    padding = node("Sub", constant("1.", np.float32(1)), node("Cast", "attention_mask", to=proto.FLOAT))
    padding = node("Mul", padding, constant("hidden", np.float32(HIDDEN)))
    padding = node("Unsqueeze", padding, constant("middle", np.array([1, 2])))
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        q = split(linear(x, f"{name}.attention.self.query", per_head**-0.5), (0, 2, 1, 3))
        k = split(linear(x, f"{name}.attention.self.key"), (0, 2, 3, 1))
        v = split(linear(x, f"{name}.attention.self.value"), (0, 2, 1, 3))
        p = node("Softmax", node("Add", node("MatMul", q, k), padding), axis=-1)
        mixed = node("Transpose", node("MatMul", p, v), perm=(0, 2, 1, 3))
        mixed = node("Reshape", mixed, constant("width", np.array([0, 0, width])))
        mixed = linear(mixed, f"{name}.attention.output.dense")
        x = normalized(node("Add", x, mixed), f"{name}.attention.output.LayerNorm")
        inner = linear(x, f"{name}.intermediate.dense")
        erf = node("Erf", node("Mul", inner, constant("root", np.float32(0.5**0.5))))
        half = node("Mul", inner, constant("half", np.float32(0.5)))
        inner = node("Mul", half, node("Add", erf, constant("1.", np.float32(1))))
        x = normalized(node("Add", x, linear(inner, f"{name}.output.dense")), f"{name}.output.LayerNorm")
    nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    shape = ("documents", "pieces")
    inputs = [helper.make_tensor_value_info(n, proto.INT64, shape) for n in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("last_hidden_state", proto.FLOAT, (*shape, width))
    graph = helper.make_graph(nodes, "bert", inputs, [output], list(constants.values()))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
