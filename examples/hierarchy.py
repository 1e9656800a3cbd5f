"""
# A hierarchy of labels

Labels such as desk/billing and desk/technical have a parent. If the children are doubtful, the parents are often
good enough to send a ticket to the right team: a certified parent is worth more than a doubtful child. The tickets of
this example are generated.
"""

# %%
# ## Six children, two parents
#
# The tickets are about a desktop program (desk) or a smart home (home).

import numpy as np

import labelferry

demo = labelferry.load_demo(times=3)
texts = demo.texts_source + demo.texts_target
team = np.repeat(["desk", "home"], [len(demo.texts_source), len(demo.texts_target)])
labels = np.char.add(np.char.add(team, "/"), np.append(demo.y_source, demo.y_target))
rows = np.random.default_rng(0).permutation(len(texts))
old, new = rows[:60], rows[60:]
source, target = [texts[row] for row in old], [texts[row] for row in new]

# %%
# ## The children
#
# 60 labelled tickets are few for six classes, and labelferry says so.

children = labelferry.label(source, target, label=labels[old].tolist())
print(children)
print(children.messages[-1])
print(f"correct: {(children.labels == labels[new]).mean():.3f}")

# %%
# ## The parents
#
# `parents=True` (`--parents`) labels the parents: the probability of a parent is the sum over its children. They have a
# verdict, estimates and certificates of their own; the columns child and child_confidence have the children.

parents = labelferry.label(source, target, label=labels[old].tolist(), parents=True)
print(parents)
print(f"correct: {(parents.labels == team[new]).mean():.3f}")
columns = parents.columns()
for row in range(3):
    print([columns[name][row] for name in ("label", "confidence", "child", "child_confidence")])

# %%
# ## A certificate of the parents

sample = parents.audit(60, seed=0).columns
sample["answer"] = [team[new][row - 1] for row in sample["row"]]
print(parents.certify(sample).as_dict()["sentences"][0])
