"""The numbers measured on real documents, in README.md and docs/tutorial-review.md, are those of the benchmark."""

import re
from typing import NamedTuple

import pytest
from benchmarks.usable_examples import EXAMPLES, LIMITS, SEED, Look, learn, load, looks

import labelferry

from ..pages import read

PRINT = "python -m benchmarks.usable_examples"  # the numbers of now
pytestmark = pytest.mark.system


class Measured(NamedTuple):
    """What the benchmark finds for one example."""

    n_new: int
    n_labelled: int  # of the new documents
    correct: float
    estimate: float
    looks: dict[float, dict[int, Look]]  # by limit and number of answers


@pytest.fixture(scope="module")
def measured(corpus, tmp_path_factory):
    """All examples, as a user has them: with vectors."""
    pytest.importorskip("wordllama", reason="needs wordllama, which the install command of the pages installs")
    folder, found = tmp_path_factory.mktemp("jobs"), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LABELFERRY_EMBED")
        for name, example in EXAMPLES.items():
            corpus(f"domains/{example.corpus}.jsonl.gz")
            files = load(example)
            result = labelferry.label(files.texts, files.new, label=files.labels, seed=SEED)
            by_limit = {}
            for error in LIMITS:
                with result.store(folder / f"{name}{error}.ferry", seed=SEED) as job:
                    learn(job, files.truth, error)
                    by_limit[error] = {found.answers: found for found in looks(job, files.truth, error)}
            right = sum(a == b for a, b in zip(result.labels, files.truth, strict=True))
            found[name] = Measured(
                len(files.new),
                int(result.predicted.sum()),
                right / len(files.new),
                result.summary()["estimated_accuracy"]["mean"],
                by_limit,
            )
    return found


def number(text):
    """1,386 as a number."""
    return int(re.search(r"\d[\d,]*", text)[0].replace(",", ""))


def test_the_table_of_the_readme(measured):
    """Columns: documents, source, limit, answers (minutes), usable, unread, really wrong; names may change."""
    page = read("README.md").partition(PRINT)[2]
    table = re.search(r"(?:^\|.*\n)+", page, flags=re.M)[0].splitlines()[2:]
    shown, example = [], None
    for line in table:
        documents, _, limit, answers, *counts = (cell.strip() for cell in line.strip("|").split("|"))
        if documents[0].isdigit():
            (example,) = (m for m in measured.values() if m.n_labelled == number(documents))
        one = example.looks[number(limit) / 100][number(answers)]
        shown.append(example)
        computed = [f"{one.usable:,}", f"{one.unread:,}", f"{one.wrong / one.labels:.0%}"]
        assert counts == computed, f"{line}: {computed}; {PRINT}"
        assert f"({one.answers * 10 / 60:.0f})" in answers, line
    assert len(shown) == 5
    assert {id(one) for one in shown} == {id(one) for one in measured.values()}


def test_the_numbers_of_the_tutorial(measured):
    """The tables, which errors are real, and every other large number or percentage of the section."""
    section = re.search(rf"^## [^\n]*\n\n`{PRINT}`.*?(?=^## )", read("docs/tutorial-review.md"), flags=re.M | re.S)[0]
    tables = [table.splitlines()[2:] for table in re.findall(r"(?:^\|.*\n)+", section, flags=re.M)]
    for table, name in zip(tables, ("crisis", "comments"), strict=True):
        for line in table:
            answers, minutes, *usable = (number(cell) for cell in line.strip("|").split("|"))
            assert usable == [measured[name].looks[error][answers].usable for error in (0.1, 0.05)], f"{line}; {PRINT}"
            assert minutes == round(answers * 10 / 60), line
    every = [look for one in measured.values() for by in one.looks.values() for look in by.values()]
    text = re.sub(r"^\|.*\n", "", section, flags=re.M)
    pairs = re.findall(r"\b(\d+) of the ([\d,]*\d)", text)
    assert pairs
    for wrong, labels in pairs:
        assert (int(wrong), number(labels)) in {(look.wrong, look.labels) for look in every}, f"{wrong} of {labels}"
    known = {2000, *(look.answers for look in every)}
    for one in measured.values():
        known |= {one.n_new, one.n_labelled, one.n_new - one.n_labelled}
    for look in every:
        known |= {look.usable, look.labels, look.whole_file, look.to_label}
    for shown in re.findall(r"(?<![\d.,%])\d[\d,]*\d(?![\d.%])", text):
        if number(shown) > 50:
            assert number(shown) in known, f"{shown}; {PRINT}"
    shares = {
        f"{100 * share:.{digits}f}%"
        for one in measured.values()
        for share in (one.correct, one.estimate)
        for digits in (0, 1)
    } | {f"{error:.0%}" for error in LIMITS}
    for shown in re.findall(r"(?<![\d.])\d[\d.]*%", text):
        assert shown in shares, f"{shown}; {PRINT}"
