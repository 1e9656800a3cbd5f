"""The second view of the documents: vectors of their texts, which are used beside their words."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..core import progress
from ..files import user_cache
from ..linalg.matrix import Array
from ..text import clean, embed_texts, find_encoder
from .inputs import Inputs
from .matrices import SUFFIXES, read_matrix
from .options import TextOptions

N_STEPS = 10  # of the progress
OWN_VECTORS = "vectors of the user"  # in the settings, for a view without a name
FOLDER = "embeddings"  # in the user's cache


def make_view(inputs: Inputs, options: TextOptions) -> Any:
    """The second view that `embed=` asks for."""
    if options.embed is None:
        return None
    if is_matrix(options.embed):
        return read_matrix(options.embed, inputs, "embed")
    texts = [text for source in inputs.sources for text in source.texts] + list(inputs.texts)
    return embed_documents(options.embed, clean(texts, **options.cleaning))


def check_embed(embed: Any) -> None:
    """An error if `embed` names a model whose package is missing, or is no model; no file is read."""
    if embed is not None and not is_matrix(embed):
        find_encoder(embed)


def view_name(embed: Any) -> str | None:
    """The name of the model, which a saved model can store; None for vectors, functions and objects."""
    return str(embed) if isinstance(embed, str | PathLike) and not is_matrix(embed) else None


def is_matrix(embed: Any) -> bool:
    """Whether `embed` contains vectors, or names a file of vectors; otherwise it is a model."""
    if isinstance(embed, str | PathLike):
        return str(embed).endswith(SUFFIXES)
    if callable(embed) or hasattr(embed, "encode"):
        return False
    return isinstance(embed, tuple | list | np.ndarray) or sp.issparse(embed) or hasattr(embed, "__array__")


def embed_documents(model: Any, texts: list[str]) -> Array:
    """Vectors of cleaned texts by a model, from the user's cache if they are there."""
    steps = Steps()
    return embed_texts(texts, find_encoder(model), cache=user_cache() / FOLDER, announce=steps)


class Steps:
    """Announces at most N_STEPS stages of the progress."""

    def __init__(self) -> None:
        self.last = -1

    def __call__(self, done: int, total: int) -> None:
        step = N_STEPS * done // total
        if step > self.last:
            stage = f"embedding texts ({done:,} of {total:,})"
            progress.expect(stage)
            progress.begin(stage)
        self.last = step
