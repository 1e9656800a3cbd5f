"""The encoding of a text file: UTF-8 if it is valid, then the encoding that the user names, then a detected one.

A named encoding is used only if the bytes are not UTF-8, so files with different encodings can be read together.
"""

from __future__ import annotations

import codecs
import zlib
from typing import BinaryIO, NamedTuple

from ..lines import UNDECODED
from .detection import detect, n_other

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the mark of UTF-16, so it is compared first
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WITH_MARK = {"utf-8": "utf-8-sig", "utf-32-le": "utf-32", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}
SEVEN_BIT = ("iso2022", "hz", "utf-7")  # codecs whose files are ASCII; they are used only if the user names them
BLOCK = 1 << 20  # bytes
SAMPLE = 1 << 16  # bytes of lines that are not ASCII, for detection
FEW_BYTES = 100  # that are not ASCII; with fewer the user should check the encoding


class Encoding(NamedTuple):
    """The encoding of a file."""

    name: str  # name of the Python codec
    mark: bool = False  # whether the file begins with a byte order mark
    detected: bool = False  # whether the name is a guess from the content
    damaged: bool = False  # whether some bytes are not in the encoding although most of the file is
    few_letters: bool = False  # whether it was detected from fewer than FEW_BYTES bytes that are not ASCII

    @property
    def decoder(self) -> str:
        """Name of the codec that removes the byte order mark."""
        return WITH_MARK[self.name] if self.mark else self.name


def choose_encoding(file: BinaryIO, named: str | None) -> Encoding:
    """The encoding of an open file, whose position does not change."""
    if named is not None:
        check_codec(named)
    try:
        start = first_bytes(file)
    except (EOFError, OSError, zlib.error):  # reading the file reports it
        start = b""
    for mark, name in MARKS:
        if start.startswith(mark):
            return Encoding(name, mark=True)
    if (wide := without_mark(start)) is not None:
        return Encoding(wide)
    if named is not None and codecs.lookup(named).name.startswith(SEVEN_BIT) and not sample_of(file):
        return Encoding(named)
    if is_utf8(file):
        return Encoding("utf-8")
    return choose_by_sample(sample_of(file), named)


def choose_by_sample(sample: bytes, named: str | None) -> Encoding:
    """The encoding of bytes that are not UTF-8: damaged UTF-8, or the named or a detected encoding.

    >>> choose_by_sample("La porte est cassée, très cassée".encode("cp1252"), None).name
    'cp1252'
    >>> choose_by_sample("cassée".encode() + b"s\\xe9", "cp1252").damaged
    True
    """
    text = sample.decode("utf-8", "surrogateescape")
    n_bad = len(UNDECODED.findall(text))
    n_good = sum(not character.isascii() for character in text) - n_bad
    if n_bad <= 2 * n_good:  # in other encodings at most 0.3 valid characters per invalid byte were found
        return Encoding("utf-8", damaged=True)
    if named is not None:
        return Encoding(named)
    name = detect(sample)
    few = n_other(sample) < FEW_BYTES
    return Encoding("utf-8") if name is None else Encoding(name, detected=True, few_letters=few)


def check_codec(name: str) -> None:
    """Raise an error if Python has no text encoding of this name."""
    try:
        "".encode(name)
    except (LookupError, ValueError):  # ValueError: NUL in the name, or a codec that is none
        raise ValueError(f"encoding={name!r:.60} is unknown. Pass one such as utf-8 or cp1252.") from None


def first_bytes(file: BinaryIO) -> bytes:
    """The first 1024 bytes. The position in the file does not change."""
    try:
        return file.read(1024)
    finally:
        file.seek(0)


def without_mark(start: bytes) -> str | None:
    """UTF-16 without a byte order mark: every second byte of Latin letters, digits and blanks is zero."""
    n_pairs = len(start) // 2
    odd, even = start[1::2].count(0), start[: 2 * n_pairs : 2].count(0)
    if n_pairs and max(odd, even) > 0.4 * n_pairs and min(odd, even) < 0.1 * n_pairs:
        return "utf-16-le" if odd > even else "utf-16-be"
    return None


def is_utf8(file: BinaryIO) -> bool:
    """Whether the whole file is UTF-8. Errors of gzip are ignored here; reading the file reports them."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block := file.read(BLOCK):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    except (EOFError, OSError, zlib.error):
        return True
    finally:
        file.seek(0)
    return True


def sample_of(file: BinaryIO) -> bytes:
    """The first lines that are not ASCII."""
    lines: list[bytes] = []
    size = 0
    try:
        while size < SAMPLE and (line := file.readline(SAMPLE)):
            if not line.isascii():
                lines.append(line)
                size += len(line)
    except (EOFError, OSError, zlib.error):
        pass
    finally:
        file.seek(0)
    return b"".join(lines)
