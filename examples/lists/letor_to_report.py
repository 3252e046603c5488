"""
LETOR: from a file to a report
==============================

A file of search results, some of them judged: read it, compare rankers, write the report, rank, keep the
model.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import semirank

# %%
# **The file.** Forty queries with thirty documents each; a label of -1 means that nobody has judged it.

rng = np.random.default_rng(1)
qid = np.repeat(np.arange(40), 30)
X = rng.normal(size=(1200, 12))
quality = X[:, 0] + 0.6 * X[:, 1] + 0.8 * np.maximum(X[:, 2], 0) + rng.normal(size=1200)
grades = np.digitize(quality, np.quantile(quality, [0.7, 0.9])).astype(float)
judged = rng.random(1200) < 0.4
folder = Path(tempfile.mkdtemp())
semirank.write_letor(
    semirank.RankingDataset(X, np.where(judged, grades, np.nan), qid), folder / "results.letor"
)
print((folder / "results.letor").read_text().splitlines()[0][:70])

# %%
# **Read and compare.** Whole queries are held out, and every ranker learns from the same judgements.

data = semirank.read(folder / "results.letor")
print(data)
found = semirank.compare(
    data, ["rankrls-cv", "rankboost", "forest-ranker", "manifold-ranking"], metric="nDCG@10", budget=False
)

# %%
# A comparison shows itself in a notebook, and here:

found

# %%
# **The report** is one HTML file, with everything in it.

[report] = semirank.report.write_report(found, folder / "report.html")
print(report.name, f"{report.stat().st_size / 1000:.0f} kB; recommended: {found.recommended}")

found.plot("rankers")
plt.show()

# %%
# **Fit the best one on all judgements**, write a ranking and a model.

ranker = semirank.registry.ranker_class("rankrls-cv")().fit(data.X, data.y, data.qid)
semirank.readers.write_ranking(data, data.restore(ranker.scores_), folder / "ranking.tsv")
ranker.save(folder / "results.model")
again = semirank.load_model(folder / "results.model")
print(np.array_equal(again.predict(X, qid), ranker.predict(X, qid)))
