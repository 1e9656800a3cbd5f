"""E-mails: mailboxes (.mbox) and single messages (.eml). The columns are id, date, from, subject and text.

The text is the plain part of a message or, if it has none, the HTML part without tags. Attachments are not read.
"""

from __future__ import annotations

import codecs
import re
import zlib
from array import array
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.policy import compat32, default
from email.utils import parsedate_to_datetime
from typing import Any, BinaryIO, NamedTuple

from ..html import strip_html
from .base import WRONG_ENCODING, Dialect, Format, InputFile, Parsed, write_nothing
from .encodings import check_codec

MAX_MESSAGE = 200_000_000  # bytes, with attachments
MAX_LINE = 1 << 20  # bytes that are read at once
COLUMNS = ("id", "date", "from", "subject", "text")
QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
MAILBOX_START = re.compile(rb"From [^\n]*\r?\n[!-9;-~]+:")  # the first line of a mailbox, then a header
HEADER = re.compile(rb"[!-9;-~]+:")
TIME = re.compile(rb"\d\d:\d\d")
SUPERSETS = {  # programs that write mail state the old name of an encoding and use characters of the newer one
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",  # Python's name of ks_c_5601, too
    "shift_jis": "cp932",
}


class DocumentRow(NamedTuple):
    """A document that was read."""

    values: dict[str, Any]  # value per column
    is_guess: bool = False  # whether the text is in none of the known encodings and was read as cp1252


def read_mailbox(source: InputFile) -> Parsed:
    """Read the messages of a mailbox; a file without lines "From ..." is one message."""
    if source.encoding is not None:
        check_codec(source.encoding)
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    numbers = array("q")
    n_guessed = 0
    try:
        for number, content in enumerate(split_messages(source.file), 1):
            row = "a message that is too large" if content is None else message_row(content, source.encoding)
            if not isinstance(row, str) and len(row.values["text"]) > source.limit:
                row = f"a text may have {source.limit:,} characters and this one has more"
            if isinstance(row, str):
                source.bad.add(number, row, len(numbers))
                continue
            for name in COLUMNS:
                columns[name].append(row.values[name])
            n_guessed += row.is_guess
            numbers.append(number)
    except (EOFError, OSError, zlib.error) as error:
        where = f"cannot be read beyond message {len(numbers)}"
        raise ValueError(f"{source.name} {where} ({error}). It is cut short or damaged: get it again.") from None
    messages = guess_messages(source.name, n_guessed)
    is_empty = not numbers and not source.bad.rows
    return Parsed({} if is_empty else columns, numbers, dialect=Dialect("mailbox"), messages=tuple(messages))


def guess_messages(name: str, n_guessed: int) -> list[str]:
    """A message if texts were read as cp1252 because no other encoding fits."""
    if not n_guessed:
        return []
    if n_guessed == 1:
        emails = "1 e-mail is neither in the encoding that it states nor UTF-8 and was read as cp1252"
    else:
        emails = f"{n_guessed:,} e-mails are neither in the encoding that they state nor UTF-8 and were read as cp1252"
    return [f"{name}: {emails}. {WRONG_ENCODING}"]


def split_messages(file: BinaryIO) -> Iterator[bytes | None]:
    """The messages of a mailbox; None for one that is too large. Each begins after a line "From ..."."""
    lines: list[bytes] = []
    size, after_blank, is_empty = 0, True, True
    line = file.readline(MAX_LINE)
    is_first = True
    while line:
        following = file.readline(MAX_LINE)
        if after_blank and line.startswith(b"From ") and (is_first or is_separator(line, following)):
            if not is_empty:
                yield joined(lines, size)
            lines, size, is_empty = [], 0, True
        else:
            size += len(line)
            if size <= MAX_MESSAGE:
                lines.append(line)
            is_empty = is_empty and not line.strip()
        after_blank = line in (b"\n", b"\r\n")
        line, is_first = following, False
    if not is_empty:
        yield joined(lines, size)


def is_separator(line: bytes, following: bytes) -> bool:
    """Whether a line "From ..." begins a message: it has a time, or a header follows. Otherwise it is text."""
    return TIME.search(line) is not None or HEADER.match(following) is not None


