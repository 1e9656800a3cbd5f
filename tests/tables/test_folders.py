"""Folders of texts and e-mails; mailboxes."""

import base64
import gzip
import io
import os
import subprocess
import sys
from unittest import mock

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from labelferry.tables import from_texts, read_table, summarize, write_table
from labelferry.tables.formats import mail


def put(folder, name, content=b"text"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_one_sub_folder_per_class(tmp_path):
    put(tmp_path, "spam/2.txt", "Geld für alle\r\nheute".encode())
    put(tmp_path, "spam/10.txt", b"\xef\xbb\xbfmoney")
    put(tmp_path, "ham/2026/a.md", b"# hello")
    put(tmp_path, "ham/b.HTML", b"<html><body><p>a <b>red</b> door<script>x</script></p></body></html>")
    put(tmp_path, "ham/37261", b"no suffix")
    put(tmp_path, "ham/37261.2", b"number as suffix")
    table = read_table(tmp_path)
    assert table.columns == {
        "file": ["ham/2026/a.md", "ham/37261", "ham/37261.2", "ham/b.HTML", "spam/10.txt", "spam/2.txt"],
        "text": ["# hello", "no suffix", "number as suffix", "a red door", "money", "Geld für alle\nheute"],
        "label": ["ham", "ham", "ham", "ham", "spam", "spam"],
    }
    assert list(table.lines) == [1, 2, 3, 4, 5, 6]
    assert table.dialect.unit == "file"
    assert table.messages == ()


def test_files_without_sub_folders_have_no_labels(tmp_path):
    put(tmp_path, "b.txt", b"second")
    put(tmp_path, "a.txt", b"first")
    assert read_table(f"{tmp_path}/").columns == {"file": ["a.txt", "b.txt"], "text": ["first", "second"]}
    put(tmp_path, "new/c.txt", b"third")  # a class may be called as a folder of a maildir
    assert read_table(tmp_path).columns["label"] == [None, None, "new"]


def test_what_is_no_document_is_skipped(tmp_path):
    put(tmp_path, "a/1.txt")
    for name in ("a/.hidden", ".git/config", "__MACOSX/a/1.txt", "a/picture.PNG", "a/table.csv"):
        put(tmp_path, name)
    os.mkfifo(tmp_path / "a" / "pipe.txt")
    (tmp_path / "a" / "broken.txt").symlink_to("nowhere")
    table = read_table(tmp_path)
    assert table.columns["file"] == ["a/1.txt"]
    assert table.messages == (f"{tmp_path}: 4 files are not documents and were not read (.csv, .png, no regular file)",)


def test_links_to_folders_are_followed_once(tmp_path):
    put(tmp_path, "data/a/1.txt")
    put(tmp_path, "elsewhere/2.txt")
    (tmp_path / "data" / "a" / "loop").symlink_to(tmp_path / "data")
    (tmp_path / "data" / "self").symlink_to("self")
    (tmp_path / "data" / "b").symlink_to(tmp_path / "elsewhere")
    table = read_table(tmp_path / "data")
    assert table.columns["file"] == ["a/1.txt", "b/2.txt"]
    assert table.columns["label"] == ["a", "b"]


def test_the_encoding_of_all_files_is_detected_together(tmp_path):
    for i, text in enumerate(["Türklingel", "Grüße", "läutet"]):
        put(tmp_path, f"{i}.txt", text.encode("cp1252"))
    put(tmp_path, "3.txt", "größer".encode())
    put(tmp_path, "4.txt", "größer".encode("utf-16"))
    table = read_table(tmp_path)
    assert table.columns["text"] == ["Türklingel", "Grüße", "läutet", "größer", "größer"]
    message = (
        "encoding cp1252 was detected in 3 files (few letters: check it). If it is wrong, pass --encoding (encoding=)."
    )
    assert table.messages == (f"{tmp_path}: {message}",)
    assert read_table(tmp_path, encoding="cp1252").messages == ()


@pytest.mark.parametrize("end", ["", "\n"])
def test_large_files_with_characters_of_two_bytes(tmp_path, end):
    texts = [f"{'a' * n}我从昨天开始无法登录。发票不对。请退款{end}" * 200 for n in (0, 1, 2)]
    for i, text in enumerate(texts):
        put(tmp_path, f"{i}.txt", text.encode("gb18030"))
    table = read_table(tmp_path)
    assert table.columns["text"] == texts
    assert "encoding gb18030 was detected in 3 files." in table.messages[0]


def test_bad_files_are_bad_rows(tmp_path):
    put(tmp_path, "1.txt", b"good")
    put(tmp_path, "2.txt", b"NUL \0")
    put(tmp_path, "3.txt", b"caf\xe9 \x81")
    put(tmp_path, "4.txt", b"long" * 10)
    with pytest.raises(ValueError, match=r"file 2: '2.txt': NUL bytes. Fix the row, or skip"):
        read_table(tmp_path, encoding="cp1252", limit=30)
    table = read_table(tmp_path, encoding="cp1252", limit=30, skip_bad=True)
    assert table.columns["text"] == ["good"]
    assert tuple((row.line, row.what) for row in table.bad) == (
        (2, "'2.txt': NUL bytes"),
        (3, "'3.txt': neither UTF-8 nor cp1252"),
        (4, "'4.txt': a text may have 30 characters and this one has more"),
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "is a folder without documents. Put one text file per document into it."),
        (
            ["old.csv", "new.csv"],
            "is a folder without texts (.txt, .md, .html, .eml). Name a file in it, such as 'new.csv'",
        ),
        (["a/b/"], "is a folder without documents"),
    ],
)
def test_a_folder_without_documents(tmp_path, names, message):
    for name in names:
        (tmp_path / name).mkdir(parents=True) if name.endswith("/") else put(tmp_path, name)
    with pytest.raises(ValueError, match="is a folder") as error:
        read_table(tmp_path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_is_written_as_a_table(tmp_path):
    put(tmp_path, "in/a/1.txt", "zwei\nZeilen 😀".encode())
    table = read_table(tmp_path / "in")
    for name in ("out.csv", "out.jsonl"):
        write_table(table, {"label": ["new"]}, tmp_path / name)
        assert read_table(tmp_path / name).columns == {
            "file": ["a/1.txt"],
            "text": ["zwei\nZeilen 😀"],
            "label_before": ["a"],
            "label": ["new"],
        }


# E-mails


PLAIN = (
    "From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\nSubject: =?iso-8859-1?q?T=FCr?=\n defekt\n"
    "Date: Mon, 16 Nov 2026 17:53:55 +0100\nMessage-ID: <1@example.org>\n\nDie Tür ist rot.\n"
).encode()
HTML = b"From: a@example.org\nContent-Type: text/html; charset=utf-8\n\n<p>Tea &amp; <b>milk</b></p>\n"
BOTH = (
    b'Subject: both\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="o"\n\n--o\n'
    b'Content-Type: multipart/alternative; boundary="i"\n\n--i\nContent-Type: text/html\n\n<p>html</p>\n--i\n'
    b"Content-Type: text/plain\n\nplain\n--i--\n--o\nContent-Type: text/plain\n"
    b"Content-Disposition: attachment; filename=secret.txt\n\nattached\n--o--\n"
)
LATIN = b"Subject: caf\xe9\nContent-Type: text/plain; charset=us-ascii\n\ncaf\xe9\n"
CODED = b"Content-Type: text/plain; charset=iso-8859-15\nContent-Transfer-Encoding: base64\n\npCA1\n"
ATTACHED = b"Subject: only a file\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\nAAAA\n"
EXPECTED = {
    "id": ["1@example.org", None, None, None, None, None],
    "date": ["2026-11-16T17:53:55+01:00", None, None, None, None, None],
    "from": ["Jürgen <j@example.org>", "a@example.org", None, None, None, None],
    "subject": ["Tür defekt", None, "both", "café", None, "only a file"],
    "text": ["Die Tür ist rot.", "Tea & milk", "plain", "café", "€ 5", ""],
}
MESSAGES = [PLAIN, HTML, BOTH, LATIN, CODED, ATTACHED]
MBOX = b"".join(b"From someone Mon Nov 16 17:53:55 2026\n" + message + b"\n" for message in MESSAGES)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.mbox", MBOX),
        ("x.mbox", MBOX.replace(b"\n", b"\r\n")),
        ("x.mbox.gz", gzip.compress(MBOX, mtime=0)),
        ("Inbox", MBOX),
    ],
)
def test_a_mailbox(tmp_path, name, content):
    table = read_table(put(tmp_path, name, content))
    assert table.columns == EXPECTED
    assert list(table.lines) == [1, 2, 3, 4, 5, 6]
    assert table.dialect.unit == "message"


