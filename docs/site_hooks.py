"""Hooks of the documentation site: pages from the top of the repository, links to files outside of docs/, equations.

The pages are also read on GitHub, where a link to `../src/labelferry/methods/tcl.py` works. On the site such a link
becomes a link to the file on GitHub. A link to a file that does not exist stays as it is, so the strict build fails.
Equations become MathML, which browsers show without a script.
"""

from __future__ import annotations

import posixpath
import re
from html import unescape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# Pages of the site that are files at the top of the repository.
TOP_PAGES = {name: name.lower() for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")}
ICON = ROOT / "src" / "labelferry" / "review" / "server" / "static" / "icon.svg"
EQUATION = re.compile(r'<(span|div) class="arithmatex">\s*\\[(\[](.*?)\\[)\]]\s*</\1>', flags=re.S)
TAG = re.compile(r"\\tag\{(.*?)\}")
LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?(\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from the top of the repository, and the icon of the review page."""
    files.append(File.generated(config, ICON.name, content=ICON.read_text(encoding="utf-8")))
    for name, uri in TOP_PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, uri, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Rewrite links that leave docs/."""
    uri = page.file.src_uri
    written_in = dict.fromkeys(TOP_PAGES.values(), ROOT).get(uri, (DOCS / uri).parent)

    def rewrite(match: re.Match[str]) -> str:
        start, path, anchor, end = match[1], match[2], match[3] or "", match[4]
        return f"{start}{link(uri, written_in, path, anchor, config['repo_url'])}{end}"

    return LINK.sub(rewrite, markdown)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Turn TeX into MathML."""
    return EQUATION.sub(equation, html)


def equation(match: re.Match[str]) -> str:
    """An equation as MathML, with its number at the right; TeX that cannot be converted fails the build."""
    is_block, tex = match[1] == "div", unescape(match[2])
    math = convert(TAG.sub("", tex).strip(), display="block" if is_block else "inline")
    math = math.replace("<mo>&#x02016;</mo>", '<mo stretchy="false">&#x02016;</mo>')  # norms: both bars of one height
    if "\\" in math:
        raise PluginError(f"an equation cannot be converted to MathML: {tex}")
    number = "".join(f'<span class="number">({tag})</span>' for tag in TAG.findall(tex))
    return f'<div class="equation">{math}{number}</div>' if is_block else math


def link(uri: str, written_in: Path, path: str, anchor: str, repository: str) -> str:
    """The link on the site: to another page, or to the file on GitHub."""
    target = (written_in / path).resolve()
    if not target.exists() or not target.is_relative_to(ROOT):
        return path + anchor
    name = target.relative_to(ROOT).as_posix()
    if name in TOP_PAGES:
        return posixpath.relpath(TOP_PAGES[name], posixpath.dirname(uri)) + anchor
    if target.is_relative_to(DOCS) and target.is_file():
        return posixpath.relpath(target.relative_to(DOCS).as_posix(), posixpath.dirname(uri)) + anchor
    return f"{repository}/{'tree' if target.is_dir() else 'blob'}/main/{name}{anchor}"
