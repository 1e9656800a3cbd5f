"""Texts and labels with characters that nobody sees give the labels of the clean file, and a message counts them."""

import re
import unicodedata

import pandas as pd
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import cli

from .. import tickets

pytestmark = pytest.mark.usefixtures("shared_panels")

ACCENTS = str.maketrans("aeiou", "áéíóú")


def hyphenated(text, character="\u00ad"):
    """A text with a character in the middle of every long word, as in PDF files and web pages."""
    return re.sub(r"\b(\w{2,})(\w{2,})\b", rf"\1{character}\2", text)


def label(old, new, **settings):
    return labelferry.label(pd.DataFrame(old), pd.DataFrame(new), method="sourcelr", **settings)


def accented(columns):
    return {**columns, "text": [text.translate(ACCENTS) for text in columns["text"]]}


def change(columns, function):
    return {**columns, "text": [function(text) for text in columns["text"]]}


CHANGES = {
    "soft hyphens": hyphenated,
    "zero-width spaces": lambda text: hyphenated(text, "\u200b"),
    "marks of direction": lambda text: hyphenated(f"\ufeff\u200f{text}\u200e", "\u2060"),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "entities": lambda text: f"<p>{hyphenated(text, '&shy;')}</p>",
}


@pytest.fixture(scope="module")
def clean_labels():
    return label(accented(tickets.old()), accented(tickets.new())).labels.tolist()


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("side", ["target", "source"])
def test_the_labels_are_those_of_the_clean_file(name, side, clean_labels):
    old, new = accented(tickets.old()), accented(tickets.new())
    old, new = (change(old, CHANGES[name]), new) if side == "source" else (old, change(new, CHANGES[name]))
    result = label(old, new)
    assert result.labels.tolist() == clean_labels
    counted = [message for message in result.messages if "decomposed characters; words" in message]
    assert bool(counted) == (name != "entities")  # entities are HTML, which is always removed
    if counted:
        assert re.search(r"(\d+) of \1 texts", counted[0])


def test_many_texts_are_counted_block_by_block_in_the_same_form(monkeypatch, clean_labels):
    monkeypatch.setattr("labelferry.inputs.features.LARGE", 10)
    old, new = accented(tickets.old()), change(accented(tickets.new()), CHANGES["soft hyphens"])
    assert label(old, new).labels.tolist() == clean_labels


def test_later_documents_are_read_in_the_same_form(tmp_path):
    old, new = accented(tickets.old()), accented(tickets.new())
    model = tmp_path / "model.npz"
    label(old, new).save(model)
    texts = new["text"]
    loaded = labelferry.load(model)
    for function in CHANGES.values():
        assert loaded.label([function(text) for text in texts]).tolist() == loaded.label(texts).tolist()


@pytest.mark.parametrize("character", ["\u200b", "\ufeff", "\u00ad", "\u200f"])
@pytest.mark.parametrize("merge", [False, True])
def test_labels_that_look_the_same_are_one_class(character, merge):
    old = tickets.old()
    classes = sorted(set(old["label"]))
    half = [f"{label[:3]}{character}{label[3:]}" if i % 2 else label for i, label in enumerate(old["label"])]
    clean = label(old, tickets.new())
    result = label({**old, "label": half}, tickets.new(), merge_labels=merge)
    assert sorted(set(result.labels.tolist())) == classes
    assert result.labels.tolist() == clean.labels.tolist()
    counted = next(message for message in result.messages if "in the label" in message)
    assert f"{len(half) // 2} rows" in counted


def test_the_command_line_counts_them_too(tmp_path):
    old = tickets.write_csv(tmp_path / "old.csv", tickets.old())
    new = tickets.write_csv(tmp_path / "new.csv", change(tickets.new(), hyphenated))
    arguments = ["label", str(old), str(new), "-o", str(tmp_path / "out.csv"), "--method", "sourcelr", "-v"]
    result = CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert result.exit_code == 0, result.output
    assert "360 of 360 texts with invisible or decomposed characters" in " ".join(result.output.split())
