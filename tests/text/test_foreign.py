"""New documents in a language that the labelled documents lack: each is marked, also if they are few."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import cli
from labelferry.review.job.job import Job
from labelferry.tables.sequences import Mapped
from labelferry.text import detect
from labelferry.text.detect import Language, detect_language, foreign_languages

from .. import tickets
from ..assessment.test_traps import german
from ..jobs import small_job
from .test_detect import ARABIC, FRENCH, HINDI, THAI

# ruff: noqa: RUF001
ENGLISH = detect_language(tickets.demo().texts_source)
SENTENCE = "30 of 390 new documents are in a language that the labelled documents lack (german)"
SHORT = {
    "german": "Login geht nicht|Mein Passwort funktioniert nicht mehr.|Wann kommt meine Bestellung?|Bitte um Rückruf",
    "french": "Mon colis n'est pas arrivé|L'application plante au démarrage|Mot de passe oublié",
    "spanish": "El paquete no ha llegado todavía|No puedo iniciar sesión desde ayer|La aplicación se cierra sola",
    "russian": "Счёт неверный|Не могу войти со вчерашнего дня|Посылка не пришла|Приложение не запускается",
    "chinese": "我的密码不能用了|发票金额不对，请退款",
}


@pytest.fixture(scope="module")
def result():
    """360 English tickets, then 30 German ones."""
    d = tickets.demo()
    return labelferry.label(d.texts_source, [*d.texts_target, *german(30)[0]], label=d.y_source)


def test_the_language_of_a_new_document_is_detected_once(monkeypatch):
    texts = [f"{text} again" for text in tickets.demo().texts_target]
    looked_at = []
    monkeypatch.setattr(
        detect, "words_of", lambda text, words_of=detect.words_of: looked_at.append(text) or words_of(text)
    )
    detect_language(texts)
    foreign_languages(ENGLISH, texts)
    assert len(looked_at) == len(set(texts))


def test_few_documents_in_another_language_are_marked(result):
    assert result.assessment.facts == ()  # they are fewer than 10%
    assert result.other_language == [""] * 360 + ["german"] * 30
    assert result.needs_review[360:].all()
    assert not result.needs_review[:360].all()
    assert result.columns()["other_language"] == [None] * 360 + ["german"] * 30
    assert result.verdict.reasons[0].startswith(SENTENCE)
    assert "marked for review" in result.verdict.reasons[0]
    assert SENTENCE in result.messages


def test_they_are_in_the_summary_and_on_the_page(result, tmp_path):
    assert result.summary()["other_languages"] == {"german": 30}
    assert all("other_language" in row for row in result.summary()["review"])
    for texts in (True, False):
        result.report(tmp_path / "page.html", texts=texts)
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert SENTENCE in page
        assert page.count(">in german</span>") == 30


def test_a_limit_of_the_confidence_keeps_the_marks():
    d = tickets.demo()
    new = [*d.texts_target[::4], *german(2)[0]]
    result = labelferry.label(d.texts_source, new, label=d.y_source, method="sourcelr", min_confidence=0)
    assert np.flatnonzero(result.needs_review).tolist() == [90, 91]
    assert result.verdict.reasons[0].startswith("2 of 92 new documents are in a language")
    answered = result.update({90: "billing"})
    assert not answered.needs_review[90]
    assert answered.other_language[90] == "german"


def test_rows_without_a_text_have_no_language(tmp_path):
    d = tickets.demo()
    texts = ["", *d.texts_target[::4], german(1)[0][0]]
    result = labelferry.label(d.texts_source, texts, label=d.y_source, method="sourcelr")
    assert result.other_language == ["", *[""] * 90, "german"]


def test_own_features_may_know_several_languages():
    d = tickets.demo()
    new = [*d.texts_target[::4], *german(2)[0]]
    features = np.random.default_rng(0).random((len(d.texts_source) + len(new), 5))
    result = labelferry.label(d.texts_source, new, label=d.y_source, method="sourcelr", features=features)
    assert not any(result.other_language)


def test_a_job_keeps_the_marks(result, tmp_path):
    pytest.importorskip("sqlalchemy")
    with result.store(tmp_path / "job.ferry", seed=0) as job:
        job.answer(370, "billing")
        job.answer(0, "billing")
        job.refit()
        job.export(tmp_path / "out.csv")
    written = tickets.read_csv(tmp_path / "out.csv")
    assert written["other_language"] == [""] * 360 + ["german"] * 30
    review = np.array(written["needs_review"]) == "true"
    assert np.flatnonzero(~review[360:]).tolist() == [10]


@pytest.mark.parametrize("damaged", [[], {"german": "x"}, {"german": 1}, {"german": [1000]}])
def test_a_job_with_damaged_languages(tmp_path, damaged):
    store = pytest.importorskip("labelferry.review.store")
    with (
        pytest.raises(ValueError, match="damaged"),
        Job(store.Store.create(tmp_path / "job.ferry", small_job(other_languages=damaged))) as job,
    ):
        job.export(tmp_path / "out.csv")


def test_the_command_line(tmp_path):
    old = tickets.write_csv(tmp_path / "old.csv", tickets.old())
    new = tickets.write_csv(tmp_path / "new.csv", {"text": [*tickets.new(4)["text"], german(1)[0][0]]})
    out = tmp_path / "out.csv"
    arguments = ["label", str(old), str(new), "-o", str(out), "--method", "sourcelr", "--json"]
    done = CliRunner().invoke(cli.app, arguments)
    assert json.loads(done.stdout)["other_languages"] == {"german": 1}
    assert tickets.read_csv(out)["other_language"] == [""] * 90 + ["german"]
    done = CliRunner().invoke(cli.app, ["audit", str(out), "-o", str(tmp_path / "sample.csv")])
    assert done.exit_code == 0
    assert "other_language" not in tickets.read_csv(tmp_path / "sample.csv")


# Which texts


@pytest.mark.parametrize("name", SHORT)
def test_short_texts(name):
    texts = SHORT[name].split("|")
    assert foreign_languages(ENGLISH, texts) == [name] * len(texts)


@pytest.mark.parametrize("texts", [FRENCH, ARABIC, HINDI, THAI], ids=["french", "arabic", "hindi", "thai"])
def test_other_scripts(texts):
    assert all(foreign_languages(ENGLISH, texts))
    assert foreign_languages(detect_language(texts * 10), texts) == [""] * 3


def test_english_texts_are_not_marked():
    d = tickets.demo()
    assert not any(foreign_languages(ENGLISH, [*d.texts_source, *d.texts_target]))
    noise = ["", "12345", "Waka waka", "ok", "http://example.org/die/der/das", "// no error as default", "wifi hub lg"]
    assert not any(foreign_languages(ENGLISH, noise))


def test_a_language_of_some_labelled_documents_is_not_foreign():
    texts = german(5)[0]
    assert foreign_languages(ENGLISH._replace(shares={"english": 0.99, "german": 0.01}), texts) == [""] * 5
    assert foreign_languages(ENGLISH._replace(shares={"english": 0.995, "german": 0.005}), texts) == ["german"] * 5
    assert foreign_languages(Language(None, {"english": 1.0}, 9, 0.0, 0.0), texts) == [""] * 5  # too few to say


def test_of_many_documents_a_sample_is_looked_at_first(monkeypatch):
    monkeypatch.setattr(detect, "LARGE", 1000)
    monkeypatch.setattr(detect, "N_FIRST", 100)
    english, read = tickets.demo().texts_target, []

    def look(texts):
        read.extend(texts)
        return texts

    assert not any(foreign_languages(ENGLISH, Mapped(english * 5, look)))
    assert len(read) == 100
    many = Mapped([*english * 4, *german(360)[0]], look)
    assert foreign_languages(ENGLISH, many) == [""] * 1440 + ["german"] * 360


def test_less_than_two_in_a_hundred_are_marked_but_not_told():
    names = ["german", *[""] * 49]
    assert len(detect.foreign_message(names)) == 1
    assert detect.foreign_message([*names, ""]) == []
