"""Documents of a job that are in a language that the labelled documents lack: a setting of the job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .job import Job


def keep_languages(languages: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the documents per language, as plain values.

    >>> keep_languages(["", "german", "", "german"])
    {'german': [1, 3]}
    """
    kept: dict[str, list[int]] = {}
    for number, name in enumerate(languages):
        if name:
            kept.setdefault(name, []).append(number)
    return kept


def kept_languages(job: Job) -> dict[int, str]:
    """The documents and their languages; empty for a job of an earlier version.

    Parameters
    ----------
    job : Job
        The job.

    Returns
    -------
    languages : dict of int to str
        Number of each document that is in a language that the labelled documents lack, and its name.
    """
    try:
        kept = {
            int(number): str(name)
            for name, numbers in job.store.settings.get("other_languages", {}).items()
            for number in numbers
        }
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{job.store.name}: the job is damaged, its languages cannot be read ({error}).") from None
    if outside := [number for number in kept if not 0 <= number < job.n_documents]:
        raise ValueError(f"{job.store.name}: the job is damaged, its languages name document {outside[0]}.")
    return kept
