"""The second view of the documents: vectors of their texts, which are used beside their words.

By default (`embed="auto"`) they are those of the first model in DEFAULTS whose packages are installed. Nothing is
downloaded for it. The environment variable LABELFERRY_EMBED has another default, a name or "none".
"""

from __future__ import annotations

import os
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..core import progress
from ..files import user_cache
from ..linalg.matrix import Array
from ..text import clean, embed_texts, find_encoder
from ..text.encoders import MINILM, WORDLLAMA, is_installed
from ..text.request import AUTO
from .inputs import Inputs
from .matrices import SUFFIXES, read_matrix
from .options import TextOptions

N_STEPS = 10  # of the progress
OWN_VECTORS = "vectors of the user"  # in the settings, for a view without a name
FOLDER = "embeddings"  # in the user's cache
NONE = "none"
VARIABLE = "LABELFERRY_EMBED"
DEFAULTS = (MINILM, WORDLLAMA)  # the better one first
MAX_BY_DEFAULT = 100_000  # documents; more are encoded only if a model is named


class SecondView(NamedTuple):
    """Vectors of all documents, those of the sources first."""

    vectors: Any
    name: str | None  # of the model; None for vectors, functions and objects


def make_view(inputs: Inputs, options: TextOptions, backend: Any = None) -> SecondView | None:
    """The second view that `embed=` asks for; by default none beside features of the user or on a cluster."""
    n_documents = sum(len(source.texts) for source in inputs.sources) + len(inputs.texts)
    by_default = options.features is None and backend is None and n_documents <= MAX_BY_DEFAULT
    embed = chosen_embed(options.embed) if by_default or not is_auto(options.embed) else None
    if embed is None:
        return None
    if is_matrix(embed):
        return SecondView(read_matrix(embed, inputs, "embed"), None)
    texts = [text for source in inputs.sources for text in source.texts] + list(inputs.texts)
    return SecondView(embed_documents(embed, clean(texts, **options.cleaning)), view_name(embed))


def is_auto(embed: Any) -> bool:
    """Whether the model is chosen by labelferry."""
    return isinstance(embed, str) and embed == AUTO


def chosen_embed(embed: Any) -> Any:
    """What `embed` stands for: "auto" is the default of this machine, and "none" is None."""
    if is_auto(embed):
        installed = (name for name in DEFAULTS if is_installed(name))
        embed = os.environ.get(VARIABLE) or next(installed, None)
    return None if isinstance(embed, str) and embed == NONE else embed


def check_embed(embed: Any) -> None:
    """An error if `embed` names a model whose package is missing, or is no model; no file is read."""
    embed = chosen_embed(embed)
    if embed is not None and not is_matrix(embed):
        find_encoder(embed)


def view_message(name: str | None, weight: float) -> str:
    """What the second view was used for, in one line."""
    what = f"vectors of the texts ({name or OWN_VECTORS})"
    if weight == 0:
        return f"{what} were left out: your labelled documents are told apart better without them"
    return f"{what} were used beside the words, with {weight:.0%} of the weight in co-training; --embed none omits them"


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
