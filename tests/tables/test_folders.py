"""Folders of texts; standard input and output."""

import gzip
import io
import os
import subprocess
import sys
from unittest import mock

import pytest

from labelferry.tables import from_texts, read_table, write_table


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
    put(tmp_path, "new/c.txt", b"third")
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
            "is a folder without texts (.txt, .md, .html). Name a file in it, such as 'new.csv'",
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
