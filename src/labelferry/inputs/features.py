"""From texts to matrices: one vocabulary for all domains, within a memory limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from ..assessment.facts import Languages
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.documents import check_takes_blocks, read_documents
from ..core.domains import Domains
from ..core.ordering import MAX_SORTED
from ..linalg.backends import Backend
from ..linalg.dask_blocks import check_installed
from ..linalg.matrix import Array, empty_rows, in_memory
from ..tables.lines import rows_message
from ..tables.sequences import Mapped, chained
from ..text import clean
from ..text.counting import LARGE, fit_tfidf
from ..text.detect import (
    common_language,
    detect_language,
    foreign_languages,
    foreign_message,
    foreign_share,
    language_messages,
)
from ..text.settings import TextSettings, choose_settings
from .inputs import TARGET, Inputs
from .matrices import read_matrix
from .memory import COPIES, check_memory, words_within
from .options import TextOptions
from .rows import NOT_LEARNED, hidden_messages
from .text_blocks import fit_tfidf_blocks
from .views import is_auto, is_none, make_view

N_SAMPLED = 200  # texts from which the number of entries is estimated


class NoWords(ValueError):
    """No words are left in the texts."""


class Features(NamedTuple):
    Xs: list[Any]  # one matrix per source
    Xt: Any
    words: Array
    vectorizer: TfidfVectorizer | None  # None if the user gave the features
    messages: list[str]
    view: Any = None  # second view: one row per document, those of the sources first
    view_name: str | None = None  # model of the second view; None without a view, or with one that has no name
    beside: Features | None = None  # words of the texts if the user gave the features and the texts have words
    text_settings: TextSettings | None = None  # None if the user gave the features
    languages: Languages | None = None
    other_language: Sequence[str] = ()  # `foreign_languages` of the target; no entries if the user gave the features
    learned: Sequence[Array] = ()  # per source, True for the documents with a known word: others teach nothing

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

    def for_evidence(self, domains: Domains) -> tuple[Features, Domains]:
        """The words from which evidence is taken, and the domains with these words."""
        if self.beside is None:
            return self, domains
        blocks = zip(domains, [*self.beside.Xs, self.beside.Xt], strict=True)
        return self.beside, replace(domains, domains=tuple(replace(d, X=X) for d, X in blocks))


def check_dask(cluster: Any, estimator: TransductiveClassifier, options: TextOptions) -> None:
    """Raise an error, before anything is read, if this cannot run on a cluster; `cluster` may be None."""
    if cluster is None:
        return
    check_installed()
    named = None if is_auto(options.embed) or is_none(options.embed) else options.embed
    for name, value in (("features", options.features), ("embed", named)):
        if value is not None:
            raise ValueError(
                f"dask (--dask) counts the words of texts, and {name} (--{name}) replaces the words. Omit one of them."
            )
    check_takes_blocks(estimator, "dask (--dask) keeps the documents in blocks on workers", "Omit dask (--dask)")


def make_features(inputs: Inputs, options: TextOptions, backend: Backend | None = None) -> Features:
    """The features of the documents, the user's own or tf-idf of their texts; and their second view."""
    # With a backend, tf-idf is made of blocks, where the backend visits them.
    features = vectorize(inputs, options, backend) if options.features is None else own_features(inputs, options)
    features = features._replace(learned=[~empty_rows(X) for X in features.Xs])
    messages = [*features.messages, *not_learned_messages(inputs, features)]
    view = make_view(inputs, options, backend)
    return features._replace(messages=[*messages, *view.messages], view=view.vectors, view_name=view.name)


def not_learned_messages(inputs: Inputs, features: Features) -> list[str]:
    """A message per source with labelled documents from which nothing is learned."""
    what = "with a label but no known word" if features.vectorizer else "with a label, whose features are all 0"
    return [
        rows_message(source.name, source.lines[~learned].tolist(), f"{what}, {NOT_LEARNED}", unit=source.unit)
        for source, learned in zip(inputs.sources, features.learned, strict=True)
        if not learned.all()
    ]


def own_features(inputs: Inputs, options: TextOptions) -> Features:
    """The user's own features, with the words of the texts for evidence if there are any."""
    X = read_matrix(options.features, inputs, "features")
    *Xs, Xt = _split(X, [*(len(source.texts) for source in inputs.sources), len(inputs.texts)])
    try:
        beside = vectorize(inputs, options)
    except NoWords:
        beside = None
    return Features(Xs, Xt, np.array([f"feature {j + 1}" for j in range(X.shape[1])]), None, [], beside=beside)


