"""Where labels come from: a sample of all items, or the top of somebody's ranking."""

import warnings

import numpy as np
from scipy.sparse import issparse

from semirank import metrics
from semirank.dataset import RankingDataset
from semirank.rankers import DistanceRanking

FEWEST = 5  # labels on either side, below which nobody can tell
NEARER = 0.7  # 0.5 is chance


def asked_from_top(data: RankingDataset) -> bool:
    """Tell whether irrelevant labels lie nearer to the relevant ones than unlabelled items do.

    Such labels were asked for from the top of a ranking. They are near misses, which do not look like the
    rest of what is irrelevant: a ranker that tells them from the relevant ones need not find the relevant
    ones among all others.

    Examples
    --------
    >>> X, y = np.arange(100.0)[:, None], np.full(100, np.nan)
    >>> y[:5] = 1
    >>> y[[10, 30, 50, 70, 90]] = 0
    >>> asked_from_top(RankingDataset(X, y))
    False
    >>> y[10:30] = 0
    >>> asked_from_top(RankingDataset(X, y))
    True
    """
    relevant, irrelevant = data.y > 0, data.y <= 0
    if min(relevant.sum(), irrelevant.sum()) < FEWEST or data.labelled.all():
        return False
    distance = "cosine" if issparse(data.X) else "euclidean"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a list without a relevant label has nothing to say here
        likeness = DistanceRanking(distance).fit(data.X, data.y, data.qid).scores_
    labelled = np.where(relevant, np.nan, irrelevant)
    rest = ~relevant
    nearer = metrics.auc(labelled[rest], likeness[rest], data.qid[rest])
    return bool(np.nanmean(nearer) > NEARER) if np.isfinite(nearer).any() else False
