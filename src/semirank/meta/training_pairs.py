"""The pairs that teach, how much each counts, and weights that come on top."""

from typing import NamedTuple, Self

import numpy as np
from sklearn.utils import gen_batches

from semirank.core.arrays import Floats, Integers
from semirank.dataset import Features
from semirank.density_ratio import KLIEP, effective_size
from semirank.meta.adaptation import AdaptingRanker, LabelledLists
from semirank.rankers._base import Ranker
from semirank.rankers.pairs import PairWeights
from semirank.rankers.pairs.sampled import SampledPairs, ordered_pairs, sample

BLOCK_ROWS = 2**15


class TrainingPairs(NamedTuple):
    """What all lists share.

    Attributes
    ----------
    pairs : the pairs that teach
    given : the weight of each pair as given to `fit`
    counts : how many times each pair occurs: its given weight, times those of its two items
    shares : what each time counts: 1, or where every list counts the same, one by all times in the list
    sample : the numbers of the pairs that stand for all of them
    differences : their differences
    """

    pairs: SampledPairs
    given: Floats
    counts: Floats
    shares: Floats
    sample: Integers
    differences: Features

    @classmethod
    def of(cls, labelled: LabelledLists, ranker: Ranker, max_taught: int, max_pairs: int) -> Self:
        """Find pairs that a ranker would learn from, counting as they do for that ranker."""
        pairs, given = _pairs_and_weights(labelled, max_taught)
        of_items = labelled.weights.get("sample_weight", np.ones(len(labelled.y)))
        counts = given * of_items[pairs.first] * of_items[pairs.second]
        some = counts > 0
        pairs, given, counts = pairs.take(some), given[some], counts[some]
        shares = np.ones(len(counts))
        if balances_lists(ranker, "pairs" in labelled.weights):
            lists = labelled.lists[pairs.first]
            shares /= np.bincount(lists, counts)[lists]
        few = sample(len(counts), max_pairs)
        return cls(pairs, given, counts, shares, few, pairs.take(few).differences(labelled.X))

    def frequencies(self) -> Floats:
        """Return how often each pair of the sample occurs, once on average over all times of all pairs."""
        occur = self.counts * self.shares
        return occur[self.sample] * (self.counts.sum() / occur.sum())

    def weigh(self, ratio: KLIEP, X: Features) -> Floats:
        """Return the weights of all pairs, with mean 1; differences of a block of them exist at a time."""
        blocks = gen_batches(len(self.given), BLOCK_ROWS)
        weights = np.concatenate([ratio.predict(self.pairs.take(rows).differences(X)) for rows in blocks])
        return weights / np.average(weights, weights=self.counts * self.shares)

    def effective_size(self, weights: Floats) -> float:
        """Return how many equally weighted pairs would teach as steadily."""
        return effective_size(weights * self.shares, self.counts)

    def weighted(self, weights: Floats) -> PairWeights:
        """Return all pairs; the ranker multiplies by the weights of items on its own."""
        return PairWeights(self.pairs.first, self.pairs.second, weights * self.given * self.shares)

    def mean_by_item(self, weights: Floats, n_items: int) -> Floats:
        """Return the mean weight of the pairs of each item, 1 where it is in none."""
        items = np.concatenate(self.pairs)
        sums = np.bincount(items, np.tile(self.counts * weights, 2), n_items)
        counts = np.bincount(items, np.tile(self.counts, 2), n_items)
        return np.divide(sums, counts, out=np.ones(n_items), where=counts > 0)


def weights_taken(ranker: Ranker) -> str:
    """Return the name of the weights that a ranker, or the one it is made of, can be fitted with."""
    for name in ("pairs", "sample_weight"):
        if name in ranker.takes_weights:
            return name
    raise ValueError(
        f"ImportanceWeighting needs a ranker whose fit takes pairs or sample_weight; that of {ranker!r} "
        "takes neither. Use RankBoost, RankRLS or RankSVM."
    )


def balances_lists(ranker: Ranker, pairs_given: bool) -> bool:
    """Tell whether lists count the same for a ranker, however many pairs they have.

    One that has no choice does so unless it is given pairs, which it takes as they are (`RankRLS`).
    """
    if weights_taken(ranker) != "pairs":
        return False
    return bool(getattr(_innermost(ranker), "balance", "pairs" if pairs_given else "lists") == "lists")


def taking_pairs_as_they_are(ranker: Ranker) -> Ranker:
    """Return the unfitted ranker, told not to change the weights of pairs so that lists count the same."""
    for name in ranker.get_params():
        if name.split("__")[-1] == "balance":
            ranker.set_params(**{name: "pairs"})
    return ranker


def _innermost(ranker: Ranker) -> Ranker:
    while isinstance(ranker, AdaptingRanker):
        ranker = ranker._base()
    return ranker


def _pairs_and_weights(labelled: LabelledLists, number: int) -> tuple[SampledPairs, Floats]:
    if "pairs" in labelled.weights:
        better, worse, given = labelled.weights["pairs"]
        few = sample(len(given), number)
        return SampledPairs(better[few], worse[few]), given[few]
    pairs = ordered_pairs(labelled.X, labelled.y, labelled.lists, number)
    return pairs, np.ones(len(pairs.first))
