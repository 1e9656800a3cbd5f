"""Corpora with domains: any table with the columns text, label and domain.

    load_domains("reviews.csv")           a file of your own, in any format that `labelferry label` reads
    load_domains("crisislex_t6")          domains/crisislex_t6.jsonl.gz in $LABELFERRY_DATA or in the user's cache

The classes are the same in every domain; labels can be transferred from one domain to another.
"""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

import numpy as np

from labelferry.files import user_cache
from labelferry.tables import read_table

from .cache import CorpusNotFound
from .corpus import Corpus

FOLDER, SUFFIX = "domains", ".jsonl.gz"
COLUMNS = ("text", "label", "domain")


def load_domains(path: str | PathLike[str]) -> Corpus:
    """Load a corpus with domains.

    Parameters
    ----------
    path : path or str
        A file with the columns text, label and domain; or the name of a corpus in the folder `domains` of
        $LABELFERRY_DATA or of the user's cache.

    Returns
    -------
    corpus : Corpus
        Fields: label, domain (strings).
    """
    place = Path(path)
    if not place.is_file():
        place = find_domains(os.fspath(path))
    needs = f"A corpus needs documents with the columns {', '.join(COLUMNS)}"
    if place.stat().st_size == 0:
        raise ValueError(f"{place} is empty. {needs}.")
    table = read_table(place, skip_bad=True)
    if table.bad:
        raise ValueError(f"{place} line {table.bad[0].line}: {table.bad[0].what}. Fix the row, or delete it.")
    missing = [name for name in COLUMNS if name not in table.columns]
    if missing:
        raise ValueError(
            f"{place} has no column {missing[0]!r}; it has {', '.join(table.columns)}. {needs}: rename them."
        )
    texts, labels, domains = (table.columns[name] for name in COLUMNS)
    rows = [i for i, cells in enumerate(zip(texts, labels, domains, strict=True)) if None not in cells]
    fields = {
        name: np.array([str(column[i]) for i in rows]) for name, column in (("label", labels), ("domain", domains))
    }
    return Corpus(corpus_name(place), [str(texts[i]) for i in rows], fields)


def find_domains(name: str) -> Path:
    """Find the file of a corpus by name."""
    for folder in folders():
        if (place := folder / f"{name}{SUFFIX}").is_file():
            return place
    searched = " or ".join(str(folder) for folder in folders())
    raise CorpusNotFound(
        f"there is no file {name!r}, and no corpus of this name ({name}{SUFFIX}) in {searched}. Check the path or the "
        "name."
    )


def domain_corpora() -> list[str]:
    """List the corpora with domains on this machine.

    Returns
    -------
    names : list of str
        Names for `load_domains`.
    """
    files = (place for folder in folders() if folder.is_dir() for place in folder.glob(f"*{SUFFIX}"))
    return sorted({corpus_name(place) for place in files})


def folders() -> list[Path]:
    """The folders to search, in order."""
    data = os.environ.get("LABELFERRY_DATA")
    return [Path(folder) / FOLDER for folder in ([data] if data else []) + [user_cache()]]


def corpus_name(place: Path) -> str:
    """The file name without its suffixes."""
    return place.name.removesuffix(".gz").rpartition(".")[0] or place.name
