"""The visible text of HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

HIDDEN = {"script", "style", "template", "noscript"}  # a browser does not show their text
INLINE = {"a", "abbr", "b", "big", "code", "em", "font", "i", "mark", "s", "small", "span", "strong", "sub", "sup", "u"}
STRAY = re.compile(r"<(?=[^<>]*(?:<|\Z))")  # opens no tag; html.parser would search for its end again and again
DECLARATION = re.compile(r"<[!?][^<>]*>")  # has no text, and a broken one stops html.parser


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
    first, *parts = text.split("<!--")  # a comment that is not closed ends with the text
    without_comments = first + "".join(part.partition("-->")[2] for part in parts)
    page.feed(DECLARATION.sub("", STRAY.sub("&lt;", without_comments)))
    page.close()
    lines = ("".join(page.parts)).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


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
