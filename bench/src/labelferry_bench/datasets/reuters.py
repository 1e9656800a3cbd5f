"""Reuters-21578, Distribution 1.0: 21,578 stories of 1987, indexed by topics, places, people and orgs, as SGML."""

from __future__ import annotations

import html
import re
from os import PathLike
from typing import NamedTuple

import numpy as np

from .cache import Source, fetch_url, find
from .corpus import Corpus, Counts, count_texts
from .reading import CorpusDamaged, read_members

SOURCE = Source(
    name="reuters",
    title="Reuters-21578",
    loader="load_reuters",
    folder="reuters21578",
    files=("reuters21578.tar.gz",),
    parts=("reut2-*.sgm",),
    origin="https://kdd.ics.uci.edu/databases/reuters21578/, or with load_reuters(download=True).",
    license='research use only; cite it as "Reuters-21578, Distribution 1.0" with its address.',
    url="https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
    sha256="3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
)
HIERARCHIES = ("topics", "places", "people", "orgs")
BEGIN = "<REUTERS "
SPLIT, NUMBER = re.compile(r'LEWISSPLIT="([^"]*)"'), re.compile(r'NEWID="([0-9]{1,18})"')


class Story(NamedTuple):
    """The parts of a story that are read."""

    id: str
    split: str
    head: str
    text: str


def load_reuters(path: str | PathLike[str] | None = None, *, download: bool = False) -> Corpus:
    """Load the stories: title and body.

    The text of a story without a body is its title. The text of an unformatted story is all of its content.

    Parameters
    ----------
    path : path, default=None
        File or folder of the corpus. None: $LABELFERRY_DATA, then the user's cache.
    download : bool, default=False
        Whether to download the corpus if it is not on this machine.

    Returns
    -------
    corpus : Corpus
        Fields: topics, places, people, orgs (one tuple of names per story), split (LEWISSPLIT: "TRAIN", "TEST" or
        "NOT-USED"), id, title.
    """
    place = find(SOURCE, path, download=download, fetch=fetch_url)
    stories = []
    for name, content in read_members(place, SOURCE.parts):
        parts = content.split(BEGIN)[1:]
        complete = [story for part in parts if (story := read_story(part)) is not None]
        if not complete or len(complete) != len(parts):
            raise CorpusDamaged(
                f"{place} is damaged: {name.name} has {len(parts)} stories, {len(complete)} of them complete. "
                "Get it again."
            )
        stories += complete
    stories.sort(key=lambda story: int(story.id))
    titles = [clean(inside("TITLE", story.text)) for story in stories]
    texts = ["\n".join(filter(None, parts)) for parts in zip(titles, map(body, stories), strict=True)]
    fields = {name: column([names(name, story.head) for story in stories]) for name in HIERARCHIES}
    fields |= {name: np.array([getattr(story, name) for story in stories]) for name in ("split", "id")}
    return Corpus(SOURCE.name, texts, fields | {"title": np.array(titles)})


def count() -> Counts:
    """Count the stories and the names of each hierarchy."""
    return count_texts(load_reuters(), **{name: name for name in HIERARCHIES})


def read_story(part: str) -> Story | None:
    """A story from what follows its first characters; None if it is not complete. Takes time linear in its length."""
    tag, _, content = part.partition(">")
    head, _, rest = content.partition("<TEXT")
    text, end, after = rest.partition("</TEXT>")
    split, number = SPLIT.search(tag), NUMBER.search(tag)
    if not end or split is None or number is None or not after.lstrip().startswith("</REUTERS>"):
        return None
    return Story(number[1], split[1], head, text)


def body(story: Story) -> str:
    """The body of a story, or all text of an unformatted one."""
    text = story.text
    if text.startswith(' TYPE="UNPROC"'):
        return clean(text.partition(">")[2])
    return clean(inside("BODY", text))


def inside(tag: str, text: str) -> str:
    """The text between the first pair of tags; empty if there is none."""
    return text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]


def names(hierarchy: str, head: str) -> tuple[str, ...]:
    """The names of a hierarchy with which a story is indexed."""
    return tuple(part.partition("</D>")[0] for part in inside(hierarchy.upper(), head).split("<D>")[1:])


def clean(text: str) -> str:
    """The text with entities decoded and without control characters."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", html.unescape(text)).strip()


def column(values: list[tuple[str, ...]]) -> np.ndarray:
    """An array of tuples of any length, one per row."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
