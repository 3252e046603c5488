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
BEYOND_CHANCE = 3.0  # standard deviations of that share where labels are a random sample
FEWEST_TO_CHOOSE = 15  # labels on either side; fewer do not tell even good rankers from bad ones
MOSTLY = 10  # unlabelled items for each label, from which on they stand for irrelevant ones
NEAR_MISSES = (
    "the irrelevant labels lie nearer to the relevant ones than other items do, as if they had been asked "
    "for from the top of a ranking or from one region: they say little about all other items."
)


def is_binary(data: RankingDataset) -> bool:
    """Tell whether labels say relevant or not, and no more than that."""
    levels = np.unique(data.y[data.labelled])
    return bool(levels[-1] > 0 and (len(levels) == 1 or (len(levels) == 2 and levels[0] <= 0)))


def unlabelled_as(data: RankingDataset, protocol: ProtocolName) -> Unlabelled:
    """Say how a metric is to take items without a label.

    They count as irrelevant only where no two labels say what is irrelevant, and where they are many. A
    relevant item then stands among some that are relevant too: that brings all rankers nearer to 1/2 in the
    same way, and does not change their order, if the relevant labels are a sample of all that is relevant
    [1]_.

    References
    ----------
    .. [1] S. Jain, M. White, P. Radivojac. Recovering true classifier performance in positive-unlabeled
       learning. AAAI 2017.
    """
    few = int((data.y <= 0).sum()) < 2 and int((data.y > 0).sum()) >= 2
    many = (~data.labelled).sum() >= MOSTLY * data.labelled.sum()
    return "irrelevant" if protocol == "items" and is_binary(data) and few and many else "ignore"


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
    return NEAR_MISSES if is_binary(data) and asked_from_top(data) else None


def asked_from_top(data: RankingDataset) -> bool:
    """Tell whether irrelevant labels lie nearer to the relevant ones than unlabelled items do.

    Such labels were asked for from the top of a ranking, or come from one region of the data. They are near
    misses, which do not look like the rest of what is irrelevant: a ranker that tells them from the relevant
    ones need not find the relevant ones among all others, and no test on them can tell.

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
    by_chance = 0.5 + BEYOND_CHANCE / np.sqrt(12 * irrelevant.sum())
    return bool(np.nanmean(nearer) > max(NEARER, by_chance)) if np.isfinite(nearer).any() else False
