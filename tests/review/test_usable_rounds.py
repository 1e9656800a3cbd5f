"""Labels to use: rounds of files, answers of several persons, and what must be refused."""

import dataclasses
import json

import numpy as np
import pytest
from scipy.stats import binom

import labelferry
from labelferry.certificate.accept import climb, given_answers
from labelferry.certificate.finish import file_ladder, looks
from labelferry.certificate.rounds import accept_several
from labelferry.review.sample.accept_files import next_round, read_samples
from labelferry.review.sample.frozen import Limit, freeze
from labelferry.review.sample.population import population_of_file
from labelferry.review.sample.usable import Further, usable_labels
from tests.tickets import read_csv, write_csv
from tests.usable import TRUTH, error_of, fill, population, run


@pytest.fixture(scope="module")
def first_round(result, folder, tmp_path_factory):
    """A file, its sample with answers, what they accept, and the labels that learned from them."""
    place = tmp_path_factory.mktemp("rounds")
    out, one = place / "out.csv", place / "one.csv"
    result.write(out)
    run("accept", out, "-n", 56, "-o", one)
    fill(one)
    learned = labelferry.label(folder / "old.csv", folder / "new.csv", answers=one)
    learned.write(place / "learned.csv")
    usable = result.accept(answers=one)
    assert usable.n
    return place, usable, learned


def rounds(n=2000, seed=3, limit=Limit(0.1)):  # noqa: B008
    """Labels that were accepted without a wrong one, and the same documents with other labels behind them."""
    before = freeze(population(np.zeros(n, dtype=bool)), seed)
    answers = {}
    while not (usable := usable_labels(before, Further(answers, {}), limit)).n:
        answers[usable.next_row()] = 0
    return usable, before._replace(seed=seed + 1, fingerprints=("learned",))


def test_rounds_are_about_the_same_documents(first_round, folder, tmp_path):
    place, usable, learned = first_round
    columns = read_csv(place / "learned.csv")
    order = np.argsort(columns["text"], kind="stable").tolist()
    write_csv(tmp_path / "sorted.csv", {name: [values[row] for row in order] for name, values in columns.items()})
    after = ("--after", place / "out.csv", "--after", place / "one.csv")
    assert run("accept", place / "learned.csv", *after).exit_code == 0
    assert "same documents in the same rows" in error_of("accept", tmp_path / "sorted.csv", *after)
    target = read_csv(folder / "new.csv")
    write_csv(tmp_path / "new.csv", {**target, "text": [*target["text"][1:], target["text"][0]]})
    with pytest.raises(ValueError, match="same documents in the same rows"):
        labelferry.label(folder / "old.csv", tmp_path / "new.csv").update({0: TRUTH[1]}).accept(after=usable)
    assert learned.accept(after=usable).n == usable.n


def test_a_round_needs_other_labels(first_round, result):
    place, usable, learned = first_round
    out, one = place / "out.csv", place / "one.csv"
    assert "same labels as an earlier round" in error_of("accept", out, one, "--after", out, "--after", one)
    second = learned.accept(after=usable)
    for again in (result, learned):
        with pytest.raises(ValueError, match="same labels as an earlier round"):
            again.accept(after=second)


def test_levels_are_rounded_down():
    usable, learned = rounds()
    third = next_round(
        learned._replace(fingerprints=("more",)),
        Further({}, {}),
        usable.limit,
        next_round(learned, Further({}, {}), usable.limit, usable),
    )
    assert third.level == pytest.approx(0.9425)
    assert "With 94.2% confidence" in third.text()
    assert "94.3" not in third.text()


def test_the_statement_about_the_whole_file_counts_the_rounds():
    usable, learned = rounds()
    second = next_round(learned, usable.given, usable.limit, usable)
    assert usable.finished.tail == pytest.approx(0.05)
    assert second.ladders.whole.tail == pytest.approx(0.005)
    assert second.finished.tail == pytest.approx(0.055)
    assert "Then with 94.5% confidence" in second.for_whole_file().text()


def test_answers_by_row_do_not_choose_a_seed(result):
    row = result.accept().next_row()
    with pytest.raises(ValueError, match="Omit the seed"):
        result.accept(answers={row: TRUTH[row]}, seed=5)
    assert result.accept(seed=5).next_row() is not None


def asked_again(result, tmp_path, persons):
    """A first sample with one contradiction, and a second sample in which these persons answer it again."""
    out, one, two = (tmp_path / name for name in ("out.csv", "a.csv", "b.csv"))
    result.write(out)
    run("accept", out, "-n", 8, "-o", one)
    told = result.labels.tolist()
    row = int(read_csv(one)["row"][2]) - 1
    other = next(name for name in result.estimator.classes_ if name != told[row])
    fill(one, {**dict(enumerate(told)), row: other})
    run("accept", out, one, "-n", 1, "-o", two)
    columns = read_csv(two)
    assert columns["purpose"][0] == "again 1"
    n = len(persons)
    second = {name: [values[0]] * n for name, values in columns.items()}
    names = {"label": told[row], "other": other}
    write_csv(two, {**second, "reviewer": list(persons), "answer": [names[answer] for answer in persons.values()]})
    return out, one, two


