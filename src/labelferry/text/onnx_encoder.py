"""Encoders in ONNX format, without torch: a folder with a graph (*.onnx) and a tokenizer (tokenizer.json).

Texts are cut to MAX_PIECES word pieces and encoded in batches of similar length. The vectors of the pieces are averaged
(or the first is taken, if `1_Pooling/config.json` says so); a graph that returns one vector per text is used as it is.
Vectors have unit length.

A folder runs no code: a graph has operations of onnxruntime only, because libraries of others must be registered by the
program. Since SAFE, onnxruntime reads no weights outside the folder of the graph, also if the graph names such a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

SAFE = (1, 24, 4)  # version of onnxruntime
MAX_PIECES = 128
MAX_PER_BATCH = 512  # pieces: what a layer computes stays in the cache of a processor
GRAPHS = ("model_int8.onnx", "model_quantized.onnx", "model_qint8*.onnx", "model.onnx", "*.onnx")  # the fastest first
TOKENIZER = "tokenizer.json"
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
POOLED = "sentence_embedding"  # output of one vector per text, beside others


def find_graph(folder: Path) -> Path | None:
    """The graph in a folder or in its folder `onnx`; None if there is none."""
    for pattern in GRAPHS:
        for place in (folder, folder / "onnx"):
            if found := sorted(place.glob(pattern)):
                return found[0]
    return None


def load_onnx(folder: Path) -> Callable[[list[str]], np.ndarray]:
    """The function that encodes a list of texts; a ValueError if the parts of the folder do not fit together."""
    graph = find_graph(folder)
    if graph is None or not (folder / TOKENIZER).is_file():
        raise ValueError(f"{folder} must contain *.onnx and {TOKENIZER}")
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(folder / TOKENIZER))
    cut = tokenizer.truncation or {}
    tokenizer.enable_truncation(min(MAX_PIECES, cut.get("max_length", MAX_PIECES)))
    tokenizer.no_padding()
    runtime = import_module("onnxruntime")
    if tuple(int(part) for part in runtime.__version__.split(".")[:3]) < SAFE:
        raise ValueError(f"onnxruntime {'.'.join(map(str, SAFE))} or later is needed; got {runtime.__version__}")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = n_threads()
    options.log_severity_level = 4  # errors are exceptions
    session = runtime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    pooling = folder / "1_Pooling" / "config.json"
    settings = json.loads(pooling.read_text(encoding="utf-8")) if pooling.is_file() else {}
    encoder = OnnxEncoder(session, tokenizer, bool(settings.get("pooling_mode_cls_token")))
    encoder(["a text"])  # an error of the graph is found here
    return encoder


def n_threads() -> int:
    """The processors that this process may use, or OMP_NUM_THREADS if that is less."""
    from joblib import cpu_count

    asked, available = os.environ.get("OMP_NUM_THREADS", ""), int(cpu_count())
    return min(int(asked), available) if asked.isdecimal() and int(asked) else available


class OnnxEncoder:
    """A session of onnxruntime with its tokenizer."""

    def __init__(self, session: Any, tokenizer: Any, first: bool) -> None:
        self.session, self.tokenizer, self.first = session, tokenizer, first
        self.inputs = [entry.name for entry in session.get_inputs()]
        if unknown := set(self.inputs) - INPUTS:
            raise ValueError(f"the graph has the inputs {sorted(unknown)}; only {sorted(INPUTS)} are known")
        outputs = [entry.name for entry in session.get_outputs()]
        self.output = POOLED if POOLED in outputs else outputs[0]

    def __call__(self, texts: list[str]) -> np.ndarray:
        pieces = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda i: len(pieces[i]))
        vectors: list[np.ndarray] = [np.zeros(0)] * len(texts)
        while order:
            longest = max(1, len(pieces[order[-1]]))
            some = order[-max(1, MAX_PER_BATCH // longest) :]
            del order[-len(some) :]
            for i, row in zip(some, self.encode([pieces[i] for i in some]), strict=True):
                vectors[i] = row
        return np.stack(vectors)

    def encode(self, pieces: list[list[int]]) -> np.ndarray:
        """One row of unit length per text; zeros for a text without pieces."""
        ids = np.zeros((len(pieces), max(1, *map(len, pieces))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(pieces):
            ids[i, : len(row)], mask[i, : len(row)] = row, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (Z,) = self.session.run([self.output], {name: given[name] for name in self.inputs})
        Z = np.asarray(Z, dtype=np.float32)
        if Z.shape[: Z.ndim - 1] not in (ids.shape[:1], ids.shape):
            raise ValueError(f"the graph must return one vector per text or per word piece; got shape {Z.shape}")
        if Z.ndim == 3:
            Z = Z[:, 0] if self.first else (Z * mask[..., None]).sum(axis=1)
        Z *= mask.any(axis=1, keepdims=True)
        return np.asarray(Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-12), dtype=np.float32)
