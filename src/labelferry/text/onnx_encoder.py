"""Encoders in ONNX format, without torch: a folder with a graph (*.onnx) and a tokenizer (tokenizer.json).

Texts are cut to MAX_PIECES word pieces and encoded in batches of similar length. The vectors of the pieces are averaged
(or the first is taken, if `1_Pooling/config.json` says so); a graph that returns one vector per text is used as it is.
Vectors have unit length.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

MAX_PIECES = 128
MAX_PER_BATCH = 4096  # pieces: scores of all pairs of pieces are in memory
NAMES = ("model_int8.onnx", "model_quantized.onnx", "model_qint8*.onnx", "model.onnx", "*.onnx")  # the fastest first


def find_graph(folder: Path) -> Path | None:
    """The graph in a folder or in its folder `onnx`; None if there is none."""
    for pattern in NAMES:
        for place in (folder, folder / "onnx"):
            if found := sorted(place.glob(pattern)):
                return found[0]
    return None


def load_onnx(folder: Path) -> Callable[[list[str]], np.ndarray]:
    """The function that encodes a list of texts."""
    graph = find_graph(folder)
    if graph is None or not (folder / "tokenizer.json").is_file():
        raise ValueError(f"{folder} has no *.onnx file with tokenizer.json beside it")
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_PIECES)
    tokenizer.no_padding()
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS") or 0)
    options.log_severity_level = 3
    session = runtime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    return OnnxEncoder(session, tokenizer, first_piece(folder))


def first_piece(folder: Path) -> bool:
    """Whether the vector of a text is that of its first piece."""
    pooling = folder / "1_Pooling" / "config.json"
    return pooling.is_file() and bool(json.loads(pooling.read_text(encoding="utf-8")).get("pooling_mode_cls_token"))


class OnnxEncoder:
    """A session of onnxruntime with its tokenizer."""

    def __init__(self, session: Any, tokenizer: Any, first: bool) -> None:
        self.session, self.tokenizer, self.first = session, tokenizer, first
        self.inputs = [entry.name for entry in session.get_inputs()]

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
        """One row of unit length per text."""
        ids = np.zeros((len(pieces), max(1, *map(len, pieces))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(pieces):
            ids[i, : len(row)], mask[i, : len(row)] = row, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        Z = np.asarray(self.session.run(None, {name: given[name] for name in self.inputs})[0], dtype=np.float32)
        if Z.ndim == 3:
            Z = Z[:, 0] if self.first else (Z * mask[..., None]).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)[:, None]
        return np.asarray(Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-12), dtype=np.float32)
