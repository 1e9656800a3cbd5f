"""What a saved model has learned: its topics, and the words typical of each class."""

from __future__ import annotations

from os import PathLike
from typing import Any

from .model import load_model


def explain(path: str | PathLike[str], *, n_words: int = 10) -> dict[str, Any]:
    """Describe a model saved by `label`.

    Parameters
    ----------
    path : path
        File written by `label(...).save`.
    n_words : int, default=10
        Number of words per class and topic.

    Returns
    -------
    explanation : dict
        Plain values: `method`, `classes`, `topics` (if the method has topics) and `words` typical of each class.
    """
    model = load_model(path)
    estimator = model.estimator
    topics = []
    if hasattr(estimator, "topics_table"):  # stop words have no score for any class
        shown = None if model.word_scores is None else model.word_scores.any(axis=1)
        topics = estimator.topics_table(model.words(), n_words, shown=shown)
    return {
        "method": type(estimator).__name__,
        "classes": [str(c) for c in estimator.classes_],
        "topics": [{**topic, "class": str(topic["class"])} for topic in topics],
        "words": {name: words[:n_words] for name, words in model.typical.items()},
    }
