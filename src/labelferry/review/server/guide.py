"""Guidelines beside the questions: a plain text file with headings, lists and paragraphs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

MAX_CHARACTERS = 20_000


class Part(NamedTuple):
    """A heading, a list or a paragraph; templates escape the lines."""

    kind: str  # "heading", "list" or "paragraph"
    lines: list[str]


def read_guide(path: Path) -> list[Part]:
    """Read the guidelines for reviewers from a UTF-8 file.

    Parameters
    ----------
    path : Path
        The file; ValueError if it cannot be read or is too long.

    Returns
    -------
    parts : list of Part
        Headings, lists and paragraphs.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ValueError(f"cannot read --guide {path}: {why}. Give a plain text file.") from None
    if len(text) > MAX_CHARACTERS:
        raise ValueError(
            f"--guide {path} has {len(text):,} characters; at most {MAX_CHARACTERS:,} fit beside a question."
        )
    return parts_of(text)


def parts_of(text: str) -> list[Part]:
    """Lines that begin with # are headings, those with - or * items of a list, all others paragraphs.

    >>> parts_of("# Bug\\n- it fails\\n- it is slow\\n\\nAll else is\\na question.")
    [Part(kind='heading', lines=['Bug']), Part(kind='list', lines=['it fails', 'it is slow']), \
Part(kind='paragraph', lines=['All else is a question.'])]
    """
    parts: list[Part] = []
    is_new = True  # whether the next line of a paragraph begins another one
    for line in map(str.strip, text.splitlines()):
        kind = "heading" if line.startswith("#") else "list" if line.startswith(("- ", "* ")) else "paragraph"
        content = line.lstrip("#").strip() if kind == "heading" else line[2:].strip() if kind == "list" else line
        if not content:
            is_new = True
        elif kind == "paragraph" and parts and not is_new and parts[-1].kind != "heading":
            parts[-1].lines[-1] += f" {content}"
        elif kind == "list" and parts and parts[-1].kind == "list":
            parts[-1].lines.append(content)
            is_new = False
        else:
            parts.append(Part(kind, [content]))
            is_new = False
    return parts