def test_lines_that_begin_with_from(tmp_path):
    text = b"From x\nSubject: a\n\nFrom here to there\nnot a new message\n>From quoted\n"
    expected = "From here to there\nnot a new message\nFrom quoted"
    assert read_table(put(tmp_path, "x.mbox", text)).columns["text"] == [expected]
    text = b"From x\nSubject: a\n\nhello\nFrom here to there\n>From quoted\n>>From twice\n"
    expected = "hello\nFrom here to there\nFrom quoted\n>From twice"
    assert read_table(put(tmp_path, "x.mbox", text)).columns["text"] == [expected]


def test_a_folder_of_messages(tmp_path):
    for i, message in enumerate(MESSAGES):
        put(tmp_path, f"{'b' if i < 3 else 'a'}/{i}.eml", message)
    table = read_table(tmp_path)
    assert table.columns["file"] == ["a/3.eml", "a/4.eml", "a/5.eml", "b/0.eml", "b/1.eml", "b/2.eml"]
    assert list(table.columns) == ["file", "id", "date", "from", "subject", "text", "label"]
    assert table.columns["text"] == ["café", "€ 5", "", "Die Tür ist rot.", "Tea & milk", "plain"]
    assert table.columns["label"] == ["a"] * 3 + ["b"] * 3
    put(tmp_path, "a/note.txt", b"hello")
    mixed = read_table(tmp_path)
    assert list(mixed.columns) == ["file", "text", "label"]
    assert mixed.columns["text"][-3] == "Tür defekt\n\nDie Tür ist rot."


