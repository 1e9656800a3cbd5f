"""One sentence per class as an opinion: each document is guessed to be of the class whose sentence is most similar.

The similarity is the cosine of vectors. Names alone are weak; a sentence that says what the documents of a class are
about is often strong, and where it is not, the labelled documents tell (`labelferry.ensemble.votes`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..linalg.matrix import Array
from ..linalg.normalize import normalize_rows_l2
from ..text import clean
from .inputs import Inputs
from .opinions import Opinion
from .options import TextOptions
from .views import embed_documents, is_auto, is_matrix

NAME = "descriptions"
ENCODER, NO_VIEW = "wordllama", "none"


def described_opinion(inputs: Inputs, sentences: Mapping[str, str], options: TextOptions) -> Opinion:
    """The opinion of these sentences, with the difference of the two largest cosines as confidence."""
    model = options.embed
    if model is None or is_auto(model) or is_matrix(model) or (isinstance(model, str) and model == NO_VIEW):
        model = ENCODER
    texts = [text for source in inputs.sources for text in source.texts] + list(inputs.texts)
    vectors = embed_documents(model, [*clean(texts, **options.cleaning), *sentences.values()])
    names, n = list(sentences), len(inputs.labels)
    sides = (vectors[n : len(texts)], vectors[:n])
    (new, sure_new), (home, sure_home) = (guess(side, vectors[len(texts) :]) for side in sides)
    new_names, home_names = ([names[code] for code in codes.tolist()] for codes in (new, home))
    return Opinion(NAME, new_names, home_names, sure_new.tolist(), sure_home.tolist())


def guess(documents: Array, sentences: Array) -> tuple[Array, Array]:
    """The most similar sentence of each document, and its lead over the second."""
    # To subtract the mean cosine of each sentence made no clear difference (`python -m benchmarks.votes`).
    cosine = normalize_rows_l2(documents.astype(np.float64)) @ normalize_rows_l2(sentences.astype(np.float64)).T
    ordered = np.sort(cosine, axis=1)
    return np.asarray(cosine.argmax(axis=1)), np.asarray(ordered[:, -1] - ordered[:, -2])
