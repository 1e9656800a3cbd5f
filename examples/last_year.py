"""
# From last year's tickets to this year's

Last year's tickets are labelled. This year the product is another one, and a file of new tickets arrives every month.
The first file is labelled together with last year's; later ones by the saved model, which says when it no longer fits.
"""

# %%
# ## The first month

import tempfile
from pathlib import Path

import pandas as pd

import labelferry

folder = Path(tempfile.mkdtemp())
demo = labelferry.load_demo(times=2)
last_year = pd.DataFrame({"text": demo.texts_source, "label": demo.y_source})
january = pd.DataFrame({"text": demo.texts_target[:400]})
result = labelferry.label(last_year, january)
print(result)
result.save(folder / "model.npz")

# %%
# ## Later months
#
# February is like January. In March, half of the tickets are about something that nobody has labelled.
#
# On the command line: `labelferry apply model.npz february.csv march.csv -o labelled`

other = [
    "The oven does not heat the upper tray evenly.",
    "Which flour is best for sourdough in a cold kitchen?",
    "My cake sinks in the middle every single time.",
    "How long should lentils soak before cooking?",
]
months = {"february": demo.texts_target[400:560], "march": demo.texts_target[560:] + 40 * other}
for name, texts in months.items():
    pd.DataFrame({"text": texts}).to_csv(folder / f"{name}.csv", index=False)
    applied = labelferry.apply(folder / "model.npz", folder / f"{name}.csv")
    print(name, applied.verdict.level, applied.warnings[:1])

# %%
# ## Answers of later months
#
# The output of `apply` can be certified, and learned from. Somebody answers 40 tickets of February (here: the true
# labels); `certify` bounds the share of correct labels, and `label` learns from the answers and makes the next model.
#
# On the command line: `labelferry audit`, `labelferry certify`, and `labelferry label last_year.csv february.csv
# --answers sample.csv -o learned.csv --save model.npz`

truth = demo.y_target[400:560]
february = pd.read_csv(folder / "february.csv")
answers = {row: truth[row] for row in range(0, len(february), 4)}
learned = labelferry.label(last_year, february, answers=answers)
learned.save(folder / "model.npz")
asked = february.index.isin(list(answers))
print(f"rows nobody answered, correct: {(learned.labels == truth)[~asked].mean():.3f}")
