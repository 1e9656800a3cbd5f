"""Cleaning texts before words are counted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Literal

UNSEEN = {"script", "style", "template", "noscript"}  # what a browser does not show
INLINE = {"a", "abbr", "b", "big", "code", "em", "font", "i", "mark", "s", "small", "span", "strong", "sub", "sup", "u"}
BLOCKS = {"p", "br", "div", "li", "ul", "ol", "td", "tr", "th", "table", "h[1-6]", "html", "body", "head", "img", "pre"}
TAG = re.compile(rf"</?(?:{'|'.join(sorted(BLOCKS | INLINE | UNSEEN))})(?:\s[^<>]*)?/?>|<!--", re.IGNORECASE)
ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
STRAY = re.compile(r"<(?=[^<>]*(?:<|\Z))")  # opens no tag; html.parser would look for its end again and again
DECLARATION = re.compile(r"<[!?][^<>]*>")  # says nothing, and a broken one stops html.parser
SIGNATURE = re.compile(r"^-- ?\r?$", re.MULTILINE)
MAX_SIGNATURE = 12  # lines; more than that below two dashes is text
ATTRIBUTION = re.compile(r"\b(?:wrote|writes|said)\b.{0,20}:\s*$")


def clean(
    texts: Iterable[str],
    *,
    html: bool | Literal["auto"] = "auto",
    headers: bool = False,
    quotes: bool = False,
    signatures: bool = False,
) -> list[str]:
    """The texts without what is no prose: HTML, the headers of mails, quoted lines, signatures.

    `html="auto"` touches only the texts that have a common tag or an entity in them; `True` takes all for HTML. A step
    that would leave nothing of a text is left out, except for HTML.

    >>> clean(["<p>Tea &amp; milk</p>", "3 < 5 > 4"])
    ['Tea & milk', '3 < 5 > 4']
    """
    if html not in (True, False, "auto"):
        raise ValueError(
            f"html must be True, False or 'auto'; got {html!r}. Pass 'auto' where only some texts are HTML."
        )
    steps = [
        (headers, strip_headers),
        (html is True, strip_html),
        (html == "auto", lambda text: strip_html(text) if looks_like_html(text) else text),
        (quotes, strip_quotes),
        (signatures, strip_signature),
    ]
    wanted = [step for asked, step in steps if asked]
    cleaned = []
    for text in texts:
        for step in wanted:
            text = step(text)
        cleaned.append(text)
    return cleaned


def looks_like_html(text: str) -> bool:
    return bool(TAG.search(text) or ENTITY.search(text))


def strip_html(text: str) -> str:
    """What a reader sees of a page: no tags, comments, scripts or styles; entities decoded; a line for every block.

    >>> strip_html("<style>p {}</style><p>A <b>red</b> door,<br>caf&eacute;s</p>")
    'A red door,\\ncafés'
    """
    page = Page()
    page.feed(DECLARATION.sub("", STRAY.sub("&lt;", without_comments(text))))
    page.close()
    lines = ("".join(page.seen)).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def without_comments(text: str) -> str:
    """One that is not closed goes on to the end."""
    first, *parts = text.split("<!--")
    return first + "".join(part.partition("-->")[2] for part in parts)


class Page(HTMLParser):
    """Collects the text that is seen."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: list[str] = []
        self.unseen = 0  # how many of the open elements are not shown

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.unseen += tag in UNSEEN
        self.part(tag)

    def handle_endtag(self, tag: str) -> None:
        self.unseen = max(0, self.unseen - (tag in UNSEEN))
        self.part(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.part(tag)

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.seen.append(data)

    def part(self, tag: str) -> None:
        if tag not in INLINE:
            self.seen.append("\n")


def strip_signature(text: str) -> str:
    """The text above its signature: the last line of two dashes, with a few lines below it.

    >>> strip_signature("The door is red.\\n-- \\nA. Painter\\nDoors Ltd.")
    'The door is red.'
    """
    lines = list(SIGNATURE.finditer(text))
    if not lines or text.count("\n", lines[-1].end()) > MAX_SIGNATURE:
        return text
    return text[: lines[-1].start()].rstrip() or text


def strip_quotes(text: str) -> str:
    """The text without the lines that begin with >, and without the line above them that says who wrote them.

    >>> strip_quotes("Ann wrote:\\n> Is it red?\\nIt is green.")
    'It is green.'
    """
    kept: list[str] = []
    quoted = False
    for line in text.split("\n"):
        before, quoted = quoted, line.lstrip().startswith(">")
        if not quoted:
            kept.append(line)
        elif not before:  # the first line of a quotation; who wrote it stands right above, or above an empty line
            last = len(kept) - 1 - (bool(kept) and not kept[-1].strip())
            if last >= 0 and ATTRIBUTION.search(kept[last][-80:]):
                del kept[last:]
    return "\n".join(kept).strip() or text


def strip_headers(text: str) -> str:
    """The body of a mail or newsgroup article: what follows the first empty line. A text without a body stays whole.

    >>> strip_headers("From: me\\nSubject: doors\\n\\nThe door is red.")
    'The door is red.'
    """
    return text.partition("\n\n")[2] or text