def test_a_maildir(tmp_path):
    for name, message in [("cur/1:2,S", PLAIN), ("new/2.host", HTML), ("tmp/3", BOTH)]:
        put(tmp_path, name, message)
    os.mkfifo(tmp_path / "cur" / "pipe")
    table = read_table(tmp_path)
    assert list(table.columns) == ["file", "id", "date", "from", "subject", "text"]
    assert table.columns["text"] == ["Die Tür ist rot.", "Tea & milk"]


@pytest.mark.parametrize(
    ("stated", "encoding", "text"),
    [
        ("gb2312", "gbk", "朱镕基"),
        ("GBK", "gb18030", "朱镕基㐀"),
        ("ks_c_5601-1987", "cp949", "똠방각하"),
        ("euc-kr", "cp949", "똠방각하"),
        ("Shift_JIS", "cp932", "①髙橋"),
    ],
)
def test_the_newer_characters_of_an_encoding_with_an_old_name(tmp_path, stated, encoding, text):
    content = text.encode(encoding)
    with pytest.raises(UnicodeDecodeError):
        content.decode(stated)
    subject = f"=?{stated}?B?{base64.b64encode(content).decode()}?= (2)"
    head = f"Subject: {subject}\nContent-Type: text/plain; charset={stated}\n\n".encode()
    table = read_table(put(tmp_path, "x.eml", head + content + b"\n"))
    assert table.columns["text"] == [text]
    assert table.columns["subject"] == [f"{text} (2)"]
    assert table.messages == ()


def test_messages_in_no_known_encoding_are_counted(tmp_path):
    path = put(tmp_path, "x.mbox", MBOX)
    way_out = "If it is wrong, pass --encoding (encoding=)."
    one = "1 e-mail is neither in the encoding that it states nor UTF-8 and was read as cp1252"
    assert read_table(path).messages == (f"{path}: {one}. {way_out}",)
    assert read_table(path, encoding="cp1252").messages == ()
    two = "2 e-mails are neither in the encoding that they state nor UTF-8 and were read as cp1252"
    undefined = LATIN.replace(b"caf\xe9\n", b"caf\xe9\x81\n")  # cp1252 has no 0x81
    for i, message in enumerate([PLAIN, LATIN, undefined]):
        put(tmp_path, f"folder/{i}.eml", message)
    folder = tmp_path / "folder"
    assert read_table(folder).messages == (f"{folder}: {two}. {way_out}",)
    put(tmp_path, "folder/note.txt", b"hello")
    assert read_table(folder).messages == (f"{folder}: {two}. {way_out}",)


