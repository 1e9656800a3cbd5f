"""The trust bench: its tasks, its records, and a run on small files."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from labelferry import cli
from labelferry.assessment.calibration import from_dict, load_calibration
from labelferry.ensemble import members, panel
from labelferry.ensemble.pool import pool_weights
from labelferry_bench.datasets.cache import CorpusNotFound
from labelferry_bench.datasets.domains import domain_corpora, load_domains
from labelferry_bench.trust import tasks as trust_tasks
from labelferry_bench.trust.calibrate import (
    MemberScores,
    conflict_factor,
    corpus_quantile,
    corpus_weights,
    fit_members,
    fit_pool,
    judge_task,
    prepare,
    without_view,
)
from labelferry_bench.trust.records import as_domains, fit_task, path_of, read_record, read_records, write_record
from labelferry_bench.trust.run import rounded
from labelferry_bench.trust.tasks import Rare, TaskData, TrustTask, all_tasks, draw, mixed, plan_domains

from .. import tickets

WORDS = {
    "bill": ("invoice", "refund", "charge", "payment", "amount", "price"),
    "bug": ("crash", "error", "screen", "update", "freeze", "install"),
}
PLACES = {"shop": ("basket", "order", "store", "parcel"), "bank": ("account", "branch", "card", "loan")}


def small_corpus(path, seed, n=40):
    """A table with two classes and two domains; a third of the words of a document are of another class."""
    rng = np.random.default_rng(seed)
    columns = {"text": [], "label": [], "domain": []}
    for domain, places in PLACES.items():
        for i in range(n):
            label = ("bill", "bug")[i % 2]
            other = "bug" if label == "bill" else "bill"
            words = [*rng.choice(WORDS[label], 4), *rng.choice(WORDS[other], 2), *rng.choice(places, 4)]
            for name, value in zip(columns, (" ".join(words), label, domain), strict=True):
                columns[name].append(value)
    return tickets.write_csv(path, columns)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    return [small_corpus(folder / f"{name}.csv", seed) for seed, name in enumerate(("a", "b", "c"))]


# -- tasks ------------------------------------------------------------------------------------------------------------
def test_draw_keeps_natural_proportions():
    y = np.repeat([0, 1, 2], [600, 300, 100])
    rows = draw(np.random.default_rng(0), y, np.arange(3), 200, None)
    assert np.bincount(y[rows]).tolist() == [120, 60, 20]
    assert len(set(rows.tolist())) == 200
    assert len(draw(np.random.default_rng(0), y, np.arange(3), 9999, None)) == 1000


@pytest.mark.parametrize(
    ("rare", "counts"), [(Rare(1, 9), [180, 20]), (Rare(0, 4), [40, 160]), (Rare(3, 19), [190, 10])]
)
def test_draw_makes_one_class_rare(rare, counts):
    y = np.repeat([0, 1], [500, 400])
    rows = draw(np.random.default_rng(0), y, np.arange(2), 200, rare)
    assert np.bincount(y[rows]).tolist() == counts


def test_draw_keeps_the_ratio_if_there_are_few_documents():
    y = np.repeat([0, 1, 2], [90, 50, 200])
    counts = np.bincount(y[draw(np.random.default_rng(0), y, np.arange(3), 1000, Rare(0, 4))])
    assert counts.tolist() == [12, 50, 50]


def test_corpora_are_mixed():
    tasks = [TrustTask(f"{c}{i}", c) for c, n in (("a", 2), ("b", 4)) for i in range(n)]
    assert [task.name for task in mixed(tasks)] == ["a0", "b0", "b1", "a1", "b2", "b3"]


@pytest.mark.slow
def test_all_corpora_have_tasks_with_unique_names(corpus):
    corpus("domains")
    tasks = all_tasks()
    names = [task.name for task in tasks]
    assert len(names) == len(set(names)) == len({path_of(task, corpus("domains")) for task in tasks})
    assert sum(task.kind == "plain" for task in tasks) >= 150
    assert {task.corpus for task in tasks} >= set(domain_corpora())
    kinds = {task.kind for task in tasks}
    assert kinds == {"plain", "shuffled labels", "foreign", "no spaces", "missing class", "copies"}


def test_the_plan_of_a_file(files):
    plan = list(plan_domains(str(files[0])))
    assert len(plan) == 10
    assert {task.corpus for task in plan} == {"a"}
    assert all(task.target not in task.sources for task in plan)
    assert any(task.rare_source and task.rare_target for task in plan)


@pytest.fixture(scope="module")
def task(files):
    return TrustTask("a/test", "a", data=str(files[0]), sources=("shop",), target="bank")


def test_a_task_is_the_same_every_time(task):
    first, second = task.load(), task.load()
    assert isinstance(first, TaskData)
    assert first.classes.tolist() == ["bill", "bug"]
    assert first.Xs.shape[0] == first.Xt.shape[0] == 40
    assert (abs(first.Xt - second.Xt)).sum() == 0
    assert first.yt.tolist() == second.yt.tolist()
    assert np.bincount(first.ys).tolist() == np.bincount(first.yt).tolist() == [20, 20]


def test_traps_change_the_data(task):
    plain = task.load()
    shuffled = TrustTask("a/test", "a", data=task.data, sources=("shop",), target="bank", shuffled=True).load()
    assert sorted(shuffled.ys) == sorted(plain.ys)
    assert shuffled.ys.tolist() != plain.ys.tolist()
    settings = {"data": task.data, "sources": ("shop",), "target": "bank"}
    copied = TrustTask("a/copies", "a", copies=3, **settings).load()
    assert copied.Xt.shape[0] == 120
    assert abs(copied.Xt[0] - copied.Xt[2]).sum() == 0
    missing = TrustTask("a/missing", "a", missing_class="bug", n_target=30, **settings).load()
    assert missing.classes.tolist() == ["bill"]
    assert np.bincount(missing.yt).tolist() == [20, 10], "the last code is the class that the source lacks"


# -- records ----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def record(task):
    return fit_task(task)


def test_records_are_written_and_read(task, record, tmp_path):
    path = path_of(task, tmp_path)
    assert read_records([task], tmp_path) == []
    write_record(record, path)
    again = read_record(path)
    assert (again.name, again.corpus, again.kind, again.group) == ("a/test", "a", "plain", "")
    assert list(again.predictions.proba) == list(record.predictions.proba)
    for name, P in record.predictions.proba.items():
        np.testing.assert_allclose(again.predictions.proba[name], P, atol=1e-6)
    np.testing.assert_allclose(again.predictions.held_out, record.predictions.held_out, atol=1e-6)
    assert again.predictions.seconds == record.predictions.seconds
    assert again.predictions.source_codes.tolist() == record.predictions.source_codes.tolist()
    assert again.facts.as_dict() == record.facts.as_dict()
    assert again.facts.to_source.tolist() == record.facts.to_source.tolist()
    assert again.yt.tolist() == record.yt.tolist()
    assert [r.name for r in read_records([task], tmp_path)] == ["a/test"]


def test_domains_of_several_sources(files):
    data = TrustTask("a/two", "a", data=str(files[0]), sources=("shop", "bank"), target="bank").load()
    domains = as_domains(data)
    assert [d.X.shape[0] for d in domains.sources] == [40, 40]


# -- the fit ----------------------------------------------------------------------------------------------------------
def test_given_corpora_are_the_only_ones(files):
    tasks = all_tasks([str(file) for file in files])
    assert {task.corpus for task in tasks} == {"a", "b", "c"}
    assert {task.corpus for task in all_tasks(["reuters", str(files[0])])} == {"reuters", "a"}


def test_a_record_belongs_to_its_task_and_panel(task, tmp_path, monkeypatch):
    path = path_of(task, tmp_path)
    assert path_of(task, tmp_path) == path
    assert path_of(replace(task, n_target=task.n_target + 1), tmp_path) != path
    monkeypatch.setattr(members, "COMMON_C", 2.0)
    assert path_of(task, tmp_path) != path
    monkeypatch.undo()
    monkeypatch.setattr(panel, "make_estimators", lambda seed: {})
    assert path_of(task, tmp_path) != path


def test_conflict_factor_is_a_ratio_of_quantiles():
    corpora, contradict = np.array(["a", "b"] * 20), np.arange(40) < 20
    errors = np.where(contradict, 0.3, 0.2)
    assert conflict_factor(errors, corpora, contradict) == pytest.approx(1.5)
    assert conflict_factor(0.5 - errors, corpora, contradict) == 1
    assert conflict_factor(errors, corpora, np.arange(40) < 9) == 1


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9, 1.0])
def test_corpus_quantile_equals_the_loop(level):
    rng = np.random.default_rng(0)
    values, corpora = rng.random(40), rng.choice(["a", "b", "c"], 40, p=[0.7, 0.2, 0.1])

    def weight_below(limit):
        return np.mean(
            [np.mean([v <= limit for v, c in zip(values, corpora, strict=True) if c == name]) for name in "abc"]
        )

    expected = min(v for v in values if weight_below(v) >= level - 1e-9)
    assert corpus_quantile(values, corpora, level) == expected


def test_limits_of_members_without_examples_call_none():
    scores = MemberScores(np.array([0.1, -0.1]), np.array([0.0, 0.01]), np.array(["a", "b"]))
    limits = fit_members(scores)
    assert limits.worse_below <= -2
    assert limits.better_above >= 2


def test_every_corpus_has_weight_one():
    class Of:
        def __init__(self, corpus):
            self.corpus = corpus

    weights = corpus_weights([Of("a"), Of("b"), Of("a"), Of("a")])
    np.testing.assert_allclose(weights, [1 / 6, 1 / 2, 1 / 6, 1 / 6])


def test_rounded_values_are_plain():
    assert rounded({"a": (1, 0.123456789), "b": [None, "x"]}) == {"a": [1, 0.12346], "b": [None, "x"]}


def test_the_fitted_pool_prefers_a_member_that_is_correct(record):
    """One member predicts the truth on every corpus, another one the opposite."""
    y = record.yt
    good, bad = (np.where(np.arange(2) == codes[:, None], 0.9, 0.1) for codes in (y, 1 - y))
    proba = {**record.predictions.proba, "good": good, "bad": bad}
    records = [without_view(prepare(_with(record, corpus, proba))) for corpus in ("a", "b")]
    weights = pool_weights(records[0].S, records[0].evidence, fit_pool(records))
    by_name = dict(zip(records[0].S, weights, strict=True))
    assert by_name["good"] > by_name["SourceLR"] > by_name["bad"]


def _with(record, corpus, proba):
    seconds = dict.fromkeys(proba, 0.1)
    predictions = record.predictions._replace(proba=proba, seconds=seconds)
    return type(record)(record.name, corpus, record.kind, record.group, predictions, record.facts, record.yt)


# -- the command ------------------------------------------------------------------------------------------------------
def run(*arguments):
    arguments = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "160", "NO_COLOR": "1"})


@pytest.fixture
def three_tasks(monkeypatch):
    """Three tasks per file."""
    monkeypatch.setattr(trust_tasks, "plan_domains", lambda name: list(plan_domains(name))[:3])


@pytest.mark.system
@pytest.mark.slow
def test_trust_and_calibrate_on_own_files(files, tmp_path, three_tasks):
    corpora = [argument for file in files for argument in ("--corpus", file)]
    result = run("bench", "trust", *corpora, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "9 tasks, 9 to fit" in result.stderr
    assert "9 tasks, accuracy / balanced accuracy, leave-one-corpus-out" in result.stdout
    for words in ("SourceLR", "SourceNB", "best, chosen with labels", "doubtful", "most confident documents", "trap"):
        assert words in result.stdout
    assert len(list((tmp_path / "trust").glob("*.npz"))) == 9
    file = tmp_path / "calibration.json"
    result = run("bench", "calibrate", *corpora, "--out", tmp_path, "--file", file)
    assert result.exit_code == 0, result.output
    assert "9 tasks, 0 to fit" in result.stderr
    calibration = from_dict(json.loads(file.read_text()))
    assert calibration.corpora == ("a", "b", "c")
    assert calibration.report["tasks"] == 9
    assert set(calibration.pool) == set(load_calibration().pool)


def test_two_corpora_are_too_few(files, tmp_path, three_tasks, monkeypatch):
    monkeypatch.setattr(trust_tasks, "plan_domains", lambda name: list(plan_domains(name))[:1])
    result = run("bench", "trust", "--corpus", files[0], "--corpus", files[1], "--out", tmp_path)
    assert result.exit_code != 0
    assert "at least three corpora are needed" in result.output + str(result.exception)


def test_a_new_corpus_is_judged_by_the_coefficients_of_this_version(files, tmp_path, three_tasks):
    result = run("bench", "trust", "--corpus", files[0], "--as-shipped", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "3 tasks, accuracy / balanced accuracy, as shipped" in result.stdout
    tasks = all_tasks([str(files[0])])
    judged = [judge_task(prepare(r), load_calibration()) for r in read_records(tasks, tmp_path / "trust")]
    answer = f"{np.mean([j.accuracy for j in judged]):.3f} / {np.mean([j.balanced for j in judged]):.3f}"
    assert answer in result.stdout


def test_domains_without_common_classes_are_not_paired(tmp_path):
    rows = [("x", c, d) for d, classes in (("a", "pq"), ("b", "pq"), ("c", "p")) for c in classes for _ in range(6)]
    columns = dict(zip(("text", "label", "domain"), map(list, zip(*rows, strict=True)), strict=True))
    tasks = list(plan_domains(str(tickets.write_csv(tmp_path / "d.csv", columns))))
    assert {(*t.sources, t.target) for t in tasks if len(t.sources) == 1} == {("a", "b"), ("b", "a")}
    columns["label"] = columns["domain"]
    with pytest.raises(ValueError, match="no two domains have two classes in common"):
        list(plan_domains(str(tickets.write_csv(tmp_path / "e.csv", columns))))


def test_a_corpus_that_the_coefficients_have_seen_is_refused(tmp_path):
    seen = load_calibration().corpora[0]
    file = small_corpus(tmp_path / f"{seen}.csv", 0)
    result = run("bench", "trust", "--corpus", file, "--as-shipped", "--out", tmp_path)
    assert result.exit_code != 0
    assert f"were fitted on {seen}: figures on corpora that" in result.output + str(result.exception)


# -- corpora with domains ---------------------------------------------------------------------------------------------
def test_load_domains(files):
    corpus = load_domains(files[0])
    assert corpus.name == "a"
    assert len(corpus.texts) == 80
    assert set(corpus.fields["domain"]) == {"shop", "bank"}


def test_rows_with_missing_cells_are_skipped(tmp_path):
    path = tickets.write_jsonl(
        tmp_path / "x.jsonl", {"text": ["a", "b", None], "label": ["x", None, "y"], "domain": ["d", "d", "e"]}
    )
    corpus = load_domains(path)
    assert corpus.texts == ["a"]
    assert corpus.fields["label"].tolist() == ["x"]


def test_load_domains_errors(tmp_path, monkeypatch):
    path = tickets.write_csv(tmp_path / "bad.csv", {"text": ["a"], "label": ["x"], "topic": ["d"]})
    with pytest.raises(ValueError, match=r"has no column 'domain'; it has text, label, topic.*rename them"):
        load_domains(path)
    monkeypatch.setenv("LABELFERRY_DATA", str(tmp_path))
    with pytest.raises(
        CorpusNotFound,
        match=r"there is no file 'a.csv', and no corpus of this name \(a.csv.jsonl.gz\) in .*Check the path",
    ):
        load_domains("a.csv")
    good, damaged = '{"text": "a", "label": "b", "domain": "c"}', '{"text": "a", "label"'
    for content, message in (
        ("", r"is empty. A corpus needs documents with the columns text, label, domain"),
        (f"{good}\n{damaged}\n", r"line 2: no JSON object .*Fix the row, or delete it\.$"),  # there is no --skip-bad
        (f"{damaged}\n", r"has no readable row: .* line 1: no JSON object"),
    ):
        (tmp_path / "corpus.jsonl").write_text(content)
        with pytest.raises(ValueError, match=message):
            load_domains(tmp_path / "corpus.jsonl")


@pytest.mark.parametrize("command", ["trust", "calibrate"])
def test_a_corpus_without_its_option_gets_a_hint(command):
    done = CliRunner().invoke(cli.app, ["bench", command, "--corpus", "a.csv", "b.csv"])
    assert done.exit_code == 2
    assert "'b.csv' belongs to no option. Repeat --corpus for each corpus" in " ".join(done.output.split())
