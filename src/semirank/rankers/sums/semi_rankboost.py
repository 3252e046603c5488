"""SemiRankBoost over parts: labels are lent inside a list, so inside a part."""

from dataclasses import replace
from functools import partial

import numpy as np

from semirank.dataset import RankingDataset
from semirank.rankers.pairs import OrderedPairs
from semirank.rankers.pairs.pseudo_labels import nearest_labels
from semirank.rankers.semi_rankboost import SemiRankBoost
from semirank.rankers.sums import rankboost
from semirank.rankers.sums.passes import Passes
from semirank.rankers.sums.rankboost import Teaching, teach_by_labels


def fit(ranker: SemiRankBoost, passes: Passes) -> None:
    """Fit a SemiRankBoost."""
    weight = 1.0 if isinstance(ranker.discount, str) else float(ranker.discount)
    ranker.discount_ = weight
    lend = partial(
        teach_with_neighbours,
        n_neighbors=ranker.n_neighbors,
        distance=ranker.distance,
        conflict=ranker.conflict,
    )
    teach = lend if weight > 0.0 else teach_by_labels
    if not rankboost.fit(ranker, passes, teach, weight, ranker.discount == "similarity"):
        ranker._give_up_discount(passes.parts.n_labelled == passes.parts.n_items)
    ranker.pseudo_items_, ranker.pseudo_labels_ = np.empty(0, dtype=np.int64), np.empty(0)


def teach_with_neighbours(data: RankingDataset, n_neighbors: int, distance: str, conflict: str) -> Teaching:
    """Take the labelled items, and the unlabelled ones to which they lend their labels."""
    if not data.labelled.any() or data.labelled.all():
        return teach_by_labels(data)
    lent = nearest_labels(data, n_neighbors, distance, conflict)
    own = np.flatnonzero(data.labelled)
    items, labels = np.append(own, lent.items), np.append(data.y[own], lent.labels)
    numbers = data.list_of_item[items] + data.n_lists * (np.arange(len(items)) >= len(own))
    pairs = OrderedPairs.ordered_by(labels, numbers, np.ones(len(items)))
    squares = np.append(np.zeros(len(own)), lent.distances**2)
    return Teaching(
        replace(pairs, items=items[pairs.items]),
        int(np.sum(pairs.numbers < data.n_lists)),
        squares[pairs.items],
        len(lent.items),
        float(squares.sum()),
    )
