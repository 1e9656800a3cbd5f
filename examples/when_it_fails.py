"""
# When it fails: opinions, and classes that become rare

Label transfer follows groups of documents that share words. Two things make it fail. In reviews, the documents group
by product, not by opinion. And a class can be common in the labelled documents and rare in the new ones. This example
shows both with Amazon reviews.

Needs the corpus `amazon`: `labelferry data --where amazon` prints where to get it.
"""

# %%
# ## The data
#
# Reviews of books are labelled, reviews of kitchen appliances are new.

import numpy as np

import labelferry
from labelferry_bench.datasets import load_amazon

corpus = load_amazon()
books = corpus.select(corpus.fields["domain"] == "books")
kitchen = corpus.select(corpus.fields["domain"] == "kitchen")
print(len(books.texts), "labelled documents,", len(kitchen.texts), "new documents")

# %%
# ## Opinions
#
# Methods that follow clusters gain little or lose here: the largest clusters of the reviews are products.
# `EMNaiveBayes`, one of the best methods for topics, is an example. `AutoTransfer` finds no evidence of clusters, so it
# changes only some of the labels of `SourceLR`: it gains a few points, far from what it gains on topics.


def compare(texts_source, y_source, texts_target, y_target):
    """Print accuracy and balanced accuracy (the mean over the classes) per estimator."""
    (Xs, Xt), _ = labelferry.tfidf(texts_source, texts_target)
    for estimator in (
        labelferry.SourceLR(),
        labelferry.TCL(random_state=0),
        labelferry.EMNaiveBayes(),
        labelferry.AutoTransfer(random_state=0),
    ):
        labels = estimator.transfer(Xs, y_source, Xt)
        per_class = [(labels[y_target == c] == c).mean() for c in np.unique(y_target)]
        print(f"{type(estimator).__name__:14} {(labels == y_target).mean():.3f} {np.mean(per_class):.3f}")
    return estimator


auto = compare(books.texts, books.fields["label"], kitchen.texts, kitchen.fields["label"])

# %%
# The verdict does not call these labels safe. It is based on the estimated balanced accuracy:

print(auto.verdict_.level, auto.estimated_balanced_accuracy_)
for reason in auto.verdict_.reasons:
    print("-", reason)

# %%
# ## A class that becomes rare
#
# Half of the labelled reviews are negative. Of the new ones, only one in ten is.

negative = np.flatnonzero(kitchen.fields["label"] == "negative")
positive = np.flatnonzero(kitchen.fields["label"] == "positive")
rare = kitchen.select(np.sort(np.concatenate([positive, negative[: len(positive) // 9]])))
auto = compare(books.texts, books.fields["label"], rare.texts, rare.fields["label"])
print(auto.verdict_.level, auto.estimated_balanced_accuracy_)

# %%
# Accuracy alone is misleading here: the label "positive" for every review has an accuracy of 0.90 and a balanced
# accuracy of 0.50. The predicted proportions are far from the truth, 10 % negative, and no signal shows it. If you know
# the proportions, pass them: `AutoTransfer(class_prior=[0.1, 0.9])` has an accuracy of 0.91 and a balanced accuracy of
# 0.73. The proportions that were predicted without it:

labels, counts = np.unique(auto.transduction_, return_counts=True)
print({str(name): f"{count / counts.sum():.0%}" for name, count in zip(labels, counts, strict=True)})

# %%
# ## What to do
#
# Label fifty of the new documents by hand, chosen at random. Counting the correct labels among them gives an interval
# for the accuracy that needs no assumption about the domains (Clopper-Pearson, 90 %):

from scipy.stats import binomtest

rows = np.random.default_rng(0).choice(len(rare.texts), size=50, replace=False)
correct = int((auto.transduction_[rows] == rare.fields["label"][rows]).sum())
low, high = binomtest(correct, len(rows)).proportion_ci(confidence_level=0.9)
print(f"{correct} of {len(rows)} are correct: between {low:.2f} and {high:.2f}")
