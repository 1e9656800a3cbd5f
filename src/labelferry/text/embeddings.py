"""Vectors of texts: computed in batches, each text once, and cached by the hash of the text.

Of a long text only the beginning is encoded.
The cache has one folder per model, and one .npz file per batch with two arrays: `keys`, the hashes of the texts, and
`vectors`. It contains no texts and no pickle. A file is written completely or not at all; a file that cannot be read is
ignored. So the folder can be deleted at any time, and several processes can use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ..files import open_atomic
from .encoders import Encoder

BATCH = 256  # texts
MAX_CHARACTERS = 8000  # of a text; models read 256 to 512 words, and long texts would fill the memory
MAX_COST = 1000  # characters that a text counts for in the progress: models read 128 to 512 word pieces
N_BYTES = 16  # of a key


def embed_texts(
    texts: Sequence[str],
    encoder: Encoder,
    *,
    cache: Path | None = None,
    batch: int = BATCH,
    announce: Callable[[int, int, float], None] | None = None,
) -> np.ndarray:
    """Compute the vectors of texts.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    encoder : Encoder
        The model. It is not loaded if all vectors are cached.
    cache : Path, default=None
        Folder of cached vectors; None, or an encoder without identity: no cache.
    batch : int, default=256
        Number of texts that are encoded together.
    announce : callable, default=None
        Called before each batch with the number of texts that are done, the number of all texts to encode, and the
        share of the work that is done.

    Returns
    -------
    vectors : array of float32, shape (n_texts, n_dimensions)
        One row per text.
    """
    folder = None
    if cache is not None and encoder.identity is not None:
        folder = cache / hashlib.sha256(encoder.identity.encode("utf-8", "surrogatepass")).hexdigest()[: 2 * N_BYTES]
    texts = [text[:MAX_CHARACTERS] for text in texts]
    keys = [_key(text) for text in texts]
    vectors = {} if folder is None else read_vectors(folder, set(keys))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
    order = sorted(missing, key=lambda key: len(missing[key]))  # texts of one length together are faster
    cost = np.cumsum([0, *(1 + min(len(missing[key]), MAX_COST) for key in order)])
    for start in range(0, len(order), batch):
        if announce is not None:
            announce(start, len(order), float(cost[start] / cost[-1]))
        some = order[start : start + batch]
        rows = check_vectors(encoder.encode([missing[key] for key in some]), [missing[key] for key in some])
        vectors |= zip(some, rows, strict=True)
        if folder is not None:
            _write(folder, some, rows)
    widths = sorted({len(row) for row in vectors.values()})
    if len(widths) > 1:
        raise ValueError(f"embed: the vectors of the texts must have one length; got {widths}.")
    return np.stack([vectors[key] for key in keys])


def check_vectors(given: Any, texts: Sequence[Any]) -> np.ndarray:
    """The vectors of these texts as float32; an error unless there is one row of finite numbers per text."""
    try:
        vectors = np.asarray(given)
        if vectors.dtype.kind not in "fiu":
            raise TypeError
    except (TypeError, ValueError):
        raise ValueError(
            f"embed: the model must return an array of numbers; got {type(given).__name__} for {len(texts)} texts."
        ) from None
    if vectors.ndim != 2 or len(vectors) != len(texts) or vectors.shape[1] == 0:
        raise ValueError(
            f"embed: the model must return one row per text, here {len(texts)} rows; got shape {vectors.shape}."
        )
    vectors = vectors.astype(np.float32)
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise ValueError(
            f"embed: the model returned NaN or infinity for {len(bad)} texts, the first is {texts[bad[0]][:40]!r}."
        )
    return vectors


def read_vectors(folder: Path, keys: set[bytes]) -> dict[bytes, np.ndarray]:
    """The cached vectors of these keys."""
    vectors: dict[bytes, np.ndarray] = {}
    for path in sorted(folder.glob("*.npz")):
        try:
            with np.load(path, allow_pickle=False) as arrays:
                cached = [row.tobytes() for row in arrays["keys"]]
                rows = [i for i, key in enumerate(cached) if key in keys]
                if rows:
                    found = check_vectors(arrays["vectors"], cached)
                    vectors |= {cached[i]: found[i] for i in rows}
        except (BadZipFile, EOFError, KeyError, OSError, ValueError):
            continue  # damaged: its texts are encoded again
    return vectors


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:N_BYTES]


def _write(folder: Path, keys: Sequence[bytes], vectors: np.ndarray) -> None:
    """Cache one batch. Without a place to write, nothing is cached."""
    array = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), N_BYTES)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open_atomic(folder / f"{hashlib.sha256(array.tobytes()).hexdigest()[: 2 * N_BYTES]}.npz") as file:
            np.savez(file, keys=array, vectors=vectors)
    except OSError:
        return