def test_a_sample_counts_once_whatever_its_name(result, tmp_path, monkeypatch):
    out, one, two = asked_again(result, tmp_path, {"ann": "label"})
    monkeypatch.chdir(tmp_path)
    assert "named twice" in error_of("accept", out, one, "b.csv", "./b.csv")
    copy = write_csv(tmp_path / "copy.csv", read_csv(two))
    labels = population_of_file(out)
    assert read_samples(labels, [one, two, copy]) == read_samples(labels, [one, two])
    done = run("accept", out, one, two, copy, "--json")
    assert json.loads(done.output)["accept"]["ask_again"] == 1  # one more answer is needed


@pytest.mark.parametrize(
    ("persons", "agrees"),
    [
        ({"ann": "label", "bob": "label", "cid": "other"}, True),
        ({"cid": "other", "bob": "label", "ann": "label"}, True),
        ({"ann": "label", "cid": "other"}, False),
        ({"ann": "other", "bob": "other", "cid": "label"}, False),
    ],
)
def test_several_persons_are_one_answer_when_asked_again(result, tmp_path, persons, agrees):
    out, one, two = asked_again(result, tmp_path, persons)
    labels = population_of_file(out)
    ((row, codes),) = read_samples(labels, [one, two]).again.items()
    assert [code == labels.labels[row] for code in codes] == [agrees]


def test_an_earlier_part_that_new_answers_refute_is_withdrawn():
    usable, learned = rounds()
    inside = np.flatnonzero(usable.accepted.rows)
    new = [place for place in inside.tolist() if place not in usable.given.first]
    most = usable.at_most_wrong
    kept = next_round(learned, Further(dict.fromkeys(new[:most], 1), {}), usable.limit, usable)
    assert (kept.n, kept.accepted.n_wrong, kept.at_most_wrong) == (usable.n, most, most)
    assert kept.unseen_at_most == 0
    refuted = next_round(learned, Further(dict.fromkeys(new[: most + 1], 1), {}), usable.limit, usable)
    assert (refuted.n, refuted.round_number, refuted.level) == (0, 2, pytest.approx(0.945))
    assert refuted.ladder.key == kept.ladder.key  # the questions do not depend on the answers


def test_an_answer_that_is_given_in_two_rounds_counts_once():
    usable, learned = rounds()
    first = usable.accepted
    inside = [place for place in usable.given.first if first.rows[place]]
    new = int(np.setdiff1d(np.flatnonzero(first.rows), inside)[0])

    def earlier(given, after, name="learned"):
        (part,) = (result := next_round(learned._replace(fingerprints=(name,)), given, usable.limit, after)).earlier
        return result, (part.n_answers, part.n_wrong, part.unseen)

    counts = (len(inside), 0, first.n - len(inside))
    second, same = earlier(usable.given, usable)
    assert same == counts
    assert earlier(usable.given, second, "again")[1] == counts  # nor in the third round
    found, other = earlier(Further({inside[0]: 1, new: 0}, {}), usable)
    assert other == (counts[0] + 1, 1, counts[2] - 1)  # a new answer counts, and a changed one as it is now
    assert earlier(Further({inside[0]: 0}, {}), found, "again")[1] == (counts[0] + 1, 0, counts[2] - 1)


def test_rounds_at_their_ends():
    usable, learned = rounds(limit=Limit(0.1, per_class=True))
    everything = usable.accepted._replace(rows=np.ones(2000, dtype=bool), n=2000)
    done = next_round(learned, Further({}, {}), usable.limit, dataclasses.replace(usable, current=everything))
    assert (done.n, done.by_class()) == (2000, [])
    assert done.text()
    with pytest.raises(ValueError, match="has no class 'a'"):
        next_round(learned._replace(classes=["b", "c"]), Further({}, {}), usable.limit, usable)
    with pytest.raises(ValueError, match="outside the sample"):
        next_round(learned, Further({}, {}), Limit(0.1, outside=True), usable)


def test_columns_of_others_have_rounds(tmp_path):
    """Both rounds are read from the named columns; a class without labels in the second file stays a class."""
    texts = [f"text {row}" for row in range(600)]
    one = {"text": texts, "llm": ["a"] * 595 + ["b"] * 5, "p": np.linspace(1, 0.9, 600).round(4).tolist()}
    first, second, sample = (tmp_path / name for name in ("one.csv", "two.csv", "s.csv"))
    write_csv(first, one)
    write_csv(second, {**one, "llm": ["c" if row % 2 else "d" for row in range(600)]})
    options = ("--column", "llm", "--confidence", "p", "--error", 0.1)
    assert run("accept", first, *options, "-n", 60, "-o", sample).exit_code == 0
    fill(sample, one["llm"])
    done = run("accept", second, *options, "--after", first, "--after", sample, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)["accept"]
    assert found["round_number"] == 2
    assert found["per_class"]["a"] > 0


