"""Labels to use: what the command, Python and the page say, and mistakes that get a hint."""

import json
import re

import numpy as np
import pytest

from labelferry.labelling.outlook import usable_outlook
from labelferry.review.sample.frozen import Limit, freeze
from labelferry.review.sample.usable import N_LEARN, Further, usable_labels
from tests.tickets import new, read_csv, write_csv
from tests.usable import SEED, TRUTH, error_of, fill, population, run


@pytest.fixture(scope="module")
def out(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("hints") / "out.csv"
    result.write(path)
    return path


def flat(text):
    return " ".join(text.split())


def sums(values):
    """The parts of a file."""
    return values["n_accepted"] + values["n_answered"] + values["n_not_usable"]


def test_what_to_expect_is_the_same_for_a_file_and_a_job(result, tmp_path):
    """Labels of a file stay as they are, those of a job learn first: the same function says both."""
    pytest.importorskip("starlette.testclient", reason="needs starlette and httpx")
    from labelferry.review.server.usable_panel import UsablePanels

    documents = result.documents
    assert [one.n for one in result.expected(answers=(80,))] != [
        one.n for one in result.expected(answers=(80,), learn=20)
    ]
    with result.store(tmp_path / "job.ferry", seed=SEED) as job:
        assert UsablePanels(job).panel(Limit(0.05))["outlook"] == usable_outlook(documents, in_job=True)["sentence"]
        learned = {}
        while len(learned) < N_LEARN:
            question = job.question("accept", "ann")
            row = question.document + (question.document >= 7)
            learned[row] = TRUTH[row]
            job.answer(question.document, TRUTH[row], purpose=question.purpose, reviewer="ann")
        job.refit()
        after = usable_outlook(result.update(learned).documents)["sentence"]
        assert UsablePanels(job).panel(Limit(0.05))["outlook"] == after
        assert "further answers" in after
    with result.store(tmp_path / "as_they_are.ferry", seed=SEED) as job:
        job.accept(learn=0)
        assert UsablePanels(job).panel(Limit(0.05))["outlook"] == usable_outlook(documents)["sentence"]
    assert re.search(r"[\d,]+ to [\d,]+\)? of 358", usable_outlook(documents)["sentence"])


def test_answers_about_certain_labels_do_not_lower_what_to_expect(result):
    """They all agree with the labels, but are not random: the confidences of the others do not come from them."""
    answers = {row: TRUTH[row] for row in result.accept().next_rows(60)}
    (before,), (after,) = (one.expected(answers=(80,)) for one in (result, result.update(answers)))
    assert after.n / (len(TRUTH) - 60) > 0.95 * before.n / len(TRUTH)


@pytest.mark.parametrize("every", [1, 5])
def test_answers_that_contradict_the_labels_leave_the_rest_unknown(result, every):
    """The estimated accuracy does not know them: no number of usable labels is named."""
    rows = result.accept().next_rows(60)
    answers = {row: TRUTH[row] if i % every else "none_of_these" for i, row in enumerate(rows)}
    updated = result.update(answers)
    assert updated.expected(answers=(80,)) == []
    sentence = usable_outlook(updated.documents)["sentence"]
    assert sentence == "How many labels can be used is not known without further answers."


def test_ten_percent_is_named_if_it_needs_fewer_answers():
    """A set that is certified at 5% is so at 10%."""
    frozen, answers, seen = freeze(population(np.zeros(2000, dtype=bool)), 3), {}, set()
    frozen = frozen._replace(p_wrong=np.linspace(0.01, 0.3, 2000))
    while not (usable := usable_labels(frozen, Further(answers, {}))).n:
        other = usable.other_limit()
        seen.add(other is None)
        assert other is None or other["more_answers"] < usable.needs[0][0]
        answers[usable.next_row()] = 0
    assert seen == {True, False}


def test_answers_that_wait_for_a_forgotten_sample_are_counted(out, tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    run("accept", out, "-n", 30, "-o", first)
    fill(first)
    run("accept", out, first, "-n", 12, "-o", second)
    fill(second)
    both = json.loads(run("accept", out, first, second, "--json").output)["accept"]
    assert both["n_waiting"] == 0
    forgotten = run("accept", out, second)
    n = json.loads(run("accept", out, second, "--json").output)["accept"]["n_waiting"]
    assert 6 < n <= 12
    assert f"{n} answers do not count yet: documents before them in the random order" in flat(forgotten.output)


@pytest.mark.parametrize("per_class", [False, True])
def test_no_answer_waits_while_questions_are_answered_in_their_order(per_class):
    """Also if some answers contradict the labels, and after sets were certified."""
    rng, n = np.random.default_rng(0), 400
    frozen = freeze(population(np.zeros(n, dtype=bool)), 3)._replace(labels=np.arange(n) % 2)
    answers, limit, certified = {}, Limit(0.1, per_class=per_class), set()
    for _ in range(120):
        usable = usable_labels(frozen, Further(answers, {}), limit)
        certified.add(usable.n)
        assert usable.n_waiting == 0
        if (row := usable.next_row()) is None:
            break
        answers[row] = int(frozen.labels[row]) if rng.random() < 0.98 else 1 - int(frozen.labels[row])
        assert sums(usable.as_dict()) == n
    assert len(certified) > 1


def test_every_document_is_in_one_part(out, tmp_path):
    """Usable, answered by people, not usable yet: together all documents; so are the parts of the whole file."""
    sample = tmp_path / "s.csv"
    run("accept", out, "--whole-file", "--error", 0.1, "-n", 60, "-o", sample)
    fill(sample, {row: TRUTH[row] if row % 4 else "none_of_these" for row in range(len(TRUTH))})
    values = json.loads(run("accept", out, sample, "--error", 0.1, "--whole-file", "--json").output)["accept"]
    assert sums(values) == values["n_documents"]
    text, finish = "\n".join(values["sentences"]), values["finish"]
    assert finish["n_to_label"]
    assert f"and let people label the other {finish['n_to_label']} without an answer." in text
    assert finish["n"] + finish["n_to_label"] + 60 > finish["n_documents"]


def test_out_of_reach_names_a_way_out(out, result, tmp_path):
    """Not the next sample of the same kind: another limit if that may help, otherwise the labels learn."""
    sample, place = tmp_path / "s.csv", tmp_path / "job.ferry"
    run("accept", out, "-n", 40, "-o", sample)
    for n_wrong, other_limit in ((5, True), (40, False)):
        rows = sorted(int(row) - 1 for row in read_csv(sample)["row"])
        fill(sample, {row: "none_of_these" if i < n_wrong else TRUTH[row] for i, row in enumerate(rows)})
        done = run("accept", out, sample)
        assert "5% will hardly be reached" in flat(done.output)
        next_limit = f"Next: labelferry accept {out} {sample} --error 0.1"
        assert (next_limit in done.output.splitlines()) == other_limit
        assert ("or allow more wrong labels" in flat(done.output)) == other_limit
        assert ("Next: repeat your command labelferry label with" in flat(done.output)) != other_limit
    assert "10% will hardly be reached" in flat(run("accept", out, sample, "--error", 0.1).output)
    result.store(place, seed=SEED).close()
    other = tmp_path / "other.csv"
    run("accept", place, "--learn", 0, "-n", 40, "-o", other)
    fill(other, [next(name for name in set(TRUTH) if name != label) for label in TRUTH])
    done = run("accept", place, other, "--learn", 0)
    assert done.output.rstrip().endswith(f"Next: labelferry accept {place} --relearn")


def test_answers_about_certain_labels_do_not_count_in_a_certificate_of_all_labels_and_it_says_why(result, tmp_path):
    sample, place = tmp_path / "s.csv", tmp_path / "job.ferry"
    result.store(place, seed=SEED).close()
    run("accept", place, "--learn", 0, "-n", 30, "-o", sample)
    fill(sample)
    run("accept", place, sample, "--learn", 0)
    said = json.loads(run("certify", place, "--json").output)
    (line,) = (line for line in said["messages"] if "do not count here" in line)
    assert line.startswith(f"{30 - said['n_answers']} of 30 answers do not count here: ")


def test_a_sample_says_which_documents_come_again_and_why(out, tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    run("accept", out, "-n", 20, "-o", first)
    fill(first, ["none_of_these"] * len(TRUTH))
    done = flat(run("accept", out, first, "-n", 5, "-o", second).output)
    assert "(25 documents, 20 asked again because an answer contradicts the label" in done
    assert "5% will hardly be reached" in done  # so they are not the next step, and nothing else is said about them


def test_a_second_limit_says_what_it_costs_also_if_nothing_is_accepted(result, tmp_path):
    with result.store(tmp_path / "job.ferry", seed=SEED) as job:
        job.accept(learn=0)
        question = job.question("accept", "ann")
        row = question.document + (question.document >= 7)
        job.answer(question.document, TRUTH[row], purpose=question.purpose, reviewer="ann")
        first = job.accept(learn=0)
        assert "claim of its own" not in first.text()
        second = job.accept(0.1, learn=0)
        assert not second.n
        assert "Several limits: all claims hold together with 90% confidence." in second.text()


def test_a_file_does_not_know_other_limits_and_says_what_a_second_one_costs(out, result, tmp_path):
    """The same words as in a job: in the command, in its help, and on the page before it happens."""
    said = "Each limit holds with 95% confidence, two together with 90%."
    assert said not in run("accept", out).output
    sample = tmp_path / "s.csv"
    run("accept", out, "-n", 3, "-o", sample)
    fill(sample)
    assert said not in flat(run("accept", out, sample).output)  # one limit, the usual one
    assert said in flat(run("accept", out, sample, "--error", 0.1).output)
    row = result.accept(0.1).next_row()
    assert said in result.accept(0.1, answers={row: TRUTH[row]}).text(terminal=True)
    assert said in flat(run("accept", "--help").output)


def test_the_help_says_that_a_job_learns_without_asking():
    said = flat(run("accept", "--help").output)
    assert "as soon as there are 20, this command changes the labels, without asking" in said
    assert "--learn 0: they do not learn" in said


def test_the_promise_that_was_asked_for_comes_first(out, tmp_path):
    sample = tmp_path / "s.csv"
    done = run("accept", out, "--whole-file", "-n", 40, "-o", sample).output
    assert "To deliver the whole file" in done
    assert "Usable now" not in done  # with a sample only what it is for
    done = run("accept", out, "--whole-file").output
    assert done.index("To deliver the whole file") < done.index("Usable now")
    assert "(--whole-file)" not in done
    assert "whole file" not in run("accept", out).output  # nothing could be used
    fill(sample)
    lines = json.loads(run("accept", out, sample, "--whole-file", "--json").output)["accept"]["sentences"]
    assert lines[0].startswith("To deliver the whole file: use the ")


def test_nothing_is_assumed_before_something_is_claimed_and_columns_with_usual_names_are_not_told(out, tmp_path):
    sample = tmp_path / "s.csv"
    before = run("accept", out, "-n", 60, "-o", sample).output
    assert "The guarantee holds if " not in before
    assert "text column" not in before
    fill(sample)
    after = run("accept", out, sample).output
    assert "Usable now: no" not in after
    assert after.count("The guarantee holds if ") == 1


def test_sentences_are_wrapped_and_commands_are_not(out):
    lines = run("accept", out).output.splitlines()
    assert all(len(line) <= 120 or line.startswith("Next: ") for line in lines)


def test_each_class_says_what_it_needs(out):
    text = flat(run("accept", out, "--per-class").output)
    assert re.search(r"account none yet \(\d+ more answers\); billing none yet \(\d+ more answers\);", text)


def test_labels_that_learned_name_their_earlier_round(result, out, tmp_path):
    """Also in Python, where nobody reads messages of the command."""
    first = answer_until_certified(result)
    learned = result.update(first)
    assert "name the earlier round (`after`)" in learned.accept().text()
    assert "`after`" not in learned.accept(after=result.accept(answers=first)).text()
    assert "`after`" not in result.accept().text()


def answer_until_certified(result):
    answers = {}
    while not (usable := result.accept(0.05, answers)).n:
        answers[usable.next_row()] = TRUTH[usable.next_row()]
    return answers


def test_mistakes_get_a_hint(out, tmp_path):
    sample = tmp_path / "s.csv"
    assert run("accept", out, "-n", 5, "-o", sample).exit_code == 0
    fill(sample)
    assert "got 5. 5% is 0.05." in error_of("accept", out, "--error", "5")
    assert "got 5%. 5% is 0.05." in error_of("accept", out, "--error", "5%")
    assert "it must be a share from 0.001 to 0.5" in error_of("accept", out, "--error", "few")
    assert f"{sample} is a sample. Name the file or job" in error_of("accept", sample, out)
    assert f"which of them can be used: labelferry accept {out} {sample}" in error_of("certify", out, sample)
    other = write_csv(tmp_path / "other.csv", {"text": new()["text"], "llm": TRUTH})
    assert "name yours (--confidence)" in error_of("accept", other, "--column", "llm")


def test_the_sample_is_written_although_nothing_is_usable(out, tmp_path):
    sample, usable = tmp_path / "s.csv", tmp_path / "u.csv"
    done = run("accept", out, "-n", 5, "-o", sample, "--usable", usable)
    assert f"{usable} was not written" in flat(done.output)
    assert len(read_csv(sample)["row"]) == 5
    assert not usable.exists()
    assert "no label can be used yet" in error_of("accept", out, "--usable", usable)


def test_the_page_has_no_options_and_one_form_of_percentages(site):
    pytest.importorskip("starlette.testclient", reason="needs starlette and httpx")
    from tests.review.test_server_pages import Browser

    site.job.accept(0.1, learn=0)
    page = Browser(site).open("/").page
    assert "whole file" in page
    assert "--whole-file" not in page
    assert not re.search(r">[^<]*\d %[^<]*<", page)


def test_a_result_that_is_printed_has_one_line(result):
    assert re.fullmatch(r"<labelferry usable labels: 0 of \d+, at most 5% wrong>", repr(result.accept()))
