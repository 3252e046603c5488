"""Where labels come from: a sample of all items, or the top of somebody's ranking."""

import warnings

import numpy as np
from scipy.sparse import issparse

from semirank import metrics
from semirank.dataset import RankingDataset
from semirank.metrics.ranking import Unlabelled
from semirank.rankers.distance import DistanceRanking
from semirank.selection.splits import ENOUGH_LISTS, ProtocolName

FEWEST = 5  # labels on either side, below which nobody can tell
NEARER = 0.7  # 0.5 is chance
FEWEST_TO_CHOOSE = 15  # labels on either side; fewer do not tell even good rankers from bad ones
MOSTLY = 10  # unlabelled items for each label, from which on they stand for irrelevant ones


def is_binary(data: RankingDataset) -> bool:
    """Tell whether labels say relevant or not, and no more than that."""
    levels = np.unique(data.y[data.labelled])
    return bool(levels[-1] > 0 and (len(levels) == 1 or (len(levels) == 2 and levels[0] <= 0)))


def unlabelled_as(data: RankingDataset, protocol: ProtocolName) -> Unlabelled:
    """Say how a metric is to take items without a label.

    Where hardly any label is irrelevant, or the irrelevant ones are near misses, relevant items are looked
    for among all unlabelled ones, provided that these are many.
    """
    if protocol == "lists" or not is_binary(data) or (~data.labelled).sum() < MOSTLY * data.labelled.sum():
        return "ignore"
    few = int((data.y <= 0).sum()) < FEWEST_TO_CHOOSE
    return "irrelevant" if few or asked_from_top(data) else "ignore"


def too_few(data: RankingDataset, protocol: ProtocolName, unlabelled: Unlabelled) -> str | None:
    """Say why labels do not suffice to choose among rankers; None: they do."""
    if protocol == "lists":
        n_lists = int((data.labelled_per_list > 1).sum())
        enough = n_lists >= ENOUGH_LISTS
        return None if enough else f"{n_lists} lists have labels; to compare rankers takes {ENOUGH_LISTS}."
    n_labels = int(data.labelled.sum())
    counts = {"relevant": n_labels, "irrelevant": n_labels}
    if is_binary(data):
        counts = {"relevant": int((data.y > 0).sum()), "irrelevant": int((data.y <= 0).sum())}
    for side, count in counts.items():
        if count < FEWEST_TO_CHOOSE and not (side == "irrelevant" and unlabelled == "irrelevant"):
            return f"{count} labels say what is {side}; to compare rankers takes {FEWEST_TO_CHOOSE}."
    return None


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