def test_a_stricter_claim_has_a_sentence_of_its_own():
    frozen = freeze(population(np.zeros(2000, dtype=bool)), 3)
    answers = {}
    while not (usable := usable_labels(frozen, Further(answers, {}), Limit(0.1, outside=True))).n:
        answers[usable.next_row()] = 0
    values = usable.as_dict()
    assert 0 < values["rest_at_most"] <= 0.1
    assert f"Of the {usable.n - values['n_sample']:,} outside the {values['n_sample']} answers" in usable.text()
    assert "outside the" not in usable_labels(frozen, Further(answers, {}), Limit(0.1)).text()


def test_the_early_ladder_is_told_as_it_is():
    """What is certified by the ladder that begins earlier, and not by the other one, at 10%."""
    frozen = freeze(population(np.zeros(2000, dtype=bool)), 3)._replace(p_wrong=np.linspace(0.01, 0.3, 2000))
    answers = {}
    while not (usable := usable_labels(frozen, Further(answers, {}), Limit(0.1))).n:
        place = usable_labels(frozen, Further(answers, {})).next_row()
        answers[place] = 0
    assert accept_several(usable.ladders.current, usable.wrong).n < usable.n  # otherwise the test says nothing
    values = usable.as_dict()
    assert [rung["n"] for rung in values["rungs"] if rung["certified"]][-1] == values["n_accepted"]
    lower = usable_labels(frozen, Further(answers, {}), Limit(0.02))
    assert lower.other_limit() == {"error": 0.1, "more_answers": 0, "n": usable.n}
    assert f"If you accept 10% wrong: {usable.n:,} are usable now." in lower.text()


def test_labels_without_a_rank_and_rounds_that_are_not_named_are_told(first_round, tmp_path):
    place, _, _ = first_round
    out, learned = place / "out.csv", place / "learned.csv"
    assert "accept_rank" not in run("accept", out).output
    columns = read_csv(out)
    write_csv(tmp_path / "part.csv", {**columns, "accept_rank": ["", "", "", *columns["accept_rank"][3:]]})
    assert "3 labels have no accept_rank and cannot be accepted" in run("accept", tmp_path / "part.csv").output
    assert "--after" not in run("accept", out).output
    assert "name the earlier round (--after)" in " ".join(run("accept", learned).output.split())
    done = run("accept", learned, "--after", out, "--after", place / "one.csv")
    assert "name the earlier file" not in done.output


# -- any false statement over rounds ----------------------------------------------------------------------------------
def one_too_many(ladder, rng, below):
    """Wrong labels so that the claims of all sets are false, except those of at most `below` labels."""
    wrong, by_place, low = np.zeros(len(ladder.place), dtype=bool), np.argsort(ladder.place), 0
    for n, r in zip(ladder.sizes, ladder.at_most, strict=True):
        more = max(r + 1 - int(wrong.sum()), 0) if n > below else 0
        wrong[by_place[low + rng.permutation(n - low)[:more]]] = True
        low = n
    return wrong


def is_false_for_the_file(ladder, wrong):
    """Whether too many of all labels are wrong with the labels that are used after any number of answers."""
    one = file_ladder(ladder)
    found = np.append(0, np.cumsum(wrong[np.argsort(one.place)]))
    looked = looks(one, wrong, given_answers(one, {}), 150)
    return any((found[look.sizes] > one.at_most[0]).any() for look in looked)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [60, pytest.param(400, marks=pytest.mark.system)])
def test_any_false_statement_over_rounds_is_as_rare_as_the_printed_level_says(runs):
    """Three rounds of the worst labels, read after every answer; the first set is right and stays accepted."""
    n, limit = 600, Limit(0.1)
    false, false_for_the_file = 0, 0
    for run_number in range(runs):
        rng, earlier, before = np.random.default_rng(run_number), (), 0.0
        claims, file_claims = [], []
        for round_number in (1, 2, 3):
            frozen = freeze(population(np.zeros(n, dtype=bool)), 3 * run_number + round_number)
            frozen = frozen._replace(p_wrong=np.linspace(0.01, 0.3, n))
            start = usable_labels(
                frozen, Further({}, {}), limit, earlier=earlier, round_number=round_number, before=before
            )
            ladder = start.ladders.current[0]
            first = ladder.sizes[ladder.start] if round_number == 1 else 0
            wrong = one_too_many(ladder, rng, first)
            steps = climb(ladder, wrong, given_answers(ladder, {}), 150)
            claims.append(any(step.n > first for step in steps))
            whole = start.ladders.whole
            worst = one_too_many(file_ladder(whole), rng, 0)
            file_claims.append(is_false_for_the_file(whole, worst))
            answers = {}
            while round_number == 1 and not earlier and len(answers) < 60:
                answers |= dict.fromkeys(start.next_rows(len(answers) + 20), 0)
                found = usable_labels(frozen, Further(answers, {}), limit)
                earlier = (found.accepted,) if found.n else ()
            before = start.tail
        assert earlier
        false += any(claims)
        false_for_the_file += any(file_claims)
    assert start.level == pytest.approx(1 - 0.0575)
    assert start.finished.tail == pytest.approx(0.0575)
    assert 0 < false <= binom.ppf(0.999, runs, 1 - start.level)
    assert 0 < false_for_the_file <= binom.ppf(0.999, runs, start.finished.tail)
