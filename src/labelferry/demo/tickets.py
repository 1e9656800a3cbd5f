"""The demo corpus: labelled support tickets of an old product, and tickets of a new product with hidden labels.

The old product, Pennywright, is a desktop accounting program; the new one, Hearthlight, is an app for bulbs, cameras
and locks. The texts are generated, always the same ones, from the sentences in `words.json`. A ticket has one or two
sentences of its product, usually one that fits both products, and sometimes an aside that belongs to another class. Few
sentences fit both, and some words change their class with the product: a *code* is an error in the old one and a way to
sign in to the new one; a *trial* is a balance in the old one and a free month in the new one. The corpus shows what
transfer does if vocabularies differ; it is not evidence of how well a method works.
"""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..text import tfidf

PATH = Path(__file__).with_name("words.json")
# A typical seed. Over the seeds 1 to 20, the accuracy of logistic regression on the source (C=10) is .64 to .81, mean
# .76, and that of TCL .96 to .99, mean .98.
SEED = 7
SOURCE_COUNTS = {"billing": 125, "technical": 140, "account": 95}
TARGET_COUNTS = {"billing": 110, "technical": 135, "account": 115}

# Probability of each part of a ticket. SHARED sentences of a class fit both products; they make transfer possible.
SHARED, SECOND, ABOUT, ASIDE, OPENING, CLOSING = 0.85, 0.6, 0.25, 0.3, 0.5, 0.5


class Words(NamedTuple):
    """Sentences with {slots}."""

    slots: dict[str, list[str]]  # what a slot is filled with
    openings: list[str]
    closings: list[str]
    asides: list[str]  # before a sentence of another class
    both: dict[str, list[str]]  # by class, what customers of either product write
    about_old: list[str]  # what customers of one product write, whatever they want
    old: dict[str, list[str]]  # by class, what customers of one product write
    about_new: list[str]
    new: dict[str, list[str]]


class Demo(NamedTuple):
    """Tickets of the old product (source) and of the new one (target).

    Attributes
    ----------
    texts_source, texts_target : list of str
        The tickets.
    y_source, y_target : array of str
        Their classes; `y_target` is only for checking predictions.
    words : array of str
        Names of the columns of X.
    X_source, X_target : CSR array
        tf-idf, documents x words.
    """

    texts_source: list[str]
    y_source: np.ndarray
    texts_target: list[str]
    y_target: np.ndarray
    words: np.ndarray
    X_source: Any
    X_target: Any


def load_demo(times: int = 1) -> Demo:
    """Load the demo corpus as texts and as tf-idf.

    Parameters
    ----------
    times : int, default=1
        How many times as many tickets, of the same kind: 10 gives 3,600 of each product.

    Returns
    -------
    demo : Demo
        Source and target.
    """
    rng, lists = random.Random(SEED), load_words()
    if times < 1:
        raise ValueError(f"times must be at least 1; got {times}.")
    old, new = ({label: times * n for label, n in counts.items()} for counts in (SOURCE_COUNTS, TARGET_COUNTS))
    texts_source, y_source = write_tickets(lists.old, lists.about_old, old, rng)
    texts_target, y_target = write_tickets(lists.new, lists.about_new, new, rng)
    (X_source, X_target), vectorizer = tfidf(texts_source, texts_target)
    words = vectorizer.get_feature_names_out()
    return Demo(texts_source, y_source, texts_target, y_target, words, X_source, X_target)


@cache
def load_words() -> Words:
    """The sentences, read once."""
    return Words(**json.loads(PATH.read_text(encoding="utf-8")))


def write_tickets(
    product: dict[str, list[str]], about: list[str], counts: dict[str, int], rng: random.Random
) -> tuple[list[str], np.ndarray]:
    """Different tickets, as many per class as in `counts`, shuffled, and their classes."""
    labels = [label for label, count in counts.items() for _ in range(count)]
    rng.shuffle(labels)
    texts: dict[str, None] = {}  # an ordered set
    for label in labels:
        before = len(texts)
        while len(texts) == before:
            texts[write_ticket(product, about, label, rng)] = None
    return list(texts), np.array(labels)


def write_ticket(product: dict[str, list[str]], about: list[str], label: str, rng: random.Random) -> str:
    """One ticket of the class `label`."""
    lists = load_words()
    own = list(product[label])
    rng.shuffle(own)
    sentences = own[: 2 if rng.random() < SECOND else 1]
    if rng.random() < SHARED:
        sentences.append(rng.choice(lists.both[label]))
        rng.shuffle(sentences)
    if rng.random() < ABOUT:
        sentences.insert(0, rng.choice(about))
    if rng.random() < ASIDE:
        other = rng.choice([name for name in product if name != label])
        sentences += [rng.choice(lists.asides), rng.choice(product[other] + lists.both[other])]
    if rng.random() < OPENING:
        sentences.insert(0, rng.choice(lists.openings))
    if rng.random() < CLOSING:
        sentences.append(rng.choice(lists.closings))
    return re.sub(r"\{(\w+)\}", lambda slot: rng.choice(lists.slots[slot[1]]), " ".join(sentences))
