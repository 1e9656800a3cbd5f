"""A fitted method with its vocabulary in one file, to label later documents from their texts.

The file is an .npz without pickle; loading it runs no code. It contains the arrays of `core.persist` under
`estimator/`, those of `text.persist` under `vectorizer/`, and the rest as JSON under `model`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..assessment.later import LaterAssessment, assess_later
from ..assessment.reference import Reference
from ..core import persist
from ..core.classifier import TransductiveClassifier
from ..linalg.matrix import Array
from ..text import clean, vectorizer_from, vectorizer_state
from .view_student import ViewStudent

NO_REFERENCE = "the model was saved by an earlier version, so that its labels of later documents cannot be judged"
SAVE_AGAIN = "Save it again with `labelferry label --save`."
CLEANING = ("html", "headers", "signatures")


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
    view : ViewStudent or None
        Classifier of the vectors of the texts, with the name of the model that computes them; None without `embed`.
    """

    estimator: TransductiveClassifier
    vectorizer: Any
    cleaning: dict[str, Any]
    typical: dict[str, list[str]]
    reference: Reference | None = None
    view: ViewStudent | None = None

    def label(self, texts: Sequence[str]) -> Array:
        """Labels of later documents of the target."""
        labels: Array = self.estimator.classes_[self.proba(texts).argmax(axis=1)]
        return labels

    def proba(self, texts: Sequence[str]) -> Array:
        """Class probabilities of later documents, in the order of `estimator.classes_`."""
        W = self.estimator.predict_proba(self._features(texts))
        return W if self.view is None else self.view.combine(W, clean(texts, **self.cleaning))

    def assess(self, texts: Sequence[str]) -> LaterAssessment:
        """Can the labels of these documents be trusted? They are compared with the documents at fitting."""
        if self.reference is None:
            raise ValueError(f"{NO_REFERENCE}. {SAVE_AGAIN}")
        return assess_later(
            self.reference,
            self.proba(texts),
            self._features(texts),
            known_words=self.known_share(texts),
            classes=[str(c) for c in self.estimator.classes_],
        )

    def known_share(self, texts: Sequence[str]) -> float:
        """Share of the words of the texts, without stop words, that the model knows."""
        analyze, known = self.vectorizer.build_analyzer(), self.vectorizer.vocabulary_
        counts = np.zeros(2)
        for text in clean(texts, **self.cleaning):
            words = analyze(text)
            counts += sum(word in known for word in words), len(words)
        return float(counts[0] / max(counts[1], 1))

    def __repr__(self) -> str:
        return f"<labelferry model: {type(self.estimator).__name__}, classes {self.estimator.classes_.tolist()}>"

    def known_words(self, texts: Sequence[str]) -> Array:
        """Number of words of each text that the model knows."""
        return np.diff(self._features(texts).indptr)

    def words(self) -> Array:
        """The vocabulary."""
        return np.asarray(self.vectorizer.get_feature_names_out())

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file."""
        reference = None if self.reference is None else self.reference.as_dict()
        persist.write_arrays(
            {
                **{f"estimator/{name}": array for name, array in persist.to_arrays(self.estimator).items()},
                **{f"vectorizer/{name}": array for name, array in vectorizer_state(self.vectorizer).items()},
                **{f"view/{name}": array for name, array in (self.view.arrays() if self.view else {}).items()},
                "model": np.array(
                    json.dumps(
                        {
                            "cleaning": self.cleaning,
                            "typical": self.typical,
                            "reference": reference,
                            "embed": self.view.embed if self.view else None,
                        }
                    )
                ),
            },
            path,
        )

    def _features(self, texts: Sequence[str]) -> Any:
        if hasattr(texts, "columns"):
            raise ValueError("texts must be one column or a list; got a frame. Pass its column of texts: frame.text.")
        if isinstance(texts, str):
            raise ValueError(f"texts must be a list of texts; got one text, {texts[:20]!r}. Put it in a list.")
        return sp.csr_array(self.vectorizer.transform(clean(texts, **self.cleaning)))


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
    arrays = persist.read_arrays(path)
    if "model" not in arrays:
        return persist.from_arrays(arrays, str(path))
    try:
        given = json.loads(str(arrays["model"]))
        cleaning = read_cleaning(given["cleaning"])
        typical = {str(name): [str(word) for word in words] for name, words in given["typical"].items()}
        reference = Reference.from_dict(given["reference"]) if given.get("reference") is not None else None
        vectorizer = vectorizer_from(_under("vectorizer/", arrays))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {str(error).rstrip('.')}. Save the model again.") from None
    estimator = persist.from_arrays(_under("estimator/", arrays), str(path))
    if getattr(estimator, "n_features_in_", None) != len(vectorizer.vocabulary_):
        raise ValueError(f"{path} is damaged: its words are not those of its estimator. Save the model again.")
    if reference is not None and len(reference.proportions) != len(estimator.classes_):
        raise ValueError(f"{path} is damaged: its classes are not those of its estimator. Save the model again.")
    view = None
    if given.get("embed") is not None:
        try:
            view = ViewStudent.from_arrays(given["embed"], _under("view/", arrays), len(estimator.classes_))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is damaged: {str(error).rstrip('.')}. Save the model again.") from None
    return Model(estimator, vectorizer, cleaning, typical, reference, view)


def load_model(path: str | PathLike[str]) -> Model:
    """A model with its vocabulary; an estimator that was saved alone is an error."""
    model = load(path)
    if not isinstance(model, Model):
        raise ValueError(
            f"{path} contains a {type(model).__name__} without its vocabulary. Save with `labelferry label --save`."
        )
    return model


def read_cleaning(given: dict[str, Any]) -> dict[str, Any]:
    """The settings of `text.clean` in a model, each with a type that it may have."""
    cleaning = {name: given[name] for name in CLEANING}
    for name, value in cleaning.items():
        if not isinstance(value, bool) and (name, value) != ("html", "auto"):
            raise ValueError(f"its setting {name} is {value!r}")
    return cleaning


def _under(prefix: str, arrays: dict[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
