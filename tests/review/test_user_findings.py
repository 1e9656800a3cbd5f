"""What a user found on real corpora: false "safe", answers that do not come back, doors that disagree."""

import json
import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import labelferry
from labelferry.review.sample.population import population_of_result
from labelferry_bench.datasets.cache import CorpusNotFound
from labelferry_bench.trust.tasks import read_corpus
from tests.tickets import new, old, read_csv, write_csv
from tests.usable import run

pytestmark = [pytest.mark.slow, pytest.mark.system]
N_DOCUMENTS = 1500


class Case:
    """Labelled and new documents as files, with the truth aside."""

    def __init__(self, folder, corpus, source, target, seed=0):
        try:
            data = read_corpus(corpus)
        except CorpusNotFound as error:
            pytest.skip(str(error))
        rng, domain = np.random.default_rng(seed), data.fields["domain"]
        rows = [rng.permutation(np.flatnonzero(domain == name))[:N_DOCUMENTS] for name in (source, target)]
        labels = data.fields["label"]
        texts = [[data.texts[i] for i in part] for part in rows]
        self.truth = labels[rows[1]].tolist()
        self.old = write_csv(folder / "old.csv", {"message": texts[0], "category": labels[rows[0]].tolist()})
        self.new = write_csv(folder / "new.csv", {"message": texts[1]})
        self.result = labelferry.label(self.old, self.new)


@pytest.fixture(scope="module")
def spam(tmp_path_factory):
    return Case(tmp_path_factory.mktemp("spam"), "youtube_spam", "Psy", "LMFAO")


@pytest.fixture(scope="module")
def debt(tmp_path_factory):
    return Case(tmp_path_factory.mktemp("debt"), "satd_1to3", "argouml", "jruby-1.4.0")


@pytest.fixture(scope="module")
def crisis(tmp_path_factory):
    return Case(tmp_path_factory.mktemp("crisis"), "crisislex_t6", "2012_Sandy_Hurricane", "2013_Queensland_Floods")


def certify_until(case, result, answers, n, error):
    """The truth answers n questions; every claim on the way is checked."""
    usable = result.accept(error, answers)
    for _ in range(n):
        row = usable.next_row()
        if row is None:
            break
        answers[row] = case.truth[row]
        usable = result.accept(error, answers)
        wrong = sum(result.labels[i] != case.truth[i] for i in np.flatnonzero(usable.rows).tolist())
        assert wrong <= usable.at_most_wrong
    return usable


def test_few_short_texts_are_not_called_safe(spam):
    """Before: "safe", 93% estimated, 77% true."""
    assert spam.result.verdict.level != "safe"


def accuracy(case, labels, rows=None):
    """Share of correct labels, of all rows or of some; a row without a label is wrong."""
    rows = range(len(case.truth)) if rows is None else rows
    return float(np.mean([labels[row] == case.truth[row] for row in rows]))


