"""`labelferry bench speed`: what it measures, in a process of its own."""

import json
import time

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from labelferry.cli import app
from labelferry_bench.generated import generate_task
from labelferry_bench.speed import RUNS, run_speed
from labelferry_bench.speed.measure import Measurement, Taken, measure, ratio, time_of_products
from labelferry_bench.speed.run import growth, left_out
from labelferry_bench.speed.runs import RIVALS


def test_every_run_and_every_rival_works():
    task = generate_task(2000, n_words=2000)
    for entry in RUNS.values():
        assert entry.rival is None or entry.rival in RIVALS
    for name in ("SourceNB", "EMNaiveBayes", "TCL", "NMTF", "DTL"):
        labels = RUNS[name].run(task)
        assert (labels == task.yt).mean() > 0.8, name
    for rival in RIVALS.values():
        rival(task)


def test_growth_is_the_exponent():
    assert growth([(100, 1.0)]) is None
    assert growth([(5, 9.0), (100, 2.0), (1000, 200.0)]) == pytest.approx(2.0)


def test_the_ratio_is_to_the_faster_setting_round_by_round():
    ours = [Taken(2.0, 2.0), Taken(30.0, 4.0), Taken(4.0, 4.0)]
    one = [Taken(4.0, 4.0), Taken(40.0, 4.0), Taken(4.0, 4.0)]
    two = [Taken(8.0, 9.0), Taken(80.0, 9.0), Taken(8.0, 9.0)]
    found = Measurement(ours, {1: one, 2: two}, None, 0.0, 0.0)
    assert ratio(found, "wall") == 0.75
    assert ratio(found, "processor") == 1.0
    assert ratio(found._replace(rival={}), "wall") is None


def test_what_would_take_too_long_is_left_out():
    assert left_out("TCL", 1000, [], 1.0) is None
    assert left_out("TCL", 10_000, [(1000, 1.0)], 11.0) is None
    assert left_out("TCL", 10_000, [(1000, 1.0)], 9.0) == "expected 10 s"
    assert left_out("TCL", 10_000, [(500, 0.25), (1000, 1.0)], 99.0) == "expected 100 s"
    assert "all pairs" in left_out("neighbor graph", 10**6, [], 1e9)


def test_the_clock_counts_products_only_while_it_runs():
    X, B = sp.random_array((2000, 2000), density=0.2, rng=0).tocsr(), np.ones((2000, 20))
    began = time.perf_counter()
    with time_of_products() as clock:
        X @ B
        X.T @ B
        inside = clock.seconds
        time.sleep(0.05)
    assert 0 < inside == clock.seconds < time.perf_counter() - began - 0.05
    X @ B
    assert clock.seconds == inside


def test_a_measurement():
    found = measure("SourceNB", 400, 2)
    assert len(found.ours) == 2
    assert all(len(taken) == 2 for taken in found.rival.values())
    assert 0 < found.sparse_share < 1
    assert found.data > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sizes", "1000,many"], "--sizes must be numbers separated by commas"),
        (["--sizes", "10"], "sizes must be at least 100 documents; got 10"),
        (["--methods", "Nothing"], "'Nothing' is not measured. Choose from SourceNB"),
    ],
)
def test_wrong_options_are_errors(arguments, message):
    result = CliRunner().invoke(app, ["bench", "speed", *arguments])
    assert result.exit_code != 0
    assert message in f"{result.exception} {result.stderr}"


@pytest.mark.system
@pytest.mark.slow
def test_the_command_prints_a_table_and_json():
    options = ["bench", "speed", "--sizes", "200,400", "--methods", "SourceNB", "--rounds", "1"]
    text = CliRunner().invoke(app, options).stdout
    assert "MultinomialNB" in text
    result = json.loads(CliRunner().invoke(app, [*options, "--json"]).stdout)
    assert [row["documents"] for row in result["rows"]] == [200, 400]
    assert result["rows"][0]["growth"] is None
    assert result["rows"][1]["growth"] is not None
    assert run_speed([200], ["SourceNB"], rounds=1, max_seconds=0)["rows"][0]["seconds"] > 0
