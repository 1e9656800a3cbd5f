"""
# Which documents are of class X?

Somebody needs the billing tickets of the new product, nearly all of them, and reads as few others as possible. The
labels come from an old product. The tickets of this example are part of labelferry.
"""

# %%
# ## The most probable ones first

import labelferry

demo = labelferry.load_demo(times=2)
result = labelferry.label(demo.texts_source, demo.texts_target, label=demo.y_source)
find = result.find("billing", recall=0.9)
print(find.text())
for row in find.next_rows(3):
    print("-", demo.texts_target[row][:90])

# %%
# ## Read until the goal is reached
#
# Somebody answers (here the true labels do). The order learns from the answers, and some tickets are drawn at random:
# they tell how many are missing. The bound holds whenever people stop.
#
# On the command line: `labelferry find job.ferry --class billing --recall 0.9 -o read.csv`

answers = []
while not find.done:
    row = find.next_row()
    answers.append((row, demo.y_target[row]))
    find = result.find("billing", recall=0.9, answers=answers)
    if len(answers) % 100 == 0:
        print(f"{find.n_read} read, {len(find.found)} found: at least {find.recall_at_least:.0%} of all")
print(find.text())

# %%
# The truth, which only this example knows:

n = (demo.y_target == "billing").sum()
print(f"found {len(find.found)} of {n}; in random order about {find.n_read * n // len(demo.y_target)}")
