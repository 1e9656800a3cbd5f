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

OWN_VECTORS = "vectors of the user"  # in the settings, for a view without a name
FOLDER = "embeddings"  # in the user's cache
NONE = "none"
VARIABLE = "LABELFERRY_EMBED"
DEFAULTS = (MINILM, WORDLLAMA)  # the better one first
MAX_BY_DEFAULT = 100_000  # documents; more are encoded only if a model is named
WORDS_ALONE = "words alone were used"
TOO_MANY = f"more than {MAX_BY_DEFAULT:,} documents get vectors only if you name a model (--embed wordllama)"
INSTALL_ONE = "pip install wordllama adds one, --embed none hides this line"


class SecondView(NamedTuple):
    """Vectors of all documents, those of the sources first."""

    vectors: Any = None  # None: words alone
    name: str | None = None  # of the model; None for vectors, functions and objects
    messages: tuple[str, ...] = ()


def make_view(inputs: Inputs, options: TextOptions, backend: Any = None) -> SecondView:
    """The second view that `embed=` asks for; by default none beside features of the user or on a cluster."""
    if not is_auto(options.embed):
        return view_by(options.embed, inputs, options)
    if options.features is not None or backend is not None:
        return SecondView()
    n_documents = sum(len(source.texts) for source in inputs.sources) + len(inputs.texts)
    if n_documents > MAX_BY_DEFAULT and default_embed() != NONE:
        return SecondView(messages=(f"{WORDS_ALONE}: {TOO_MANY}",))
    return view_by_default(inputs, options)


def view_by(embed: Any, inputs: Inputs, options: TextOptions) -> SecondView:
    """The view by a model, or vectors of the user."""
    if is_none(embed):
        return SecondView()
    if is_matrix(embed):
        return SecondView(read_matrix(embed, inputs, "embed"))
    texts = [text for source in inputs.sources for text in source.texts] + list(inputs.texts)
    return SecondView(embed_documents(embed, clean(texts, **options.cleaning)), view_name(embed))


def view_by_default(inputs: Inputs, options: TextOptions) -> SecondView:
    """The view by the model of VARIABLE, or by the first of DEFAULTS that works: none is no error."""
    if (embed := default_embed()) is not None:
        return view_by(embed, inputs, options)
    errors: list[str] = []
    for name in filter(is_installed, DEFAULTS):
        try:
            return view_by(name, inputs, options)._replace(messages=tuple(errors))
        except ValueError as error:
            errors.append(str(error))
    why = "no model of vectors works" if errors else "no model of vectors is installed"
    return SecondView(messages=(*errors, f"{WORDS_ALONE}: {why}; {INSTALL_ONE}"))


def is_auto(embed: Any) -> bool:
    """Whether the model is chosen by labelferry."""
    return isinstance(embed, str) and embed == AUTO


def is_none(embed: Any) -> bool:
    """Whether words are used alone."""
    return embed is None or (isinstance(embed, str) and embed == NONE)


def default_embed() -> str | None:
    """What VARIABLE names instead of DEFAULTS; None if it names nothing."""
    embed = os.environ.get(VARIABLE)
    return embed if embed and not is_auto(embed) else None


def check_embed(embed: Any) -> None:
    """An error if `embed` names a model whose package is missing, or is no model; no file is read."""
    chosen = default_embed() if is_auto(embed) else embed
    if is_none(chosen) or is_matrix(chosen):
        return
    try:
        find_encoder(chosen)
    except ValueError as error:
        if is_auto(embed):
            raise ValueError(f"{VARIABLE}: {error}") from None
        raise


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
    return embed_texts(texts, find_encoder(model), cache=user_cache() / FOLDER, announce=Steps())


class Steps:
    """Announces one stage of the progress, and the share of it that is done."""

    def __init__(self) -> None:
        self.begun = False

    def __call__(self, done: int, total: int, share: float) -> None:
        if not self.begun:
            progress.expect(stage := f"embedding {total:,} texts")
            progress.begin(stage)
            self.begun = True
        progress.step(share)
