"""Verdicts compared with the truth: 27 changes of the tickets, and 24 pairs of domains of eight real corpora.

`python -m tests.verdict_cases` prints the recorded numbers again. Labels that mean something else in the two files are
called safe although they are wrong: no method can see it in texts, and the verdict says so.
"""

import pytest

from labelferry.inputs.views import VARIABLE

from ..verdict_cases import CASES, OTHER_MEANING, TASKS, real_case

RIGHT = 0.85  # share of correct labels below which "safe" would be false
TOLERANCE = 0.04  # of the recorded accuracy, for other versions of numpy and scipy
RECORDED = {  # accuracy, verdict
    "as it is": (0.992, "safe"),
    "no common word": (0.372, "unsafe"),
    "a third of the words shared": (0.836, "unsafe"),
    "two thirds of the words shared": (0.978, "safe"),
    "90 documents, one method": (0.744, "doubtful"),
    "ten labelled documents": (0.719, "unsafe"),
    "five new documents": (1.000, "doubtful"),
    "a footer": (0.981, "doubtful"),
    "words of one class": (0.467, "doubtful"),
    "words of a wrong class": (0.997, "safe"),
    "two classes swapped": (0.314, "safe"),
    "near copies with other labels": (0.003, "safe"),
    "a class that the source lacks": (0.692, "doubtful"),
    "a class that the target lacks": (0.976, "doubtful"),
    "one class in the target": (0.800, "doubtful"),
    "an unbalanced source": (0.922, "doubtful"),
    "shuffled labels": (0.317, "unsafe"),
    "a fifth of the labels random": (0.964, "doubtful"),
    "half of the labels random": (0.664, "unsafe"),
    "every document six times": (0.983, "doubtful"),
    "three words per document": (0.486, "doubtful"),
    "upper case": (0.992, "safe"),
    "a letter less per word": (0.986, "doubtful"),
    "half of the documents unreadable": (0.633, "unsafe"),
    "soft hyphens": (0.992, "safe"),
    "zero-width spaces": (0.992, "safe"),
    "decomposed letters": (0.992, "safe"),
    "crisislex_t6: 2012_Sandy_Hurricane > 2013_Queensland_Floods": (0.657, "doubtful"),
    "crisislex_t6: 2013_Boston_Bombings > 2012_Sandy_Hurricane": (0.643, "doubtful"),
    "crisislex_t6: 2013_Alberta_Floods > 2013_Oklahoma_Tornado": (0.860, "doubtful"),
    "github_issues: bitcoin_bitcoin + facebook_react + opencv_opencv > tensorflow_tensorflow": (0.576, "unsafe"),
    "github_issues: microsoft_vscode > facebook_react": (0.648, "doubtful"),
    "github_issues: opencv_opencv > bitcoin_bitcoin": (0.593, "doubtful"),
    "fdu_mtl_reviews: books > kitchen_housewares": (0.703, "doubtful"),
    "fdu_mtl_reviews: dvd > software": (0.748, "doubtful"),
    "fdu_mtl_reviews: toys_games > baby": (0.797, "doubtful"),
    "news_topics: agnews > bbc": (0.980, "doubtful"),
    "news_topics: web_snippets > agnews": (0.825, "doubtful"),
    "news_topics: bbc > web_snippets": (0.867, "doubtful"),
    "youtube_spam: Psy + KatyPerry + Eminem > Shakira": (0.892, "doubtful"),
    "youtube_spam: Psy > LMFAO": (0.849, "doubtful"),
    "youtube_spam: KatyPerry > Eminem": (0.877, "doubtful"),
    "shopping_zh: tablet > fruit": (0.892, "doubtful"),
    "shopping_zh: hotel > books": (0.533, "doubtful"),
    "shopping_zh: phone > shampoo": (0.862, "doubtful"),
    "satd_1to3: argouml > jruby-1.4.0": (0.848, "doubtful"),
    "satd_1to3: jEdit-4.2 > columba-1.4-src": (0.837, "doubtful"),
    "satd_1to3: sql12 > apache-jmeter-2.10": (0.883, "doubtful"),
    "absa_sentiment: restaurants > laptops": (0.550, "unsafe"),
    "absa_sentiment: tweets > restaurants": (0.312, "unsafe"),
    "absa_sentiment: laptops > tweets": (0.388, "unsafe"),
}

pytestmark = [pytest.mark.system, pytest.mark.filterwarnings("ignore:'target' shares no words")]


def check(name, case):
    accuracy, level, result = case.run()
    recorded, recorded_level = RECORDED[name]
    assert accuracy == pytest.approx(recorded, abs=TOLERANCE)
    assert level == recorded_level
    if level == "safe":
        assert accuracy >= RIGHT or name in OTHER_MEANING
        assert "no class is new or has changed its meaning" in result.verdict.sentence
        assert result.needs_review.mean() < 0.5  # the verdict and the marks do not contradict each other


@pytest.mark.parametrize("name", CASES)
def test_a_change_of_the_tickets(name):
    check(name, CASES[name]())


@pytest.mark.parametrize("name", TASKS)
def test_a_pair_of_real_domains(name, corpus):
    corpus(f"domains/{name.partition(':')[0]}.jsonl.gz")
    check(name, real_case(name))


@pytest.mark.parametrize("name", [*CASES, *TASKS])
def test_with_vectors_no_wrong_labels_are_called_safe(name, corpus, monkeypatch):
    pytest.importorskip("wordllama")
    monkeypatch.setenv(VARIABLE, "wordllama")
    if name in TASKS:
        corpus(f"domains/{name.partition(':')[0]}.jsonl.gz")
    accuracy, level, result = (real_case(name) if name in TASKS else CASES[name]()).run()
    assert level != "safe" or accuracy >= RIGHT or name in OTHER_MEANING
    assert level != "safe" or result.needs_review.mean() < 0.5


def test_characters_that_nobody_sees_cost_nothing():
    """A target with soft hyphens, zero-width spaces or decomposed letters is as accurate as the clean one."""
    clean = RECORDED["as it is"][0]
    for name in ("soft hyphens", "zero-width spaces", "decomposed letters"):
        assert RECORDED[name][0] == pytest.approx(clean, abs=0.01)
