"""Situations with a known truth, to compare verdicts with it: changes of the tickets, and real pairs of domains.

`python -m tests.verdict_cases` prints accuracy and verdict of every case, as they are recorded in
`tests/assessment/test_verdict_cases.py`. In two cases the labels mean something else in the two files, which no method
can see in texts; they are in `OTHER_MEANING`.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

import labelferry

from . import tickets

Array = np.ndarray[Any, Any]
OTHER_MEANING = ("two classes swapped", "near copies with other labels")
MAX_TEXTS = 600  # per side of a real task


class Case(NamedTuple):
    """Labelled and new documents; a new document of no class of the source has a true label that the source lacks."""

    texts: list[str]
    labels: list[str]
    new_texts: list[str]
    truth: list[str]
    settings: dict[str, Any] = {}  # noqa: RUF012  (never changed)

    def run(self) -> tuple[float, str, Any]:
        """True accuracy of the labels, verdict, and the result."""
        result = labelferry.label(self.texts, self.new_texts, label=self.labels, seed=0, **self.settings)
        return float((result.labels == np.array(self.truth)).mean()), result.verdict.level, result


def demo() -> Case:
    d = tickets.demo()
    return Case(list(d.texts_source), d.y_source.tolist(), list(d.texts_target), d.y_target.tolist())


def renamed(text: str, share: float) -> str:
    """A text in which all but a share of the words are other words."""

    def other(match: re.Match[str]) -> str:
        word = match[0].lower()
        return word if crc32(word.encode()) % 1000 < 1000 * share else "qx" + word[::-1]

    return re.sub(r"\w+", other, text)


def typical(case: Case, label: str, n: int) -> list[str]:
    """The words of a class that the other classes have least."""
    inside, outside = set(), " ".join(t for t, y in zip(case.texts, case.labels, strict=True) if y != label).split()
    for text, y in zip(case.texts, case.labels, strict=True):
        inside |= set(text.lower().split()) if y == label else set()
    return sorted(inside - {word.lower() for word in outside})[:n]


def change_new(case: Case, function: Callable[[str], str]) -> Case:
    return case._replace(new_texts=[function(text) for text in case.new_texts])


def take(case: Case, rows: Array | None = None, new_rows: Array | None = None) -> Case:
    """Some of the documents."""
    if rows is not None:
        case = case._replace(texts=[case.texts[i] for i in rows], labels=[case.labels[i] for i in rows])
    if new_rows is not None:
        new_texts, truth = [case.new_texts[i] for i in new_rows], [case.truth[i] for i in new_rows]
        case = case._replace(new_texts=new_texts, truth=truth)
    return case


def stuffed(case: Case) -> Case:
    """Every new text ends with words of a wrong class."""
    names = sorted(set(case.labels))
    words = {name: " ".join(typical(case, name, 8)) for name in names}
    wrong = [names[(names.index(y) + 1) % len(names)] for y in case.truth]
    return case._replace(new_texts=[f"{t} {words[w]}" for t, w in zip(case.new_texts, wrong, strict=True)])


def swapped(case: Case) -> Case:
    names = {"billing": "technical", "technical": "billing"}
    return case._replace(labels=[names.get(y, y) for y in case.labels])


def near_copies(case: Case) -> Case:
    """The new documents are labelled ones with a word less, and mean another class."""
    names = sorted(set(case.labels))
    other = [names[(names.index(y) + 1) % len(names)] for y in case.labels]
    return case._replace(new_texts=[" ".join(t.split()[1:]) for t in case.texts], truth=other)


def noisy(case: Case, share: float) -> Case:
    rng, names = np.random.default_rng(0), sorted(set(case.labels))
    labels = [str(rng.choice(names)) if rng.random() < share else y for y in case.labels]
    return case._replace(labels=labels)


def of(labels: list[str], *names: str) -> Array:
    return np.flatnonzero(np.isin(labels, names))


def gibberish(case: Case) -> Case:
    """Half of the new documents have words that nobody knows."""
    return case._replace(new_texts=[renamed(t, 0.0) if i % 2 else t for i, t in enumerate(case.new_texts)])


def shuffled(case: Case) -> Case:
    return case._replace(labels=np.random.default_rng(0).permutation(case.labels).tolist())


def unbalanced(case: Case) -> Case:
    rows = np.concatenate(
        [of(case.labels, "billing"), of(case.labels, "technical")[:8], of(case.labels, "account")[:8]]
    )
    return take(case, rows)


FOOTER = " This message was sent from my phone. Please consider the environment before you print this billing message."
LONG = re.compile(r"\b(\w{3})(\w{3,})\b")
CASES: dict[str, Callable[[], Case]] = {
    "as it is": demo,
    "no common word": lambda: change_new(demo(), lambda t: renamed(t, 0.0)),
    "a third of the words shared": lambda: change_new(demo(), lambda t: renamed(t, 1 / 3)),
    "two thirds of the words shared": lambda: change_new(demo(), lambda t: renamed(t, 2 / 3)),
    "90 documents, one method": lambda: take(demo(), np.arange(90), np.arange(90))._replace(
        settings={"method": "sourcelr"}
    ),
    "ten labelled documents": lambda: take(demo(), np.arange(10)),
    "five new documents": lambda: take(demo(), None, np.arange(5)),
    "a footer": lambda: change_new(demo(), lambda t: t + FOOTER),
    "words of one class": lambda: change_new(demo(), lambda t: t + " " + " ".join(typical(demo(), "billing", 25))),
    "words of a wrong class": lambda: stuffed(demo()),
    "two classes swapped": lambda: swapped(demo()),
    "near copies with other labels": lambda: near_copies(demo()),
    "a class that the source lacks": lambda: take(demo(), of(demo().labels, "technical", "account")),
    "a class that the target lacks": lambda: take(demo(), None, of(demo().truth, "technical", "account")),
    "one class in the target": lambda: take(demo(), None, of(demo().truth, "billing")),
    "an unbalanced source": lambda: unbalanced(demo()),
    "shuffled labels": lambda: shuffled(demo()),
    "a fifth of the labels random": lambda: noisy(demo(), 0.2),
    "half of the labels random": lambda: noisy(demo(), 0.5),
    "every document six times": lambda: take(demo(), None, np.repeat(np.arange(0, 360, 6), 6)),
    "three words per document": lambda: change_new(demo(), lambda t: " ".join(t.split()[:3])),
    "upper case": lambda: change_new(demo(), str.upper),
    "a letter less per word": lambda: change_new(demo(), lambda t: LONG.sub(lambda m: m[1] + m[2][1:], t)),
    "half of the documents unreadable": lambda: gibberish(demo()),
    "soft hyphens": lambda: change_new(demo(), lambda t: LONG.sub("\\1\u00ad\\2", t)),
    "zero-width spaces": lambda: change_new(demo(), lambda t: LONG.sub("\\1\u200b\\2", t)),
    "decomposed letters": lambda: change_new(
        demo()._replace(texts=[t.replace("e", "é") for t in demo().texts]),
        lambda t: unicodedata.normalize("NFD", t.replace("e", "é")),
    ),
}

PAIRS = {  # corpus: three pairs of domains, several sources joined by +
    "crisislex_t6": (
        "2012_Sandy_Hurricane > 2013_Queensland_Floods",
        "2013_Boston_Bombings > 2012_Sandy_Hurricane",
        "2013_Alberta_Floods > 2013_Oklahoma_Tornado",
    ),
    "github_issues": (
        "bitcoin_bitcoin + facebook_react + opencv_opencv > tensorflow_tensorflow",
        "microsoft_vscode > facebook_react",
        "opencv_opencv > bitcoin_bitcoin",
    ),
    "fdu_mtl_reviews": ("books > kitchen_housewares", "dvd > software", "toys_games > baby"),
    "news_topics": ("agnews > bbc", "web_snippets > agnews", "bbc > web_snippets"),
    "youtube_spam": ("Psy + KatyPerry + Eminem > Shakira", "Psy > LMFAO", "KatyPerry > Eminem"),
    "shopping_zh": ("tablet > fruit", "hotel > books", "phone > shampoo"),
    "satd_1to3": ("argouml > jruby-1.4.0", "jEdit-4.2 > columba-1.4-src", "sql12 > apache-jmeter-2.10"),
    "absa_sentiment": ("restaurants > laptops", "tweets > restaurants", "laptops > tweets"),
}
TASKS = [f"{corpus}: {pair}" for corpus, pairs in PAIRS.items() for pair in pairs]


def real_case(name: str) -> Case:
    """A pair of domains, with at most MAX_TEXTS documents per side, drawn at random."""
    from labelferry_bench.datasets.domains import load_domains

    corpus_name, _, pair = name.partition(": ")
    sources, _, target = pair.partition(" > ")
    corpus, rng = load_domains(corpus_name), np.random.default_rng(crc32(name.encode()))
    labels, domains = corpus.fields["label"], corpus.fields["domain"]
    rows, new_rows = (
        rng.permutation(np.flatnonzero(np.isin(domains, chosen)))[:MAX_TEXTS]
        for chosen in (sources.split(" + "), [target])
    )
    texts, new_texts = ([corpus.texts[i] for i in chosen] for chosen in (rows, new_rows))
    return Case(texts, labels[rows].tolist(), new_texts, labels[new_rows].tolist())


def main(names: list[str]) -> None:
    """Print what is recorded: name, accuracy, verdict."""
    for name in names or [*CASES, *TASKS]:
        case = CASES[name]() if name in CASES else real_case(name)
        accuracy, level, _ = case.run()
        sys.stdout.write(f'    "{name}": ({accuracy:.3f}, "{level}"),\n')
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
