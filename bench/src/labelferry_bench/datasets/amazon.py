"""Amazon reviews of four product types, positive and negative (Blitzer, Dredze and Pereira 2007)."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from .cache import Source, find
from .corpus import Corpus, Counts, count_texts
from .reading import read_lines, read_members, reading

SOURCE = Source(
    name="amazon",
    title="Amazon reviews (Multi-Domain Sentiment Dataset)",
    loader="load_amazon",
    folder="amazon",
    files=("reviews.jsonl.gz", "domain_sentiment_data.tar.gz"),
    parts=("sorted_data_acl/*/positive.review", "sorted_data_acl/*/negative.review"),
    origin="https://www.cs.jhu.edu/~mdredze/datasets/sentiment/ (domain_sentiment_data.tar.gz).",
    license="none stated; published by its authors for research; cite Blitzer, Dredze and Pereira, ACL 2007.",
)
FIELDS = ("domain", "label", "title", "unique_id", "text")
TAG = re.compile(r"<(unique_id|rating|title|review_text)>")
SHORT_NAMES = {"kitchen_&_housewares": "kitchen"}


def load_amazon(path: str | PathLike[str] | None = None, *, download: bool = False) -> Corpus:
    """Load the labelled reviews: title and text.

    Reads the original archive or its folder, or `reviews.jsonl.gz` with one object per line: domain, label, unique_id,
    rating, title, text.

    Parameters
    ----------
    path : path, default=None
        File or folder of the corpus. None: $LABELFERRY_DATA, then the user's cache.
    download : bool, default=False
        Has no effect: no checksum is known to verify the file.

    Returns
    -------
    corpus : Corpus
        Fields: domain, label ("positive" or "negative"), rating, title, id.
    """
    place = find(SOURCE, path, download=download)
    with reading(place):
        lines = read_lines(place, *FIELDS) if place.name.endswith(".jsonl.gz") else read_reviews(place)
        fields = {name: np.array([line[name] for line in lines]) for name in ("domain", "label", "title")}
        fields["rating"] = np.array([float(line["rating"]) for line in lines])
        fields["id"] = np.array([line["unique_id"] for line in lines])
        return Corpus(SOURCE.name, [f"{line['title']} {line['text']}" for line in lines], fields)


def count() -> Counts:
    """Count the reviews, domains and labels."""
    return count_texts(load_amazon(), domains="domain", labels="label")


def read_reviews(place: Path) -> list[dict[str, Any]]:
    """The reviews of the original files, which look like XML but escape nothing."""
    lines = []
    for name, content in read_members(place, SOURCE.parts):
        domain = SHORT_NAMES.get(name.parent.name, name.parent.name)
        for review in content.split("<review>")[1:]:
            fields = fields_of(review.partition("</review>")[0])
            line = {tag: value.strip() for tag, value in fields}
            # If a review has two ids, the one that is only a number is to be ignored (note of the authors).
            ids = [value.strip() for tag, value in fields if tag == "unique_id" and not value.strip().isdigit()]
            lines.append(
                {
                    "domain": domain,
                    "label": name.stem,
                    "unique_id": (ids or [line["unique_id"]])[0],
                    "rating": float(line["rating"]),
                    "title": line["title"],
                    "text": line["review_text"],
                }
            )
    return lines


def fields_of(review: str) -> list[tuple[str, str]]:
    """The tags of a review and what is in them. Takes time linear in its length."""
    found, position = [], 0
    while (tag := TAG.search(review, position)) is not None:
        position = review.find(f"</{tag[1]}>", tag.end())
        if position < 0:
            raise ValueError(f"a review has a <{tag[1]}> that is not closed")
        found.append((tag[1], review[tag.end() : position]))
    return found
