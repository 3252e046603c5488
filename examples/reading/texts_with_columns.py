"""
Texts with other columns
========================

A table of complaints: a text, a category, a number, a date. Give it as it is; each column becomes what it
is.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import semirank
from semirank.features import TableFeatures

# %%
# Three hundred made-up complaints. Urgent are those about safety, more often from old customers and of
# certain products: the text tells a part, the other columns another.

rng = np.random.default_rng(0)
n = 300
danger = ["smoke came out", "it caught fire", "the battery burst", "I got a shock", "the blade came loose"]
annoyance = [
    "it is slow",
    "the colour is wrong",
    "it arrived late",
    "the lid is loose",
    "the manual is missing",
]
places = ["in the kitchen", "on the first day", "after a week", "while charging", "in the garden"]
product = rng.choice(["kettle", "drill", "phone", "lamp"], size=n)
years = rng.integers(0, 15, size=n)
urgent = rng.random(n) < 0.05 + 0.35 * np.isin(product, ["drill", "kettle"]) + 0.03 * years
speaks = np.where(rng.random(n) < 0.7, urgent, ~urgent)  # three in ten say it otherwise
openings = ["Hello", "Dear all", "To whom it may concern", "Hi there", "Good morning"]
asks = ["I want my money back", "please call me", "send me another one", "what now", "I am not amused"]
texts = [
    "{}, {} {}; {}, order {}".format(*map(rng.choice, (openings, trouble, places, asks)), k)
    for k, trouble in enumerate(danger if bad else annoyance for bad in speaks)
]
table = pd.DataFrame(
    {
        "complaint": texts,
        "product": product,
        "customer_for": np.where(rng.random(n) < 0.1, None, years.astype(object)),
        "date": pd.date_range("2024-01-01", periods=n, freq="7h").strftime("%Y-%m-%d"),
        "country": "DE",
    }
)
print(TableFeatures().fit(table).summary)

# %%
# Eighty complaints were looked at. `AutoRanker` takes the frame; beside it, the text alone and the other
# columns alone.

y = np.where(rng.permutation(n) < 80, urgent, np.nan)
hidden = np.where(np.isnan(y), urgent, np.nan)
views = {
    "text alone": list(table["complaint"]),
    "other columns alone": table.drop(columns="complaint"),
    "the table as it is": table,
}
found = {}
for name, view in views.items():
    auto = semirank.AutoRanker(metric="AUC").fit(view, y)
    found[name] = semirank.metrics.auc(hidden, auto.scores_)[0]
    print(f"{name}: AUC {found[name]:.2f} on the others")

figure, axis = plt.subplots(figsize=(7, 2.6))
bars = axis.barh(list(found), list(found.values()), color=["0.7", "0.7", "#0072b2"])
axis.bar_label(bars, fmt="%.2f", padding=4)
axis.invert_yaxis()
axis.set(xlim=(0.5, 1), xlabel="AUC on the complaints nobody had looked at")
plt.show()
