"""`labelferry data`: the corpora on this machine."""

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from labelferry import cli
from labelferry_bench import datasets
from labelferry_bench.datasets import catalogue

NAMES = {"newsgroups", "reuters", "reuters_crossdomain", "sraa", "amazon", "office_caltech", "caltech256"}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """`labelferry data` on a machine with two articles, a broken file of reviews and an image."""
    folders = {name: tmp_path / "data" / name for name in ("20news", "amazon", "256_ObjectCategories/001.ak47")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    articles = [{"id": "1", "split": "train", "group": group, "text": "Hello."} for group in ("sci.med", "rec.autos")]
    lines = "".join(json.dumps(article) + "\n" for article in articles)
    (folders["20news"] / "20news-bydate.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folders["amazon"] / "reviews.jsonl.gz").write_bytes(b"[/no] gzip")
    (folders["256_ObjectCategories/001.ak47"] / "001_0001.jpg").touch()

    monkeypatch.setenv("LABELFERRY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path / "cache"))
    environment = {"COLUMNS": "80", "NO_COLOR": "1"}
    return lambda *arguments: CliRunner().invoke(cli.app, ["data", *arguments], env=environment)


def test_json(run, tmp_path):
    rows = {row["name"]: row for row in json.loads(run("--json").stdout)}
    assert set(rows) == NAMES
    newsgroups = rows["newsgroups"]
    assert newsgroups["available"]
    assert newsgroups["place"] == str(tmp_path / "data/20news/20news-bydate.jsonl.gz")
    assert (newsgroups["documents"], newsgroups["groups"], newsgroups["problem"]) == (2, {"groups": 2}, None)
    assert (rows["caltech256"]["documents"], rows["caltech256"]["groups"]) == (1, {"categories": 1})
    assert rows["amazon"]["available"]
    assert rows["amazon"]["documents"] is None
    assert "damaged" in rows["amazon"]["problem"]
    assert (rows["sraa"]["available"], rows["sraa"]["place"], rows["sraa"]["documents"]) == (False, None, None)
    assert all(row["terms"] for row in rows.values())


def test_table(run):
    text = run().stdout
    assert max(map(len, text.splitlines())) <= 80
    cells = {
        line.split()[0]: line.split()[1] for line in text.splitlines() if line.split() and line.split()[0] in NAMES
    }
    assert cells == dict.fromkeys(NAMES, "missing") | {"newsgroups": "2", "amazon": "damaged", "caltech256": "1"}
    assert "2 groups" in text
    assert "20news-bydate.jsonl.gz" in text.replace(" ", "").replace("\n", "")  # a long path is wrapped, not cut
    assert text.count("Terms:") == len(NAMES)
    assert "labelferry data --where NAME" in text


def test_where(run, tmp_path):
    text = run("--where", "sraa").stdout
    for part in ("sraa/sraa.tar.gz", "LABELFERRY_DATA", str(tmp_path / "cache"), "load_sraa", "Terms:"):
        assert part in text
    result = run("--where", "gutenberg")
    assert result.exit_code == 2
    assert f"name must be one of {', '.join(sorted(NAMES))}; got 'gutenberg'" in result.stderr
    assert result.stdout == ""


def test_every_file_with_a_source_is_listed_and_its_loader_is_public():
    modules = {path.stem for path in Path(datasets.__file__).parent.glob("*.py") if "\nSOURCE = " in path.read_text()}
    assert modules == NAMES == set(catalogue.corpora())
    for source, count in catalogue.corpora().values():
        assert source.loader in datasets.__all__
        assert callable(count)
