"""Options that `label`, `compare` and `diagnose` share: how documents are read, and how texts become words.

An option is added here, as a field of TextOptions with its help for the command line, and where it is used. From the
field `accept_options` makes a keyword of the three functions, and `labelferry.cli.options` an option of the three
commands.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

from ..text.request import AUTO, TextRequest

Result = TypeVar("Result")
MIN_MEMORY = 1e6  # bytes; a smaller limit is a mistake, such as 5 instead of 5e9


class Option(NamedTuple):
    """A field of TextOptions on the command line."""

    help: str
    type: Any = None  # of a value there, if it is not that of the field
    metavar: str | None = None  # of a value in the help
    names: tuple[str, ...] = ()  # if it has another name than the field, or two
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class TextOptions:
    """How documents are read and how texts become words.

    Attributes
    ----------
    text : str or list of str, default=None
        Name of the text column; detected if not given. Several columns ("subject,body" or ["subject", "body"]) are
        joined with a blank line between them. Case and surrounding blanks of names may differ.
    text_target : str or list of str, default=None
        Text column of the target if it has another name than in the source.
    label : str or list, default=None
        Name of the label column of the source; detected if not given. For a list of texts, the labels themselves.
    label_target : str, default=None
        Column of the target with labels that are known already, if it has another name than in the source.
    merge_labels : bool, default=False
        Whether labels that differ only in case, blanks or Unicode form are one class, with the most frequent spelling.
    multi : bool, default=None
        Whether documents have several labels (docs/several-labels.md): one yes/no question per label. None: an error
        says so if they have; False: a text such as "bug;ui" is one class.
    use_target_labels : bool, default=False
        Whether `label` uses labels that the target has already as answers: they are kept and learned from.
    domain : str, default=None
        Column of the sources: rows with different values are different sources.
    skip_bad : bool, default=False
        Whether to go on after rows that cannot be read, with a message, instead of raising an error. Those of the
        target are in the result, without a label; those of the sources are left out.
    encoding : str, default=None
        Encoding of the files if it is not UTF-8.
    embed : str, callable, object or array, default="auto"
        Model that turns texts into vectors, which are used beside the words: a name or folder
        (`labelferry.text.encoders`), a function of a list of texts, or an object with `encode`. Or the vectors
        themselves, as in `features`. "auto": minilm or wordllama, if one of them is installed; None or "none": words
        alone.
    features : path, array or tuple of arrays, default=None
        Features of the documents to use instead of their words: one row per document, rows of the sources first. A
        .npz or .npy file, an array or a sparse matrix, or a tuple (source, target).
    language : str, default="auto"
        Language of the stop words to remove; "auto": detected, and whether to remove them is chosen by
        cross-validation; None or "none" keeps all words.
    ngrams : int, default=None
        Count sequences of up to this many words; None: 1 or 2, chosen by cross-validation on the labelled documents.
    analyzer : {"auto", "words", "characters"}, default="auto"
        What is counted: words, or n-grams of characters. "auto": words, and n-grams of characters in scripts without
        spaces between words, such as Chinese.
    sublinear : bool, default=None
        Whether a word that occurs tf times in a document counts 1 + log(tf) instead of tf; None: yes.
    min_documents : int, default=None
        Words in fewer documents are dropped; None: 2.
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

    text: Annotated[
        str | Sequence[str] | None,
        Option("Text column (default: detected). Several are joined: --text subject,body.", list[str]),
    ] = None
    text_target: Annotated[
        str | Sequence[str] | None, Option("Text column of TARGET if it has another name there.", list[str])
    ] = None
    label: Annotated[
        Any, Option("Label column of the source files (default: detected).", str, names=("--label", "--label-source"))
    ] = None
    label_target: Annotated[str | None, Option("Column of labels in TARGET if it has another name there.")] = None
    merge_labels: Annotated[bool, Option("Merge labels that differ only in case, blanks or Unicode form.")] = False
    multi: Annotated[
        bool | None,
        Option(
            "Documents have several labels, such as bug;ui, lists, or one column per label: one question per label."
        ),
    ] = None
    use_target_labels: Annotated[bool, Option("Labels that TARGET has already are kept and learned from.")] = False
    domain: Annotated[
        str | None,
        Option("For files that contain several sources: column with the source of each row (default: domain)."),
    ] = None
    skip_bad: Annotated[bool, Option("Go on after rows that cannot be read: they get no label, and are counted.")] = (
        False
    )
    encoding: Annotated[
        str | None, Option("Encoding of files that are not UTF-8, e.g. cp1252 (default: detected).")
    ] = None
    embed: Annotated[
        Any,
        Option(
            "Vectors of the texts to use beside their words: wordllama, minilm, a folder, a name such as "
            "sentence-transformers/all-MiniLM-L6-v2, or a .npy file with one row per document; 'none': words alone; "
            "'auto': minilm or wordllama, if installed.",
            str,
            metavar="MODEL",
        ),
    ] = AUTO
    features: Annotated[
        Any, Option("Feature matrix (.npz, .npy) instead of words; rows of the sources first.", Path)
    ] = None
    language: Annotated[
        str | None,
        Option("Language of the stop words to remove, e.g. german; 'none' keeps all words; 'auto': detected.", str),
    ] = AUTO
    ngrams: Annotated[
        int | None, Option("Count sequences of up to this many words (default: 1 or 2, chosen).", least=1, most=5)
    ] = None
    analyzer: Annotated[
        str,
        Option(
            "What is counted: words, characters (n-grams), or auto: words, and characters in scripts without spaces "
            "between words."
        ),
    ] = AUTO
    sublinear: Annotated[bool | None, Option("Count 1 + log(tf) instead of tf (default: yes).")] = None
    min_documents: Annotated[int | None, Option("Drop words in fewer documents (default: 2).", least=1)] = None
    stem: Annotated[bool, Option("Count stems instead of words.")] = False
    html: Annotated[
        bool | str,
        Option("Remove HTML tags: yes, no, or auto: from texts that look like HTML.", str, metavar="auto|yes|no"),
    ] = AUTO
    headers: Annotated[bool, Option("Remove e-mail headers.")] = False
    signatures: Annotated[bool, Option("Remove e-mail signatures.")] = False
    max_memory: Annotated[
        float | None, Option("Memory limit for fitting, e.g. 500M or 2G. Rare words are dropped to stay below it.", str)
    ] = None

    def __post_init__(self) -> None:
        """Raise an error if a value has the wrong type."""
        limit = self.max_memory
        if limit is not None and not (fits(limit, float) and MIN_MEMORY <= limit < float("inf")):
            raise ValueError(f"max_memory must be a number of bytes from 1e6, such as 5e9; got {limit!r:.60}.")
        for name, hint in HINTS.items():
            if not fits(value := getattr(self, name), hint):
                raise ValueError(f"{name} must be {words_of(hint)}; got {value!r:.60}.")

    def check_for(self, workflow: str) -> None:
        """Raise an error for options of `label` that another workflow does not have."""
        if self.use_target_labels:
            raise ValueError(f"{workflow} never uses labels of the target. Omit --use-target-labels.")
        if self.multi:
            raise ValueError(f"{workflow} needs one label per document. Omit multi (--multi), or use `label`.")

    @property
    def cleaning(self) -> dict[str, Any]:
        """Settings of `labelferry.text.clean`."""
        return {"html": self.html, "headers": self.headers, "signatures": self.signatures}

    @property
    def words(self) -> TextRequest:
        """The text settings that the user fixes."""
        return TextRequest(**{name: getattr(self, name) for name in TextRequest._fields})


