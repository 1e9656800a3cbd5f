"""
# From last year's tickets to this year's

Last year's tickets are labelled. This year the product is another one, and a file of new tickets arrives every month.
The first file is labelled together with last year's; later ones by the saved model, which says when it no longer fits.
"""

# %%
# ## The first month

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
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
# The output of `apply` can be certified, and learned from. Somebody answers 40 random tickets of February (here: the
# true labels); `certify` bounds the share of correct labels.


def labelferry_command(arguments):
    """Run a command and print what it prints."""
    command = [sys.executable, "-m", "labelferry", *arguments.split()]
    print(subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True).stdout)


truth = demo.y_target[400:560]
labelferry_command("apply model.npz february.csv -o labelled.csv --quiet")
labelferry_command("audit labelled.csv -o sample.csv -n 40 --seed 0")
sample = pd.read_csv(folder / "sample.csv")
sample["answer"] = truth[sample.row - 1]
sample.to_csv(folder / "sample.csv", index=False)
labelferry_command("certify labelled.csv sample.csv")

# %%
# `label` learns from the answers and makes the next model.

learned = labelferry.label(last_year, folder / "february.csv", answers=folder / "sample.csv")
learned.save(folder / "model.npz")
others = np.delete(np.arange(len(truth)), sample.row - 1)
print(f"rows nobody answered, correct: {(learned.labels == truth)[others].mean():.3f}")
