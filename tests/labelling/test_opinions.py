"""Opinions of other labellers: the same through files, frames, values, answers, a job and the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry.assessment.voted import CONTRADICT, NOT_CONFIRMED
from labelferry.cli import app
from tests.tickets import demo, new, old, read_csv, write_csv

pytestmark = pytest.mark.usefixtures("shared_panels")
CLASSES = ["account", "billing", "technical"]
EVERY = 2
TRUTH = demo().y_target[::EVERY].tolist()
HOME = demo().y_source[::EVERY].tolist()


def guesses(labels, accuracy, seed):
    rng = np.random.default_rng(seed)
    return [c if rng.random() < accuracy else CLASSES[(CLASSES.index(c) + 1) % 3] for c in labels]


def files(folder, home=0.8, away=0.8, **more):
    """Labelled and new tickets with a column of guesses; home None: not in the labelled file."""
    own = {} if home is None else {"llm": guesses(HOME, home, 1)}
    write_csv(folder / "old.csv", {**old(EVERY), **own})
    write_csv(folder / "new.csv", {**new(EVERY), "llm": guesses(TRUTH, away, 2), **more})
    return folder / "old.csv", folder / "new.csv"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def fact_names(result):
    return [fact.name for fact in result.assessment.facts]


def accuracy(result):
    return float(np.mean(result.labels == TRUTH))


def sourced(source, target, **options):
    return labelferry.label(source, target, label="label", text="text", **options)


def test_guesses_are_measured_and_never_called_safe_without_answers(tmp_path):
    source, target = files(tmp_path)
    plain, voted = sourced(source, target), sourced(source, target, opinions="llm")
    assert plain.verdict.level == "safe"
    assert voted.verdict.level == "doubtful"
    assert NOT_CONFIRMED in fact_names(voted)
    assert accuracy(voted) >= accuracy(plain) - 0.01
    assert any("180 of 180 labelled ones, where it is measured" in message for message in voted.messages)
    assert 0 < voted.estimated_accuracy["mean"] <= 0.98
    answers = {row: TRUTH[row] for row in range(0, 180, 4)}
    assert NOT_CONFIRMED not in fact_names(voted.update(answers))
    few = voted.update({row: TRUTH[row] for row in range(0, 180, 10)})
    assert NOT_CONFIRMED in fact_names(few)
    assert few.verdict.level != "safe"


def test_columns_frames_and_values_are_the_same(tmp_path):
    source, target = files(tmp_path)
    by_file = sourced(source, target, opinions=["llm"])
    frames = sourced(pd.read_csv(source), pd.read_csv(target), opinions="llm")
    pair = (guesses(HOME, 0.8, 1), guesses(TRUTH, 0.8, 2))
    values = labelferry.label(
        demo().texts_source[::EVERY], demo().texts_target[::EVERY], label=HOME, opinions={"llm": pair}
    )
    for other in (frames, values):
        assert other.labels.tolist() == by_file.labels.tolist()
        np.testing.assert_allclose(other.confidence, by_file.confidence)


def test_a_voter_that_turns_bad_contradicts_the_labels(tmp_path):
    result = sourced(*files(tmp_path, home=0.9, away=0.1), opinions="llm")
    assert CONTRADICT in fact_names(result)
    assert result.verdict.level == "doubtful"
    assert accuracy(result) > 0.95  # it is not used
    answered = result.update({row: TRUTH[row] for row in range(0, 180, 4)})
    assert accuracy(answered) > 0.95
    assert CONTRADICT not in fact_names(answered)


@pytest.mark.parametrize("kind", ["random", "abstains", "trained", "not at home"])
def test_guesses_that_are_worth_nothing_change_no_label(kind, tmp_path):
    home = None if kind == "not at home" else 1 / 3 if kind == "random" else 0.9
    source, target = files(tmp_path, home=home, away=1 / 3 if kind == "random" else 0.9)
    if kind == "abstains":
        columns = read_csv(target)
        write_csv(target, {**columns, "llm": [""] * len(TRUTH)})
    option = "opinions_trained" if kind == "trained" else "opinions"
    result, plain = sourced(source, target, **{option: "llm"}), sourced(source, target)
    assert result.labels.tolist() == plain.labels.tolist()
    assert result.estimated_accuracy == plain.estimated_accuracy
    assert result.verdict.level == plain.verdict.level == "safe"
    if kind in ("trained", "not at home"):
        assert any("only answers can tell" in message for message in result.messages)


def test_words_that_are_no_class_are_one_line(tmp_path):
    guessed = guesses(TRUTH, 0.8, 2)
    guessed[3], guessed[8] = "refund", " Billing "
    source, target = files(tmp_path, llm=guessed)
    result = sourced(source, target, opinions="llm")
    assert [m for m in result.messages if "refund" in m] == [
        "opinion 'llm': 1 cell with no class ('refund'), counted as no guess"
    ]
    source, target = files(tmp_path, llm=["refund", "question"] * 90)
    done = run("label", source, target, "-o", tmp_path / "out.csv", "--opinion", "llm")
    (line,) = done.stderr.splitlines()
    assert done.exit_code == 2
    assert "most guesses are no class (180 cells, such as 'refund', 'question')" in line
    assert "the classes are 'account', 'billing', 'technical'" in line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"opinions": "lm"}, "has no column 'lm'"),
        ({"opinions": "text"}, "is the text or the label"),
        ({"opinions": ["llm", "llm"]}, "named twice"),
        ({"opinions": "llm", "opinions_trained": "llm"}, "named twice"),
        ({"opinions": {"llm": ["billing"]}}, "must have one guess per row: 180 of the target"),
        ({"opinions": [3]}, "must name columns"),
        ({"opinions": "llm", "method": "sourcelr"}, "opinions need the method 'auto'"),
    ],
)
def test_mistakes_are_explained(options, words, tmp_path):
    source, target = files(tmp_path)
    with pytest.raises(ValueError, match=words):
        sourced(source, target, **options)


def test_confidences_of_guesses_are_used(tmp_path):
    """Guesses with a low confidence are coin tosses: they are known to be, from the labelled documents."""
    rng = np.random.default_rng(5)

    def side(labels, seed):
        sure = rng.random(len(labels)) < 0.5
        good, bad = guesses(labels, 0.98, seed), guesses(labels, 0.4, seed + 1)
        return [a if s else b for a, b, s in zip(good, bad, sure, strict=True)], np.where(sure, 0.9, 0.4).tolist()

    source, target = files(tmp_path)
    for path, labels, seed in ((source, HOME, 1), (target, TRUTH, 3)):
        votes, confidence = side(labels, seed)
        write_csv(path, {**read_csv(path), "llm": votes, "llm_confidence": confidence})
    (voter,) = sourced(source, target, opinions="llm").votes.voters
    assert voter.home.shape == (3, 6)
    low, high = voter.home[:, :3], voter.home[:, 3:]
    assert np.trace(high) / high.sum() > 0.9 > 0.6 > np.trace(low) / low.sum()


def test_a_job_keeps_the_votes(tmp_path):
    source, target = files(tmp_path, home=0.9, away=0.9)
    result = sourced(source, target, opinions="llm")
    rows = list(range(0, 180, 4))
    with result.store(tmp_path / "job.ferry") as job:
        for row in rows:
            job.answer(row, TRUTH[row], purpose="audit", reviewer="ann")
        job.refit()
        labels = np.array(job.classes)[job.store.fits.labels().arrays["labels"]]
    in_python = result.update({row: TRUTH[row] for row in rows})
    assert labels.tolist() == in_python.labels.tolist()


def test_damaged_votes_of_a_job_are_one_line(tmp_path):
    result = sourced(*files(tmp_path), opinions="llm")
    with result.store(tmp_path / "job.ferry") as job:
        job.answer(0, TRUTH[0], purpose="audit", reviewer="ann")
        arrays = job.store.database.arrays
        pool = {**arrays("pool"), "votes 0": arrays("pool")["votes 0"] + 50}
        job.store.database.arrays = lambda name: pool if name == "pool" else arrays(name)
        with pytest.raises(ValueError, match="its votes have a wrong shape or type"):
            job.refit()


def test_the_command_line_has_opinions(tmp_path):
    source, target = files(tmp_path)
    done = run("label", source, target, "-o", tmp_path / "out.csv", "--opinion", "llm", "--json", "--text", "text")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert summary["verdict"]["level"] == "doubtful"
    assert any("opinion 'llm'" in message for message in summary["messages"])
    (row,) = summary["opinions"]
    assert (row["name"], row["guesses"], row["measured"]) == ("llm", 180, 180)
    assert 0.7 < row["accuracy"] < 0.9
    assert row["trust"] > 0.9
    in_python = sourced(source, target, opinions="llm")
    assert read_csv(tmp_path / "out.csv")["label"] == in_python.labels.tolist()
    strict = run("label", source, target, "-o", tmp_path / "out.csv", "--opinion", "llm", "-q", "--strict")
    assert strict.exit_code == 3


def test_a_half_labelled_file_has_guesses_in_one_column(tmp_path):
    texts = [*demo().texts_source[::EVERY], *demo().texts_target[::EVERY]]
    votes = [*guesses(HOME, 0.9, 1), *guesses(TRUTH, 0.9, 2)]
    write_csv(tmp_path / "half.csv", {"text": texts, "label": [*HOME, *[""] * len(TRUTH)], "llm": votes})
    result = labelferry.label(tmp_path / "half.csv", opinions="llm", text="text", label="label")
    assert result.votes.voters[0].home.sum() == len(HOME)
    assert float(np.mean(result.labels[len(HOME) :] == TRUTH)) > 0.95


SENTENCES = {
    "account": "login, password and profile of the user",
    "billing": "invoice, payment, refund and price",
    "technical": "error, crash, installation and network",
}


def words_as_vectors(texts):
    """An encoder without a model: counts of the letters of words, as a stand-in."""
    rows = np.zeros((len(texts), 512), dtype=np.float32)
    for i, text in enumerate(texts):
        for word in text.lower().split():
            rows[i, sum(map(ord, word.strip(".,!?"))) % 512] += 1
    return rows + 1e-6


def test_one_sentence_per_class_is_an_opinion(tmp_path):
    source, target = files(tmp_path)
    write_csv(tmp_path / "classes.csv", {"class": list(SENTENCES), "description": list(SENTENCES.values())})
    by_file = sourced(source, target, descriptions=tmp_path / "classes.csv", embed=words_as_vectors)
    by_dict = sourced(source, target, descriptions=SENTENCES, embed=words_as_vectors)
    assert by_file.labels.tolist() == by_dict.labels.tolist()
    (voter,) = by_file.votes.voters
    assert voter.name == "descriptions"
    assert voter.home.sum() == len(HOME)
    assert any("opinion 'descriptions': 180 of 180 new documents" in message for message in by_file.messages)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"technical": ""}, "no description of the class 'technical'"),
        ({"refund": "money back"}, "'refund' is no class"),
    ],
)
def test_descriptions_must_be_of_the_classes(change, words, tmp_path):
    source, target = files(tmp_path)
    with pytest.raises(ValueError, match=words):
        sourced(source, target, descriptions={**SENTENCES, **change}, embed=words_as_vectors)


def test_descriptions_by_the_vectors_of_wordllama(tmp_path):
    pytest.importorskip("wordllama")
    source, target = files(tmp_path)
    write_csv(tmp_path / "classes.csv", {"class": list(SENTENCES), "description": list(SENTENCES.values())})
    out = tmp_path / "out.csv"
    done = run("label", source, target, "-o", out, "--describe", tmp_path / "classes.csv", "--json", "--text", "text")
    assert done.exit_code == 0, done.output
    assert any("opinion 'descriptions'" in message for message in json.loads(done.stdout)["messages"])
    assert np.mean(np.array(read_csv(out)["label"]) == TRUTH) > 0.9


def test_guesses_of_children_are_guesses_of_parents():
    names = {"account": "user/account", "billing": "user/billing", "technical": "dev/technical"}

    def children(labels):
        return [names[label] for label in labels]

    texts, new_texts = demo().texts_source[::EVERY], demo().texts_target[::EVERY]
    pair = (children(guesses(HOME, 0.9, 1)), children(guesses(TRUTH, 0.9, 2)))
    result = labelferry.label(texts, new_texts, label=children(HOME), parents=True, opinions={"llm": pair})
    assert result.votes.voters[0].home.shape == (2, 2)
    assert NOT_CONFIRMED in fact_names(result)
    truth = [names[label].partition("/")[0] for label in TRUTH]
    assert np.mean(result.labels == truth) > 0.95
    answered = result.update({row: truth[row] for row in range(0, 180, 4)})
    assert np.mean(answered.labels == truth) > 0.95
