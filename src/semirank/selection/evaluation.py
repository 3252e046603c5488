"""Scores against labels: every metric, list by list, and its mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirank import metrics
from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import RankingDataset


@dataclass(frozen=True)
class Evaluation:
    """The values of some metrics on each list.

    Attributes
    ----------
    list_ids : array of shape (n_lists,)
        The lists.
    values : dict of str to float64 array of shape (n_lists,)
        One value per list for each metric, NaN where the metric is undefined.
    """

    list_ids: AnyArray
    values: dict[str, Floats]

    def mean(self, name: str) -> float:
        """Average a metric over the lists where it is defined; NaN if it is defined on none."""
        defined = self.values[name][~np.isnan(self.values[name])]
        return float(defined.mean()) if len(defined) else float("nan")

    def n_defined(self, name: str) -> int:
        """Count the lists where a metric is defined."""
        return int((~np.isnan(self.values[name])).sum())


def evaluate(
    data: RankingDataset, scores: Any, names: Sequence[str], *, trec: bool = False, **options: Any
) -> Evaluation:
    """Measure scores, given in the caller's order, against the labels of the data.

    Parameters
    ----------
    data : RankingDataset
        Items with their labels.
    scores : array of shape (n_items,)
        One score for each item.
    names : sequence of str
        The metrics, as `metrics.parse` reads them.
    trec : bool, default=False
        Count as trec_eval and ir_measures do: nDCG has linear gains, ties go by item id, an item without a
        label is irrelevant, one with the score -inf was not retrieved, and a list where a metric is undefined
        has the value 0.
    **options
        Those of `metrics.measure`: `ties` and `unlabelled`.

    See Also
    --------
    semirank.metrics.measure : the same from arrays.
    compare : fits rankers and tests their differences.

    Examples
    --------
    >>> from semirank import RankingDataset
    >>> from semirank import evaluate
    >>> data = RankingDataset([[0.0]] * 4, [0, 1, 1, 0], qid=["a", "a", "b", "b"])
    >>> result = evaluate(data, [0.1, 0.9, 0.2, 0.8], ["AUC", "RR"])
    >>> result.values["AUC"], result.mean("RR")
    (array([1., 0.]), 0.75)
    """
    asked = measured = [metrics.parse(name) for name in names]
    if trec:
        options = {"ties": "trec", "unlabelled": "irrelevant"} | options
        measured = [each.with_options(gain="linear") if "gain" in each.limits else each for each in asked]
    values = metrics.measure(
        measured, data.y, data.arrange(scores), data.qid, item_ids=data.item_ids, **options
    )
    if trec:
        values = {
            name.name: np.nan_to_num(values[each.name], nan=0.0)
            for name, each in zip(asked, measured, strict=True)
        }
    return Evaluation(data.list_ids, values)
