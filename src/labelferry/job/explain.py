"""What a saved model has learnt: its topics, and the words typical of each class."""

from __future__ import annotations

from os import PathLike
from typing import Any

from .model import Model, load


def explain(path: str | PathLike[str], *, n_words: int = 10) -> dict[str, Any]:
    """A plain dict of a model that `label` saved: method, classes, topics (where the method has some) and, of every
    class, the words that tell it from the others."""
    model = load(path)
    if not isinstance(model, Model):
        raise ValueError(
            f"{path} holds a {type(model).__name__} without its words, so there are none to show. Save with "
            "`labelferry label --save`, or call its topics_table with your own feature names."
        )
    estimator = model.estimator
    topics = estimator.topics_table(model.words(), n_words) if hasattr(estimator, "topics_table") else []
    return {
        "method": type(estimator).__name__,
        "classes": [str(c) for c in estimator.classes_],
        "topics": [{**topic, "class": str(topic["class"])} for topic in topics],
        "words": {name: words[:n_words] for name, words in model.typical.items()},
    }
