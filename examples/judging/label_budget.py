"""
What are labels worth?
======================

How does a ranking grow with labels, with unlabelled items and without? Where the two curves are far apart,
unlabelled items stand in for labels.
"""

import matplotlib.pyplot as plt

import semirank
from semirank.results import sentences

# %%
# Three lists of handwritten digits; in each, one digit is relevant. `compare` shows some labels of each list
# and measures on the others.

digits = semirank.load("digits").select([3, 8, 9])
found = semirank.compare(
    digits, ["manifold-ranking", "logistic-ranker"], metric="AP", keep=10, detailed=False
)
print(found.verdict)
for sentence in sentences.about_budget(found.budget, found.metric):
    print("-", sentence)

# %%
# The curves, with intervals over the draws of labels:

found.plot("budget")
plt.show()
