"""A fitted method with its vocabulary in one file, to label later documents from their texts.

The file is an .npz without pickle; loading it runs no code. It contains the arrays of `core.persist` under
`estimator/`, those of `text.persist` under `vectorizer/`, and the rest as JSON under `model`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..assessment.later import LaterAssessment, assess_later
from ..assessment.reference import Reference
from ..core import persist
from ..core.archive import Archive, Under
from ..core.classifier import TransductiveClassifier
from ..core.labels import as_labels
from ..core.online import OnlineClassifier
from ..core.registry import estimators
from ..core.sampling import MAX_COMPARED, sample_rows
from ..core.saving import to_arrays, write_arrays
from ..families.divergence import Center, center, gap_of_centers, join_centers
from ..linalg.content import row_keys
from ..linalg.matrix import Array
from ..tables.sequences import OnDemand, blocks_of, picked
from ..tables.table import to_list
from ..text import clean, vectorizer_from, vectorizer_state
from ..text.vectorize import is_own_pattern
from .evidence import NO_WORD, evidence, evidence_columns
from .view_student import ViewStudent

NO_REFERENCE = "the model was saved by an earlier version, so that its labels of later documents cannot be judged"
SAVE_AGAIN = "Save it again with `labelferry label --save`."
WORD_SCORES, CENTER, CENTER_SIZE = "word_scores", "center/total", "center/size"  # names of arrays in the file
CLEANING = ("html", "headers", "signatures")
MAX_NGRAMS = 10  # words or characters
TEXTS = 20_000  # that are labelled at once


class Scan(NamedTuple):
    """What one pass over later documents gives."""

    P: Array  # class probabilities
    n_known: Array  # number of words of each text that the model knows
    evidence: Array  # columns of the words that support each label (`evidence_columns`)
    center: Center
    known_words: float  # share of the words that the model knows
    copies: float  # share of the texts with known words that are exact copies of an earlier one, as far as is known


def share(counts: Iterable[tuple[int, int]]) -> float:
    """The sum of the first numbers divided by that of the second.

    >>> share([(1, 2), (2, 2)])
    0.75
    """
    totals = np.sum(list(counts), axis=0)
    return float(totals[0] / max(totals[1], 1))


@dataclass(frozen=True, repr=False)
class Model:
    """A fitted estimator with its vocabulary: written by `label(...).save`, read by `labelferry.load`.

    Attributes
    ----------
    estimator : TransductiveClassifier
        The fitted estimator.
    vectorizer : TfidfVectorizer
        Turns texts into features.
    cleaning : dict
        Settings of `labelferry.text.clean`.
    typical : dict of str to list of str
        Per class, the words that distinguish it from the others.
    reference : Reference or None
        What later documents are compared with; None in a model of an earlier version.
    text : tuple of str
        Text columns of the documents of the fit; empty in a model of an earlier version.
    word_scores : array of shape (n_words, n_classes) or None
        How much each word supports each class (`WordEvidence.score`); None in a model of an earlier version.
    center : Center or None
        Of the documents at fitting, to measure the distance of later ones; None in a model of an earlier version.
    view : ViewStudent or None
        Classifier of the vectors of the texts, with the name of the model that computes them; None without `embed`.
    """

    estimator: TransductiveClassifier
    vectorizer: Any
    cleaning: dict[str, Any]
    typical: dict[str, list[str]]
    reference: Reference | None = None
    text: tuple[str, ...] = ()
    word_scores: Array | None = None
    center: Center | None = None
    view: ViewStudent | None = None

    def label(self, texts: Sequence[str]) -> Array:
        """Labels of later documents of the target; None for a text without a known word, as in `labelferry apply`."""
        X, classes = self._features(texts), self.estimator.classes_
        labels = classes[self._proba(X, texts).argmax(axis=1)].tolist()
        known = zip(labels, np.diff(X.indptr).tolist(), strict=True)
        return as_labels([label if n_known else None for label, n_known in known], classes)

    def proba(self, texts: Sequence[str]) -> Array:
        """Class probabilities of later documents, in the order of `estimator.classes_`.

        A text without a known word has the class proportions.
        """
        return self._proba(self._features(texts), texts)

    def _proba(self, X: Any, texts: Sequence[str]) -> Array:
        W = self.estimator.predict_proba(X)
        return W if self.view is None else self.view.combine(W, clean(texts, **self.cleaning))

    def assess(self, texts: Sequence[str]) -> LaterAssessment:
        """Can the labels of these documents be trusted? They are compared with the documents at fitting."""
        check_texts(texts)
        listed = list(texts)
        return self.assess_scan(self.scan(listed), listed)

    def updated(self, texts: Sequence[str]) -> Model:
        """The model after `partial_fit` with later documents; this one does not change.

        What later documents are compared with stays that of the first fit.
        """
        if not isinstance(self.estimator, OnlineClassifier):
            able = " and ".join(sorted(n for n, cls in estimators().items() if issubclass(cls, OnlineClassifier)))
            raise ValueError(
                f"a model of {type(self.estimator).__name__} cannot be updated; models of {able} can. Save one with "
                "`labelferry label --method METHOD --save`, or run `labelferry label` on all documents again."
            )
        estimator = copy(self.estimator)
        for block in blocks_of(texts, TEXTS):
            estimator.partial_fit(self._features(block))
        return replace(self, estimator=estimator)

    def known_share(self, texts: Sequence[str]) -> float:
        """Share of the words of the texts, without stop words, that the model knows."""
        return share(self._count_known(clean(block, **self.cleaning)) for block in blocks_of(texts, TEXTS))

    def _count_known(self, cleaned: Sequence[str]) -> tuple[int, int]:
        """How many words of cleaned texts the model knows, and how many they have."""
        analyze, known = self.vectorizer.build_analyzer(), self.vectorizer.vocabulary_
        n_known = n_words = 0
        for text in cleaned:
            words = analyze(text)
            n_known, n_words = n_known + sum(word in known for word in words), n_words + len(words)
        return n_known, n_words

    def scan(self, texts: Sequence[str], report: Callable[[float], None] = lambda share: None) -> Scan:
        """What one pass over texts gives, `TEXTS` of them at a time; `report` is called with the share that is done."""
        parts: list[tuple[Array, Array, Array, Array]] = []
        centers, words = [], []
        for block in blocks_of(texts, TEXTS):
            cleaned = clean(block, **self.cleaning)
            X = sp.csr_array(self.vectorizer.transform(cleaned))
            W = self.estimator.predict_proba(X)
            P = W if self.view is None else self.view.combine(W, cleaned)
            none = np.full((len(block), 0), NO_WORD, dtype=np.int32)
            best = none if self.word_scores is None else evidence_columns(X, P.argmax(axis=1), self.word_scores)
            parts.append((P, np.diff(X.indptr), best, row_keys(X)))
            centers.append(center(X))
            words.append(self._count_known(cleaned))
            report(sum(map(len, (part[0] for part in parts))) / len(texts))
        P, n_known, columns, keys = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        copies = 1 - len(np.unique(keys[n_known > 0])) / max(1, int((n_known > 0).sum()))
        return Scan(P, n_known, columns, join_centers(centers), share(words), copies if n_known.any() else 0.0)

    def assess_scan(self, scan: Scan, texts: Sequence[str]) -> LaterAssessment:
        """As `assess`, after `scan`. Of many documents, a sample is compared with each other."""
        if self.reference is None:
            raise ValueError(f"{NO_REFERENCE}. {SAVE_AGAIN}")
        empty = scan.n_known == 0
        rows = np.flatnonzero(~empty) if not empty.all() else np.arange(len(empty))
        some = rows[sample_rows(len(rows), MAX_COMPARED)]
        return assess_later(
            self.reference,
            scan.P,
            self._features(picked(texts, some)),
            known_words=scan.known_words,
            classes=[str(c) for c in self.estimator.classes_],
            distance=None if self.center is None else gap_of_centers(self.center, scan.center),
            empty=empty,
            copies=scan.copies if len(some) < len(rows) else 0.0,
        )

    def __repr__(self) -> str:
        return f"<labelferry model: {type(self.estimator).__name__}, classes {self.estimator.classes_.tolist()}>"

    def known_words(self, texts: Sequence[str]) -> Array:
        """Number of words of each text that the model knows."""
        return np.diff(self._features(texts).indptr)

    def evidence(self, texts: Sequence[str], codes: Array) -> Sequence[list[str]]:
        """Per text, the words that support its label most; none if the model is of an earlier version."""
        if self.word_scores is None:
            return [[] for _ in texts]
        return evidence(self._features(texts), codes, self.word_scores, self.words())

    def words(self) -> Array:
        """The vocabulary."""
        return np.asarray(self.vectorizer.get_feature_names_out())

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file."""
        plain: dict[str, Any] = {"cleaning": self.cleaning, "typical": self.typical, "text": list(self.text)}
        plain["reference"] = None if self.reference is None else self.reference.as_dict()
        plain["embed"] = None if self.view is None else self.view.embed
        center = {}
        if self.center is not None:
            size = np.array([self.center.n, self.center.squared_length])
            center = {CENTER: self.center.total.astype(np.float32), CENTER_SIZE: size}
        write_arrays(
            {
                **{f"estimator/{name}": array for name, array in to_arrays(self.estimator).items()},
                **{f"vectorizer/{name}": array for name, array in vectorizer_state(self.vectorizer).items()},
                **({} if self.word_scores is None else {WORD_SCORES: self.word_scores}),
                **center,
                **{f"view/{name}": array for name, array in (self.view.arrays() if self.view else {}).items()},
                "model": np.array(json.dumps(plain)),
            },
            path,
        )

    def _features(self, texts: Sequence[str]) -> Any:
        check_texts(texts)
        return sp.csr_array(self.vectorizer.transform(clean(texts, **self.cleaning)))


