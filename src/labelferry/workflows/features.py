"""From texts to matrices: one vocabulary for all domains, within a memory limit."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from ..assessment.facts import Languages
from ..core.classifier import TransductiveClassifier
from ..core.documents import read_documents
from ..core.domains import Domains
from ..linalg.matrix import Array
from ..text import clean
from ..text.candidates import TextSettings
from ..text.detect import common_language, detect_language, foreign_share, language_messages
from ..text.settings import choose_settings
from .inputs import TARGET, Inputs
from .options import TextOptions

# What a fit needs beside the matrix: a copy in another order, and the factors of some 64 topics in double precision.
COPIES = 3
COLUMNS = 64
MIN_WORDS = 1000  # with fewer words an error is better than a result


class Features(NamedTuple):
    Xs: list[Any]  # one matrix per source
    Xt: Any
    words: Array
    vectorizer: TfidfVectorizer | None  # None if the user gave the features
    messages: list[str]
    text_settings: TextSettings | None = None  # None if the user gave the features
    languages: Languages | None = None

    @property
    def shown(self) -> Array | None:
        """Which words are shown to people as evidence; None: all."""
        return None if self.text_settings is None else self.text_settings.shown(self.words)

    def domains(self, inputs: Inputs, estimator: TransductiveClassifier) -> Domains:
        """The domains to fit, checked for this estimator."""
        blocks = [read_documents(estimator, X, reset=i == 0) for i, X in enumerate([*self.Xs, self.Xt])]
        labels = [source.labels for source in inputs.sources]
        sources = list(zip(inputs.domain_keys, blocks, labels, strict=False))
        return Domains.from_blocks(sources, (TARGET, blocks[-1]), estimator=type(estimator).__name__)


def make_features(inputs: Inputs, options: TextOptions) -> Features:
    """The features of the documents: the user's own, or tf-idf of their texts."""
    return vectorize(inputs, options) if options.features is None else read_features(options.features, inputs)


def vectorize(inputs: Inputs, options: TextOptions) -> Features:
    """tf-idf of the cleaned texts. With a memory limit, rare words are dropped to stay below it."""
    corpora = [clean(t, **options.cleaning) for t in (*(source.texts for source in inputs.sources), inputs.texts)]
    texts = [text for corpus in corpora for text in corpus]
    settings, languages, messages = choose_words(corpora, inputs, options)
    try:
        vectorizer = settings.vectorizer()
        X = sp.csr_array(vectorizer.fit_transform(texts))
    except ValueError as error:
        if "vocabulary" not in str(error) and "no terms remain" not in str(error).lower():
            raise
        raise ValueError(
            "no words are left in the texts: all are stop words, numbers, or in one document only. Check the text "
            "column, pass language=None (--language none), or add documents."
        ) from None
    if options.max_memory is not None and (keep := words_within(X, options.max_memory)) < X.shape[1]:
        messages.append(f"{keep:,} of {X.shape[1]:,} words are kept, the most frequent, to stay below --max-memory")
        vectorizer = settings.vectorizer(max_features=keep)
        X = sp.csr_array(vectorizer.fit_transform(texts))
    *Xs, Xt = _split(X, [len(corpus) for corpus in corpora])
    return Features(Xs, Xt, vectorizer.get_feature_names_out(), vectorizer, messages, settings, languages)


def choose_words(
    corpora: list[list[str]], inputs: Inputs, options: TextOptions
) -> tuple[TextSettings, Languages, list[str]]:
    """Text settings for the cleaned texts of each source and of the target, their languages, and messages."""
    *sources, target = corpora
    labelled = [text for corpus in sources for text in corpus]
    source_language, target_language = detect_language(labelled), detect_language(target)
    choice = choose_settings(
        labelled,
        inputs.labels,
        options.words,
        common_language(source_language, target_language),
        sources=np.repeat(np.arange(len(sources)), [len(corpus) for corpus in sources]),
    )
    languages = Languages(
        source_language.name or "", target_language.name or "", foreign_share(source_language, target_language)
    )
    return choice.settings, languages, [*language_messages(source_language, target_language), *choice.messages]


def words_within(X: sp.csr_array, max_memory: float) -> int:
    """How many words, the most frequent first, allow a fit to stay below so many bytes."""
    entries = np.sort(np.bincount(X.indices, minlength=X.shape[1]))[::-1]
    per_entry = (X.data.itemsize + X.indices.itemsize) * COPIES
    bytes_needed = np.cumsum(entries * per_entry + 8 * COLUMNS * COPIES) + 8 * COLUMNS * X.shape[0]
    keep = int(np.searchsorted(bytes_needed, max_memory, side="right"))
    least = min(MIN_WORDS, X.shape[1])
    if keep < least:
        raise ValueError(
            f"max_memory is enough for {keep} of {X.shape[1]} words; at least {least} are needed, "
            f"{bytes_needed[least - 1] / 1e6:.0f} MB. Raise it, or pass fewer documents."
        )
    return keep


def read_features(path: str | PathLike[str], inputs: Inputs) -> Features:
    """The user's own features: scipy's .npz or numpy's .npy, rows of the sources in order, then those of the target."""
    path = Path(path)
    try:
        X = sp.csr_array(sp.load_npz(path)) if path.suffix == ".npz" else np.load(path, allow_pickle=False)
        if not np.issubdtype(X.dtype, np.number):
            raise ValueError(f"its values are {X.dtype}, not numbers")
    except (AttributeError, EOFError, KeyError, OSError, TypeError, ValueError, BadZipFile) as error:
        # The message of numpy about pickles is not shown: it recommends to allow them.
        what = "it contains objects" if "pickle" in str(error) else " ".join(str(error).split())
        raise ValueError(
            f"cannot read features from {path} ({what}). Write them with scipy.sparse.save_npz or numpy.save."
        ) from None
    sizes = [*(len(source.texts) for source in inputs.sources), len(inputs.texts)]
    if X.ndim != 2 or X.shape[0] != sum(sizes):
        raise ValueError(
            f"features must have one row for each of the {sum(sizes)} documents, those of the source first; {path} has "
            f"the shape {X.shape}. Remove the rows that are skipped in the files too."
        )
    Xs, Xt = [X[source.rows] for source in inputs.sources], X[sum(sizes[:-1]) :]
    return Features(Xs, Xt, np.array([f"feature {j + 1}" for j in range(X.shape[1])]), None, [])


def _split(X: Any, sizes: list[int]) -> list[Any]:
    ends = np.cumsum(sizes).tolist()
    return [X[start:end] for start, end in zip([0, *ends], ends, strict=False)]
