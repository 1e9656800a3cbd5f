"""
# 400 labelled, 6,600 not

The usual case: one table, and nobody has time to label the rest. The rows without a label are the new documents. Then a
few questions tell how many of the new labels can be used as they are. The tickets of this example are generated.
"""

# %%
# ## One table, half labelled

import numpy as np
import pandas as pd

import labelferry

demo = labelferry.load_demo(times=20)
truth = demo.y_target[:7000]
tickets = pd.DataFrame({"text": demo.texts_target[:7000], "label": truth})
tickets.loc[400:, "label"] = None
print(tickets.label.notna().sum(), "with a label,", tickets.label.isna().sum(), "without")

# %%
# ## Label the others
#
# `origin` says which labels were given and which were predicted.

result = labelferry.label(tickets)
print(result)
table = result.frame()
print(table.groupby("origin").label.value_counts().unstack())

# %%
# ## How many can be used?
#
# Before the first question there is an estimate of what questions will bring: answers, and labels that can be used then
# with at most 5% of them wrong.

print(result.expected())

# %%
# Now somebody answers. `accept` names the next row to ask about, and says after every answer which labels can be used.
# Here the answers are the true labels.

answers = {}
usable = result.accept(0.05, answers)
while usable.n == 0:
    row = usable.next_row()
    answers[row] = truth[row]
    usable = result.accept(0.05, answers)
print(len(answers), "answers.", usable.text().splitlines()[0])

# %%
# For your own tickets nobody knows the true share of wrong labels. Here it is:

used = np.array([value == "yes" for value in usable.column()])
print(f"{used.sum()} labels used, {(result.labels[used] != truth[used]).mean():.1%} of them wrong")
