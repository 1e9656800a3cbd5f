"""Every printed next command can be run as it is printed."""

import re
import shlex
from pathlib import Path

import pytest

from labelferry.cli.compare import clearly_best
from labelferry.cli.options import next_label
from tests.tickets import new, old, read_csv, write_csv
from tests.usable import TRUTH, fill, run

pytestmark = pytest.mark.usefixtures("shared_panels")
MISTAKEN = ["none_of_these"] * len(TRUTH)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "old.csv", old())
    write_csv(tmp_path / "new ones.csv", new())


def follow(shown, answers=TRUTH, name="Next"):
    """Run the next command of an output, and answer the sample that it draws."""
    assert shown.exit_code == 0, shown.output
    (found,) = re.findall(rf"^.*{name}: labelferry (.*)$", shown.output, re.MULTILINE)
    before = set(Path().iterdir())
    after = run(*shlex.split(found))
    for path in set(Path().iterdir()) - before:
        if path.is_file() and "answer" in read_csv(path) and not any(read_csv(path)["answer"]):
            fill(path, answers)
    return after


def label(*options, out="out put.csv"):
    return run("label", "old.csv", "new ones.csv", "-o", out, *options)


def test_from_labels_to_usable_rows(files):
    shown, seen = label("--save", "model.npz"), []
    while "Next: " in shown.output:
        seen.append(shown.output)
        shown = follow(shown)
        assert len(seen) < 30
    assert shown.exit_code == 0, shown.output
    assert any("Usable now: " in text and "no labels" not in text for text in seen)
    assert " are needed)" in "".join(seen)
    later = follow(run("apply", "model.npz", "new ones.csv", "-o", "later ones.csv"))
    assert later.exit_code == 0, later.output
    audit = run("audit", "out put.csv", "-o", "audit it.csv")
    fill(Path("audit it.csv"))
    last = follow(follow(audit))
    assert last.exit_code == 0, last.output


def test_a_limit_out_of_reach(files):
    """The labels learn from the answers, and the earlier round is named."""
    sampled = follow(label(), MISTAKEN)
    hopeless = follow(sampled)
    assert "5% will hardly be reached" in " ".join(hopeless.output.split())
    assert "--error" not in hopeless.output, "10% is as far away"
    options, out = re.search(
        r"Next: repeat your command labelferry label with (.*) -o (\S+)\. Then: ", hopeless.output
    ).groups()
    learned = label(*shlex.split(options), out=out)
    then = re.search(r"Then: labelferry (.*)$", hopeless.output, re.MULTILINE)[1]
    assert shlex.split(then)[-4:] == ["--after", "out put.csv", "--after", "sample.csv"]
    assert "add --after" in learned.output
    assert "name the earlier round (--after)" in " ".join(follow(learned).output.split())
    second = follow(hopeless, name="Then")
    assert "2 rounds of learning: all claims hold together" in second.output
    assert "name the earlier round" not in second.output
    usable = follow(second)
    assert usable.exit_code == 0, usable.output


def test_of_a_job(files):
    label("--store", "a job.ferry")
    shown = run("accept", "a job.ferry")
    for _ in range(6):
        shown = follow(shown)
    assert shown.exit_code == 0, shown.output


def test_an_output_is_written_again_but_replaces_no_answers_and_no_input(files):
    follow(label())
    command = ("accept", "out put.csv", "sample.csv", "--usable", "u.csv")
    first = run(*command)
    rows = read_csv(Path("u.csv"))
    n, answered, unread = map(
        int, re.search(r"\((\d+) rows: (\d+) answered by people, (\d+) unread", first.output).groups()
    )
    assert n == answered + unread == len(rows["text"])
    assert answered == len(read_csv(Path("sample.csv"))["row"])
    run(*command)
    assert read_csv(Path("u.csv")) == rows  # its answers are in the sample
    unread = rows["accepted"].index("yes")
    typed = rows | {"answer": ["unclear" if i == unread else value for i, value in enumerate(rows["answer"])]}
    write_csv(Path("u.csv"), typed)
    assert "u.csv has 1 answers, which would be lost" in run(*command).stderr
    for arguments in (("accept", "out put.csv", "-o", "u.csv"), ("audit", "out put.csv", "-o", "u.csv")):
        assert re.search(r"u\.csv has \d+ answers, which would be lost", run(*arguments).stderr)
    assert read_csv(Path("u.csv")) == typed
    edited = rows | {"label": ["mine" if i == unread else value for i, value in enumerate(rows["label"])]}
    write_csv(Path("u.csv"), edited)
    assert "u.csv has 1 labels, which would be lost" in run(*command).stderr
    given = next(i for i, answer in enumerate(rows["answer"]) if answer)
    write_csv(Path("u.csv"), rows | {"label": [*rows["label"][:given], "mine", *rows["label"][given + 1 :]]})
    assert "u.csv has 1 labels, which would be lost" in run(*command).stderr  # typed beside an answer
    sample = read_csv(Path("sample.csv"))
    of_sample = sample["text"].index(rows["text"][given])
    wrong = next(label for label in ("account", "billing") if label != sample["answer"][of_sample])
    answers = [wrong if i == of_sample else answer for i, answer in enumerate(sample["answer"])]
    write_csv(Path("corrected.csv"), sample | {"answer": answers})
    write_csv(Path("u.csv"), rows | {"answer": [*rows["answer"][:given], "", *rows["answer"][given + 1 :]]})
    newer = run("accept", "out put.csv", "corrected.csv", "--usable", "u.csv")  # fewer labels, and one by an answer
    assert newer.exit_code == 0, newer.stderr
    assert 0 < len(read_csv(Path("u.csv"))["text"]) < n
    own = "text,label\nmy own document,billing\n"
    for content in (own, "a,b\n1,2,3\n4\n"):  # no file of labelferry, and no table
        Path("v.csv").write_text(content, encoding="utf-8")
        assert run(*command[:4], "v.csv").exit_code == 2
        assert Path("v.csv").read_text(encoding="utf-8") == content
    again = ("accept", "out put.csv", "--after", "out put.csv", "--after", "sample.csv")
    for path in ("out put.csv", "sample.csv"):
        assert f"{path} is one of the inputs" in run(*again, "--usable", path).stderr
    assert "both x.csv" in run(*command[:3], "-o", "x.csv", "--usable", "x.csv").stderr