def test_one_message(tmp_path):
    assert read_table(put(tmp_path, "x.eml", PLAIN)).columns["subject"] == ["Tür defekt"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.mbox", b"", "is empty"),
        ("x.mbox", b"\n\n", "is empty"),
        ("x.mbox", b"From x 10:10\n\n\nFrom y 10:11\n\n", "is empty"),
        ("x.mbox.gz", gzip.compress(MBOX * 50, mtime=0)[:-200], "cut short or damaged"),
    ],
)
def test_bad_mailboxes(tmp_path, name, content, message):
    with pytest.raises(ValueError, match=name) as error:
        read_table(put(tmp_path, name, content))
    assert message in str(error.value)


def test_bad_messages(tmp_path, monkeypatch):
    monkeypatch.setattr(mail, "MAX_MESSAGE", 1000)
    path = put(
        tmp_path, "x.mbox", MBOX + b"From x\nSubject: large\n\n" + b"line\n" * 1000 + b"\nFrom y 10:10\n\nlast\n"
    )
    with pytest.raises(ValueError, match="message 7: a message that is too large"):
        read_table(path)
    table = read_table(path, skip_bad=True)
    assert table.columns["text"] == [*EXPECTED["text"], "last"]
    assert [(row.line, row.what) for row in table.bad] == [(7, "a message that is too large")]
    expected = [f"{path}: 1 row skipped (a message that is too large); message 7"]
    assert summarize(table.bad, table.name, unit=table.dialect.unit) == expected


pieces = [
    b"Content-Type: ",
    b"multipart/mixed; boundary=",
    b"text/html",
    b"; charset=",
    b"\n",
    b"\n\n",
    b"--a",
    b"From ",
]
pieces += [
    b"Content-Transfer-Encoding: base64",
    b"Subject: =?",
    b"?q?",
    b"?=",
    b"Date: ",
    b"\xff",
    b"a",
    b":",
    b"\0",
    b"<",
]


@given(st.lists(st.sampled_from(pieces) | st.binary(max_size=3), max_size=25).map(b"".join))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_a_row_or_a_problem(content):
    row = mail.message_row(content, None)
    if isinstance(row, str):
        assert "\n" not in row
    else:
        assert list(row.values) == list(mail.COLUMNS)
        for value in row.values.values():
            assert value is None or isinstance(value.encode(), bytes)


def test_deeply_nested_parts_end():
    content = b""
    for i in range(3000):
        content += b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i)
    assert isinstance(mail.message_row(content, None), str | mail.DocumentRow)


# Standard input and output

COPY = "import sys; from labelferry.tables import *; write_table(read_table('-'), {'label': ['x', 'y']}, '-')"


def run(code, content):
    return subprocess.run([sys.executable, "-c", code], input=content, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"text,id\na,1\nb,2\n", b"text,id,label\na,1,x\nb,2,y\n"),
        (
            "text;id\r\nTürklingel;1\r\nläutet;2\r\n".encode("cp1252"),
            "text;id;label\r\nTürklingel;1;x\r\nläutet;2;y\r\n".encode("cp1252"),
        ),
        (gzip.compress(b"text\tid\na\t1\nb\t2\n", mtime=0), b"text\tid\tlabel\na\t1\tx\nb\t2\ty\n"),
        (b'{"text": "a"}\n{"text": "b"}\n', b"text,label\na,x\nb,y\n"),
        (b'[{"text": "a"}, {"text": "b"}]', b"text,label\na,x\nb,y\n"),
    ],
)
def test_standard_input_and_output(content, expected):
    result = run(COPY, content)
    assert (result.stdout, result.stderr) == (expected, b"")


def test_a_reader_that_stops_early_is_no_error():
    code = "from labelferry.tables import *; write_table(from_texts(['a' * 1000] * 5000), {}, '-')"
    command = f'{sys.executable} -c "{code}" | head -c 10; echo "${{PIPESTATUS[0]}}"'
    result = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert result.stdout == b"text\naaaaa0\n"
    assert result.stderr == b""


def test_empty_standard_input_is_one_line():
    result = run(COPY, b"")
    assert result.stderr.splitlines()[-1] == (
        b"ValueError: standard input is empty. Pass a file with a header and one document per row."
    )


def test_a_terminal_is_no_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", mock.Mock(isatty=lambda: True))
    with pytest.raises(ValueError, match="standard input is a terminal"):
        read_table("-")


def test_an_output_without_bytes_is_one_line(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(ValueError, match="standard output takes no bytes here"):
        write_table(from_texts(["a"]), {}, "-")
