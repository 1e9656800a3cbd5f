"""
# Tickets: from two data frames to labels

A support team has labelled the tickets of a desktop accounting program. Now tickets about a new product, a smart home,
arrive without labels. The classes are the same (account, billing, technical), the words are not. The tickets of this
example are made up and are part of labelferry.
"""

# %%
# ## The data

import pandas as pd

import labelferry

demo = labelferry.load_demo()
labelled = pd.DataFrame({"text": demo.texts_source, "label": demo.y_source})
new = pd.DataFrame({"text": demo.texts_target})
print(len(labelled), "labelled tickets,", len(new), "new tickets")
for text in (labelled.text[0], new.text[0]):
    print("-", text[:100])

# %%
# ## Check first
#
# `diagnose` fits a few methods and compares the two sets of documents. It needs no label of the new tickets.

diagnosis = labelferry.diagnose(labelled, new)
print(diagnosis["verdict"]["level"], "-", diagnosis["verdict"]["sentence"])
print("words that changed most:", [word["word"] for word in diagnosis["changed_words"][:6]])

# %%
# ## Label
#
# By default, labels come from a panel of methods (`AutoTransfer`). The result contains one label, one confidence and
# the words behind the label per ticket, and one verdict on all labels.

result = labelferry.label(labelled, new)
print(result)
for reason in result.verdict.reasons:
    print("-", reason)

# %%
# The least confident labels are worth reading:

table = result.frame().sort_values("confidence")
print(table[["label", "confidence", "alternative", "evidence"]].head(5).to_string(index=False))

# %%
# ## Was it correct?
#
# For your own documents you do not know. Label a random sample by hand and compare. Here the true labels are known. A
# logistic regression trained on the labelled tickets only (`SourceLR`) is the reference.

reference = labelferry.label(labelled, new, method="sourcelr")
print(f"source-only classifier: {(reference.labels == demo.y_target).mean():.3f}")
print(f"labelferry:             {(result.labels == demo.y_target).mean():.3f}")

# %%
# ## Later tickets
#
# `result.save("model.npz")` writes the model to a file, and `labelferry.load("model.npz").label(texts)` labels later
# documents without a new fit. The same with an estimator:

(Xs, Xt), vectorizer = labelferry.tfidf(labelled.text, new.text)
estimator = labelferry.TCL(random_state=0)
estimator.transfer(Xs, labelled.label, Xt)
later = ["The hub lost the wifi again.", "Cancel the family plan, please."]
print(estimator.predict(vectorizer.transform(later)))
