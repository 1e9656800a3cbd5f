"""Mean target accuracy on real corpora at full size, with default parameters unless others are named."""

import numpy as np
import pytest

from labelferry.baselines import EMNaiveBayes, SourceLR
from labelferry.methods import GCMF, TCL

from ..corpora import AMAZON, SIX, amazon, newsgroups

pytestmark = pytest.mark.slow


def accuracy(estimator, task):
    return (estimator.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()


@pytest.mark.parametrize(
    ("estimator", "at_least"),
    [
        (TCL(random_state=0), 0.955),
        (GCMF(random_state=0), 0.970),
        (EMNaiveBayes(), 0.978),
        (EMNaiveBayes(source_weight="annealed"), 0.985),
    ],
    ids=str,
)
def test_six_newsgroup_tasks(corpus, estimator, at_least):
    path = corpus("20news/20news-bydate.jsonl.gz")
    assert np.mean([accuracy(estimator, newsgroups(path, pair)) for pair in SIX]) >= at_least


def test_amazon_with_little_smoothing(corpus):
    path = corpus("amazon/reviews.jsonl.gz")
    estimator = GCMF(word_smoothness=1, doc_smoothness=1, random_state=0)
    assert np.mean([accuracy(estimator, amazon(path, *pair)) for pair in AMAZON]) >= 0.805


def test_four_classes_of_newsgroups(corpus):
    task = newsgroups(corpus("20news/20news-bydate.jsonl.gz"), ("comp", "rec", "sci", "talk"))
    source_only = accuracy(SourceLR(C=10), task)
    assert accuracy(TCL(random_state=0), task) > source_only + 0.03
    assert accuracy(EMNaiveBayes(), task) > source_only + 0.1


def test_later_documents_are_labelled_as_well_as_fitted_ones(corpus):
    """Half of the target is not fitted and folded in afterwards."""
    task = newsgroups(corpus("20news/20news-bydate.jsonl.gz"), ("rec", "sci"))
    half = np.random.default_rng(0).permutation(len(task.yt)) % 2 == 0
    for estimator in (TCL(random_state=0), GCMF(n_topics=16, random_state=0), EMNaiveBayes()):
        fitted = (estimator.transfer(task.Xs, task.ys, task.Xt[half]) == task.yt[half]).mean()
        later = (estimator.predict(task.Xt[~half]) == task.yt[~half]).mean()
        assert later > fitted - 0.02


@pytest.mark.system
def test_the_same_seed_gives_the_same_labels(corpus):
    task = newsgroups(corpus("20news/20news-bydate.jsonl.gz"), ("rec", "sci"))
    for estimator in (TCL(random_state=3, max_iter=30), GCMF(n_topics=16, max_iter=10, random_state=3)):
        first = estimator.transfer(task.Xs, task.ys, task.Xt)
        np.testing.assert_array_equal(first, estimator.transfer(task.Xs, task.ys, task.Xt))