def check_texts(texts: Any) -> None:
    """Raise an error if texts are a frame, one text, or contain something else than texts."""
    if hasattr(texts, "columns"):
        raise ValueError("texts must be one column or a list; got a frame. Pass its column of texts: frame.text.")
    if isinstance(texts, str):
        raise ValueError(f"texts must be a list of texts; got one text, {texts[:20]!r}. Put it in a list.")
    if isinstance(texts, OnDemand):  # of a table, whose values were checked when it was read
        return
    given = to_list(texts, "texts") if isinstance(texts, Iterable) else [texts]
    wrong = [text for text in given if not isinstance(text, str)][:1] if given else ["no text"]
    if wrong:
        raise ValueError(f"texts must be a list of one text or more; got {wrong[0]!r:.40}. Pass '' for a missing one.")


def load(path: str | PathLike[str]) -> Any:
    """Load what `save` wrote. Loading runs no code from the file.

    Parameters
    ----------
    path : path
        File written by `save` of an estimator or of the result of `label`.

    Returns
    -------
    model : TransductiveClassifier or Model
        The fitted estimator, or the estimator with its vocabulary.
    """
    with Archive(path) as arrays:
        return _read(arrays, path) if "model" in arrays else persist.from_arrays(arrays, str(path))


def _read(arrays: Archive, path: str | PathLike[str]) -> Model:
    """The estimator with its vocabulary."""
    try:
        given = json.loads(str(arrays["model"]))
        cleaning = read_cleaning(given["cleaning"])
        typical = {str(name): [str(word) for word in words] for name, words in given["typical"].items()}
        reference = Reference.from_dict(given["reference"]) if given.get("reference") is not None else None
        text = tuple(str(name) for name in given.get("text", ()))
        vectorizer = vectorizer_from(Under("vectorizer/", arrays))
        check_units(vectorizer)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {str(error).rstrip('.')}. Save the model again.") from None
    estimator = persist.from_arrays(Under("estimator/", arrays), str(path))
    if getattr(estimator, "n_features_in_", None) != len(vectorizer.vocabulary_):
        raise ValueError(f"{path} is damaged: its words are not those of its estimator. Save the model again.")
    if reference is not None and len(reference.proportions) != len(estimator.classes_):
        raise ValueError(f"{path} is damaged: its classes are not those of its estimator. Save the model again.")
    n_words, n_classes = len(vectorizer.vocabulary_), len(estimator.classes_)
    scores = arrays.get(WORD_SCORES)
    if scores is not None and (scores.shape != (n_words, n_classes) or not is_finite(scores)):
        raise ValueError(f"{path} is damaged: its evidence is not that of its words. Save the model again.")
    mean = read_center(arrays, n_words, path)
    view = None
    if given.get("embed") is not None:
        try:
            view = ViewStudent.from_arrays(given["embed"], Under("view/", arrays), n_classes)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is damaged: {str(error).rstrip('.')}. Save the model again.") from None
    return Model(estimator, vectorizer, cleaning, typical, reference, text, scores, mean, view)


