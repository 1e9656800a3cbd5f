"""The front door: texts and classes in, guesses out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ..files import user_cache
from ..inputs.opinions import read_descriptions
from ..tables.names import listed
from .prompt import MAX_CHARACTERS, Task, choose_examples

KEY = "LABELFERRY_API_KEY"  # environment variable with the key of a hosted server
CACHE = "llm.sqlite"  # in the user's cache


def make_task(
    classes: Sequence[str] | None = None,
    descriptions: Any = None,
    labelled: tuple[Sequence[str], Sequence[str]] | None = None,
    *,
    per_class: int = 0,
    max_characters: int = MAX_CHARACTERS,
) -> Task:
    """What is asked: classes by name, from labelled documents, which may also be examples, or from descriptions."""
    sentences = {} if descriptions is None else read_descriptions(descriptions)
    texts, labels = ((), ()) if labelled is None else labelled
    names = list(dict.fromkeys([*(classes or ()), *sorted(set(labels))])) or list(sentences)
    if len(names) < 2:
        raise ValueError(
            f"at least two classes are needed to ask; got {listed(names)}. Name them with --class, --labelled or "
            "--describe."
        )
    if unknown := [name for name in sentences if name not in names]:
        raise ValueError(f"descriptions: {unknown[0]!r} is no class; the classes are {listed(names)}. Remove it.")
    return Task(tuple(names), sentences, choose_examples(texts, labels, per_class), max_characters)


def cache_file(given: str | PathLike[str] | None) -> Path:
    """The file of known replies."""
    return user_cache() / CACHE if given is None else Path(given)


def import_client() -> Any:
    """The module of the client; an error that names the extra if it is not installed."""
    try:
        from . import client
    except ImportError as error:
        raise ValueError(f"asking a model needs {error.name}: pip install '.[llm]' in a clone of labelferry.") from None
    return client


def ask_llm(
    texts: Sequence[str],
    classes: Sequence[str] | None = None,
    *,
    endpoint: str,
    model: str,
    descriptions: Any = None,
    examples: tuple[Sequence[str], Sequence[str]] | None = None,
    per_class: int = 1,
    key_variable: str = KEY,
    cache: str | PathLike[str] | None = None,
    parallel: int = 4,
    **options: Any,
) -> Any:
    """Ask a large language model for the class of each text. The texts are sent to the endpoint.

    Parameters
    ----------
    texts : sequence of str
        The documents. Equal ones are asked once.
    classes : sequence of str, default=None
        The classes; None: those of the examples or the descriptions.
    endpoint : str
        Address of a server with the protocol of OpenAI, such as http://127.0.0.1:11434/v1.
    model : str
        Name of the model on this server.
    descriptions : dict, path or data frame, default=None
        One sentence per class; a file or frame has the columns class and description.
    examples : (texts, labels), default=None
        Labelled documents, of which some are shown to the model.
    per_class : int, default=1
        Number of examples per class.
    key_variable : str, default="LABELFERRY_API_KEY"
        Environment variable with the key of the server, if it needs one.
    cache : path, default=None
        File of known replies; None: in the user's cache.
    parallel : int, default=4
        Questions at the same time.
    **options : dict
        `timeout` (seconds), `tries`, `max_per_minute` and `max_tokens` (of a reply).

    Returns
    -------
    guesses : Guesses
        `labels` and `confidence`, one per text, None without a guess; `reasons` counts those without one.
    """
    client = import_client()
    from .ask import ask_model

    task = make_task(classes, descriptions, examples, per_class=per_class)
    with client.Client(endpoint, model, key=os.environ.get(key_variable) or None, **options) as opened:
        return ask_model(list(texts), task, opened, cache_file(cache), parallel=parallel)
