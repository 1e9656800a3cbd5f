"""Cleaning texts before their words are counted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from ..tables.html import HIDDEN, INLINE
from ..tables.html import strip_html as strip_html
from ..tables.invisible import normal_form

BLOCKS = {"p", "br", "div", "li", "ul", "ol", "td", "tr", "th", "table", "h[1-6]", "html", "body", "head", "img", "pre"}
TAG = re.compile(rf"</?(?:{'|'.join(sorted(BLOCKS | INLINE | HIDDEN))})(?:\s[^<>]*)?/?>|<!--", re.IGNORECASE)
ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
SIGNATURE = re.compile(r"^-- ?\r?$", re.MULTILINE)
MAX_SIGNATURE = 12  # lines; more lines below two dashes are text
ATTRIBUTION = re.compile(r"\b(?:wrote|writes|said)\b.{0,20}:\s*$")


def clean(
    texts: Iterable[str],
    *,
    html: bool | Literal["auto"] = "auto",
    headers: bool = False,
    quotes: bool = False,
    signatures: bool = False,
) -> list[str]:
    """Remove HTML, e-mail headers, quoted lines and signatures from texts, and what nobody sees.

    Soft hyphens, zero-width characters, marks of direction and byte order marks are dropped, except where a script or
    an emoji needs them, and letters have their composed form (NFC). A step that would remove the whole text is skipped,
    except for HTML.

    Parameters
    ----------
    texts : iterable of str
        The texts.
    html : bool or "auto", default="auto"
        Whether to remove HTML tags. "auto" changes only texts with a common tag or an entity; True treats all texts as
        HTML.
    headers : bool, default=False
        Whether to remove e-mail headers.
    quotes : bool, default=False
        Whether to remove quoted lines, which begin with >.
    signatures : bool, default=False
        Whether to remove e-mail signatures.

    Returns
    -------
    cleaned : list of str
        The cleaned texts.

    Examples
    --------
    >>> clean(["<p>Tea &amp; milk</p>", "3 < 5 > 4"])
    ['Tea & milk', '3 < 5 > 4']
    """
    if html not in (True, False, "auto"):
        raise ValueError(f"html must be True, False or 'auto'; got {html!r}. Pass 'auto' if only some texts are HTML.")
    steps = [
        (headers, strip_headers),
        (html is True, strip_html),
        (html == "auto", lambda text: strip_html(text) if TAG.search(text) or ENTITY.search(text) else text),
        (quotes, strip_quotes),
        (signatures, strip_signature),
        (True, normal_form),  # after HTML, whose entities may be invisible characters
    ]
    selected = [step for is_selected, step in steps if is_selected]
    cleaned = []
    for text in texts:
        for step in selected:
            text = step(text)
        cleaned.append(text)
    return cleaned


def strip_signature(text: str) -> str:
    """Remove a signature: the last line of two dashes and the few lines below it.

    Parameters
    ----------
    text : str
        An e-mail or article.

    Returns
    -------
    body : str
        The text above the signature; all of it if there is nothing above.

    Examples
    --------
    >>> strip_signature("The door is red.\\n-- \\nA. Painter\\nDoors Ltd.")
    'The door is red.'
    """
    lines = list(SIGNATURE.finditer(text))
    if not lines or text.count("\n", lines[-1].end()) > MAX_SIGNATURE:
        return text
    return text[: lines[-1].start()].rstrip() or text


def strip_quotes(text: str) -> str:
    """Remove lines that begin with >, and the line above them that names their author.

    Parameters
    ----------
    text : str
        An e-mail or article.

    Returns
    -------
    body : str
        The text without quoted lines; all of it if there are no others.

    Examples
    --------
    >>> strip_quotes("Ann wrote:\\n> Is it red?\\nIt is green.")
    'It is green.'
    """
    kept: list[str] = []
    quoted = False
    for line in text.split("\n"):
        was_quoted, quoted = quoted, line.lstrip().startswith(">")
        if not quoted:
            kept.append(line)
        elif not was_quoted:  # the first line of a quotation; its author is named above it, or above an empty line
            last = len(kept) - 1 - (bool(kept) and not kept[-1].strip())
            if last >= 0 and ATTRIBUTION.search(kept[last][-80:]):
                del kept[last:]
    return "\n".join(kept).strip() or text


def strip_headers(text: str) -> str:
    """Remove the headers of an e-mail or newsgroup article: everything up to the first empty line.

    Parameters
    ----------
    text : str
        An e-mail or article.

    Returns
    -------
    body : str
        The text below the headers; all of it if there is no body.

    Examples
    --------
    >>> strip_headers("From: me\\nSubject: doors\\n\\nThe door is red.")
    'The door is red.'
    """
    return text.partition("\n\n")[2] or text
