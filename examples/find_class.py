"""
# Which documents are of class X?

Somebody needs the billing tickets of the new product, all of them, and reads as few others as possible. The labels come
from an old product. The tickets of this example are part of labelferry.
"""

# %%
# ## The most probable ones first

import numpy as np

import labelferry

demo = labelferry.load_demo(times=5)
result = labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source)
billing = result.estimator.classes_.tolist().index("billing")
order = np.argsort(-result.estimator.transduction_proba_[:, billing], kind="stable")
for row in order[:3]:
    print("-", demo.texts_target[row][:90])

# %%
# Reading in this order, how many of them are found after how many tickets? The last line is luck without labelferry.

found = np.cumsum(demo.y_target[order] == "billing")
for n in (100, 300, len(found) // 3):
    print(f"{n} read: {found[n - 1]} of {found[-1]} found")
print(f"{n} read in random order: about {n * found[-1] // len(found)}")

# %%
# ## How many are missed?
#
# A random sample of 100 tickets that people answer bounds the share of the billing tickets that have the label
# (recall), and the share of the label that is right (precision), with 95% confidence.

sample = result.audit(100, seed=0).columns
sample["answer"] = [demo.y_target[row - 1] for row in sample["row"]]
certificate = result.certify(sample)
print(next(sentence for sentence in certificate.as_dict()["sentences"] if "Class billing" in sentence))

# %%
# The truth, which only this example knows:

says, is_billing = result.labels == "billing", demo.y_target == "billing"
print(f"precision {is_billing[says].mean():.3f}, recall {says[is_billing].mean():.3f}")
