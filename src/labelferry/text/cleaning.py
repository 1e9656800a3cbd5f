"""Cleaning texts before their words are counted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Literal

HIDDEN = {"script", "style", "template", "noscript"}  # a browser does not show their text
INLINE = {"a", "abbr", "b", "big", "code", "em", "font", "i", "mark", "s", "small", "span", "strong", "sub", "sup", "u"}
BLOCKS = {"p", "br", "div", "li", "ul", "ol", "td", "tr", "th", "table", "h[1-6]", "html", "body", "head", "img", "pre"}
TAG = re.compile(rf"</?(?:{'|'.join(sorted(BLOCKS | INLINE | HIDDEN))})(?:\s[^<>]*)?/?>|<!--", re.IGNORECASE)
ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
STRAY = re.compile(r"<(?=[^<>]*(?:<|\Z))")  # opens no tag; html.parser would search for its end again and again
DECLARATION = re.compile(r"<[!?][^<>]*>")  # has no text, and a broken one stops html.parser
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
    """Remove HTML, e-mail headers, quoted lines and signatures from texts.

    A step that would remove the whole text is skipped, except for HTML.

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
        (html == "auto", lambda text: strip_html(text) if looks_like_html(text) else text),
        (quotes, strip_quotes),
        (signatures, strip_signature),
    ]
    selected = [step for is_selected, step in steps if is_selected]
    cleaned = []
    for text in texts:
        for step in selected:
            text = step(text)
        cleaned.append(text)
    return cleaned


def looks_like_html(text: str) -> bool:
    """Whether the text has a common tag or an entity."""
    return bool(TAG.search(text) or ENTITY.search(text))


def strip_html(text: str) -> str:
    """Remove tags, comments, scripts and styles; decode entities; put each block on a line of its own.

    Parameters
    ----------
    text : str
        HTML.

    Returns
    -------
    visible : str
        The text that a browser shows.

    Examples
    --------
    >>> strip_html("<style>p {}</style><p>A <b>red</b> door,<br>caf&eacute;s</p>")
    'A red door,\\ncafés'
    """
    page = VisibleText()
    page.feed(DECLARATION.sub("", STRAY.sub("&lt;", without_comments(text))))
    page.close()
    lines = ("".join(page.parts)).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def without_comments(text: str) -> str:
    """The text without comments. A comment that is not closed ends with the text."""
    first, *parts = text.split("<!--")
    return first + "".join(part.partition("-->")[2] for part in parts)


class VisibleText(HTMLParser):
    """Collects the text that a browser shows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.n_hidden = 0  # open elements that are not shown

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.n_hidden += tag in HIDDEN
        self.add_break(tag)

    def handle_endtag(self, tag: str) -> None:
        self.n_hidden = max(0, self.n_hidden - (tag in HIDDEN))
        self.add_break(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.add_break(tag)

    def handle_data(self, data: str) -> None:
        if not self.n_hidden:
            self.parts.append(data)

    def add_break(self, tag: str) -> None:
        """End the line, except at an inline tag."""
        if tag not in INLINE:
            self.parts.append("\n")


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
