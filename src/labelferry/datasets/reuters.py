"""Reuters-21578, Distribution 1.0: 21,578 stories of 1987, indexed by topics, places, people and orgs, as SGML."""

from __future__ import annotations

import html
import re
from os import PathLike

import numpy as np

from .cache import Source, fetch_url, find
from .corpus import Corpus
from .reading import CorpusDamaged, read_members

SOURCE = Source(
    name="reuters",
    title="Reuters-21578",
    loader="load_reuters",
    folder="reuters21578",
    files=("reuters21578.tar.gz",),
    parts=("reut2-*.sgm",),
    origin="https://kdd.ics.uci.edu/databases/reuters21578/, or with load_reuters(download=True).",
    licence='research use only; papers name it "Reuters-21578, Distribution 1.0" and say where it is to be had.',
    url="https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
    sha256="3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
)
HIERARCHIES = ("topics", "places", "people", "orgs")
STORY = re.compile(
    r'<REUTERS [^>]*LEWISSPLIT="(?P<split>[^"]*)"[^>]*NEWID="(?P<id>\d+)"[^>]*>(?P<head>.*?)<TEXT(?P<text>.*?)</TEXT>'
    r"\s*</REUTERS>",
    re.S,
)


def load_reuters(path: str | PathLike[str] | None = None, *, download: bool = False) -> Corpus:
    """The stories: title and body. Fields: topics, places, people, orgs (a tuple of names each), split, id, title.

    `split` is LEWISSPLIT: "TRAIN", "TEST" or "NOT-USED". A story that has no body in the files is its title; one that
    was left unformatted is all its text.
    """
    place = find(SOURCE, path, download=download, fetch=fetch_url)
    stories = []
    for name, content in read_members(place, SOURCE.parts):
        found, begun = list(STORY.finditer(content)), content.count("<REUTERS ")
        if not found or len(found) != begun:
            raise CorpusDamaged(
                f"{place} is damaged: {name.name} has {begun} stories, {len(found)} of them whole. Get it again."
            )
        stories += found
    stories.sort(key=lambda story: int(story["id"]))
    titles = [clean(inside("TITLE", story["text"])) for story in stories]
    texts = ["\n".join(filter(None, parts)) for parts in zip(titles, map(body, stories), strict=True)]
    fields = {name: column([names(name, story["head"]) for story in stories]) for name in HIERARCHIES}
    fields |= {name: np.array([story[name] for story in stories]) for name in ("split", "id")}
    return Corpus(SOURCE.name, texts, fields | {"title": np.array(titles)})


def body(story: re.Match[str]) -> str:
    """The body of a story, or what an unformatted one says."""
    text = story["text"]
    if text.startswith(' TYPE="UNPROC"'):
        return clean(text.partition(">")[2])
    return clean(inside("BODY", text))


def inside(tag: str, text: str) -> str:
    return text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]


def names(hierarchy: str, head: str) -> tuple[str, ...]:
    return tuple(re.findall(r"<D>(.*?)</D>", inside(hierarchy.upper(), head)))


def clean(text: str) -> str:
    """Without the marks of the wire: entities are resolved, control characters among them are dropped."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", html.unescape(text)).strip()


def column(values: list[tuple[str, ...]]) -> np.ndarray:
    """An array of tuples, one a row, however long they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
