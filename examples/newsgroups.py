"""
# Newsgroups: the classes are topics

20 Newsgroups contains discussions of 1993. The task: tell computers (comp) from science (sci). The labelled documents
come from four groups, the new documents from four other groups of the same two kinds. A classifier trained on graphics
and cryptography has to recognize hardware and medicine. This is the case that label transfer is made for: the classes
are topics, so documents of a class share words.

Needs the corpus: `labelferry_bench.datasets.load_newsgroups(download=True)` fetches it.
"""

# %%
# ## The data
#
# E-mail headers are removed, because they name the group.

import numpy as np

import labelferry
from labelferry.text import strip_headers
from labelferry_bench.datasets import load_newsgroups

LABELLED = ("comp.graphics", "comp.os.ms-windows.misc", "sci.crypt", "sci.electronics")
NEW = ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "comp.windows.x", "sci.med", "sci.space")


def choose(corpus, groups):
    """Texts of these groups, and "comp" or "sci" per text."""
    part = corpus.select(np.isin(corpus.fields["group"], groups))
    labels = np.array([group.partition(".")[0] for group in part.fields["group"]])
    return [strip_headers(text) for text in part.texts], labels


corpus = load_newsgroups()
texts_source, y_source = choose(corpus, LABELLED)
texts_target, y_target = choose(corpus, NEW)
print(len(texts_source), "labelled documents,", len(texts_target), "new documents")

# %%
# ## Three estimators
#
# All estimators have the same interface: `transfer(Xs, ys, Xt)` returns one label per row of `Xt`.

(Xs, Xt), vectorizer = labelferry.tfidf(texts_source, texts_target)
estimators = [labelferry.SourceLR(), labelferry.TCL(random_state=0), labelferry.EMNaiveBayes()]
for estimator in estimators:
    labels = estimator.transfer(Xs, y_source, Xt)
    print(f"{type(estimator).__name__:14} {(labels == y_target).mean():.3f}")

# %%
# ## What TCL has learned
#
# Each topic has common words, words of the labelled documents, and words of the new documents.

for topic in estimators[1].topics_table(vectorizer.get_feature_names_out(), n_words=6)[:4]:
    print(topic["class"])
    print("    common:", ", ".join(topic["common"]))
    for name, words in topic["domains"].items():
        print(f"    {name}:", ", ".join(words))

# %%
# ## How far apart are the two sets?
#
# A gap near 0 means similar documents, a gap near 1 means no common words.

from labelferry.assessment import gap, vocabulary_overlap

print(f"gap {gap(Xs, Xt):.2f}, shared vocabulary {vocabulary_overlap(Xs, Xt):.0%}")