KINDS: dict[Any, tuple[tuple[type, ...], str]] = {  # types of values, and their name in messages
    str: ((str,), "a text"),
    bool: ((bool,), "True or False"),
    int: ((Integral,), "a whole number"),
    float: ((Real,), "a number"),
    type(None): ((type(None),), "None"),
    Sequence[str]: ((list, tuple), "a list of texts"),
}


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has the type of a field of TextOptions. True is no number."""
    import numpy as np  # the command line starts without it

    if hint is Any:
        return True
    if isinstance(value, np.bool_):
        value = bool(value)
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if isinstance(value, bool) and bool not in kinds:
        return False
    if isinstance(value, list | tuple) and not all(isinstance(item, str) for item in value):
        return False
    return isinstance(value, tuple(type_ for kind in kinds for type_ in KINDS[kind][0]))


def words_of(hint: Any) -> str:
    """The type of a field in words."""
    return " or ".join(KINDS[kind][1] for kind in (get_args(hint) if isinstance(hint, UnionType) else (hint,)))


HINTS = get_type_hints(TextOptions)  # the types of the fields
ON_COMMAND_LINE: dict[str, Option] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(TextOptions, include_extras=True).items()
}


def accept_options(function: Callable[..., Result]) -> Callable[..., Result]:
    """Decorator: the fields of TextOptions become keywords; the function gets them as its parameter `options`."""
    own = inspect.signature(function)
    parameters = [p for p in own.parameters.values() if p.name != "options"]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(TextOptions, name), annotation=hint)
        for name, hint in HINTS.items()
    ]

    @functools.wraps(function)
    def accepting(*args: Any, **keywords: Any) -> Result:
        options = TextOptions(**{name: keywords.pop(name) for name in HINTS if name in keywords})
        return function(*args, **keywords, options=options)

    accepting.__signature__ = own.replace(parameters=[*parameters, *shared])  # type: ignore[attr-defined]
    return accepting
