"""
A screening session, and when to stop
=====================================

Somebody reads abstracts in the order of a ranker that learns from every decision. How much reading is saved,
and how much is probably left?
"""

import matplotlib.pyplot as plt
import numpy as np

from semirank import ScreeningRanker
from semirank.feedback import Items, Start, simulate
from semirank.stopping import hypergeometric

# %%
# A made-up review of 600 records: trials of *exercise* that measured *blood pressure* are to be found. Other
# records share one of the two, or neither.

rng = np.random.default_rng(0)
exercise = ["walking", "rowing", "cycling", "swimming", "stair climbing", "strength training", "dancing"]
other = ["green tea", "shift work", "vitamin D", "music", "night light", "coffee", "statins", "garlic"]
pressure = ["blood pressure", "hypertension", "systolic pressure", "arterial stiffness"]
outcome = ["memory", "sleep quality", "appetite", "bone density", "mood", "back pain", "weight", "vision"]
people = ["older adults", "nurses", "students", "pregnant women", "patients with diabetes", "office workers"]
kind = ["A randomised trial of", "A cohort study of", "We studied", "A pilot of", "Effects of"]


def record(relevant):
    """Write one abstract."""
    of, on = rng.random(2) < 0.4
    what = exercise if relevant or (of and not on) else other
    measured = pressure if relevant or (on and not of) else outcome
    words = [rng.choice(each) for each in (kind, what, people, measured, outcome)]
    return "{} {} in {}. We measured {} after {} weeks, and also {}.".format(
        *words[:4], rng.integers(4, 30), words[4]
    )


truth = rng.random(600) < 0.06
texts = [record(relevant) for relevant in truth]
print(sum(truth), "of", len(truth), "records are relevant; one of them:")
print(texts[int(np.flatnonzero(truth)[0])])

# %%
# `simulate` reads them as the ranker suggests, from one relevant and one irrelevant label, five times, and
# beside a random order.

items = Items([f"r{k}" for k in range(600)], texts)
rankers = {"ScreeningRanker": ScreeningRanker(), "random order": None}
found = simulate(items, truth, rankers, n_runs=5, start=Start(1, 1), seed=0)
for row in found.summary():
    print(f"{row['ranker']}: {row['items for 95 %']:.0f} records read for 95 % of the relevant ones")

# %%
# Recall, and what could be claimed at each moment: with 95 % confidence at least so much was found.

run = found.of("ScreeningRanker")[0]
read = np.arange(10, len(run.relevant) + 1, 10)
bounds = [hypergeometric(run.relevant[:n].astype(float), len(run.relevant)).recall for n in read]

figure, axis = plt.subplots(figsize=(8, 4))
for name, colour in {"ScreeningRanker": "#0072b2", "random order": "0.6"}.items():
    for number, each in enumerate(found.of(name)):
        curve = np.cumsum(each.relevant) / each.relevant.sum()
        axis.plot(curve, color=colour, alpha=0.8, linewidth=1.5, label=None if number else name)
axis.plot(read, bounds, color="#009e73", linestyle="--", label="claimed with 95 % confidence (first run)")
axis.axhline(0.95, color="0.8", linewidth=0.8, zorder=0)
axis.set(xlabel="records read", ylabel="share of the relevant ones found", ylim=(0, 1.02))
axis.legend(loc="lower right")
plt.show()

# %%
# Finding is quick; being sure takes longer. The bound assumes that ranked reading is no slower than reading
# at random, and says so in ``bound.method``.