def load_model(path: str | PathLike[str]) -> Model:
    """A model with its vocabulary; an estimator that was saved alone is an error."""
    model = load(path)
    if not isinstance(model, Model):
        raise ValueError(
            f"{path} contains a {type(model).__name__} without its vocabulary. Save with `labelferry label --save`."
        )
    return model


def is_finite(array: Array) -> bool:
    """Whether an array contains finite numbers, as floats."""
    return array.dtype.kind == "f" and bool(np.isfinite(array).all())


def read_center(arrays: Mapping[str, Array], n_words: int, path: str | PathLike[str]) -> Center | None:
    """The center in the arrays of a file; None in a model of an earlier version."""
    if CENTER not in arrays:
        return None
    total, size = arrays[CENTER], arrays.get(CENTER_SIZE, np.zeros(0))
    if (
        not is_finite(total)
        or not is_finite(size)
        or total.shape != (n_words,)
        or size.shape != (2,)
        or not size[0] >= 1
    ):
        raise ValueError(f"{path} is damaged: its mean document is not that of its words. Save the model again.")
    return Center(total.astype(np.float64), int(size[0]), float(size[1]))


def check_units(vectorizer: Any) -> None:
    """Raise an error if the words or n-grams of a vectorizer are none of labelferry: they may take forever to find."""
    parts = [part for part in (vectorizer.tokenizer, vectorizer.analyzer) if hasattr(part, "pattern")]
    patterns = [vectorizer.token_pattern, *(part.pattern for part in parts)]
    if not all(pattern is None or is_own_pattern(pattern) for pattern in patterns):
        raise ValueError("its token_pattern is none of labelferry")
    sizes = [*vectorizer.ngram_range, *(part.ngrams for part in parts if hasattr(part, "ngrams"))]
    if not all(1 <= size <= MAX_NGRAMS for size in sizes):
        raise ValueError(f"its n-grams have {max(sizes)} words; at most {MAX_NGRAMS} are possible")


def read_cleaning(given: dict[str, Any]) -> dict[str, Any]:
    """The settings of `text.clean` in a model, each with a type that it may have."""
    cleaning = {name: given[name] for name in CLEANING}
    for name, value in cleaning.items():
        if not isinstance(value, bool) and (name, value) != ("html", "auto"):
            raise ValueError(f"its setting {name} is {value!r}")
    return cleaning
