"""
Data beyond memory
==================

Labels are few, items are many. A ranker that learns from labels alone needs only the labelled items in
memory; all others are read once, part by part, scored and forgotten.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import semirank

# %%
# A folder of LETOR files: 2,000 lists of 20 items, of which every fiftieth list has labels. (It would be
# Parquet with far more rows in earnest.)

rng = np.random.default_rng(0)
folder = Path(tempfile.mkdtemp())
weights = rng.normal(size=10)
for number in range(4):
    X = rng.normal(size=(10_000, 10)).round(3)
    qid = np.repeat(np.arange(500), 20) + 500 * number
    labels = np.where(qid % 50 == 0, (X @ weights > 2).astype(float), np.nan)
    semirank.write_letor(semirank.RankingDataset(X, labels, qid), folder / f"part{number}.letor")

# %%
# `open_parts` looks at lists and labels, and cuts where a list begins.

parts = semirank.open_parts(folder / "*.letor", part_bytes=100_000)
print(parts)

# %%
# `fit_parts` gathers the labelled items; `rank_parts` writes one file of scores for each part, whole or
# absent, and goes on after a stop.

ranker = semirank.RankRLS().fit_parts(parts)
ranker.rank_parts(parts, folder / "scores")
files = sorted((folder / "scores").glob("part-*.tsv"))
print(len(files), "files of scores; the first lines:")
print("\n".join(files[0].read_text().splitlines()[:3]))

# %%
# What is in memory at a time, beside what there is:

held = {
    "all items": parts.n_items,
    "two parts": 2 * max(part.n_items for part in parts),
    "labelled items": parts.n_labelled,
}
figure, axis = plt.subplots(figsize=(8, 2.8))
bars = axis.barh(
    list(held), [8 * parts.n_features * n / 1e6 for n in held.values()], color=["0.7", "#0072b2", "#009e73"]
)
axis.bar_label(bars, fmt="%.2f MB", padding=4)
axis.invert_yaxis()
axis.set(xlabel="features, MB", title="ranked from disk, two parts at a time")
axis.margins(x=0.15)
plt.show()

# %%
# The weights that were learned point in the true direction:

cosine = ranker.coef_ @ weights / np.linalg.norm(ranker.coef_) / np.linalg.norm(weights)
print(f"cosine {cosine:.2f}")
