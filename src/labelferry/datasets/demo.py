"""The demo corpus: support tickets of an old product, with labels, and of a new one, whose labels are held back.

The texts are our own: drawn, always the same ones, from the sentences in `demo_words`. A ticket has one or two of its
product's sentences, mostly one that suits either product, and sometimes an aside that belongs to another class.
The corpus is made to show what transfer does where vocabularies differ; it is no evidence of how well a method works.
"""

from __future__ import annotations

import random
import re
from typing import Any, NamedTuple

import numpy as np

from ..text import tfidf
from .demo_words import ABOUT_NEW, ABOUT_OLD, ASIDES, BOTH, CLOSINGS, NEW, OLD, OPENINGS, SLOTS

# A typical draw. Over the seeds 1 to 20, logistic regression on the source (C=10) is right on .64 to .81 of the target,
# mean .76, and TCL on .96 to .99, mean .98.
SEED = 7
SOURCE_COUNTS = {"billing": 125, "technical": 140, "account": 95}
TARGET_COUNTS = {"billing": 110, "technical": 135, "account": 115}

# How often a ticket has each part. SHARED is the bridge: the sentences of a class that the products have in common.
SHARED, SECOND, ABOUT, ASIDE, OPENING, CLOSING = 0.85, 0.6, 0.25, 0.3, 0.5, 0.5


class Demo(NamedTuple):
    """Tickets of the old product (source) and of the new one (target); y_target is there to check the answer only."""

    texts_source: list[str]
    y_source: np.ndarray
    texts_target: list[str]
    y_target: np.ndarray
    words: np.ndarray  # names of the columns of X
    X_source: Any  # CSR, documents x words
    X_target: Any


def load_demo() -> Demo:
    """The corpus, as texts and as tf-idf."""
    rng = random.Random(SEED)
    texts_source, y_source = write_tickets(OLD, ABOUT_OLD, SOURCE_COUNTS, rng)
    texts_target, y_target = write_tickets(NEW, ABOUT_NEW, TARGET_COUNTS, rng)
    (X_source, X_target), vectorizer = tfidf(texts_source, texts_target)
    words = vectorizer.get_feature_names_out()
    return Demo(texts_source, y_source, texts_target, y_target, words, X_source, X_target)


def write_tickets(
    product: dict[str, list[str]], about: list[str], counts: dict[str, int], rng: random.Random
) -> tuple[list[str], np.ndarray]:
    """As many different tickets of each class as `counts` says, shuffled, and their classes."""
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
    own = list(product[label])
    rng.shuffle(own)
    sentences = own[: 2 if rng.random() < SECOND else 1]
    if rng.random() < SHARED:
        sentences.append(rng.choice(BOTH[label]))
        rng.shuffle(sentences)
    if rng.random() < ABOUT:
        sentences.insert(0, rng.choice(about))
    if rng.random() < ASIDE:
        other = rng.choice([name for name in product if name != label])
        sentences += [rng.choice(ASIDES), rng.choice(product[other] + BOTH[other])]
    if rng.random() < OPENING:
        sentences.insert(0, rng.choice(OPENINGS))
    if rng.random() < CLOSING:
        sentences.append(rng.choice(CLOSINGS))
    return re.sub(r"\{(\w+)\}", lambda slot: rng.choice(SLOTS[slot[1]]), " ".join(sentences))