def test_a_file_in_which_everything_is_marked_has_a_ranking_and_a_plan(crisis):
    """Before: every label was marked, and the marks said nothing."""
    columns = crisis.result.columns()
    assert all(columns["needs_review"])
    ranks = np.array(columns["accept_rank"], dtype=float)
    best = np.argsort(ranks)[: len(ranks) // 5].tolist()
    assert accuracy(crisis, columns["label"], best) > accuracy(crisis, columns["label"]) + 0.05
    outlook = crisis.result.summary()["usable"]
    assert re.match(r"Forecast: after \d+ answers \(\d+ minutes\), ", outlook["sentence"])
    assert 0 < outlook["plan"]["unseen"] < outlook["plan"]["n"]


def test_no_way_out_is_printed_that_does_nothing(crisis, tmp_path):
    """Before: "allow more errors: target_error=0.1", after which 1,456 of 1,499 labels were still marked."""
    crisis.result.report(tmp_path / "page.html")
    told = [*crisis.result.messages, *crisis.result.verdict.reasons, (tmp_path / "page.html").read_text()]
    assert not [line for line in told if "target_error=" in line or "allow more errors" in line.lower()]


@pytest.mark.parametrize("name", ["crisis", "debt"])
def test_labels_are_no_worse_than_three_lines_of_scikit_learn(name, request):
    """Before: the baseline was behind plain logistic regression, here by .15 and .04; labelferry itself is not."""
    case = request.getfixturevalue(name)
    source, target = read_csv(case.old), read_csv(case.new)
    vectors = TfidfVectorizer(sublinear_tf=True, min_df=2).fit(source["message"])
    plain = LogisticRegression(C=10, max_iter=1000).fit(vectors.transform(source["message"]), source["category"])
    columns = case.result.columns()
    rows = [row for row, label in enumerate(columns["label"]) if label is not None]
    three_lines = accuracy(case, plain.predict(vectors.transform(target["message"])), rows)
    assert accuracy(case, columns["label"], rows) > three_lines - 0.01


def test_one_estimate_is_printed(debt, tmp_path):
    """Before: balanced accuracy 96%, accuracy 83% and mean confidence 95% of the same labels."""
    done = run("label", debt.old, debt.new, "-o", tmp_path / "out.csv")
    assert done.exit_code == 0
    assert done.output.count("Correct labels: about ") == 1
    for words in ("balanced accuracy", "Another estimate", "mean confidence"):
        assert words not in done.output


def test_answers_are_counted_until_labels_can_be_used(crisis, tmp_path):
    """Before: "accuracy known within 5 points, 408 more". Now the page begins with what about 60 answers release."""
    with crisis.result.store(tmp_path / "job.ferry", seed=1) as job:
        usable = job.accept(learn=0)
        assert usable.needs[0][0] <= 65
        assert f"If {usable.needs[0][0]} answers all agree with the labels" in usable.text()


def test_unmarked_labels_are_no_promise_but_accepted_ones_are(spam):
    """Before: of 112 labels without a mark "at most 5% are expected to be wrong", and 23% were."""
    columns = spam.result.columns()
    unmarked = [row for row, mark in enumerate(columns["needs_review"]) if mark is False]
    wrong = len(unmarked) * (1 - accuracy(spam, columns["label"], unmarked)) if unmarked else 0
    assert wrong <= 0.1 * max(len(unmarked), 1)
    assert re.search(r"answers .* labels guaranteed \(at most 5% wrong\)", spam.result.summary()["usable"]["sentence"])
    certify_until(spam, spam.result, {}, 120, 0.1)  # every claim on the way is checked


def test_answers_of_a_job_come_back_and_both_doors_mark_the_same_labels(debt, tmp_path):
    """Before: rows without a known word rejected all answers; 29 or 892 labels without a mark, by door."""
    rng = np.random.default_rng(3)
    with debt.result.store(tmp_path / "job.ferry", seed=1) as job:
        no_label = np.flatnonzero([label is None for label in debt.result.columns()["label"]])
        assert len(no_label)  # documents without a known word
        asked = [*no_label[:3].tolist(), *rng.permutation(np.setdiff1d(np.arange(len(debt.truth)), no_label))[:60]]
        for row in asked:
            job.answer(int(row), debt.truth[row], purpose="list", reviewer="ann")
        job.export_corrections(tmp_path / "corrections.csv")
        job.refit()
        job.export(tmp_path / "job.csv")
        assert job.accept(learn=0).n_documents == len(population_of_result(debt.result).texts)
    learned = labelferry.label(debt.old, debt.new, answers=tmp_path / "corrections.csv")
    learned.write(tmp_path / "file.csv")
    by_job, by_file = read_csv(tmp_path / "job.csv"), read_csv(tmp_path / "file.csv")
    assert by_job["label"] == by_file["label"]
    assert by_job["needs_review"] == by_file["needs_review"]
    assert by_job["confidence"] == by_file["confidence"]
    for row in asked:
        assert by_file["label"][row] == debt.truth[row]
    unmarked = [row for row, mark in enumerate(by_file["needs_review"]) if mark == "false" and row not in set(asked)]
    assert len(unmarked) > 100
    assert "label a random sample" not in " ".join([learned.verdict.sentence, *learned.messages])


def test_labels_can_be_used_with_a_guarantee_after_some_answers(crisis):
    """Before: 100% marked for review, and no statement about labels that can be used."""
    rng = np.random.default_rng(5)
    learned = {int(row): crisis.truth[row] for row in rng.permutation(len(crisis.truth))[:20]}
    result = crisis.result.update(learned)
    usable = certify_until(crisis, result, {}, 100, 0.1)
    assert usable.n > 150
    assert f"Usable now: {usable.n:,} of " in usable.text()
    assert usable.finished.n >= usable.n  # the other promise is cheaper
    expected = crisis.result.expected(0.1)
    assert [plan.answers for plan in expected] == [40, 80, 160]


def test_several_labels_in_a_cell_are_told(tmp_path):
    """Before: "bug;ui" became a class without a message, and of a list "has no label at all" was said."""
    source = old(3)
    joined = [f"{label};urgent" if i % 9 == 0 else label for i, label in enumerate(source["label"])]
    path, target = tmp_path / "joined.csv", write_csv(tmp_path / "new.csv", new(3))
    write_csv(path, {**source, "label": joined})
    lists = tmp_path / "lists.jsonl"
    rows = [{"text": text, "label": [label]} for text, label in zip(source["text"], source["label"], strict=True)]
    lists.write_text("\n".join(map(json.dumps, rows)))
    for several in (path, lists):
        with pytest.raises(ValueError, match=r"column 'label' of .* has several labels per document, such as"):
            labelferry.label(several, target, method="sourcelr")


def test_guesses_of_a_language_model_are_an_opinion(crisis, tmp_path):
    """Before: a column of guesses was ignored, or taken for the truth."""
    rng = np.random.default_rng(0)
    others = dict(zip(*(sorted(set(crisis.truth), reverse=way) for way in (False, True)), strict=True))
    guesses = [label if rng.random() < 0.8 else others[label] for label in crisis.truth]
    target = write_csv(tmp_path / "new.csv", {**read_csv(crisis.new), "llm": guesses})
    result = labelferry.label(crisis.old, target, opinions="llm")
    labels = result.columns()["label"]
    assert any("llm" in message for message in result.messages)
    assert accuracy(crisis, labels) >= accuracy(crisis, crisis.result.columns()["label"])  # 80% alone are fewer
    assert accuracy(crisis, guesses) < accuracy(crisis, labels)
    assert result.verdict.level != "safe"
