"""Labels to use on the command line: samples of files and jobs that follow each other."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.stats import rankdata

import labelferry
from labelferry.cli.accept import default_learn
from labelferry.review.sample.frozen import freeze
from labelferry.review.sample.population import population_of_file, population_of_result
from labelferry.review.sample.usable import N_LEARN, Further, usable_labels
from tests.tickets import read_csv, write_csv
from tests.usable import SEED, N, error_of, fill, run, same


def test_another_tools_file_is_ranked_by_its_confidence(tmp_path):
    columns = {"text": [f"text {i}" for i in range(50)], "label": ["a", "b"] * 25}
    path = write_csv(tmp_path / "other.csv", columns)
    assert "has no column confidence" in error_of("accept", path)
    confidence = np.linspace(0.5, 1, 50).round(3).tolist()
    write_csv(path, {**columns, "confidence": confidence})
    frozen = freeze(population_of_file(path), 0)
    assert frozen.ranks.tolist() == list(range(50, 0, -1))
    np.testing.assert_array_equal(frozen.p_wrong, np.round(1 - np.array(confidence), 4))
    write_csv(path, {**columns, "confidence": confidence, "accept_rank": [1] * 50})
    assert freeze(population_of_file(path), 0).ranks.tolist() == frozen.ranks.tolist()  # a column of the user


def test_ranks_of_a_part_of_a_file_and_damaged_ones(result, tmp_path):
    path = tmp_path / "out.csv"
    result.write(path)
    columns = read_csv(path)
    ranks = [int(rank) for rank in columns["accept_rank"][50:]]
    write_csv(path, {name: values[50:] for name, values in columns.items()})
    assert freeze(population_of_file(path), 0).ranks.tolist() == rankdata(ranks).tolist()
    for damaged in ("x", columns["accept_rank"][1]):
        write_csv(path, {**columns, "accept_rank": [damaged, *columns["accept_rank"][1:]]})
        assert "must have different numbers from 1" in error_of("accept", path)


def test_samples_of_a_file_follow_each_other(result, tmp_path):
    out, first, second = (tmp_path / name for name in ("out.csv", "a.csv", "b.csv"))
    result.write(out)
    done = run("accept", out, "--error", "0.2", "-n", 12, "-o", first)
    assert done.exit_code == 0, done.output
    sample = read_csv(first)
    assert "label" not in sample
    assert set(sample["purpose"]) == {"accept"}
    assert f"Next: labelferry accept {out} {first} --error 0.2" in done.output
    order = [row + 1 for row in result.accept(0.2).next_rows(12)]
    assert [int(row) for row in sample["row"]] == order
    told = result.labels.tolist()
    fill(first, {**dict(enumerate(told)), order[3] - 1: "none_of_these"})
    assert "12 answers, which would be lost" in error_of("accept", out, "-o", first)
    done = run("accept", out, first, "--error", "0.2", "-n", 5, "-o", second)
    assert done.exit_code == 0, done.output
    sample = read_csv(second)
    assert sample["purpose"] == ["again 1"] + ["accept"] * 5
    assert int(sample["row"][0]) == order[3]
    fill(second, told)
    done = run("accept", out, first, second, "--error", "0.2", "-n", 5, "-o", tmp_path / "c.csv")
    assert read_csv(tmp_path / "c.csv")["purpose"][0] == "again 2"
    fill(tmp_path / "c.csv", told)
    done = run("accept", out, first, second, tmp_path / "c.csv", "--error", "0.2", "--json")
    found = json.loads(done.output)["accept"]
    assert found["ask_again"] == 0
    assert found["rungs"][0]["wrong"] == 0
    assert "named twice" in error_of("accept", out, first, first)
    assert "different seeds" in error_of("accept", out, first, *sample_of_another_seed(out, tmp_path))
    columns = read_csv(out)
    ranks = columns["accept_rank"]
    a, b = ranks.index("1"), ranks.index("2")
    ranks[a], ranks[b] = "2", "1"
    write_csv(tmp_path / "changed.csv", columns)
    assert "was drawn for other ranks" in error_of("accept", tmp_path / "changed.csv", first)
    assert "labels of a file stay as they are" in error_of("accept", out, first, "--relearn")


def sample_of_another_seed(out, tmp_path):
    run("accept", out, "-n", 3, "--seed", 5, "-o", tmp_path / "seed.csv")
    return [fill(tmp_path / "seed.csv")]


def test_a_job_on_the_command_line(result, tmp_path):
    place = tmp_path / "job.ferry"
    result.store(place, seed=SEED).close()
    done = run("accept", place, "-o", tmp_path / "a.csv", "-n", 85)
    assert "20 random documents to learn from" in " ".join(done.output.split())
    assert run("accept", place, "--strict").exit_code == 3
    fill(tmp_path / "a.csv")
    done = run("accept", place, tmp_path / "a.csv", "-n", 65, "-o", tmp_path / "b.csv", "--reviewer", "ann")
    learned = (
        r"The labels have learned from 20 answers \(--learn\): \d+ of 358 changed. They stay as they are from now on."
    )
    assert re.search(learned, " ".join(done.output.split()))
    assert " more answers all agree with the labels, " in " ".join(done.output.split())
    assert len(read_csv(tmp_path / "b.csv")["row"]) == 65
    fill(tmp_path / "b.csv")
    done = run("accept", place, tmp_path / "b.csv", "--reviewer", "ann", "--strict")
    assert done.exit_code == 0, done.output
    assert "Usable now: " in done.output
    assert len(done.output.splitlines()) <= 12  # wrapped at 120 columns
    once = json.loads(run("accept", place, "--json").output)
    assert once["accept"]["n_answers"] > 40
    again = json.loads(run("accept", place, tmp_path / "b.csv", "--reviewer", "ann", "--json").output)
    assert again["messages"] == ["0 new answers, 65 known already"]
    assert again["accept"] == once["accept"]
    assert run("export", place, "-o", tmp_path / "u.csv", "--accepted").exit_code == 0
    written = read_csv(tmp_path / "u.csv")
    with labelferry.open_job(place) as job:
        usable = job.accept()
    marks = usable.column()
    assert written["id"] == [str(row) for row in range(N) if marks[row]]
    assert set(written["accepted"]) == {"yes", "answer"}
    assert written["label"] == [label for label in usable.labels if label is not None]
    assert "Omit one of them" in error_of("export", place, "-o", tmp_path / "x.csv", "--accepted", "--corrections")
    done = run("accept", place, "--relearn")
    assert "accepted labels stay as they were" in done.output
    assert "2 rounds of learning: all claims hold together" in done.output
    assert "are withdrawn" in run("accept", place, "--all").output


def test_few_planned_answers_at_ten_percent_are_not_spent_on_learning():
    assert [default_learn(n, 0.1) for n in (None, 20, 40, 41, 200)] == [20, 0, 0, 20, 40]
    assert [default_learn(n, 0.05) for n in (None, 20, 40, 41, 200)] == [20, 20, 20, 20, 40]


@pytest.mark.system
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_import_loses_nothing(result, tmp_path):
    place, sample = tmp_path / "job.ferry", tmp_path / "a.csv"
    result.store(place, seed=SEED).close()
    run("accept", place, "-o", sample)
    fill(sample)
    command = [sys.executable, "-m", "labelferry", "accept", str(place), str(sample)]
    for seconds in (0.3, 0.9, 1.5, 2.1, 2.7):
        process = subprocess.Popen(command, env={**os.environ}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.kill()
        process.wait()
        with labelferry.open_job(place) as job:
            assert len(job.answers()) in (0, N_LEARN)
            assert len(job.store.fits.all()) <= 2
    done = run("accept", place, sample)
    assert done.exit_code == 0, done.output
    with labelferry.open_job(place) as job:
        assert len(job.answers()) == N_LEARN
        assert len(job.store.fits.all()) == 2
        expected = result.update({row.document + (row.document >= 7): row.answer for row in job.answers()})
        assert same(job.accept(), usable_labels(freeze(population_of_result(expected), SEED), Further({}, {})))