def test_an_export_keeps_answers_that_the_job_does_not_have(files):
    label("--store", "a.ferry")
    export = ("export", "a.ferry", "-o", "all.csv")
    for _ in range(2):
        assert run(*export).exit_code == 0
    rows = read_csv(Path("all.csv"))
    write_csv(Path("all.csv"), rows | {"answer": ["billing", *rows["answer"][1:]]})
    assert "all.csv has 1 answers, which would be lost" in run(*export).stderr
    assert "all.csv has 1 answers, which would be lost" in run(*export, "--corrections").stderr


def test_labels_of_a_saved_model_learn_by_another_command(files):
    """`apply` has no option --answers: its file is labelled again, by `label`."""
    label("--save", "model.npz")
    sampled = follow(run("apply", "model.npz", "new ones.csv", "-o", "more.csv"), MISTAKEN)
    hopeless = follow(sampled).output
    assert "Next: run labelferry label LABELLED NEW (NEW: the file that you gave to apply) with --answers" in hopeless
    learned = label("--answers", "sample.csv", out="learned.csv")
    assert learned.exit_code == 0, learned.output


def test_a_job_keeps_its_limit(files):
    """To look at a claim without --error is no second claim."""
    label("--store", "a.ferry")
    run("accept", "a.ferry", "--learn", 0, "--error", 0.1, "-o", "s.csv")
    fill(Path("s.csv"), TRUTH)
    first = run("accept", "a.ferry", "s.csv", "--learn", 0, "--error", 0.1).output
    assert "With 95% confidence" in first
    for _ in range(2):
        assert run("accept", "a.ferry").output == first.partition("\n")[2], "without the line about the import"
    assert "all claims hold together with 90% confidence" in run("accept", "a.ferry", "--error", 0.05).output


def test_a_job_is_no_model(files):
    label("--store", "a.ferry")
    refused = run("apply", "a.ferry", "new ones.csv", "-o", "more.csv")
    assert refused.exit_code == 2
    assert "a.ferry is a review job, not a model" in refused.stderr


def test_of_the_report(files):
    """Its command must not be refused because the sample of the first labels has answers."""
    follow(label())
    label("--answers", "sample.csv", "--report", "page.html", out="learned.csv")
    found = re.search(
        r"<code class=\"command\">labelferry (accept learned\.csv .*?)</code>", Path("page.html").read_text("utf-8")
    )[1]
    assert run(*shlex.split(found)).exit_code == 0
    assert Path("learned_sample.csv").exists()


def test_from_a_comparison_to_labels(files):
    """With the method that is clearly better than auto by true labels; else, and without any, with auto."""
    write_csv(Path("true ones.csv"), {**new(), "truth": TRUTH})
    shown = run("compare", "old.csv", "new ones.csv", "--methods", "sourcelr")
    assert shown.output.splitlines()[-1] == "Next: labelferry label old.csv 'new ones.csv' -o out.csv"
    assert follow(shown).exit_code == 0
    shown = run("compare", "old.csv", "true ones.csv", "--truth", "truth", "--methods", "auto,sourcelr", "--seed", 1)
    (last,) = re.findall("^Next.*", shown.output, re.MULTILINE)
    assert last == "Next, with the same options: labelferry label old.csv 'true ones.csv' -o out.csv"


@pytest.mark.parametrize(
    ("others", "found"),
    [
        ([("auto", 0.80, 0.90)], "TCL(n_topics=4)"),
        ([("auto", 0.80, 0.91)], ""),  # it overlaps
        ([("auto", 0.70, 0.80), ("SourceLR", 0.80, 0.91)], ""),
        ([("SourceLR", 0.80, 0.90)], ""),  # nothing is known about auto
        ([("auto", 0.80, 0.90), ("LR(co-training)", 0.98, 1.00)], ""),  # no method that label knows
        ([("auto(smoothing=1)", None, None)], ""),
    ],
)
def test_a_method_is_named_if_it_is_clearly_best(others, found):
    rows = [
        {"method": name, "accuracy": None if low is None else (low + high) / 2, "low": low, "high": high}
        for name, low, high in [*others, ("TCL(n_topics=4)", *((None, None) if others[0][1] is None else (0.91, 0.97)))]
    ]
    assert clearly_best(rows) == found
    command = next_label([Path("old.csv")], Path("new.csv"), {}, method=found)
    assert command.endswith(" -o out.csv --method 'TCL(n_topics=4)'" if found else " -o out.csv")
