"""
# Certify the labels of a language model

A language model, a colleague or a rule has labelled 3,600 tickets. How many labels are correct, and which ones can be
used? A certificate does not ask where labels come from: it needs a random sample that people answer. The "language
model" of this example is simulated: it is right about most tickets, and its confidence is too high.
"""

# %%
# ## Labels of somebody else
#
# A file with the columns text, label and, if there is one, confidence.

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import labelferry

folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
demo = labelferry.load_demo(times=10)
truth, classes = demo.y_target, np.unique(demo.y_target)
skill = rng.beta(2, 0.2, len(truth))  # how sure it really is about each ticket
label = np.where(rng.random(len(truth)) < skill, truth, rng.choice(classes, len(truth)))
frame = pd.DataFrame({"text": demo.texts_target, "label": label, "confidence": (0.8 + 0.2 * skill).round(3)})
frame.to_csv(folder / "llm.csv", index=False)
print(f"mean confidence {frame.confidence.mean():.2f}, really correct {(label == truth).mean():.2f}")


def labelferry_command(arguments):
    """Run a command and print what it prints."""
    command = [sys.executable, "-m", "labelferry", *shlex.split(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, "COLUMNS": "110"})
    print(f"$ labelferry {arguments}\n{done.stdout}{done.stderr}")


def fill_in(name):
    """Fill in the column 'answer' of a sample; here with the true labels."""
    sample = pd.read_csv(folder / name)
    sample["answer"] = truth[sample.row - 1]
    sample.to_csv(folder / name, index=False)


# %%
# ## A random sample
#
# 100 tickets, with an empty column `answer`.

labelferry_command("audit llm.csv -o sample.csv -n 100 --seed 0")
fill_in("sample.csv")

# %%
# ## What the answers prove

labelferry_command("certify llm.csv sample.csv")

# %%
# ## Which labels can be used
#
# `accept` starts with the labels of the highest confidence: whether the numbers are right does not matter, only their
# order does. A sample has as many tickets as the next labels need.

labelferry_command("accept llm.csv -o first.csv")
fill_in("first.csv")
labelferry_command("accept llm.csv first.csv")
