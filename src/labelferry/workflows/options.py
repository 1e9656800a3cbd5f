"""Options that `label`, `compare` and `diagnose` share: how documents are read, and how texts become words.

An option is added here and where it is used. `accept_options` makes it a keyword of the three functions, and
`labelferry.cli.options` an option of the three commands.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from ..text.candidates import AUTO, TextRequest

Result = TypeVar("Result")


@dataclass(frozen=True)
class TextOptions:
    """How documents are read and how texts become words.

    Attributes
    ----------
    text : str, default=None
        Name of the text column; detected if not given.
    label : str or list, default=None
        Name of the label column of the source; detected if not given. For a list of texts, the labels themselves.
    domain : str, default=None
        Column of the sources: rows with different values are different sources.
    skip_bad : bool, default=False
        Whether to skip rows that cannot be read, with a message, instead of raising an error.
    encoding : str, default=None
        Encoding of the files if it is not UTF-8.
    features : path, default=None
        Features of the documents to use instead of their words: .npz or .npy, rows of the sources first.
    language : str, default="auto"
        Language of the stop words to remove; "auto": detected, and whether to remove them is chosen by
        cross-validation; None or "none" keeps all words.
    ngrams : int, default=None
        Count sequences of up to this many words; None: 1 or 2, chosen by cross-validation on the labelled documents.
    analyzer : {"auto", "words", "characters"}, default="auto"
        What is counted: words, or n-grams of characters. "auto": words, and n-grams of characters in scripts without
        spaces between words, such as Chinese.
    sublinear : bool, default=None
        Whether a word that occurs tf times in a document counts 1 + log(tf) instead of tf; None: chosen.
    min_documents : int, default=None
        Words in fewer documents are dropped; None: chosen.
    stem : bool, default=False
        Whether to count stems instead of words.
    html : bool or "auto", default="auto"
        Whether to remove HTML tags.
    headers : bool, default=False
        Whether to remove e-mail headers.
    signatures : bool, default=False
        Whether to remove e-mail signatures.
    max_memory : float, default=None
        Memory limit for fitting, in bytes; rare words are dropped to stay below it.
    """

    text: str | None = None
    label: Any = None
    domain: str | None = None
    skip_bad: bool = False
    encoding: str | None = None
    features: Any = None
    language: str | None = AUTO
    ngrams: int | None = None
    analyzer: str = AUTO
    sublinear: bool | None = None
    min_documents: int | None = None
    stem: bool = False
    html: bool | str = "auto"
    headers: bool = False
    signatures: bool = False
    max_memory: float | None = None

    @property
    def cleaning(self) -> dict[str, Any]:
        """Settings of `labelferry.text.clean`."""
        return {"html": self.html, "headers": self.headers, "signatures": self.signatures}

    @property
    def words(self) -> TextRequest:
        """The text settings that the user fixes."""
        return TextRequest(**{name: getattr(self, name) for name in TextRequest._fields})


NAMES = tuple(field.name for field in fields(TextOptions))


def accept_options(function: Callable[..., Result]) -> Callable[..., Result]:
    """Decorator: the fields of TextOptions become keywords; the function gets them as its parameter `options`."""
    own = inspect.signature(function)
    parameters = [p for p in own.parameters.values() if p.name != "options"]
    shared = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
        for field in fields(TextOptions)
    ]

    @functools.wraps(function)
    def accepting(*args: Any, **keywords: Any) -> Result:
        options = TextOptions(**{name: keywords.pop(name) for name in NAMES if name in keywords})
        return function(*args, **keywords, options=options)

    accepting.__signature__ = own.replace(parameters=[*parameters, *shared])  # type: ignore[attr-defined]
    return accepting
