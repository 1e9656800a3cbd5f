"""
# When it fails: opinions, and classes that become rare

Label transfer follows groups of documents that share words. Two things make it fail. In reviews, the documents group by
product, not by opinion. And a class can be common in the labelled documents and rare in the new ones. This example
shows both with generated reviews, and what to do: ask.
"""

# %%
# ## The data
#
# Reviews of books are labelled, reviews of kitchen appliances are new. Most words are about the product. Few words of
# praise and blame are used for both.

import numpy as np

import labelferry

OPINIONS = {
    "positive": ("great", "love", "excellent", "happy", "recommend"),
    "negative": ("bad", "waste", "poor", "disappointed", "return"),
}
OWN = {  # of one kind of product
    "books": {"positive": ("gripping", "funny", "moving"), "negative": ("boring", "shallow", "endless")},
    "kitchen": {"positive": ("sturdy", "quiet", "fast"), "negative": ("rusty", "loud", "leaks")},
}
PRODUCTS = {
    "books": (
        ["novel", "plot", "hero", "author", "chapter", "ending", "scenes", "story", "prose", "dialogue"],
        ["cookbook", "recipes", "photos", "index", "dishes", "baking", "author", "print", "pages", "meals"],
    ),
    "kitchen": (
        ["knife", "blade", "handle", "steel", "edge", "cutting", "sharpen", "board", "kitchen", "grip"],
        ["coffee", "machine", "pump", "water", "filter", "beans", "cup", "milk", "steam", "morning"],
    ),
}


def write_reviews(kind, labels, seed):
    """One review per label: mostly words of one product, and two words of opinion, one time in four the wrong ones."""
    rng = np.random.default_rng(seed)
    texts = []
    for label in labels:
        said = label if rng.random() < 0.75 else {"positive": "negative", "negative": "positive"}[label]
        opinion = [rng.choice(OPINIONS[said] if rng.random() < 0.4 else OWN[kind][said]) for _ in range(2)]
        product = PRODUCTS[kind][rng.integers(2)]
        texts.append(" ".join(rng.permutation([*opinion, *rng.choice(product, 6, replace=False)])))
    return texts


y_books = np.tile(["positive", "negative"], 500)
y_kitchen = np.tile(["positive", "negative"], 500)
books, kitchen = write_reviews("books", y_books, 0), write_reviews("kitchen", y_kitchen, 1)
print(books[0], "|", kitchen[1])

# %%
# ## Opinions
#
# Methods that follow clusters lose here: the largest clusters of the reviews are products. `EMNaiveBayes`, one of the
# best methods for topics, is an example. `AutoTransfer` finds no evidence of clusters, so it changes only some of the
# labels of `SourceLR`.


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


auto = compare(books, y_books, kitchen, y_kitchen)

# %%
# The verdict does not call these labels safe. It is based on the estimated balanced accuracy:

print(auto.verdict_.level, auto.estimated_balanced_accuracy_)

# %%
# ## A class that becomes rare
#
# Half of the labelled reviews are negative. Of the new ones, only one in ten is.

y_rare = np.array((["positive"] * 9 + ["negative"]) * 100)
rare = write_reviews("kitchen", y_rare, 2)
auto = compare(books, y_books, rare, y_rare)

# %%
# The predicted proportions are far from the truth, and no signal shows it:

labels, counts = np.unique(auto.transduction_, return_counts=True)
print({str(name): f"{count / counts.sum():.0%}" for name, count in zip(labels, counts, strict=True)})

# %%
# ## What to do
#
# Ask. If you know the proportions, `AutoTransfer(class_prior=[0.1, 0.9])` matches the labels to them. If not, label
# some of the new documents by hand, chosen at random: the labels learn from the answers, and the certificate of further
# answers holds whatever the domains are.

result = labelferry.label(books, rare, label=y_books)
first = np.random.default_rng(0).choice(len(rare), size=60, replace=False)
learned = result.update({int(row): y_rare[row] for row in first})
others = np.setdiff1d(np.arange(len(rare)), first)
before, after = ((found.labels == y_rare)[others].mean() for found in (result, learned))
print(f"before {before:.3f}, after 60 answers {after:.3f}")

sample = learned.audit(60, seed=0).columns
sample["answer"] = [y_rare[row - 1] for row in sample["row"]]
print(learned.certify(sample).as_dict()["sentences"][0])