def joined(lines: list[bytes], size: int) -> bytes | None:
    """The bytes of a message, in which the quotation of "From " at the start of a line is removed."""
    return QUOTED_FROM.sub(rb"\1", b"".join(lines)) if size <= MAX_MESSAGE else None


def message_row(content: bytes, encoding: str | None) -> DocumentRow | str:
    """The columns of a message or, as a string, what is wrong.

    >>> message_row(b"From: ann@example.org\\nSubject: =?utf-8?q?T=C3=BCr?=\\n\\nIt is red.", None).values
    {'id': None, 'date': None, 'from': 'ann@example.org', 'subject': 'Tür', 'text': 'It is red.'}
    """
    try:
        message = message_from_bytes(content, policy=default)
        raw = message_from_bytes(content, policy=compat32)
        text, is_guess = body_text(message, encoding)
    except RecursionError:
        return "a message whose parts are nested too deeply"
    except Exception as error:  # the parser raises errors of many types on damaged messages
        return f"a message that cannot be parsed ({type(error).__name__})"
    if not raw.keys() and not text.strip():
        return "no message: neither headers nor text"
    identifier = header(raw, "Message-ID")
    values = {
        "id": identifier.strip("<> ") if identifier else None,
        "date": date_of(header(raw, "Date")),
        "from": header(raw, "From"),
        "subject": header(raw, "Subject"),
        "text": text,
    }
    return DocumentRow(values, is_guess)


def header(message: Message, name: str) -> str | None:
    """A decoded header in one line; None if it is missing or empty."""
    value = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), None)
    if value is None:
        return None
    value = without_surrogates(value)
    try:
        text = str(make_header([decoded_word(*word) for word in decode_header(value)]))
    except Exception:  # an unknown or a wrong encoding
        text = value
    return " ".join(without_surrogates(text).split()) or None


def decoded_word(word: bytes | str, charset: str | None) -> tuple[bytes | str, str | None]:
    """A part of a header, decoded if its encoding has a superset."""
    if charset is None or isinstance(word, str) or (wider := superset(charset)) == charset:
        return word, charset
    return word.decode(wider), "utf-8"


def date_of(value: str | None) -> str | None:
    """A date as 2026-01-31T12:00:00+01:00 if it can be read, otherwise as it is."""
    try:
        return parsedate_to_datetime(value).isoformat() if value else None
    except Exception:  # not a date
        return value


def body_text(message: EmailMessage, encoding: str | None) -> tuple[str, bool]:
    """The plain text of a message, or its HTML without tags; and whether its encoding is a guess."""
    for kind in ("plain", "html"):
        part = message.get_body(preferencelist=(kind,))
        if part is None or part.get_content_maintype() != "text":
            continue
        text, is_guess = decoded(part, encoding)
        text = strip_html(text) if kind == "html" else text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if text.strip():
            return text, is_guess
    return "", False


def decoded(part: Message, encoding: str | None) -> tuple[str, bool]:
    """The text of a part: in its own encoding, UTF-8, or the encoding that the user names; and whether none fits."""
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else str(payload).encode("utf-8", "surrogateescape")
    stated = part.get_content_charset()
    for name in (stated, "utf-8", encoding):
        if name is not None:
            with suppress(LookupError, ValueError):
                return content.decode(superset(name)), False
    with suppress(UnicodeDecodeError):
        return content.decode("cp1252"), True
    return content.decode("utf-8", "replace"), True


def superset(name: str) -> str:
    """The encoding that contains the one of this name and more characters; the same name if there is none.

    >>> superset("ks_c_5601-1987")
    'cp949'
    """
    try:
        return SUPERSETS.get(codecs.lookup(name).name, name)
    except (LookupError, ValueError):  # unknown
        return name


def without_surrogates(text: str) -> str:
    """A text whose undecoded bytes are read as UTF-8 or cp1252."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        content = text.encode("utf-8", "surrogateescape" if is_escaped(text) else "replace")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return content.decode("cp1252", "replace")
    return text


def is_escaped(text: str) -> bool:
    """Whether all surrogates stand for undecoded bytes."""
    return all("\udc80" <= character <= "\udcff" for character in text if "\ud800" <= character <= "\udfff")


MAILBOX = Format(
    "mailbox",
    (".mbox", ".eml"),
    read_mailbox,
    write_nothing,
    lambda start: MAILBOX_START.match(start) is not None,
    is_text=False,
)
