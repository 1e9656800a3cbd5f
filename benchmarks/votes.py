"""Votes of other labellers: what they add to the labels, what bad ones cost, and labels that may be used with them.

    LABELFERRY_DATA=data python -m benchmarks.votes [N_TASKS [ENCODER [VOTER]]]

N_TASKS: tasks per corpus, 3 by default; ENCODER: by default wordllama; VOTER: only this one.

Tasks are those of `labelferry bench trust` whose documents are texts, at most SIDE documents on each side. Every task
is labelled once; then each voter changes the finished answer by the functions of the product. Voters:

    independent a / b   right with probability a on the labelled documents and b on the new ones, errors at random
    VADER               rules for opinions (package vaderSentiment, if it is installed), on three corpora of opinions
    descriptions        one sentence per class, by the vectors of ENCODER; sentences below
    other corpus        logistic regression on tf-idf of the other one of two corpora of product reviews

Printed: accuracy / balanced accuracy over the labels without votes, mean over corpora; the worst task; the share of
voters that are used; bias, error and coverage of the estimated accuracy; the gain with 40 answers, on documents without
an answer, over the labels with the same answers and no votes. Then the shares of labels that can be used.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import labelferry
from labelferry.api import Result
from labelferry.assessment.agreement import balanced_accuracy
from labelferry.inputs.opinions import Opinion, guess
from labelferry.inputs.views import embed_documents
from labelferry.labelling.answers import AnsweredRows
from labelferry.labelling.labelling import Labelling
from labelferry.labelling.opinions import NO_VOTES, Votes, count_opinions
from labelferry.labelling.transfer import finish
from labelferry_bench.review.accept import LOOKS, measure_task, summarize
from labelferry_bench.review.panels import PanelTask
from labelferry_bench.trust.tasks import PLAIN, TaskTexts, TrustTask, all_tasks, read_corpus

SIDE, N_TASKS, N_ANSWERS = 500, 3, 40
OPINIONS = ("absa_sentiment", "amazon", "fdu_mtl_reviews")
OTHER = {"amazon": "fdu_mtl_reviews", "fdu_mtl_reviews": "amazon"}
INDEPENDENT = ((0.6, 0.6), (0.8, 0.8), (0.9, 0.9), (0.85, 0.7), (0.8, 0.3), (0.8, 0.1))
SENTENCES = {
    "negative": "The writer is disappointed and complains about bad quality.",
    "positive": "The writer is happy, praises it and recommends it.",
    "neutral": "A statement without an opinion.",
    "background": "The paper mentions earlier work as background or motivation.",
    "method": "The paper uses a method, tool or data set of the cited work.",
    "result": "The paper compares its results or findings with the cited work.",
    "Affected individuals": "People who died, were injured, are missing, trapped or evacuated.",
    "Caution and advice": "Warnings, instructions and advice on how to stay safe.",
    "Donations and volunteering": "Donate money, goods or blood; volunteers and help for victims.",
    "Infrastructure and utilities": "Damaged roads, buildings, bridges, power and water, closed services.",
    "Other Useful Information": "Other news and facts about the disaster.",
    "Sympathy and support": "Prayers, thoughts, condolences and gratitude.",
    "off-topic": "Everyday talk, music, games, friends and jokes.",
    "on-topic": "News about a disaster: flood, storm, explosion, earthquake, fire, victims and damage.",
    "question": "Somebody asks how something works or what to do, a question.",
    "statement": "Somebody states a fact or an opinion.",
    "fake": "Notícia falsa, exagerada e sensacionalista.",
    "true": "A statement of facts that is correct and supported by data.",
    "false": "A statement that is wrong, misleading or invented.",
    "bug": "Something does not work, crashes, or gives an error or a wrong result.",
    "feature": "A request to add or improve something.",
    "business": "Companies, markets, economy, money and trade.",
    "sport": "Matches, players, teams, coaches and championships.",
    "tech": "Computers, software, internet, phones and games.",
    "impolite": "Rude, demanding, annoyed question.",
    "polite": "Thank you, please, friendly and grateful request.",
    "not": "A serious remark that means what it says.",
    "sarcastic": "Irony and mockery: the opposite of what is meant, oh great, yeah right.",
    "debt": "To do, fix me, hack, ugly workaround, temporary solution.",
    "no_debt": "A comment that explains what the code does.",
    "against": "Opposes it: it is wrong, harmful and must stop.",
    "favor": "Supports it: it is right, important and necessary.",
    "none": "Something unrelated, without a position.",
    "ham": "A comment about the song, the singer or the video.",
    "spam": "Check out my channel, subscribe, click this link, earn money.",
    "comp": "Computers, graphics, windows, hardware, disks and software.",
    "rec": "Cars, motorcycles, baseball and hockey.",
    "sci": "Science: encryption, electronics, medicine and space.",
    "talk": "Politics, guns, the Middle East and religion.",
    "ciencia_tecnologia": "Ciência, tecnologia, internet, pesquisas e espaço.",
    "politica": "Política, governo, presidente, deputados, partidos e corrupção.",
    "sociedade_cotidiano": "Sociedade, polícia, crimes, saúde, educação e vida cotidiana.",
    "tv_celebridades": "Televisão, celebridades, atores, cantores e novelas.",
    "alarm": "Set or cancel an alarm to wake up.",
    "calendar": "Appointments, events, meetings and reminders on a date.",
    "currency": "Exchange rates of dollars, euros and other currencies.",
    "definition": "The meaning or definition of a word.",
    "joke": "Tell me a joke, something funny.",
    "lists": "Shopping lists and to-do lists: add or remove an item.",
    "maths": "Calculate a sum, multiplication or percentage.",
    "music": "Play a song, an artist, an album or a playlist.",
    "recipe": "How to cook a dish, recipes and ingredients.",
    "repeat": "Say that again, I did not understand.",
    "taxi": "Book a taxi, cab or ride.",
    "time": "What time is it in a city or time zone.",
    "traffic": "Traffic on the road, how long is the way to work.",
    "volume": "Turn the sound louder or quieter, mute.",
    "weather": "Weather forecast, rain, temperature and snow.",
}


class Fitted(NamedTuple):
    """A task that was labelled without votes."""

    task: TrustTask
    texts: TaskTexts
    result: Result
    kept: np.ndarray  # rows of the target that are documents
    y: np.ndarray  # their classes

    def scores(self, labelling: Labelling, rest: np.ndarray) -> np.ndarray:
        """Accuracy and balanced accuracy on these documents."""
        codes = np.searchsorted(self.result.domains.classes, labelling.documents.labels)
        wanted = self.y[rest]
        return np.array(
            [(codes[rest] == wanted).mean(), balanced_accuracy(codes[rest], wanted, len(self.texts.classes))]
        )


def fit(task: TrustTask) -> Fitted | None:
    """Label a task; None if a class of the target is unknown or a text is empty in the source."""
    texts = replace(task, n_source=min(task.n_source, SIDE), n_target=SIDE).texts()
    if (texts.yt >= len(texts.classes)).any() or not all(text.strip() for text in texts.source):
        return None
    result = labelferry.label(texts.source, texts.target, label=texts.classes[texts.ys].tolist())
    kept = result.inputs.documents.rows
    return Fitted(task, texts, result, kept, texts.yt[kept])


def voters(f: Fitted, encoder: str) -> Iterator[tuple[str, Opinion]]:
    """The voters of a task."""
    K, names = len(f.texts.classes), [str(c) for c in f.texts.classes]
    rng = np.random.default_rng(crc32(f.task.name.encode()))

    def opinion(name: str, home: np.ndarray, new: np.ndarray) -> tuple[str, Opinion]:
        shown = [[names[code] if code >= 0 else "" for code in codes.tolist()] for codes in (new, home)]
        return name, Opinion(name, *shown)

    for a, b in (*INDEPENDENT, (1 / K, 1 / K)):
        name = "random" if a == 1 / K else f"independent {a} / {b}"
        yield opinion(name, noisy(f.texts.ys, K, a, rng), noisy(f.y, K, b, rng))
    sides = [f.texts.source, [f.texts.target[row] for row in f.kept]]
    if f.task.corpus in OPINIONS and (analyzer := vader()) is not None:
        yield opinion("VADER", *(by_rules(analyzer, side, names) for side in sides))
    if all(name in SENTENCES for name in names):
        vectors = embed_documents(encoder, [*sides[0], *sides[1], *(SENTENCES[name] for name in names)])
        (home, sure), (new, sure_new) = (guess(side, vectors[-K:]) for side in np.split(vectors[:-K], [len(sides[0])]))
        _, plain = opinion("descriptions", home, new)
        yield "descriptions", plain._replace(new_confidence=sure_new.tolist(), home_confidence=sure.tolist())
    if f.task.corpus in OTHER:
        model = model_of(OTHER[f.task.corpus])
        yield opinion("other corpus", *(np.searchsorted(names, model.predict(side)) for side in sides))


def noisy(y: np.ndarray, K: int, accuracy: float, rng: np.random.Generator) -> np.ndarray:
    """Right with this probability, otherwise any other class."""
    return np.where(rng.random(len(y)) < accuracy, y, (y + 1 + rng.integers(max(K - 1, 1), size=len(y))) % K)


@cache
def vader() -> Callable[[str], float] | None:
    """The score of a text from -1 to 1; None if the package is missing."""
    try:
        analyzer = import_module("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    except ImportError:
        return None
    return lambda text: float(analyzer.polarity_scores(text[:3000])["compound"])


def by_rules(score: Callable[[str], float], texts: list[str], names: list[str]) -> np.ndarray:
    """Positive above .05, negative below -.05, otherwise neutral or no guess."""
    other = names.index("neutral") if "neutral" in names else -1
    values = np.array([score(text) for text in texts])
    return np.where(values > 0.05, names.index("positive"), np.where(values < -0.05, names.index("negative"), other))


@cache
def model_of(corpus: str) -> Any:
    """Logistic regression on all documents of a corpus."""
    data = read_corpus(corpus)
    model = make_pipeline(TfidfVectorizer(sublinear_tf=True, min_df=2), LogisticRegression(C=10, max_iter=500))
    return model.fit(data.texts, data.fields["label"])


def labelled(f: Fitted, votes: Votes, rows: np.ndarray) -> Labelling:
    """The labels with these votes and answers; the panel is not fitted again."""
    r, settings = f.result, f.result.settings
    answers = AnsweredRows(f.kept[rows], f.y[rows])
    return finish(r.inputs, r.features, r.domains, clone(r.estimator), answers, settings, {}, r.estimator.panel_, votes)


def panel_task(f: Fitted, labelling: Labelling) -> PanelTask:
    """The task for the measurement of labels that can be used."""
    estimator: Any = labelling.estimator
    inside = estimator.in_fit_
    p, interval = labelling.assessment.p_correct, labelling.assessment.accuracy
    return PanelTask(f.task.name, f.task.corpus, estimator.pool_inputs_, p, tuple(interval[:3]), f.y[inside])


def main(n_tasks: int, encoder: str, only: str = "") -> None:
    """Print all figures."""
    by_corpus: dict[str, list[TrustTask]] = defaultdict(list)
    for task in all_tasks():
        if task.kind == PLAIN and task.data:
            by_corpus[task.corpus].append(task)
    found: dict[str, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    runs, accuracy = [], {}
    for corpus, tasks in by_corpus.items():
        for i in np.unique(np.linspace(0, len(tasks) - 1, n_tasks).astype(int)):
            f = fit(tasks[i])
            if f is None:
                continue
            order = np.random.default_rng(crc32(f.task.name.encode()) + 1).permutation(len(f.y))
            everything, none = np.arange(len(f.y)), order[:0]
            rows, rest = np.sort(order[:N_ANSWERS]), np.sort(order[N_ANSWERS:])
            plain, answered = f.result, labelled(f, NO_VOTES, rows)
            base, base_answered = f.scores(plain, everything), f.scores(answered, rest)
            chosen = [(name, opinion) for name, opinion in voters(f, encoder) if only in ("", name)]
            for name, opinion in chosen:
                votes = count_opinions([opinion], f.result.inputs, f.result.domains)
                voted, with_answers = labelled(f, votes, none), labelled(f, votes, rows)
                own = f.scores(voted, everything)
                trust: float = voted.estimator.pool_inputs_.voters[0].trust  # type: ignore[attr-defined]
                estimated = voted.assessment.accuracy
                bias, inside = estimated.mean - own[0], estimated.low <= own[0] <= estimated.high
                later = f.scores(with_answers, rest) - base_answered
                found[name][corpus].append([*(own - base), trust > 0, bias, abs(bias), inside, *later])
                if name == "independent 0.8 / 0.8":
                    measured = measure_task(panel_task(f, voted), n_draws=1, n_orders=2)
                    runs += measured.runs
                    accuracy[f.task.name] = measured.accuracy
            print(f"{f.task.name}: {base[0]:.3f}/{base[1]:.3f}", file=sys.stderr, flush=True)
    print("voter|tasks|gain|worst|used|bias|error|coverage|gain with 40 answers|worst")
    for name, corpora in found.items():
        mean = np.mean([np.mean(values, axis=0) for values in corpora.values()], axis=0)
        least = np.min([row for values in corpora.values() for row in values], axis=0)
        n = sum(map(len, corpora.values()))
        a, b, used, bias, error, inside, c, d = mean
        worst = f"{least[0]:+.3f}/{least[1]:+.3f}", f"{least[6]:+.3f}/{least[7]:+.3f}"
        estimate = f"{bias:+.3f}|{error:.3f}|{inside:.2f}"
        print(f"{name}|{n}|{a:+.3f}/{b:+.3f}|{worst[0]}|{used:.2f}|{estimate}|{c:+.3f}/{d:+.3f}|{worst[1]}")
    if not runs:
        return
    print(f"labels that can be used, voter .8: design|error|share after {LOOKS} answers|false claims")
    for row in summarize(runs, accuracy):
        if row["design"] in ("U0", "U20", "U40"):
            shares = " ".join(f"{share:.2f}" for share in row["accepted"])
            print(f"{row['design']}|{row['error']}|{shares}|{row['false']:.3f}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else N_TASKS, *(given[1:] or ["wordllama"]))