def vectorize(inputs: Inputs, options: TextOptions, backend: Backend | None = None) -> Features:
    """tf-idf of the cleaned texts. With a memory limit, rare words are dropped to stay below it."""
    cleaned: Callable[[Sequence[str]], list[str]] = partial(clean, **options.cleaning)
    raw = [*(source.texts for source in inputs.sources), inputs.texts]
    n_texts = sum(map(len, raw))
    is_large = n_texts >= LARGE or backend is not None
    on_workers = backend is not None and n_texts > MAX_SORTED  # fewer are sorted by content, in memory
    corpora = [Mapped(texts, cleaned) if is_large else cleaned(texts) for texts in raw]
    settings, languages, other, messages = choose_words(corpora, inputs, options)
    named = zip([*(source.name for source in inputs.sources), inputs.target.name], raw, strict=True)
    messages += [message for name, texts in named for message in hidden_messages(texts, name)]

    def limit(documents: Array, n_documents: int) -> int:
        """How many words may be kept; a message if they are not all."""
        n_classes = len(set(inputs.labels.tolist()))
        if options.max_memory is None:
            check_memory(documents, n_documents, n_classes, on_workers=on_workers)
            return len(documents)
        copies = 0 if on_workers else COPIES
        keep = words_within(documents, n_documents, options.max_memory, n_classes, copies=copies)
        if keep < len(documents):
            messages.append(
                f"{keep:,} of {len(documents):,} words are kept, the most frequent, to stay below --max-memory"
            )
        return keep

    try:
        if is_large:
            announce_size(corpora, settings, len(np.unique(inputs.labels)))
            fit = fit_tfidf if backend is None else partial(fit_tfidf_blocks, backend=backend)
            (*Xs, Xt), vectorizer = fit(raw, settings.vectorizer(), prepare=cleaned, limit=limit, report=progress.step)
            if not on_workers:
                *Xs, Xt = map(in_memory, (*Xs, Xt))
        else:
            (*Xs, Xt), vectorizer = fit_small(corpora, settings, limit)
    except ValueError as error:
        if "vocabulary" not in str(error) and "no terms remain" not in str(error).lower():
            raise
        raise NoWords(
            "no words are left in the texts: all are stop words, numbers, or in one document only. Check the text "
            "column, pass language=None (--language none), or add documents."
        ) from None
    words = vectorizer.get_feature_names_out()
    return Features(
        *(Xs, Xt, words, vectorizer, messages), text_settings=settings, languages=languages, other_language=other
    )


def announce_size(corpora: Sequence[Sequence[str]], settings: TextSettings, n_classes: int) -> None:
    """Estimate the number of entries from a few texts, so that the remaining time is shown while words are counted."""
    analyze = settings.vectorizer().build_analyzer()
    texts = chained(corpora)
    some = np.linspace(0, len(texts) - 1, N_SAMPLED).astype(int)
    progress.size(len(texts) * sum(len(set(analyze(texts[i]))) for i in some.tolist()) // N_SAMPLED, n_classes)


def fit_small(
    corpora: Sequence[Sequence[str]], settings: TextSettings, limit: Callable[[Array, int], int]
) -> tuple[list[Any], TfidfVectorizer]:
    """tf-idf of cleaned texts that are all in memory; parameters and result as in `fit_tfidf`."""
    texts = chained(corpora)
    vectorizer = settings.vectorizer()
    X = sp.csr_array(vectorizer.fit_transform(texts))
    if (keep := limit(np.bincount(X.indices, minlength=X.shape[1]), X.shape[0])) < X.shape[1]:
        vectorizer = settings.vectorizer(max_features=keep)
        X = sp.csr_array(vectorizer.fit_transform(texts))
    return _split(X, [len(corpus) for corpus in corpora]), vectorizer


def choose_words(
    corpora: Sequence[Sequence[str]], inputs: Inputs, options: TextOptions
) -> tuple[TextSettings, Languages, list[str], list[str]]:
    """Text settings for the cleaned texts of each source and of the target, their languages, and messages."""
    # The third value has the language of each target text if the sources lack it, and is empty for the other texts.
    *sources, target = corpora
    labelled = chained(sources)
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
    other = foreign_languages(source_language, target)
    found = [*language_messages(source_language, target_language), *foreign_message(other)]
    return choice.settings, languages, other, [*found, *choice.messages]


def _split(X: Any, sizes: list[int]) -> list[Any]:
    ends = np.cumsum(sizes).tolist()
    return [X[start:end] for start, end in zip([0, *ends], ends, strict=False)]
