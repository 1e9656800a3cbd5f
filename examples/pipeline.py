"""
# A scikit-learn pipeline

`AutoTransfer` and all other methods are scikit-learn classifiers. One thing is different: a method that transfers
labels needs the documents to label when it is fitted. They are rows of X without a label in y.
"""

# %%
# ## Fit both sets together

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import labelferry
from labelferry import AutoTransfer, EMNaiveBayes, SourceLR

demo = labelferry.load_demo()
new, later = demo.texts_target[:260], demo.texts_target[260:]
texts = demo.texts_source + new
y = np.append(demo.y_source, [""] * len(new))  # "" or None is no label; for integers -1

pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True, min_df=2), AutoTransfer(random_state=0))
pipeline.fit(texts, y)
auto = pipeline[-1]
print(f"new tickets: {(auto.transduction_ == demo.y_target[:260]).mean():.3f}, {auto.verdict_.level}")

# %%
# `predict` is for documents that come later; the model is not fitted again.

print(f"later tickets: {(pipeline.predict(later) == demo.y_target[260:]).mean():.3f}")

# %%
# ## Without the new documents
#
# A source-only classifier needs none: `fit(texts, labels).predict(new)` as with every classifier of scikit-learn.

plain = make_pipeline(TfidfVectorizer(sublinear_tf=True, min_df=2), SourceLR()).fit(demo.texts_source, demo.y_source)
print(f"source-only, new tickets: {(plain.predict(new) == demo.y_target[:260]).mean():.3f}")

# %%
# `AutoTransfer` says what to do:

try:
    pipeline.fit(demo.texts_source, demo.y_source)
except ValueError as error:
    print(error)

# %%
# ## Search for parameters
#
# Rows without a label are never scored, so that a search compares parameters by the labelled documents.

search = GridSearchCV(
    make_pipeline(TfidfVectorizer(), EMNaiveBayes()),
    {"tfidfvectorizer__min_df": [1, 2], "emnaivebayes__smoothing": [0.01, 1.0]},
    cv=3,
)
print(search.fit(texts, y).best_params_)
